/*
 * json and jsonb: what is in them. A value is read into a tree for each call; json keeps the text
 * that a part of it was written as.
 */
#include "exec/func/json_private.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

static enum type_kind arg_kind(const struct call *call, uint32_t arg)
{
	return call->node->expr->args[arg]->type.kind;
}

int json_arg(
	struct call *call, uint32_t arg, uint32_t row, struct json_node *out, struct error *err)
{
	const struct column *column = &call->args[arg];
	uint32_t i = column_index(column, row);
	const char *reason = "";

	if (arg_kind(call, arg) == TYPE_JSONB) {
		jsonb_decode(column->list[i].items[0], call_arena(call), out);
		return 0;
	}
	if (json_parse(column->text[i], call_arena(call), out, &reason))
		return 0;
	return error_set(err, ERROR_EVAL, "invalid input syntax for type json: %s", reason);
}

int json_to_text(struct call *call, const struct json_node *node, const struct json_style *style,
	struct text *out, struct error *err)
{
	struct buf buf;
	char *to;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	json_format(node, style, &buf);
	to = call_text(call, buf_overflowed(&buf) ? UINT64_MAX : buf.size, err);
	if (to) {
		memcpy(to, buf.data, buf.size);
		*out = text_from(to, buf.size);
	}
	buf_release(&buf);
	return to ? 0 : -1;
}

int json_to_item(struct call *call, enum type_kind kind, const struct json_node *node,
	struct text *out, struct error *err)
{
	const char *reason = "";

	if (kind == TYPE_JSONB) {
		if (jsonb_encode(node, call_arena(call), out, &reason))
			return 0;
		return error_set(
			err, ERROR_EVAL, "invalid input syntax for type jsonb: %s", reason);
	}
	if (kind == TYPE_TEXT && node->form == JSON_FORM_STRING) {
		if (memchr(node->text.data, '\0', node->text.size))
			return error_set(err, ERROR_EVAL,
				"unsupported Unicode escape sequence: \\u0000 cannot be converted "
				"to "
				"text");
		*out = text_from(node->text.data, node->text.size);
		return 0;
	}
	if (kind == TYPE_TEXT && node->form == JSON_FORM_NULL) {
		*out = item_null();
		return 0;
	}
	if (node->source.data) {
		*out = node->source;
		return 0;
	}
	return json_to_text(call, node, &json_style_jsonb, out, err);
}

int json_set(struct call *call, uint32_t row, const struct json_node *node, struct error *err)
{
	struct text item, *kept;

	if (json_to_item(call, call->type.kind, node, &item, err) < 0)
		return -1;
	if (item_is_null(item)) {
		call_set_null(call, row);
	} else if (call->type.kind == TYPE_JSONB) {
		kept = call_items(call, 1, err);
		if (!kept)
			return -1;
		*kept = item;
		call->out->list[row] = (struct text_list){kept, 1};
	} else {
		call->out->text[row] = item;
	}
	return 0;
}

static int set_or_null(
	struct call *call, uint32_t row, const struct json_node *node, struct error *err)
{
	if (node)
		return json_set(call, row, node, err);
	call_set_null(call, row);
	return 0;
}

/* -- Parts -- */

bool json_index(struct text step, int64_t *out)
{
	struct value value;
	const char *reason;

	if (!value_parse(type_of(TYPE_INT), step.data, step.size, NULL, &value, &reason))
		return false;
	*out = value.i64;
	return true;
}

/* Member or item, as a path's step names it; NULL when there is none. */
static const struct json_node *json_step(const struct json_node *node, struct text step)
{
	int64_t index;

	if (node->form == JSON_FORM_OBJECT)
		return json_member(node, step);
	return json_index(step, &index) ? json_item(node, index) : NULL;
}

/* A jsonb that is a scalar has itself as its one element, in PostgreSQL. */
static const struct json_node *element(
	const struct call *call, const struct json_node *node, int64_t index)
{
	bool itself = arg_kind(call, 0) == TYPE_JSONB && json_is_scalar(node);

	return itself && (index == 0 || index == -1) ? node : json_item(node, index);
}

/* -> and ->> */
static int run_get(struct call *call, struct error *err)
{
	bool by_key = arg_kind(call, 1) == TYPE_TEXT;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0 ||
			set_or_null(call, i,
				by_key ? json_member(&node, arg_text(&call->args[1], i))
				       : element(call, &node, arg_i64(&call->args[1], i)),
				err) < 0)
			return -1;
	}
	return 0;
}

