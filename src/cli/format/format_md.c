/* A table in GitHub's Markdown; numbers are aligned to the right. */
#include "cli/format/format.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct md_writer {
	struct format format;
	bool header_written;
	struct buf scratch;
};

static struct format *md_new(const struct plan_query *query, const struct format_style *style)
{
	struct md_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	buf_init(&writer->scratch, SIZE_MAX / 2);
	return &writer->format;
}

static void md_free(struct format *format)
{
	struct md_writer *writer = (struct md_writer *)format;

	buf_release(&writer->scratch);
	free(writer);
}

/* What would end a cell, a row or the text itself is written in another way. */
static void append_text(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		switch (text[i]) {
		case '|': buf_append_text(out, "\\|"); break;
		case '\\': buf_append_text(out, "\\\\"); break;
		case '<': buf_append_text(out, "&lt;"); break;
		case '&': buf_append_text(out, "&amp;"); break;
		case '\n': buf_append_text(out, "<br>"); break;
		case '\r': break;
		default: buf_append_char(out, text[i]);
		}
	}
}

static void append_header(struct md_writer *writer, struct buf *out)
{
	const struct plan_query *query = writer->format.query;

	if (writer->header_written)
		return;
	writer->header_written = true;
	for (uint32_t c = 0; c < query->column_count; c++) {
		buf_append_text(out, c ? " | " : "| ");
		append_text(out, query->names[c], strlen(query->names[c]));
	}
	buf_append_text(out, " |\n");
	for (uint32_t c = 0; c < query->column_count; c++)
		buf_append_text(out, type_is_number(plan_query_meant(query, c)) ? "|---:" : "|---");
	buf_append_text(out, "|\n");
}

static int md_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct md_writer *writer = (struct md_writer *)format;

	append_header(writer, &out->buf);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		for (uint32_t c = 0; c < batch->column_count; c++) {
			const struct column *column = &batch->columns[c];

			buf_append_text(&out->buf, c ? " | " : "| ");
			if (column_is_null(column, row)) {
				if (format->style->null)
					append_text(&out->buf, format->style->null,
						strlen(format->style->null));
				continue;
			}
			struct value value = column_value(column, row);

			buf_clear(&writer->scratch);
			format_value(&value, &writer->scratch);
			append_text(&out->buf, writer->scratch.data, writer->scratch.size);
		}
		buf_append_text(&out->buf, " |\n");
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

static int md_end(struct format *format, struct output *out, struct error *err)
{
	append_header((struct md_writer *)format, &out->buf);
	return output_drain(out, err);
}

static void md_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	buf_printf(out, "%s## %s%s%s\n\n", position ? "\n" : "", query->name,
		*query->title ? ": " : "", query->title);
}

const struct format_ops format_md = {
	.name = "md",
	.extension = "md",
	.new = md_new,
	.free = md_free,
	.rows = md_rows,
	.end = md_end,
	.before = md_before,
};
