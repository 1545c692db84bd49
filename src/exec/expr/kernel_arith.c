/*
 * + - * / % and the unary minus, for int, bigint, numeric and double.
 *
 * The loops over integers have no branch for overflow: what went wrong in any row is gathered in
 * one word and looked at after the loop. An int is kept in 64 bits, so that its sums and products
 * cannot overflow there.
 */
#include "exec/expr/eval_private.h"

#include <math.h>

/* What a row can do wrong; gathered with |. */
enum arith_fault {
	FAULT_RANGE = 1,
	FAULT_ZERO_DIVISOR = 2,
	FAULT_OVERFLOW = 4,
	FAULT_UNDERFLOW = 8,
};

typedef enum numeric_fault (*numeric_fn)(numeric a, numeric b, struct arena *arena, numeric *out);

static enum numeric_fault num_negate(numeric a, numeric b, struct arena *arena, numeric *out)
{
	(void)b;
	(void)arena;
	*out = numeric_long_negate(a);
	return NUMERIC_FINE;
}

/* A batch with something in it that is not plain, or a divisor that is zero: once more. */
static int run_long(struct call *call, struct error *err)
{
	static const numeric_fn functions[] = {
		[FN_ADD] = numeric_long_add,
		[FN_SUB] = numeric_long_sub,
		[FN_MUL] = numeric_long_mul,
		[FN_DIV] = numeric_long_div,
		[FN_MOD] = numeric_long_mod,
		[FN_NEG] = num_negate,
	};
	numeric_fn function = functions[call->node->expr->function];
	const struct column *last = &call->args[call->arg_count - 1];

	FOR_EACH_ROW(&call->rows, i)
	{
		enum numeric_fault fault = function(arg_num(&call->args[0], i), arg_num(last, i),
			call_arena(call), &call->out->num[i]);

		if (fault != NUMERIC_FINE)
			return error_numeric_fault(fault, err);
	}
	return 0;
}

static int raise_fault(struct call *call, unsigned faults, struct error *err)
{
	enum type_kind kind = call->type.kind;

	if (kind == TYPE_NUMERIC)
		return run_long(call, err);
	if (faults & FAULT_ZERO_DIVISOR)
		return error_division_by_zero(err);
	if (faults & FAULT_OVERFLOW)
		return error_set(err, ERROR_EVAL, "value out of range: overflow");
	if (faults & FAULT_UNDERFLOW)
		return error_set(err, ERROR_EVAL, "value out of range: underflow");
	return error_integer_range(kind, err);
}

/*
 * A kernel of two arguments: `step` computes one row and returns its faults. One loop for each way
 * in which the arguments can lie.
 */
#define DEFINE_BINARY(name, ctype, member, step)                               \
	static int name(struct call *call, struct error *err)                  \
	{                                                                      \
		const struct column *a = &call->args[0];                       \
		const struct column *b = &call->args[1];                       \
		const ctype *restrict x = a->member;                           \
		const ctype *restrict y = b->member;                           \
		ctype *restrict out = call->out->member;                       \
		const struct rows rows = call->rows;                           \
		const uint32_t count = rows.count;                             \
		const uint32_t a_mask = a->constant ? 0 : UINT32_MAX;          \
		const uint32_t b_mask = b->constant ? 0 : UINT32_MAX;          \
		unsigned faults = 0;                                           \
                                                                               \
		if (rows.sel || a->constant) {                                 \
			FOR_EACH_ROW(&rows, i)                                 \
			faults |= step(x[i & a_mask], y[i & b_mask], &out[i]); \
		} else if (b->constant) {                                      \
			const ctype constant = y[0];                           \
                                                                               \
			for (uint32_t i = 0; i < count; i++)                   \
				faults |= step(x[i], constant, &out[i]);       \
		} else {                                                       \
			for (uint32_t i = 0; i < count; i++)                   \
				faults |= step(x[i], y[i], &out[i]);           \
		}                                                              \
		return faults ? raise_fault(call, faults, err) : 0;            \
	}

