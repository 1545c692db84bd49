/*
 * Decimals. The usual operands are short (prices, quantities), so every operation first tries plain
 * 64- or 128-bit arithmetic; only division and remainders may need the 256 bits of wide.c.
 *
 * Why 256 are enough for a quotient: it must have at most 35 digits and so has the divisor, so a
 * dividend of more than 71 digits (236 bits), scaled up to the result's scale, is an overflow.
 */
#include "column/numeric.h"
#include "base/digits.h"
#include "column/number_private.h"
#include "column/numeric_long.h"
#include "column/wide_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define E9  INT64_C(1000000000)
#define E18 (E9 * E9)
#define E27 ((int128)E18 * E9)
#define E36 ((int128)E18 * E18)

const int128 numeric_power10[39] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	E9, E9 * 10, E9 * 100, E9 * 1000, E9 * 10000, E9 * 100000, E9 * 1000000, E9 * 10000000,
	E9 * 100000000, E18, (int128)E18 * 10, (int128)E18 * 100, (int128)E18 * 1000,
	(int128)E18 * 10000, (int128)E18 * 100000, (int128)E18 * 1000000, (int128)E18 * 10000000,
	(int128)E18 * 100000000, E27, E27 * 10, E27 * 100, E27 * 1000, E27 * 10000, E27 * 100000,
	E27 * 1000000, E27 * 10000000, E27 * 100000000, E36, E36 * 10, E36 * 100};

#define MANTISSA_LIMIT (E27 * 100000000) /* 10^NUMERIC_DIGITS_MAX */

static bool both_plain(numeric a, numeric b)
{
	return numeric_is_plain(a | b);
}

static uint128 magnitude(int128 value)
{
	return value < 0 ? -(uint128)value : (uint128)value;
}

bool numeric_make(int128 mantissa, unsigned scale, numeric *out)
{
	if (mantissa >= MANTISSA_LIMIT || mantissa <= -MANTISSA_LIMIT || scale > NUMERIC_SCALE_MAX)
		return false;
	*out = numeric_pack(mantissa, scale);
	return true;
}

static bool make_signed(bool negative, uint128 mantissa, unsigned scale, numeric *out)
{
	if (mantissa >= (uint128)MANTISSA_LIMIT)
		return false;
	return numeric_make(negative ? -(int128)mantissa : (int128)mantissa, scale, out);
}

/* The mantissa at a scale that is not less than its own; false when it leaves 128 bits. */
static bool rescale_up(numeric n, unsigned scale, int128 *mantissa)
{
	return !__builtin_mul_overflow(
		numeric_mantissa(n), numeric_power10[scale - numeric_scale(n)], mantissa);
}

int numeric_compare(numeric a, numeric b)
{
	unsigned scale_a = numeric_scale(a);
	unsigned scale_b = numeric_scale(b);
	int128 x = numeric_mantissa(a);
	int128 y = numeric_mantissa(b);

	if (!both_plain(a, b))
		return numeric_long_compare(a, b);
	/* A mantissa that overflows on its way to the other's scale is beyond anything that fits.
	 */
	if (scale_a < scale_b && !rescale_up(a, scale_b, &x))
		return a < 0 ? -1 : 1;
	if (scale_b < scale_a && !rescale_up(b, scale_a, &y))
		return b < 0 ? 1 : -1;
	return (x > y) - (x < y);
}

numeric numeric_normalize(numeric n)
{
	int128 mantissa = numeric_mantissa(n);
	unsigned scale = numeric_scale(n);

	if (!numeric_is_plain(n))
		return numeric_long_normalize(n);
	if (mantissa == 0)
		return 0;
	while (scale > 0 && (mantissa > INT64_MAX || mantissa < INT64_MIN) && mantissa % 10 == 0) {
		mantissa /= 10;
		scale--;
	}
	if (mantissa <= INT64_MAX && mantissa >= INT64_MIN) {
		int64_t small = (int64_t)mantissa;

		while (scale > 0 && small % 10 == 0) {
			small /= 10;
			scale--;
		}
		mantissa = small;
	}
	return numeric_pack(mantissa, scale);
}

