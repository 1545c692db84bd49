/*
 * Exact decimals: mantissa * 10^-scale, with the scale inside every value.
 *
 * A plain one lies in 128 bits: the low 8 bits are the scale (0..NUMERIC_SCALE_MAX), the upper 120
 * bits the signed mantissa. As in PostgreSQL the scale is what is printed: 78.0 and 78.00 are equal
 * and print differently. Two plain values of one scale compare as 128-bit integers.
 *
 * Whatever does not fit, NaN and the infinities have NUMERIC_ODD in the scale's byte and are dealt
 * with by numeric_long.h: a long one points to its digits, as a text points to its bytes. A value
 * that fits the plain form is always plain. No odd value has a mantissa of 64 bits, so that loops
 * which try those first need not look for it.
 *
 * Results have the scale PostgreSQL gives them: the greater one for + and -, the sum for *, and for
 * / at least 16 significant digits (its select_div_scale). Functions that return bool return false,
 * and store nothing, where an operand is odd or the result would be; the same function of
 * numeric_long.h then has the answer.
 */
#ifndef COLUMN_NUMERIC_H
#define COLUMN_NUMERIC_H

#include "column/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __int128 int128;
typedef __int128 numeric;

/* Of a plain value. */
#define NUMERIC_DIGITS_MAX 35
#define NUMERIC_SCALE_MAX  35
/* What the scale's byte of a value that is not plain has in it; no plain scale has this bit. */
#define NUMERIC_ODD	0x80u
#define NUMERIC_LONG	0x80u
#define NUMERIC_SPECIAL 0x81u
/* Every text of a plain numeric fits: sign, digits, point, leading zero, terminator. */
#define NUMERIC_TEXT_MAX 48

static inline numeric numeric_pack(int128 mantissa, unsigned scale)
{
	return (numeric)(((unsigned __int128)mantissa << 8) | scale);
}

static inline int128 numeric_mantissa(numeric n)
{
	return n >> 8;
}

/* Of a plain value; otherwise the byte with NUMERIC_ODD. */
static inline unsigned numeric_scale(numeric n)
{
	return (unsigned)n & 0xff;
}

static inline bool numeric_is_plain(numeric n)
{
	return !((unsigned)n & NUMERIC_ODD);
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
/*
 * The same value with the least scale: equal values have equal bits, unless they are long. For
 * hashing and keys.
 */
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
bool numeric_floor(numeric n, numeric *out);
bool numeric_ceil(numeric n, numeric *out);

/* Rounds half away from zero; false when it does not fit. */
bool numeric_to_i64(numeric n, int64_t *out);
/* Of any value; infinite where a double does not reach. */
double numeric_to_double(numeric n);
/* As PostgreSQL's cast: 15 significant digits. */
bool numeric_from_double(double value, numeric *out);

/*
 * Reads [+-]digits[.digits][e[+-]digits], no surrounding blanks, the whole of `size` bytes. False
 * when it is not a number or does not fit the plain form.
 */
bool numeric_parse(const char *text, size_t size, numeric *out);
/* Of a plain value. Returns the length; always terminated. */
size_t numeric_format(numeric n, char text[NUMERIC_TEXT_MAX]);

#endif
