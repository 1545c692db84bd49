#include "sql/json.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Some five levels of JSON for one of SQL, see SQL_NESTING_MAX. */
#define JSON_NESTING_MAX 4000

struct reader {
	const char *next;
	struct arena *arena;
	uint32_t depth;
};

static enum json_status read_value(struct reader *reader, struct json *out);

static char next_char(struct reader *reader)
{
	while (isspace((unsigned char)*reader->next))
		reader->next++;
	return *reader->next;
}

static bool accept(struct reader *reader, char c)
{
	if (next_char(reader) != c)
		return false;
	reader->next++;
	return true;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \uXXXX: libpg_query writes control characters so, and nothing above them. */
static bool read_hex_escape(const char *digits, char *out)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_value(digits[i]);

		if (digit < 0)
			return false;
		value = value * 16 + digit;
	}
	*out = (char)value;
	return value > 0 && value < 0x80;
}

static bool read_escape(struct reader *reader, char *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	char c = *reader->next;
	const char *found = c ? strchr(letters, c) : NULL;

	if (found) {
		*out = meanings[found - letters];
		reader->next++;
		return true;
	}
	if (c != 'u' || !read_hex_escape(reader->next + 1, out))
		return false;
	reader->next += 5;
	return true;
}

static enum json_status read_string(struct reader *reader, const char **text, uint32_t *size)
{
	const char *end = reader->next;
	char *out, *start;

	while (*end && *end != '"')
		end += end[0] == '\\' && end[1] ? 2 : 1;
	if (!*end)
		return JSON_MALFORMED;
	start = out = arena_alloc_bytes(reader->arena, (size_t)(end - reader->next) + 1);
	while (reader->next < end) {
		char c = *reader->next++;

		if (c == '\\' && !read_escape(reader, &c))
			return JSON_MALFORMED;
		*out++ = c;
	}
	*out = '\0';
	reader->next = end + 1;
	*text = start;
	*size = (uint32_t)(out - start);
	return JSON_OK;
}

/* Items gather on the heap, because their number is only known at the end. */
struct items {
	uint32_t count;
	uint32_t capacity;
	struct json *values;
	const char **keys;
};

static void items_grow(struct items *items)
{
	if (items->count < items->capacity)
		return;
	items->capacity = items->capacity ? items->capacity * 2 : 8;
	items->values = memory_realloc(items->values, items->capacity * sizeof(*items->values));
	items->keys = memory_realloc(items->keys, items->capacity * sizeof(*items->keys));
}

static enum json_status read_items(struct reader *reader, bool keyed, struct items *items)
{
	char close = keyed ? '}' : ']';

	if (accept(reader, close))
		return JSON_OK;
	do {
		enum json_status status;
		uint32_t size;

		items_grow(items);
		if (keyed) {
			if (!accept(reader, '"'))
				return JSON_MALFORMED;
			status = read_string(reader, &items->keys[items->count], &size);
			if (status != JSON_OK)
				return status;
			if (!accept(reader, ':'))
				return JSON_MALFORMED;
		}
		status = read_value(reader, &items->values[items->count]);
		if (status != JSON_OK)
			return status;
		items->count++;
	} while (accept(reader, ','));
	return accept(reader, close) ? JSON_OK : JSON_MALFORMED;
}

static enum json_status read_container(struct reader *reader, bool keyed, struct json *out)
{
	struct items items = {0};
	enum json_status status;

	if (reader->depth >= JSON_NESTING_MAX)
		return JSON_TOO_DEEP;
	reader->depth++;
	status = read_items(reader, keyed, &items);
	reader->depth--;
	out->kind = keyed ? JSON_OBJECT : JSON_ARRAY;
	out->size = items.count;
	if (status == JSON_OK && items.count) {
		out->items = arena_alloc(reader->arena, items.count * sizeof(*out->items));
		memcpy(out->items, items.values, items.count * sizeof(*out->items));
		if (keyed) {
			out->keys = arena_alloc(reader->arena, items.count * sizeof(*out->keys));
			memcpy(out->keys, items.keys, items.count * sizeof(*out->keys));
		}
	}
	free(items.values);
	free(items.keys);
	return status;
}

static bool accept_word(struct reader *reader, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(reader->next, word, size) != 0)
		return false;
	reader->next += size;
	return true;
}

static enum json_status read_value(struct reader *reader, struct json *out)
{
	char c = next_char(reader);
	const char *start = reader->next;

	memset(out, 0, sizeof(*out));
	if (c == '{' || c == '[') {
		reader->next++;
		return read_container(reader, c == '{', out);
	}
	if (c == '"') {
		reader->next++;
		out->kind = JSON_STRING;
		return read_string(reader, &out->text, &out->size);
	}
	if (accept_word(reader, "null"))
		return JSON_OK;
	if (accept_word(reader, "true") || accept_word(reader, "false")) {
		out->kind = JSON_BOOL;
		out->boolean = c == 't';
		return JSON_OK;
	}
	while (*reader->next && strchr("+-.0123456789eE", *reader->next))
		reader->next++;
	if (reader->next == start)
		return JSON_MALFORMED;
	out->kind = JSON_NUMBER;
	out->size = (uint32_t)(reader->next - start);
	out->text = arena_strndup(reader->arena, start, out->size);
	return JSON_OK;
}

enum json_status json_parse(const char *text, struct arena *arena, struct json *out)
{
	struct reader reader = {.next = text, .arena = arena};
	enum json_status status = read_value(&reader, out);

	if (status == JSON_OK && next_char(&reader) != '\0')
		return JSON_MALFORMED;
	return status;
}

const struct json *json_get(const struct json *json, const char *key)
{
	if (!json || json->kind != JSON_OBJECT)
		return NULL;
	for (uint32_t i = 0; i < json->size; i++)
		if (strcmp(json->keys[i], key) == 0)
			return &json->items[i];
	return NULL;
}

const char *json_string(const struct json *json, const char *key)
{
	const struct json *value = json_get(json, key);

	return value && value->kind == JSON_STRING ? value->text : NULL;
}

int32_t json_int(const struct json *json, const char *key, int32_t missing)
{
	const struct json *value = json_get(json, key);

	return value && value->kind == JSON_NUMBER ? (int32_t)strtol(value->text, NULL, 10)
						   : missing;
}

bool json_true(const struct json *json, const char *key)
{
	const struct json *value = json_get(json, key);

	return value && value->kind == JSON_BOOL && value->boolean;
}

uint32_t json_count(const struct json *json)
{
	return json && json->kind == JSON_ARRAY ? json->size : 0;
}
