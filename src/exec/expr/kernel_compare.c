/*
 * Comparisons and IN, GREATEST and LEAST. A constant operand stands on the right: the compiler saw
 * to it, except where both are constant.
 */
#include "exec/expr/eval_private.h"

#include <stdlib.h>
#include <string.h>

/* -- Orders -- */

/* Values `row_a` and `row_b` of two columns of one type, both not NULL. */
static int column_compare(
	const struct column *a, uint32_t row_a, const struct column *b, uint32_t row_b)
{
	uint32_t i = column_index(a, row_a);
	uint32_t j = column_index(b, row_b);

	switch (type_physical(a->type.kind)) {
	case PHYSICAL_U8: return a->u8[i] - b->u8[j];
	case PHYSICAL_I64: return i64_compare(a->i64[i], b->i64[j]);
	case PHYSICAL_NUM: return numeric_compare(a->num[i], b->num[j]);
	case PHYSICAL_F64: return f64_compare(a->f64[i], b->f64[j]);
	case PHYSICAL_TEXT: return text_compare(a->text[i], b->text[j]);
	case PHYSICAL_INTERVAL: return interval_compare(a->interval[i], b->interval[j]);
	case PHYSICAL_LIST: return list_compare(a->list[i], b->list[j]);
	}
	return 0;
}

/* -- Decimals against a constant -- */

/*
 * The mantissas of the constant at `scale`: the greatest not above it, and the least not below.
 * Beyond 35 digits any number will do, as long as it is beyond every value.
 */
static void mantissas_at(numeric constant, unsigned scale, int128 *floor, int128 *ceil)
{
	const int128 beyond = numeric_power10[NUMERIC_DIGITS_MAX];
	int128 mantissa = numeric_mantissa(constant);
	unsigned own = numeric_scale(constant);

	if (scale >= own) {
		if (__builtin_mul_overflow(mantissa, numeric_power10[scale - own], floor) ||
			*floor > beyond || *floor < -beyond)
			*floor = mantissa < 0 ? -beyond : beyond;
		*ceil = *floor;
		return;
	}
	*floor = mantissa / numeric_power10[own - scale];
	*ceil = *floor;
	if (mantissa % numeric_power10[own - scale] != 0) {
		if (mantissa < 0)
			*floor -= 1;
		else
			*ceil += 1;
	}
}

/* The same for a constant that is not plain. */
static void odd_mantissas_at(numeric constant, unsigned scale, int128 *floor, int128 *ceil)
{
	const int128 beyond = numeric_power10[NUMERIC_DIGITS_MAX];
	numeric greatest = numeric_pack(beyond - 1, scale), rounded = 0;
	struct arena arena;

	if (numeric_compare(constant, greatest) > 0) {
		*floor = *ceil = beyond;
		return;
	}
	if (numeric_compare(constant, numeric_pack(1 - beyond, scale)) < 0) {
		*floor = *ceil = -beyond;
		return;
	}
	/* Between two plain ones: cutting it off gives one of them. */
	arena_init(&arena, 256);
	(void)numeric_long_trunc(constant, (int)scale, &arena, &rounded);
	*floor = *ceil = numeric_mantissa(rounded);
	if (numeric_compare(rounded, constant) < 0)
		*ceil += 1;
	else if (numeric_compare(rounded, constant) > 0)
		*floor -= 1;
	arena_release(&arena);
}

void numeric_bound_init(struct numeric_bound *bound, enum function_id op, numeric constant)
{
	memset(bound, 0, sizeof(*bound));
	bound->op = op;
	bound->constant = constant;
	bound->equality = op == FN_EQ || op == FN_NE;
	bound->negate = op == FN_NE || op == FN_LT || op == FN_LE;
	for (unsigned scale = 0; scale <= NUMERIC_SCALE_MAX; scale++) {
		int128 floor, ceil;

		if (numeric_is_plain(constant))
			mantissas_at(constant, scale, &floor, &ceil);
		else
			odd_mantissas_at(constant, scale, &floor, &ceil);
		if (bound->equality)
			/* 0xff is no scale: what cannot be equal gets bits that no value has. */
			bound->at[scale] = numeric_pack(floor, floor == ceil ? scale : 0xff);
		else if (op == FN_GE || op == FN_LT)
			bound->at[scale] = numeric_pack(ceil, scale);
		else
			bound->at[scale] = numeric_pack(floor + 1, scale);
	}
}

/* -- Comparison kernels -- */

#define COMPARE_HOLDS(a, b)                \
	(op == FN_EQ	      ? (a) == (b) \
		: op == FN_NE ? (a) != (b) \
		: op == FN_LT ? (a) < (b)  \
		: op == FN_LE ? (a) <= (b) \
		: op == FN_GT ? (a) > (b)  \
			      : (a) >= (b))

