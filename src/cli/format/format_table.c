/*
 * A box of columns for people. Rows are held back until all widths are known, or until they fill
 * TABLE_BYTES_HELD: from then on widths stay as they are and rows flow through. Where only so many rows
 * are to be shown, the first and the last of them are held, and the rest only counted.
 *
 * What is wider than it may be is cut: first texts and names of columns, the longest first, then columns in
 * the middle are left out, or every row becomes a list of its values (format_vertical.c), as the style says.
 */
#include "cli/format/format_private.h"

#include "base/memory.h"
#include "cli/format/shown_text.h"
#include "cli/print/human.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES_HELD (16u << 20)
/* Texts are not cut below this. */
#define TEXT_WIDTH_MIN 8
/* A column's text and what stands between it and the next. */
#define BETWEEN_COLUMNS 3

#define BOLD	 "\033[1m"
#define DIM	 "\033[2m"
#define AS_USUAL "\033[0m"

struct table_frame {
	const char *line;
	const char *top[3], *middle[3], *bottom[3];
	const char *bar;
	const char *gap; /* stands for what is left out */
};

static const struct table_frame box_frame = {
	"─", {"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"}, "│", "…"};
static const struct table_frame ascii_frame = {
	"-", {"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}, "|", "..."};

/* A row that is held. */
struct held_row {
	size_t start; /* of its texts; end of cell c is cells[c].end */
	struct cell *cells;
	struct buf texts;
};

struct cell {
	size_t end;
	uint32_t width;
	bool is_null;
};

struct table_writer {
	struct format format;
	const struct table_frame *frame;
	uint32_t columns;
	uint32_t *widths;
	uint32_t *least; /* what a column is not cut below: values that are no texts stay whole */
	bool *right;
	bool flowing; /* the header is written */
	uint64_t rows;
	struct held_row names;
	uint32_t held_count;
	uint32_t held_capacity;
	struct held_row *held; /* with rows_max: the first half, then a ring of the last ones */
	size_t bytes_held;
	uint32_t first_columns; /* that are shown, */
	uint32_t last_columns;	/* with a gap between them if that is not all */
	struct buf scratch;
};

static void held_init(struct held_row *row, uint32_t columns)
{
	*row = (struct held_row){.cells = memory_zalloc((columns + 1) * sizeof(struct cell))};
	buf_init(&row->texts, SIZE_MAX / 2);
}

static void held_release(struct held_row *row)
{
	free(row->cells);
	buf_release(&row->texts);
}

static void set_cell(struct held_row *row, uint32_t column, uint32_t width)
{
	row->cells[column] = (struct cell){row->texts.size, width, false};
}

static struct format *writer_new(const struct plan_query *query, const struct format_style *style,
	const struct table_frame *frame)
{
	struct table_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	writer->frame = frame;
	writer->columns = writer->first_columns = query->column_count;
	writer->widths = memory_zalloc((writer->columns + 1) * sizeof(*writer->widths));
	writer->least = memory_zalloc((writer->columns + 1) * sizeof(*writer->least));
	writer->right = memory_zalloc((writer->columns + 1) * sizeof(*writer->right));
	buf_init(&writer->scratch, SIZE_MAX / 2);
	held_init(&writer->names, writer->columns);
	for (uint32_t c = 0; c < writer->columns; c++) {
		writer->right[c] = type_is_number(plan_query_meant(query, c));
		set_cell(&writer->names, c,
			shown_append(
				&writer->names.texts, query->names[c], strlen(query->names[c])));
	}
	return &writer->format;
}

static struct format *table_new(const struct plan_query *query, const struct format_style *style)
{
	return writer_new(query, style, &box_frame);
}

static struct format *ascii_new(const struct plan_query *query, const struct format_style *style)
{
	return writer_new(query, style, &ascii_frame);
}

static void table_free(struct format *format)
{
	struct table_writer *writer = (struct table_writer *)format;

	for (uint32_t i = 0; i < writer->held_count; i++)
		held_release(&writer->held[i]);
	held_release(&writer->names);
	buf_release(&writer->scratch);
	free(writer->held);
	free(writer->widths);
	free(writer->least);
	free(writer->right);
	free(writer);
}

/* -- What is shown -- */

static uint64_t rows_max(const struct table_writer *writer)
{
	uint64_t most = writer->format.style->rows_max;

	return most && most < UINT32_MAX ? most : 0;
}

/* The place for the next row: a new one, or that of the oldest of the last. */
static struct held_row *next_row(struct table_writer *writer)
{
	uint64_t most = rows_max(writer), first = (most + 1) / 2;

	if (most && writer->rows >= most && most > first) {
		struct held_row *row =
			&writer->held[first + (writer->rows - first) % (most - first)];

		buf_clear(&row->texts);
		return row;
	}
	if (most && writer->rows >= most)
		return NULL;
	if (writer->held_count == writer->held_capacity) {
		writer->held_capacity = writer->held_capacity ? 2 * writer->held_capacity : 256;
		writer->held =
			memory_realloc(writer->held, writer->held_capacity * sizeof(*writer->held));
	}
	held_init(&writer->held[writer->held_count], writer->columns);
	return &writer->held[writer->held_count++];
}

static void widen(struct table_writer *writer, const struct held_row *row)
{
	for (uint32_t c = 0; c < writer->columns; c++)
		if (row->cells[c].width > writer->widths[c])
			writer->widths[c] = row->cells[c].width;
}

static uint64_t whole_width(const struct table_writer *writer)
{
	uint64_t width = 1;

	for (uint32_t c = 0; c < writer->columns; c++)
		width += writer->widths[c] + BETWEEN_COLUMNS;
	return width;
}

/* Whether a part of a value tells something. */
static bool can_be_cut(enum type_kind kind)
{
	return !type_is_number(kind) && !(kind >= TYPE_DATE && kind <= TYPE_INTERVAL);
}

static void set_least(struct table_writer *writer)
{
	for (uint32_t c = 0; c < writer->columns; c++) {
		uint32_t least = TEXT_WIDTH_MIN;

		for (uint32_t i = 0; i < writer->held_count; i++) {
			uint32_t width = writer->held[i].cells[c].width;

			if (!can_be_cut(plan_query_meant(writer->format.query, c)) && width > least)
				least = width;
		}
		writer->least[c] = least;
	}
}

/* Takes from the widest until everything fits, or none can be cut any more. */
static void cut_texts(struct table_writer *writer, uint32_t width)
{
	uint64_t whole = whole_width(writer);

	while (whole > width) {
		uint32_t widest = writer->columns, next;
		uint64_t excess = whole - width;

		for (uint32_t c = 0; c < writer->columns; c++)
			if (writer->widths[c] > writer->least[c] &&
				(widest == writer->columns ||
					writer->widths[c] > writer->widths[widest]))
				widest = c;
		if (widest == writer->columns)
			return;
		next = writer->least[widest];
		for (uint32_t c = 0; c < writer->columns; c++)
			if (writer->widths[c] > writer->least[c] &&
				writer->widths[c] < writer->widths[widest] &&
				writer->widths[c] > next)
				next = writer->widths[c];
		if (writer->widths[widest] - next > excess)
			next = writer->widths[widest] - (uint32_t)excess;
		whole -= writer->widths[widest] - next;
		writer->widths[widest] = next;
	}
}

/* As many of the first and the last columns as fit, with one for the gap. */
static void leave_out_columns(struct table_writer *writer, uint32_t width)
{
	uint64_t used = 1 + strlen("...") + BETWEEN_COLUMNS;
	uint32_t first = 0, last = 0;

	while (first + last < writer->columns) {
		bool left = first <= last;
		uint32_t c = left ? first : writer->columns - 1 - last;

		used += writer->widths[c] + BETWEEN_COLUMNS;
		if (used > width && first > 0)
			break;
		first += left;
		last += !left;
	}
	writer->first_columns = first;
	writer->last_columns = last;
}

static bool is_shown(const struct table_writer *writer, uint32_t column)
{
	return column < writer->first_columns || column >= writer->columns - writer->last_columns;
}

static bool leaves_out(const struct table_writer *writer)
{
	return writer->first_columns + writer->last_columns < writer->columns;
}

/* What is left of the width is given to columns that were cut, one after the other. */
static void give_back(struct table_writer *writer, const uint32_t *wanted, uint32_t width)
{
	uint64_t used = 1 + (leaves_out(writer) ? strlen("...") + BETWEEN_COLUMNS : 0);
	bool grown = true;

	for (uint32_t c = 0; c < writer->columns; c++)
		used += is_shown(writer, c) ? writer->widths[c] + BETWEEN_COLUMNS : 0;
	while (grown) {
		grown = false;
		for (uint32_t c = 0; c < writer->columns && used < width; c++)
			if (is_shown(writer, c) && writer->widths[c] < wanted[c]) {
				writer->widths[c]++;
				used++;
				grown = true;
			}
	}
}

/* -- Writing -- */

static void append_rule(
	const struct table_writer *writer, const char *const ends[3], struct buf *out)
{
	const struct table_frame *frame = writer->frame;
	const char *end = ends[0];

	for (uint32_t c = 0; c < writer->columns; c++) {
		if (c == writer->first_columns && leaves_out(writer)) {
			buf_append_text(out, ends[1]);
			shown_append_repeated(out, frame->line, frame == &box_frame ? 3 : 5);
		}
		if (!is_shown(writer, c))
			continue;
		buf_append_text(out, end);
		shown_append_repeated(out, frame->line, writer->widths[c] + 2);
		end = ends[1];
	}
	buf_append_text(out, ends[2]);
	buf_append_char(out, '\n');
}

static const char *colour_of(
	const struct table_writer *writer, const struct held_row *row, uint32_t c)
{
	if (!writer->format.style->colours)
		return "";
	if (row == &writer->names)
		return BOLD;
	return row->cells[c].is_null ? DIM : "";
}

static void append_cell(
	const struct table_writer *writer, const struct held_row *row, uint32_t c, struct buf *out)
{
	size_t start = c ? row->cells[c - 1].end : 0;
	uint32_t width = writer->widths[c], whole = row->cells[c].width;
	uint32_t blanks = width > whole ? width - whole : 0;

	const char *colour = colour_of(writer, row, c);

	if (writer->right[c])
		shown_append_repeated(out, " ", blanks);
	buf_append_text(out, colour);
	if (whole > width)
		blanks = width - shown_append_cut(out, row->texts.data + start,
					 row->cells[c].end - start, whole, width);
	else
		buf_append(out, row->texts.data + start, row->cells[c].end - start);
	buf_append_text(out, *colour ? AS_USUAL : "");
	if (!writer->right[c] || whole > width)
		shown_append_repeated(out, " ", blanks);
}

/* `row` NULL: of rows that are left out. */
static void append_row(
	const struct table_writer *writer, const struct held_row *row, struct buf *out)
{
	const struct table_frame *frame = writer->frame;

	for (uint32_t c = 0; c < writer->columns; c++) {
		if (c == writer->first_columns && leaves_out(writer))
			buf_printf(out, "%s %s ", frame->bar, frame->gap);
		if (!is_shown(writer, c))
			continue;
		buf_append_text(out, frame->bar);
		buf_append_char(out, ' ');
		if (row) {
			append_cell(writer, row, c, out);
		} else {
			uint32_t dots = frame == &box_frame ? 1 : 3;
			uint32_t taken = writer->widths[c] < dots ? 0 : dots;

			if (taken)
				buf_append_text(out, frame->gap);
			shown_append_repeated(out, " ", writer->widths[c] - taken);
		}
		buf_append_char(out, ' ');
	}
	buf_append_text(out, frame->bar);
	buf_append_char(out, '\n');
}

/* Once, when all widths are known or enough of them: the layout, and the header. */
static void begin(struct table_writer *writer, struct buf *out)
{
	uint32_t width = writer->format.style->width;
	uint32_t *wanted;

	if (writer->flowing)
		return;
	writer->flowing = true;
	if (!writer->format.style->without_names)
		widen(writer, &writer->names);
	for (uint32_t i = 0; i < writer->held_count; i++)
		widen(writer, &writer->held[i]);
	wanted = memory_zalloc((writer->columns + 1) * sizeof(*wanted));
	memcpy(wanted, writer->widths, writer->columns * sizeof(*wanted));
	if (width && whole_width(writer) > width) {
		set_least(writer);
		cut_texts(writer, width);
	}
	if (width && whole_width(writer) > width) {
		leave_out_columns(writer, width);
		give_back(writer, wanted, width);
	}
	free(wanted);
	append_rule(writer, writer->frame->top, out);
	if (writer->format.style->without_names)
		return;
	append_row(writer, &writer->names, out);
	append_rule(writer, writer->frame->middle, out);
}

/* Writes the rows that are held; a gap where there were more than may be shown. */
static int flow(struct table_writer *writer, struct output *out, struct error *err)
{
	uint64_t most = rows_max(writer), first = (most + 1) / 2;
	bool gap = most && writer->rows > most;

	begin(writer, &out->buf);
	for (uint32_t i = 0; i < writer->held_count; i++) {
		uint64_t at = i;

		if (gap && i == first)
			append_row(writer, NULL, &out->buf);
		if (gap && i >= first)
			at = first + (writer->rows - first + i - first) % (most - first);
		append_row(writer, &writer->held[at], &out->buf);
		if (output_drain(out, err))
			return -1;
	}
	if (gap && writer->held_count == first)
		append_row(writer, NULL, &out->buf);
	for (uint32_t i = 0; i < writer->held_count; i++)
		held_release(&writer->held[i]);
	writer->held_count = 0;
	writer->bytes_held = 0;
	return 0;
}

static int table_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct table_writer *writer = (struct table_writer *)format;
	const char *null = format->style->null ? format->style->null : "NULL";

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		struct held_row *held = next_row(writer);

		writer->rows++;
		if (!held)
			continue;
		for (uint32_t c = 0; c < batch->column_count; c++)
			set_cell(held, c,
				shown_append_value(&held->texts, &batch->columns[c], row, null,
					&writer->scratch));
		for (uint32_t c = 0; c < batch->column_count; c++)
			held->cells[c].is_null = column_is_null(&batch->columns[c], row);
		writer->bytes_held += held->texts.size;
		if (!rows_max(writer) && writer->bytes_held >= TABLE_BYTES_HELD &&
			flow(writer, out, err))
			return -1;
	}
	return writer->flowing ? flow(writer, out, err) : 0;
}

