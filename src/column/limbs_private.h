/*
 * Arithmetic on unsigned integers of any length: limbs of 64 bits, the least significant first.
 * Inlined, so that a length that is known unrolls.
 */
#ifndef COLUMN_LIMBS_PRIVATE_H
#define COLUMN_LIMBS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 uint128;

/* 10^19 is the greatest power of ten in a limb. */
#define LIMB_DIGITS  19
#define LIMB_POWER10 UINT64_C(10000000000000000000)

/* Returns what does not fit. */
static inline uint64_t limbs_multiply(uint64_t *limb, uint32_t count, uint64_t factor)
{
	uint64_t carry = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint128 product = (uint128)limb[i] * factor + carry;

		limb[i] = (uint64_t)product;
		carry = (uint64_t)(product >> 64);
	}
	return carry;
}

/* Returns the remainder. */
static inline uint64_t limbs_divide(uint64_t *limb, uint32_t count, uint64_t divisor)
{
	uint64_t rest = 0;

	for (uint32_t i = count; i-- > 0;) {
		uint128 part = (uint128)rest << 64 | limb[i];

		limb[i] = (uint64_t)(part / divisor);
		rest = (uint64_t)(part % divisor);
	}
	return rest;
}

/* Bit by bit: divisors of more than 64 bits are rare, and this way is plainly right. */
static inline uint128 limbs_divide_u128(uint64_t *limb, uint32_t count, uint128 divisor)
{
	uint128 rest = 0;

	for (uint32_t bit = count * 64; bit-- > 0;) {
		uint64_t *at = &limb[bit / 64];
		uint64_t mask = UINT64_C(1) << (bit % 64);
		bool carry = rest >> 127;

		rest = rest << 1 | ((*at & mask) != 0);
		if (carry || rest >= divisor) {
			rest -= divisor;
			*at |= mask;
		} else {
			*at &= ~mask;
		}
	}
	return rest;
}

#endif
