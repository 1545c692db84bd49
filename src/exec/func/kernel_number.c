/*
 * Functions of numbers: rounding, signs, powers and logarithms.
 */
#include "exec/expr/eval_private.h"

#include <math.h>

static int abs_i64(struct call *call, struct error *err)
{
	enum type_kind kind = call->type.kind;
	int64_t limit = kind == TYPE_SMALLINT ? INT16_MIN
			: kind == TYPE_INT    ? INT32_MIN
					      : INT64_MIN;

	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t value = call->args[0].i64[i];

		if (value <= limit)
			return error_integer_range(call->type.kind, err);
		call->out->i64[i] = value < 0 ? -value : value;
	}
	return 0;
}

/* -- numeric -- */

static numeric num_abs(numeric n, struct arena *arena)
{
	int128 mantissa = numeric_mantissa(n);

	(void)arena;
	if (!numeric_is_plain(n))
		return numeric_long_abs(n);
	return numeric_pack(mantissa < 0 ? -mantissa : mantissa, numeric_scale(n));
}

static numeric num_sign(numeric n, struct arena *arena)
{
	(void)arena;
	return numeric_is_nan(n) ? n : numeric_from_i64(numeric_sign(n));
}

static numeric num_floor(numeric n, struct arena *arena)
{
	numeric out;

	return numeric_floor(n, &out) ? out : numeric_long_floor(n, arena);
}

static numeric num_ceil(numeric n, struct arena *arena)
{
	numeric out;

	return numeric_ceil(n, &out) ? out : numeric_long_ceil(n, arena);
}

#define DEFINE_NUM(name, function)                                                    \
	static int name(struct call *call, struct error *err)                         \
	{                                                                             \
		(void)err;                                                            \
		FOR_EACH_ROW(&call->rows, i)                                          \
		call->out->num[i] = function(call->args[0].num[i], call_arena(call)); \
		return 0;                                                             \
	}

DEFINE_NUM(abs_num, num_abs)
DEFINE_NUM(sign_num, num_sign)
DEFINE_NUM(floor_num, num_floor)
DEFINE_NUM(ceil_num, num_ceil)

typedef bool (*rescale_fn)(numeric n, int scale, numeric *out);
typedef enum numeric_fault (*rescale_long_fn)(
	numeric n, int scale, struct arena *arena, numeric *out);

