/*
 * Unsigned 256-bit integers, just enough of them for the division of decimals: a product of a
 * 128-bit number and a power of ten, divided by a 128-bit number.
 */
#ifndef COLUMN_WIDE_PRIVATE_H
#define COLUMN_WIDE_PRIVATE_H

#include "column/limbs_private.h"

#define WIDE_LIMBS 4

struct wide {
	uint64_t limb[WIDE_LIMBS]; /* least significant first */
};

struct wide wide_from(uint128 value);
/* The caller knows that the product fits 256 bits; this is asserted. */
struct wide wide_mul_power10(struct wide value, unsigned exponent);
/* Replaces `value` by the quotient and returns the remainder. `divisor` is not zero. */
uint128 wide_divide(struct wide *value, uint128 divisor);
/* False when the value needs more than 128 bits. */
bool wide_to_u128(const struct wide *value, uint128 *out);

#endif
