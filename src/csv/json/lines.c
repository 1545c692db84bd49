#include "csv/json/lines.h"

#include "base/memory.h"
#include "csv/json/text.h"
#include "input/encoding.h"
#include "input/input.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define READ_BYTES    (1u << 20)
#define LINE_MAX_KEYS (64u << 20) /* bytes; a line that is longer has no keys to tell */
#define SHORT_ENDS    64	  /* records with fewer fields are written with all of them */

bool json_lines_is_name(const char *path)
{
	static const char *const packed[] = {"", ".gz", ".zst", ".bz2", ".xz"};
	static const char *const names[] = {".jsonl", ".ndjson", ".json"};
	size_t size = strlen(path);

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			size_t end = strlen(packed[i]), name = strlen(names[k]);

			if (size > end + name && strcasecmp(path + size - end, packed[i]) == 0 &&
				strncasecmp(path + size - end - name, names[k], name) == 0)
				return true;
		}
	return false;
}

void json_lines_names(
	const struct table_schema *schema, struct arena *arena, struct json_lines *out)
{
	struct text *names = arena_alloc(arena, (schema->column_count + 1) * sizeof(*names));
	const char *line = TABLE_LINE_COLUMN;

	for (uint32_t c = 0; c < schema->column_count; c++) {
		const char *name = schema->columns[c].name;

		names[c + 1] = text_from(name, strlen(name));
		/* A key of that name is what a query means. */
		if (strcmp(name, line) == 0)
			line = "";
	}
	names[0] = text_from(line, strlen(line));
	out->names = names;
	out->name_count = schema->column_count + 1;
	out->refuses_others = schema->inferred;
	out->null = "";
	for (uint32_t i = 0; i < schema->dialect.null_count; i++)
		if (!strpbrk(schema->dialect.nulls[i], "\r\n") &&
			!strchr(schema->dialect.nulls[i], out->format.delimiter) &&
			!strchr(schema->dialect.nulls[i], out->format.quote))
			out->null = schema->dialect.nulls[i];
}

size_t json_lines_whole(const char *data, size_t size)
{
	const char *last = size > 0 ? memrchr(data, '\n', size) : NULL;

	return last ? (size_t)(last + 1 - data) : 0;
}

/* -- Rewriting -- */

/* A record while it is made: where its values stand in the line. */
struct record {
	const struct json_lines *lines;
	struct json_slice *cells; /* by field; data NULL: there is none */
	uint32_t expected;	  /* the field of the next key, most likely */
	struct buf key;
};

static bool is_name(struct text name, const char *data, size_t size)
{
	return name.size == size && memcmp(name.data, data, size) == 0;
}

/* The field of a key; 0: it is none of the table's. */
static uint32_t find_field(struct record *record, const struct json_slice *key)
{
	const struct json_lines *lines = record->lines;
	const char *data = key->data;
	size_t size = key->size;

	if (key->escaped) {
		buf_clear(&record->key);
		json_unescape(key, '\0', &record->key);
		data = record->key.data;
		size = record->key.size;
	}
	if (record->expected < lines->name_count &&
		is_name(lines->names[record->expected], data, size))
		return record->expected++;
	for (uint32_t i = 1; i < lines->name_count; i++)
		if (is_name(lines->names[i], data, size)) {
			record->expected = i + 1;
			return i;
		}
	return 0;
}

static int refuse_key(
	const struct json_lines *lines, const struct json_slice *key, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"%s: it has a key \"%.*s\", which its first %u MB do not have; declare the table "
		"in "
		"a schema, with or without it",
		lines->path, (int)(key->size < 100 ? key->size : 100), key->data,
		JSON_LINES_KEYS_BYTES >> 20);
}

