/*
 * Unsigned integers of up to 640 bits, for the variance of decimals: what it divides and takes the
 * root of is far longer than the result. Only the limbs in use are touched.
 */
#ifndef COLUMN_BIG_PRIVATE_H
#define COLUMN_BIG_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#define BIG_LIMBS 10
/* Decimal digits of 640 bits, rounded up to whole steps of 19. */
#define BIG_DIGITS_MAX (11 * 19)

struct big {
	uint32_t count; /* limbs in use: the last of them is not zero */
	uint64_t limb[BIG_LIMBS];
};

/* Leading zeros are dropped. */
void big_set(struct big *out, const uint64_t *limbs, uint32_t count);
int big_compare(const struct big *a, const struct big *b);
/* `a` is not less than `b`. */
void big_subtract(struct big *a, const struct big *b);
/* That the results fit is known to the caller, and asserted. */
void big_increase(struct big *value, uint64_t by);
void big_multiply(struct big *value, uint64_t factor);
void big_multiply_power10(struct big *value, unsigned exponent);
void big_square(struct big *value);
/* Rounds down. `divisor` is not zero. */
void big_divide(struct big *value, unsigned __int128 divisor);
/* The greatest number whose square is not greater. */
void big_root(struct big *value);
/* Writes the decimal digits, first one first, and returns how many: at least one. */
uint32_t big_digits(const struct big *value, char digits[BIG_DIGITS_MAX]);

#endif
