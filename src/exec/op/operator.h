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
	struct op *next;		/* NULL only in the last */
	const atomic_bool *stop;	/* pipeline_stop_with; NULL: nobody stops it */
	const atomic_bool *failed;	/* the same: another thread has failed */
	const struct op_memory *memory; /* pipeline_work_with; NULL: there is enough */
};

int op_interrupted(struct error *err);

/* For what can take long without a batch that goes on: -1 when somebody wants it to end. */
MUST_CHECK static inline int op_check_stop(const struct op *op, struct error *err)
{
	if ((op->stop && atomic_load_explicit(op->stop, memory_order_relaxed)) ||
		(op->failed && atomic_load_explicit(op->failed, memory_order_relaxed)))
		return op_interrupted(err);
	return 0;
}

/* Batches without selected rows go no further. */
MUST_CHECK static inline int op_push(struct op *op, const struct batch *batch, struct error *err)
{
	if (batch->selected == 0)
		return 0;
	if (op_check_stop(op, err))
		return -1;
	return op->table->consume(op, batch, err);
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
/* `builds` are those of the fragment, sealed and borrowed. */
struct op *op_recursion_new(const struct plan_op *plan, const struct join_build *const *builds);
struct op *op_limit_new(const struct plan_op *plan);
/* `build` is sealed and borrowed. */
MUST_CHECK int op_join_new(struct op **out, const struct plan_op *plan,
	const struct join_build *build, struct error *err);

#endif