static bool add_mantissas(numeric a, int128 b_mantissa, unsigned b_scale, numeric *out)
{
	unsigned scale = numeric_scale(a);
	int128 x = numeric_mantissa(a);
	int128 y = b_mantissa;
	int128 sum;

	/*
	 * When the shorter scale overflows 128 bits, no other operand, having at most 35 digits,
	 * can bring the sum back to 35.
	 */
	if (scale < b_scale) {
		if (__builtin_mul_overflow(x, numeric_power10[b_scale - scale], &x))
			return false;
		scale = b_scale;
	} else if (b_scale < scale) {
		if (__builtin_mul_overflow(y, numeric_power10[scale - b_scale], &y))
			return false;
	}
	return !__builtin_add_overflow(x, y, &sum) && numeric_make(sum, scale, out);
}

bool numeric_add(numeric a, numeric b, numeric *out)
{
	return both_plain(a, b) && add_mantissas(a, numeric_mantissa(b), numeric_scale(b), out);
}

bool numeric_sub(numeric a, numeric b, numeric *out)
{
	return both_plain(a, b) && add_mantissas(a, -numeric_mantissa(b), numeric_scale(b), out);
}

bool numeric_mul(numeric a, numeric b, numeric *out)
{
	int128 product;

	if (!both_plain(a, b) ||
		__builtin_mul_overflow(numeric_mantissa(a), numeric_mantissa(b), &product))
		return false;
	return numeric_make(product, numeric_scale(a) + numeric_scale(b), out);
}

/* Decimal digits of a number; 0 has one. */
static unsigned count_digits(uint128 value)
{
	/* 1233 / 4096 is just above log10(2): the guess is right or one too low. */
	uint64_t high = (uint64_t)(value >> 64);
	unsigned bits = high ? 128 - (unsigned)__builtin_clzll(high)
			     : 64 - (unsigned)__builtin_clzll((uint64_t)value | 1);
	unsigned guess = bits * 1233 >> 12;

	return guess + (guess == 0 || value >= (uint128)numeric_power10[guess]);
}

/*
 * PostgreSQL keeps decimals in base 10000. The place of the first such digit that is not zero, and
 * the digit itself, decide the scale of a quotient.
 */
static int leading_digit(uint128 mantissa, unsigned scale, unsigned *digit)
{
	int exponent, weight, shift;

	if (mantissa == 0) {
		*digit = 0;
		return 0;
	}
	exponent = (int)count_digits(mantissa) - 1 - (int)scale;
	weight = (exponent >= 0 ? exponent : exponent - 3) / 4;
	shift = 4 * weight + (int)scale;
	if (shift >= 0)
		*digit = (unsigned)(mantissa / (uint128)numeric_power10[shift]);
	else
		*digit = (unsigned)mantissa * (unsigned)numeric_power10[-shift];
	return weight;
}

/* At least 16 significant digits, and at least the digits after the point of both operands. */
static int quotient_scale(uint128 a, unsigned a_scale, uint128 b, unsigned b_scale)
{
	unsigned a_digit, b_digit;
	int weight = leading_digit(a, a_scale, &a_digit) - leading_digit(b, b_scale, &b_digit);
	int scale;

	if (a_digit <= b_digit)
		weight--;
	scale = 16 - 4 * weight;
	if (scale < (int)a_scale)
		scale = (int)a_scale;
	if (scale < (int)b_scale)
		scale = (int)b_scale;
	return scale;
}

static bool divide(int128 a, unsigned a_scale, int128 b, unsigned b_scale, numeric *out)
{
	uint128 divisor = magnitude(b);
	int scale = quotient_scale(magnitude(a), a_scale, divisor, b_scale);
	unsigned shift;
	struct wide dividend;
	uint128 rest, quotient;

	if (scale > NUMERIC_SCALE_MAX)
		return false;
	shift = (unsigned)scale + b_scale - a_scale;
	if (a != 0 && count_digits(magnitude(a)) + shift > 71)
		return false;
	dividend = wide_mul_power10(wide_from(magnitude(a)), a == 0 ? 0 : shift);
	rest = wide_divide(&dividend, divisor);
	if (!wide_to_u128(&dividend, &quotient))
		return false;
	quotient += rest >= divisor - rest;
	return make_signed((a < 0) != (b < 0), quotient, (unsigned)scale, out);
}

bool numeric_div(numeric a, numeric b, numeric *out)
{
	return both_plain(a, b) && divide(numeric_mantissa(a), numeric_scale(a),
					   numeric_mantissa(b), numeric_scale(b), out);
}

bool numeric_average(int128 sum, unsigned scale, int64_t count, numeric *out)
{
	assert(count > 0);
	return divide(sum, scale, count, 0, out);
}