static int rescale(struct call *call, rescale_fn function, rescale_long_fn any, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		numeric value = arg_num(&call->args[0], i), *out = &call->out->num[i];
		int scale = call->arg_count > 1 ? (int)arg_i64(&call->args[1], i) : 0;
		enum numeric_fault fault = NUMERIC_FINE;

		if (!function(value, scale, out))
			fault = any(value, scale, call_arena(call), out);
		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

static int round_num(struct call *call, struct error *err)
{
	return rescale(call, numeric_round, numeric_long_round, err);
}

static int trunc_num(struct call *call, struct error *err)
{
	return rescale(call, numeric_trunc, numeric_long_trunc, err);
}

typedef enum numeric_fault (*math_fn)(numeric n, struct arena *arena, numeric *out);

static int run_math(struct call *call, math_fn function, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		enum numeric_fault fault =
			function(call->args[0].num[i], call_arena(call), &call->out->num[i]);

		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

static int sqrt_num(struct call *call, struct error *err)
{
	return run_math(call, numeric_sqrt, err);
}

static int exp_num(struct call *call, struct error *err)
{
	return run_math(call, numeric_exp, err);
}

static int ln_num(struct call *call, struct error *err)
{
	return run_math(call, numeric_ln, err);
}

static int log_num(struct call *call, struct error *err)
{
	bool has_base = call->arg_count > 1;

	FOR_EACH_ROW(&call->rows, i)
	{
		numeric base = has_base ? arg_num(&call->args[0], i) : numeric_from_i64(10);
		enum numeric_fault fault = numeric_log(base, arg_num(&call->args[has_base], i),
			call_arena(call), &call->out->num[i]);

		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

typedef enum numeric_fault (*math2_fn)(numeric a, numeric b, struct arena *arena, numeric *out);

static int run_math2(struct call *call, math2_fn function, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		enum numeric_fault fault = function(arg_num(&call->args[0], i),
			arg_num(&call->args[1], i), call_arena(call), &call->out->num[i]);

		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

static int power_num(struct call *call, struct error *err)
{
	return run_math2(call, numeric_power, err);
}

static int div_whole_num(struct call *call, struct error *err)
{
	return run_math2(call, numeric_long_div_whole, err);
}

/* -- double -- */

static double f64_sign(double value)
{
	return (value > 0) - (value < 0); /* NaN has none, as in PostgreSQL */
}

#define DEFINE_F64(name, function)                                  \
	static int name(struct call *call, struct error *err)       \
	{                                                           \
		(void)err;                                          \
		FOR_EACH_ROW(&call->rows, i)                        \
		call->out->f64[i] = function(call->args[0].f64[i]); \
		return 0;                                           \
	}

DEFINE_F64(abs_f64, fabs)
DEFINE_F64(sign_f64, f64_sign)
DEFINE_F64(round_f64, rint)
DEFINE_F64(trunc_f64, trunc)
DEFINE_F64(floor_f64, floor)
DEFINE_F64(ceil_f64, ceil)

static int check_overflow(double result, bool exact_infinity, struct error *err)
{
	if (isinf(result) && !exact_infinity)
		return error_set(err, ERROR_EVAL, "value out of range: overflow");
	return 0;
}

static int sqrt_f64(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double value = call->args[0].f64[i];

		if (value < 0)
			return error_set(
				err, ERROR_EVAL, "cannot take square root of a negative number");
		call->out->f64[i] = sqrt(value);
	}
	return 0;
}

static int exp_f64(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double value = call->args[0].f64[i];
		double result = exp(value);

		if (check_overflow(result, isinf(value), err))
			return -1;
		if (result == 0 && !isinf(value))
			return error_set(err, ERROR_EVAL, "value out of range: underflow");
		call->out->f64[i] = result;
	}
	return 0;
}

static int run_log(struct call *call, double (*function)(double), struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double value = call->args[0].f64[i];

		if (value == 0)
			return error_set(err, ERROR_EVAL, "cannot take logarithm of zero");
		if (value < 0)
			return error_set(
				err, ERROR_EVAL, "cannot take logarithm of a negative number");
		call->out->f64[i] = function(value);
	}
	return 0;
}

static int ln_f64(struct call *call, struct error *err)
{
	return run_log(call, log, err);
}

static int log_f64(struct call *call, struct error *err)
{
	return run_log(call, log10, err);
}

static int power_f64(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double base = arg_f64(&call->args[0], i);
		double exponent = arg_f64(&call->args[1], i);
		bool infinite = isinf(base) || isinf(exponent);
		double result;

		if (base == 0 && exponent < 0)
			return error_set(
				err, ERROR_EVAL, "zero raised to a negative power is undefined");
		if (base < 0 && isfinite(exponent) && floor(exponent) != exponent)
			return error_set(err, ERROR_EVAL,
				"a negative number raised to a non-integer power yields a complex "
				"result");
		result = pow(base, exponent);
		if (check_overflow(result, infinite, err))
			return -1;
		if (result == 0 && base != 0 && !infinite)
			return error_set(err, ERROR_EVAL, "value out of range: underflow");
		call->out->f64[i] = result;
	}
	return 0;
}

const struct kernel *kernel_number_find(const struct expr *expr)
{
	/* By function: for integers, for numeric, for double. */
	static const struct kernel kernels[][3] = {
		[FN_ABS] = {{abs_i64}, {abs_num}, {abs_f64}},
		[FN_SIGN] = {{NULL}, {sign_num}, {sign_f64}},
		[FN_ROUND] = {{NULL}, {round_num}, {round_f64}},
		[FN_ROUND_TO] = {{NULL}, {round_num}, {NULL}},
		[FN_TRUNC] = {{NULL}, {trunc_num}, {trunc_f64}},
		[FN_TRUNC_TO] = {{NULL}, {trunc_num}, {NULL}},
		[FN_FLOOR] = {{NULL}, {floor_num}, {floor_f64}},
		[FN_CEIL] = {{NULL}, {ceil_num}, {ceil_f64}},
		[FN_SQRT] = {{NULL}, {sqrt_num}, {sqrt_f64}},
		[FN_POWER] = {{NULL}, {power_num}, {power_f64}},
		[FN_EXP] = {{NULL}, {exp_num}, {exp_f64}},
		[FN_LN] = {{NULL}, {ln_num}, {ln_f64}},
		[FN_LOG] = {{NULL}, {log_num}, {log_f64}},
		[FN_DIV_WHOLE] = {{NULL}, {div_whole_num}, {NULL}},
	};
	const struct kernel *kernel;

	if (expr->function < FN_ABS || expr->function > FN_DIV_WHOLE)
		return NULL;
	switch (type_physical(expr->args[0]->type.kind)) {
	case PHYSICAL_I64: kernel = &kernels[expr->function][0]; break;
	case PHYSICAL_NUM: kernel = &kernels[expr->function][1]; break;
	case PHYSICAL_F64: kernel = &kernels[expr->function][2]; break;
	default: return NULL;
	}
	return kernel->run ? kernel : NULL;
}
