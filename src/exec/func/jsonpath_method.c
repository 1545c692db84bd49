/* What a path computes: arithmetic, and methods of items. */
#include "exec/func/jsonpath_private.h"

#include "base/buf.h"

#include <math.h>
#include <string.h>

/* -- Arithmetic -- */

typedef enum numeric_fault (*binary_fn)(numeric a, numeric b, struct arena *arena, numeric *out);

static binary_fn binary_of(enum jsonpath_kind kind)
{
	switch (kind) {
	case JSONPATH_ADD: return numeric_long_add;
	case JSONPATH_SUB: return numeric_long_sub;
	case JSONPATH_MUL: return numeric_long_mul;
	case JSONPATH_DIV: return numeric_long_div;
	default: return numeric_long_mod;
	}
}

static enum path_result operand(struct path_run *run, const struct jsonpath_node *node,
	const struct jsonpath_node *arg, const char *side, struct path_item item, numeric *out)
{
	struct path_items items = {0};
	enum path_result result = path_operands(run, arg, item, true, &items);

	if (path_failed(result))
		return result;
	if (items.count != 1 || !path_is(&items.list[0], JSON_FORM_NUMBER))
		return path_fail(run,
			"%s operand of jsonpath operator %s is not a single numeric value", side,
			jsonpath_kind_name(node->kind));
	*out = items.list[0].node->number;
	return PATH_OK;
}

static enum path_result signs(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	struct path_items items = {0};
	enum path_result result = path_operands(run, node->left, item, true, &items);
	enum path_result all = PATH_NOT_FOUND;

	if (path_failed(result))
		return result;
	for (uint32_t i = 0; i < items.count; i++) {
		if (!path_is(&items.list[i], JSON_FORM_NUMBER)) {
			/* That there is something is all that is asked for. */
			if (!found && !node->next)
				continue;
			return path_fail(run,
				"operand of unary jsonpath operator %s is not a numeric value",
				jsonpath_kind_name(node->kind));
		}
		item = items.list[i];
		if (node->kind == JSONPATH_MINUS)
			item = path_number_item(run, numeric_long_negate(item.node->number));
		result = path_next(run, node, item, found);
		if (path_failed(result) || (result == PATH_OK && !found))
			return result;
		all = result == PATH_OK ? result : all;
	}
	return all;
}

enum path_result path_arithmetic(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	numeric left = 0, right = 0, value;
	enum numeric_fault fault;
	enum path_result result;

	if (node->kind == JSONPATH_PLUS || node->kind == JSONPATH_MINUS)
		return signs(run, node, item, found);
	result = operand(run, node, node->left, "left", item, &left);
	if (!path_failed(result))
		result = operand(run, node, node->right, "right", item, &right);
	if (path_failed(result))
		return result;
	fault = binary_of(node->kind)(left, right, run->arena, &value);
	if (fault != NUMERIC_FINE)
		return path_fail(run, "%s", numeric_fault_text(fault));
	return path_next(run, node, path_number_item(run, value), found);
}

/* -- .type() and .size() -- */

static const char *type_of_item(const struct path_item *item)
{
	return item->time ? path_time_name(item->time) : json_form_name(item->node->form);
}

static enum path_result size_of_item(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	int64_t size = 1;

	if (path_is(&item, JSON_FORM_ARRAY))
		size = item.node->count;
	else if (!run->lax)
		return run->ignores ? PATH_NOT_FOUND
				    : path_fail(run,
					      "jsonpath item method .size() can only be applied to "
					      "an array");
	return path_next(run, node, path_number_item(run, numeric_from_i64(size)), found);
}

/* -- Of numbers -- */

static enum path_result round_item(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	numeric value;

	if (!path_is(&item, JSON_FORM_NUMBER))
		return path_fail(run,
			"jsonpath item method %s() can only be applied to a numeric value",
			jsonpath_kind_name(node->kind));
	value = item.node->number;
	if (node->kind == JSONPATH_ABS)
		value = numeric_long_abs(value);
	else if (node->kind == JSONPATH_FLOOR)
		value = numeric_long_floor(value, run->arena);
	else
		value = numeric_long_ceil(value, run->arena);
	return path_next(run, node, path_number_item(run, value), found);
}

/* As a text without blanks around it, which a double may have. */
static bool read_double(struct text text, double *out)
{
	while (text.size > 0 && memchr(" \t\n\r\v\f", text.data[0], 6)) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 && memchr(" \t\n\r\v\f", text.data[text.size - 1], 6))
		text.size--;
	return double_parse(text.data, text.size, out) && isfinite(*out);
}

static enum path_result double_item(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	struct buf buf;
	double value;
	bool fine;

	if (path_is(&item, JSON_FORM_NUMBER)) {
		buf_init(&buf, TEXT_SIZE_MAX);
		numeric_append(item.node->number, &buf);
		fine = read_double(text_from(buf.data, buf.size), &value);
		buf_release(&buf);
		if (!fine)
			return path_fail(run,
				"numeric argument of jsonpath item method .double() is out of "
				"range for type double precision");
		return path_next(run, node, item, found);
	}
	if (!path_is(&item, JSON_FORM_STRING))
		return path_fail(run,
			"jsonpath item method .double() can only be applied to a string or "
			"numeric value");
	if (!read_double(item.node->text, &value))
		return path_fail(run,
			"string argument of jsonpath item method .double() is not a valid "
			"representation of a double precision number");
	item = path_number_item(run, numeric_long_from_double(value, 15, run->arena));
	return path_next(run, node, item, found);
}

/* -- .keyvalue() -- */

/*
 * Objects are told apart by where PostgreSQL's binary form would have them in the whole value: a
 * head of 4 bytes and 4 for every key and value, then keys and values themselves, numbers and what
 * nests from a multiple of 4 on.
 */
