#include "base/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* NULL: it is refused. The text is read from memory that ends with it. */
static const struct json_value *read_text(const char *text)
{
	size_t size = strlen(text);
	char *exact = malloc(size + 1);
	struct json_value *value;
	struct error err = {0};
	int status;

	memcpy(exact, text, size);
	status = json_read(exact, size, &arena, &value, &err);
	free(exact);
	if (status) {
		assert_int_equal(status, -1);
		assert_int_equal(err.code, ERROR_DATA);
		return NULL;
	}
	return value;
}

static void test_values(void **state)
{
	const struct json_value *value =
		read_text(" {\"a\" : [1, -2.5e1 ,true,false,null],\t\"b\":{},\r\n\"c\":[]} ");
	const struct json_value *item;

	(void)state;
	assert_non_null(value);
	assert_int_equal(value->kind, JSON_OBJECT);
	item = json_get(value, "a")->first;
	assert_int_equal(item->kind, JSON_NUMBER);
	assert_true(item->number == 1);
	item = item->next;
	assert_true(item->number == -25);
	item = item->next;
	assert_int_equal(item->kind, JSON_BOOL);
	assert_true(item->number == 1);
	item = item->next;
	assert_int_equal(item->kind, JSON_BOOL);
	assert_true(item->number == 0);
	item = item->next;
	assert_int_equal(item->kind, JSON_NULL);
	assert_null(item->next);
	assert_int_equal(json_get(value, "b")->kind, JSON_OBJECT);
	assert_null(json_get(value, "b")->first);
	assert_int_equal(json_get(value, "c")->kind, JSON_ARRAY);
	assert_null(json_get(value, "c")->first);
}

static void test_members(void **state)
{
	const struct json_value *value = read_text("{\"n\":7,\"t\":\"x\",\"t\":\"second\"}");

	(void)state;
	assert_true(json_number(value, "n") == 7);
	assert_string_equal(json_text(value, "t"), "x");
	assert_string_equal(json_text(value, "n"), "");
	assert_true(json_number(value, "t") == 0);
	assert_true(json_number(value, "absent") == 0);
	assert_string_equal(json_text(value, "absent"), "");
	assert_null(json_get(NULL, "n"));
	assert_null(json_get(json_get(value, "n"), "n"));
}

static void test_escapes(void **state)
{
	(void)state;
	assert_string_equal(
		read_text("\"a\\n\\t\\r\\b\\f\\\"\\\\\\/z\"")->text, "a\n\t\r\b\f\"\\/z");
	assert_string_equal(read_text("\"\\u0041\\u007e\"")->text, "A~");
	/* What it does not need is not made up. */
	assert_string_equal(read_text("\"\\u00f1\\u0000\"")->text, "??");
	assert_string_equal(read_text("\"ñ\"")->text, "ñ");
	assert_string_equal(json_text(read_text("{\"a\\tb\":\"x\"}"), "a\tb"), "x");
}

static void test_refused(void **state)
{
	static const char *const refused[] = {"", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"",
		"{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "{1:2}", "\"", "\"a", "\"\\", "\"\\u",
		"\"\\u00", "\"\\u0041", "nul", "tru", "x", "1 2", "[1]]", "{}{}", "}"};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_null(read_text(refused[i]));
}

static void test_depth(void **state)
{
	char text[2 * (JSON_DEPTH_MAX + 2) + 1];

	(void)state;
	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 2; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		text[2 * depth] = '\0';
		assert_int_equal(read_text(text) != NULL, depth <= JSON_DEPTH_MAX + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_members, setup, teardown),
		cmocka_unit_test_setup_teardown(test_escapes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
