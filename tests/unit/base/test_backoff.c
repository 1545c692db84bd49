/* Pauses that grow to their limit, and what is left to chance in them. */
#include "base/backoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_doubles_up_to_the_limit(void **state)
{
	static const uint64_t wanted[] = {20, 40, 80, 160, 320, 640, 1000, 1000};
	struct backoff backoff = {.min_ms = 20, .max_ms = 1000};

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
			assert_int_equal(backoff_next(&backoff, NULL), wanted[i]);
		backoff_reset(&backoff);
	}
}

static void check_chance(uint32_t percent, uint64_t least_of_50)
{
	struct rng rng;
	uint64_t seen_least = UINT64_MAX, seen_most = 0;

	rng_init(&rng, 1);
	for (int i = 0; i < 10000; i++) {
		struct backoff backoff = {.min_ms = 50, .max_ms = 5000, .chance_percent = percent};
		uint64_t pause_ms = backoff_next(&backoff, &rng);

		seen_least = pause_ms < seen_least ? pause_ms : seen_least;
		seen_most = pause_ms > seen_most ? pause_ms : seen_most;
		assert_int_equal(backoff.next_ms, 100);
	}
	assert_int_equal(seen_least, least_of_50);
	assert_int_equal(seen_most, 50);
}

static void test_chance(void **state)
{
	(void)state;
	check_chance(50, 25);
	check_chance(100, 1);
}

/* A limit that no doubling meets is met all the same. */
static void test_limits(void **state)
{
	struct backoff odd = {.min_ms = 3, .max_ms = 7};
	struct backoff same = {.min_ms = 9, .max_ms = 9};

	(void)state;
	assert_int_equal(backoff_next(&odd, NULL), 3);
	assert_int_equal(backoff_next(&odd, NULL), 6);
	assert_int_equal(backoff_next(&odd, NULL), 7);
	assert_int_equal(backoff_next(&odd, NULL), 7);
	assert_int_equal(backoff_next(&same, NULL), 9);
	assert_int_equal(backoff_next(&same, NULL), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubles_up_to_the_limit),
		cmocka_unit_test(test_chance),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
