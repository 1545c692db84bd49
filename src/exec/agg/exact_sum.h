/*
 * The exact sum of doubles, whatever their order: a fixed-point number as wide as the whole range
 * of a double, rounded once at the end. Only the part of it that is in use takes memory.
 *
 * A pointer to NULL is a sum of nothing. NaN and infinities follow IEEE 754: NaN wins, infinities
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

struct exact_sum;

/* 2100 bits of range, and carries of 2^64 additions. */
#define EXACT_SUM_DIGITS_MAX  68
#define EXACT_SUM_ENCODED_MAX (2 + 4 * EXACT_SUM_DIGITS_MAX)

void exact_sum_add(struct exact_sum **sum, double value);
/*
 * Sums of many groups lie all over the memory: who adds to one after the other has those that are to come fetched, so
 * many ahead. NULL is well.
 */
#define EXACT_SUM_AHEAD 8
static inline void exact_sum_prefetch(const struct exact_sum *sum)
{
	/* It may begin in one line of the cache and end in the next. */
	__builtin_prefetch(sum, 1);
	__builtin_prefetch((const char *)sum + 32, 1);
}
/* Adds an encoded sum. False, and nothing is added, when the bytes are not one. */
bool exact_sum_merge(struct exact_sum **sum, const void *bytes, size_t size);
/* Returns the number of bytes. */
size_t exact_sum_encode(struct exact_sum *sum, uint8_t bytes[EXACT_SUM_ENCODED_MAX]);
/* The encoded sum of a single value. */
size_t exact_sum_encode_one(double value, uint8_t bytes[EXACT_SUM_ENCODED_MAX]);
/* To nearest, ties to even. Infinite also when finite values leave the range: see _overflowed. */
double exact_sum_round(struct exact_sum *sum);
/* The sum is infinite although no value was. */
bool exact_sum_overflowed(struct exact_sum *sum);
/* No value was infinite or NaN. */
bool exact_sum_is_finite(const struct exact_sum *sum);
void exact_sum_free(struct exact_sum *sum);

#endif
