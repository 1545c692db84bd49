/*
 * WITH RECURSIVE. What flows in is the first round; the plan of the recursive term makes each further
 * one of the round before, until one is empty. Every round is passed on when it is complete.
 *
 * Rounds are sets of rows that do not depend on the order of arrival: with UNION equal rows are one,
 * by a group in front and at the end of the term, and here by a table of all rows that were there.
 * A query that would go on for ever ends at one of the bounds below.
 */
#include "base/memory.h"
#include "exec/op/operator.h"
#include "exec/op/subplan.h"
#include "exec/table/group_table.h"

#include <stdlib.h>

#define ROUNDS_MAX UINT64_C(1000000)
#define ROWS_MAX   UINT64_C(10000000)

struct op_recursion {
	struct op op;
	struct sink sink; /* of the subplan: the next round */
	const struct plan_recursion *plan;
	struct subplan *term;
	struct row_store rounds[2];
	uint32_t round; /* which of them is the one at hand */
	uint32_t column_count;
	uint32_t *keys;		 /* all columns */
	struct group_table seen; /* of UNION: every row so far */
	uint64_t round_count;
	uint64_t row_count;
};

static struct op_recursion *recursion_of(struct sink *sink)
{
	return (struct op_recursion *)((char *)sink - offsetof(struct op_recursion, sink));
}

static int add_rows(struct op_recursion *recursion, uint32_t round, const struct batch *batch,
	struct error *err)
{
	uint8_t *rows[BATCH_ROWS_MAX];
	uint16_t created[BATCH_ROWS_MAX];
	struct batch fresh = *batch;

	if (recursion->plan->distinct) {
		if (group_table_find(&recursion->seen, batch, recursion->keys, rows, created,
			    &fresh.selected, err) < 0)
			return -1;
		for (uint32_t i = 0; i < fresh.selected; i++)
			created[i] = (uint16_t)batch_row(batch, created[i]);
		fresh.sel = created;
	}
	recursion->row_count += fresh.selected;
	if (recursion->row_count > ROWS_MAX)
		return error_set(err, ERROR_EVAL,
			"a recursive query has made more than %llu rows: does it ever end?",
			(unsigned long long)ROWS_MAX);
	return row_store_add(&recursion->rounds[round], &fresh, err);
}

static int recursion_consume(struct op *op, const struct batch *batch, struct error *err)
{
	return add_rows((struct op_recursion *)op, 0, batch, err);
}

static int add_next(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct op_recursion *recursion = recursion_of(sink);

	return add_rows(recursion, 1 - recursion->round, batch, err);
}

static int pass_on(void *context, const struct batch *batch, struct error *err)
{
	struct op_recursion *recursion = context;

	return op_push(recursion->op.next, batch, err);
}

static int next_round(struct op_recursion *recursion, struct error *err)
{
	struct row_store *next = &recursion->rounds[1 - recursion->round];

	if (op_check_stop(&recursion->op, err))
		return -1;
	if (++recursion->round_count > ROUNDS_MAX)
		return error_set(err, ERROR_EVAL,
			"a recursive query has not ended after %llu rounds: does it ever?",
			(unsigned long long)ROUNDS_MAX);
	row_store_clear(next);
	if (subplan_run(recursion->term, &recursion->rounds[recursion->round], &recursion->sink,
		    recursion->op.stop, err) < 0)
		return -1;
	recursion->round = 1 - recursion->round;
	return 0;
}

static int recursion_finish(struct op *op, struct error *err)
{
	struct op_recursion *recursion = (struct op_recursion *)op;

	while (recursion->rounds[recursion->round].count > 0) {
		if (row_store_read(&recursion->rounds[recursion->round], pass_on, recursion, err) <
			0)
			return -1;
		if (recursion->row_count >= recursion->plan->wanted)
			return 0;
		if (next_round(recursion, err) < 0)
			return -1;
	}
	return 0;
}

static void recursion_free(struct op *op)
{
	struct op_recursion *recursion = (struct op_recursion *)op;

	subplan_free(recursion->term);
	for (int i = 0; i < 2; i++)
		row_store_release(&recursion->rounds[i]);
	if (recursion->plan->distinct)
		group_table_release(&recursion->seen);
	free(recursion->keys);
	free(recursion);
}

static const struct op_table recursion_op_table = {
	.consume = recursion_consume,
	.finish = recursion_finish,
	.free = recursion_free,
};

struct op *op_recursion_new(const struct plan_op *plan, const struct join_build *const *builds)
{
	struct op_recursion *recursion = memory_zalloc(sizeof(*recursion));

	recursion->op.table = &recursion_op_table;
	recursion->sink.emit = add_next;
	recursion->plan = &plan->recursion;
	recursion->column_count = plan->column_count;
	recursion->keys = memory_alloc((plan->column_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < plan->column_count; i++)
		recursion->keys[i] = i;
	for (int i = 0; i < 2; i++)
		row_store_init(&recursion->rounds[i], plan->column_count, plan->types);
	if (plan->recursion.distinct)
		group_table_init(&recursion->seen, plan->column_count, plan->types, 0);
	recursion->term = subplan_new(plan->recursion.term, builds);
	return &recursion->op;
}
