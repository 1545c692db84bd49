/*
 * Functions of geometry: angles in radians and in degrees, and what else doubles have. Those in
 * degrees are exact where people expect it, as PostgreSQL's are: sind(30) is 0.5.
 */
#include "exec/expr/eval_private.h"

#include <math.h>

#define RADIANS_PER_DEGREE 0.0174532925199432957692

/* Wrong for an argument: see fault_text. */
enum math_fault {
	FAULT_NONE,
	FAULT_INPUT,
	FAULT_OVERFLOW,
	FAULT_UNDERFLOW,
};

typedef double (*double_fn)(double value, enum math_fault *fault);

static int raise_fault(enum math_fault fault, struct error *err)
{
	static const char *const texts[] = {
		[FAULT_INPUT] = "input is out of range",
		[FAULT_OVERFLOW] = "value out of range: overflow",
		[FAULT_UNDERFLOW] = "value out of range: underflow",
	};

	return error_set(err, ERROR_EVAL, "%s", texts[fault]);
}

/* -- Radians -- */

static double finite_only(double value, double (*function)(double), enum math_fault *fault)
{
	if (isinf(value))
		*fault = FAULT_INPUT;
	return function(value);
}

static double cotangent(double value)
{
	return 1.0 / tan(value);
}

static double within_one(double value, double (*function)(double), enum math_fault *fault)
{
	if (value < -1 || value > 1)
		*fault = FAULT_INPUT;
	return function(value);
}

static double f_sin(double value, enum math_fault *fault)
{
	return finite_only(value, sin, fault);
}

static double f_cos(double value, enum math_fault *fault)
{
	return finite_only(value, cos, fault);
}

static double f_tan(double value, enum math_fault *fault)
{
	return finite_only(value, tan, fault);
}

static double f_cot(double value, enum math_fault *fault)
{
	return finite_only(value, cotangent, fault);
}

static double f_asin(double value, enum math_fault *fault)
{
	return within_one(value, asin, fault);
}

static double f_acos(double value, enum math_fault *fault)
{
	return within_one(value, acos, fault);
}

static double f_atan(double value, enum math_fault *fault)
{
	(void)fault;
	return atan(value);
}

static double f_sinh(double value, enum math_fault *fault)
{
	(void)fault;
	return sinh(value);
}

static double f_cosh(double value, enum math_fault *fault)
{
	(void)fault;
	return cosh(value);
}

static double f_tanh(double value, enum math_fault *fault)
{
	(void)fault;
	return tanh(value);
}

static double f_asinh(double value, enum math_fault *fault)
{
	(void)fault;
	return asinh(value);
}

static double f_acosh(double value, enum math_fault *fault)
{
	if (value < 1)
		*fault = FAULT_INPUT;
	return acosh(value);
}

static double f_atanh(double value, enum math_fault *fault)
{
	return within_one(value, atanh, fault);
}

/* -- Degrees -- */

/* Right at 0 and 30. */
static double sine_to_30(double degrees)
{
	return sin(degrees * RADIANS_PER_DEGREE) / sin(30 * RADIANS_PER_DEGREE) / 2;
}

/* Right at 0 and 60. */
static double cosine_to_60(double degrees)
{
	return 1 - (1 - cos(degrees * RADIANS_PER_DEGREE)) / (1 - cos(60 * RADIANS_PER_DEGREE)) / 2;
}

/* Of the first quadrant, as the four functions behind. */
static double quadrant_sine(double degrees)
{
	return degrees <= 30 ? sine_to_30(degrees) : cosine_to_60(90 - degrees);
}

static double quadrant_cosine(double degrees)
{
	return degrees <= 60 ? cosine_to_60(degrees) : sine_to_30(90 - degrees);
}

static double quadrant_arcsine(double value)
{
	return value <= 0.5 ? asin(value) / asin(0.5) * 30 : 90 - acos(value) / acos(0.5) * 60;
}

static double quadrant_arccosine(double value)
{
	return value <= 0.5 ? 90 - asin(value) / asin(0.5) * 30 : acos(value) / acos(0.5) * 60;
}

/* An angle brought to the first quadrant, and the signs that its sine and cosine have there. */
struct angle {
	double degrees;
	double sine_sign;
	double cosine_sign;
};

static struct angle angle_of(double degrees, enum math_fault *fault)
{
	struct angle angle = {fmod(degrees, 360), 1, 1};

