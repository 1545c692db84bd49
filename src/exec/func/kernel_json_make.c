/*
 * json and jsonb: how they are made of other values, and of each other. A json that is made keeps
 * the json in it as it was written.
 */
#include "exec/func/json_private.h"

#include "base/buf.h"
#include "column/datetime.h"

#include <math.h>
#include <string.h>

/* Behind the offset of a time zone: an era. */
#define ISO_REST_MAX 8

/* As PostgreSQL's functions write: json_build_array(1, 2), json_build_object('a', 1). */
static const struct json_style build_style = {", ", " : ", false, true};

/* -- Of values -- */

/* What to_json makes of a value, which is not NULL, as a tree. */
static int json_of_value(
	struct call *call, const struct value *value, struct json_node *out, struct error *err);

static int json_of_list(
	struct call *call, const struct value *value, struct json_node *out, struct error *err)
{
	struct type element = type_element_of(value->type);

	out->form = JSON_FORM_ARRAY;
	out->count = value->list.count;
	out->items = arena_zalloc(call_arena(call), (out->count + 1) * sizeof(*out->items));
	for (uint32_t i = 0; i < out->count; i++) {
		struct value item = item_value(element, value->list.items[i], call_arena(call));

		if (!item.is_null && json_of_value(call, &item, &out->items[i], err) < 0)
			return -1;
	}
	return 0;
}

/* A timestamp as ISO 8601 has it: with a T before the time, and with minutes in an offset. */
static void make_iso(enum type_kind kind, struct buf *text)
{
	char *blank = memchr(text->data, ' ', text->size), *end = text->data + text->size;
	char *offset = end - 1, rest[ISO_REST_MAX];
	size_t size;

	if ((kind != TYPE_TIMESTAMP && kind != TYPE_TIMESTAMPTZ) || !blank)
		return;
	*blank = 'T';
	while (offset > blank && *offset != '+' && *offset != '-')
		offset--;
	if (offset == blank || end - offset < 3 || (end - offset > 3 && offset[3] != ' '))
		return;
	/* What follows +hh: nothing, or the era. */
	size = (size_t)(end - offset) - 3;
	if (size > sizeof(rest))
		return;
	memcpy(rest, offset + 3, size);
	text->size -= size;
	buf_append_text(text, ":00");
	buf_append(text, rest, size);
}

static int json_of_text(
	struct call *call, const struct value *value, struct json_node *out, struct error *err)
{
	struct buf buf;
	char *to;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	value_format(value, &buf);
	if (buf.size > 0)
		make_iso(value->type.kind, &buf);
	to = call_text(call, buf_overflowed(&buf) ? UINT64_MAX : buf.size, err);
	if (to) {
		if (buf.size > 0)
			memcpy(to, buf.data, buf.size);
		*out = (struct json_node){
			.form = JSON_FORM_STRING, .text = text_from(to, buf.size)};
	}
	buf_release(&buf);
	return to ? 0 : -1;
}

static bool is_finite(const struct value *value)
{
	if (value->type.kind == TYPE_NUMERIC)
		return !numeric_is_special(value->num);
	return !type_is_float(value->type.kind) || isfinite(value->f64);
}

static int json_of_value(
	struct call *call, const struct value *value, struct json_node *out, struct error *err)
{
	enum type_kind kind = value->type.kind;
	const char *reason = "";

	*out = (struct json_node){0};
	if (type_is_array(kind))
		return json_of_list(call, value, out, err);
	if (kind == TYPE_BOOL) {
		out->form = JSON_FORM_BOOL;
		out->boolean = value->boolean;
		return 0;
	}
	if (kind == TYPE_JSONB) {
		jsonb_decode(value->list.items[0], call_arena(call), out);
		/* In a json it is as it stands alone. */
		return call->type.kind == TYPE_JSONB
			       ? 0
			       : json_to_text(call, out, &json_style_jsonb, &out->source, err);
	}
	if (kind == TYPE_JSON) {
		if (json_parse(value->text, call_arena(call), out, &reason))
			return 0;
		return error_set(err, ERROR_EVAL, "invalid input syntax for type json: %s", reason);
	}
	if (json_of_text(call, value, out, err) < 0)
		return -1;
	if (type_is_number(kind) && is_finite(value)) {
		out->form = JSON_FORM_NUMBER;
		out->source = out->text;
	}
	return 0;
}