bool numeric_mod(numeric a, numeric b, numeric *out)
{
	unsigned scale_a = numeric_scale(a);
	unsigned scale_b = numeric_scale(b);
	uint128 x = magnitude(numeric_mantissa(a));
	uint128 y = magnitude(numeric_mantissa(b));

	if (!both_plain(a, b))
		return false;
	if (scale_a >= scale_b) {
		int128 divisor;

		/* A divisor that overflows is greater than the dividend, which is then the rest. */
		if (rescale_up(b, scale_a, &divisor))
			x %= magnitude(divisor);
		return make_signed(a < 0, x, scale_a, out);
	}
	struct wide dividend = wide_mul_power10(wide_from(x), scale_b - scale_a);

	return make_signed(a < 0, wide_divide(&dividend, y), scale_b, out);
}

/* Brings n to `scale`, cutting digits off or adding zeros; negative scales end up as 0. */
static bool change_scale(numeric n, int scale, bool round, numeric *out)
{
	int128 mantissa = numeric_mantissa(n);
	int64_t drop = (int64_t)numeric_scale(n) - scale;
	int128 unit, rest;

	if (scale > NUMERIC_SCALE_MAX || !numeric_is_plain(n))
		return false;
	if (drop <= 0)
		return rescale_up(n, (unsigned)scale, &mantissa) &&
		       numeric_make(mantissa, (unsigned)scale, out);
	if (drop > NUMERIC_DIGITS_MAX) {
		*out = numeric_pack(0, scale > 0 ? (unsigned)scale : 0);
		return true;
	}
	unit = numeric_power10[drop];
	rest = mantissa % unit;
	mantissa /= unit;
	if (round && magnitude(rest) >= (uint128)(unit - (int128)magnitude(rest)))
		mantissa += rest < 0 ? -1 : 1;
	if (scale >= 0)
		return numeric_make(mantissa, (unsigned)scale, out);
	return numeric_make(mantissa * numeric_power10[-scale], 0, out);
}

bool numeric_round(numeric n, int scale, numeric *out)
{
	return change_scale(n, scale, true, out);
}

bool numeric_trunc(numeric n, int scale, numeric *out)
{
	return change_scale(n, scale, false, out);
}

bool numeric_fit(numeric n, int precision, int scale, numeric *out)
{
	numeric rounded;
	int digits = scale >= 0 ? precision : precision - scale; /* of the mantissa */

	if (precision == NUMERIC_ANY) {
		*out = n;
		return true;
	}
	if (!numeric_round(n, scale, &rounded))
		return false;
	if (digits < NUMERIC_DIGITS_MAX &&
		magnitude(numeric_mantissa(rounded)) >= (uint128)numeric_power10[digits])
		return false;
	*out = rounded;
	return true;
}

bool numeric_floor(numeric n, numeric *out)
{
	int128 mantissa = numeric_mantissa(n), unit;

	if (!numeric_is_plain(n))
		return false;
	unit = numeric_power10[numeric_scale(n)];
	*out = numeric_pack(mantissa / unit - (mantissa % unit < 0), 0);
	return true;
}

bool numeric_ceil(numeric n, numeric *out)
{
	int128 mantissa = numeric_mantissa(n), unit;

	if (!numeric_is_plain(n))
		return false;
	unit = numeric_power10[numeric_scale(n)];
	*out = numeric_pack(mantissa / unit + (mantissa % unit > 0), 0);
	return true;
}

bool numeric_to_i64(numeric n, int64_t *out)
{
	numeric rounded;
	int128 mantissa;

	if (!numeric_round(n, 0, &rounded))
		return false;
	mantissa = numeric_mantissa(rounded);
	if (mantissa > INT64_MAX || mantissa < INT64_MIN)
		return false;
	*out = (int64_t)mantissa;
	return true;
}

double numeric_to_double(numeric n)
{
	int128 mantissa = numeric_mantissa(n);
	unsigned scale = numeric_scale(n);
	char text[NUMERIC_TEXT_MAX];

	if (!numeric_is_plain(n))
		return numeric_long_to_double(n);
	/* Both operands are exact as doubles, so the quotient is the nearest double. */
	if (magnitude(mantissa) <= (uint128)1 << 53 && scale <= 22)
		return (double)(int64_t)mantissa / (double)numeric_power10[scale];
	numeric_format(n, text);
	return strtod(text, NULL);
}

bool numeric_from_double(double value, numeric *out)
{
	char text[32];
	int size;

	if (!isfinite(value))
		return false;
	size = snprintf(text, sizeof(text), "%.15g", value);
	return numeric_parse(text, (size_t)size, out);
}

