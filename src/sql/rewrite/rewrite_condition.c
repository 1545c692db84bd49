/*
 * What conditions imply.
 *
 * (a AND x) OR (a AND y) is a AND (x OR y): what all branches of an OR ask for is a condition of
 * its own, by which filters can be pushed and joins be made. Without that a join whose equality
 * stands in every branch would be a product of both tables.
 *
 * Of what is left of such an OR, each relation gets what the branches say about it alone:
 * (t.a = 1 AND u.b = 2) OR (t.a = 3 AND u.b = 4) lets only rows of t with a = 1 OR a = 3 through.
 *
 * And where two columns are equal, what bounds one of them bounds the other.
 */
#include "sql/rewrite/rewrite_private.h"

/* Branches are compared with each other, conjunct by conjunct: longer ORs stay as they are. */
#define BRANCHES_MAX  64
#define CONJUNCTS_MAX 64
/* Conditions that follow from others, in one set of joins. */
#define DERIVED_MAX 256

struct or_branches {
	uint32_t count;
	struct logical_filter list[BRANCHES_MAX];
};

/* Takes an OR of ORs apart. False when there is too much of it. */
static bool branches_add(struct rewriter *r, struct or_branches *branches, struct expr *expr)
{
	struct logical_filter *branch;

	if (expr->kind == EXPR_OR) {
		for (uint32_t i = 0; i < expr->arg_count; i++)
			if (!branches_add(r, branches, expr->args[i]))
				return false;
		return true;
	}
	if (branches->count == BRANCHES_MAX)
		return false;
	branch = &branches->list[branches->count++];
	*branch = (struct logical_filter){0};
	conjuncts_add(r->arena, branch, expr);
	return branch->count <= CONJUNCTS_MAX;
}

/* Equal, or an equality with its sides exchanged. */
static bool same_condition(const struct expr *a, const struct expr *b)
{
	if (expr_equal(a, b))
		return true;
	return a->kind == EXPR_CALL && b->kind == EXPR_CALL && a->function == FN_EQ &&
	       b->function == FN_EQ && expr_equal(a->args[0], b->args[1]) &&
	       expr_equal(a->args[1], b->args[0]);
}

static bool has_condition(const struct logical_filter *list, const struct expr *expr)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (same_condition(list->conjuncts[i], expr))
			return true;
	return false;
}

static bool all_have(const struct or_branches *branches, const struct expr *expr)
{
	for (uint32_t i = 0; i < branches->count; i++)
		if (!has_condition(&branches->list[i], expr))
			return false;
	return true;
}

static struct expr *conjunction(struct rewriter *r, const struct logical_filter *list)
{
	if (list->count == 1)
		return list->conjuncts[0];
	return expr_node(r->arena, EXPR_AND, type_of(TYPE_BOOL), list->count, list->conjuncts);
}

static struct expr *disjunction(struct rewriter *r, const struct or_branches *branches)
{
	struct expr *args[BRANCHES_MAX];

	for (uint32_t i = 0; i < branches->count; i++)
		args[i] = conjunction(r, &branches->list[i]);
	return branches->count == 1
		       ? args[0]
		       : expr_node(r->arena, EXPR_OR, type_of(TYPE_BOOL), branches->count, args);
}

/* Adds `expr` to the list; of an OR first what its branches have in common. */
static void condition_add(struct rewriter *r, struct logical_filter *list, struct expr *expr)
{
	struct or_branches branches = {0};
	struct logical_filter common = {0};

	if (expr->kind != EXPR_OR || !branches_add(r, &branches, expr)) {
		conjuncts_add(r->arena, list, expr);
		return;
	}
	for (uint32_t i = 0; i < branches.list[0].count; i++) {
		struct expr *conjunct = branches.list[0].conjuncts[i];

		if (all_have(&branches, conjunct) && !has_condition(&common, conjunct))
			conjuncts_add(r->arena, &common, conjunct);
	}
	if (common.count == 0) {
		conjuncts_add(r->arena, list, expr);
		return;
	}
	for (uint32_t i = 0; i < common.count; i++)
		condition_add(r, list, common.conjuncts[i]);
	for (uint32_t b = 0; b < branches.count; b++) {
		struct logical_filter rest = {0};

		for (uint32_t i = 0; i < branches.list[b].count; i++)
			if (!has_condition(&common, branches.list[b].conjuncts[i]))
				conjuncts_add(r->arena, &rest, branches.list[b].conjuncts[i]);
		/* A branch that asks for nothing else makes the OR true. */
		if (rest.count == 0)
			return;
		branches.list[b] = rest;
	}
	conjuncts_add(r->arena, list, disjunction(r, &branches));
}

static void factor_list(struct rewriter *r, struct logical_filter *list)
{
	struct logical_filter all = {0};

	for (uint32_t i = 0; i < list->count; i++)
		condition_add(r, &all, list->conjuncts[i]);
	*list = all;
}