/* Calls `loop` with the operator as a constant, so that each becomes a loop of its own. */
#define FOR_OPERATOR(loop, ...)                      \
	switch (op) {                                \
	case FN_EQ: loop(FN_EQ, __VA_ARGS__); break; \
	case FN_NE: loop(FN_NE, __VA_ARGS__); break; \
	case FN_LT: loop(FN_LT, __VA_ARGS__); break; \
	case FN_LE: loop(FN_LE, __VA_ARGS__); break; \
	case FN_GT: loop(FN_GT, __VA_ARGS__); break; \
	default: loop(FN_GE, __VA_ARGS__); break;    \
	}

ALWAYS_INLINE void i64_constant_loop(enum function_id op, const int64_t *restrict a, int64_t b,
	uint8_t *restrict out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = COMPARE_HOLDS(a[i], b);
}

ALWAYS_INLINE void i64_loop(enum function_id op, const int64_t *restrict a,
	const int64_t *restrict b, uint8_t *restrict out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = COMPARE_HOLDS(a[i], b[i]);
}

CPU_CLONES
static void compare_i64_constant(
	enum function_id op, const int64_t *a, int64_t b, uint8_t *out, uint32_t count)
{
	FOR_OPERATOR(i64_constant_loop, a, b, out, count);
}

CPU_CLONES
static void compare_i64_columns(
	enum function_id op, const int64_t *a, const int64_t *b, uint8_t *out, uint32_t count)
{
	FOR_OPERATOR(i64_loop, a, b, out, count);
}

static int compare_i64(struct call *call, struct error *err)
{
	const struct column *a = &call->args[0];
	const struct column *b = &call->args[1];
	enum function_id op = call->node->expr->function;

	(void)err;
	if (call->rows.sel || a->constant) {
		FOR_EACH_ROW(&call->rows, i)
		call->out->u8[i] = COMPARE_HOLDS(arg_i64(a, i), arg_i64(b, i));
	} else if (b->constant) {
		compare_i64_constant(op, a->i64, b->i64[0], call->out->u8, call->rows.count);
	} else {
		compare_i64_columns(op, a->i64, b->i64, call->out->u8, call->rows.count);
	}
	return 0;
}

/* Booleans, intervals and lists: what nobody compares by the million. */
static int compare_others(struct call *call, struct error *err)
{
	enum function_id op = call->node->expr->function;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		int order = column_compare(&call->args[0], i, &call->args[1], i);

		call->out->u8[i] = COMPARE_HOLDS(order, 0);
	}
	return 0;
}

static int compare_f64(struct call *call, struct error *err)
{
	enum function_id op = call->node->expr->function;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		int order = f64_compare(arg_f64(&call->args[0], i), arg_f64(&call->args[1], i));

		call->out->u8[i] = COMPARE_HOLDS(order, 0);
	}
	return 0;
}

static int prepare_num(struct site *site, struct error *err)
{
	struct numeric_bound *bound;

	(void)err;
	if (!site->constants[1])
		return 0;
	bound = arena_alloc(site->arena, sizeof(*bound));
	numeric_bound_init(bound, site->expr->function, site->constants[1]->num[0]);
	site->state = bound;
	return 0;
}

bool numeric_bound_compare(const struct numeric_bound *bound, numeric value)
{
	enum function_id op = bound->op;
	int order = numeric_compare(value, bound->constant);

	return COMPARE_HOLDS(order, 0);
}

static int compare_num(struct call *call, struct error *err)
{
	const struct numeric_bound *bound = call->state;
	enum function_id op = call->node->expr->function;
	unsigned scales = 0;

	(void)err;
	if (bound) {
		FOR_EACH_ROW(&call->rows, i)
		{
			numeric value = arg_num(&call->args[0], i);

			scales |= (unsigned)value;
			call->out->u8[i] = numeric_bound_holds(bound, value);
		}
		/* Rows that nobody asked for may hold what is long no more. */
		if (scales & NUMERIC_ODD)
			FOR_EACH_ROW(&call->asked, i)
		if (!column_is_null(&call->args[0], i))
			call->out->u8[i] = numeric_bound_compare(bound, arg_num(&call->args[0], i));
		return 0;
	}
	FOR_EACH_ROW(&call->rows, i)
	{
		int order = numeric_compare(arg_num(&call->args[0], i), arg_num(&call->args[1], i));

		call->out->u8[i] = COMPARE_HOLDS(order, 0);
	}
	return 0;
}

static int compare_text(struct call *call, struct error *err)
{
	enum function_id op = call->node->expr->function;

	(void)err;
	if (op == FN_EQ || op == FN_NE) {
		FOR_EACH_ROW(&call->rows, i)
		call->out->u8[i] = text_equal(arg_text(&call->args[0], i),
					   arg_text(&call->args[1], i)) == (op == FN_EQ);
		return 0;
	}
	FOR_EACH_ROW(&call->rows, i)
	{
		int order = text_compare(arg_text(&call->args[0], i), arg_text(&call->args[1], i));

		call->out->u8[i] = COMPARE_HOLDS(order, 0);
	}
	return 0;
}

static int compare_distinct(struct call *call, struct error *err)
{
	const struct column *a = &call->args[0];
	const struct column *b = &call->args[1];
	bool want_distinct = call->node->expr->function == FN_DISTINCT;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		bool a_null = column_is_null(a, i);
		bool b_null = column_is_null(b, i);
		bool distinct;

		if (a_null || b_null)
			distinct = a_null != b_null;
		else
			distinct = column_compare(a, i, b, i) != 0;
		call->out->u8[i] = distinct == want_distinct;
	}
	return 0;
}