static bool make_from_parts(
	bool negative, uint128 mantissa, int64_t fraction, int64_t exponent, numeric *out)
{
	int64_t scale = fraction - exponent;

	if (scale > NUMERIC_SCALE_MAX)
		return false;
	if (scale < 0) {
		/* More than 35 digits, unless it is zero. */
		if (mantissa != 0 &&
			(scale < -NUMERIC_DIGITS_MAX ||
				mantissa >= (uint128)numeric_power10[NUMERIC_DIGITS_MAX + scale]))
			return false;
		mantissa = mantissa ? mantissa * (uint128)numeric_power10[-scale] : 0;
		scale = 0;
	}
	return make_signed(negative, mantissa, (unsigned)scale, out);
}

#define FOLD_DIGITS 18
/* A mantissa that cannot take FOLD_DIGITS more: 10^(NUMERIC_DIGITS_MAX - FOLD_DIGITS). */
#define FOLD_LIMIT ((uint128)E9 * 100000000)

bool numeric_parse(const char *text, size_t size, numeric *out)
{
	const char *p = text;
	const char *end = text + size;
	const char *start, *point = NULL;
	bool negative = size > 0 && *p == '-';
	uint128 mantissa = 0;
	uint64_t low = 0; /* the digits since the last fold into the mantissa */
	unsigned low_digits = 0;
	int64_t exponent = 0, digits, fraction;

	p += size > 0 && (*p == '-' || *p == '+');
	start = p;
	for (; p < end; p++) {
		unsigned digit = (unsigned)*p - '0';

		if (digit > 9) {
			if (*p != '.' || point)
				break;
			point = p;
			continue;
		}
		low = low * 10 + digit;
		if (++low_digits == FOLD_DIGITS) {
			if (mantissa >= FOLD_LIMIT)
				return false;
			mantissa = mantissa * (uint128)E18 + low;
			low = 0;
			low_digits = 0;
		}
	}
	digits = p - start - (point != NULL);
	if (digits == 0 || (p < end && !exponent_parse(p, end, &exponent)))
		return false;
	if (mantissa >= (uint128)numeric_power10[NUMERIC_DIGITS_MAX - low_digits])
		return false;
	mantissa = mantissa * (uint128)numeric_power10[low_digits] + low;
	fraction = point ? p - point - 1 : 0;
	return make_from_parts(negative, mantissa, fraction, exponent, out);
}

/* Writes the digits of `value` so that they end before `end`; returns where they begin. */
static char *put_digits(char *end, uint128 value)
{
	while (value > UINT64_MAX) {
		uint64_t low = (uint64_t)(value % (uint128)E18);

		value /= (uint128)E18;
		for (int i = 0; i < 18; i++) {
			*--end = (char)('0' + low % 10);
			low /= 10;
		}
	}
	for (uint64_t rest = (uint64_t)value; rest; rest /= 10)
		*--end = (char)('0' + rest % 10);
	return end;
}

/* 10^19 fits into 64 bits. */
#define SHORT_SCALE_MAX 19

/* Nearly all have no more than 64 bits. */
static size_t format_short(uint64_t magnitude, bool negative, unsigned scale, char *text)
{
	uint64_t unit = (uint64_t)numeric_power10[scale];
	char *p = text;

	if (negative)
		*p++ = '-';
	p = digits_put(p, magnitude / unit);
	if (scale > 0) {
		*p++ = '.';
		p = digits_put_padded(p, magnitude % unit, scale);
	}
	*p = '\0';
	return (size_t)(p - text);
}

size_t numeric_format(numeric n, char text[NUMERIC_TEXT_MAX])
{
	char digits[NUMERIC_TEXT_MAX];
	char *end = digits + sizeof(digits);
	char *begin;
	uint128 value = magnitude(numeric_mantissa(n));
	unsigned scale = numeric_scale(n);
	char *p = text;
	size_t whole;

	assert(scale <= NUMERIC_SCALE_MAX);
	if (scale <= SHORT_SCALE_MAX && value <= UINT64_MAX)
		return format_short((uint64_t)value, n < 0, scale, text);
	begin = put_digits(end, value);
	while (end - begin < (ptrdiff_t)scale + 1)
		*--begin = '0';
	whole = (size_t)(end - begin) - scale;
	if (n < 0)
		*p++ = '-';
	memcpy(p, begin, whole);
	p += whole;
	if (scale > 0) {
		*p++ = '.';
		memcpy(p, begin + whole, scale);
		p += scale;
	}
	*p = '\0';
	return (size_t)(p - text);
}
