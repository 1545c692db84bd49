/*
 * The first rows after an offset, of rows that come in the order that counts.
 */
#include "base/memory.h"
#include "exec/op/operator.h"

#include <stdlib.h>

struct op_limit {
	struct op op;
	uint64_t skip; /* rows that are still to be left out, */
	uint64_t rest; /* and that may pass after those */
	uint16_t sel[BATCH_ROWS_MAX];
};

static int limit_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_limit *limit = (struct op_limit *)op;
	uint32_t from = limit->skip < batch->selected ? (uint32_t)limit->skip : batch->selected;
	uint32_t count = batch->selected - from;
	struct batch kept = *batch;

	limit->skip -= from;
	if (count > limit->rest)
		count = (uint32_t)limit->rest;
	if (limit->rest != PLAN_LIMIT_NONE)
		limit->rest -= count;
	if (count < batch->selected) {
		for (uint32_t k = 0; k < count; k++)
			limit->sel[k] = (uint16_t)batch_row(batch, from + k);
		kept.sel = limit->sel;
		kept.selected = count;
	}
	return op_push(op->next, &kept, err);
}

static void limit_free(struct op *op)
{
	free(op);
}

static const struct op_table limit_op_table = {.consume = limit_consume, .free = limit_free};

struct op *op_limit_new(const struct plan_op *plan)
{
	struct op_limit *limit = memory_zalloc(sizeof(*limit));

	limit->op.table = &limit_op_table;
	limit->skip = plan->limit.offset;
	limit->rest = plan->limit.limit;
	return &limit->op;
}
