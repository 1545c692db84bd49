#include "base/rng.h"
#include "column/wide_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint128 to_u128(struct wide value)
{
	uint128 out;

	assert_true(wide_to_u128(&value, &out));
	return out;
}

static void test_multiply(void **state)
{
	struct wide value = wide_mul_power10(wide_from(7), 76);
	uint128 out;

	(void)state;
	assert_true(to_u128(wide_mul_power10(wide_from(7), 0)) == 7);
	assert_true(to_u128(wide_mul_power10(wide_from(123), 3)) == 123000);
	assert_true(to_u128(wide_mul_power10(wide_from(0), 100)) == 0);
	assert_false(wide_to_u128(&value, &out));
	/* And back, in steps of a limb and of more. */
	for (int i = 0; i < 19; i++)
		assert_true(wide_divide(&value, 10) == 0);
	for (int i = 0; i < 2; i++)
		assert_true(wide_divide(&value, (uint128)1000000000000000000 * 10) == 0);
	assert_true(wide_divide(&value, (uint128)1000000000000000000 * 10) == 0);
	assert_true(to_u128(value) == 7);
}

/* (quotient * divisor + rest) gives the dividend again, modulo 2^128, and the rest is smaller. */
static void test_divide(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	for (int i = 0; i < 20000; i++) {
		struct wide dividend, quotient;
		uint128 divisor = (uint128)rng_next(&rng) << 64 | rng_next(&rng);
		uint128 rest, low;

		divisor >>= rng_below(&rng, 128);
		if (divisor == 0)
			continue;
		for (int limb = 0; limb < WIDE_LIMBS; limb++)
			dividend.limb[limb] = rng_next(&rng);
		for (uint64_t top = rng_below(&rng, WIDE_LIMBS + 1); top < WIDE_LIMBS; top++)
			dividend.limb[top] = 0;
		quotient = dividend;
		rest = wide_divide(&quotient, divisor);
		assert_true(rest < divisor);
		low = (uint128)quotient.limb[1] << 64 | quotient.limb[0];
		assert_true(low * divisor + rest ==
			    ((uint128)dividend.limb[1] << 64 | dividend.limb[0]));
		/* The quotient is no greater than the dividend. */
		for (int limb = WIDE_LIMBS - 1; limb >= 0; limb--) {
			assert_true(quotient.limb[limb] <= dividend.limb[limb]);
			if (quotient.limb[limb] < dividend.limb[limb])
				break;
		}
	}
}

static void test_divide_edges(void **state)
{
	struct wide value = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

	(void)state;
	assert_true(wide_divide(&value, ~(uint128)0) == 0);
	assert_int_equal(value.limb[0], 1);
	assert_int_equal(value.limb[1], 0);
	assert_int_equal(value.limb[2], 1);
	assert_int_equal(value.limb[3], 0);
	value = wide_from(5);
	assert_true(wide_divide(&value, 7) == 5);
	assert_true(to_u128(value) == 0);
	value = (struct wide){{0, 0, 1, 0}};
	assert_true(wide_divide(&value, (uint128)1 << 127) == 0);
	assert_true(to_u128(value) == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_multiply),
		cmocka_unit_test(test_divide),
		cmocka_unit_test(test_divide_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
