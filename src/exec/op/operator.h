/*
 * A running operator: takes batches, pushes what it makes of them to the next one.
 *
 * Every operator embeds a `struct op` as its first member. The chain of a pipeline ends in an
 * operator that hands its batches to the sink. Batches are borrowed for the call that brings them.
 */
#ifndef EXEC_OPERATOR_H
#define EXEC_OPERATOR_H

#include "exec/op/pipeline.h"
#include "exec/table/join_build.h"
#include "plan/plan.h"

struct op;

struct op_table {
	int (*consume)(struct op *op, const struct batch *batch, struct error *err);
	/* The input has ended: push what is left. NULL when nothing can be. */
	int (*finish)(struct op *op, struct error *err);
	void (*free)(struct op *op);
};

struct op {
	const struct op_table *table;
	struct op *next; /* NULL only in the last */
};

/* Batches without selected rows go no further. */
MUST_CHECK static inline int op_push(struct op *op, const struct batch *batch, struct error *err)
{
	return batch->selected == 0 ? 0 : op->table->consume(op, batch, err);
}

MUST_CHECK static inline int op_finish(struct op *op, struct error *err)
{
	return op->table->finish ? op->table->finish(op, err) : 0;
}

static inline void op_free(struct op *op)
{
	op->table->free(op);
}

/* `plan` is borrowed and outlives the operator; the caller sets op->next. */
MUST_CHECK int op_filter_new(struct op **out, const struct plan_op *plan, struct error *err);
MUST_CHECK int op_project_new(struct op **out, const struct plan_op *plan, struct error *err);
struct op *op_group_new(const struct plan_op *plan);
struct op *op_top_new(const struct plan_op *plan);
struct op *op_window_new(const struct plan_op *plan);
struct op *op_unnest_new(const struct plan_op *plan);
/* `build` is sealed and borrowed. */
MUST_CHECK int op_join_new(struct op **out, const struct plan_op *plan,
	const struct join_build *build, struct error *err);

#endif
