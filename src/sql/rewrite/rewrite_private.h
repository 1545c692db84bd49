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

/* rewrite_condition.c */
/* Takes what the branches of ORs have in common out of them, in the whole tree. */
void rewrite_factor(struct rewriter *r, struct logical *node);
/* Adds what ORs over several relations say about each of them alone. */
void rewrite_split_ors(struct rewriter *r, struct logical_filter *conjuncts, uint32_t count,
	struct logical *const *relations);
/* Adds the bounds of columns that are equal to a bounded one. */
void rewrite_spread_bounds(struct rewriter *r, struct logical_filter *conjuncts);
/* `bound` as one of `other`, if it compares `column` with constants; otherwise NULL. */
struct expr *rewrite_bound_of(
	struct rewriter *r, struct expr *bound, uint32_t column, struct expr *other);

#endif
