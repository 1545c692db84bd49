/*
 * One table says which fields a message has, in the order of their bytes; encoding and decoding
 * both read it.
 */
#include "wire/message.h"

#include <assert.h>
#include <string.h>

enum field_kind {
	FIELD_NONE = 0, /* ends the list */
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_SECRET,
	FIELD_TEXT,
	FIELD_REST,    /* all bytes up to the end of the frame */
	FIELD_DATA,    /* a length and as many bytes, which end the frame */
	FIELD_TABLES,  /* a count (2 bytes) and the bytes of each table (8) */
	FIELD_QUERIES, /* a count (2 bytes) and three texts each */
	FIELD_COLUMNS, /* a count (2 bytes) and a text and three bytes each */
};

struct field {
	enum field_kind kind;
	size_t offset;	  /* in struct wire_message */
	const char *name; /* of the member: "batch.chunk" */
	uint32_t limit;	  /* the least value of a number; the most bytes of a text */
};

#define FIELDS_MAX 9

struct layout {
	uint8_t type;
	bool large;
	const char *name;
	struct field fields[FIELDS_MAX];
};

#define AT(member) offsetof(struct wire_message, member), #member

static const struct layout layouts[] = {
	{WIRE_BATCH, true, "BATCH",
		{{FIELD_U32, AT(batch.id), 1}, {FIELD_U64, AT(batch.job), 1},
			{FIELD_SECRET, AT(batch.secret), 0}, {FIELD_U8, AT(batch.table), 0},
			{FIELD_U32, AT(batch.chunk), 1}, {FIELD_U32, AT(batch.total), 0},
			{FIELD_U32, AT(batch.rows), 0}, {FIELD_REST, AT(batch.payload), 0}}},
	{WIRE_END_TABLE, false, "END_TABLE",
		{{FIELD_U32, AT(end_table.id), 1}, {FIELD_U64, AT(end_table.job), 1},
			{FIELD_SECRET, AT(end_table.secret), 0}, {FIELD_U8, AT(end_table.table), 0},
			{FIELD_U32, AT(end_table.total), 0}}},
	{WIRE_END, false, "END",
		{{FIELD_U32, AT(end.id), 1}, {FIELD_U64, AT(end.job), 1},
			{FIELD_SECRET, AT(end.secret), 0}}},
	{WIRE_ACK, false, "ACK",
		{{FIELD_U32, AT(ack.id), 0}, {FIELD_U32, AT(ack.rows), 0},
			{FIELD_U32, AT(ack.rejects), 0}}},
	{WIRE_RESULT, true, "RESULT",
		{{FIELD_U32, AT(result.query), 0}, {FIELD_U32, AT(result.chunk), 1},
			{FIELD_U32, AT(result.total), 1}, {FIELD_DATA, AT(result.data), 0}}},
	{WIRE_RESULT_END, false, "RESULT_END", {{FIELD_U32, AT(result_end.query), 0}}},
	{WIRE_QUERY, true, "QUERY",
		{{FIELD_U32, AT(query.query), 0}, {FIELD_TEXT, AT(query.name), WIRE_NAME_MAX},
			{FIELD_TEXT, AT(query.title), WIRE_SQL_MAX},
			{FIELD_COLUMNS, AT(query.column_count), 0}}},
	{WIRE_REQUEST, true, "REQUEST",
		{{FIELD_U64, AT(request.job), 1}, {FIELD_SECRET, AT(request.secret), 0},
			{FIELD_TEXT, AT(request.schema), WIRE_SQL_MAX},
			{FIELD_TABLES, AT(request.table_count), 0},
			{FIELD_QUERIES, AT(request.query_count), 0}}},
	{WIRE_RESULTS, false, "RESULTS",
		{{FIELD_U64, AT(results.job), 1}, {FIELD_SECRET, AT(results.secret), 0},
			{FIELD_U32, AT(results.query), 0},
			{FIELD_U32, AT(results.first_chunk), 1}}},
	{WIRE_PENDING, false, "PENDING",
		{{FIELD_U64, AT(pending.job), 1}, {FIELD_U32, AT(pending.query), 0}}},
	{WIRE_READY, false, "READY",
		{{FIELD_U64, AT(ready.job), 1}, {FIELD_U32, AT(ready.query), 0},
			{FIELD_U32, AT(ready.chunks), 0}}},
	{WIRE_RESUME, false, "RESUME",
		{{FIELD_U64, AT(resume.job), 1}, {FIELD_SECRET, AT(resume.secret), 0}}},
	{WIRE_HEALTH, false, "HEALTH", {{0}}},
	{WIRE_HELLO, false, "HELLO",
		{{FIELD_U16, AT(hello.version), 0}, {FIELD_TEXT, AT(hello.token), WIRE_TOKEN_MAX}}},
	{WIRE_ERROR, false, "ERROR",
		{{FIELD_U8, AT(error.class), 1}, {FIELD_U8, AT(error.code), 1},
			{FIELD_U64, AT(error.job), 0}, {FIELD_TEXT, AT(error.text), WIRE_ERROR_MAX},
			{FIELD_U32, AT(error.guess.table), 0},
			{FIELD_U32, AT(error.guess.column), 0},
			{FIELD_U32, AT(error.guess.kinds), 0},
			{FIELD_U32, AT(error.guess.width), 0},
			{FIELD_U32, AT(error.guess.fields), 0}}},
	{WIRE_PROGRESS, false, "PROGRESS",
		{{FIELD_U64, AT(progress.job), 1}, {FIELD_U32, AT(progress.streams_closed), 0},
			{FIELD_U32, AT(progress.streams), 0},
			{FIELD_U32, AT(progress.queries_done), 0}}},
	{WIRE_CANCEL, false, "CANCEL",
		{{FIELD_U32, AT(cancel.id), 1}, {FIELD_U64, AT(cancel.job), 1},
			{FIELD_SECRET, AT(cancel.secret), 0}}},
	{WIRE_TABLE, false, "TABLE",
		{{FIELD_U8, AT(table.table), 0}, {FIELD_TEXT, AT(table.name), WIRE_NAME_MAX}}},
	{WIRE_STATUS, false, "STATUS", {{0}}},
	{WIRE_JOB_STATUS, false, "JOB_STATUS", {{FIELD_U64, AT(job_status.job), 1}}},
	{WIRE_STATUS_TEXT, true, "STATUS_TEXT", {{FIELD_REST, AT(status_text.json), 0}}},
};

