/*
 * Roots, powers and logarithms of decimals, in MPFR's binary floating point with so many bits that
 * the digits that are kept do not depend on them. How many are kept is PostgreSQL's rule: at least
 * 16 significant ones, which it finds from an estimate of the result, and so do we.
 */
#include "column/numeric_long_private.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#define LOG10_E	       0.434294481903252
#define LN_10	       2.302585092994046
#define BITS_PER_DIGIT 3.3219281
/* More than any computation here loses. */
#define GUARD_BITS 128
/* e^x overflows from here on, and vanishes below the negative of it. */
#define EXPONENT_MAX (3 * RESULT_SCALE_MAX)

static mpfr_prec_t bits_for(double digits)
{
	return (mpfr_prec_t)((digits > 0 ? digits : 0) * BITS_PER_DIGIT) + GUARD_BITS;
}

static void real_init(mpfr_t out, const struct finite *finite, mpfr_prec_t bits)
{
	mpz_t power;

	mpz_init(power);
	mpz_power10(power, finite->scale);
	mpfr_init2(out, bits);
	mpfr_set_z(out, finite->digits, MPFR_RNDN);
	mpfr_div_z(out, out, power, MPFR_RNDN);
	mpz_clear(power);
}

/* Rounds to `scale` digits behind the point. */
static enum numeric_fault real_store(
	mpfr_t value, unsigned scale, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	mpz_t digits;

	mpz_init(digits);
	mpz_power10(digits, scale);
	mpfr_mul_z(value, value, digits, MPFR_RNDN);
	mpfr_round(value, value);
	mpfr_get_z(digits, value, MPFR_RNDN);
	fault = finite_store(digits, scale, arena, out);
	mpz_clear(digits);
	return fault;
}

static unsigned at_least(long scale, unsigned least)
{
	scale = scale < (long)least ? (long)least : scale;
	return scale > DISPLAY_SCALE_MAX ? DISPLAY_SCALE_MAX : (unsigned)scale;
}

static numeric zero_at(unsigned scale, struct arena *arena)
{
	return numeric_long_from_i128(0, scale, arena);
}

enum numeric_fault numeric_sqrt(numeric n, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite finite;
	unsigned scale, digit;
	mpz_t value, power;
	long weight;

	if (numeric_sign(n) < 0)
		return NUMERIC_ROOT_OF_NEGATIVE;
	if (numeric_is_special(n)) {
		*out = n;
		return NUMERIC_FINE;
	}
	finite_load(&finite, n);
	weight = mpz_leading_digit(finite.digits, finite.scale, &digit);
	scale = at_least(SIGNIFICANT_DIGITS + 1 - (weight + 1) * BASE_DIGITS / 2, finite.scale);
	mpz_init_set(value, finite.digits);
	mpz_init(power);
	mpz_power10(power, (unsigned long)labs((long)scale - (long)finite.scale));
	if (scale >= finite.scale)
		mpz_mul(value, value, power);
	else
		mpz_tdiv_q(value, value, power);
	mpz_root_rounded(value, scale);
	fault = finite_store(value, scale, arena, out);
	mpz_clears(value, power, NULL);
	return fault;
}

/* e^x, where `x` is about `estimate`, at `scale`. */
static enum numeric_fault store_exp(
	mpfr_t x, double estimate, unsigned scale, struct arena *arena, numeric *out)
{
	if (fabs(estimate) >= EXPONENT_MAX) {
		*out = zero_at(scale, arena);
		return estimate > 0 ? NUMERIC_TOO_LARGE : NUMERIC_FINE;
	}
	mpfr_exp(x, x, MPFR_RNDN);
	return real_store(x, scale, arena, out);
}

enum numeric_fault numeric_exp(numeric n, struct arena *arena, numeric *out)
{
	double estimate = numeric_to_double(n), digits;
	enum numeric_fault fault;
	struct finite finite;
	unsigned scale;
	mpfr_t x;

	if (numeric_is_special(n)) {
		*out = numeric_sign(n) < 0 ? 0 : n;
		return NUMERIC_FINE;
	}
	finite_load(&finite, n);
	digits = fmin(fmax(estimate * LOG10_E, -RESULT_SCALE_MAX), RESULT_SCALE_MAX);
	scale = at_least(SIGNIFICANT_DIGITS - (long)digits, finite.scale);
	real_init(x, &finite, bits_for(fmax(digits, 0) + scale));
	fault = store_exp(x, estimate, scale, arena, out);
	mpfr_clear(x);
	return fault;
}

