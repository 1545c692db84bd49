/* The set of numbers seen, against a plain array of flags. */
#include "base/interval_set.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_empty(void **state)
{
	struct interval_set set = {0};

	(void)state;
	assert_true(interval_set_is_whole(&set, 0));
	assert_false(interval_set_is_whole(&set, 1));
	assert_false(interval_set_has(&set, 0));
	interval_set_release(&set);
}

static void test_neighbours_join(void **state)
{
	struct interval_set set = {0};

	(void)state;
	assert_true(interval_set_add(&set, 1));
	assert_true(interval_set_add(&set, 3));
	assert_int_equal(set.count, 2);
	assert_true(interval_set_add(&set, 2));
	assert_int_equal(set.count, 1);
	assert_false(interval_set_add(&set, 2));
	assert_true(interval_set_is_whole(&set, 3));
	assert_false(interval_set_is_whole(&set, 2));
	assert_false(interval_set_is_whole(&set, 4));
	interval_set_release(&set);
}

static void test_zero_is_not_part_of_a_whole_stream(void **state)
{
	struct interval_set set = {0};

	(void)state;
	assert_true(interval_set_add(&set, 0));
	assert_true(interval_set_add(&set, 1));
	assert_false(interval_set_is_whole(&set, 1));
	interval_set_release(&set);
}

static void test_random_orders(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct interval_set set = {0};
		bool flags[64] = {false};
		struct rng rng;

		rng_init(&rng, seed);
		for (uint32_t i = 0; i < 150; i++) {
			uint64_t number = 1 + rng_below(&rng, 63);

			assert_int_equal(interval_set_add(&set, number), !flags[number]);
			flags[number] = true;
		}
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(interval_set_has(&set, i), flags[i]);
		for (uint32_t i = 1; i < set.count; i++)
			assert_true(set.ranges[i - 1].last + 1 < set.ranges[i].first);
		interval_set_release(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_neighbours_join),
		cmocka_unit_test(test_zero_is_not_part_of_a_whole_stream),
		cmocka_unit_test(test_random_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