/* -- GREATEST, LEAST -- */

static int pick_extreme(struct call *call, struct error *err)
{
	int want = call->node->expr->function == FN_GREATEST ? 1 : -1;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		const struct column *best = NULL;

		for (uint32_t a = 0; a < call->arg_count; a++) {
			const struct column *arg = &call->args[a];

			if (column_is_null(arg, i))
				continue;
			if (!best || column_compare(arg, i, best, i) * want > 0)
				best = arg;
		}
		if (best) {
			struct value value = column_value(best, i);

			column_set_value(call->out, i, &value);
		} else {
			call_set_null(call, i);
		}
	}
	return 0;
}

/* -- IN -- */

struct in_list {
	struct column values; /* ascending, without NULLs */
	uint32_t count;
	bool has_null;
};

static int compare_items(const void *a, const void *b, void *values)
{
	return column_compare(values, *(const uint32_t *)a, values, *(const uint32_t *)b);
}

static int prepare_in(struct site *site, struct error *err)
{
	struct type type = site->expr->args[0]->type;
	uint32_t items = site->expr->arg_count - 1;
	struct in_list *list = arena_zalloc(site->arena, sizeof(*list));
	uint32_t *order = arena_alloc(site->arena, (items + 1) * sizeof(*order));
	struct column given;

	(void)err;
	column_init(&given, type, items + 1, site->arena);
	column_init(&list->values, type, items + 1, site->arena);
	for (uint32_t i = 0; i < items; i++) {
		struct value value = column_value(site->constants[i + 1], 0);

		if (value.is_null) {
			list->has_null = true;
			continue;
		}
		order[list->count] = list->count;
		column_set_value(&given, list->count++, &value);
	}
	qsort_r(order, list->count, sizeof(*order), compare_items, &given);
	for (uint32_t i = 0; i < list->count; i++) {
		struct value value = column_value(&given, order[i]);

		column_set_value(&list->values, i, &value);
	}
	site->state = list;
	return 0;
}

static bool in_list_has_i64(const struct in_list *list, int64_t value)
{
	const int64_t *at = list->values.i64;
	uint32_t left = list->count;

	if (left == 0)
		return false;
	while (left > 1) {
		uint32_t half = left / 2;

		at += at[half] <= value ? half : 0;
		left -= half;
	}
	return *at == value;
}

static bool in_list_has(const struct in_list *list, const struct column *column, uint32_t row)
{
	uint32_t low = 0;
	uint32_t high = list->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		int order = column_compare(column, row, &list->values, middle);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

static int run_in(struct call *call, struct error *err)
{
	const struct in_list *list = call->state;
	const struct column *column = &call->args[0];
	bool is_i64 = type_physical(column->type.kind) == PHYSICAL_I64;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		bool found = is_i64 ? in_list_has_i64(list, arg_i64(column, i))
				    : in_list_has(list, column, i);

		call->out->u8[i] = found;
		if (!found && list->has_null)
			call_set_null(call, i);
	}
	return 0;
}

const struct kernel *kernel_in_find(const struct expr *expr)
{
	static const struct kernel in = {.run = run_in, .prepare = prepare_in};

	(void)expr;
	return &in;
}

const struct kernel *kernel_compare_find(const struct expr *expr)
{
	static const struct kernel by_form[] = {
		[PHYSICAL_U8] = {.run = compare_others, .flags = KERNEL_TOTAL},
		[PHYSICAL_I64] = {.run = compare_i64, .flags = KERNEL_TOTAL},
		[PHYSICAL_NUM] = {.run = compare_num, .prepare = prepare_num},
		[PHYSICAL_F64] = {.run = compare_f64, .flags = KERNEL_TOTAL},
		[PHYSICAL_TEXT] = {.run = compare_text},
		[PHYSICAL_LIST] = {.run = compare_others},
		[PHYSICAL_INTERVAL] = {.run = compare_others, .flags = KERNEL_TOTAL},
	};
	static const struct kernel bounded = {
		.run = compare_num, .flags = KERNEL_TOTAL, .prepare = prepare_num};
	static const struct kernel distinct = {.run = compare_distinct, .flags = KERNEL_SEES_NULLS};
	static const struct kernel extreme = {.run = pick_extreme, .flags = KERNEL_SEES_NULLS};

	switch (expr->function) {
	case FN_EQ:
	case FN_NE:
	case FN_LT:
	case FN_LE:
	case FN_GT:
	case FN_GE: {
		enum physical form = type_physical(expr->args[0]->type.kind);

		if (form == PHYSICAL_NUM && expr->args[1]->kind == EXPR_CONSTANT)
			return &bounded;
		return &by_form[form];
	}
	case FN_DISTINCT:
	case FN_NOT_DISTINCT: return &distinct;
	case FN_GREATEST:
	case FN_LEAST: return &extreme;
	default: return NULL;
	}
}