/* The place of the logarithm's first digit, which is 0 for the ones. The value is above 0. */
static long log_weight(const struct finite *finite)
{
	unsigned digit;
	long weight, result;
	mpz_t one, rest;
	double first;

	mpz_inits(one, rest, NULL);
	mpz_power10(one, finite->scale);
	mpz_sub(rest, finite->digits, one);
	mpz_mul_ui(rest, rest, 10);
	if (mpz_cmpabs(rest, one) <= 0) {
		/* ln(1 + x) is about x. */
		weight = mpz_leading_digit(rest, finite->scale + 1, &digit);
		result = digit ? weight * BASE_DIGITS + (long)log10(digit) : 0;
	} else {
		weight = mpz_leading_digit(finite->digits, finite->scale, &digit);
		long exponent = mpz_count_digits(finite->digits) - (long)finite->scale;
		/* The first eight digits, as a number of base 10000 has them. */
		long kept = exponent - (weight - 1) * BASE_DIGITS;
		long drop = mpz_count_digits(finite->digits) - kept;

		mpz_power10(one, (unsigned long)labs(drop));
		if (drop >= 0)
			mpz_tdiv_q(rest, finite->digits, one);
		else
			mpz_mul(rest, finite->digits, one);
		first = log(mpz_get_d(rest)) + (double)((weight - 1) * BASE_DIGITS) * LN_10;
		result = (long)log10(fabs(first));
	}
	mpz_clears(one, rest, NULL);
	return result;
}

static enum numeric_fault log_fault(numeric n)
{
	int sign = numeric_sign(n);

	if (sign < 0)
		return NUMERIC_LOG_OF_NEGATIVE;
	return sign == 0 ? NUMERIC_LOG_OF_ZERO : NUMERIC_FINE;
}

enum numeric_fault numeric_ln(numeric n, struct arena *arena, numeric *out)
{
	enum numeric_fault fault = log_fault(n);
	struct finite finite;
	unsigned scale;
	mpfr_t x;

	if (fault != NUMERIC_FINE)
		return fault;
	if (numeric_is_special(n)) {
		*out = n;
		return NUMERIC_FINE;
	}
	finite_load(&finite, n);
	scale = at_least(SIGNIFICANT_DIGITS - log_weight(&finite), finite.scale);
	real_init(x, &finite, bits_for(scale + 8.0));
	mpfr_log(x, x, MPFR_RNDN);
	fault = real_store(x, scale, arena, out);
	mpfr_clear(x);
	return fault;
}

static enum numeric_fault log_special(numeric base, numeric n, numeric *out)
{
	enum numeric_fault fault;

	if (numeric_is_nan(base) || numeric_is_nan(n)) {
		*out = NUMERIC_NAN;
		return NUMERIC_FINE;
	}
	if (numeric_sign(base) < 0 || numeric_sign(n) < 0)
		return NUMERIC_LOG_OF_NEGATIVE;
	fault = log_fault(base);
	if (fault == NUMERIC_FINE)
		fault = log_fault(n);
	if (!numeric_is_special(base))
		*out = NUMERIC_INFINITY;
	else
		*out = numeric_is_special(n) ? NUMERIC_NAN : 0;
	return fault;
}

enum numeric_fault numeric_log(numeric base, numeric n, struct arena *arena, numeric *out)
{
	enum numeric_fault fault = log_fault(base);
	struct finite bottom, top;
	long bottom_weight, top_weight;
	mpfr_t x, y;
	mpfr_prec_t bits;
	unsigned scale;

