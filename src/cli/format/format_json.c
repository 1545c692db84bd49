/*
 * JSON: an array of objects, one per line; several queries are an object of such arrays. JSON lines:
 * the objects alone; before the rows of each of several queries stands {"query": "q1"}.
 *
 * Numbers keep all their digits. Doubles that JSON has no number for (NaN, Infinity) are texts. A column
 * that is shown as it stands in its files has numbers and booleans where JSON writes them the same way.
 */
#include "cli/format/format.h"

#include "base/json_write.h"
#include "base/memory.h"
#include "cli/format/json_value.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct json_format {
	struct format format;
	uint64_t rows;
};

static struct format *json_new(const struct plan_query *query, const struct format_style *style)
{
	struct json_format *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	return &writer->format;
}

static void json_free(struct format *format)
{
	free(format);
}

static size_t skip_digits(struct text text, size_t at)
{
	while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9')
		at++;
	return at;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_json_number(struct text text)
{
	size_t at = text.size > 0 && text.data[0] == '-', start = at;

	at = skip_digits(text, at);
	if (at == start || (text.data[start] == '0' && at > start + 1))
		return false;
	if (at < text.size && text.data[at] == '.') {
		start = ++at;
		at = skip_digits(text, at);
		if (at == start)
			return false;
	}
	if (at < text.size && (text.data[at] == 'e' || text.data[at] == 'E')) {
		at++;
		at += at < text.size && (text.data[at] == '+' || text.data[at] == '-');
		start = at;
		at = skip_digits(text, at);
		if (at == start)
			return false;
	}
	return at == text.size;
}

/* A text that stands in a file so, and means something else than a text. */
static void append_written(struct text text, enum type_kind meant, struct buf *out)
{
	bool yes = text.size == 4 && strncasecmp(text.data, "true", 4) == 0;
	bool no = text.size == 5 && strncasecmp(text.data, "false", 5) == 0;

	if (meant == TYPE_BOOL && (yes || no))
		buf_append_text(out, yes ? "true" : "false");
	else if (type_is_number(meant) && is_json_number(text))
		buf_append(out, text.data, text.size);
	else
		json_append_string(out, text.data, text.size);
}

static void append_value(
	const struct column *column, uint32_t row, enum type_kind meant, struct buf *out)
{
	struct value value = column_value(column, row);

	if (column->type.kind == TYPE_TEXT && !value.is_null)
		append_written(value.text, meant, out);
	else
		json_append_value(out, &value);
}

static void append_row(
	const struct plan_query *query, const struct batch *batch, uint32_t row, struct buf *out)
{
	buf_append_char(out, '{');
	for (uint32_t c = 0; c < batch->column_count; c++) {
		if (c > 0)
			buf_append_text(out, ", ");
		json_append_string(out, query->names[c], strlen(query->names[c]));
		buf_append_text(out, ": ");
		append_value(&batch->columns[c], row, plan_query_meant(query, c), out);
	}
	buf_append_char(out, '}');
}

static int json_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct json_format *writer = (struct json_format *)format;

	for (uint32_t k = 0; k < batch->selected; k++) {
		buf_append_text(&out->buf, writer->rows++ ? ",\n" : "[\n");
		append_row(format->query, batch, batch_row(batch, k), &out->buf);
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

/* Each row with what stands before it when it is not the first. */
static void json_append(const struct format *format, const struct batch *batch, struct buf *out)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		buf_append_text(out, ",\n");
		append_row(format->query, batch, batch_row(batch, k), out);
	}
}

static int json_appended(
	struct format *format, const struct buf *bytes, struct output *out, struct error *err)
{
	struct json_format *writer = (struct json_format *)format;
	size_t skip = writer->rows ? 0 : 2;

	if (bytes->size == 0)
		return 0;
	if (!writer->rows)
		buf_append_text(&out->buf, "[\n");
	writer->rows++; /* that there are some is all that counts */
	return output_append(out, bytes->data + skip, bytes->size - skip, err);
}

static int json_end(struct format *format, struct output *out, struct error *err)
{
	const struct json_format *writer = (const struct json_format *)format;

	buf_append_text(&out->buf, writer->rows ? "\n]\n" : "[]\n");
	return output_drain(out, err);
}

static void json_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	buf_append_text(out, position ? "," : "{");
	json_append_string(out, query->name, strlen(query->name));
	buf_append_text(out, ": ");
}

static void json_after_all(struct buf *out)
{
	buf_append_text(out, "}\n");
}

const struct format_ops format_json = {
	.name = "json",
	.extension = "json",
	.new = json_new,
	.free = json_free,
	.rows = json_rows,
	.append = json_append,
	.appended = json_appended,
	.end = json_end,
	.before = json_before,
	.after_all = json_after_all,
};

static int jsonl_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		append_row(format->query, batch, batch_row(batch, k), &out->buf);
		buf_append_char(&out->buf, '\n');
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

static void jsonl_append(const struct format *format, const struct batch *batch, struct buf *out)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		append_row(format->query, batch, batch_row(batch, k), out);
		buf_append_char(out, '\n');
	}
}

static int jsonl_appended(
	struct format *format, const struct buf *bytes, struct output *out, struct error *err)
{
	(void)format;
	return output_append(out, bytes->data, bytes->size, err);
}

static int jsonl_end(struct format *format, struct output *out, struct error *err)
{
	(void)format;
	return output_drain(out, err);
}

static void jsonl_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	(void)position;
	buf_append_text(out, "{\"query\": ");
	json_append_string(out, query->name, strlen(query->name));
	buf_append_text(out, "}\n");
}

const struct format_ops format_jsonl = {
	.name = "jsonl",
	.extension = "jsonl",
	.new = json_new,
	.free = json_free,
	.rows = jsonl_rows,
	.append = jsonl_append,
	.appended = jsonl_appended,
	.end = jsonl_end,
	.before = jsonl_before,
};
