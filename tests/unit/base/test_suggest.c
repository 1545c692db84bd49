#include "base/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_typing_errors(void **state)
{
	static const char *const names[] = {"store_id", "store_name", "city", "a", NULL};

	(void)state;
	assert_string_equal(suggest_nearest("store_nam", names), "store_name");
	assert_string_equal(suggest_nearest("ciyt", names), "city");
	assert_string_equal(suggest_nearest("STOREID", names), "store_id");
	assert_null(suggest_nearest("latitude", names));
	assert_null(suggest_nearest("story", names));
	assert_null(suggest_nearest("zz", names));
}

static void test_half_remembered(void **state)
{
	static const char *const names[] = {"run", "sql", "explain", "gen", "packs", NULL};
	static const char *const none[] = {NULL};

	(void)state;
	assert_string_equal(suggest_nearest("rum", names), "run");
	assert_string_equal(suggest_nearest("expl", names), "explain");
	assert_string_equal(suggest_nearest("Exp", names), "explain");
	assert_null(suggest_nearest("ex", names));
	assert_string_equal(suggest_nearest("explian", names), "explain");
	assert_string_equal(suggest_nearest("pack", names), "packs");
	assert_null(suggest_nearest("submit", names));
	assert_null(suggest_nearest("", names));
	assert_null(suggest_nearest("run", none));
}

static void test_text(void **state)
{
	char text[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	(void)state;
	suggestion_init(&suggestion, "citi");
	assert_string_equal(suggestion_text(&suggestion, text), "");
	suggestion_consider(&suggestion, "city");
	assert_string_equal(suggestion_text(&suggestion, text), "; did you mean \"city\"?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_typing_errors),
		cmocka_unit_test(test_half_remembered),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
