/*
 * A subquery as a value may have one row. Whether it has a second one is known when the join with it
 * is made, but matters only where the value is asked for: here.
 */
#include "exec/expr/eval_private.h"

static int run_second_row(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		if (call->args[0].u8[column_index(&call->args[0], i)])
			return error_set(err, ERROR_EVAL,
				"more than one row returned by a subquery used as an expression");
		call->out->u8[i] = 0;
	}
	return 0;
}

const struct kernel *kernel_single_find(const struct expr *expr)
{
	static const struct kernel second_row = {.run = run_second_row};

	return expr->function == FN_SECOND_ROW ? &second_row : NULL;
}