static const struct layout *layout_of(unsigned type)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].type == type)
			return &layouts[i];
	}
	return NULL;
}

const char *wire_type_name(uint8_t type)
{
	const struct layout *layout = layout_of(type);

	return layout ? layout->name : NULL;
}

static size_t frame_max(const struct layout *layout)
{
	return layout->large ? WIRE_FRAME_MAX : WIRE_FRAME_SMALL_MAX;
}

/* --- encoding ----------------------------------------------------------------------------------*/

static void put_number(struct buf *out, uint64_t number, uint32_t width)
{
	uint8_t bytes[8];

	for (uint32_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)(number >> 8 * (width - 1 - i));
	buf_append(out, bytes, width);
}

static void put_text(struct buf *out, const char *text, uint32_t max)
{
	size_t size = strlen(text);

	if (size > max) {
		out->overflowed = true;
		return;
	}
	put_number(out, size, 4);
	buf_append(out, text, size);
}

static void put_tables(struct buf *out, const struct wire_message *message)
{
	if (message->request.table_count > WIRE_TABLES_MAX) {
		out->overflowed = true;
		return;
	}
	put_number(out, message->request.table_count, 2);
	for (uint32_t i = 0; i < message->request.table_count; i++)
		put_number(out, message->request.table_bytes[i], 8);
}

static void put_queries(struct buf *out, const struct wire_message *message)
{
	if (message->request.query_count > WIRE_QUERIES_MAX) {
		out->overflowed = true;
		return;
	}
	assert(message->request.query_count > 0);
	put_number(out, message->request.query_count, 2);
	for (uint32_t i = 0; i < message->request.query_count; i++) {
		put_text(out, message->request.queries[i].name, WIRE_NAME_MAX);
		put_text(out, message->request.queries[i].title, WIRE_SQL_MAX);
		put_text(out, message->request.queries[i].text, WIRE_SQL_MAX);
	}
}

