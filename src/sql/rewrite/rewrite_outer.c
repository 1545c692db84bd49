/*
 * Outer joins that need not be: a filter above one that no row of NULLs can pass drops the rows
 * which the join has kept without a partner. LEFT JOIN becomes an inner one, FULL JOIN a one-sided
 * or an inner one, and then filters may pass it and joins be ordered.
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