	if (numeric_is_special(base) || numeric_is_special(n))
		return log_special(base, n, out);
	if (fault == NUMERIC_FINE)
		fault = log_fault(n);
	if (fault != NUMERIC_FINE)
		return fault;
	finite_load(&bottom, base);
	finite_load(&top, n);
	bottom_weight = log_weight(&bottom);
	top_weight = log_weight(&top);
	scale = at_least(SIGNIFICANT_DIGITS - (top_weight - bottom_weight),
		bottom.scale > top.scale ? bottom.scale : top.scale);
	bits = bits_for((double)scale + (double)labs(bottom_weight) + (double)labs(top_weight));
	real_init(x, &top, bits);
	real_init(y, &bottom, bits);
	mpfr_log(x, x, MPFR_RNDN);
	mpfr_log(y, y, MPFR_RNDN);
	if (mpfr_zero_p(y)) {
		fault = NUMERIC_ZERO_DIVISOR;
	} else {
		mpfr_div(x, x, y, MPFR_RNDN);
		fault = real_store(x, scale, arena, out);
	}
	mpfr_clears(x, y, (mpfr_ptr)NULL);
	return fault;
}

/* -- Powers -- */

static bool is_whole(numeric n)
{
	return numeric_is_special(n) || numeric_display_scale(numeric_normalize(n)) == 0;
}

static bool is_odd(numeric n)
{
	struct finite finite;
	bool odd;
	mpz_t power, value;

	finite_load(&finite, n);
	mpz_inits(power, value, NULL);
	mpz_power10(power, finite.scale);
	mpz_tdiv_q(value, finite.digits, power);
	odd = mpz_odd_p(value);
	mpz_clears(power, value, NULL);
	return odd;
}

static numeric one_at(unsigned scale, struct arena *arena)
{
	return numeric_long_at_scale(numeric_from_i64(1), scale, arena);
}

/* With POSIX's rules for pow(). One of the two is not finite. */
static enum numeric_fault power_special(numeric base, numeric power, numeric *out)
{
	const numeric one = numeric_from_i64(1);
	bool base_is_one = numeric_compare(base, one) == 0;

	if (numeric_is_nan(base) || numeric_is_nan(power)) {
		*out = numeric_sign(power) == 0 || base_is_one ? one : NUMERIC_NAN;
		return NUMERIC_FINE;
	}
	if (numeric_sign(base) == 0 && numeric_sign(power) < 0)
		return NUMERIC_ZERO_TO_NEGATIVE;
	if (numeric_sign(base) < 0 && !is_whole(power))
		return NUMERIC_COMPLEX_POWER;
	if (base_is_one || numeric_sign(power) == 0) {
		*out = one;
	} else if (numeric_is_special(power) && numeric_sign(base) != 0) {
		int order = numeric_compare(numeric_long_abs(base), one);

		*out = order == 0				  ? one
		       : (order > 0) == (numeric_sign(power) > 0) ? NUMERIC_INFINITY
								  : 0;
	} else if (numeric_sign(base) == 0 || numeric_sign(power) < 0) {
		*out = 0;
	} else {
		*out = numeric_sign(base) < 0 && is_odd(power) ? NUMERIC_MINUS_INFINITY
							       : NUMERIC_INFINITY;
	}
	return NUMERIC_FINE;
}

/* log10 of the absolute value, which is not 0. */
static double log10_of(const struct finite *finite)
{
	long exponent;
	double mantissa = mpz_get_d_2exp(&exponent, finite->digits);

	return log10(fabs(mantissa)) + (double)exponent * log10(2) - finite->scale;
}

static enum numeric_fault power_of_int(
	const struct finite *base, long power, struct arena *arena, numeric *out)
{
	unsigned scale = at_least(SIGNIFICANT_DIGITS, base->scale);
	enum numeric_fault fault;
	double digits;
	mpfr_t x;

	if (power == 0) {
		*out = one_at(scale, arena);
		return NUMERIC_FINE;
	}
	*out = zero_at(scale, arena);
	if (mpz_sgn(base->digits) == 0)
		return NUMERIC_FINE;
	digits = log10_of(base) * (double)power;
	if (digits > NUMERIC_WHOLE_MAX + 1)
		return NUMERIC_TOO_LARGE;
	if (digits + 1 < -(double)scale)
		return NUMERIC_FINE;
	real_init(x, base, bits_for(fmax(digits, 0) + scale));
	mpfr_pow_si(x, x, power, MPFR_RNDN);
	fault = real_store(x, scale, arena, out);
	mpfr_clear(x);
	return fault;
}

