/*
 * Outer joins that need not be: a filter above one that no row of NULLs can pass drops the rows
 * which the join has kept without a partner. LEFT JOIN becomes an inner one, FULL JOIN a one-sided
 * or an inner one, and then filters may pass it and joins be ordered.
 *
 * And the other way round: a filter that only those rows pass asks for what has no partner. Nothing of
 * the optional side is needed then but whether there is one.
 */
#include "sql/rewrite/rewrite_private.h"

/* Whether NULL in any argument makes the call NULL, for those functions where filters care. */
static bool is_strict(enum function_id function)
{
	switch (function) {
	case FN_ADD:
	case FN_SUB:
	case FN_MUL:
	case FN_DIV:
	case FN_MOD:
	case FN_NEG:
	case FN_EQ:
	case FN_NE:
	case FN_LT:
	case FN_LE:
	case FN_GT:
	case FN_GE:
	case FN_EXTRACT:
	case FN_DATE_TRUNC:
	case FN_LIKE:
	case FN_ILIKE:
	case FN_LOWER:
	case FN_UPPER:
	case FN_LENGTH: return true;
	default: return false;
	}
}

/* Whether `expr` is NULL when all columns of `side` are. */
static bool is_null_without(const struct expr *expr, const struct logical *side)
{
	switch (expr->kind) {
	case EXPR_COLUMN: return logical_has_column(side, expr->column);
	case EXPR_CAST:
	case EXPR_NOT:
	case EXPR_IN: return is_null_without(expr->args[0], side);
	case EXPR_CALL:
		for (uint32_t i = 0; i < expr->arg_count && is_strict(expr->function); i++)
			if (is_null_without(expr->args[i], side))
				return true;
		return false;
	default: return false;
	}
}

/* Whether `expr` cannot be true when all columns of `side` are NULL. */
static bool rejects(const struct expr *expr, const struct logical *side)
{
	switch (expr->kind) {
	case EXPR_AND:
		for (uint32_t i = 0; i < expr->arg_count; i++)
			if (rejects(expr->args[i], side))
				return true;
		return false;
	case EXPR_OR:
		for (uint32_t i = 0; i < expr->arg_count; i++)
			if (!rejects(expr->args[i], side))
				return false;
		return true;
	case EXPR_NOT:
		if (expr->args[0]->kind == EXPR_IS_NULL)
			return is_null_without(expr->args[0]->args[0], side);
		return is_null_without(expr, side);
	default: return is_null_without(expr, side);
	}
}

static bool any_rejects(const struct logical_filter *conjuncts, const struct logical *side)
{
	for (uint32_t i = 0; i < conjuncts->count; i++)
		if (rejects(conjuncts->conjuncts[i], side))
			return true;
	return false;
}

void rewrite_simplify_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical *flow = node->inputs[0], *build = node->inputs[1];
	enum join_kind *kind = &node->join.kind;
	bool no_build;

	if (*kind != JOIN_LEFT && *kind != JOIN_FULL)
		return;
	no_build = any_rejects(conjuncts, build);
	if (*kind == JOIN_LEFT) {
		*kind = no_build ? JOIN_INNER : JOIN_LEFT;
		return;
	}
	if (any_rejects(conjuncts, flow)) {
		*kind = no_build ? JOIN_INNER : JOIN_LEFT;
	} else if (no_build) {
		*kind = JOIN_LEFT;
		node->inputs[0] = build;
		node->inputs[1] = flow;
	}
	logical_set_columns(r->arena, node);
}

/* The conjunct that only rows without a partner pass; `count` of them when there is none. */
static uint32_t asks_for_none(const struct logical *node, const struct logical_filter *conjuncts)
{
	for (uint32_t i = 0; i < conjuncts->count; i++) {
		const struct expr *conjunct = conjuncts->conjuncts[i];
		struct logical column = {.column_count = 1};

		if (conjunct->kind != EXPR_IS_NULL || conjunct->args[0]->kind != EXPR_COLUMN)
			continue;
		column.columns = &conjunct->args[0]->column;
		if (logical_has_column(node->inputs[1], column.columns[0]) &&
			any_rejects(&node->join.on, &column))
			return i;
	}
	return conjuncts->count;
}

struct logical *rewrite_missing(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	uint32_t which = asks_for_none(node, conjuncts);
	const struct logical *build = node->inputs[1];
	struct type boolean = type_of(TYPE_BOOL);
	struct logical_filter none = {0}, rest = {0};
	struct logical_join join = node->join;
	struct logical *tree;
	struct expr **nulls, *mark;
	uint32_t *ids;

	if (join.kind != JOIN_LEFT || which == conjuncts->count)
		return NULL;
	for (uint32_t i = 0; i < conjuncts->count; i++)
		if (i != which)
			conjuncts_add(r->arena, &rest, conjuncts->conjuncts[i]);
	join.kind = JOIN_EXISTS;
	join.mark = columns_add(r->columns, r->arena, "met", boolean);
	mark = expr_column(r->arena, join.mark, boolean);
	conjuncts_add(r->arena, &none, expr_node(r->arena, EXPR_NOT, boolean, 1, &mark));
	nulls = arena_alloc(r->arena, (build->column_count + 1) * sizeof(struct expr *));
	ids = arena_alloc(r->arena, (build->column_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < build->column_count; i++) {
		struct value null = {
			.type = r->columns->list[build->columns[i]].type, .is_null = true};

		nulls[i] = expr_constant(r->arena, &null);
		ids[i] = build->columns[i];
	}
	tree = logical_join_new(r->arena, node->inputs[0], node->inputs[1], &join);
	tree = logical_filter_new(r->arena, tree, none.count, none.conjuncts);
	tree = logical_extend_new(r->arena, tree, build->column_count, ids, nulls);
	return rewrite_push(r, tree, &rest);
}