/* #> and #>> */
static int run_path(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list path = json_arg_list(call, 1, i);
		const struct json_node *at;
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		at = &node;
		for (uint32_t k = 0; at && k < path.count; k++)
			at = item_is_null(path.items[k]) ? NULL : json_step(at, path.items[k]);
		if (set_or_null(call, i, at, err) < 0)
			return -1;
	}
	return 0;
}

static int run_typeof(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		call->out->text[i] =
			text_from(json_form_name(node.form), strlen(json_form_name(node.form)));
	}
	return 0;
}

static int run_array_length(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		if (node.form != JSON_FORM_ARRAY)
			return error_set(err, ERROR_EVAL, "cannot get array length of a %s",
				json_is_scalar(&node) ? "scalar" : "non-array");
		call->out->i64[i] = node.count;
	}
	return 0;
}

/* -- Lists of parts -- */

static int check_children(const struct call *call, const struct json_node *node, struct error *err)
{
	bool wants_array = call->node->expr->function == FN_JSON_ELEMENTS;
	const char *name = arg_kind(call, 0) == TYPE_JSONB ? "jsonb" : "json";
	const char *what = json_is_scalar(node) ? "a scalar"
			   : wants_array	? "an object"
						: "an array";

	if (node->form == (wants_array ? JSON_FORM_ARRAY : JSON_FORM_OBJECT))
		return 0;
	if (wants_array)
		return error_set(err, ERROR_EVAL, "cannot extract elements from %s", what);
	return error_set(err, ERROR_EVAL, "cannot take the keys and values of %s: not a %s object",
		what, name);
}

/* The elements of an array, or the values or the keys of an object. */
static int run_children(struct call *call, struct error *err)
{
	bool keys = call->node->expr->function == FN_JSON_KEYS;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;
		struct text *items;

		if (json_arg(call, 0, i, &node, err) < 0 || check_children(call, &node, err) < 0)
			return -1;
		items = call_items(call, node.count, err);
		if (!items)
			return -1;
		for (uint32_t k = 0; k < node.count; k++) {
			if (keys)
				items[k] = node.keys[k];
			else if (json_to_item(call, type_element(call->type.kind), &node.items[k],
					 &items[k], err) < 0)
				return -1;
		}
		call->out->list[i] = (struct text_list){items, node.count};
	}
	return 0;
}

/* -- Asking jsonb -- */

static bool json_scalars_equal(const struct json_node *a, const struct json_node *b)
{
	if (a->form != b->form)
		return false;
	switch (a->form) {
	case JSON_FORM_NULL: return true;
	case JSON_FORM_BOOL: return a->boolean == b->boolean;
	case JSON_FORM_STRING: return text_equal(a->text, b->text);
	case JSON_FORM_NUMBER: return numeric_long_compare(a->number, b->number) == 0;
	default: return false;
	}
}

static bool contains(const struct json_node *a, const struct json_node *b);

static bool array_contains(const struct json_node *array, const struct json_node *wanted)
{
	for (uint32_t i = 0; i < array->count; i++) {
		const struct json_node *item = &array->items[i];

		if (json_is_scalar(wanted) ? json_scalars_equal(item, wanted)
					   : item->form == wanted->form && contains(item, wanted))
			return true;
	}
	return false;
}

/* Values within values: of two arrays, or of two objects, or equal scalars. */
static bool contains(const struct json_node *a, const struct json_node *b)
{
	if (a->form != b->form)
		return false;
	if (json_is_scalar(a))
		return json_scalars_equal(a, b);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct json_node *member;

		if (b->form == JSON_FORM_ARRAY) {
			if (!array_contains(a, &b->items[i]))
				return false;
			continue;
		}
		member = json_member(a, b->keys[i]);
		if (!member || !contains(member, &b->items[i]))
			return false;
	}
	return true;
}

static int run_contains(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node a, b;

		if (json_arg(call, 0, i, &a, err) < 0 || json_arg(call, 1, i, &b, err) < 0)
			return -1;
		call->out->u8[i] =
			contains(&a, &b) ||
			(a.form == JSON_FORM_ARRAY && json_is_scalar(&b) && array_contains(&a, &b));
	}
	return 0;
}

