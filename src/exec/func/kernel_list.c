/*
 * Arrays: what compares items compares their bytes (column/item.h), whatever the elements are. An
 * item that is NULL equals nothing where PostgreSQL asks for equal items, and other NULLs where it
 * asks for the same.
 */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "column/item.h"
#include "exec/func/py_literal.h"

#include <stdio.h>
#include <string.h>

/* [1:n] */
#define BOUNDS_TEXT_MAX 16

static struct text_list arg_list(const struct column *arg, uint32_t row)
{
	return arg->list[column_index(arg, row)];
}

/* No items for NULL. */
static struct text_list arg_list_or_none(const struct column *arg, uint32_t row)
{
	return column_is_null(arg, row) ? (struct text_list){NULL, 0} : arg_list(arg, row);
}

/* The text of an argument as an item: a NULL is one, too. */
static struct text arg_text_item(const struct column *arg, uint32_t row)
{
	return column_is_null(arg, row) ? item_null() : arg_text(arg, row);
}

/* Any argument as an item. */
static struct text arg_item(struct call *call, uint32_t arg, uint32_t row)
{
	struct value value = column_value(&call->args[arg], row);

	return item_of_value(&value, call_arena(call));
}

/* An item as the row's result. */
static void set_item(struct call *call, uint32_t row, struct text item)
{
	struct value value = item_value(call->type, item, call_arena(call));

	if (value.is_null)
		call_set_null(call, row);
	else
		column_set_value(call->out, row, &value);
}

/* Where the item stands, or list.count. NULL items are found by NULL. */
static uint32_t list_find(struct text_list list, struct text item)
{
	uint32_t i = 0;

	if (item_is_null(item))
		while (i < list.count && !item_is_null(list.items[i]))
			i++;
	else
		while (i < list.count && !text_equal(list.items[i], item))
			i++;
	return i;
}

/* -- Making lists -- */

static int run_make(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text *items = call_items(call, call->arg_count, err);

		if (!items)
			return -1;
		for (uint32_t a = 0; a < call->arg_count; a++)
			items[a] = arg_item(call, a, i);
		call->out->list[i] = (struct text_list){items, call->arg_count};
	}
	return 0;
}

/* The items of both, one behind the other. */
static int join_lists(struct call *call, uint32_t row, struct text_list left,
	struct text_list right, struct error *err)
{
	struct text *items = call_items(call, (uint64_t)left.count + right.count, err);

	if (!items)
		return -1;
	for (uint32_t k = 0; k < left.count; k++)
		items[k] = left.items[k];
	for (uint32_t k = 0; k < right.count; k++)
		items[left.count + k] = right.items[k];
	call->out->list[row] = (struct text_list){items, left.count + right.count};
	return 0;
}

static int run_concat(struct call *call, struct error *err)
{
	const struct column *a = &call->args[0];
	const struct column *b = &call->args[1];

	FOR_EACH_ROW(&call->rows, i)
	{
		if (column_is_null(a, i) && column_is_null(b, i))
			call_set_null(call, i);
		else if (join_lists(call, i, arg_list_or_none(a, i), arg_list_or_none(b, i), err))
			return -1;
	}
	return 0;
}

/* array_append and array_prepend: the list is args[0] or args[1]. */
static int run_append(struct call *call, struct error *err)
{
	bool behind = call->node->expr->function == FN_LIST_APPEND;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = arg_list_or_none(&call->args[behind ? 0 : 1], i);
		struct text item = arg_item(call, behind ? 1 : 0, i);
		struct text_list one = {&item, 1};

		if (join_lists(call, i, behind ? list : one, behind ? one : list, err))
			return -1;
	}
	return 0;
}

/* The items from `first` to before `end`, which are within the list. */
static void set_part(
	struct call *call, uint32_t row, struct text_list list, uint32_t first, uint32_t end)
{
	call->out->list[row] = first < end ? (struct text_list){list.items + first, end - first}
					   : (struct text_list){NULL, 0};
}

static int run_slice(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = arg_list(&call->args[0], i);
		int64_t first = arg_i64(&call->args[1], i), last = arg_i64(&call->args[2], i);

		first = first < 1 ? 1 : first;
		last = last > list.count ? list.count : last;
		set_part(call, i, list, first <= last ? (uint32_t)first - 1 : 0,
			first <= last ? (uint32_t)last : 0);
	}
	return 0;
}

static int run_trim(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = arg_list(&call->args[0], i);
		int64_t cut = arg_i64(&call->args[1], i);

		if (cut < 0 || cut > list.count)
			return error_set(err, ERROR_EVAL,
				"number of elements to trim must be between 0 and %u", list.count);
		set_part(call, i, list, 0, list.count - (uint32_t)cut);
	}
	return 0;
}

