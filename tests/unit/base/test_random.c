#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_bytes(void **state)
{
	static const uint8_t zeros[256];
	uint8_t one[256] = {0}, other[256] = {0};

	(void)state;
	assert_int_equal(random_bytes(one, 0), 0);
	assert_memory_equal(one, zeros, sizeof(one));
	assert_int_equal(random_bytes(one, sizeof(one)), 0);
	assert_int_equal(random_bytes(other, sizeof(other)), 0);
	assert_memory_not_equal(one, other, sizeof(one));
}

static void test_id(void **state)
{
	uint64_t one = 0, other = 0;
	struct error err;

	(void)state;
	assert_int_equal(random_id(&one, &err), 0);
	assert_int_equal(random_id(&other, &err), 0);
	assert_true(one != 0 && other != 0 && one != other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