/* A json is a text that nobody reads again: arrays in it have no blanks, unlike what is built. */
static int set_made(struct call *call, uint32_t row, const struct json_node *node,
	const struct json_style *style, struct error *err)
{
	if (call->type.kind == TYPE_JSONB)
		return json_set(call, row, node, err);
	return json_to_text(call, node, style, &call->out->text[row], err);
}

static const struct json_style verbatim_style = {",", ":", false, true};

static int run_to_json(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct value value = column_value(&call->args[0], i);
		struct json_node node;

		value.type = call->node->expr->args[0]->type;
		if (json_of_value(call, &value, &node, err) < 0 ||
			set_made(call, i, &node, &verbatim_style, err) < 0)
			return -1;
	}
	return 0;
}

/* What stands in a built json: arrays of SQL as they would stand alone. */
static int freeze(struct call *call, struct json_node *node, struct error *err)
{
	if (call->type.kind == TYPE_JSONB || json_is_scalar(node) || node->source.data)
		return 0;
	return json_to_text(call, node, &verbatim_style, &node->source, err);
}

/* json_agg: the elements of an array; of rows with a line for each. */
static int run_of_list(struct call *call, struct error *err)
{
	static const struct json_style rows_style = {", \n ", " : ", false, true};
	bool of_rows = call->node->expr->function == FN_JSON_OF_ROWS;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct value value = column_value(&call->args[0], i);
		struct json_node node = {0};

		value.type = call->node->expr->args[0]->type;
		if (json_of_list(call, &value, &node, err) < 0)
			return -1;
		if (set_made(call, i, &node, of_rows ? &rows_style : &build_style, err) < 0)
			return -1;
	}
	return 0;
}

/* Arguments are json or jsonb; NULL is null. */
static int read_args(struct call *call, uint32_t row, struct json_node *nodes, struct error *err)
{
	for (uint32_t a = 0; a < call->arg_count; a++) {
		nodes[a] = (struct json_node){0};
		if (!column_is_null(&call->args[a], row) &&
			(json_arg(call, a, row, &nodes[a], err) < 0 ||
				freeze(call, &nodes[a], err) < 0))
			return -1;
	}
	return 0;
}

static int run_build_array(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node = {.form = JSON_FORM_ARRAY, .count = call->arg_count};

		node.items = arena_alloc(call_arena(call), (node.count + 1) * sizeof(*node.items));
		if (read_args(call, i, node.items, err) < 0 ||
			set_made(call, i, &node, &build_style, err) < 0)
			return -1;
	}
	return 0;
}

/* Pairs of a key, a JSON string, and a value. */
static int make_object(struct call *call, uint32_t count, const struct json_node *pairs,
	struct json_node *out, struct error *err)
{
	*out = (struct json_node){.form = JSON_FORM_OBJECT, .count = count};
	out->items = arena_alloc(call_arena(call), (count + 1) * sizeof(*out->items));
	out->keys = arena_alloc(call_arena(call), (count + 1) * sizeof(*out->keys));
	for (uint32_t k = 0; k < count; k++) {
		if (pairs[2 * k].form != JSON_FORM_STRING)
			return error_set(err, ERROR_EVAL, "null value not allowed for object key");
		out->keys[k] = pairs[2 * k].text;
		out->items[k] = pairs[2 * k + 1];
	}
	return 0;
}

static int run_build_object(struct call *call, struct error *err)
{
	bool of_row = call->node->expr->function == FN_JSON_ROW;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node *nodes =
			arena_alloc(call_arena(call), (call->arg_count + 1) * sizeof(*nodes));
		struct json_node object;

		if (read_args(call, i, nodes, err) < 0 ||
			make_object(call, call->arg_count / 2, nodes, &object, err) < 0 ||
			set_made(call, i, &object, of_row ? &verbatim_style : &build_style, err) <
				0)
			return -1;
	}
	return 0;
}

/* { "a" : 1, "b" : 2 } */
static int set_aggregated(
	struct call *call, uint32_t row, const struct json_node *object, struct error *err)
{
	struct text text;
	char *spaced;