void rewrite_factor(struct rewriter *r, struct logical *node)
{
	if (node->kind == LOGICAL_FILTER)
		factor_list(r, &node->filter);
	if (node->kind == LOGICAL_JOIN)
		factor_list(r, &node->join.on);
	for (uint32_t i = 0; i < node->input_count; i++)
		rewrite_factor(r, node->inputs[i]);
}

/*
 * A comparison of a column with constants: it cannot fail, and holds for every value that equals
 * the column's.
 */
static bool is_bound(const struct expr *expr, uint32_t *column)
{
	if (expr->kind == EXPR_IN) {
		*column = expr->args[0]->column;
		return expr->args[0]->kind == EXPR_COLUMN;
	}
	if (expr->kind != EXPR_CALL || expr->function < FN_EQ || expr->function > FN_GE)
		return false;
	for (int side = 0; side < 2; side++) {
		if (expr->args[side]->kind != EXPR_COLUMN ||
			expr->args[1 - side]->kind != EXPR_CONSTANT)
			continue;
		*column = expr->args[side]->column;
		return true;
	}
	return false;
}

/* What can be asked of more rows than the query asked it of: nothing that may fail. */
static bool is_harmless(const struct expr *expr)
{
	uint32_t column;

	switch (expr->kind) {
	case EXPR_AND:
	case EXPR_OR:
	case EXPR_NOT:
		for (uint32_t i = 0; i < expr->arg_count; i++)
			if (!is_harmless(expr->args[i]))
				return false;
		return true;
	case EXPR_IS_NULL: return expr->args[0]->kind == EXPR_COLUMN;
	default: return is_bound(expr, &column);
	}
}

/* What the OR says about `relation` alone; NULL when some branch says nothing. */
static struct expr *part_of_or(
	struct rewriter *r, const struct or_branches *branches, const struct logical *relation)
{
	struct or_branches parts = {.count = branches->count};

	for (uint32_t b = 0; b < branches->count; b++) {
		const struct logical_filter *branch = &branches->list[b];

		for (uint32_t i = 0; i < branch->count; i++)
			if (is_harmless(branch->conjuncts[i]) &&
				expr_reads_only(branch->conjuncts[i], relation->column_count,
					relation->columns))
				conjuncts_add(r->arena, &parts.list[b], branch->conjuncts[i]);
		if (parts.list[b].count == 0)
			return NULL;
	}
	return disjunction(r, &parts);
}

static bool reads_one_of(const struct expr *expr, uint32_t count, struct logical *const *relations)
{
	for (uint32_t i = 0; i < count; i++)
		if (expr_reads_only(expr, relations[i]->column_count, relations[i]->columns))
			return true;
	return false;
}

void rewrite_split_ors(struct rewriter *r, struct logical_filter *conjuncts, uint32_t count,
	struct logical *const *relations)
{
	uint32_t known = conjuncts->count;

	for (uint32_t i = 0; i < known; i++) {
		struct or_branches branches = {0};

		if (conjuncts->conjuncts[i]->kind != EXPR_OR ||
			reads_one_of(conjuncts->conjuncts[i], count, relations) ||
			!branches_add(r, &branches, conjuncts->conjuncts[i]))
			continue;
		for (uint32_t k = 0; k < count; k++) {
			struct expr *part = part_of_or(r, &branches, relations[k]);

			if (part && !has_condition(conjuncts, part))
				conjuncts_add(r->arena, conjuncts, part);
		}
	}
}

struct expr *rewrite_bound_of(
	struct rewriter *r, struct expr *bound, uint32_t column, struct expr *other)
{
	uint32_t bounded;

	if (!is_bound(bound, &bounded) || bounded != column)
		return NULL;
	return expr_substitute(r->arena, bound, 1, &column, &other);
}

/* The bound of one side of `equality`, as one of the other side. */
static struct expr *travel(struct rewriter *r, struct expr *bound, const struct expr *equality)
{
	if (equality->kind != EXPR_CALL || equality->function != FN_EQ ||
		equality->args[0]->kind != EXPR_COLUMN || equality->args[1]->kind != EXPR_COLUMN)
		return NULL;
	for (int side = 0; side < 2; side++) {
		struct expr *moved = rewrite_bound_of(
			r, bound, equality->args[side]->column, equality->args[1 - side]);

		if (moved)
			return moved;
	}
	return NULL;
}

void rewrite_spread_bounds(struct rewriter *r, struct logical_filter *conjuncts)
{
	uint32_t known = conjuncts->count;

	for (uint32_t i = 0; i < conjuncts->count; i++)
		for (uint32_t j = 0; j < known && conjuncts->count < known + DERIVED_MAX; j++) {
			struct expr *moved =
				travel(r, conjuncts->conjuncts[i], conjuncts->conjuncts[j]);

			if (moved && !has_condition(conjuncts, moved))
				conjuncts_add(r->arena, conjuncts, moved);
		}
}