/* Finds the members of a line: 1; 0: it is no object; -1: an error. */
static int read_object(struct record *record, struct json_cursor cursor, struct error *err)
{
	struct json_slice key, value;
	struct json_cursor before;

	if (!json_take(&cursor, '{'))
		return 0;
	before = cursor;
	if (!json_take(&cursor, '}')) {
		cursor = before;
		do {
			uint32_t field;

			if (!json_take_string(&cursor, &key) || !json_take(&cursor, ':') ||
				!json_take_value(&cursor, &value))
				return 0;
			field = find_field(record, &key);
			if (field == 0 && record->lines->refuses_others)
				return refuse_key(record->lines, &key, err);
			if (field > 0 && record->cells[field].data)
				return 0;
			if (field > 0)
				record->cells[field] = value;
		} while (json_take(&cursor, ','));
		if (!json_take(&cursor, '}'))
			return 0;
	}
	json_skip_blanks(&cursor);
	return cursor.at == cursor.end;
}

static void write_quoted(const struct json_slice *slice, char quote, struct buf *out)
{
	buf_append_char(out, quote);
	json_unescape(slice, quote, out);
	buf_append_char(out, quote);
}

static void write_cell(
	const struct json_lines *lines, const struct json_slice *cell, struct buf *out)
{
	if (!cell->data || cell->kind == JSON_TEXT_NULL)
		buf_append_text(out, lines->null);
	else if (cell->kind == JSON_TEXT_PLAIN)
		buf_append(out, cell->data, cell->size);
	else
		write_quoted(cell, lines->format.quote, out);
}

static void write_record(const struct record *record, struct buf *out)
{
	const struct json_lines *lines = record->lines;
	uint32_t count = lines->name_count;

	/* What is missing at the end of a wide record is NULL without being written. */
	while (count > SHORT_ENDS && !record->cells[count - 1].data)
		count--;
	for (uint32_t i = 1; i < count; i++) {
		buf_append_char(out, lines->format.delimiter);
		write_cell(lines, &record->cells[i], out);
	}
	buf_append_char(out, '\n');
}

/* A record that nobody can read. */
static void write_bad(const struct json_lines *lines, struct json_cursor cursor, struct buf *out)
{
	struct json_slice all = {.data = cursor.at, .size = (size_t)(cursor.end - cursor.at)};

	buf_append_char(out, lines->format.delimiter);
	write_quoted(&all, lines->format.quote, out);
	buf_append_text(out, "?\n");
}

static int rewrite_line(struct record *record, struct json_cursor cursor, uint64_t line,
	struct buf *out, struct error *err)
{
	int object;

	json_skip_blanks(&cursor);
	if (cursor.at == cursor.end)
		return 0;
	memset(record->cells, 0, record->lines->name_count * sizeof(*record->cells));
	record->expected = 1;
	object = read_object(record, cursor, err);
	if (object < 0)
		return -1;
	buf_printf(out, "%llu", (unsigned long long)line);
	if (object)
		write_record(record, out);
	else
		write_bad(record->lines, cursor, out);
	return 0;
}

int json_lines_rewrite(const struct json_lines *lines, const char *data, size_t size, uint64_t line,
	struct buf *out, struct error *err)
{
	struct record record = {.lines = lines};
	const char *at = data, *end = data + size;
	int status = 0;

	record.cells = memory_alloc(lines->name_count * sizeof(*record.cells));
	buf_init(&record.key, size + 16);
	for (; at < end && status == 0; line++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		struct json_cursor cursor = {at, next ? next : end};

		status = rewrite_line(&record, cursor, line, out, err);
		at = next ? next + 1 : end;
	}
	buf_release(&record.key);
	free(record.cells);
	return status;
}

/* -- Keys -- */

struct json_keys {
	struct arena *arena;
	struct text *names;
	uint32_t count;
	uint32_t expected;
	uint64_t objects; /* lines that are some */
	uint64_t others;
	struct buf key;
};

/* False when there are too many. */
static bool add_key(struct json_keys *keys, const struct json_slice *key)
{
	struct text name;

	buf_clear(&keys->key);
	json_unescape(key, '\0', &keys->key);
	name = text_from(keys->key.size ? keys->key.data : "", keys->key.size);
	if (keys->expected < keys->count &&
		is_name(keys->names[keys->expected], name.data, name.size)) {
		keys->expected++;
		return true;
	}
	for (uint32_t i = 0; i < keys->count; i++)
		if (is_name(keys->names[i], name.data, name.size)) {
			keys->expected = i + 1;
			return true;
		}
	if (keys->count == TABLE_COLUMNS_MAX)
		return false;
	name.data = arena_strndup(keys->arena, name.data, name.size);
	keys->names[keys->count++] = name;
	keys->expected = keys->count;
	return true;
}