	if (call->type.kind == TYPE_JSONB)
		return json_set(call, row, object, err);
	if (json_to_text(call, object, &build_style, &text, err) < 0)
		return -1;
	spaced = call_text(call, (uint64_t)text.size + 2, err);
	if (!spaced)
		return -1;
	spaced[0] = '{';
	spaced[1] = ' ';
	memcpy(spaced + 2, text.data + 1, text.size - 2);
	memcpy(spaced + text.size, " }", 2);
	call->out->text[row] = text_from(spaced, (size_t)text.size + 2);
	return 0;
}

/* json_object_agg: an array of json or jsonb, each an array of a key and a value. */
static int run_object_of_list(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct value value = column_value(&call->args[0], i);
		struct json_node list = {0}, object, *pairs;

		value.type = call->node->expr->args[0]->type;
		if (json_of_list(call, &value, &list, err) < 0)
			return -1;
		pairs = arena_alloc(
			call_arena(call), (2 * (size_t)list.count + 1) * sizeof(*pairs));
		for (uint32_t k = 0; k < list.count; k++) {
			if (list.items[k].form != JSON_FORM_ARRAY || list.items[k].count != 2)
				return error_set(err, ERROR_EVAL, "not a key and a value");
			pairs[2 * k] = list.items[k].items[0];
			pairs[2 * k + 1] = list.items[k].items[1];
			if (pairs[2 * k].form != JSON_FORM_STRING)
				return error_set(err, ERROR_EVAL, "field name must not be null");
		}
		if (make_object(call, list.count, pairs, &object, err) < 0 ||
			set_aggregated(call, i, &object, err) < 0)
			return -1;
	}
	return 0;
}

/* json_object: of keys and values in one array of texts, or in two. */
static int run_object_of_texts(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list keys = json_arg_list(call, 0, i), values = keys;
		uint32_t count = keys.count / 2;
		struct json_node *pairs, object;

		if (call->arg_count == 2) {
			values = json_arg_list(call, 1, i);
			count = keys.count;
			if (values.count != keys.count)
				return error_set(err, ERROR_EVAL, "mismatched array dimensions");
		} else if (keys.count % 2) {
			return error_set(
				err, ERROR_EVAL, "array must have even number of elements");
		}
		pairs = arena_zalloc(call_arena(call), (2 * (size_t)count + 1) * sizeof(*pairs));
		for (uint32_t k = 0; k < 2 * count; k++) {
			struct text text = call->arg_count == 1 ? keys.items[k]
					   : k % 2		? values.items[k / 2]
								: keys.items[k / 2];

			pairs[k].form = item_is_null(text) ? JSON_FORM_NULL : JSON_FORM_STRING;
			pairs[k].text = text;
		}
		if (make_object(call, count, pairs, &object, err) < 0 ||
			set_made(call, i, &object, &build_style, err) < 0)
			return -1;
	}
	return 0;
}

/* -- Changes -- */

static void strip_nulls(struct json_node *node)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; !json_is_scalar(node) && i < node->count; i++) {
		if (node->form == JSON_FORM_OBJECT) {
			if (node->items[i].form == JSON_FORM_NULL)
				continue;
			node->keys[kept] = node->keys[i];
		}
		node->items[kept] = node->items[i];
		strip_nulls(&node->items[kept++]);
	}
	if (!json_is_scalar(node)) {
		node->count = kept;
		node->source = (struct text){0};
	}
}

static int run_strip_nulls(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		strip_nulls(&node);
		if (set_made(call, i, &node, &json_style_tight, err) < 0)
			return -1;
	}
	return 0;
}

/* The children of both, or a scalar or object itself beside the items of an array. */
static void concat(struct call *call, const struct json_node *a, const struct json_node *b,
	struct json_node *out)
{
	bool objects = a->form == JSON_FORM_OBJECT && b->form == JSON_FORM_OBJECT;
	const struct json_node *sides[2] = {a, b};

