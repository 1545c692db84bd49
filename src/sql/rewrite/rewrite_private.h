/*
 * What rewrite.c and rewrite_join.c share: the walk that pushes conjuncts down.
 */
#ifndef SQL_REWRITE_PRIVATE_H
#define SQL_REWRITE_PRIVATE_H

#include "sql/rewrite/rewrite.h"

struct rewriter {
	struct arena *arena;
	const struct catalog *catalog;
	struct logical_columns *columns;
};

/* `node` under these conjuncts, each of them as deep in the tree as it may go. */
struct logical *rewrite_push(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* Makes an outer join that these conjuncts stand above a narrower one, where they allow it. */
void rewrite_simplify_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* The same as rewrite_push for inner joins and unnest(), and for outer joins and subqueries. */
struct logical *rewrite_inner_joins(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
struct logical *rewrite_outer_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);

#endif