/* Whether the style asks for a list for each row instead, because the box is wider than may be. */
static bool becomes_vertical(struct table_writer *writer)
{
	uint32_t width = writer->format.style->width;

	if (writer->format.style->expanded != FORMAT_EXPANDED_AUTO || !width || writer->flowing)
		return false;
	widen(writer, &writer->names);
	for (uint32_t i = 0; i < writer->held_count; i++)
		widen(writer, &writer->held[i]);
	return whole_width(writer) > width;
}

static void append_vertical(struct table_writer *writer, struct buf *out)
{
	uint64_t most = rows_max(writer), first = (most + 1) / 2;
	uint32_t names_width = vertical_names_width(writer->format.query);
	bool gap = most && writer->rows > most;

	for (uint32_t i = 0; i < writer->held_count; i++) {
		uint64_t at = i, number = i + 1;
		const struct held_row *row;

		if (gap && i == first)
			buf_append_text(out, "…\n");
		if (gap && i >= first) {
			at = first + (writer->rows - first + i - first) % (most - first);
			number = writer->rows - writer->held_count + i + 1;
		}
		row = &writer->held[at];
		vertical_append_title(number, out);
		for (uint32_t c = 0; c < writer->columns; c++) {
			size_t start = c ? row->cells[c - 1].end : 0;

			vertical_append_value(writer->format.query->names[c], names_width,
				row->texts.data + start, row->cells[c].end - start, out);
		}
	}
}

