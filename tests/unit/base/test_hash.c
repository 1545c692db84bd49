#include "base/hash.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* These numbers are part of the engine's version: rows find their reducer by them. */
static void test_pinned(void **state)
{
	(void)state;
	assert_true(hash_bytes("", 0) == 0x2d06800538d394c2u);
	assert_true(hash_bytes("abc", 3) == 0x78af5f94892f3950u);
	assert_true(hash_bytes("0123456789abcdef0123456789abcdef0123456789abcdef", 48) ==
		    0xe80a6fbd46bf1339u);
	assert_true(hash_u64(0) == 0);
	assert_true(hash_u64(1) == 0x4179b061e0c0e0d0u);
	assert_true(hash_u64(UINT64_MAX) == 0x448e29ced4103459u);
	assert_true(hash_combine(1, 2) == 0x02305a38913298deu);
	assert_true(hash_combine(2, 1) == 0xd7f8f0840beab284u);
}

/* Where the bytes lie does not matter. */
static void test_unaligned(void **state)
{
	char shifted[80];

	(void)state;
	for (size_t shift = 0; shift < 16; shift++) {
		memset(shifted, 'x', sizeof(shifted));
		memcpy(shifted + shift, "transaction", 11);
		assert_true(hash_bytes(shifted + shift, 11) == hash_bytes("transaction", 11));
	}
}

/* Consecutive keys fill the buckets evenly, by their low and by their high bits. */
static void test_spread(void **state)
{
	uint32_t low[64] = {0}, high[64] = {0};

	(void)state;
	for (uint64_t key = 0; key < 64000; key++) {
		uint64_t hash = hash_u64(key);

		low[hash % 64]++;
		high[hash >> 58]++;
	}
	for (int i = 0; i < 64; i++) {
		assert_in_range(low[i], 800, 1200);
		assert_in_range(high[i], 800, 1200);
	}
}

static void test_rng(void **state)
{
	struct rng rng;
	uint32_t counts[10] = {0};

	(void)state;
	rng_init(&rng, 42);
	assert_true(rng_next(&rng) == 0xbdd732262feb6e95u);
	assert_true(rng_next(&rng) == 0x28efe333b266f103u);
	for (int i = 0; i < 10000; i++) {
		uint64_t value = rng_below(&rng, 10);

		assert_true(value < 10);
		counts[value]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(counts[i], 850, 1150);
	assert_int_equal(rng_below(&rng, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pinned),
		cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_rng),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
