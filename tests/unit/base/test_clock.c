#include "base/clock.h"

#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_monotonic_clock(void **state)
{
	uint64_t before_ms = clock_monotonic_ms();
	double before = clock_monotonic_seconds();

	(void)state;
	clock_sleep_ms(20);
	assert_true(clock_monotonic_ms() >= before_ms + 20);
	assert_true(clock_monotonic_seconds() >= before + 0.02);
	/* Both read the same clock. */
	assert_true(before >= (double)before_ms / 1e3);
}

static void test_wall_clock(void **state)
{
	uint64_t now_ms = (uint64_t)time(NULL) * 1000;

	(void)state;
	assert_true(clock_wall_ms() >= now_ms);
	assert_true(clock_wall_ms() < now_ms + 3600 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monotonic_clock),
		cmocka_unit_test(test_wall_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
