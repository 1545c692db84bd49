/*
 * The share of rows for which a condition is true. With statistics of its column: by the frequent values
 * and the bounds of the others. Without:
 *
 *   5 % for every equality, IN, = ANY and @>; 25 % for a bound, so 6 % for a range, and for what is
 *   unknown; AND, OR and NOT by their parts
 */
#include "sql/rewrite/estimate.h"

#include <math.h>

#define EQUALITY_SELECTIVITY 0.05
#define OTHER_SELECTIVITY    0.25
#define LIKE_SELECTIVITY     0.05
#define LIKE_PREFIX_MAX	     3 /* bytes */
#define MARK_SELECTIVITY     0.5
/* Nothing is so rare that nothing is left. */
#define SELECTIVITY_MIN 1e-9

/* Above every number of a text, and below every other. */
#define NUMBER_MAX HUGE_VAL

/* A column that is compared, with or without a cast that keeps the order of its values. */
struct operand {
	const struct column_statistics *statistics;
	uint32_t column;
	double scale; /* a number of the constant's type is so many of the column's */
};

static bool operand_of(
	const struct expr *expr, const struct logical_columns *columns, struct operand *out)
{
	double scale = 1;

	if (expr->kind == EXPR_CAST && expr->args[0]->kind == EXPR_COLUMN) {
		enum type_kind from = expr->args[0]->type.kind, to = expr->type.kind;

		if (from == TYPE_DATE && to == TYPE_TIMESTAMP)
			scale = (double)MICROS_PER_DAY;
		else if (!type_is_number(from) || !type_is_number(to))
			return false;
		expr = expr->args[0];
	}
	if (expr->kind != EXPR_COLUMN || !columns->list[expr->column].statistics)
		return false;
	*out = (struct operand){columns->list[expr->column].statistics, expr->column, scale};
	return true;
}

static double equal_to(const struct operand *operand, const struct value *value)
{
	struct value as_double = {.type = type_of(TYPE_DOUBLE)};

	if (value->is_null)
		return SELECTIVITY_MIN;
	if (!statistics_cover(value->type.kind))
		return EQUALITY_SELECTIVITY;
	if (type_physical(value->type.kind) == PHYSICAL_TEXT)
		return statistics_equal(operand->statistics, statistics_key(value));
	as_double.f64 = statistics_number(value) / operand->scale;
	return statistics_equal(operand->statistics, statistics_key(&as_double));
}

/* The number of a constant, or of a date or time and an interval, which is as good as one. */
static bool number_of(const struct expr *expr, double *out)
{
	double sign = expr->function == FN_SUB ? -1 : 1;

	if (expr->kind == EXPR_CONSTANT) {
		if (expr->constant.is_null || !statistics_cover(expr->type.kind))
			return false;
		*out = statistics_number(&expr->constant);
		return true;
	}
	if (expr->kind != EXPR_CALL || (expr->function != FN_ADD && expr->function != FN_SUB) ||
		expr->type.kind != TYPE_TIMESTAMP || !number_of(expr->args[0], out) ||
		expr->args[0]->type.kind != TYPE_TIMESTAMP ||
		expr->args[1]->kind != EXPR_CONSTANT || expr->args[1]->constant.is_null ||
		expr->args[1]->type.kind != TYPE_INTERVAL)
		return false;
	*out += sign * (double)interval_span(expr->args[1]->constant.interval);
	return true;
}

/* "column <op> constant" as what lies between two numbers. */
struct number_range {
	struct operand operand;
	double least;
	double greatest;
};

static bool range_of(
	const struct expr *expr, const struct logical_columns *columns, struct number_range *out)
{
	enum function_id function = expr->function;
	int side = 0;
	double number;

	if (expr->kind != EXPR_CALL || function < FN_LT || function > FN_GE)
		return false;
	if (!operand_of(expr->args[0], columns, &out->operand))
		side = 1;
	if (!operand_of(expr->args[side], columns, &out->operand) ||
		!number_of(expr->args[1 - side], &number) ||
		out->operand.statistics->bound_count == 0)
		return false;
	number /= out->operand.scale;
	out->least = -NUMBER_MAX;
	out->greatest = NUMBER_MAX;
	if ((function == FN_LT || function == FN_LE) == (side == 0))
		out->greatest = number;
	else
		out->least = number;
	return true;
}

/* A pattern that begins with more than a wildcard: between its prefix and the next one. */
static double like(const struct expr *expr, const struct logical_columns *columns)
{
	const struct expr *pattern = expr->args[1];
	struct operand operand;
	struct value prefix;
	uint32_t size = 0;
	double least;

	if (pattern->kind != EXPR_CONSTANT || pattern->constant.is_null ||
		!operand_of(expr->args[0], columns, &operand) ||
		operand.statistics->bound_count == 0)
		return LIKE_SELECTIVITY;
	prefix = pattern->constant;
	while (size < prefix.text.size && prefix.text.data[size] != '%' &&
		prefix.text.data[size] != '_' && prefix.text.data[size] != '\\')
		size++;
	if (size == 0)
		return LIKE_SELECTIVITY;
	/* Between two bounds the values are not spread evenly: a long prefix would look too rare. */
	prefix.text.size = size < LIKE_PREFIX_MAX ? size : LIKE_PREFIX_MAX;
	size = prefix.text.size;
	least = statistics_number(&prefix);
	return statistics_between(operand.statistics, least, least + pow(256, 6 - size));
}