static void put_columns(struct buf *out, const struct wire_message *message)
{
	if (message->query.column_count > WIRE_COLUMNS_MAX) {
		out->overflowed = true;
		return;
	}
	put_number(out, message->query.column_count, 2);
	for (uint32_t i = 0; i < message->query.column_count; i++) {
		const struct wire_column *column = &message->query.columns[i];

		put_text(out, column->name, WIRE_SQL_MAX);
		put_number(out, column->kind, 1);
		put_number(out, column->precision, 1);
		put_number(out, column->scale, 1);
		put_number(out, column->meant, 1);
	}
}

static uint64_t number_at(const void *at, enum field_kind kind)
{
	switch (kind) {
	case FIELD_U8: return *(const uint8_t *)at;
	case FIELD_U16: return *(const uint16_t *)at;
	case FIELD_U32: return *(const uint32_t *)at;
	default: assert(kind == FIELD_U64); return *(const uint64_t *)at;
	}
}

static uint32_t number_width(enum field_kind kind)
{
	return 1u << (kind - FIELD_U8);
}

static void put_field(
	struct buf *out, const struct field *field, const struct wire_message *message)
{
	const char *at = (const char *)message + field->offset;
	const struct wire_bytes *bytes = (const void *)at;

	switch (field->kind) {
	case FIELD_NONE: break;
	case FIELD_U8:
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64:
		assert(number_at(at, field->kind) >= field->limit);
		put_number(out, number_at(at, field->kind), number_width(field->kind));
		break;
	case FIELD_SECRET: buf_append(out, at, WIRE_SECRET_SIZE); break;
	case FIELD_TEXT: put_text(out, *(const char *const *)(const void *)at, field->limit); break;
	case FIELD_DATA: put_number(out, bytes->size, 4); /* fall through */
	case FIELD_REST: buf_append(out, bytes->data, bytes->size); break;
	case FIELD_TABLES: put_tables(out, message); break;
	case FIELD_QUERIES: put_queries(out, message); break;
	case FIELD_COLUMNS: put_columns(out, message); break;
	}
}

/* `left_out` bytes count, and are not there. */
static void encode(const struct wire_message *message, size_t left_out, struct buf *out)
{
	const struct layout *layout = layout_of(message->type);
	size_t start = out->size;
	size_t value_size;

	assert(layout);
	if (buf_overflowed(out))
		return;
	put_number(out, message->type, 1);
	put_number(out, 0, 4);
	for (uint32_t i = 0; i < FIELDS_MAX && layout->fields[i].kind != FIELD_NONE; i++)
		put_field(out, &layout->fields[i], message);
	if (out->size - start + left_out > frame_max(layout))
		out->overflowed = true;
	if (buf_overflowed(out)) {
		out->size = start;
		return;
	}
	value_size = out->size - start - WIRE_HEADER_SIZE + left_out;
	for (uint32_t i = 0; i < 4; i++)
		out->data[start + 1 + i] = (char)(value_size >> 8 * (3 - i));
}

void wire_encode(const struct wire_message *message, struct buf *out)
{
	encode(message, 0, out);
}

void wire_encode_head(const struct wire_message *batch, struct buf *out)
{
	struct wire_message head = *batch;

	assert(batch->type == WIRE_BATCH);
	head.batch.payload = (struct wire_bytes){NULL, 0};
	encode(&head, batch->batch.payload.size, out);
}

/* --- decoding ----------------------------------------------------------------------------------*/

struct message_reader {
	const uint8_t *at;
	const uint8_t *end;
	const struct layout *layout;
	struct arena *arena;
	struct error *err;
};

static uint64_t get_number(const uint8_t *at, uint32_t width)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < width; i++)
		number = number << 8 | at[i];
	return number;
}

static int read_number(struct message_reader *reader, uint32_t width, uint64_t *out)
{
	*out = 0;
	if ((size_t)(reader->end - reader->at) < width)
		return error_set(reader->err, ERROR_DATA, "a %s message that is cut short",
			reader->layout->name);
	*out = get_number(reader->at, width);
	reader->at += width;
	return 0;
}

static int read_secret(struct message_reader *reader, struct wire_secret *out)
{
	if ((size_t)(reader->end - reader->at) < WIRE_SECRET_SIZE)
		return error_set(reader->err, ERROR_DATA, "a %s message that is cut short",
			reader->layout->name);
	memcpy(out->bytes, reader->at, WIRE_SECRET_SIZE);
	reader->at += WIRE_SECRET_SIZE;
	return 0;
}

