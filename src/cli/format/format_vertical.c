/* Every row as a list of its values, a line each. */
#include "cli/format/format_private.h"

#include "base/memory.h"
#include "cli/format/shown_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_WIDTH 40

struct vertical_writer {
	struct format format;
	uint64_t rows;
	uint32_t names_width;
	struct buf shown;
	struct buf scratch;
};

void vertical_append_title(uint64_t number, struct buf *out)
{
	size_t before = out->size;

	buf_printf(out, "-[ row %" PRIu64 " ]", number);
	while (out->size - before < TITLE_WIDTH && !buf_overflowed(out))
		buf_append_char(out, '-');
	buf_append_char(out, '\n');
}

static uint32_t name_width(const char *name, struct buf *out)
{
	return shown_append(out, name, strlen(name));
}

uint32_t vertical_names_width(const struct plan_query *query)
{
	struct buf text;
	uint32_t widest = 0;

	buf_init(&text, SIZE_MAX / 2);
	for (uint32_t c = 0; c < query->column_count; c++) {
		uint32_t width = name_width(query->names[c], &text);

		widest = width > widest ? width : widest;
		buf_clear(&text);
	}
	buf_release(&text);
	return widest;
}

void vertical_append_value(
	const char *name, uint32_t names_width, const char *shown, size_t size, struct buf *out)
{
	uint32_t width = name_width(name, out);

	shown_append_repeated(out, " ", names_width - width);
	buf_append_text(out, " | ");
	buf_append(out, shown, size);
	buf_append_char(out, '\n');
}

static struct format *vertical_new(const struct plan_query *query, const struct format_style *style)
{
	struct vertical_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	writer->names_width = vertical_names_width(query);
	buf_init(&writer->shown, SIZE_MAX / 2);
	buf_init(&writer->scratch, SIZE_MAX / 2);
	return &writer->format;
}

static void vertical_free(struct format *format)
{
	struct vertical_writer *writer = (struct vertical_writer *)format;

	buf_release(&writer->shown);
	buf_release(&writer->scratch);
	free(writer);
}

static int vertical_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct vertical_writer *writer = (struct vertical_writer *)format;
	const char *null = format->style->null ? format->style->null : "NULL";

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		vertical_append_title(++writer->rows, &out->buf);
		for (uint32_t c = 0; c < batch->column_count; c++) {
			buf_clear(&writer->shown);
			shown_append_value(
				&writer->shown, &batch->columns[c], row, null, &writer->scratch);
			vertical_append_value(format->query->names[c], writer->names_width,
				writer->shown.data, writer->shown.size, &out->buf);
		}
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

static int vertical_end(struct format *format, struct output *out, struct error *err)
{
	if (((struct vertical_writer *)format)->rows == 0 && !format->style->without_names)
		buf_append_text(&out->buf, "0 rows\n");
	return output_drain(out, err);
}

static void vertical_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	format_table.before(query, position, out);
}

const struct format_ops format_vertical = {
	.name = "vertical",
	.extension = "txt",
	.new = vertical_new,
	.free = vertical_free,
	.rows = vertical_rows,
	.end = vertical_end,
	.before = vertical_before,
};