#define DEFINE_UNARY(name, ctype, member, step)                     \
	static int name(struct call *call, struct error *err)       \
	{                                                           \
		const struct rows rows = call->rows;                \
		const ctype *restrict x = call->args[0].member;     \
		ctype *restrict out = call->out->member;            \
		unsigned faults = 0;                                \
                                                                    \
		FOR_EACH_ROW(&rows, i)                              \
		faults |= step(x[i], &out[i]);                      \
		return faults ? raise_fault(call, faults, err) : 0; \
	}

/* -- int -- */

ALWAYS_INLINE unsigned int_result(int64_t result, int64_t *out)
{
	*out = result;
	return result != (int32_t)result;
}

ALWAYS_INLINE unsigned int_add(int64_t a, int64_t b, int64_t *out)
{
	return int_result(a + b, out);
}

ALWAYS_INLINE unsigned int_sub(int64_t a, int64_t b, int64_t *out)
{
	return int_result(a - b, out);
}

ALWAYS_INLINE unsigned int_mul(int64_t a, int64_t b, int64_t *out)
{
	/* In 32 bits each, which is a single instruction also for vectors. */
	return int_result((int64_t)(int32_t)a * (int32_t)b, out);
}

ALWAYS_INLINE unsigned int_div(int64_t a, int64_t b, int64_t *out)
{
	if (b == 0)
		return FAULT_ZERO_DIVISOR;
	return int_result(a / b, out);
}

ALWAYS_INLINE unsigned int_neg(int64_t a, int64_t *out)
{
	return int_result(-a, out);
}

DEFINE_BINARY(add_int, int64_t, i64, int_add)
DEFINE_BINARY(sub_int, int64_t, i64, int_sub)
DEFINE_BINARY(mul_int, int64_t, i64, int_mul)
DEFINE_BINARY(div_int, int64_t, i64, int_div)
DEFINE_UNARY(neg_int, int64_t, i64, int_neg)

/* -- smallint -- */

ALWAYS_INLINE unsigned small_result(int64_t result, int64_t *out)
{
	*out = result;
	return result != (int16_t)result;
}

ALWAYS_INLINE unsigned small_add(int64_t a, int64_t b, int64_t *out)
{
	return small_result(a + b, out);
}

ALWAYS_INLINE unsigned small_sub(int64_t a, int64_t b, int64_t *out)
{
	return small_result(a - b, out);
}

ALWAYS_INLINE unsigned small_mul(int64_t a, int64_t b, int64_t *out)
{
	return small_result((int64_t)(int32_t)a * (int32_t)b, out);
}

ALWAYS_INLINE unsigned small_div(int64_t a, int64_t b, int64_t *out)
{
	if (b == 0)
		return FAULT_ZERO_DIVISOR;
	return small_result(a / b, out);
}

ALWAYS_INLINE unsigned small_neg(int64_t a, int64_t *out)
{
	return small_result(-a, out);
}

DEFINE_BINARY(add_small, int64_t, i64, small_add)
DEFINE_BINARY(sub_small, int64_t, i64, small_sub)
DEFINE_BINARY(mul_small, int64_t, i64, small_mul)
DEFINE_BINARY(div_small, int64_t, i64, small_div)
DEFINE_UNARY(neg_small, int64_t, i64, small_neg)

/* -- bigint -- */

ALWAYS_INLINE unsigned bigint_add(int64_t a, int64_t b, int64_t *out)
{
	uint64_t sum = (uint64_t)a + (uint64_t)b;

	*out = (int64_t)sum;
	/* The sign of the sum differs from that of both operands. */
	return (unsigned)((((uint64_t)a ^ sum) & ((uint64_t)b ^ sum)) >> 63);
}

ALWAYS_INLINE unsigned bigint_sub(int64_t a, int64_t b, int64_t *out)
{
	uint64_t difference = (uint64_t)a - (uint64_t)b;

	*out = (int64_t)difference;
	return (unsigned)((((uint64_t)a ^ (uint64_t)b) & ((uint64_t)a ^ difference)) >> 63);
}

ALWAYS_INLINE unsigned bigint_mul(int64_t a, int64_t b, int64_t *out)
{
	return __builtin_mul_overflow(a, b, out);
}

ALWAYS_INLINE unsigned bigint_div(int64_t a, int64_t b, int64_t *out)
{
	if (b == 0)
		return FAULT_ZERO_DIVISOR;
	if (b == -1)
		return __builtin_sub_overflow(0, a, out);
	*out = a / b;
	return 0;
}

