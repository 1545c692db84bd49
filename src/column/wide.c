#include "column/wide_private.h"

#include <assert.h>

struct wide wide_from(uint128 value)
{
	return (struct wide){{(uint64_t)value, (uint64_t)(value >> 64)}};
}

struct wide wide_mul_power10(struct wide value, unsigned exponent)
{
	uint64_t carry = 0;

	while (exponent > 0) {
		unsigned step = exponent < LIMB_DIGITS ? exponent : LIMB_DIGITS;
		uint64_t factor = 1;

		for (unsigned i = 0; i < step; i++)
			factor *= 10;
		carry |= limbs_multiply(value.limb, WIDE_LIMBS, factor);
		exponent -= step;
	}
	assert(carry == 0);
	return value;
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
		return limbs_divide(value->limb, WIDE_LIMBS, (uint64_t)divisor);
	return limbs_divide_u128(value->limb, WIDE_LIMBS, divisor);
}

bool wide_to_u128(const struct wide *value, uint128 *out)
{
	*out = (uint128)value->limb[1] << 64 | value->limb[0];
	return value->limb[2] == 0 && value->limb[3] == 0;
}
