/* Whether an expression keeps the promises of expr.h and function.h. */
#include "plan/check_private.h"
#include "plan/plan_check.h"

bool check_type(struct check *check, struct type type)
{
	if (type.kind == TYPE_UNKNOWN || !type_kind_is_legal(type.kind))
		return check_fail(check, "a value has no type");
	if (type.precision == NUMERIC_ANY && type.scale == NUMERIC_ANY)
		return true;
	return check_that(check,
		type_has_scale(type.kind) && type.precision >= 1 &&
			type.precision <= NUMERIC_PRECISION_MAX &&
			type.scale >= -NUMERIC_PRECISION_MAX && type.scale <= NUMERIC_PRECISION_MAX,
		"a type has digits out of range");
}

bool check_types(struct check *check, uint32_t count, const struct type *types)
{
	if (count > PLAN_COLUMNS_MAX)
		return check_fail(check, "there are too many columns");
	for (uint32_t i = 0; i < count; i++) {
		if (!check_type(check, types[i]))
			return false;
	}
	return true;
}

/* args[first .. end - 1] are of this kind. */
static bool args_are(const struct expr *expr, uint32_t first, uint32_t end, enum type_kind kind)
{
	for (uint32_t i = first; i < end; i++) {
		if (expr->args[i]->type.kind != kind)
			return false;
	}
	return true;
}

/* Conditions at the even places, but for the last argument, which is a value like the others. */
static bool case_fits(const struct expr *expr)
{
	if (expr->arg_count % 2 != 1)
		return false;
	for (uint32_t i = 0; i < expr->arg_count; i++) {
		bool is_condition = i % 2 == 0 && i + 1 < expr->arg_count;

		if (expr->args[i]->type.kind != (is_condition ? TYPE_BOOL : expr->type.kind))
			return false;
	}
	return true;
}

static bool in_fits(const struct expr *expr)
{
	if (expr->arg_count < 1 || expr->type.kind != TYPE_BOOL ||
		!args_are(expr, 1, expr->arg_count, expr->args[0]->type.kind))
		return false;
	for (uint32_t i = 1; i < expr->arg_count; i++) {
		if (expr->args[i]->kind != EXPR_CONSTANT)
			return false;
	}
	return true;
}

/* The most arguments whose types are looked at together; more are of one type, for a +. */
#define CALL_ARGS_TOGETHER 16

static bool call_fits(const struct expr *expr)
{
	struct type types[CALL_ARGS_TOGETHER] = {0};
	uint32_t count =
		expr->arg_count < CALL_ARGS_TOGETHER ? expr->arg_count : CALL_ARGS_TOGETHER;

	for (uint32_t i = 0; i < count; i++)
		types[i] = expr->args[i]->type;
	return function_fits(expr->function, count, types, expr->type) &&
	       (count == 0 || args_are(expr, count, expr->arg_count, types[count - 1].kind));
}

static bool node_fits(const struct expr *expr, const struct check_flow *in)
{
	bool is_bool = expr->type.kind == TYPE_BOOL;

	switch (expr->kind) {
	case EXPR_COLUMN:
		return expr->arg_count == 0 && expr->column < in->count &&
		       expr->type.kind == in->types[expr->column].kind;
	case EXPR_CONSTANT:
		return expr->arg_count == 0 && type_equal(expr->constant.type, expr->type);
	case EXPR_CALL: return call_fits(expr);
	case EXPR_CAST: return expr->arg_count == 1;
	case EXPR_AND:
	case EXPR_OR:
		return is_bool && expr->arg_count >= 2 &&
		       args_are(expr, 0, expr->arg_count, TYPE_BOOL);
	case EXPR_NOT: return is_bool && expr->arg_count == 1 && args_are(expr, 0, 1, TYPE_BOOL);
	case EXPR_IS_NULL: return is_bool && expr->arg_count == 1;
	case EXPR_CASE: return case_fits(expr);
	case EXPR_COALESCE:
		return expr->arg_count >= 1 && args_are(expr, 0, expr->arg_count, expr->type.kind);
	case EXPR_IN: return in_fits(expr);
	}
	return false;
}

static bool check_node(
	struct check *check, const struct expr *expr, const struct check_flow *in, unsigned depth)
{
	if (depth > PLAN_EXPR_DEPTH_MAX)
		return check_fail(check, "an expression is nested too deeply");
	if (!check_type(check, expr->type))
		return false;
	for (uint32_t i = 0; i < expr->arg_count; i++) {
		if (!check_node(check, expr->args[i], in, depth + 1))
			return false;
	}
	return check_that(check, node_fits(expr, in), "an expression does not fit its arguments");
}

bool check_expr(struct check *check, const struct expr *expr, const struct check_flow *in)
{
	return check_node(check, expr, in, 1);
}