	if (isinf(degrees))
		*fault = FAULT_INPUT;
	if (angle.degrees < 0) {
		angle.degrees = -angle.degrees;
		angle.sine_sign = -angle.sine_sign;
	}
	if (angle.degrees > 180) {
		angle.degrees = 360 - angle.degrees;
		angle.sine_sign = -angle.sine_sign;
	}
	if (angle.degrees > 90) {
		angle.degrees = 180 - angle.degrees;
		angle.cosine_sign = -1;
	}
	return angle;
}

static double f_sind(double value, enum math_fault *fault)
{
	struct angle angle = angle_of(value, fault);

	return angle.sine_sign * quadrant_sine(angle.degrees);
}

static double f_cosd(double value, enum math_fault *fault)
{
	struct angle angle = angle_of(value, fault);

	return angle.cosine_sign * quadrant_cosine(angle.degrees);
}

static double f_tand(double value, enum math_fault *fault)
{
	struct angle angle = angle_of(value, fault);
	double tangent = quadrant_sine(angle.degrees) / quadrant_cosine(angle.degrees);
	double result = angle.sine_sign * angle.cosine_sign *
			(tangent / (quadrant_sine(45) / quadrant_cosine(45)));

	return result == 0 ? 0 : result; /* no -0 */
}

static double f_cotd(double value, enum math_fault *fault)
{
	struct angle angle = angle_of(value, fault);
	double inverse = quadrant_cosine(angle.degrees) / quadrant_sine(angle.degrees);
	double result = angle.sine_sign * angle.cosine_sign *
			(inverse / (quadrant_cosine(45) / quadrant_sine(45)));

	return result == 0 ? 0 : result;
}

static double f_asind(double value, enum math_fault *fault)
{
	if (value < -1 || value > 1)
		*fault = FAULT_INPUT;
	return value < 0 ? -quadrant_arcsine(-value) : quadrant_arcsine(value);
}

static double f_acosd(double value, enum math_fault *fault)
{
	if (value < -1 || value > 1)
		*fault = FAULT_INPUT;
	return value < 0 ? 90 + quadrant_arcsine(-value) : quadrant_arccosine(value);
}

static double f_atand(double value, enum math_fault *fault)
{
	(void)fault;
	return atan(value) / atan(1.0) * 45;
}

static double checked(double result, double value, enum math_fault *fault)
{
	if (isinf(result) && !isinf(value))
		*fault = FAULT_OVERFLOW;
	else if (result == 0 && value != 0)
		*fault = FAULT_UNDERFLOW;
	return result;
}

static double f_degrees(double value, enum math_fault *fault)
{
	return checked(value / RADIANS_PER_DEGREE, value, fault);
}

static double f_radians(double value, enum math_fault *fault)
{
	return checked(value * RADIANS_PER_DEGREE, value, fault);
}

static double f_cbrt(double value, enum math_fault *fault)
{
	(void)fault;
	return cbrt(value);
}

static double_fn function_of(enum function_id id)
{
	static const double_fn functions[FUNCTION_COUNT] = {
		[FN_SIN] = f_sin,
		[FN_COS] = f_cos,
		[FN_TAN] = f_tan,
		[FN_COT] = f_cot,
		[FN_ASIN] = f_asin,
		[FN_ACOS] = f_acos,
		[FN_ATAN] = f_atan,
		[FN_SINH] = f_sinh,
		[FN_COSH] = f_cosh,
		[FN_TANH] = f_tanh,
		[FN_ASINH] = f_asinh,
		[FN_ACOSH] = f_acosh,
		[FN_ATANH] = f_atanh,
		[FN_SIND] = f_sind,
		[FN_COSD] = f_cosd,
		[FN_TAND] = f_tand,
		[FN_COTD] = f_cotd,
		[FN_ASIND] = f_asind,
		[FN_ACOSD] = f_acosd,
		[FN_ATAND] = f_atand,
		[FN_DEGREES] = f_degrees,
		[FN_RADIANS] = f_radians,
		[FN_CBRT] = f_cbrt,
	};

	return functions[id];
}

static int run_double(struct call *call, struct error *err)
{
	double_fn function = function_of(call->node->expr->function);

	FOR_EACH_ROW(&call->rows, i)
	{
		double value = arg_f64(&call->args[0], i);
		enum math_fault fault = FAULT_NONE;

		call->out->f64[i] = isnan(value) ? value : function(value, &fault);
		if (fault != FAULT_NONE)
			return raise_fault(fault, err);
	}
	return 0;
}

static int run_atan2(struct call *call, struct error *err)
{
	bool degrees = call->node->expr->function == FN_ATAN2D;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		double result = atan2(arg_f64(&call->args[0], i), arg_f64(&call->args[1], i));

		call->out->f64[i] = degrees ? result / atan(1.0) * 45 : result;
	}
	return 0;
}

