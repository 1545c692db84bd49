/*
 * Long decimals over GMP's integers. Nothing here is fast for short operands: numeric.c is.
 */
#include "column/numeric_long_private.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 uint128;

const char *numeric_fault_text(enum numeric_fault fault)
{
	switch (fault) {
	case NUMERIC_FINE: break;
	case NUMERIC_TOO_LARGE: return "value overflows numeric format";
	case NUMERIC_ZERO_DIVISOR: return "division by zero";
	case NUMERIC_ROOT_OF_NEGATIVE: return "cannot take square root of a negative number";
	case NUMERIC_LOG_OF_ZERO: return "cannot take logarithm of zero";
	case NUMERIC_LOG_OF_NEGATIVE: return "cannot take logarithm of a negative number";
	case NUMERIC_ZERO_TO_NEGATIVE: return "zero raised to a negative power is undefined";
	case NUMERIC_COMPLEX_POWER:
		return "a negative number raised to a non-integer power yields a complex result";
	case NUMERIC_NOT_A_NUMBER: return "not a number";
	}
	return "no fault";
}

static void *gmp_realloc(void *old, size_t old_size, size_t size)
{
	(void)old_size;
	return memory_realloc(old, size);
}

static void gmp_free(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

void numeric_long_take_memory(void)
{
	mp_set_memory_functions(memory_alloc, gmp_realloc, gmp_free);
}

/* -- The form -- */

enum { SCALE_SHIFT = 8, SIGN_SHIFT = 24, COUNT_SHIFT = 32 };

numeric numeric_long_make(const uint64_t *limbs, uint32_t count, bool negative, unsigned scale)
{
	uint64_t low = (uint64_t)count << COUNT_SHIFT | (uint64_t)negative << SIGN_SHIFT |
		       (uint64_t)scale << SCALE_SHIFT | NUMERIC_LONG;

	return (numeric)((uint128)(uintptr_t)limbs << 64 | low);
}

const uint64_t *numeric_long_limbs(numeric n, uint32_t *count)
{
	assert(numeric_is_long(n));
	*count = (uint32_t)((uint64_t)n >> COUNT_SHIFT);
	return (const uint64_t *)(uintptr_t)((uint128)n >> 64);
}

static bool long_is_negative(numeric n)
{
	return (uint64_t)n >> SIGN_SHIFT & 1;
}

unsigned numeric_display_scale(numeric n)
{
	if (numeric_is_plain(n))
		return numeric_scale(n);
	return numeric_is_long(n) ? (unsigned)((uint64_t)n >> SCALE_SHIFT & 0xffff) : 0;
}

int numeric_sign(numeric n)
{
	uint32_t count;

	if (!numeric_is_long(n))
		return (numeric_mantissa(n) > 0) - (numeric_mantissa(n) < 0);
	(void)numeric_long_limbs(n, &count);
	return count == 0 ? 0 : long_is_negative(n) ? -1 : 1;
}

numeric numeric_long_keep(numeric n, struct arena *arena)
{
	uint32_t count;
	const uint64_t *limbs = numeric_long_limbs(n, &count);
	uint64_t *kept = arena_alloc(arena, (count + 1) * sizeof(*kept));

	memcpy(kept, limbs, count * sizeof(*kept));
	return numeric_long_make(kept, count, long_is_negative(n), numeric_display_scale(n));
}

void finite_load(struct finite *finite, numeric n)
{
	int128 mantissa = numeric_mantissa(n);
	uint128 magnitude = mantissa < 0 ? -(uint128)mantissa : (uint128)mantissa;
	uint32_t count;

	assert(!numeric_is_special(n));
	finite->scale = numeric_display_scale(n);
	if (numeric_is_long(n)) {
		const uint64_t *limbs = numeric_long_limbs(n, &count);

		mpz_roinit_n(finite->digits, (const mp_limb_t *)limbs,
			long_is_negative(n) ? -(mp_size_t)count : (mp_size_t)count);
		return;
	}
	finite->room[0] = (uint64_t)magnitude;
	finite->room[1] = (uint64_t)(magnitude >> 64);
	mpz_roinit_n(finite->digits, finite->room, mantissa < 0 ? -2 : 2);
}

static bool store_plain(const mpz_t value, unsigned scale, numeric *out)
{
	uint128 magnitude;

	if (scale > NUMERIC_SCALE_MAX || mpz_size(value) > 2)
		return false;
	magnitude = (uint128)mpz_getlimbn(value, 1) << 64 | mpz_getlimbn(value, 0);
	if (magnitude >= (uint128)numeric_power10[NUMERIC_DIGITS_MAX])
		return false;
	*out = numeric_pack(mpz_sgn(value) < 0 ? -(int128)magnitude : (int128)magnitude, scale);
	return true;
}

enum numeric_fault finite_store(
	const mpz_t value, unsigned scale, struct arena *arena, numeric *out)
{
	size_t count = mpz_size(value);
	uint64_t *limbs;

	if (store_plain(value, scale, out))
		return NUMERIC_FINE;
	if (scale > NUMERIC_FRACTION_MAX)
		return NUMERIC_TOO_LARGE;
	/* The size in base 10 may be one too great. */
	if (mpz_sizeinbase(value, 10) > (size_t)NUMERIC_WHOLE_MAX + scale &&
		mpz_count_digits(value) > (long)NUMERIC_WHOLE_MAX + (long)scale)
		return NUMERIC_TOO_LARGE;
	assert(count <= NUMERIC_LIMBS_MAX);
	limbs = arena_alloc(arena, (count + 1) * sizeof(*limbs));
	for (size_t i = 0; i < count; i++)
		limbs[i] = mpz_getlimbn(value, (mp_size_t)i);
	*out = numeric_long_make(limbs, (uint32_t)count, mpz_sgn(value) < 0, scale);
	return NUMERIC_FINE;
}

/* -- Integers -- */

void mpz_power10(mpz_t out, unsigned long exponent)
{
	mpz_ui_pow_ui(out, 10, exponent);
}

void mpz_divide_rounded(mpz_t quotient, const mpz_t dividend, const mpz_t divisor)
{
	bool negative = (mpz_sgn(dividend) < 0) != (mpz_sgn(divisor) < 0);
	mpz_t rest;

	mpz_init(rest);
	mpz_tdiv_qr(quotient, rest, dividend, divisor);
	mpz_mul_2exp(rest, rest, 1);
	if (mpz_cmpabs(rest, divisor) >= 0) {
		if (negative)
			mpz_sub_ui(quotient, quotient, 1);
		else
			mpz_add_ui(quotient, quotient, 1);
	}
	mpz_clear(rest);
}

long mpz_count_digits(const mpz_t value)
{
	long digits = (long)mpz_sizeinbase(value, 10);
	mpz_t power;

	if (digits == 1)
		return 1;
	mpz_init(power);
	mpz_power10(power, (unsigned long)digits - 1);
	if (mpz_cmpabs(value, power) < 0)
		digits--;
	mpz_clear(power);
	return digits;
}

long mpz_leading_digit(const mpz_t value, unsigned scale, unsigned *digit)
{
	long exponent, weight, shift;
	mpz_t power, first;

	*digit = 0;
	if (mpz_sgn(value) == 0)
		return 0;
	exponent = mpz_count_digits(value) - 1 - (long)scale;
	weight = (exponent >= 0 ? exponent : exponent - (BASE_DIGITS - 1)) / BASE_DIGITS;
	shift = BASE_DIGITS * weight + (long)scale;
	mpz_inits(power, first, NULL);
	mpz_power10(power, (unsigned long)labs(shift));
	if (shift >= 0)
		mpz_tdiv_q(first, value, power);
	else
		mpz_mul(first, value, power);
	*digit = (unsigned)mpz_get_ui(first);
	mpz_clears(power, first, NULL);
	return weight;
}

unsigned mpz_quotient_scale(const mpz_t a, unsigned a_scale, const mpz_t b, unsigned b_scale)
{
	unsigned a_digit, b_digit;
	long weight = mpz_leading_digit(a, a_scale, &a_digit);
	long scale;

	weight -= mpz_leading_digit(b, b_scale, &b_digit);
	if (a_digit <= b_digit)
		weight--;
	scale = SIGNIFICANT_DIGITS - BASE_DIGITS * weight;
	if (scale < (long)a_scale)
		scale = (long)a_scale;
	if (scale < (long)b_scale)
		scale = (long)b_scale;
	return scale > DISPLAY_SCALE_MAX ? DISPLAY_SCALE_MAX : (unsigned)scale;
}

void mpz_root_rounded(mpz_t value, unsigned scale)
{
	mpz_t rest;

	mpz_init(rest);
	mpz_power10(rest, scale);
	mpz_mul(value, value, rest);
	mpz_sqrtrem(value, rest, value);
	/* Above the middle of two roots: value > root^2 + root. */
	if (mpz_cmp(rest, value) > 0)
		mpz_add_ui(value, value, 1);
	mpz_clear(rest);
}

void mpz_rescale(mpz_t value, long from, long to, bool round)
{
	mpz_t power;

	if (from == to)
		return;
	mpz_init(power);
	mpz_power10(power, (unsigned long)labs(to - from));
	if (to > from)
		mpz_mul(value, value, power);
	else if (round)
		mpz_divide_rounded(value, value, power);
	else
		mpz_tdiv_q(value, value, power);
	mpz_clear(power);
}

/* A copy of the digits at a scale that is not below its own. */
static void init_at_scale(mpz_t out, const struct finite *finite, unsigned scale)
{
	mpz_init_set(out, finite->digits);
	mpz_rescale(out, finite->scale, scale, false);
}

/* -- Comparing -- */

static int compare_finite(numeric a, numeric b)
{
	struct finite x, y;
	mpz_t left, right;
	unsigned scale;
	int order;

	finite_load(&x, a);
	finite_load(&y, b);
	scale = x.scale > y.scale ? x.scale : y.scale;
	init_at_scale(left, &x, scale);
	init_at_scale(right, &y, scale);
	order = mpz_cmp(left, right);
	mpz_clears(left, right, NULL);
	return (order > 0) - (order < 0);
}

int numeric_long_compare(numeric a, numeric b)
{
	if (!numeric_is_special(a) && !numeric_is_special(b))
		return compare_finite(a, b);
	/* The bits of special values are in their order; what is finite stands between. */
	if (!numeric_is_special(a))
		return b == NUMERIC_MINUS_INFINITY ? 1 : -1;
	if (!numeric_is_special(b))
		return a == NUMERIC_MINUS_INFINITY ? -1 : 1;
	return (a > b) - (a < b);
}

/* Takes zeros off the end, as far as the scale allows. */
static void strip_zeros(mpz_t value, unsigned *scale)
{
	static const struct {
		unsigned long power;
		unsigned digits;
	} steps[] = {{1000000000000000000, 18}, {1000, 3}, {10, 1}};

	if (mpz_sgn(value) == 0)
		*scale = 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		while (*scale >= steps[i].digits && mpz_divisible_ui_p(value, steps[i].power)) {
			mpz_divexact_ui(value, value, steps[i].power);
			*scale -= steps[i].digits;
		}
	}
}