/* The base is above 0. */
static enum numeric_fault power_of_any(
	const struct finite *base, const struct finite *power, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	unsigned scale;
	double estimate;
	mpfr_t x, y;

	/* With as many bits as any scale needs: the estimate comes from the same numbers. */
	real_init(x, base, bits_for(DISPLAY_SCALE_MAX + EXPONENT_MAX));
	real_init(y, power, bits_for(DISPLAY_SCALE_MAX + EXPONENT_MAX));
	mpfr_log(x, x, MPFR_RNDN);
	mpfr_mul(x, x, y, MPFR_RNDN);
	estimate = mpfr_get_d(x, MPFR_RNDN);
	if (fabs(estimate) > EXPONENT_MAX) {
		*out = zero_at(DISPLAY_SCALE_MAX, arena);
		fault = estimate > 0 ? NUMERIC_TOO_LARGE : NUMERIC_FINE;
	} else {
		scale = at_least(SIGNIFICANT_DIGITS - (long)(estimate * LOG10_E),
			base->scale > power->scale ? base->scale : power->scale);
		mpfr_prec_round(x, bits_for(fmax(estimate * LOG10_E, 0) + scale), MPFR_RNDN);
		fault = store_exp(x, estimate, scale, arena, out);
	}
	mpfr_clears(x, y, (mpfr_ptr)NULL);
	return fault;
}

enum numeric_fault numeric_power(numeric base, numeric power, struct arena *arena, numeric *out)
{
	struct finite x, y;
	enum numeric_fault fault;
	int64_t whole;

	if (numeric_is_special(base) || numeric_is_special(power))
		return power_special(base, power, out);
	if (numeric_sign(base) == 0 && numeric_sign(power) < 0)
		return NUMERIC_ZERO_TO_NEGATIVE;
	finite_load(&x, base);
	finite_load(&y, power);
	if (is_whole(power) && numeric_long_to_i64(power, &whole) && whole == (int32_t)whole)
		return power_of_int(&x, whole, arena, out);
	if (numeric_sign(base) == 0) {
		*out = zero_at(SIGNIFICANT_DIGITS, arena);
		return NUMERIC_FINE;
	}
	if (numeric_sign(base) > 0)
		return power_of_any(&x, &y, arena, out);
	if (!is_whole(power))
		return NUMERIC_COMPLEX_POWER;
	finite_load(&x, numeric_long_abs(base));
	fault = power_of_any(&x, &y, arena, out);
	if (fault == NUMERIC_FINE && is_odd(power))
		*out = numeric_long_negate(*out);
	return fault;
}

/* -- Divisors -- */

typedef void (*divisor_fn)(mpz_t out, const mpz_t a, const mpz_t b);

/* Of the digits at the greater scale, which is that of the result. */
static enum numeric_fault store_divisor(
	numeric a, numeric b, divisor_fn function, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	struct finite x, y;
	mpz_t p, q;
	unsigned scale;

	if (numeric_is_special(a) || numeric_is_special(b)) {
		*out = NUMERIC_NAN;
		return NUMERIC_FINE;
	}
	finite_load(&x, a);
	finite_load(&y, b);
	scale = x.scale > y.scale ? x.scale : y.scale;
	mpz_init_set(p, x.digits);
	mpz_init_set(q, y.digits);
	mpz_rescale(p, x.scale, scale, false);
	mpz_rescale(q, y.scale, scale, false);
	function(p, p, q);
	fault = finite_store(p, scale, arena, out);
	mpz_clears(p, q, NULL);
	return fault;
}

enum numeric_fault numeric_gcd(numeric a, numeric b, struct arena *arena, numeric *out)
{
	return store_divisor(a, b, mpz_gcd, arena, out);
}

enum numeric_fault numeric_lcm(numeric a, numeric b, struct arena *arena, numeric *out)
{
	return store_divisor(a, b, mpz_lcm, arena, out);
}

/* PostgreSQL's limit: the next one has too many digits. */
#define FACTORIAL_MAX 32177

enum numeric_fault numeric_factorial(uint64_t of, struct arena *arena, numeric *out)
{
	enum numeric_fault fault;
	mpz_t product;

	if (of > FACTORIAL_MAX)
		return NUMERIC_TOO_LARGE;
	mpz_init(product);
	mpz_fac_ui(product, of);
	fault = finite_store(product, 0, arena, out);
	mpz_clear(product);
	return fault;
}
