/*
 * Lists of texts.
 */
#include "exec/eval_private.h"

static int run_make(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text *items =
			arena_alloc(call_arena(call), (call->arg_count + 1) * sizeof(*items));

		for (uint32_t a = 0; a < call->arg_count; a++)
			items[a] = column_is_null(&call->args[a], i)
					   ? (struct text){NULL, TEXT_LIST_NULL_SIZE}
					   : arg_text(&call->args[a], i);
		call->out->list[i] = (struct text_list){items, call->arg_count};
	}
	return 0;
}

static int run_cardinality(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = call->args[0].list[i].count;
	return 0;
}

/* x = ANY(list): NULL when it could be true if only the NULLs in it were known. */
static int run_any_equal(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		bool unknown = column_is_null(&call->args[0], i);
		struct text wanted = arg_text(&call->args[0], i);
		struct text_list list = {0};
		bool found = false;

		if (column_is_null(&call->args[1], i)) {
			call_set_null(call, i);
			continue;
		}
		list = call->args[1].list[column_index(&call->args[1], i)];
		/* Not even an unknown text is among none. */
		unknown &= list.count > 0;
		for (uint32_t k = 0; k < list.count && !unknown && !found; k++)
			found = text_equal(list.items[k], wanted);
		for (uint32_t k = 0; k < list.count && !unknown && !found; k++)
			unknown = list.items[k].size == TEXT_LIST_NULL_SIZE;
		call->out->u8[i] = found;
		if (unknown)
			call_set_null(call, i);
	}
	return 0;
}

const struct kernel *kernel_list_find(const struct expr *expr)
{
	static const struct kernel make = {.run = run_make, .flags = KERNEL_SEES_NULLS};
	static const struct kernel cardinality = {.run = run_cardinality};
	static const struct kernel any_equal = {.run = run_any_equal, .flags = KERNEL_SEES_NULLS};

	switch (expr->function) {
	case FN_LIST_MAKE: return &make;
	case FN_CARDINALITY: return &cardinality;
	case FN_ANY_EQ: return &any_equal;
	default: return NULL;
	}
}