/* Also for int: the result is never beyond the operands. */
ALWAYS_INLINE unsigned bigint_mod(int64_t a, int64_t b, int64_t *out)
{
	if (b == 0)
		return FAULT_ZERO_DIVISOR;
	*out = b == -1 ? 0 : a % b;
	return 0;
}

ALWAYS_INLINE unsigned bigint_neg(int64_t a, int64_t *out)
{
	return __builtin_sub_overflow(0, a, out);
}

DEFINE_BINARY(add_bigint, int64_t, i64, bigint_add)
DEFINE_BINARY(sub_bigint, int64_t, i64, bigint_sub)
DEFINE_BINARY(mul_bigint, int64_t, i64, bigint_mul)
DEFINE_BINARY(div_bigint, int64_t, i64, bigint_div)
DEFINE_BINARY(mod_bigint, int64_t, i64, bigint_mod)
DEFINE_UNARY(neg_bigint, int64_t, i64, bigint_neg)

/* -- numeric -- */

/* The usual decimal has a mantissa of 64 bits: sums and products of two cannot overflow 128. */
ALWAYS_INLINE bool is_short(int128 mantissa)
{
	return mantissa == (int64_t)mantissa;
}

ALWAYS_INLINE unsigned num_add(numeric a, numeric b, numeric *out)
{
	int128 x = numeric_mantissa(a);
	int128 y = numeric_mantissa(b);

	if (numeric_scale(a) == numeric_scale(b) && is_short(x) && is_short(y)) {
		*out = numeric_pack(x + y, numeric_scale(a));
		return 0;
	}
	return !numeric_add(a, b, out);
}

ALWAYS_INLINE unsigned num_sub(numeric a, numeric b, numeric *out)
{
	int128 x = numeric_mantissa(a);
	int128 y = numeric_mantissa(b);

	if (numeric_scale(a) == numeric_scale(b) && is_short(x) && is_short(y)) {
		*out = numeric_pack(x - y, numeric_scale(a));
		return 0;
	}
	return !numeric_sub(a, b, out);
}

ALWAYS_INLINE unsigned num_mul(numeric a, numeric b, numeric *out)
{
	int128 x = numeric_mantissa(a);
	int128 y = numeric_mantissa(b);

	if (is_short(x) && is_short(y)) {
		int128 product = (int128)(int64_t)x * (int64_t)y;
		unsigned scale = numeric_scale(a) + numeric_scale(b);
		const int128 limit = numeric_power10[NUMERIC_DIGITS_MAX];

		*out = numeric_pack(product, scale);
		return product >= limit || product <= -limit || scale > NUMERIC_SCALE_MAX;
	}
	return !numeric_mul(a, b, out);
}

ALWAYS_INLINE unsigned num_div(numeric a, numeric b, numeric *out)
{
	if (numeric_mantissa(b) == 0)
		return FAULT_ZERO_DIVISOR;
	return !numeric_div(a, b, out);
}

ALWAYS_INLINE unsigned num_mod(numeric a, numeric b, numeric *out)
{
	if (numeric_mantissa(b) == 0)
		return FAULT_ZERO_DIVISOR;
	return !numeric_mod(a, b, out);
}

ALWAYS_INLINE unsigned num_neg(numeric a, numeric *out)
{
	*out = numeric_pack(-numeric_mantissa(a), numeric_scale(a));
	return !numeric_is_plain(a);
}

DEFINE_BINARY(add_num, numeric, num, num_add)
DEFINE_BINARY(sub_num, numeric, num, num_sub)
DEFINE_BINARY(mul_num, numeric, num, num_mul)
DEFINE_BINARY(div_num, numeric, num, num_div)
DEFINE_BINARY(mod_num, numeric, num, num_mod)
DEFINE_UNARY(neg_num, numeric, num, num_neg)

/* -- double: as PostgreSQL, no infinity comes out of finite operands, no zero of others -- */

ALWAYS_INLINE unsigned overflowed(double result, double a, double b)
{
	return isinf(result) && !isinf(a) && !isinf(b) ? FAULT_OVERFLOW : 0;
}

