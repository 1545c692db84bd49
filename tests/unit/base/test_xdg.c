#include "base/xdg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_state_path(void **state)
{
	char path[64];

	(void)state;
	setenv("XDG_STATE_HOME", "/somewhere", 1);
	setenv("HOME", "/home/me", 1);
	assert_int_equal(xdg_state_path("cluster", path, sizeof(path)), 0);
	assert_string_equal(path, "/somewhere/tamiz/cluster");
	setenv("XDG_STATE_HOME", "relative", 1);
	assert_int_equal(xdg_state_path("cluster", path, sizeof(path)), 0);
	assert_string_equal(path, "/home/me/.local/state/tamiz/cluster");
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(xdg_state_path("cluster", path, sizeof(path)), 0);
	assert_string_equal(path, "/home/me/.local/state/tamiz/cluster");
	assert_int_equal(xdg_state_path("cluster", path, 35), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(xdg_state_path("cluster", path, 36), 0);
	unsetenv("HOME");
	assert_int_equal(xdg_state_path("cluster", path, sizeof(path)), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
