/*
 * CSV as in RFC 4180, with \n at line ends: NULL is an empty field and the empty text is "", so
 * that the two stay apart. And the same with tabs instead of commas.
 */
#include "cli/format/format.h"

#include "base/digits.h"
#include "base/memory.h"
#include "column/datetime.h"
#include "column/numeric.h"

#include <assert.h>
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

/* As those of buf.h, without a call where there is room: most of what is printed is a few bytes. */
static inline char *reserve(struct buf *out, size_t size)
{
	size_t end = out->size + size;

	return end <= out->capacity && end <= out->size_max ? out->data + out->size
							    : buf_reserve(out, size);
}

/* Most are of a few bytes: two moves, which may overlap. */
static inline void copy_bytes(char *to, const char *from, size_t size)
{
	uint64_t first, last;

	if (size < sizeof(first) || size > 2 * sizeof(first)) {
		memcpy(to, from, size);
		return;
	}
	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + size - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + size - sizeof(last), &last, sizeof(last));
}

static inline void append(struct buf *out, const char *bytes, size_t size)
{
	char *room = reserve(out, size);

	if (!room)
		return;
	copy_bytes(room, bytes, size);
	out->size += size;
}

static inline void append_char(struct buf *out, char c)
{
	char *room = reserve(out, 1);

	if (!room)
		return;
	*room = c;
	out->size++;
}

#define WORD_BYTES(c) (UINT64_C(0x0101010101010101) * (uint8_t)(c))

/* Whether one of eight bytes is `c`. */
static inline uint64_t has_byte(uint64_t word, char c)
{
	word ^= WORD_BYTES(c);
	return (word - WORD_BYTES(1)) & ~word & WORD_BYTES(0x80);
}

static inline uint64_t is_special(uint64_t word, char delimiter)
{
	return has_byte(word, delimiter) | has_byte(word, '"') | has_byte(word, '\n') |
	       has_byte(word, '\r');
}

static inline uint64_t word_at(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return word;
}

static inline bool needs_quotes(const char *text, size_t size, char delimiter)
{
	uint64_t special = 0;

	if (size < sizeof(uint64_t)) {
		for (size_t i = 0; i < size; i++)
			special |= (text[i] == delimiter) | (text[i] == '"') | (text[i] == '\n') |
				   (text[i] == '\r');
		return special || size == 0;
	}
	for (size_t i = 0; i + sizeof(uint64_t) < size && !special; i += sizeof(uint64_t))
		special = is_special(word_at(text + i), delimiter);
	return special || is_special(word_at(text + size - sizeof(uint64_t)), delimiter);
}

static void append_quoted(struct buf *out, const char *text, size_t size)
{
	append_char(out, '"');
	while (size > 0) {
		const char *quote = memchr(text, '"', size);
		size_t part = quote ? (size_t)(quote - text) + 1 : size;

		append(out, text, part);
		if (quote)
			append_char(out, '"');
		text += part;
		size -= part;
	}
	append_char(out, '"');
}

static inline void append_text(struct buf *out, const char *text, size_t size, char delimiter)
{
	if (needs_quotes(text, size, delimiter))
		append_quoted(out, text, size);
	else
		append(out, text, size);
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
			append_char(out, writer->delimiter);
		append_text(out, query->names[c], strlen(query->names[c]), writer->delimiter);
	}
	append_char(out, '\n');
}

/* Of any kind, the rarer ones among them. */
static void append_any(
	const struct csv_writer *writer, const struct column *column, uint32_t row, struct buf *out)
{
	struct value value = column_value(column, row);
	struct buf text;

	switch (column->type.kind) {
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

/* What a number, a date or a time takes at most. */
#define SHORT_BYTES_MAX 48
static_assert(SHORT_BYTES_MAX >= NUMERIC_TEXT_MAX, "a decimal has room");
static_assert(SHORT_BYTES_MAX >= DATETIME_TEXT_MAX, "a time has room");
static_assert(SHORT_BYTES_MAX >= DOUBLE_TEXT_MAX, "a double has room");

/* Where such a value ends. NULL: it is of another kind. */
static inline char *put_short(char *out, const struct column *column, uint32_t index)
{
	switch (column->type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: {
		int64_t value = column->i64[index];

		*out = '-';
		return digits_put(
			out + (value < 0), value < 0 ? -(uint64_t)value : (uint64_t)value);
	}
	case TYPE_NUMERIC:
		return numeric_is_plain(column->num[index])
			       ? out + numeric_format(column->num[index], out)
			       : NULL;
	case TYPE_DOUBLE: return out + double_format(column->f64[index], out);
	case TYPE_DATE: return out + date_format(column->i64[index], out);
	case TYPE_TIMESTAMP: return out + timestamp_format(column->i64[index], out);
	default: return NULL;
	}
}

static inline void append_value(
	const struct csv_writer *writer, const struct column *column, uint32_t row, struct buf *out)
{
	uint32_t index = column_index(column, row);
	char *room, *end;

	if (column_is_null(column, row)) {
		if (writer->format.style->null)
			buf_append_text(out, writer->format.style->null);
		return;
	}
	if (column->type.kind == TYPE_TEXT || column->type.kind == TYPE_UNKNOWN) {
		struct text text = column->text[index];

		append_text(out, text.data, text.size, writer->delimiter);
		return;
	}
	room = reserve(out, SHORT_BYTES_MAX);
	end = room ? put_short(room, column, index) : NULL;
	if (end)
		out->size += (size_t)(end - room);
	else
		append_any(writer, column, row, out);
}

/* How far ahead texts are fetched: they may lie anywhere. */
#define TEXTS_AHEAD 4

static inline void prefetch_texts(const struct batch *batch, uint32_t k)
{
	if (k + TEXTS_AHEAD >= batch->selected)
		return;
	for (uint32_t c = 0; c < batch->column_count; c++) {
		const struct column *column = &batch->columns[c];

		if (column->type.kind == TYPE_TEXT)
			__builtin_prefetch(column->text[column_index(column,
								batch_row(batch, k + TEXTS_AHEAD))]
						   .data);
	}
}

static void append_row(
	const struct csv_writer *writer, const struct batch *batch, uint32_t k, struct buf *out)
{
	uint32_t row = batch_row(batch, k);

	prefetch_texts(batch, k);
	for (uint32_t c = 0; c < batch->column_count; c++) {
		if (c > 0)
			append_char(out, writer->delimiter);
		append_value(writer, &batch->columns[c], row, out);
	}
	append_char(out, '\n');
}

static int csv_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct csv_writer *writer = (struct csv_writer *)format;

	append_header(writer, &out->buf);
	for (uint32_t k = 0; k < batch->selected; k++) {
		append_row(writer, batch, k, &out->buf);
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

static void csv_append(const struct format *format, const struct batch *batch, struct buf *out)
{
	for (uint32_t k = 0; k < batch->selected; k++)
		append_row((const struct csv_writer *)format, batch, k, out);
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
