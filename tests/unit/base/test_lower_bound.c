#include "base/lower_bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_MAX 40u

struct item {
	char before[3];
	uint32_t narrow;
	uint64_t wide;
	char behind;
};

/* Every array of even numbers up to a length, and every key that can be told apart. */
static void test_all_places(void **state)
{
	struct item items[COUNT_MAX];

	(void)state;
	for (uint32_t i = 0; i < COUNT_MAX; i++)
		items[i] = (struct item){{-1, -1, -1}, 2 * i, (uint64_t)2 * i << 33, -1};
	for (uint32_t count = 0; count <= COUNT_MAX; count++) {
		for (uint32_t key = 0; key <= 2 * COUNT_MAX; key++) {
			uint32_t expected = (key + 1) / 2 < count ? (key + 1) / 2 : count;

			assert_int_equal(LOWER_BOUND(items, count, narrow, key), expected);
			assert_int_equal(
				LOWER_BOUND(items, count, wide, (uint64_t)key << 33), expected);
		}
	}
	assert_int_equal(LOWER_BOUND((struct item *)NULL, 0, wide, 1), 0);
}

/* Of equal ones the first is found. */
static void test_equal_keys(void **state)
{
	struct item items[] = {{.wide = 1}, {.wide = 5}, {.wide = 5}, {.wide = 5}, {.wide = 9}};

	(void)state;
	assert_int_equal(LOWER_BOUND(items, 5, wide, 5), 1);
	assert_int_equal(LOWER_BOUND(items, 5, wide, 6), 4);
	assert_int_equal(LOWER_BOUND(items, 5, wide, UINT64_MAX), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_places),
		cmocka_unit_test(test_equal_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