static int run_pi(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->f64[i] = M_PI;
	return 0;
}

/* -- width_bucket -- */

/* How far `value` is from `low` to `high`, in `count` buckets; below 0 and above: outside. */
static double bucket_of(double value, double low, double high, double count)
{
	if (!isinf(high - low))
		return count * ((value - low) / (high - low));
	return count * ((value / 2 - low / 2) / (high / 2 - low / 2));
}

static int store_bucket(struct call *call, uint32_t row, int64_t bucket, struct error *err)
{
	if (!type_holds_integer(TYPE_INT, bucket))
		return error_integer_range(TYPE_INT, err);
	call->out->i64[row] = bucket;
	return 0;
}

static int check_buckets(
	int64_t count, bool any_nan, bool infinite_bound, bool equal, struct error *err)
{
	if (count <= 0)
		return error_set(err, ERROR_EVAL, "count must be greater than zero");
	if (any_nan)
		return error_set(
			err, ERROR_EVAL, "operand, lower bound, and upper bound cannot be NaN");
	if (infinite_bound)
		return error_set(err, ERROR_EVAL, "lower and upper bounds must be finite");
	if (equal)
		return error_set(err, ERROR_EVAL, "lower bound cannot equal upper bound");
	return 0;
}

static int run_bucket_double(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double value = arg_f64(&call->args[0], i);
		double low = arg_f64(&call->args[1], i), high = arg_f64(&call->args[2], i);
		int64_t count = arg_i64(&call->args[3], i), bucket;

		if (check_buckets(count, isnan(value) || isnan(low) || isnan(high),
			    isinf(low) || isinf(high), low == high, err) < 0)
			return -1;
		if (low < high ? value < low : value > low) {
			bucket = 0;
		} else if (low < high ? value >= high : value <= high) {
			bucket = count + 1;
		} else {
			bucket = (int64_t)bucket_of(value, low, high, (double)count);
			bucket = (bucket < count ? bucket : count - 1) + 1;
		}
		if (store_bucket(call, i, bucket, err) < 0)
			return -1;
	}
	return 0;
}

/* The bucket of a value between finite bounds that are not equal; false when it is too large. */
static bool bucket_numeric(
	numeric value, numeric low, numeric high, int64_t count, struct arena *arena, int64_t *out)
{
	numeric part, whole, times, quotient;

	if (numeric_long_sub(value, low, arena, &part) != NUMERIC_FINE ||
		numeric_long_sub(high, low, arena, &whole) != NUMERIC_FINE ||
		numeric_long_mul(part, numeric_from_i64(count), arena, &times) != NUMERIC_FINE ||
		numeric_long_div_whole(times, whole, arena, &quotient) != NUMERIC_FINE)
		return false;
	if (!numeric_to_i64(quotient, out) && !numeric_long_to_i64(quotient, out))
		return false;
	*out += 1;
	return true;
}

static int run_bucket_numeric(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		numeric value = arg_num(&call->args[0], i);
		numeric low = arg_num(&call->args[1], i), high = arg_num(&call->args[2], i);
		int64_t count = arg_i64(&call->args[3], i), bucket;
		int direction = numeric_compare(low, high);

		if (check_buckets(count,
			    numeric_is_nan(value) || numeric_is_nan(low) || numeric_is_nan(high),
			    numeric_is_special(low) || numeric_is_special(high), direction == 0,
			    err) < 0)
			return -1;
		if (numeric_compare(value, low) * direction > 0)
			bucket = 0;
		else if (numeric_compare(value, high) * direction <= 0)
			bucket = count + 1;
		else if (!bucket_numeric(value, low, high, count, call_arena(call), &bucket))
			return error_integer_range(TYPE_INT, err);
		if (store_bucket(call, i, bucket, err) < 0)
			return -1;
	}
	return 0;
}

const struct kernel *kernel_math_find(const struct expr *expr)
{
	static const struct kernel of_double = {.run = run_double};
	static const struct kernel atan2_ = {.run = run_atan2};
	static const struct kernel pi = {.run = run_pi};
	static const struct kernel bucket_double = {.run = run_bucket_double};
	static const struct kernel bucket_num = {.run = run_bucket_numeric};

	switch (expr->function) {
	case FN_ATAN2:
	case FN_ATAN2D: return &atan2_;
	case FN_PI: return &pi;
	case FN_WIDTH_BUCKET:
		return expr->args[0]->type.kind == TYPE_NUMERIC ? &bucket_num : &bucket_double;
	default: return function_of(expr->function) ? &of_double : NULL;
	}
}
