#include "base/radix_sort.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT 3000u

struct item {
	uint32_t place; /* where it stood: equal keys stay in this order */
	uint32_t filler;
	uint64_t key;
};

static void assert_sorted(const struct item *items, unsigned first_bit)
{
	for (size_t i = 1; i < COUNT; i++) {
		uint64_t left = items[i - 1].key >> first_bit, right = items[i].key >> first_bit;

		assert_true(left < right || (left == right && items[i - 1].place < items[i].place));
	}
}

/* Keys that differ in every choice of two bytes, so that the result ends in either array. */
static void test_items(void **state)
{
	static struct item items[COUNT], scratch[COUNT];
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	for (unsigned one = 0; one < 64; one += 8) {
		for (unsigned other = 0; other < 64; other += 8) {
			uint64_t mask = (uint64_t)0xff << one | (uint64_t)0xff << other;

			for (uint32_t i = 0; i < COUNT; i++)
				items[i] = (struct item){i, ~i, rng_next(&rng) & mask};
			radix_sort(items, scratch, COUNT, sizeof(*items),
				offsetof(struct item, key), 0, NULL);
			assert_sorted(items, 0);
			for (uint32_t i = 0; i < COUNT; i++)
				assert_int_equal(items[i].filler, ~items[i].place);
		}
	}
}

static void test_upper_bits(void **state)
{
	static struct item items[COUNT], scratch[COUNT];
	struct rng rng;

	(void)state;
	rng_init(&rng, 2);
	for (uint32_t i = 0; i < COUNT; i++)
		items[i] = (struct item){i, ~i, rng_next(&rng) & 0x3ffffffffff};
	radix_sort(items, scratch, COUNT, sizeof(*items), offsetof(struct item, key), 32, NULL);
	assert_sorted(items, 32);
}

static void test_plain_words(void **state)
{
	uint64_t words[] = {7, UINT64_MAX, 0, 7, (uint64_t)1 << 63}, scratch[5];
	const uint64_t sorted[] = {0, 7, 7, (uint64_t)1 << 63, UINT64_MAX};

	(void)state;
	radix_sort(words, scratch, 5, sizeof(*words), 0, 0, NULL);
	assert_memory_equal(words, sorted, sizeof(words));
	radix_sort(words, scratch, 1, sizeof(*words), 0, 0, NULL);
	radix_sort(NULL, NULL, 0, sizeof(*words), 0, 0, NULL);
	assert_memory_equal(words, sorted, sizeof(words));
}

/* All of them are still there. */
static void test_stopped(void **state)
{
	static struct item items[COUNT], scratch[COUNT];
	atomic_bool stop = true;
	bool seen[COUNT] = {false};

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		items[i] = (struct item){i, ~i, COUNT - i};
	radix_sort(items, scratch, COUNT, sizeof(*items), offsetof(struct item, key), 0, &stop);
	assert_int_equal(items[0].key, COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		seen[items[i].place] = true;
	for (uint32_t i = 0; i < COUNT; i++)
		assert_true(seen[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_upper_bits),
		cmocka_unit_test(test_plain_words),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
