/*
 * What rewrite.c and rewrite_join.c share: the walk that pushes conjuncts down.
 */
#ifndef SQL_REWRITE_PRIVATE_H
#define SQL_REWRITE_PRIVATE_H

#include "sql/rewrite/estimate.h"
#include "sql/rewrite/rewrite.h"

struct rewriter {
	struct arena *arena;
	const struct catalog *catalog;
	struct logical_columns *columns;
	uint32_t bound_visits; /* nodes that were asked for what bounds their columns */
};

/* `node` under these conjuncts, each of them as deep in the tree as it may go. */
struct logical *rewrite_push(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* Makes an outer join that these conjuncts stand above a narrower one, where they allow it. */
void rewrite_simplify_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* The same as rewrite_push for a left join whose partners nobody wants; NULL: it is none. */
struct logical *rewrite_missing(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* The same as rewrite_push for a subquery that is better asked before joins; NULL: it is none. */
struct logical *rewrite_sink(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
/* The same as rewrite_push for inner joins and unnest(), and for outer joins and subqueries. */
struct logical *rewrite_inner_joins(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);
struct logical *rewrite_outer_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts);

/*
 * Before an inner join of `grouped` and `few` by these keys: drops what the join would drop before it is
 * grouped, where that is worth it.
 */
bool rewrite_reduce(struct rewriter *r, struct logical *grouped, uint32_t key, struct logical *few,
	uint32_t few_key);

/* rewrite_condition.c */
/* Takes what the branches of ORs have in common out of them, in the whole tree. */
void rewrite_factor(struct rewriter *r, struct logical *node);
/* Adds what ORs over several relations say about each of them alone. */
void rewrite_split_ors(struct rewriter *r, struct logical_filter *conjuncts, uint32_t count,
	struct logical *const *relations);
/*
 * Adds the bounds of columns that are equal to a bounded one: by the conjuncts, or in one of the
 * relations that they join.
 */
void rewrite_spread_bounds(struct rewriter *r, struct logical_filter *conjuncts, uint32_t count,
	struct logical *const *relations);
/*
 * Adds to `build`, which is about the build side of the join alone, what bounds its keys: the rows of
 * the other side that pass the conjuncts `above` have no others.
 */
void rewrite_bound_optional(struct rewriter *r, const struct logical *node,
	const struct logical_filter *above, struct logical_filter *build);

#endif
