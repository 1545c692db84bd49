/*
 * A reader for the JSON in which libpg_query hands out its trees. Values live in an arena and keep
 * the order of the text. Asking a missing value for something gives "nothing" again, so that a path
 * can be followed without a check at every step.
 */
#ifndef SQL_JSON_H
#define SQL_JSON_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER, /* .text holds its digits */
	JSON_STRING, /* .text, unescaped and terminated, of .size bytes */
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_kind kind;
	bool boolean;
	uint32_t size; /* of the text, or how many items */
	const char *text;
	const char **keys; /* of an object, one for each item */
	struct json *items;
};

enum json_status {
	JSON_OK,
	JSON_TOO_DEEP,
	JSON_MALFORMED,
};

enum json_status json_parse(const char *text, struct arena *arena, struct json *out);

/* NULL when `json` is NULL, no object, or has no such key. */
const struct json *json_get(const struct json *json, const char *key);
/* NULL when it is no string. */
const char *json_string(const struct json *json, const char *key);
/* `missing` when it is no number: libpg_query leaves out zeros. */
int32_t json_int(const struct json *json, const char *key, int32_t missing);
bool json_true(const struct json *json, const char *key);
/* 0 when it is no array. */
uint32_t json_count(const struct json *json);

#endif