uint64_t numeric_long_hash(numeric n)
{
	struct finite finite;
	uint64_t hash;
	unsigned scale;
	mpz_t value;

	assert(numeric_is_long(n));
	finite_load(&finite, n);
	scale = finite.scale;
	mpz_init_set(value, finite.digits);
	strip_zeros(value, &scale);
	hash = hash_u64((uint64_t)scale << 1 | (mpz_sgn(value) < 0));
	for (size_t i = 0; i < mpz_size(value); i++)
		hash = hash_combine(hash, hash_u64(mpz_getlimbn(value, (mp_size_t)i)));
	mpz_clear(value);
	return hash;
}

numeric numeric_long_normalize(numeric n)
{
	struct finite finite;
	unsigned scale;
	mpz_t value;

	if (numeric_is_special(n))
		return n;
	finite_load(&finite, n);
	scale = finite.scale;
	mpz_init_set(value, finite.digits);
	strip_zeros(value, &scale);
	(void)store_plain(value, scale, &n);
	mpz_clear(value);
	return n;
}

bool numeric_identical(numeric a, numeric b)
{
	if (a == b)
		return true;
	if (!numeric_is_long(a) || !numeric_is_long(b))
		return false;
	return numeric_display_scale(a) == numeric_display_scale(b) && compare_finite(a, b) == 0;
}