static int read_text(
	struct message_reader *reader, const char *name, uint32_t max, const char **out)
{
	uint64_t size;

	if (read_number(reader, 4, &size))
		return -1;
	if (size > max)
		return error_set(reader->err, ERROR_DATA,
			"a %s message with a %s of %llu bytes; there may be %u",
			reader->layout->name, name, (unsigned long long)size, max);
	if (size > (size_t)(reader->end - reader->at))
		return error_set(reader->err, ERROR_DATA, "a %s message that is cut short",
			reader->layout->name);
	if (size && memchr(reader->at, 0, size))
		return error_set(reader->err, ERROR_DATA, "a %s message with a zero byte in its %s",
			reader->layout->name, name);
	*out = arena_strndup(reader->arena, (const char *)reader->at, size);
	reader->at += size;
	return 0;
}

static int read_rest(struct message_reader *reader, bool has_length, struct wire_bytes *out)
{
	uint64_t size;

	if (has_length) {
		if (read_number(reader, 4, &size))
			return -1;
		if (size != (uint64_t)(reader->end - reader->at))
			return error_set(reader->err, ERROR_DATA,
				"a %s message whose length is not that of its frame",
				reader->layout->name);
	}
	out->data = reader->at;
	out->size = (uint32_t)(reader->end - reader->at);
	reader->at = reader->end;
	return 0;
}

static int read_tables(struct message_reader *reader, struct wire_message *out)
{
	uint64_t *bytes;
	uint64_t count;

	if (read_number(reader, 2, &count))
		return -1;
	if (count > WIRE_TABLES_MAX)
		return error_set(reader->err, ERROR_DATA, "a request with more than %u tables",
			WIRE_TABLES_MAX);
	bytes = arena_alloc(reader->arena, count * sizeof(*bytes));
	for (uint64_t i = 0; i < count; i++) {
		if (read_number(reader, 8, &bytes[i]))
			return -1;
	}
	out->request.table_count = (uint32_t)count;
	out->request.table_bytes = bytes;
	return 0;
}

static int read_queries(struct message_reader *reader, struct wire_message *out)
{
	struct wire_query_text *queries;
	uint64_t count;

	if (read_number(reader, 2, &count))
		return -1;
	if (count == 0 || count > WIRE_QUERIES_MAX)
		return error_set(reader->err, ERROR_DATA,
			"a request with %llu queries; there may be 1 to %u",
			(unsigned long long)count, WIRE_QUERIES_MAX);
	queries = arena_alloc(reader->arena, count * sizeof(*queries));
	for (uint64_t i = 0; i < count; i++) {
		if (read_text(reader, "name", WIRE_NAME_MAX, &queries[i].name) ||
			read_text(reader, "title", WIRE_SQL_MAX, &queries[i].title) ||
			read_text(reader, "query", WIRE_SQL_MAX, &queries[i].text))
			return -1;
	}
	out->request.query_count = (uint32_t)count;
	out->request.queries = queries;
	return 0;
}

static int read_columns(struct message_reader *reader, struct wire_message *out)
{
	struct wire_column *columns;
	uint64_t count;

	if (read_number(reader, 2, &count))
		return -1;
	if (count > WIRE_COLUMNS_MAX)
		return error_set(reader->err, ERROR_DATA, "a query with more than %u columns",
			WIRE_COLUMNS_MAX);
	columns = arena_alloc(reader->arena, count * sizeof(*columns));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t kind, precision, scale, meant;

		if (read_text(reader, "column", WIRE_SQL_MAX, &columns[i].name) ||
			read_number(reader, 1, &kind) || read_number(reader, 1, &precision) ||
			read_number(reader, 1, &scale) || read_number(reader, 1, &meant))
			return -1;
		columns[i].kind = (uint8_t)kind;
		columns[i].precision = (uint8_t)precision;
		columns[i].scale = (uint8_t)scale;
		columns[i].meant = (uint8_t)meant;
	}
	out->query.column_count = (uint32_t)count;
	out->query.columns = columns;
	return 0;
}

