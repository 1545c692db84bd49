#include "plan/expr.h"

#include "base/buf.h"
#include "column/item.h"

#include <string.h>

struct expr *expr_node(struct arena *arena, enum expr_kind kind, struct type type,
	uint32_t arg_count, struct expr *const *args)
{
	struct expr *expr = arena_zalloc(arena, sizeof(*expr));

	expr->kind = kind;
	expr->type = type;
	expr->location = -1;
	expr->arg_count = arg_count;
	if (arg_count > 0) {
		expr->args = arena_alloc(arena, arg_count * sizeof(*args));
		memcpy(expr->args, args, arg_count * sizeof(*args));
	}
	return expr;
}

struct expr *expr_column(struct arena *arena, uint32_t column, struct type type)
{
	struct expr *expr = expr_node(arena, EXPR_COLUMN, type, 0, NULL);

	expr->column = column;
	return expr;
}

struct expr *expr_constant(struct arena *arena, const struct value *value)
{
	struct expr *expr = expr_node(arena, EXPR_CONSTANT, value->type, 0, NULL);

	expr->constant = *value;
	return expr;
}

struct expr *expr_call(struct arena *arena, enum function_id function, struct type type,
	uint32_t arg_count, struct expr *const *args)
{
	struct expr *expr = expr_node(arena, EXPR_CALL, type, arg_count, args);

	expr->function = function;
	return expr;
}

struct expr *expr_cast(struct arena *arena, struct expr *arg, struct type type)
{
	return expr_node(arena, EXPR_CAST, type, 1, &arg);
}

static bool text_equal(struct text a, struct text b)
{
	if (a.size != b.size)
		return false;
	return a.size == 0 || memcmp(a.data, b.data, a.size) == 0;
}

/* The same to the last bit: 1.0 and 1.00 print differently, and so do 0 and -0. */
static bool constant_equal(const struct value *a, const struct value *b)
{
	if (!type_equal(a->type, b->type) || a->is_null != b->is_null)
		return false;
	if (a->is_null)
		return true;
	switch (type_physical(a->type.kind)) {
	case PHYSICAL_U8: return a->boolean == b->boolean;
	case PHYSICAL_I64: return a->i64 == b->i64;
	case PHYSICAL_NUM: return numeric_identical(a->num, b->num);
	case PHYSICAL_F64:
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits, as -0 is not 0 */
		return memcmp(&a->f64, &b->f64, sizeof(a->f64)) == 0;
	case PHYSICAL_TEXT: return text_equal(a->text, b->text);
	case PHYSICAL_LIST: return list_identical(a->list, b->list);
	case PHYSICAL_INTERVAL: return interval_order(a->interval, b->interval) == 0;
	}
	return false;
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || !type_equal(a->type, b->type) || a->arg_count != b->arg_count)
		return false;
	if (a->kind == EXPR_COLUMN)
		return a->column == b->column;
	if (a->kind == EXPR_CONSTANT)
		return constant_equal(&a->constant, &b->constant);
	if (a->kind == EXPR_CALL && a->function != b->function)
		return false;
	for (uint32_t i = 0; i < a->arg_count; i++) {
		if (!expr_equal(a->args[i], b->args[i]))
			return false;
	}
	return true;
}

struct expr *expr_remap(struct arena *arena, const struct expr *expr, const uint32_t *map)
{
	struct expr *copy = arena_alloc(arena, sizeof(*copy));

	*copy = *expr;
	if (expr->kind == EXPR_COLUMN)
		copy->column = map[expr->column];
	if (expr->arg_count > 0)
		copy->args = arena_alloc(arena, expr->arg_count * sizeof(*copy->args));
	for (uint32_t i = 0; i < expr->arg_count; i++)
		copy->args[i] = expr_remap(arena, expr->args[i], map);
	return copy;
}

bool expr_is_expensive(const struct expr *expr)
{
	if (expr->kind == EXPR_CALL &&
		((expr->function >= FN_REGEX_MATCH && expr->function <= FN_SENTIMENT) ||
			expr->function == FN_PY_LIST || expr->function == FN_PY_PLUCK))
		return true;
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (expr_is_expensive(expr->args[i]))
			return true;
	return false;
}