bool numeric_long_is_legal(numeric n)
{
	uint32_t count;
	const uint64_t *limbs = numeric_long_limbs(n, &count);
	unsigned scale = numeric_display_scale(n);
	struct finite finite;
	numeric plain;

	if (scale > NUMERIC_FRACTION_MAX || count > NUMERIC_LIMBS_MAX ||
		(count > 0 ? limbs[count - 1] == 0 : long_is_negative(n)))
		return false;
	finite_load(&finite, n);
	return !store_plain(finite.digits, scale, &plain) &&
	       mpz_count_digits(finite.digits) <= (long)NUMERIC_WHOLE_MAX + (long)scale;
}

/* -- Arithmetic -- */

numeric numeric_long_from_i128(int128 mantissa, unsigned scale, struct arena *arena)
{
	uint128 magnitude = mantissa < 0 ? -(uint128)mantissa : (uint128)mantissa;
	const mp_limb_t limbs[2] = {(uint64_t)magnitude, (uint64_t)(magnitude >> 64)};
	numeric out = 0;
	mpz_t value;

	(void)finite_store(mpz_roinit_n(value, limbs, mantissa < 0 ? -2 : 2), scale, arena, &out);
	return out;
}

numeric numeric_long_negate(numeric n)
{
	uint32_t count;

	if (numeric_is_long(n)) {
		const uint64_t *limbs = numeric_long_limbs(n, &count);

		return numeric_long_make(
			limbs, count, count > 0 && !long_is_negative(n), numeric_display_scale(n));
	}
	if (numeric_is_nan(n))
		return n;
	return numeric_pack(-numeric_mantissa(n), numeric_scale(n));
}

