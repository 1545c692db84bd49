/*
 * JSON values in a text, found and checked without being built: a value is where it stands.
 */
#ifndef CSV_JSON_TEXT_H
#define CSV_JSON_TEXT_H

#include "base/buf.h"

/* Of arrays and objects within each other. */
#define JSON_TEXT_DEPTH_MAX 128

struct json_cursor {
	const char *at;
	const char *end;
};

enum json_text_kind {
	JSON_TEXT_NULL,
	JSON_TEXT_PLAIN, /* a number, true or false */
	JSON_TEXT_STRING,
	JSON_TEXT_NESTED, /* an array or an object */
};

struct json_slice {
	enum json_text_kind kind;
	const char *data; /* as it is written; of a string what stands between the quotes */
	size_t size;
	bool escaped; /* a string with backslashes in it */
};

/* Past spaces, tabs and carriage returns. */
void json_skip_blanks(struct json_cursor *cursor);
/* The character, if it comes next; blanks before it do not count. */
bool json_take(struct json_cursor *cursor, char c);
/* The string that comes next; false when there is none, or it is no JSON. */
bool json_take_string(struct json_cursor *cursor, struct json_slice *out);
/* Any value. What is inside of arrays and objects is checked, too. */
bool json_take_value(struct json_cursor *cursor, struct json_slice *out);

/* Appends what a string stands for, another value as it is; every `quote` twice. '\0': none is. */
void json_unescape(const struct json_slice *string, char quote, struct buf *out);

#endif