static double equality(const struct expr *expr, const struct logical_columns *columns)
{
	double distinct = 0;
	struct operand operand;

	for (int side = 0; side < 2; side++) {
		if (!operand_of(expr->args[side], columns, &operand))
			continue;
		if (expr->args[1 - side]->kind == EXPR_CONSTANT)
			return equal_to(&operand, &expr->args[1 - side]->constant);
		distinct = operand.statistics->distinct > distinct ? operand.statistics->distinct
								   : distinct;
	}
	return distinct > 0 ? 1 / distinct : EQUALITY_SELECTIVITY;
}

static double call(const struct expr *expr, const struct logical_columns *columns)
{
	struct number_range range;

	switch (expr->function) {
	case FN_EQ: return equality(expr, columns);
	case FN_NE: return 1 - equality(expr, columns);
	case FN_LIKE: return like(expr, columns);
	case FN_NOT_DISTINCT:
	case FN_ANY_EQ:
	case FN_LIST_CONTAINS: return EQUALITY_SELECTIVITY;
	case FN_DISTINCT: return 1 - EQUALITY_SELECTIVITY;
	default: break;
	}
	if (range_of(expr, columns, &range))
		return statistics_between(range.operand.statistics, range.least, range.greatest);
	return OTHER_SELECTIVITY;
}

static double in_list(const struct expr *expr, const struct logical_columns *columns)
{
	struct operand operand;
	double share = 0;

	if (!operand_of(expr->args[0], columns, &operand))
		return EQUALITY_SELECTIVITY;
	for (uint32_t i = 1; i < expr->arg_count; i++)
		share += equal_to(&operand, &expr->args[i]->constant);
	return share;
}

static double is_null(const struct expr *expr, const struct logical_columns *columns)
{
	struct operand operand;

	return operand_of(expr->args[0], columns, &operand) ? operand.statistics->nulls
							    : EQUALITY_SELECTIVITY;
}

static double share_of(const struct expr *expr, const struct logical_columns *columns)
{
	double share = 0;

	switch (expr->kind) {
	case EXPR_AND: {
		struct logical_filter list = {expr->arg_count, expr->args};

		return estimate_conjuncts(&list, columns);
	}
	case EXPR_OR:
		for (uint32_t i = 0; i < expr->arg_count; i++)
			share += (1 - share) * estimate_condition(expr->args[i], columns);
		return share;
	case EXPR_NOT: return 1 - estimate_condition(expr->args[0], columns);
	case EXPR_IN: return in_list(expr, columns);
	case EXPR_IS_NULL: return is_null(expr, columns);
	case EXPR_CALL: return call(expr, columns);
	case EXPR_COLUMN:
		share = columns->list[expr->column].met;
		return share > 0 ? share : MARK_SELECTIVITY;
	case EXPR_CONSTANT: return 1;
	case EXPR_CAST:
	case EXPR_CASE:
	case EXPR_COALESCE: break;
	}
	return OTHER_SELECTIVITY;
}

double estimate_condition(const struct expr *expr, const struct logical_columns *columns)
{
	double share = share_of(expr, columns);

	return share < SELECTIVITY_MIN ? SELECTIVITY_MIN : share > 1 ? 1 : share;
}

/* Whether a bound of the same column stands before this one. */
static bool bounded_before(const struct logical_filter *list, uint32_t at, uint32_t column,
	const struct logical_columns *columns)
{
	struct number_range other;

	for (uint32_t i = 0; i < at; i++)
		if (range_of(list->conjuncts[i], columns, &other) && other.operand.column == column)
			return true;
	return false;
}

double estimate_conjuncts(const struct logical_filter *list, const struct logical_columns *columns)
{
	double share = 1;

	for (uint32_t i = 0; i < list->count; i++) {
		struct number_range range, other;

		if (!range_of(list->conjuncts[i], columns, &range)) {
			share *= estimate_condition(list->conjuncts[i], columns);
			continue;
		}
		if (bounded_before(list, i, range.operand.column, columns))
			continue;
		/* Bounds of one column are one range, and not independent of each other. */
		for (uint32_t j = i + 1; j < list->count; j++) {
			if (!range_of(list->conjuncts[j], columns, &other) ||
				other.operand.column != range.operand.column)
				continue;
			range.least = other.least > range.least ? other.least : range.least;
			range.greatest =
				other.greatest < range.greatest ? other.greatest : range.greatest;
		}
		share *= statistics_between(range.operand.statistics, range.least, range.greatest);
	}
	return share < SELECTIVITY_MIN ? SELECTIVITY_MIN : share;
}

double estimate_distinct(const struct expr *expr, const struct logical_columns *columns)
{
	struct operand operand;

	return operand_of(expr, columns, &operand) ? operand.statistics->distinct : 0;
}