numeric numeric_long_abs(numeric n)
{
	return numeric_sign(n) < 0 ? numeric_long_negate(n) : n;
}

/* The sum where one of the two is not finite. */
static numeric add_special(numeric a, numeric b)
{
	if (numeric_is_nan(a) || numeric_is_nan(b))
		return NUMERIC_NAN;
	if (!numeric_is_special(a))
		return b;
	return numeric_is_special(b) && a != b ? NUMERIC_NAN : a;
}

static bool any_special(numeric a, numeric b)
{
	return numeric_is_special(a) || numeric_is_special(b);
}

enum numeric_fault numeric_long_add(numeric a, numeric b, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite x, y;
	mpz_t left, right;
	unsigned scale;

	if (any_special(a, b)) {
		*out = add_special(a, b);
		return NUMERIC_FINE;
	}
	finite_load(&x, a);
	finite_load(&y, b);
	scale = x.scale > y.scale ? x.scale : y.scale;
	init_at_scale(left, &x, scale);
	init_at_scale(right, &y, scale);
	mpz_add(left, left, right);
	fault = finite_store(left, scale, arena, out);
	mpz_clears(left, right, NULL);
	return fault;
}

enum numeric_fault numeric_long_sub(numeric a, numeric b, struct arena *arena, numeric *out)
{
	return numeric_long_add(a, numeric_long_negate(b), arena, out);
}

/* An infinity with the sign of a product; NaN where there is none. */
static numeric special_product(numeric a, numeric b)
{
	int sign = numeric_sign(a) * numeric_sign(b);

	if (numeric_is_nan(a) || numeric_is_nan(b) || sign == 0)
		return NUMERIC_NAN;
	return sign < 0 ? NUMERIC_MINUS_INFINITY : NUMERIC_INFINITY;
}

