/* Casts of arrays: each element by the kernel that casts such values. */
#include "exec/expr/eval_private.h"

#include "column/item.h"

/* Some items, at most BATCH_ROWS_MAX, from one type of element to another. */
static int cast_items(struct call *call, const struct kernel *kernel, struct type from,
	const struct text *items, uint32_t count, struct text *out, struct error *err)
{
	struct arena *arena = call_arena(call);
	uint16_t present[BATCH_ROWS_MAX];
	struct column in, made;
	struct call inner = *call;
	uint32_t kept = 0;

	column_of_items(from, items, count, &in, arena);
	inner.type = type_element_of(call->type);
	column_init(&made, inner.type, count, arena);
	made.valid = in.valid;
	for (uint32_t i = 0; i < count; i++) {
		present[kept] = (uint16_t)i;
		kept += !column_is_null(&in, i);
	}
	inner.rows = (struct rows){present, kept, count};
	inner.asked = inner.rows;
	inner.args = &in;
	inner.out = &made;
	if (kept > 0 && kernel->run(&inner, err) < 0)
		return -1;
	items_of_column(&made, count, out, arena);
	return 0;
}

static int cast_list(struct call *call, struct error *err)
{
	struct type from = type_element_of(call->node->expr->args[0]->type);
	const struct kernel *kernel = kernel_cast_find(from, type_element_of(call->type));

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text_list list = call->args[0].list[i];
		struct text *items = call_items(call, list.count, err);

		if (!items)
			return -1;
		for (uint32_t at = 0; at < list.count; at += BATCH_ROWS_MAX) {
			uint32_t rest = list.count - at;

			if (cast_items(call, kernel, from, list.items + at,
				    rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX, items + at, err))
				return -1;
		}
		call->out->list[i] = (struct text_list){items, list.count};
	}
	return 0;
}

const struct kernel *kernel_list_cast_find(struct type from, struct type to)
{
	static const struct kernel relabel = {.run = NULL}, elements = {.run = cast_list};
	const struct kernel *kernel;

	if (!type_is_array(from.kind) || !type_is_array(to.kind))
		return NULL;
	kernel = kernel_cast_find(type_element_of(from), type_element_of(to));
	if (!kernel)
		return NULL;
	return kernel->run ? &elements : &relabel;
}