	*out = (struct json_node){.form = objects ? JSON_FORM_OBJECT : JSON_FORM_ARRAY};
	out->items = arena_alloc(
		call_arena(call), ((size_t)a->count + b->count + 2) * sizeof(*out->items));
	out->keys = arena_alloc(
		call_arena(call), ((size_t)a->count + b->count + 2) * sizeof(*out->keys));
	for (int s = 0; s < 2; s++) {
		if (!objects && sides[s]->form != JSON_FORM_ARRAY) {
			out->items[out->count++] = *sides[s];
			continue;
		}
		for (uint32_t i = 0; i < sides[s]->count; i++) {
			if (objects)
				out->keys[out->count] = sides[s]->keys[i];
			out->items[out->count++] = sides[s]->items[i];
		}
	}
}

static int run_concat(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node a, b, both;

		if (json_arg(call, 0, i, &a, err) < 0 || json_arg(call, 1, i, &b, err) < 0)
			return -1;
		concat(call, &a, &b, &both);
		if (json_set(call, i, &both, err) < 0)
			return -1;
	}
	return 0;
}

static void remove_child(struct json_node *node, uint32_t at)
{
	for (uint32_t i = at + 1; i < node->count; i++) {
		node->items[i - 1] = node->items[i];
		if (node->form == JSON_FORM_OBJECT)
			node->keys[i - 1] = node->keys[i];
	}
	node->count--;
}

/* A key of an object, or all such strings of an array. */
static void delete_key(struct json_node *node, struct text key)
{
	for (uint32_t i = node->count; i-- > 0;) {
		const struct json_node *item = &node->items[i];

		if (node->form == JSON_FORM_OBJECT
				? text_equal(node->keys[i], key)
				: item->form == JSON_FORM_STRING && text_equal(item->text, key))
			remove_child(node, i);
	}
}

/* jsonb - text, - text[] and - integer */
static int run_delete(struct call *call, struct error *err)
{
	enum type_kind kind = call->node->expr->args[1]->type.kind;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;
		struct text key;
		struct text_list keys = {&key, 1};

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		if (json_is_scalar(&node))
			return error_set(err, ERROR_EVAL, "cannot delete from scalar");
		if (kind == TYPE_INT) {
			int64_t at = arg_i64(&call->args[1], i);

			if (node.form == JSON_FORM_OBJECT)
				return error_set(err, ERROR_EVAL,
					"cannot delete from object using integer index");
			at += at < 0 ? node.count : 0;
			if (at >= 0 && at < node.count)
				remove_child(&node, (uint32_t)at);
		} else {
			if (kind == TYPE_TEXT)
				key = arg_text(&call->args[1], i);
			else
				keys = json_arg_list(call, 1, i);
			for (uint32_t k = 0; k < keys.count; k++)
				if (!item_is_null(keys.items[k]))
					delete_key(&node, keys.items[k]);
		}
		if (json_set(call, i, &node, err) < 0)
			return -1;
	}
	return 0;
}

/* What is done at the end of a path. */
struct change {
	enum function_id function;
	const struct json_node *value;
	bool flag; /* jsonb_set: create what is missing; jsonb_insert: behind, not before */
	struct text_list path;
};

/* Opens a place for one child more at `at`. */
static void insert_child(struct call *call, struct json_node *node, uint32_t at, struct text key,
	const struct json_node *value)
{
	struct json_node *items =
		arena_alloc(call_arena(call), ((size_t)node->count + 1) * sizeof(*items));
	struct text *keys =
		arena_alloc(call_arena(call), ((size_t)node->count + 1) * sizeof(*keys));

	for (uint32_t i = 0; i <= node->count; i++) {
		items[i] = i < at ? node->items[i] : i == at ? *value : node->items[i - 1];
		if (node->form == JSON_FORM_OBJECT)
			keys[i] = i < at ? node->keys[i] : i == at ? key : node->keys[i - 1];
	}
	node->items = items;
	node->keys = keys;
	node->count++;
}

static int change_member(struct call *call, const struct change *change, struct json_node *node,
	struct text key, struct error *err)
{
	struct json_node *member = (struct json_node *)json_member(node, key);

	if (change->function == FN_JSONB_DELETE_PATH) {
		delete_key(node, key);
		return 0;
	}
	if (change->function == FN_JSONB_INSERT && member)
		return error_set(err, ERROR_EVAL, "cannot replace existing key");
	if (member)
		*member = *change->value;
	else if (change->function == FN_JSONB_INSERT || change->flag)
		insert_child(call, node, node->count, key, change->value);
	return 0;
}