/* A key of an object, a string in an array, or the string itself. */
static bool has_key(const struct json_node *node, struct text key)
{
	struct json_node string = {.form = JSON_FORM_STRING, .text = key};

	if (node->form == JSON_FORM_OBJECT)
		return json_member(node, key) != NULL;
	return node->form == JSON_FORM_ARRAY ? array_contains(node, &string)
					     : json_scalars_equal(node, &string);
}

/* ?, ?| and ?& */
static int run_exists(struct call *call, struct error *err)
{
	enum function_id function = call->node->expr->function;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;
		struct text_list keys;
		struct text key;
		bool all = function == FN_JSONB_EXISTS_ALL, found = all;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		if (function == FN_JSONB_EXISTS) {
			key = arg_text(&call->args[1], i);
			keys = (struct text_list){&key, 1};
		} else {
			keys = json_arg_list(call, 1, i);
		}
		for (uint32_t k = 0; k < keys.count && found == all; k++)
			if (!item_is_null(keys.items[k]))
				found = has_key(&node, keys.items[k]);
		call->out->u8[i] = found;
	}
	return 0;
}

static int run_pretty(struct call *call, struct error *err)
{
	static const struct json_style pretty = {",", ": ", true, false};

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0 ||
			json_to_text(call, &node, &pretty, &call->out->text[i], err) < 0)
			return -1;
	}
	return 0;
}

/* -- Casts: of a scalar in a jsonb to a number or a boolean -- */

static int raise_cast(const struct call *call, const struct json_node *node, struct error *err)
{
	return error_set(err, ERROR_EVAL, "cannot cast jsonb %s to type %s",
		json_is_scalar(node)		? json_form_name(node->form)
		: node->form == JSON_FORM_ARRAY ? "array"
						: "object",
		type_kind_name(call->type.kind));
}

static int cast_to_bool(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		if (node.form != JSON_FORM_BOOL)
			return raise_cast(call, &node, err);
		call->out->u8[i] = node.boolean;
	}
	return 0;
}

/* The numeric, which is then cast as any. */
static int cast_to_number(struct call *call, struct error *err)
{
	const struct kernel *kernel = kernel_cast_find(type_of(TYPE_NUMERIC), call->type);
	struct column numbers;
	struct call inner = *call;

	column_init(&numbers, type_of(TYPE_NUMERIC), call->rows.total, call_arena(call));
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		if (node.form != JSON_FORM_NUMBER)
			return raise_cast(call, &node, err);
		numbers.num[i] = node.number;
		if (!kernel->run)
			call->out->num[i] = node.number;
	}
	inner.args = &numbers;
	return kernel->run ? kernel->run(&inner, err) : 0;
}

static int cast_json_to_jsonb(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0 || json_set(call, i, &node, err) < 0)
			return -1;
	}
	return 0;
}

const struct kernel *kernel_json_cast_find(struct type from, struct type to)
{
	static const struct kernel to_bool = {.run = cast_to_bool};
	static const struct kernel to_number = {.run = cast_to_number};
	static const struct kernel to_json = {.run = cast_json_to_jsonb};

	if (to.kind == TYPE_JSON || to.kind == TYPE_JSONB)
		return from.kind == TYPE_JSON || from.kind == TYPE_JSONB ? &to_json : NULL;
	if (from.kind != TYPE_JSONB)
		return NULL;
	if (to.kind == TYPE_BOOL)
		return &to_bool;
	return type_is_number(to.kind) ? &to_number : NULL;
}

const struct kernel *kernel_json_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_JSON_GET] = {.run = run_get},
		[FN_JSON_GET_TEXT] = {.run = run_get},
		[FN_JSON_PATH] = {.run = run_path},
		[FN_JSON_PATH_TEXT] = {.run = run_path},
		[FN_JSON_TYPEOF] = {.run = run_typeof},
		[FN_JSON_ARRAY_LENGTH] = {.run = run_array_length},
		[FN_JSON_ELEMENTS] = {.run = run_children},
		[FN_JSON_KEYS] = {.run = run_children},
		[FN_JSON_VALUES] = {.run = run_children},
		[FN_JSONB_CONTAINS] = {.run = run_contains},
		[FN_JSONB_EXISTS] = {.run = run_exists},
		[FN_JSONB_EXISTS_ANY] = {.run = run_exists},
		[FN_JSONB_EXISTS_ALL] = {.run = run_exists},
		[FN_JSONB_PRETTY] = {.run = run_pretty},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return kernel_json_make_find(expr);
	return &kernels[expr->function];
}
