/*
 * The build side of a join: rows with their keys in a hash table.
 *
 * Legal order: new, any number of add, seal once, then any number of lookups from any number of
 * threads. add is for one thread at a time.
 */
#ifndef EXEC_JOIN_BUILD_H
#define EXEC_JOIN_BUILD_H

#include "base/memory_budget.h"
#include "column/column.h"
#include "plan/plan.h"

struct join_build;

/* `join` NULL: rows that nobody looks up, to be read from the first to the last. */
struct join_build *join_build_new(
	const struct plan_join *join, uint32_t column_count, const struct type *types);
void join_build_free(struct join_build *build);
/* Its rows count for this budget, and more than that are ERROR_LIMIT. Borrowed; before the first add. */
void join_build_count_for(struct join_build *build, struct memory_budget *budget);
/* Copies the selected rows. ERROR_LIMIT past 2^31 rows. */
MUST_CHECK int join_build_add(
	struct join_build *build, const struct batch *batch, struct error *err);
void join_build_seal(struct join_build *build);

/* What a batch of its rows is given to; borrowed for the call. */
typedef int (*join_build_reader)(void *context, const struct batch *batch, struct error *err);

/* All rows of a sealed one, in the order in which they came. */
MUST_CHECK int join_build_read(
	const struct join_build *build, join_build_reader read, void *context, struct error *err);

#endif