/* `at` may be outside: what is new then comes first or last. */
static void change_item(
	struct call *call, const struct change *change, struct json_node *node, int64_t at)
{
	bool inside = at >= 0 && at < node->count;

	if (change->function == FN_JSONB_DELETE_PATH) {
		if (inside)
			remove_child(node, (uint32_t)at);
	} else if (change->function == FN_JSONB_SET && inside) {
		node->items[at] = *change->value;
	} else if (change->function == FN_JSONB_INSERT || change->flag) {
		at += inside && change->function == FN_JSONB_INSERT && change->flag;
		at = at < 0 ? 0 : at > node->count ? node->count : at;
		insert_child(call, node, (uint32_t)at, text_from("", 0), change->value);
	}
}

static int change_at(struct call *call, const struct change *change, struct json_node *node,
	uint32_t depth, struct error *err)
{
	struct text step = change->path.items[depth];
	bool last = depth + 1 == change->path.count;
	struct json_node *child;
	int64_t at;

	if (item_is_null(step))
		return error_set(err, ERROR_EVAL, "path element at position %u is null", depth + 1);
	if (json_is_scalar(node))
		return 0;
	if (node->form == JSON_FORM_OBJECT) {
		if (last)
			return change_member(call, change, node, step, err);
		child = (struct json_node *)json_member(node, step);
		return child ? change_at(call, change, child, depth + 1, err) : 0;
	}
	if (!json_index(step, &at))
		return error_set(err, ERROR_EVAL,
			"path element at position %u is not an integer: \"%.*s\"", depth + 1,
			(int)step.size, step.data);
	if (last) {
		at += at < 0 ? node->count : 0;
		change_item(call, change, node, at);
		return 0;
	}
	child = (struct json_node *)json_item(node, at);
	return child ? change_at(call, change, child, depth + 1, err) : 0;
}

/* #-, jsonb_set and jsonb_insert */
static int run_change(struct call *call, struct error *err)
{
	struct change change = {.function = call->node->expr->function};
	struct json_node value;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct json_node node;

		if (json_arg(call, 0, i, &node, err) < 0)
			return -1;
		if (json_is_scalar(&node))
			return error_set(err, ERROR_EVAL, "cannot %s path in scalar",
				change.function == FN_JSONB_DELETE_PATH ? "delete" : "set");
		if (call->arg_count > 2 && json_arg(call, 2, i, &value, err) < 0)
			return -1;
		change.value = &value;
		change.path = json_arg_list(call, 1, i);
		change.flag = change.function == FN_JSONB_SET;
		if (call->arg_count > 3)
			change.flag = call->args[3].u8[column_index(&call->args[3], i)];
		if (change.path.count > 0 && change_at(call, &change, &node, 0, err) < 0)
			return -1;
		if (json_set(call, i, &node, err) < 0)
			return -1;
	}
	return 0;
}

const struct kernel *kernel_json_make_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_TO_JSON] = {.run = run_to_json},
		[FN_JSON_OF_LIST] = {.run = run_of_list},
		[FN_JSON_OF_ROWS] = {.run = run_of_list},
		[FN_JSON_ROW] = {.run = run_build_object, .flags = KERNEL_SEES_NULLS},
		[FN_JSON_OBJECT_OF_LIST] = {.run = run_object_of_list},
		[FN_JSON_OBJECT_OF_TEXTS] = {.run = run_object_of_texts},
		[FN_JSON_BUILD_ARRAY] = {.run = run_build_array, .flags = KERNEL_SEES_NULLS},
		[FN_JSON_BUILD_OBJECT] = {.run = run_build_object, .flags = KERNEL_SEES_NULLS},
		[FN_JSON_STRIP_NULLS] = {.run = run_strip_nulls},
		[FN_JSONB_CONCAT] = {.run = run_concat},
		[FN_JSONB_DELETE] = {.run = run_delete},
		[FN_JSONB_DELETE_PATH] = {.run = run_change},
		[FN_JSONB_SET] = {.run = run_change},
		[FN_JSONB_INSERT] = {.run = run_change},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return NULL;
	return &kernels[expr->function];
}
