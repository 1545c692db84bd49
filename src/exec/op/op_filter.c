/*
 * Keeps the selected rows for which every conjunct is true: the columns pass untouched, only the
 * selection shrinks.
 */
#include "base/memory.h"
#include "exec/expr/eval.h"
#include "exec/op/operator.h"

#include <stdlib.h>

struct op_filter {
	struct op op;
	struct evaluator *condition;
	uint16_t sel[BATCH_ROWS_MAX];
};

static int filter_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_filter *filter = (struct op_filter *)op;
	struct batch kept = *batch;

	evaluator_stop_with(filter->condition, op->stop, op->failed);
	if (evaluator_select(filter->condition, batch, filter->sel, &kept.selected, err) < 0)
		return -1;
	/* Where every row stays, those behind us do better without a selection. */
	kept.sel = kept.selected == kept.rows ? NULL : filter->sel;
	return op_push(op->next, &kept, err);
}

static void filter_free(struct op *op)
{
	struct op_filter *filter = (struct op_filter *)op;

	evaluator_free(filter->condition);
	free(filter);
}

static const struct op_table filter_op_table = {.consume = filter_consume, .free = filter_free};

int op_filter_new(struct op **out, const struct plan_op *plan, struct error *err)
{
	struct op_filter *filter = memory_zalloc(sizeof(*filter));

	filter->op.table = &filter_op_table;
	/* One evaluator for all conjuncts computes what they share once. */
	if (evaluator_new_conjunction(
		    &filter->condition, plan->filter.conjuncts, plan->filter.count, err) < 0) {
		free(filter);
		return -1;
	}
	*out = &filter->op;
	return 0;
}