ALWAYS_INLINE unsigned f64_add(double a, double b, double *out)
{
	*out = a + b;
	return overflowed(*out, a, b);
}

ALWAYS_INLINE unsigned f64_sub(double a, double b, double *out)
{
	*out = a - b;
	return overflowed(*out, a, b);
}

ALWAYS_INLINE unsigned f64_mul(double a, double b, double *out)
{
	*out = a * b;
	return overflowed(*out, a, b) |
	       (*out == 0 && a != 0 && b != 0 ? (unsigned)FAULT_UNDERFLOW : 0);
}

ALWAYS_INLINE unsigned f64_div(double a, double b, double *out)
{
	if (b == 0 && !isnan(a))
		return FAULT_ZERO_DIVISOR;
	*out = a / b;
	return (isinf(*out) && !isinf(a) ? (unsigned)FAULT_OVERFLOW : 0) |
	       (*out == 0 && a != 0 && !isinf(b) ? (unsigned)FAULT_UNDERFLOW : 0);
}

ALWAYS_INLINE unsigned f64_neg(double a, double *out)
{
	*out = -a;
	return 0;
}

DEFINE_BINARY(add_f64, double, f64, f64_add)
DEFINE_BINARY(sub_f64, double, f64, f64_sub)
DEFINE_BINARY(mul_f64, double, f64, f64_mul)
DEFINE_BINARY(div_f64, double, f64, f64_div)
DEFINE_UNARY(neg_f64, double, f64, f64_neg)

/*
 * -- real --
 *
 * A double has more than twice the bits of a float, so that rounding its result gives the float's.
 */

ALWAYS_INLINE unsigned real_result(double exact, unsigned faults, double *out)
{
	*out = (double)(float)exact;
	return faults | (isinf(*out) && !isinf(exact) ? (unsigned)FAULT_OVERFLOW : 0) |
	       (*out == 0 && exact != 0 ? (unsigned)FAULT_UNDERFLOW : 0);
}

#define DEFINE_REAL(name, of_double)                                        \
	ALWAYS_INLINE unsigned real_##name(double a, double b, double *out) \
	{                                                                   \
		double exact = 0;                                           \
		unsigned faults = of_double(a, b, &exact);                  \
                                                                            \
		return real_result(exact, faults, out);                     \
	}                                                                   \
	DEFINE_BINARY(name##_real, double, f64, real_##name)

DEFINE_REAL(add, f64_add)
DEFINE_REAL(sub, f64_sub)
DEFINE_REAL(mul, f64_mul)
DEFINE_REAL(div, f64_div)

const struct kernel *kernel_arith_find(const struct expr *expr)
{
	static const struct kernel kernels[][6] = {
		[FN_ADD] = {{add_int}, {add_bigint}, {add_num}, {add_f64}, {add_small}, {add_real}},
		[FN_SUB] = {{sub_int}, {sub_bigint}, {sub_num}, {sub_f64}, {sub_small}, {sub_real}},
		[FN_MUL] = {{mul_int}, {mul_bigint}, {mul_num}, {mul_f64}, {mul_small}, {mul_real}},
		[FN_DIV] = {{div_int}, {div_bigint}, {div_num}, {div_f64}, {div_small}, {div_real}},
		[FN_MOD] = {{mod_bigint}, {mod_bigint}, {mod_num}, {NULL}, {mod_bigint}, {NULL}},
		[FN_NEG] = {{neg_int}, {neg_bigint}, {neg_num}, {neg_f64}, {neg_small}, {neg_f64}},
	};
	const struct kernel *kernel;

	if (expr->function < FN_ADD || expr->function > FN_NEG)
		return NULL;
	switch (expr->args[0]->type.kind) {
	case TYPE_INT: kernel = &kernels[expr->function][0]; break;
	case TYPE_BIGINT: kernel = &kernels[expr->function][1]; break;
	case TYPE_NUMERIC: kernel = &kernels[expr->function][2]; break;
	case TYPE_DOUBLE: kernel = &kernels[expr->function][3]; break;
	case TYPE_SMALLINT: kernel = &kernels[expr->function][4]; break;
	case TYPE_REAL: kernel = &kernels[expr->function][5]; break;
	default: return NULL;
	}
	return kernel->run ? kernel : NULL;
}