enum numeric_fault numeric_long_mul(numeric a, numeric b, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite x, y;
	unsigned scale;
	mpz_t product;

	if (any_special(a, b)) {
		*out = special_product(a, b);
		return NUMERIC_FINE;
	}
	finite_load(&x, a);
	finite_load(&y, b);
	scale = x.scale + y.scale;
	mpz_init(product);
	mpz_mul(product, x.digits, y.digits);
	if (scale > NUMERIC_FRACTION_MAX) {
		mpz_rescale(product, scale, NUMERIC_FRACTION_MAX, true);
		scale = NUMERIC_FRACTION_MAX;
	}
	fault = finite_store(product, scale, arena, out);
	mpz_clear(product);
	return fault;
}

/* A quotient where one of the two is not finite. */
static enum numeric_fault divide_special(numeric a, numeric b, numeric *out)
{
	if (numeric_is_nan(a) || numeric_is_nan(b))
		*out = NUMERIC_NAN;
	else if (numeric_sign(b) == 0)
		return NUMERIC_ZERO_DIVISOR;
	else if (!numeric_is_special(b))
		*out = special_product(a, b);
	else
		*out = numeric_is_special(a) ? NUMERIC_NAN : 0;
	return NUMERIC_FINE;
}

enum numeric_fault numeric_long_div(numeric a, numeric b, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite x, y;
	unsigned scale;
	long shift;
	mpz_t dividend, divisor;

	if (any_special(a, b))
		return divide_special(a, b, out);
	finite_load(&x, a);
	finite_load(&y, b);
	if (mpz_sgn(y.digits) == 0)
		return NUMERIC_ZERO_DIVISOR;
	scale = mpz_quotient_scale(x.digits, x.scale, y.digits, y.scale);
	shift = (long)scale + (long)y.scale - (long)x.scale;
	mpz_init_set(dividend, x.digits);
	mpz_init_set(divisor, y.digits);
	mpz_rescale(shift >= 0 ? dividend : divisor, 0, labs(shift), false);
	mpz_divide_rounded(dividend, dividend, divisor);
	fault = finite_store(dividend, scale, arena, out);
	mpz_clears(dividend, divisor, NULL);
	return fault;
}

/* Both finite, the divisor not zero: the truncated quotient, and the rest at `scale`. */
static unsigned divide_whole(numeric a, numeric b, mpz_t quotient, mpz_t rest)
{
	struct finite x, y;
	mpz_t left, right;
	unsigned scale;

	finite_load(&x, a);
	finite_load(&y, b);
	scale = x.scale > y.scale ? x.scale : y.scale;
	init_at_scale(left, &x, scale);
	init_at_scale(right, &y, scale);
	mpz_tdiv_qr(quotient, rest, left, right);
	mpz_clears(left, right, NULL);
	return scale;
}

enum numeric_fault numeric_long_div_whole(numeric a, numeric b, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	mpz_t quotient, rest;

	if (any_special(a, b))
		return divide_special(a, b, out);
	if (numeric_sign(b) == 0)
		return NUMERIC_ZERO_DIVISOR;
	mpz_inits(quotient, rest, NULL);
	(void)divide_whole(a, b, quotient, rest);
	fault = finite_store(quotient, 0, arena, out);
	mpz_clears(quotient, rest, NULL);
	return fault;
}

enum numeric_fault numeric_long_mod(numeric a, numeric b, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	mpz_t quotient, rest;
	unsigned scale;

	if (any_special(a, b)) {
		fault = divide_special(a, b, out);
		if (fault == NUMERIC_FINE && !numeric_is_nan(*out))
			*out = numeric_is_special(a) ? NUMERIC_NAN : a;
		return fault;
	}
	if (numeric_sign(b) == 0)
		return NUMERIC_ZERO_DIVISOR;
	mpz_inits(quotient, rest, NULL);
	scale = divide_whole(a, b, quotient, rest);
	fault = finite_store(rest, scale, arena, out);
	mpz_clears(quotient, rest, NULL);
	return fault;
}

