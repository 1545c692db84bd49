#include "column/wide_private.h"

#include <assert.h>

/* 10^19 is the greatest power of ten in a limb. */
#define LIMB_POWER10_MAX 19

struct wide wide_from(uint128 value)
{
	return (struct wide){{(uint64_t)value, (uint64_t)(value >> 64)}};
}

static struct wide mul_limb(struct wide value, uint64_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < WIDE_LIMBS; i++) {
		uint128 product = (uint128)value.limb[i] * factor + carry;

		value.limb[i] = (uint64_t)product;
		carry = (uint64_t)(product >> 64);
	}
	assert(carry == 0);
	return value;
}

struct wide wide_mul_power10(struct wide value, unsigned exponent)
{
	while (exponent > 0) {
		unsigned step = exponent < LIMB_POWER10_MAX ? exponent : LIMB_POWER10_MAX;
		uint64_t factor = 1;

		for (unsigned i = 0; i < step; i++)
			factor *= 10;
		value = mul_limb(value, factor);
		exponent -= step;
	}
	return value;
}

static uint64_t divide_by_limb(struct wide *value, uint64_t divisor)
{
	uint64_t rest = 0;

	for (int i = WIDE_LIMBS - 1; i >= 0; i--) {
		uint128 part = (uint128)rest << 64 | value->limb[i];

		value->limb[i] = (uint64_t)(part / divisor);
		rest = (uint64_t)(part % divisor);
	}
	return rest;
}

/* Bit by bit: divisors of more than 64 bits are rare, and this way is plainly right. */
static uint128 divide_by_u128(struct wide *value, uint128 divisor)
{
	uint128 rest = 0;

	for (int bit = WIDE_LIMBS * 64 - 1; bit >= 0; bit--) {
		uint64_t *limb = &value->limb[bit / 64];
		uint64_t mask = UINT64_C(1) << (bit % 64);
		bool carry = rest >> 127;

		rest = rest << 1 | ((*limb & mask) != 0);
		if (carry || rest >= divisor) {
			rest -= divisor;
			*limb |= mask;
		} else {
			*limb &= ~mask;
		}
	}
	return rest;
}

uint128 wide_divide(struct wide *value, uint128 divisor)
{
	uint128 low;

	assert(divisor != 0);
	if (wide_to_u128(value, &low)) {
		*value = wide_from(low / divisor);
		return low % divisor;
	}
	if (divisor <= UINT64_MAX)
		return divide_by_limb(value, (uint64_t)divisor);
	return divide_by_u128(value, divisor);
}

bool wide_to_u128(const struct wide *value, uint128 *out)
{
	*out = (uint128)value->limb[1] << 64 | value->limb[0];
	return value->limb[2] == 0 && value->limb[3] == 0;
}
