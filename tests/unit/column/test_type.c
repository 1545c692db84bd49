#include "column/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_forms(void **state)
{
	(void)state;
	assert_int_equal(type_physical(TYPE_UNKNOWN), PHYSICAL_TEXT);
	assert_int_equal(type_physical(TYPE_BOOL), PHYSICAL_U8);
	assert_int_equal(type_physical(TYPE_INT), PHYSICAL_I64);
	assert_int_equal(type_physical(TYPE_BIGINT), PHYSICAL_I64);
	assert_int_equal(type_physical(TYPE_NUMERIC), PHYSICAL_NUM);
	assert_int_equal(type_physical(TYPE_DOUBLE), PHYSICAL_F64);
	assert_int_equal(type_physical(TYPE_TEXT), PHYSICAL_TEXT);
	assert_int_equal(type_physical(TYPE_DATE), PHYSICAL_I64);
	assert_int_equal(type_physical(TYPE_TIME), PHYSICAL_I64);
	assert_int_equal(type_physical(TYPE_TIMESTAMP), PHYSICAL_I64);
	assert_int_equal(type_physical(TYPE_TEXT_LIST), PHYSICAL_LIST);
	assert_int_equal(physical_size(PHYSICAL_U8), 1);
	assert_int_equal(physical_size(PHYSICAL_I64), sizeof(int64_t));
	assert_int_equal(physical_size(PHYSICAL_F64), sizeof(double));
	assert_int_equal(physical_size(PHYSICAL_NUM), sizeof(__int128));
	assert_int_equal(physical_size(PHYSICAL_TEXT), sizeof(struct text));
	assert_int_equal(physical_size(PHYSICAL_LIST), sizeof(struct text_list));
}

static void test_names(void **state)
{
	char name[TYPE_NAME_MAX];

	(void)state;
	assert_string_equal(type_name(type_of(TYPE_BIGINT), name), "bigint");
	assert_string_equal(type_name(type_of(TYPE_TIMESTAMP), name), "timestamp");
	assert_string_equal(type_name(type_of(TYPE_TEXT_LIST), name), "text[]");
	assert_string_equal(type_name(type_of(TYPE_DOUBLE), name), "double precision");
	assert_string_equal(type_name(type_of(TYPE_NUMERIC), name), "numeric");
	assert_string_equal(type_name((struct type){TYPE_NUMERIC, 10, 2}, name), "numeric(10,2)");
	assert_string_equal(type_name((struct type){TYPE_NUMERIC, 3, -2}, name), "numeric(3,-2)");
	for (int kind = 0; kind < TYPE_KIND_COUNT; kind++)
		assert_true(strlen(type_kind_name(kind)) > 0);
}

static void test_equality(void **state)
{
	(void)state;
	assert_true(type_equal(type_of(TYPE_TEXT), type_of(TYPE_TEXT)));
	assert_false(type_equal(type_of(TYPE_INT), type_of(TYPE_BIGINT)));
	assert_false(type_equal(type_of(TYPE_NUMERIC), (struct type){TYPE_NUMERIC, 10, 2}));
	assert_true(
		type_equal((struct type){TYPE_NUMERIC, 10, 2}, (struct type){TYPE_NUMERIC, 10, 2}));
	/* Only decimals have a precision. */
	assert_true(type_equal(type_of(TYPE_TEXT), (struct type){TYPE_TEXT, 3, 1}));
}

static int compare(const char *a, const char *b)
{
	return text_compare(text_from(a, strlen(a)), text_from(b, strlen(b)));
}

static void test_text_order(void **state)
{
	struct text empty = text_from(NULL, 0);

	(void)state;
	assert_true(compare("a", "b") < 0);
	assert_true(compare("b", "a") > 0);
	assert_true(compare("abc", "abc") == 0);
	assert_true(compare("ab", "abc") < 0);
	assert_true(compare("abc", "ab") > 0);
	/* Bytes, not letters: capitals first, and what is beyond ASCII last. */
	assert_true(compare("Z", "a") < 0);
	assert_true(compare("z", "\xc3\xa1") < 0);
	assert_true(text_compare(empty, text_from("", 0)) == 0);
	assert_true(text_compare(empty, text_from("a", 1)) < 0);
	assert_true(text_compare(text_from("a\0b", 3), text_from("a\0c", 3)) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_equality),
		cmocka_unit_test(test_text_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
