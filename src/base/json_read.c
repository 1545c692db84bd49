#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>

struct json_reader {
	const char *at;
	const char *end;
	struct arena *arena;
};

static void skip_blanks(struct json_reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
		reader->at++;
}

static bool take(struct json_reader *reader, char c)
{
	skip_blanks(reader);
	if (reader->at == reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static bool take_word(struct json_reader *reader, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size) != 0)
		return false;
	reader->at += size;
	return true;
}

static char unescaped(struct json_reader *reader)
{
	char c = *reader->at++;
	char digits[5] = "";
	unsigned long code;

	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case 'b': return '\b';
	case 'f': return '\f';
	case 'u': break;
	default: return c;
	}
	if (reader->end - reader->at < 4)
		return '?';
	memcpy(digits, reader->at, 4);
	reader->at += 4;
	code = strtoul(digits, NULL, 16);
	return code > 0 && code < 0x80 ? (char)code : '?';
}

/* Behind the opening quote. */
static const char *read_string(struct json_reader *reader)
{
	char *text = arena_alloc_bytes(reader->arena, (size_t)(reader->end - reader->at) + 1);
	char *to = text;

	while (reader->at < reader->end && *reader->at != '"') {
		if (*reader->at != '\\') {
			*to++ = *reader->at++;
			continue;
		}
		reader->at++;
		if (reader->at == reader->end)
			return NULL;
		*to++ = unescaped(reader);
	}
	*to = '\0';
	return take(reader, '"') ? text : NULL;
}

static bool read_number(struct json_reader *reader, double *out)
{
	char digits[64];
	size_t size = 0;

	while (reader->at < reader->end && size + 1 < sizeof(digits) && *reader->at &&
		strchr("+-0123456789.eE", *reader->at))
		digits[size++] = *reader->at++;
	digits[size] = '\0';
	*out = strtod(digits, NULL);
	return size > 0;
}

static struct json_value *read_value(struct json_reader *reader, uint32_t depth);

/* Behind the opening bracket. */
static bool read_items(struct json_reader *reader, struct json_value *value, uint32_t depth)
{
	bool is_object = value->kind == JSON_OBJECT;
	struct json_value **last = &value->first;

	if (take(reader, is_object ? '}' : ']'))
		return true;
	do {
		const char *key = NULL;

		if (is_object &&
			(!take(reader, '"') || !(key = read_string(reader)) || !take(reader, ':')))
			return false;
		*last = read_value(reader, depth + 1);
		if (!*last)
			return false;
		(*last)->key = key;
		last = &(*last)->next;
	} while (take(reader, ','));
	return take(reader, is_object ? '}' : ']');
}

static struct json_value *read_value(struct json_reader *reader, uint32_t depth)
{
	struct json_value *value = arena_zalloc(reader->arena, sizeof(*value));
	bool good;

	if (depth > JSON_DEPTH_MAX)
		return NULL;
	if (take(reader, '{') || take(reader, '[')) {
		value->kind = reader->at[-1] == '{' ? JSON_OBJECT : JSON_ARRAY;
		good = read_items(reader, value, depth);
	} else if (take(reader, '"')) {
		value->kind = JSON_STRING;
		value->text = read_string(reader);
		good = value->text;
	} else if (take_word(reader, "true") || take_word(reader, "false")) {
		value->kind = JSON_BOOL;
		value->number = reader->at[-2] == 'u';
		good = true;
	} else if (take_word(reader, "null")) {
		good = true;
	} else {
		value->kind = JSON_NUMBER;
		good = read_number(reader, &value->number);
	}
	return good ? value : NULL;
}

int json_read(const char *text, size_t size, struct arena *arena, struct json_value **out,
	struct error *err)
{
	struct json_reader reader = {text, text + size, arena};

	*out = read_value(&reader, 0);
	skip_blanks(&reader);
	if (*out && reader.at == reader.end)
		return 0;
	return error_set(err, ERROR_DATA, "the gateway's answer is not JSON");
}

const struct json_value *json_get(const struct json_value *object, const char *key)
{
	const struct json_value *member =
		object && object->kind == JSON_OBJECT ? object->first : NULL;

	while (member && strcmp(member->key, key) != 0)
		member = member->next;
	return member;
}

double json_number(const struct json_value *object, const char *key)
{
	const struct json_value *member = json_get(object, key);

	return member ? member->number : 0;
}

const char *json_text(const struct json_value *object, const char *key)
{
	const struct json_value *member = json_get(object, key);

	return member && member->text ? member->text : "";
}
