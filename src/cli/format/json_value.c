#include "cli/format/json_value.h"

#include "base/json_write.h"
#include "column/item.h"

#include <math.h>

#define ITEM_ARENA_BLOCK 1024

static void append_list(struct buf *out, struct type element, struct text_list list)
{
	struct arena arena; /* of long numerics */

	arena_init(&arena, ITEM_ARENA_BLOCK);
	buf_append_char(out, '[');
	for (uint32_t i = 0; i < list.count; i++) {
		struct value value = item_value(element, list.items[i], &arena);

		if (i > 0)
			buf_append_char(out, ',');
		json_append_value(out, &value);
		arena_reset(&arena);
	}
	buf_append_char(out, ']');
	arena_release(&arena);
}

static bool is_quoted(const struct value *value)
{
	switch (value->type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return false;
	case TYPE_NUMERIC: return numeric_is_special(value->num);
	case TYPE_REAL:
	case TYPE_DOUBLE: return !isfinite(value->f64);
	default: return true;
	}
}

void json_append_value(struct buf *out, const struct value *value)
{
	if (value->is_null) {
		buf_append_text(out, "null");
	} else if (type_is_array(value->type.kind)) {
		append_list(out, type_element_of(value->type), value->list);
	} else if (value->type.kind == TYPE_JSON || value->type.kind == TYPE_JSONB) {
		value_format(value, out);
	} else if (value->type.kind == TYPE_BYTEA) {
		buf_append_text(out, "\"\\"); /* the backslash that is its first byte */
		value_format(value, out);
		buf_append_char(out, '"');
	} else if (value->type.kind == TYPE_JSONPATH) {
		struct buf text;

		buf_init(&text, SIZE_MAX / 2);
		value_format(value, &text);
		json_append_string(out, text.data, text.size);
		buf_release(&text);
	} else if (value->type.kind == TYPE_BOOL) {
		buf_append_text(out, value->boolean ? "true" : "false");
	} else if (value->type.kind == TYPE_TEXT || value->type.kind == TYPE_UNKNOWN) {
		json_append_string(out, value->text.data, value->text.size);
	} else {
		bool quoted = is_quoted(value);

		if (quoted)
			buf_append_char(out, '"');
		value_format(value, out);
		if (quoted)
			buf_append_char(out, '"');
	}
}
