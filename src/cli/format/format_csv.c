/*
 * CSV as in RFC 4180, with \n at line ends: NULL is an empty field and the empty text is "", so
 * that the two stay apart. And the same with tabs instead of commas.
 */
#include "cli/format/format.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct csv_writer {
	struct format format;
	char delimiter;
	bool header_written;
};

static struct format *writer_new(
	const struct plan_query *query, const struct format_style *style, char delimiter)
{
	struct csv_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	writer->delimiter = delimiter;
	return &writer->format;
}

static struct format *csv_new(const struct plan_query *query, const struct format_style *style)
{
	return writer_new(query, style, ',');
}

static struct format *tsv_new(const struct plan_query *query, const struct format_style *style)
{
	return writer_new(query, style, '\t');
}

static void csv_free(struct format *format)
{
	free(format);
}

static bool needs_quotes(const char *text, size_t size, char delimiter)
{
	if (size == 0)
		return true;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
			return true;
	}
	return false;
}

static void append_text(struct buf *out, const char *text, size_t size, char delimiter)
{
	if (!needs_quotes(text, size, delimiter)) {
		buf_append(out, text, size);
		return;
	}
	buf_append_char(out, '"');
	while (size > 0) {
		const char *quote = memchr(text, '"', size);
		size_t part = quote ? (size_t)(quote - text) + 1 : size;

		buf_append(out, text, part);
		if (quote)
			buf_append_char(out, '"');
		text += part;
		size -= part;
	}
	buf_append_char(out, '"');
}

static void append_header(struct csv_writer *writer, struct buf *out)
{
	const struct plan_query *query = writer->format.query;

	if (writer->header_written)
		return;
	writer->header_written = true;
	if (writer->format.style->without_names)
		return;
	for (uint32_t c = 0; c < query->column_count; c++) {
		if (c > 0)
			buf_append_char(out, writer->delimiter);
		append_text(out, query->names[c], strlen(query->names[c]), writer->delimiter);
	}
	buf_append_char(out, '\n');
}

static void append_value(
	const struct csv_writer *writer, const struct column *column, uint32_t row, struct buf *out)
{
	struct value value;
	struct buf text;

	if (column_is_null(column, row)) {
		if (writer->format.style->null)
			buf_append_text(out, writer->format.style->null);
		return;
	}
	value = column_value(column, row);
	switch (column->type.kind) {
	case TYPE_UNKNOWN:
	case TYPE_TEXT:
		append_text(out, value.text.data, value.text.size, writer->delimiter);
		return;
	case TYPE_JSON:
	case TYPE_JSONB:
	case TYPE_JSONPATH: break;
	default:
		if (type_is_array(column->type.kind))
			break;
		format_value(&value, out);
		return;
	}
	buf_init(&text, SIZE_MAX / 2);
	format_value(&value, &text);
	append_text(out, text.data, text.size, writer->delimiter);
	buf_release(&text);
}

static void append_row(
	const struct csv_writer *writer, const struct batch *batch, uint32_t row, struct buf *out)
{
	for (uint32_t c = 0; c < batch->column_count; c++) {
		if (c > 0)
			buf_append_char(out, writer->delimiter);
		append_value(writer, &batch->columns[c], row, out);
	}
	buf_append_char(out, '\n');
}

static int csv_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct csv_writer *writer = (struct csv_writer *)format;

	append_header(writer, &out->buf);
	for (uint32_t k = 0; k < batch->selected; k++) {
		append_row(writer, batch, batch_row(batch, k), &out->buf);
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

static void csv_append(const struct format *format, const struct batch *batch, struct buf *out)
{
	for (uint32_t k = 0; k < batch->selected; k++)
		append_row((const struct csv_writer *)format, batch, batch_row(batch, k), out);
}

static int csv_appended(
	struct format *format, const struct buf *bytes, struct output *out, struct error *err)
{
	append_header((struct csv_writer *)format, &out->buf);
	return output_append(out, bytes->data, bytes->size, err);
}

static int csv_end(struct format *format, struct output *out, struct error *err)
{
	append_header((struct csv_writer *)format, &out->buf);
	return output_drain(out, err);
}

static void csv_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	buf_printf(out, "%s# %s\n", position ? "\n" : "", query->name);
}

const struct format_ops format_csv = {
	.name = "csv",
	.extension = "csv",
	.new = csv_new,
	.free = csv_free,
	.rows = csv_rows,
	.append = csv_append,
	.appended = csv_appended,
	.end = csv_end,
	.before = csv_before,
};

const struct format_ops format_tsv = {
	.name = "tsv",
	.extension = "tsv",
	.new = tsv_new,
	.free = csv_free,
	.rows = csv_rows,
	.append = csv_append,
	.appended = csv_appended,
	.end = csv_end,
	.before = csv_before,
};
