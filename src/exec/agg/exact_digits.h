/*
 * The wide form of an exact sum: digits on the heap, as many as are in use. Of a sum that fits into 128 bits, as
 * nearly all do, there is none (exact_sum.h).
 */
#ifndef EXEC_EXACT_DIGITS_H
#define EXEC_EXACT_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SPECIAL_NAN = 1,
	SPECIAL_PLUS_INF = 2,
	SPECIAL_MINUS_INF = 4,
	ENCODED_NEGATIVE = 8,
};

#define DIGIT_BITS 32
/* Every addition grows a digit by less than 2^32: carry before 2^31 of them fill 63 bits. */
#define PENDING_MAX (1u << 30)

/*
 * Digit i weighs 2^(32 * (first + i)) units: 2^-1074 in a sum of values, its square in one of
 * products. Digits are signed and wider than 32 bits between carries, so that an addition never has
 * to propagate one.
 */
struct exact_digits {
	uint32_t pending; /* additions since the last carry */
	uint8_t specials;
	uint8_t first;
	uint8_t count;
	uint8_t limit; /* digits that it may come to have */
	int64_t digits[];
};

/* 136 digits of products, two more for a factor of 64 bits. */
#define MAGNITUDE_DIGITS_MAX 138

/* A sign and 32-bit digits, all of them. */
struct magnitude {
	bool negative;
	uint32_t first; /* of the first digit that is not zero; those below it are zero */
	uint32_t end;	/* past the last one; equal to first when the value is zero */
	uint32_t digits[MAGNITUDE_DIGITS_MAX];
};

/* In all of them *wide may be NULL: nothing was added. `limit`: digits that it may come to have. */
void exact_digits_add(struct exact_digits **wide, unsigned __int128 magnitude, uint32_t position,
	bool negative, uint32_t limit);
/* NaN or an infinity. */
void exact_digits_add_special(struct exact_digits **wide, double value, uint32_t limit);
/* What was encoded and is valid (exact_sum.h). */
void exact_digits_merge(
	struct exact_digits **wide, const uint8_t *bytes, uint32_t count, uint32_t limit);
/* Leaves every digit but the last in 0 .. 2^32-1; the last keeps the sign. */
struct exact_digits *exact_digits_carry(struct exact_digits *sum);
struct exact_digits *exact_digits_copy(const struct exact_digits *sum);
/* Sets as many digits as the sum may have. */
void exact_digits_magnitude(const struct exact_digits *sum, struct magnitude *out);
/* To 53 bits: the result times 2^*exponent units. */
double magnitude_round(const struct magnitude *m, int *exponent);

#endif
