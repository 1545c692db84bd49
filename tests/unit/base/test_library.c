#include "base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Of the C library, which is always there. */
#define TEXT_CALLS(CALL) CALL(strlen) CALL(strcmp)

static struct text_calls {
	TEXT_CALLS(LIBRARY_POINTER)
} text;

#define TEXT_CALL(name) LIBRARY_CALL(struct text_calls, name)
static const struct library_call text_calls[] = {TEXT_CALLS(TEXT_CALL)};
static const struct library_call unknown_calls[] = {{"strlen", 0}, {"nobody_has_this", 0}};

static void test_calls(void **state)
{
	static struct library library = LIBRARY("libc.so.6", text_calls, &text);
	struct error err;

	(void)state;
	assert_null(text.strlen);
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(library_load(&library, &err), 0);
		assert_int_equal(text.strlen("four"), 4);
		assert_int_equal(text.strcmp("a", "a"), 0);
	}
}

static void test_what_is_missing(void **state)
{
	static struct library nowhere = LIBRARY("libnowhere-to-be-found.so.7", text_calls, &text);
	static struct library other = LIBRARY("libc.so.6", unknown_calls, &text);
	struct error err;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(library_load(&nowhere, &err), -1);
		assert_int_equal(err.code, ERROR_IO);
		assert_non_null(strstr(err.message, "libnowhere-to-be-found.so.7"));
		assert_int_equal(library_load(&other, &err), -1);
		assert_string_equal(err.message, "libc.so.6 has no nobody_has_this");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
