/*
 * Lists of texts. An item that is NULL equals nothing where PostgreSQL asks for equal items, and
 * other NULLs where it asks for the same.
 */
#include "exec/expr/eval_private.h"

#include "exec/func/py_literal.h"

#include <string.h>

static const struct text null_item = {NULL, TEXT_LIST_NULL_SIZE};

static bool is_null_item(struct text item)
{
	return item.size == TEXT_LIST_NULL_SIZE;
}

static struct text_list arg_list(const struct column *arg, uint32_t row)
{
	return arg->list[column_index(arg, row)];
}

/* The text of an argument as an item: a NULL is one, too. */
static struct text arg_item(const struct column *arg, uint32_t row)
{
	return column_is_null(arg, row) ? null_item : arg_text(arg, row);
}

/* Where the item stands, or list.count. NULL items are found by NULL. */
static uint32_t list_find(struct text_list list, struct text item)
{
	uint32_t i = 0;

	if (is_null_item(item))
		while (i < list.count && !is_null_item(list.items[i]))
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
			items[a] = arg_item(&call->args[a], i);
		call->out->list[i] = (struct text_list){items, call->arg_count};
	}
	return 0;
}

static int run_concat(struct call *call, struct error *err)
{
	const struct column *a = &call->args[0];
	const struct column *b = &call->args[1];

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list left, right;
		struct text *items;

		if (column_is_null(a, i) && column_is_null(b, i)) {
			call_set_null(call, i);
			continue;
		}
		left = column_is_null(a, i) ? (struct text_list){0} : arg_list(a, i);
		right = column_is_null(b, i) ? (struct text_list){0} : arg_list(b, i);
		items = call_items(call, (uint64_t)left.count + right.count, err);
		if (!items)
			return -1;
		for (uint32_t k = 0; k < left.count; k++)
			items[k] = left.items[k];
		for (uint32_t k = 0; k < right.count; k++)
			items[left.count + k] = right.items[k];
		call->out->list[i] = (struct text_list){items, left.count + right.count};
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
			if (!is_null_item(null_text) && text_equal(items[count], null_text))
				items[count] = null_item;
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
		struct text text = arg_item(&call->args[0], i);
		bool characters = column_is_null(&call->args[1], i);
		struct text delimiter = arg_item(&call->args[1], i);
		struct text null_text =
			call->arg_count > 2 ? arg_item(&call->args[2], i) : null_item;
		struct text *items;
		uint32_t count;

		if (is_null_item(text)) {
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

static int run_length(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		uint32_t count = arg_list(&call->args[0], i).count;

		call->out->i64[i] = count;
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
		bool inside = at >= 1 && at <= list.count;

		if (inside && !is_null_item(list.items[at - 1]))
			call->out->text[i] = list.items[at - 1];
		else
			call_set_null(call, i);
	}
	return 0;
}

static int run_position(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		bool is_null = column_is_null(&call->args[0], i);
		struct text_list list =
			is_null ? (struct text_list){0} : arg_list(&call->args[0], i);
		uint32_t at = list_find(list, arg_item(&call->args[1], i));

		call->out->i64[i] = (int64_t)at + 1;
		if (at == list.count)
			call_set_null(call, i);
	}
	return 0;
}

/* x = ANY(list): NULL when it could be true if only the NULLs in it were known. */
static int run_any_equal(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text wanted = arg_item(&call->args[0], i);
		struct text_list list;
		bool found;

		if (column_is_null(&call->args[1], i)) {
			call_set_null(call, i);
			continue;
		}
		list = arg_list(&call->args[1], i);
		found = !is_null_item(wanted) && list_find(list, wanted) < list.count;
		call->out->u8[i] = found;
		/* Not even an unknown text is among none. */
		if (!found && list.count > 0 &&
			(is_null_item(wanted) || list_find(list, null_item) < list.count))
			call_set_null(call, i);
	}
	return 0;
}

/* Whether an item of `some` is in `list`, or, for `all`, whether they all are. */
static bool list_has(struct text_list list, struct text_list some, bool all)
{
	for (uint32_t k = 0; k < some.count; k++) {
		bool found =
			!is_null_item(some.items[k]) && list_find(list, some.items[k]) < list.count;

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
		struct text item = is_null_item(list.items[k]) ? null_text : list.items[k];

		if (is_null_item(item))
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
		struct text item = is_null_item(list.items[k]) ? null_text : list.items[k];

		if (is_null_item(item))
			continue;
		if (!first)
			to = put(to, delimiter);
		to = put(to, item);
		first = false;
	}
}

static int run_join(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text delimiter = arg_item(&call->args[1], i);
		struct text null_text =
			call->arg_count > 2 ? arg_item(&call->args[2], i) : null_item;
		struct text_list list;
		uint64_t size;
		char *to;

		if (column_is_null(&call->args[0], i) || is_null_item(delimiter)) {
			call_set_null(call, i);
			continue;
		}
		list = arg_list(&call->args[0], i);
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
		[FN_ANY_EQ] = {.run = run_any_equal, .flags = KERNEL_SEES_NULLS},
		[FN_ARRAY_LENGTH] = {.run = run_length},
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
