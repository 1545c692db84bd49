/*
 * From logical trees to the plan: pipelines of operators, cut where rows have to meet.
 */
#ifndef SQL_FRAGMENT_H
#define SQL_FRAGMENT_H

#include "sql/logical.h"

/* A query that is ready to be cut, and all columns of it. */
struct fragment_query {
	struct logical_query query;
	struct logical_columns columns;
};

/* Everything in the plan lives in the arena; plan->queries are the caller's to fill. */
MUST_CHECK int fragment_plan(const struct catalog *catalog, const struct fragment_query *queries,
	uint32_t query_count, struct arena *arena, struct plan *plan, struct error *err);

#endif