#define HEAD_SIZE 4u

static uint64_t align(uint64_t at)
{
	return (at + 3) & ~UINT64_C(3);
}

/* In digits of base 10000, without zeros at both ends. */
static uint64_t number_size(numeric number)
{
	struct buf buf;
	const char *point, *first, *last;
	uint64_t digits = 0, scale = numeric_display_scale(number);
	int64_t weight = 0, lowest = 0;

	buf_init(&buf, TEXT_SIZE_MAX);
	numeric_append(number, &buf);
	buf_append_char(&buf, '\0');
	first = buf.data + (*buf.data == '-');
	point = first + strcspn(first, ".");
	last = first + strlen(first);
	first += strspn(first, "0.");
	while (last > first && (last[-1] == '0' || last[-1] == '.'))
		last--;
	if (last > first) {
		/* Places of the first and the last digit that is not 0, the ones being 0. */
		weight = first < point ? point - first - 1 : point - first;
		lowest = last <= point ? point - last : point - last + 1;
		weight = weight >= 0 ? weight / 4 : -((3 - weight) / 4);
		lowest = lowest >= 0 ? lowest / 4 : -((3 - lowest) / 4);
		digits = (uint64_t)(weight - lowest + 1);
	}
	buf_release(&buf);
	return (scale <= 63 && weight >= -64 && weight <= 63 ? 6 : 8) + 2 * digits;
}

/* Where `wanted` begins in the bytes of `node`, which begin at `at`; its end in `*at` if it is not there. */
static bool find_offset(const struct json_node *node, const struct json_node *wanted, uint64_t *at)
{
	bool is_object = node->form == JSON_FORM_OBJECT;

	switch (node->form) {
	case JSON_FORM_NULL:
	case JSON_FORM_BOOL: return node == wanted;
	case JSON_FORM_STRING: *at += node->text.size; return node == wanted;
	case JSON_FORM_NUMBER: *at = align(*at) + number_size(node->number); return node == wanted;
	default: break;
	}
	*at = align(*at);
	if (node == wanted)
		return true;
	*at += HEAD_SIZE + (is_object ? 8 : 4) * (uint64_t)node->count;
	for (uint32_t i = 0; is_object && i < node->count; i++)
		*at += node->keys[i].size;
	for (uint32_t i = 0; i < node->count; i++)
		if (find_offset(&node->items[i], wanted, at))
			return true;
	return false;
}

static struct json_node *member_object(
	struct path_run *run, struct text key, const struct json_node *value, struct path_item id)
{
	static const char *const names[] = {"id", "key", "value"};
	struct json_node *object = arena_zalloc(run->arena, sizeof(*object));

	object->form = JSON_FORM_OBJECT;
	object->count = 3;
	object->keys = arena_alloc(run->arena, 3 * sizeof(*object->keys));
	object->items = arena_zalloc(run->arena, 3 * sizeof(*object->items));
	for (int i = 0; i < 3; i++)
		object->keys[i] = text_from(names[i], strlen(names[i]));
	object->items[0] = *id.node;
	object->items[1].form = JSON_FORM_STRING;
	object->items[1].text = key;
	object->items[2] = *value;
	return object;
}

static enum path_result members(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	const struct json_node *base = run->base;
	int64_t base_id = run->base_id;
	enum path_result result = PATH_NOT_FOUND;
	struct path_item id;
	uint64_t offset = 0;

	if (!path_is(&item, JSON_FORM_OBJECT))
		return path_fail(
			run, "jsonpath item method .keyvalue() can only be applied to an object");
	if (!base || !find_offset(base, item.node, &offset))
		offset = 0;
	id = path_number_item(
		run, numeric_from_i64(base_id * INT64_C(10000000000) + (int64_t)offset));
	for (uint32_t i = 0; i < item.node->count; i++) {
		struct json_node *object =
			member_object(run, item.node->keys[i], &item.node->items[i], id);

		run->base = object;
		run->base_id = run->last_id++;
		result = path_next(run, node, path_item_of(object), found);
		run->base = base;
		run->base_id = base_id;
		if (path_failed(result) || (result == PATH_OK && !found))
			break;
	}
	return result;
}

/* -- .datetime() -- */

static enum path_result time_item(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	const char *reason = "";
	struct path_item out;
	struct error problem;

	if (!path_is(&item, JSON_FORM_STRING))
		return path_fail(
			run, "jsonpath item method .datetime() can only be applied to a string");
	if (node->left) {
		if (path_time_read_by(
			    item.node->text, node->left->text, run->arena, &out, &problem) < 0)
			return path_fail(run, "%s", problem.message);
		return path_next(run, node, out, found);
	}
	if (!path_time_read(item.node->text, run->arena, &out, &reason)) {
		if (strcmp(reason, PATH_TIME_OUT_OF_RANGE) == 0) {
			(void)error_set(run->err, ERROR_EVAL, "%s", reason);
			return PATH_RAISED;
		}
		return path_fail(run, "%s: \"%.*s\"", reason, (int)item.node->text.size,
			item.node->text.data);
	}
	return path_next(run, node, out, found);
}

enum path_result path_method(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	switch (node->kind) {
	case JSONPATH_TYPE:
		return path_next(run, node, path_text_item(run, type_of_item(&item)), found);
	case JSONPATH_SIZE: return size_of_item(run, node, item, found);
	case JSONPATH_DOUBLE: return double_item(run, node, item, found);
	case JSONPATH_KEYVALUE: return members(run, node, item, found);
	case JSONPATH_DATETIME: return time_item(run, node, item, found);
	default: return round_item(run, node, item, found);
	}
}