static int table_end(struct format *format, struct output *out, struct error *err)
{
	struct table_writer *writer = (struct table_writer *)format;
	char count[HUMAN_TEXT_MAX], shown[HUMAN_TEXT_MAX];
	uint64_t most = rows_max(writer);

	if (becomes_vertical(writer)) {
		append_vertical(writer, &out->buf);
	} else {
		if (flow(writer, out, err))
			return -1;
		append_rule(writer, writer->frame->bottom, &out->buf);
	}
	if (!format->style->without_names) {
		buf_printf(&out->buf, "%s row%s", human_count(writer->rows, count),
			writer->rows == 1 ? "" : "s");
		if (most && writer->rows > most)
			buf_printf(&out->buf, " (%s shown)", human_count(most, shown));
		if (leaves_out(writer))
			buf_printf(&out->buf, ", %u columns (%u shown)", writer->columns,
				writer->first_columns + writer->last_columns);
		buf_append_char(&out->buf, '\n');
	}
	return output_drain(out, err);
}

static void table_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	buf_printf(out, "%s%s%s%s\n", position ? "\n" : "", query->name, *query->title ? ": " : "",
		query->title);
}

const struct format_ops format_table = {
	.name = "table",
	.extension = "txt",
	.new = table_new,
	.free = table_free,
	.rows = table_rows,
	.end = table_end,
	.before = table_before,
};

const struct format_ops format_ascii = {
	.name = "ascii",
	.extension = "txt",
	.new = ascii_new,
	.free = table_free,
	.rows = table_rows,
	.end = table_end,
	.before = table_before,
};
