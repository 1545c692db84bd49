/*
 * Decimals of any length, NaN and the infinities: what the 128 bits of numeric.h do not hold. The
 * functions here take values of every form and give the shortest form of their result.
 *
 * A long value has up to NUMERIC_WHOLE_MAX digits before the point and NUMERIC_FRACTION_MAX behind
 * it, as in PostgreSQL. Its 128 bits are, from the lowest: 8 bits NUMERIC_LONG, 16 bits the scale,
 * 8 bits the sign (1: below zero), 32 bits the number of limbs, 64 bits their address. The limbs
 * are the absolute value of value * 10^scale in base 2^64, the least significant first, the last
 * one not 0. They are borrowed, like the bytes of a text: who keeps a value calls numeric_keep.
 *
 * NaN equals itself and is above everything, infinity included.
 */
#ifndef COLUMN_NUMERIC_LONG_H
#define COLUMN_NUMERIC_LONG_H

#include "base/arena.h"
#include "column/numeric.h"

#define NUMERIC_WHOLE_MAX    131072
#define NUMERIC_FRACTION_MAX 16383
/* The most limbs a value can need: digits times log2(10), in words. */
#define NUMERIC_LIMBS_MAX 7655

#define NUMERIC_INFINITY       numeric_pack((int128)1 << 100, NUMERIC_SPECIAL)
#define NUMERIC_MINUS_INFINITY numeric_pack(-((int128)1 << 100), NUMERIC_SPECIAL)
#define NUMERIC_NAN	       numeric_pack(((int128)1 << 100) + 1, NUMERIC_SPECIAL)

/* What a computation can end in. */
enum numeric_fault {
	NUMERIC_FINE,
	NUMERIC_TOO_LARGE,
	NUMERIC_ZERO_DIVISOR,
	NUMERIC_ROOT_OF_NEGATIVE,
	NUMERIC_LOG_OF_ZERO,
	NUMERIC_LOG_OF_NEGATIVE,
	NUMERIC_ZERO_TO_NEGATIVE,
	NUMERIC_COMPLEX_POWER,
	NUMERIC_NOT_A_NUMBER, /* of a text: it is none */
};

/* Called once, before any thread: GMP's memory is base/memory.h's, whose end is not a bug's. */
void numeric_long_take_memory(void);

/* PostgreSQL's message. */
const char *numeric_fault_text(enum numeric_fault fault);

static inline bool numeric_is_long(numeric n)
{
	return numeric_scale(n) == NUMERIC_LONG;
}

static inline bool numeric_is_special(numeric n)
{
	return numeric_scale(n) == NUMERIC_SPECIAL;
}

static inline bool numeric_is_nan(numeric n)
{
	return n == NUMERIC_NAN;
}

/* Digits behind the point, as printed; 0 of a special value. */
unsigned numeric_display_scale(numeric n);
/* -1, 0 or 1; 1 for NaN. */
int numeric_sign(numeric n);

numeric numeric_long_keep(numeric n, struct arena *arena);

/* The same value, whose limbs, if it has any, are in the arena. */
static inline numeric numeric_keep(numeric n, struct arena *arena)
{
	return numeric_is_long(n) ? numeric_long_keep(n, arena) : n;
}

/* The limbs of a long value, which lie somewhere already. */
numeric numeric_long_make(const uint64_t *limbs, uint32_t count, bool negative, unsigned scale);
const uint64_t *numeric_long_limbs(numeric n, uint32_t *count);
/* Whether bits and limbs that came from elsewhere are a long value that could not be shorter. */
bool numeric_long_is_legal(numeric n);

int numeric_long_compare(numeric a, numeric b);
/* Equal values of any scale hash alike. */
uint64_t numeric_long_hash(numeric n);
/* Plain with the least scale, where that is possible; else the value itself. */
numeric numeric_long_normalize(numeric n);
/* The same to the last digit. */
bool numeric_identical(numeric a, numeric b);

/* Any 128-bit mantissa, at any scale. */
numeric numeric_long_from_i128(int128 mantissa, unsigned scale, struct arena *arena);
enum numeric_fault numeric_long_add(numeric a, numeric b, struct arena *arena, numeric *out);
enum numeric_fault numeric_long_sub(numeric a, numeric b, struct arena *arena, numeric *out);
enum numeric_fault numeric_long_mul(numeric a, numeric b, struct arena *arena, numeric *out);
enum numeric_fault numeric_long_div(numeric a, numeric b, struct arena *arena, numeric *out);
/* The quotient's whole part, without digits behind the point. */
enum numeric_fault numeric_long_div_whole(numeric a, numeric b, struct arena *arena, numeric *out);
enum numeric_fault numeric_long_mod(numeric a, numeric b, struct arena *arena, numeric *out);
/* To `scale` digits, within +-2000 as PostgreSQL has it; negative: before the point. */
enum numeric_fault numeric_long_round(numeric n, int scale, struct arena *arena, numeric *out);
enum numeric_fault numeric_long_trunc(numeric n, int scale, struct arena *arena, numeric *out);
numeric numeric_long_floor(numeric n, struct arena *arena);
numeric numeric_long_ceil(numeric n, struct arena *arena);
numeric numeric_long_negate(numeric n);
numeric numeric_long_abs(numeric n);
/* At exactly this scale, which is not below the value's own: for what shows the greatest one. */
numeric numeric_long_at_scale(numeric n, unsigned scale, struct arena *arena);
/* As numeric_fit: TOO_LARGE when the precision does not hold it. */
enum numeric_fault numeric_long_fit(
	numeric n, int precision, int scale, struct arena *arena, numeric *out);

bool numeric_long_to_i64(numeric n, int64_t *out);
double numeric_long_to_double(numeric n);
/* With so many significant digits: 15 for a double, 6 for a float. */
numeric numeric_long_from_double(double value, int digits, struct arena *arena);
/* floor(n * 10^digits) within 64 bits. */
int64_t numeric_long_floor_i64(numeric n, unsigned digits);

/* numeric_text.c */
/* As numeric_parse, of every length, and [+-]Inf[inity] and NaN in any case. */
enum numeric_fault numeric_long_parse(
	const char *text, size_t size, struct arena *arena, numeric *out);
struct buf;
/* Appends the text of any numeric. */
void numeric_append(numeric n, struct buf *out);

/* numeric_math.c: scales as PostgreSQL chooses them. */
enum numeric_fault numeric_sqrt(numeric n, struct arena *arena, numeric *out);
enum numeric_fault numeric_exp(numeric n, struct arena *arena, numeric *out);
enum numeric_fault numeric_ln(numeric n, struct arena *arena, numeric *out);
enum numeric_fault numeric_log(numeric base, numeric n, struct arena *arena, numeric *out);
enum numeric_fault numeric_power(numeric base, numeric power, struct arena *arena, numeric *out);
/* The greatest number of which both are multiples, and the least that is a multiple of both. */
enum numeric_fault numeric_gcd(numeric a, numeric b, struct arena *arena, numeric *out);
enum numeric_fault numeric_lcm(numeric a, numeric b, struct arena *arena, numeric *out);
enum numeric_fault numeric_factorial(uint64_t of, struct arena *arena, numeric *out);

#endif