/* array_fill(value, {count}) */
static int run_fill(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text item = arg_item(call, 0, i), *items;
		struct text_list sizes;
		int64_t count;

		if (column_is_null(&call->args[1], i))
			return error_set(err, ERROR_EVAL,
				"dimension array or low bound array cannot be null");
		sizes = arg_list(&call->args[1], i);
		if (sizes.count > 1)
			return error_set(err, ERROR_EVAL,
				"arrays of more than one dimension are not supported");
		if (sizes.count == 1 && item_is_null(sizes.items[0]))
			return error_set(err, ERROR_EVAL, "dimension values cannot be null");
		count = sizes.count ? item_value(type_of(TYPE_INT), sizes.items[0], NULL).i64 : 0;
		if (count < 0)
			return error_set(err, ERROR_EVAL, "array size exceeds the maximum allowed");
		items = call_items(call, (uint64_t)count, err);
		if (!items)
			return -1;
		for (int64_t k = 0; k < count; k++)
			items[k] = item;
		call->out->list[i] = (struct text_list){items, (uint32_t)count};
	}
	return 0;
}

/* Whether both are NULL, or equal: what array_remove and array_replace look for. */
static bool same_item(struct text a, struct text b)
{
	if (item_is_null(a) || item_is_null(b))
		return item_is_null(a) && item_is_null(b);
	return text_equal(a, b);
}

/* array_remove and array_replace */
static int run_replace(struct call *call, struct error *err)
{
	bool keeps = call->node->expr->function == FN_LIST_REPLACE;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text wanted = arg_item(call, 1, i);
		struct text other = keeps ? arg_item(call, 2, i) : item_null(), *items;
		struct text_list list;
		uint32_t count = 0;

		if (column_is_null(&call->args[0], i)) {
			call_set_null(call, i);
			continue;
		}
		list = arg_list(&call->args[0], i);
		items = call_items(call, list.count, err);
		if (!items)
			return -1;
		for (uint32_t k = 0; k < list.count; k++) {
			bool found = same_item(list.items[k], wanted);

			items[count] = found ? other : list.items[k];
			count += keeps || !found;
		}
		call->out->list[i] = (struct text_list){items, count};
	}
	return 0;
}

/* Characters for a NULL delimiter; all of the text for an empty one. Views of the text. */
static const char *split_next(
	const char *at, const char *end, bool characters, struct text delimiter)
{
	const char *stop = NULL;

	if (characters)
		return utf8_next(at, end);
	if (delimiter.size > 0)
		stop = bytes_find(at, end, delimiter.data, delimiter.size);
	return stop ? stop : end;
}

static uint32_t split_text(struct text text, bool characters, struct text delimiter,
	struct text null_text, struct text *items)
{
	const char *at = text.data;
	const char *end = at + text.size;
	uint32_t step = characters ? 0 : delimiter.size;
	uint32_t count = 0;

	/* Nothing is no items; and a delimiter at the end has an empty one behind it. */
	for (bool more = text.size > 0; more;) {
		const char *stop = split_next(at, end, characters, delimiter);

		if (items) {
			items[count] = text_from(at, (size_t)(stop - at));
			if (!item_is_null(null_text) && text_equal(items[count], null_text))
				items[count] = item_null();
		}
		count++;
		more = stop < end;
		at = more ? stop + step : end;
	}
	return count;
}

static int run_split(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text_item(&call->args[0], i);
		bool characters = column_is_null(&call->args[1], i);
		struct text delimiter = arg_text_item(&call->args[1], i);
		struct text null_text =
			call->arg_count > 2 ? arg_text_item(&call->args[2], i) : item_null();
		struct text *items;
		uint32_t count;

		if (item_is_null(text)) {
			call_set_null(call, i);
			continue;
		}
		count = split_text(text, characters, delimiter, null_text, NULL);
		items = call_items(call, count, err);
		if (!items)
			return -1;
		split_text(text, characters, delimiter, null_text, items);
		call->out->list[i] = (struct text_list){items, count};
	}
	return 0;
}

/* -- Python's lists -- */

static int run_python(struct call *call, struct error *err)
{
	bool pluck = call->node->expr->function == FN_PY_PLUCK;
	struct text_vector items;
	int failed = 0;

	text_vector_init(&items);
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);

		if (pluck ? !py_pluck(text, arg_text(&call->args[1], i), &items, call_arena(call))
			  : !py_list(text, &items, call_arena(call))) {
			call_set_null(call, i);
			continue;
		}
		failed = call_set_list(call, i, &items, err);
		if (failed)
			break;
	}
	text_vector_release(&items);
	return failed;
}

/* -- Asking lists -- */

static int run_cardinality(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = arg_list(&call->args[0], i).count;
	return 0;
}

