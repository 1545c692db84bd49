/*
 * A box of columns for people. Rows are held back until all widths are known, or until they fill
 * TABLE_BYTES_HELD: from then on widths stay as they are and rows flow through.
 */
#include "cli/format/format.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/print/human.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define TABLE_BYTES_HELD (16u << 20)

struct cell {
	size_t end; /* of its text in `texts`; it starts where the cell before it ends */
	uint32_t width;
};

struct table_writer {
	struct format format;
	uint32_t columns;
	uint32_t *widths;
	bool *right;
	bool flowing; /* the header is written */
	uint64_t rows;
	struct buf texts;
	struct cell *cells; /* row by row */
	size_t cell_count;
	size_t cell_capacity;
	struct buf scratch;
};

/*
 * Appends text as a terminal may show it, and returns the columns it takes: control characters and
 * bytes that are not UTF-8 become escapes, so that data can neither break the box nor send
 * commands.
 */
static uint32_t append_shown(struct buf *out, const char *text, size_t size)
{
	uint32_t width = 0;

	for (size_t i = 0; i < size;) {
		size_t length, before = out->size;
		uint32_t c = utf8_decode(text + i, size - i, &length);

		if (c == '\n' || c == '\t' || c == '\r') {
			buf_printf(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
			width += 2;
		} else if (c == UTF8_INVALID || c < 0x20 || (c >= 0x7f && c < 0xa0)) {
			buf_printf(out, "\\x%02x",
				c == UTF8_INVALID ? (unsigned char)text[i] : (unsigned)c);
			width += (uint32_t)(out->size - before);
		} else {
			int columns = c < 0x7f ? 1 : wcwidth((wchar_t)c);

			buf_append(out, text + i, length);
			width += columns < 0 ? 1 : (uint32_t)columns;
		}
		i += length;
	}
	return width;
}

static void add_cell(struct table_writer *writer, uint32_t column, uint32_t width)
{
	if (writer->cell_count == writer->cell_capacity) {
		writer->cell_capacity = writer->cell_capacity ? 2 * writer->cell_capacity : 256;
		writer->cells = memory_realloc(
			writer->cells, writer->cell_capacity * sizeof(*writer->cells));
	}
	writer->cells[writer->cell_count++] = (struct cell){writer->texts.size, width};
	if (!writer->flowing && width > writer->widths[column])
		writer->widths[column] = width;
}

static struct format *table_new(const struct plan_query *query)
{
	struct table_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format.query = query;
	writer->columns = query->column_count;
	writer->widths = memory_zalloc((writer->columns + 1) * sizeof(*writer->widths));
	writer->right = memory_zalloc((writer->columns + 1) * sizeof(*writer->right));
	buf_init(&writer->texts, SIZE_MAX / 2);
	buf_init(&writer->scratch, SIZE_MAX / 2);
	for (uint32_t c = 0; c < writer->columns; c++) {
		writer->right[c] = type_is_number(plan_query_meant(query, c));
		add_cell(writer, c,
			append_shown(&writer->texts, query->names[c], strlen(query->names[c])));
	}
	return &writer->format;
}

static void table_free(struct format *format)
{
	struct table_writer *writer = (struct table_writer *)format;

	buf_release(&writer->texts);
	buf_release(&writer->scratch);
	free(writer->cells);
	free(writer->widths);
	free(writer->right);
	free(writer);
}

static void append_repeated(struct buf *out, const char *text, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		buf_append_text(out, text);
}

static void append_rule(const struct table_writer *writer, const char *left, const char *middle,
	const char *right, struct buf *out)
{
	buf_append_text(out, left);
	for (uint32_t c = 0; c < writer->columns; c++) {
		if (c > 0)
			buf_append_text(out, middle);
		append_repeated(out, "─", writer->widths[c] + 2);
	}
	buf_append_text(out, right);
	buf_append_char(out, '\n');
}

static void append_row(const struct table_writer *writer, size_t first_cell, struct buf *out)
{
	size_t start = first_cell ? writer->cells[first_cell - 1].end : 0;

	for (uint32_t c = 0; c < writer->columns; c++) {
		const struct cell *cell = &writer->cells[first_cell + c];
		uint32_t width = writer->widths[c];
		uint32_t blanks = width > cell->width ? width - cell->width : 0;

		buf_append_text(out, c ? " │ " : "│ ");
		if (writer->right[c])
			append_repeated(out, " ", blanks);
		buf_append(out, writer->texts.data + start, cell->end - start);
		if (!writer->right[c])
			append_repeated(out, " ", blanks);
		start = cell->end;
	}
	buf_append_text(out, " │\n");
}

/* Writes the rows that are held, the first time with the header before them. */
static int flow(struct table_writer *writer, struct output *out, struct error *err)
{
	size_t first = 0;

	if (!writer->flowing) {
		append_rule(writer, "┌", "┬", "┐", &out->buf);
		append_row(writer, 0, &out->buf);
		append_rule(writer, "├", "┼", "┤", &out->buf);
		writer->flowing = true;
		first = writer->columns;
	}
	for (; first < writer->cell_count; first += writer->columns) {
		append_row(writer, first, &out->buf);
		if (output_drain(out, err))
			return -1;
	}
	writer->cell_count = 0;
	buf_clear(&writer->texts);
	return 0;
}

static int table_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct table_writer *writer = (struct table_writer *)format;

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		for (uint32_t c = 0; c < batch->column_count; c++) {
			const struct column *column = &batch->columns[c];

			buf_clear(&writer->scratch);
			if (column_is_null(column, row)) {
				buf_append_text(&writer->scratch, "NULL");
			} else {
				struct value value = column_value(column, row);

				format_value(&value, &writer->scratch);
			}
			add_cell(writer, c,
				append_shown(&writer->texts, writer->scratch.data,
					writer->scratch.size));
		}
		writer->rows++;
		if (writer->texts.size >= TABLE_BYTES_HELD && flow(writer, out, err))
			return -1;
	}
	return writer->flowing ? flow(writer, out, err) : 0;
}

static int table_end(struct format *format, struct output *out, struct error *err)
{
	struct table_writer *writer = (struct table_writer *)format;
	char count[HUMAN_TEXT_MAX];

	if (flow(writer, out, err))
		return -1;
	append_rule(writer, "└", "┴", "┘", &out->buf);
	buf_printf(&out->buf, "%s row%s\n", human_count(writer->rows, count),
		writer->rows == 1 ? "" : "s");
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
