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
 * And where two columns are equal, what bounds one of them bounds the other: also when the bound stands
 * deep in one side of a join, below a GROUP BY or another join, and when the other column is of an
 * optional side, whose rows need not be there if they meet nothing.
 */
#include "sql/rewrite/rewrite_private.h"

/* Branches are compared with each other, conjunct by conjunct: longer ORs stay as they are. */
#define BRANCHES_MAX  64
#define CONJUNCTS_MAX 64
/* Conditions that follow from others, in one set of joins. */
#define DERIVED_MAX 256
/* Nodes that are asked for their bounds, in a query: deep trees of joins would be asked again and again. */
#define BOUND_VISITS_MAX 20000

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

/* `bound` as one of `other`, if it compares `column` with constants; otherwise NULL. */
static struct expr *bound_of(
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
		struct expr *moved =
			bound_of(r, bound, equality->args[side]->column, equality->args[1 - side]);

		if (moved)
			return moved;
	}
	return NULL;
}

/* Adds those of the conjuncts that are bounds. */
static void add_bounds(
	struct rewriter *r, struct logical_filter *list, const struct logical_filter *conjuncts)
{
	uint32_t column;

	for (uint32_t i = 0; i < conjuncts->count && list->count < DERIVED_MAX; i++)
		if (is_bound(conjuncts->conjuncts[i], &column) &&
			!has_condition(list, conjuncts->conjuncts[i]))
			conjuncts_add(r->arena, list, conjuncts->conjuncts[i]);
}

/* Adds what the bounds are by those of the conjuncts that are equalities, until there is no more. */
static void spread(
	struct rewriter *r, struct logical_filter *bounds, const struct logical_filter *conjuncts)
{
	for (uint32_t i = 0; i < bounds->count; i++)
		for (uint32_t j = 0; j < conjuncts->count && bounds->count < DERIVED_MAX; j++) {
			struct expr *moved =
				travel(r, bounds->conjuncts[i], conjuncts->conjuncts[j]);

			if (moved && !has_condition(bounds, moved))
				conjuncts_add(r->arena, bounds, moved);
		}
}

/*
 * A row of a build side meets only rows of the other side that equal it in the keys, which are among
 * `on`: the bounds `flow` of those keys there are added to `build`.
 */
static void bound_build(struct rewriter *r, const struct logical *const *sides,
	const struct logical_filter *flow, const struct logical_filter *on,
	struct logical_filter *build)
{
	for (uint32_t i = 0; i < on->count; i++) {
		struct expr *flow_key, *build_key;

		if (!expr_is_join_key(
			    on->conjuncts[i], sides[0], sides[1], &flow_key, &build_key) ||
			flow_key->kind != EXPR_COLUMN || build_key->kind != EXPR_COLUMN)
			continue;
		for (uint32_t j = 0; j < flow->count; j++) {
			struct expr *bound =
				bound_of(r, flow->conjuncts[j], flow_key->column, build_key);

			if (bound && !has_condition(build, bound))
				conjuncts_add(r->arena, build, bound);
		}
	}
}

static struct logical_filter known_bounds(
	struct rewriter *r, const struct logical *node, const struct logical_filter *above);

/* Of a join: what is known of its sides, and what its keys make of that. */
static struct logical_filter join_bounds(
	struct rewriter *r, const struct logical *node, const struct logical_filter *above)
{
	const struct logical_join *join = &node->join;
	struct logical_filter all = {0}, flow, build;

	add_bounds(r, &all, above);
	if (join->kind == JOIN_FULL)
		return all;
	if (join->kind == JOIN_INNER) {
		add_bounds(r, &all, &join->on);
		flow = known_bounds(r, node->inputs[0], &all);
		build = known_bounds(r, node->inputs[1], &all);
		add_bounds(r, &flow, &build);
		spread(r, &flow, &join->on);
		return flow;
	}
	flow = known_bounds(r, node->inputs[0], above);
	if (join_yields_mark(join->kind))
		return flow;
	/* A row of the optional side that is there has met one of the other side. */
	build = known_bounds(r, node->inputs[1], &(struct logical_filter){0});
	bound_build(r, (const struct logical *const *)node->inputs, &flow, &join->on, &build);
	add_bounds(r, &flow, &build);
	return flow;
}

/*
 * Bounds that hold of all rows of `node` that pass the conjuncts `above`, and of a column of an optional
 * side unless it is NULL.
 */
static struct logical_filter known_bounds(
	struct rewriter *r, const struct logical *node, const struct logical_filter *above)
{
	struct logical_filter known = {0};

	add_bounds(r, &known, above);
	if (r->bound_visits++ >= BOUND_VISITS_MAX)
		return known;
	switch (node->kind) {
	case LOGICAL_FILTER:
		add_bounds(r, &known, &node->filter);
		known = known_bounds(r, node->inputs[0], &known);
		spread(r, &known, &node->filter);
		return known;
	case LOGICAL_EXTEND:
	case LOGICAL_GROUP:
	case LOGICAL_WINDOW:
	case LOGICAL_TOP: return known_bounds(r, node->inputs[0], &known);
	case LOGICAL_JOIN: return join_bounds(r, node, &known);
	case LOGICAL_REFERENCE:
		if (node->reference.shared->references == 1)
			return known_bounds(r, node->reference.shared->tree, &known);
		return known;
	default: return known;
	}
}

void rewrite_spread_bounds(struct rewriter *r, struct logical_filter *conjuncts, uint32_t count,
	struct logical *const *relations)
{
	struct logical_filter bounds = {0};
	uint32_t known;

	for (uint32_t i = 0; i < count; i++) {
		struct logical_filter own = known_bounds(r, relations[i], conjuncts);

		add_bounds(r, &bounds, &own);
	}
	add_bounds(r, &bounds, conjuncts);
	known = bounds.count;
	spread(r, &bounds, conjuncts);
	for (uint32_t i = known; i < bounds.count; i++)
		conjuncts_add(r->arena, conjuncts, bounds.conjuncts[i]);
}

void rewrite_bound_optional(struct rewriter *r, const struct logical *node,
	const struct logical_filter *above, struct logical_filter *build)
{
	const struct logical_filter *on = &node->join.on;
	struct logical_filter given = {0}, flow;

	add_bounds(r, &given, above);
	add_bounds(r, &given, on);
	flow = known_bounds(r, node->inputs[0], &given);
	spread(r, &flow, above);
	bound_build(r, (const struct logical *const *)node->inputs, &flow, on, build);
}
