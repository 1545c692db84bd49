/*
 * The exact sum of doubles, whatever their order: a fixed-point number as wide as the whole range
 * of a double, rounded once at the end.
 *
 * Nearly all sums of a table fit into 128 bits whose unit is the lowest bit of any value: those stand in the struct,
 * beside nothing. What does not fit goes to digits on the heap (exact_digits.h).
 *
 * All zeros is a sum of nothing. NaN and infinities follow IEEE 754: NaN wins, infinities
 * of both signs give NaN. The sum of only negative zeros is 0, not -0.
 *
 * Encoded form, canonical for a value: byte 0 flags (1 NaN, 2 +inf, 4 -inf, 8 negative), byte 1 the
 * index f of the first digit, then digits of 32 bits, little-endian, least first, the first and
 * the last not zero: the magnitude is the sum of digit[i] * 2^(32 * (f + i) - 1074). NaN and the
 * infinities are kept as they came, so that merging does not depend on the order either.
 */
#ifndef EXEC_EXACT_SUM_H
#define EXEC_EXACT_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct exact_digits;

struct exact_sum {
	uint64_t low; /* of the 128 bits, two's complement */
	uint64_t high;
	struct exact_digits *wide; /* to be added to them; NULL: nothing */
	/* The unit of the 128 bits is 2^(place - 1 - 1074), or 2^(place - 1 - 2148) in a sum of products; 0: nothing came. */
	uint64_t place;
};

/* 2100 bits of range, and carries of 2^64 additions. */
#define EXACT_SUM_DIGITS_MAX  68
#define EXACT_SUM_ENCODED_MAX (2 + 4 * EXACT_SUM_DIGITS_MAX)

#define EXACT_MANTISSA_BITS 52

static inline __int128 exact_sum_small(const struct exact_sum *sum)
{
	return (__int128)((unsigned __int128)sum->high << 64 | sum->low);
}

static inline void exact_sum_set_small(struct exact_sum *sum, __int128 small)
{
	sum->low = (uint64_t)small;
	sum->high = (uint64_t)((unsigned __int128)small >> 64);
}

/* Any value, at any unit. */
void exact_sum_add_any(struct exact_sum *sum, double value);

static inline void exact_sum_add(struct exact_sum *sum, double value)
{
	uint64_t bits, shift;
	uint32_t exponent;
	__int128 more, small;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (uint32_t)(bits >> EXACT_MANTISSA_BITS) & 0x7ff;
	/* The value's lowest bit is that of place `exponent`. */
	shift = exponent - sum->place;
	/* 53 bits and so many more leave room for a sign and for carries. */
	if (sum->place == 0 || shift > 72 || exponent == 0x7ff) {
		exact_sum_add_any(sum, value);
		return;
	}
	more = (__int128)((bits & ((UINT64_C(1) << EXACT_MANTISSA_BITS) - 1)) |
			  UINT64_C(1) << EXACT_MANTISSA_BITS)
	       << shift;
	if (__builtin_add_overflow(exact_sum_small(sum), bits >> 63 ? -more : more, &small))
		exact_sum_add_any(sum, value);
	else
		exact_sum_set_small(sum, small);
}

static inline bool exact_sum_is_empty(const struct exact_sum *sum)
{
	return sum->place == 0 && !sum->wide;
}

/* Adds an encoded sum. False, and nothing is added, when the bytes are not one. */
bool exact_sum_merge(struct exact_sum *sum, const void *bytes, size_t size);
/* Returns the number of bytes, EXACT_SUM_ENCODED_MAX at most. */
size_t exact_sum_encode(const struct exact_sum *sum, uint8_t *bytes);
/* To nearest, ties to even. Infinite also when finite values leave the range: see _overflowed. */
double exact_sum_round(const struct exact_sum *sum);
/* The sum is infinite although no value was. */
bool exact_sum_overflowed(const struct exact_sum *sum);
/* No value was infinite or NaN. */
bool exact_sum_is_finite(const struct exact_sum *sum);
/* What it has on the heap; it is a sum of nothing then. */
void exact_sum_release(struct exact_sum *sum);

#endif
