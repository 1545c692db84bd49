/*
 * WHERE x IN (SELECT ...) or EXISTS (...) stands above all joins of its FROM clause. Where it leaves few
 * rows, and all that it asks is about one relation, it is asked there: the joins then have less to do.
 * Whether a row meets something does not depend on what the row is joined with.
 */
#include "sql/rewrite/rewrite_private.h"

/* Rows are thought worth dropping early when so many of them, or fewer, are left. */
#define LEFT_MAX 0.5

/* Whether a conjunct asks for rows that have the mark; with `negated` set: for those without it. */
static bool asks_for_mark(const struct logical_filter *conjuncts, uint32_t mark, bool *negated)
{
	for (uint32_t i = 0; i < conjuncts->count; i++) {
		const struct expr *conjunct = conjuncts->conjuncts[i];

		*negated = conjunct->kind == EXPR_NOT;
		if (*negated)
			conjunct = conjunct->args[0];
		if (conjunct->kind == EXPR_COLUMN && conjunct->column == mark)
			return true;
	}
	return false;
}

/* The share of rows that is left; 1 when that cannot be told. */
static double share_left(struct rewriter *r, const struct logical *node, bool negated)
{
	const struct logical_join *join = &node->join;
	struct estimate build = logical_estimate(node->inputs[1], r->catalog, r->columns);
	struct estimate_keys keys = {0};
	double met;

	for (uint32_t i = 0; i < join->key_count; i++) {
		struct type type = r->columns->list[join->keys[0][i]].type;

		estimate_add_key(&keys,
			estimate_distinct(
				expr_column(r->arena, join->keys[0][i], type), r->columns),
			estimate_distinct(
				expr_column(r->arena, join->keys[1][i], type), r->columns));
	}
	for (uint32_t i = 0; i < join->on.count; i++) {
		struct expr *flow, *own;

		if (expr_is_join_key(
			    join->on.conjuncts[i], node->inputs[0], node->inputs[1], &flow, &own))
			estimate_add_key(&keys, estimate_distinct(flow, r->columns),
				estimate_distinct(own, r->columns));
		else if (negated)
			return 1;
	}
	met = estimate_met(&keys, build);
	if (met == 0)
		return 1;
	return negated ? 1 - met : met;
}

/* Whether the columns of `flow` that an expression reads are all of `side`, a part of it. */
static bool reads_only_side(
	const struct expr *expr, const struct logical *flow, const struct logical *side)
{
	if (expr->kind == EXPR_COLUMN)
		return logical_has_column(side, expr->column) ||
		       !logical_has_column(flow, expr->column);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (!reads_only_side(expr->args[i], flow, side))
			return false;
	return true;
}

/* Whether the join asks about nothing of what flows but columns of `side`. */
static bool asks_only(const struct logical *node, const struct logical *side)
{
	const struct logical_join *join = &node->join;

	for (uint32_t i = 0; i < join->key_count; i++)
		if (!logical_has_column(side, join->keys[0][i]))
			return false;
	for (uint32_t i = 0; i < join->on.count; i++)
		if (!reads_only_side(join->on.conjuncts[i], node->inputs[0], side))
			return false;
	return true;
}

/* The input of `at` where the same could be asked; NULL when it is here. */
static struct logical **way_down(const struct logical *node, struct logical *at)
{
	uint32_t sides = 0;

	switch (at->kind) {
	case LOGICAL_FILTER:
	case LOGICAL_EXTEND: sides = 1; break;
	case LOGICAL_JOIN: sides = at->join.kind == JOIN_INNER ? 2 : 1; break;
	default: break;
	}
	if (at->kind == LOGICAL_JOIN && at->join.kind == JOIN_FULL)
		sides = 0;
	for (uint32_t i = 0; i < sides; i++)
		if (asks_only(node, at->inputs[i]))
			return &at->inputs[i];
	return NULL;
}

/* Puts the join below `at`, as deep as it may go. */
static void sink(struct rewriter *r, struct logical *node, struct logical *at)
{
	struct logical **place = way_down(node, at);

	if (way_down(node, *place)) {
		sink(r, node, *place);
	} else {
		struct logical *flow = *place;

		*place = node;
		node->inputs[0] = flow;
		logical_set_columns(r->arena, node);
	}
	logical_set_columns(r->arena, at);
}

/* Whether there is a join on the way down that could be smaller: two marks would pass each other for ever. */
static bool passes_join(const struct logical *node, struct logical *at)
{
	struct logical **place = way_down(node, at);

	return place && ((at->kind == LOGICAL_JOIN && !join_yields_mark(at->join.kind)) ||
				passes_join(node, *place));
}

struct logical *rewrite_sink(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical *flow = node->inputs[0];
	bool negated;

	if (!join_yields_mark(node->join.kind) || !passes_join(node, flow) ||
		!asks_for_mark(conjuncts, node->join.mark, &negated) ||
		share_left(r, node, negated) > LEFT_MAX)
		return NULL;
	sink(r, node, flow);
	return rewrite_push(r, flow, conjuncts);
}
