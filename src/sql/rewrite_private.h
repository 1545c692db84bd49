/*
 * What rewrite.c and rewrite_join.c share: the walk that pushes conjuncts down.
 */
#ifndef SQL_REWRITE_PRIVATE_H
#define SQL_REWRITE_PRIVATE_H

#include "sql/rewrite.h"

struct rewriter {
	struct arena *arena;
	const struct catalog *catalog;
	struct logical_columns *columns;
};

/* `node` under these conjuncts, each of them as deep in the tree as it may go. */
struct logical *rewrite_push(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* The same for inner joins, and for outer ones and marks. */
struct logical *rewrite_inner_joins(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
struct logical *rewrite_outer_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);

#endif
