/*
 * Exact decimals in 128 bits: mantissa * 10^-scale, with the scale inside every value.
 *
 * The low 8 bits of a `numeric` are the scale (0..NUMERIC_SCALE_MAX), the upper 120 bits the signed
 * mantissa. As in PostgreSQL the scale is what is printed: 78.0 and 78.00 are equal and print
 * differently. Two values of one scale compare as plain 128-bit integers.
 *
 * Results have the scale PostgreSQL gives them: the greater one for + and -, the sum for *, and for
 * / at least 16 significant digits (its select_div_scale). A result that needs more than
 * NUMERIC_DIGITS_MAX digits is an overflow: the functions return false and store nothing.
 */
#ifndef COLUMN_NUMERIC_H
#define COLUMN_NUMERIC_H

#include "column/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __int128 int128;
typedef __int128 numeric;

#define NUMERIC_DIGITS_MAX 35
#define NUMERIC_SCALE_MAX  35
/* Every text of a numeric fits: sign, digits, point, leading zero, terminator. */
#define NUMERIC_TEXT_MAX 48

static inline numeric numeric_pack(int128 mantissa, unsigned scale)
{
	return (numeric)(((unsigned __int128)mantissa << 8) | scale);
}

static inline int128 numeric_mantissa(numeric n)
{
	return n >> 8;
}

static inline unsigned numeric_scale(numeric n)
{
	return (unsigned)n & 0xff;
}

static inline numeric numeric_from_i64(int64_t value)
{
	return numeric_pack(value, 0);
}

/* 10^0 .. 10^38. */
extern const int128 numeric_power10[39];

/* False when |mantissa| has more than NUMERIC_DIGITS_MAX digits. */
bool numeric_make(int128 mantissa, unsigned scale, numeric *out);

/* <0, 0, >0 by value: 1.0 and 1.00 compare equal. */
int numeric_compare(numeric a, numeric b);
/* The same value with the least scale: equal values have equal bits. For hashing and keys. */
numeric numeric_normalize(numeric n);

bool numeric_add(numeric a, numeric b, numeric *out);
bool numeric_sub(numeric a, numeric b, numeric *out);
bool numeric_mul(numeric a, numeric b, numeric *out);
/* `b` is not zero. */
bool numeric_div(numeric a, numeric b, numeric *out);
/* Sign of the dividend, as PostgreSQL's %. `b` is not zero. */
bool numeric_mod(numeric a, numeric b, numeric *out);
/* sum / count as avg() prints it; `sum` may use all 128 bits. `count` is above zero. */
bool numeric_average(int128 sum, unsigned scale, int64_t count, numeric *out);
/* Half away from zero, to `scale` digits after the point (negative: before it). */
bool numeric_round(numeric n, int scale, numeric *out);
bool numeric_trunc(numeric n, int scale, numeric *out);
/*
 * The value as numeric(precision, scale) holds it: rounded to `scale`, false when more than
 * precision - scale digits stand before the point. A precision of NUMERIC_ANY changes nothing.
 */
bool numeric_fit(numeric n, int precision, int scale, numeric *out);
numeric numeric_floor(numeric n);
numeric numeric_ceil(numeric n);

/* Rounds half away from zero; false when it does not fit. */
bool numeric_to_i64(numeric n, int64_t *out);
double numeric_to_double(numeric n);
/* As PostgreSQL's cast: 15 significant digits. False for nan, infinities and what does not fit. */
bool numeric_from_double(double value, numeric *out);

/*
 * Reads [+-]digits[.digits][e[+-]digits], no surrounding blanks, the whole of `size` bytes. False
 * when it is not a number or has more digits than fit.
 */
bool numeric_parse(const char *text, size_t size, numeric *out);
/* Returns the length; always terminated. */
size_t numeric_format(numeric n, char text[NUMERIC_TEXT_MAX]);

#endif
