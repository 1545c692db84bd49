#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_set(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(error_set(&err, ERROR_SQL, "column \"%s\" of %d", "x", 3), -1);
	assert_int_equal(err.code, ERROR_SQL);
	assert_string_equal(err.message, "column \"x\" of 3");
	/* The last word wins. */
	error_set(&err, ERROR_IO, "no");
	assert_int_equal(err.code, ERROR_IO);
	assert_string_equal(err.message, "no");
}

static void test_prefix(void **state)
{
	struct error err = {0};

	(void)state;
	error_set(&err, ERROR_EVAL, "division by zero");
	assert_int_equal(error_prefix(&err, "%s: ", "q3"), -1);
	assert_string_equal(err.message, "q3: division by zero");
	error_prefix(&err, "coffee/");
	assert_string_equal(err.message, "coffee/q3: division by zero");
	assert_int_equal(err.code, ERROR_EVAL);
}

/* Long messages are cut, never overrun, and always end. */
static void test_long(void **state)
{
	static char text[3 * ERROR_MESSAGE_MAX];
	struct error err = {0};

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	error_set(&err, ERROR_DATA, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_MAX - 1);
	error_prefix(&err, "q1: ");
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_MAX - 1);
	assert_memory_equal(err.message, "q1: xxx", 7);
	error_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_MAX - 1);
	assert_int_equal(err.message[0], 'x');
}

static void test_append(void **state)
{
	char text[2 * ERROR_MESSAGE_MAX];
	struct error err;

	(void)state;
	error_set(&err, ERROR_IO, "no room");
	assert_int_equal(error_append(&err, " (%d left)", 0), -1);
	assert_string_equal(err.message, "no room (0 left)");
	assert_int_equal(err.code, ERROR_IO);
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	error_append(&err, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_MAX - 1);
	error_append(&err, "y");
	assert_int_equal(err.message[ERROR_MESSAGE_MAX - 2], 'x');
}

static void test_exit_status(void **state)
{
	(void)state;
	assert_int_equal(error_exit_status(ERROR_NONE), 0);
	assert_int_equal(error_exit_status(ERROR_USAGE), 2);
	assert_int_equal(error_exit_status(ERROR_SQL), 3);
	assert_int_equal(error_exit_status(ERROR_EVAL), 4);
	assert_int_equal(error_exit_status(ERROR_DATA), 5);
	assert_int_equal(error_exit_status(ERROR_IO), 1);
	assert_int_equal(error_exit_status(ERROR_LIMIT), 1);
	assert_int_equal(error_exit_status(ERROR_INTERNAL), 1);
	assert_int_equal(error_exit_status(ERROR_INTERRUPTED), 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_exit_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