/* array_length, array_upper and array_lower */
static int run_length(struct call *call, struct error *err)
{
	bool lower = call->node->expr->function == FN_LIST_LOWER;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		uint32_t count = arg_list(&call->args[0], i).count;

		call->out->i64[i] = lower ? 1 : count;
		if (count == 0 || arg_i64(&call->args[1], i) != 1)
			call_set_null(call, i);
	}
	return 0;
}

static int run_get(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = arg_list(&call->args[0], i);
		int64_t at = arg_i64(&call->args[1], i);
		set_item(call, i, at >= 1 && at <= list.count ? list.items[at - 1] : item_null());
	}
	return 0;
}

static int run_dimensions(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		call->out->i64[i] = 1;
		if (arg_list(&call->args[0], i).count == 0)
			call_set_null(call, i);
	}
	return 0;
}

/* array_dims: [1:n] */
static int run_bounds(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		uint32_t count = arg_list(&call->args[0], i).count;
		char text[BOUNDS_TEXT_MAX], *to;
		int size = snprintf(text, sizeof(text), "[1:%u]", count);

		if (count == 0) {
			call_set_null(call, i);
			continue;
		}
		to = call_text(call, (uint64_t)size, err);
		if (!to)
			return -1;
		memcpy(to, text, (size_t)size);
		call->out->text[i] = text_from(to, (size_t)size);
	}
	return 0;
}

static int run_position(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = arg_list_or_none(&call->args[0], i);
		int64_t first = 1;
		uint32_t at;

		if (call->arg_count > 2) {
			if (column_is_null(&call->args[2], i))
				return error_set(
					err, ERROR_EVAL, "initial position must not be null");
			first = arg_i64(&call->args[2], i);
		}
		first = first < 1 ? 1 : first > list.count ? (int64_t)list.count + 1 : first;
		list.items += first - 1;
		list.count -= (uint32_t)first - 1;
		at = list_find(list, arg_item(call, 1, i));
		call->out->i64[i] = at + first;
		if (at == list.count)
			call_set_null(call, i);
	}
	return 0;
}

static int run_positions(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = arg_list_or_none(&call->args[0], i);
		struct text wanted = arg_item(call, 1, i), *items;
		uint32_t count = 0;

		if (column_is_null(&call->args[0], i)) {
			call_set_null(call, i);
			continue;
		}
		for (uint32_t k = 0; k < list.count; k++)
			count += same_item(list.items[k], wanted);
		items = call_items(call, count, err);
		if (!items)
			return -1;
		count = 0;
		for (uint32_t k = 0; k < list.count; k++) {
			struct value at = {.type = type_of(TYPE_INT), .i64 = (int64_t)k + 1};

			if (same_item(list.items[k], wanted))
				items[count++] = item_of_value(&at, call_arena(call));
		}
		call->out->list[i] = (struct text_list){items, count};
	}
	return 0;
}

/* Whether wanted op item, neither of which is NULL. */
static bool item_matches(enum function_id function, struct text wanted, struct text item)
{
	int order;

	if (function == FN_ANY_EQ || function == FN_ANY_NE)
		return text_equal(wanted, item) == (function == FN_ANY_EQ);
	order = text_compare(wanted, item);
	switch (function) {
	case FN_ANY_LT: return order < 0;
	case FN_ANY_LE: return order <= 0;
	case FN_ANY_GT: return order > 0;
	default: return order >= 0;
	}
}

/* x op ANY(list): NULL when it could be true if only the NULLs in it were known. */
static int run_any(struct call *call, struct error *err)
{
	enum function_id function = call->node->expr->function;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text wanted = arg_item(call, 0, i);
		struct text_list list;
		bool found = false, unknown = false;

		if (column_is_null(&call->args[1], i)) {
			call_set_null(call, i);
			continue;
		}
		list = arg_list(&call->args[1], i);
		for (uint32_t k = 0; k < list.count && !found; k++) {
			bool is_null = item_is_null(wanted) || item_is_null(list.items[k]);

			unknown = unknown || is_null;
			found = !is_null && item_matches(function, wanted, list.items[k]);
		}
		call->out->u8[i] = found;
		if (!found && unknown)
			call_set_null(call, i);
	}
	return 0;
}

/* Whether an item of `some` is in `list`, or, for `all`, whether they all are. */
static bool list_has(struct text_list list, struct text_list some, bool all)
{
	for (uint32_t k = 0; k < some.count; k++) {
		bool found =
			!item_is_null(some.items[k]) && list_find(list, some.items[k]) < list.count;

		if (found != all)
			return found;
	}
	return all;
}

static int run_contains(struct call *call, struct error *err)
{
	bool all = call->node->expr->function == FN_LIST_CONTAINS;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->u8[i] = list_has(arg_list(&call->args[0], i), arg_list(&call->args[1], i), all);
	return 0;
}

/* -- To text -- */