/* The keys of a line, if it is an object: those of one that ends badly are none. */
static bool add_line(struct json_keys *keys, struct json_cursor cursor)
{
	struct json_cursor first;
	struct json_slice key, value;

	json_skip_blanks(&cursor);
	if (cursor.at == cursor.end)
		return true;
	first = cursor;
	if (*cursor.at != '{' || !json_take_value(&cursor, &value) ||
		(json_skip_blanks(&cursor), cursor.at != cursor.end)) {
		keys->others++;
		return true;
	}
	keys->objects++;
	keys->expected = 0;
	cursor = first;
	json_take(&cursor, '{');
	while (json_take_string(&cursor, &key) && json_take(&cursor, ':') &&
		json_take_value(&cursor, &value)) {
		if (!add_key(keys, &key))
			return false;
		json_take(&cursor, ',');
	}
	return true;
}

/* The lines of a piece of the text; how much of it was whole lines. */
static bool add_lines(struct json_keys *keys, const char *data, size_t size)
{
	const char *at = data, *end = data + size;

	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		if (!add_line(keys, (struct json_cursor){at, next ? next : end}))
			return false;
		at = next ? next + 1 : end;
	}
	return true;
}

static int too_many(const char *path, struct error *err)
{
	return error_set(
		err, ERROR_LIMIT, "%s: its lines have more than %d keys", path, TABLE_COLUMNS_MAX);
}

/* Text that is UTF-8 as far as is known is made so: keys are names. */
static int add_text(struct json_keys *keys, const char *path, const struct input *input,
	const char *data, size_t size, struct error *err)
{
	struct buf mended;
	bool good;

	buf_init(&mended, (size_t)ENCODING_GROWTH * LINE_MAX_KEYS);
	if (input_needs_check(input) && encoding_mend_lines(data, size, &mended))
		good = add_lines(keys, mended.data, mended.size);
	else
		good = add_lines(keys, data, size);
	buf_release(&mended);
	return good ? 0 : too_many(path, err);
}

/* Line by line; the rest of a piece stays for the next one. */
static int read_keys(
	struct json_keys *keys, const char *path, struct input *input, struct error *err)
{
	size_t capacity = READ_BYTES, held = 0;
	uint64_t total = 0;
	char *data = memory_alloc(capacity);
	int status = 0;

	while (status == 0 && total < JSON_LINES_KEYS_BYTES) {
		ssize_t more = input_read(input, data + held, capacity - held, err);
		size_t size = held + (more > 0 ? (size_t)more : 0), whole;
		bool ended = size < capacity;

		if (more < 0) {
			status = -1;
			break;
		}
		total += (uint64_t)more;
		whole = ended ? size : json_lines_whole(data, size);
		status = add_text(keys, path, input, data, whole, err);
		held = size - whole;
		memmove(data, data + whole, held);
		if (ended || held >= LINE_MAX_KEYS)
			break;
		if (held == capacity) {
			capacity *= 2;
			data = memory_realloc(data, capacity);
		}
	}
	free(data);
	return status;
}

int json_lines_keys(const char *path, const char *encoding, struct arena *arena,
	struct text **names, uint32_t *count, struct error *err)
{
	struct json_keys keys = {.arena = arena};
	struct input *input;
	int status;

	if (input_open(&input, path, encoding, err))
		return -1;
	keys.names = arena_alloc(arena, TABLE_COLUMNS_MAX * sizeof(*keys.names));
	buf_init(&keys.key, LINE_MAX_KEYS);
	status = read_keys(&keys, path, input, err);
	if (status == 0 && keys.objects == 0 && keys.others > 0)
		status = error_set(err, ERROR_DATA,
			"%s: none of its lines is a JSON object, as those of such a file are; "
			"jq -c '.[]' makes them of an array, jq -c . of one object",
			path);
	buf_release(&keys.key);
	input_close(input);
	*names = keys.names;
	*count = keys.count;
	return status;
}