static int read_number_field(struct message_reader *reader, const struct field *field, void *at)
{
	uint64_t number;

	if (read_number(reader, number_width(field->kind), &number))
		return -1;
	if (number < field->limit)
		return error_set(reader->err, ERROR_DATA, "a %s message with %s = 0",
			reader->layout->name, strchr(field->name, '.') + 1);
	switch (field->kind) {
	case FIELD_U8: *(uint8_t *)at = (uint8_t)number; break;
	case FIELD_U16: *(uint16_t *)at = (uint16_t)number; break;
	case FIELD_U32: *(uint32_t *)at = (uint32_t)number; break;
	default: *(uint64_t *)at = number; break;
	}
	return 0;
}

static int read_field(
	struct message_reader *reader, const struct field *field, struct wire_message *out)
{
	void *at = (char *)out + field->offset;

	switch (field->kind) {
	case FIELD_NONE: break;
	case FIELD_U8:
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64: return read_number_field(reader, field, at);
	case FIELD_SECRET: return read_secret(reader, at);
	case FIELD_TEXT:
		return read_text(
			reader, strchr(field->name, '.') + 1, field->limit, (const char **)at);
	case FIELD_REST: return read_rest(reader, false, at);
	case FIELD_DATA: return read_rest(reader, true, at);
	case FIELD_TABLES: return read_tables(reader, out);
	case FIELD_QUERIES: return read_queries(reader, out);
	case FIELD_COLUMNS: return read_columns(reader, out);
	}
	return 0;
}

/* What no field says alone. */
static int check(const struct wire_message *message, struct error *err)
{
	switch (message->type) {
	case WIRE_BATCH:
		if (message->batch.total && message->batch.chunk > message->batch.total)
			return error_set(err, ERROR_DATA, "chunk %u of %u", message->batch.chunk,
				message->batch.total);
		return 0;
	case WIRE_RESULT:
		if (message->result.chunk > message->result.total)
			return error_set(err, ERROR_DATA, "chunk %u of %u of a result",
				message->result.chunk, message->result.total);
		return 0;
	case WIRE_ERROR:
		if (message->error.class > WIRE_ERROR_LOST)
			return error_set(err, ERROR_DATA,
				"an ERROR message of the unknown class %u", message->error.class);
		if (message->error.code > ERROR_CODE_LAST)
			return error_set(err, ERROR_DATA, "an ERROR message of the unknown code %u",
				message->error.code);
		return 0;
	default: return 0;
	}
}

int wire_frame_size(const uint8_t *bytes, size_t size, size_t *frame_size, struct error *err)
{
	const struct layout *layout;
	size_t whole;

	*frame_size = 0;
	if (size == 0)
		return 0;
	/* Early, so that somebody who speaks another protocol is told so after a byte. */
	layout = layout_of(bytes[0]);
	if (!layout)
		return error_set(err, ERROR_DATA, "a message of the unknown type 0x%02x", bytes[0]);
	if (size < WIRE_HEADER_SIZE)
		return 0;
	whole = (size_t)get_number(bytes + 1, 4) + WIRE_HEADER_SIZE;
	if (whole > frame_max(layout))
		return error_set(err, ERROR_DATA, "a %s message of %zu bytes; there may be %zu",
			layout->name, whole, frame_max(layout));
	*frame_size = whole;
	return 0;
}

int wire_decode(const uint8_t *bytes, size_t size, struct arena *arena, struct wire_message *out,
	struct error *err)
{
	struct message_reader reader = {.arena = arena, .err = err};
	size_t frame_size;

	if (wire_frame_size(bytes, size, &frame_size, err))
		return -1;
	if (frame_size == 0 || frame_size != size)
		return error_set(err, ERROR_DATA, "%zu bytes that are not one message", size);
	memset(out, 0, sizeof(*out));
	reader.layout = layout_of(bytes[0]);
	reader.at = bytes + WIRE_HEADER_SIZE;
	reader.end = bytes + size;
	out->type = (enum wire_type)bytes[0];
	for (uint32_t i = 0; i < FIELDS_MAX && reader.layout->fields[i].kind != FIELD_NONE; i++) {
		if (read_field(&reader, &reader.layout->fields[i], out))
			return -1;
	}
	if (reader.at != reader.end)
		return error_set(err, ERROR_DATA, "a %s message with %zu bytes too many",
			reader.layout->name, (size_t)(reader.end - reader.at));
	return check(out, err);
}
