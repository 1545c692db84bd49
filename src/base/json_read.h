/*
 * Reads JSON, such as a gateway's answer to STATUS, into a tree in an arena.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/arena.h"

#include <stdbool.h>

#define JSON_DEPTH_MAX 32

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	enum json_kind kind;
	const char *key;	  /* of a member of an object */
	const char *text;	  /* of a string; \u escapes above 7f become "?" */
	double number;		  /* also 0 and 1 for booleans */
	struct json_value *first; /* of the items or members */
	struct json_value *next;  /* its sibling */
};

/* ERROR_DATA when it is not JSON, or too deep. */
MUST_CHECK int json_read(const char *text, size_t size, struct arena *arena,
	struct json_value **out, struct error *err);

/* The member; NULL when `object` is not an object, or NULL, or lacks it. */
const struct json_value *json_get(const struct json_value *object, const char *key);
/* 0 and "" when there is none. */
double json_number(const struct json_value *object, const char *key);
const char *json_text(const struct json_value *object, const char *key);

#endif
