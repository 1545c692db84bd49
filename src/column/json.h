/*
 * JSON values: as trees, as texts, and as the bytes of jsonb.
 *
 * A json is its text, as it was written. A jsonb is one item of a list (item.h), in the normal form
 * of PostgreSQL: members sorted by the length of their keys and then by bytes, of several with one
 * key the last. Its bytes order as jsonb values do:
 *
 *   01                    an array without items that is the whole value: below everything
 *   02                    null
 *   03 bytes 00           a string, in which no 00 can be
 *   04 number             as numeric_key.h writes it, without the scale
 *   05, 06                false, true
 *   07 count values       an array; counts are 4 bytes, big-endian
 *   08 count (bytes 00 value)...  an object: keys and values
 *
 * The tail has the scale of each number, 2 bytes, in the order of the numbers.
 */
#ifndef COLUMN_JSON_H
#define COLUMN_JSON_H

#include "column/column.h"

/* Values within values. */
#define JSON_NESTING_MAX 1000

/* In the order of jsonb. */
enum json_form {
	JSON_FORM_NULL,
	JSON_FORM_STRING,
	JSON_FORM_NUMBER,
	JSON_FORM_BOOL,
	JSON_FORM_ARRAY,
	JSON_FORM_OBJECT,
};

/* As json_typeof and .type() call it. */
const char *json_form_name(enum json_form form);

/* Borrows from what it was read from. */
struct json_node {
	enum json_form form;
	bool boolean;
	uint32_t count;	  /* of items or members */
	struct text text; /* of a string */
	numeric number;	  /* but not of a number with a source */
	struct json_node *items;
	struct text *keys;  /* of an object */
	struct text source; /* its text as written; without data: made, or read from a jsonb */
};

/* Reads a whole text, blanks around it allowed. Keeps the order of members and all of one key. */
bool json_parse(struct text text, struct arena *arena, struct json_node *out, const char **reason);

/* How an object and an array are written: what stands between two, and behind a key. */
struct json_style {
	const char *comma;
	const char *colon;
	bool pretty;	 /* a line for each, as jsonb_pretty has it */
	bool as_written; /* what has a source is that */
};

extern const struct json_style json_style_jsonb; /* {"a": 1, "b": [1, 2]} */
extern const struct json_style json_style_tight; /* {"a":1,"b":[1,2]} */

void json_format(const struct json_node *node, const struct json_style *style, struct buf *out);

/*
 * The tree in normal form, as an item. False for a number that numeric does not hold, and a text
 * with the character of code 0.
 */
bool jsonb_encode(
	const struct json_node *node, struct arena *arena, struct text *out, const char **reason);
/* An item that jsonb_encode made. */
void jsonb_decode(struct text item, struct arena *arena, struct json_node *out);
/* Bytes from elsewhere: whether jsonb_encode makes them of some value. */
bool jsonb_is_legal(struct text item);
/* The member of this key, the last one if there are several; NULL when there is none. */
const struct json_node *json_member(const struct json_node *object, struct text key);
/* Items from 0, from the end for negative numbers; NULL outside. */
const struct json_node *json_item(const struct json_node *array, int64_t index);

#endif
