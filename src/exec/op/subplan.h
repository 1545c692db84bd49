/*
 * A plan that runs over and over inside of an operator, in one thread: what a recursion does in every
 * round.
 *
 * Its tables are rows that are given to it. Those of table 0 are others in every round; what depends
 * on no such row is computed once and kept. Each fragment has one instance, in the order of the
 * plan: whatever a join needs is complete before the first row that flows into it.
 */
#ifndef EXEC_SUBPLAN_H
#define EXEC_SUBPLAN_H

#include "exec/op/pipeline.h"
#include "exec/table/row_store.h"

struct subplan;

/*
 * `plan` is borrowed; it has one query. Its tables, but the first, are builds[source of the table];
 * these are borrowed, but not the list.
 */
struct subplan *subplan_new(const struct plan *plan, const struct join_build *const *builds);
void subplan_free(struct subplan *subplan);
/*
 * Pushes the rows of the plan's query into the sink. `round` has those of table 0. `stop` as in
 * pipeline_stop_with.
 */
MUST_CHECK int subplan_run(struct subplan *subplan, struct row_store *round, struct sink *sink,
	const atomic_bool *stop, struct error *err);

#endif