static enum numeric_fault change_scale(
	numeric n, long scale, bool round, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite finite;
	mpz_t value;

	if (numeric_is_special(n)) {
		*out = n;
		return NUMERIC_FINE;
	}
	finite_load(&finite, n);
	mpz_init_set(value, finite.digits);
	mpz_rescale(value, finite.scale, scale, round);
	if (scale < 0)
		mpz_rescale(value, scale, 0, false);
	fault = finite_store(value, scale < 0 ? 0 : (unsigned)scale, arena, out);
	mpz_clear(value);
	return fault;
}

/* What lies beyond changes nothing, or leaves nothing. */
static long limit_scale(int scale)
{
	if (scale > NUMERIC_FRACTION_MAX)
		return NUMERIC_FRACTION_MAX;
	return scale < -NUMERIC_WHOLE_MAX - 1 ? -NUMERIC_WHOLE_MAX - 1 : scale;
}

enum numeric_fault numeric_long_round(numeric n, int scale, struct arena *arena, numeric *out)
{
	return change_scale(n, limit_scale(scale), true, arena, out);
}

enum numeric_fault numeric_long_trunc(numeric n, int scale, struct arena *arena, numeric *out)
{
	return change_scale(n, limit_scale(scale), false, arena, out);
}

static numeric whole(numeric n, bool up, struct arena *arena)
{
	struct finite finite;
	numeric out = 0;
	mpz_t value, power;

	if (numeric_is_special(n))
		return n;
	finite_load(&finite, n);
	mpz_inits(value, power, NULL);
	mpz_power10(power, finite.scale);
	if (up)
		mpz_cdiv_q(value, finite.digits, power);
	else
		mpz_fdiv_q(value, finite.digits, power);
	/* One more than the greatest value, at the most: not worth an error. */
	(void)finite_store(value, 0, arena, &out);
	mpz_clears(value, power, NULL);
	return out;
}

numeric numeric_long_floor(numeric n, struct arena *arena)
{
	return whole(n, false, arena);
}

numeric numeric_long_ceil(numeric n, struct arena *arena)
{
	return whole(n, true, arena);
}

numeric numeric_long_at_scale(numeric n, unsigned scale, struct arena *arena)
{
	numeric out = n;

	if (numeric_display_scale(n) < scale)
		(void)change_scale(n, (long)scale, false, arena, &out);
	return out;
}

enum numeric_fault numeric_long_fit(
	numeric n, int precision, int scale, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite finite;

	if (precision == NUMERIC_ANY || numeric_is_nan(n)) {
		*out = n;
		return NUMERIC_FINE;
	}
	if (numeric_is_special(n))
		return NUMERIC_TOO_LARGE;
	fault = change_scale(n, scale, true, arena, out);
	if (fault != NUMERIC_FINE)
		return fault;
	finite_load(&finite, *out);
	if (mpz_sgn(finite.digits) != 0 &&
		mpz_count_digits(finite.digits) - (long)finite.scale > precision - scale)
		return NUMERIC_TOO_LARGE;
	return NUMERIC_FINE;
}

/* -- Conversions -- */

bool numeric_long_to_i64(numeric n, int64_t *out)
{
	struct finite finite;
	mpz_t value;
	bool fits;

	if (numeric_is_special(n))
		return false;
	finite_load(&finite, n);
	mpz_init_set(value, finite.digits);
	mpz_rescale(value, finite.scale, 0, true);
	fits = mpz_fits_slong_p(value);
	if (fits)
		*out = mpz_get_si(value);
	mpz_clear(value);
	return fits;
}

int64_t numeric_long_floor_i64(numeric n, unsigned digits)
{
	struct finite finite;
	int64_t out;
	mpz_t value, power;

	if (numeric_is_special(n))
		return n == NUMERIC_MINUS_INFINITY ? INT64_MIN : INT64_MAX;
	finite_load(&finite, n);
	mpz_init_set(value, finite.digits);
	mpz_init(power);
	mpz_rescale(value, 0, digits, false);
	mpz_power10(power, finite.scale);
	mpz_fdiv_q(value, value, power);
	if (mpz_fits_slong_p(value))
		out = mpz_get_si(value);
	else
		out = mpz_sgn(value) < 0 ? INT64_MIN : INT64_MAX;
	mpz_clears(value, power, NULL);
	return out;
}