static uint64_t join_size(struct text_list list, struct text delimiter, struct text null_text)
{
	uint64_t size = 0;
	uint64_t parts = 0;

	for (uint32_t k = 0; k < list.count; k++) {
		struct text item = item_is_null(list.items[k]) ? null_text : list.items[k];

		if (item_is_null(item))
			continue;
		size += item.size;
		parts++;
	}
	return size + (parts > 0 ? parts - 1 : 0) * delimiter.size;
}

static char *put(char *to, struct text text)
{
	return text.size > 0 ? mempcpy(to, text.data, text.size) : to;
}

static void join(struct text_list list, struct text delimiter, struct text null_text, char *to)
{
	bool first = true;

	for (uint32_t k = 0; k < list.count; k++) {
		struct text item = item_is_null(list.items[k]) ? null_text : list.items[k];

		if (item_is_null(item))
			continue;
		if (!first)
			to = put(to, delimiter);
		to = put(to, item);
		first = false;
	}
}

/* The texts of the elements, as array_to_string has them. */
static int items_to_texts(
	struct call *call, struct type element, struct text_list *list, struct error *err)
{
	struct text *texts = call_items(call, list->count, err);
	struct buf buf;
	int failed = texts ? 0 : -1;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	for (uint32_t k = 0; k < list->count && !failed; k++) {
		struct value value = item_value(element, list->items[k], call_arena(call));
		char *to;

		texts[k] = item_null();
		if (value.is_null)
			continue;
		buf_clear(&buf);
		value_format(&value, &buf);
		to = call_text(call, buf_overflowed(&buf) ? UINT64_MAX : buf.size, err);
		failed = to ? 0 : -1;
		if (to)
			texts[k] = text_from(
				put(to, text_from(buf.data, buf.size)) - buf.size, buf.size);
	}
	buf_release(&buf);
	*list = (struct text_list){texts, list->count};
	return failed;
}

static int run_join(struct call *call, struct error *err)
{
	struct type element = type_element_of(call->node->expr->args[0]->type);

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text delimiter = arg_text_item(&call->args[1], i);
		struct text null_text =
			call->arg_count > 2 ? arg_text_item(&call->args[2], i) : item_null();
		struct text_list list;
		uint64_t size;
		char *to;

		if (column_is_null(&call->args[0], i) || item_is_null(delimiter)) {
			call_set_null(call, i);
			continue;
		}
		list = arg_list(&call->args[0], i);
		if (element.kind != TYPE_TEXT && items_to_texts(call, element, &list, err))
			return -1;
		size = join_size(list, delimiter, null_text);
		to = call_text(call, size, err);
		if (!to)
			return -1;
		join(list, delimiter, null_text, to);
		call->out->text[i] = text_from(to, size);
	}
	return 0;
}

const struct kernel *kernel_list_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_LIST_MAKE] = {.run = run_make, .flags = KERNEL_SEES_NULLS},
		[FN_CARDINALITY] = {.run = run_cardinality},
		[FN_ANY_EQ] = {.run = run_any, .flags = KERNEL_SEES_NULLS},
		[FN_ANY_NE] = {.run = run_any, .flags = KERNEL_SEES_NULLS},
		[FN_ANY_LT] = {.run = run_any, .flags = KERNEL_SEES_NULLS},
		[FN_ANY_LE] = {.run = run_any, .flags = KERNEL_SEES_NULLS},
		[FN_ANY_GT] = {.run = run_any, .flags = KERNEL_SEES_NULLS},
		[FN_ANY_GE] = {.run = run_any, .flags = KERNEL_SEES_NULLS},
		[FN_ARRAY_LENGTH] = {.run = run_length},
		[FN_LIST_LOWER] = {.run = run_length},
		[FN_LIST_NDIMS] = {.run = run_dimensions},
		[FN_LIST_DIMS] = {.run = run_bounds},
		[FN_LIST_SLICE] = {.run = run_slice},
		[FN_LIST_TRIM] = {.run = run_trim},
		[FN_LIST_FILL] = {.run = run_fill, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_APPEND] = {.run = run_append, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_PREPEND] = {.run = run_append, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_REMOVE] = {.run = run_replace, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_REPLACE] = {.run = run_replace, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_POSITIONS] = {.run = run_positions, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_GET] = {.run = run_get},
		[FN_LIST_CONTAINS] = {.run = run_contains},
		[FN_LIST_OVERLAPS] = {.run = run_contains},
		[FN_LIST_CONCAT] = {.run = run_concat, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_POSITION] = {.run = run_position, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_JOIN] = {.run = run_join, .flags = KERNEL_SEES_NULLS},
		[FN_LIST_SPLIT] = {.run = run_split, .flags = KERNEL_SEES_NULLS},
		[FN_PY_LIST] = {.run = run_python},
		[FN_PY_PLUCK] = {.run = run_python},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return NULL;
	return &kernels[expr->function];
}
