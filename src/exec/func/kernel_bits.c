/*
 * Functions of whole numbers: bits, divisors, factorials; and of a decimal's digits behind the
 * point.
 */
#include "exec/expr/eval_private.h"

/* -- Bits -- */

/* As PostgreSQL on the processors it runs on: of the distance as many bits count as there may be. */
static int64_t shift(enum type_kind kind, int64_t value, int64_t distance, bool left)
{
	unsigned by = (unsigned)distance & (kind == TYPE_BIGINT ? 63 : 31);
	uint64_t shifted = left ? (uint64_t)value << by : (uint64_t)(value >> by);

	switch (kind) {
	case TYPE_SMALLINT: return (int16_t)shifted;
	case TYPE_INT: return (int32_t)shifted;
	default: return (int64_t)shifted;
	}
}

static int run_bits(struct call *call, struct error *err)
{
	enum function_id function = call->node->expr->function;
	enum type_kind kind = call->type.kind;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t a = arg_i64(&call->args[0], i), b = arg_i64(&call->args[1], i), *out;

		out = &call->out->i64[i];
		switch (function) {
		case FN_BIT_AND: *out = a & b; break;
		case FN_BIT_OR: *out = a | b; break;
		case FN_BIT_XOR: *out = a ^ b; break;
		default: *out = shift(kind, a, b, function == FN_SHIFT_LEFT); break;
		}
	}
	return 0;
}

static int run_not(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = ~arg_i64(&call->args[0], i);
	return 0;
}

/* -- Divisors -- */

static uint64_t absolute(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int run_divisor(struct call *call, struct error *err)
{
	bool multiple = call->node->expr->function == FN_LCM;

	FOR_EACH_ROW(&call->rows, i)
	{
		uint64_t a = absolute(arg_i64(&call->args[0], i));
		uint64_t b = absolute(arg_i64(&call->args[1], i));
		uint64_t result = common_divisor(a, b);

		if (multiple && result != 0 && __builtin_mul_overflow(a / result, b, &result))
			return error_integer_range(call->type.kind, err);
		if (result > INT64_MAX || !type_holds_integer(call->type.kind, (int64_t)result))
			return error_integer_range(call->type.kind, err);
		call->out->i64[i] = (int64_t)result;
	}
	return 0;
}

static int run_divisor_numeric(struct call *call, struct error *err)
{
	bool multiple = call->node->expr->function == FN_LCM;

	FOR_EACH_ROW(&call->rows, i)
	{
		enum numeric_fault fault =
			(multiple ? numeric_lcm : numeric_gcd)(arg_num(&call->args[0], i),
				arg_num(&call->args[1], i), call_arena(call), &call->out->num[i]);

		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

static int run_factorial(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t of = arg_i64(&call->args[0], i);

		if (of < 0)
			return error_set(
				err, ERROR_EVAL, "factorial of a negative number is undefined");
		if (numeric_factorial((uint64_t)of, call_arena(call), &call->out->num[i]) !=
			NUMERIC_FINE)
			return error_numeric_range(err);
	}
	return 0;
}

/* -- Digits behind the point -- */

/* Those up to the last that is not 0; UINT32_MAX of NaN and infinity. */
static unsigned needed_scale(numeric n, struct arena *arena)
{
	numeric cut;
	unsigned scale;

	if (numeric_is_special(n))
		return UINT32_MAX;
	n = numeric_is_plain(n) ? numeric_normalize(n) : n;
	for (scale = numeric_display_scale(n); scale > 0; scale--) {
		if (numeric_long_trunc(n, (int)scale - 1, arena, &cut) != NUMERIC_FINE ||
			numeric_compare(cut, n) != 0)
			break;
	}
	return scale;
}

static int run_scale(struct call *call, struct error *err)
{
	bool least = call->node->expr->function == FN_MIN_SCALE;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		numeric n = arg_num(&call->args[0], i);

		if (numeric_is_special(n))
			call_set_null(call, i);
		else
			call->out->i64[i] = least ? needed_scale(n, call_arena(call))
						  : numeric_display_scale(n);
	}
	return 0;
}

static int run_trim_scale(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		numeric n = arg_num(&call->args[0], i);
		unsigned scale = needed_scale(n, call_arena(call));
		enum numeric_fault fault = NUMERIC_FINE;

		call->out->num[i] = n;
		if (scale != UINT32_MAX)
			fault = numeric_long_trunc(
				n, (int)scale, call_arena(call), &call->out->num[i]);
		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

/* generate_series of decimals must have an end. */
static int run_series_bound(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		numeric n = arg_num(&call->args[0], i);
		struct text name = arg_text(&call->args[1], i);

		if (numeric_is_special(n))
			return error_set(err, ERROR_EVAL, "%.*s cannot be %s", (int)name.size,
				name.data, numeric_is_nan(n) ? "NaN" : "infinity");
		call->out->num[i] = n;
	}
	return 0;
}

const struct kernel *kernel_bits_find(const struct expr *expr)
{
	static const struct kernel bits = {.run = run_bits};
	static const struct kernel not = {.run = run_not};
	static const struct kernel divisor = {.run = run_divisor};
	static const struct kernel divisor_numeric = {.run = run_divisor_numeric};
	static const struct kernel factorial = {.run = run_factorial};
	static const struct kernel scale = {.run = run_scale};
	static const struct kernel trim_scale = {.run = run_trim_scale};
	static const struct kernel series_bound = {.run = run_series_bound};

	switch (expr->function) {
	case FN_BIT_AND:
	case FN_BIT_OR:
	case FN_BIT_XOR:
	case FN_SHIFT_LEFT:
	case FN_SHIFT_RIGHT: return &bits;
	case FN_BIT_NOT: return &not ;
	case FN_GCD:
	case FN_LCM: return expr->type.kind == TYPE_NUMERIC ? &divisor_numeric : &divisor;
	case FN_FACTORIAL: return &factorial;
	case FN_SCALE:
	case FN_MIN_SCALE: return &scale;
	case FN_TRIM_SCALE: return &trim_scale;
	case FN_SERIES_BOUND: return &series_bound;
	default: return NULL;
	}
}
