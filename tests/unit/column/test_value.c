#include "base/buf.h"
#include "column/column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX 4096

static struct arena arena;
static struct buf out;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 1024);
	buf_init(&out, TEXT_MAX);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	buf_release(&out);
	return 0;
}

static const char *format(const struct value *value)
{
	buf_clear(&out);
	value_format(value, &out);
	buf_append_char(&out, '\0');
	assert_false(buf_overflowed(&out));
	return out.data;
}

/* What is read prints as `printed`. */
static void check_type(struct type type, const char *text, const char *printed)
{
	const char *reason = NULL;
	struct value value;

	if (!value_parse(type, text, strlen(text), &arena, &value, &reason))
		fail_msg("'%s' is not read: %s", text, reason);
	assert_false(value.is_null);
	assert_true(type_equal(value.type, type));
	assert_string_equal(format(&value), printed);
}

static void check(enum type_kind kind, const char *text, const char *printed)
{
	check_type(type_of(kind), text, printed);
}

static void refuse_type(struct type type, const char *text, const char *expected)
{
	const char *reason = NULL;
	struct value value;

	if (value_parse(type, text, strlen(text), &arena, &value, &reason))
		fail_msg("'%s' is read as %s", text, format(&value));
	assert_non_null(reason);
	assert_string_equal(reason, expected);
}

static void refuse(enum type_kind kind, const char *text, const char *expected)
{
	refuse_type(type_of(kind), text, expected);
}

static void test_null(void **state)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .is_null = true};

	(void)state;
	assert_string_equal(format(&value), "");
}

static void test_booleans(void **state)
{
	static const char *const yes[] = {"t", "tr", "tru", "true", "TRUE", "T", "y", "ye", "Yes",
		"on", "ON", "1", " t ", "\ttrue\n"};
	static const char *const no[] = {
		"f", "fa", "false", "F", "n", "NO", "of", "off", "0", " off "};
	static const char *const neither[] = {
		"", " ", "o", "O", "truex", "trueish", "2", "10", "01", "tf", "-1", "nope", "t f"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		check(TYPE_BOOL, yes[i], "t");
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		check(TYPE_BOOL, no[i], "f");
	for (size_t i = 0; i < sizeof(neither) / sizeof(neither[0]); i++)
		refuse(TYPE_BOOL, neither[i], "not a boolean");
}

static void test_integers(void **state)
{
	(void)state;
	check(TYPE_INT, "2147483647", "2147483647");
	check(TYPE_INT, "-2147483648", "-2147483648");
	check(TYPE_INT, " +7\t", "7");
	check(TYPE_INT, "-0", "0");
	check(TYPE_INT, "000000000000000000000000012", "12");
	refuse(TYPE_INT, "2147483648", "out of range");
	refuse(TYPE_INT, "-2147483649", "out of range");
	check(TYPE_BIGINT, "9223372036854775807", "9223372036854775807");
	check(TYPE_BIGINT, "-9223372036854775808", "-9223372036854775808");
	refuse(TYPE_BIGINT, "9223372036854775808", "out of range");
	refuse(TYPE_BIGINT, "-9223372036854775809", "out of range");
	refuse(TYPE_BIGINT, "99999999999999999999999999", "out of range");
	refuse(TYPE_BIGINT, "", "not an integer");
	refuse(TYPE_BIGINT, "  ", "not an integer");
	refuse(TYPE_BIGINT, "-", "not an integer");
	refuse(TYPE_BIGINT, "1 2", "not an integer");
	refuse(TYPE_BIGINT, "17272.0", "not an integer");
	refuse(TYPE_BIGINT, "1e3", "not an integer");
	refuse(TYPE_BIGINT, "0x10", "not an integer");
	refuse(TYPE_BIGINT, "99999999999999999999999999x", "not an integer");
}

static void test_numbers(void **state)
{
	(void)state;
	check(TYPE_NUMERIC, " 78.00 ", "78.00");
	check_type((struct type){TYPE_NUMERIC, 5, 2}, "123.455", "123.46");
	refuse_type((struct type){TYPE_NUMERIC, 5, 2}, "999.995", "out of range");
	refuse(TYPE_NUMERIC, "1e131072", "out of range");
	refuse(TYPE_NUMERIC, "1e", "not a number");
	refuse(TYPE_NUMERIC, "", "not a number");
	refuse(TYPE_NUMERIC, "abc", "not a number");
	refuse(TYPE_NUMERIC, ".", "not a number");
	refuse(TYPE_NUMERIC, "1.2.3", "not a number");
	refuse(TYPE_NUMERIC, "-NaN", "not a number");
	check(TYPE_DOUBLE, " 1e20\n", "1e+20");
	check(TYPE_DOUBLE, "-inf", "-Infinity");
	refuse(TYPE_DOUBLE, "1e400", "out of range");
	refuse(TYPE_DOUBLE, "-1e-400", "out of range");
	refuse(TYPE_DOUBLE, "0x10", "not a number");
	refuse(TYPE_DOUBLE, "1e+", "not a number");
}

static void test_datetimes(void **state)
{
	(void)state;
	check(TYPE_DATE, " 2024-02-29 ", "2024-02-29");
	check(TYPE_DATE, "2024-02-29 23:59:59", "2024-02-29");
	check(TYPE_DATE, "1969-12-31 23:59:59", "1969-12-31");
	refuse(TYPE_DATE, "2023-02-29", "not a date");
	refuse(TYPE_DATE, "", "not a date");
	check(TYPE_TIME, " 06:00 ", "06:00:00");
	check(TYPE_TIME, "2024-02-29 06:07:08.5", "06:07:08.5");
	refuse(TYPE_TIME, "2024-02-29", "not a time");
	refuse(TYPE_TIME, "25:00", "not a time");
	check(TYPE_TIMESTAMP, " 2024-02-29T06:00Z ", "2024-02-29 06:00:00");
	refuse(TYPE_TIMESTAMP, "yesterday", "not a timestamp");
	refuse(TYPE_TIMESTAMP, "06:00", "not a timestamp");
	check(TYPE_INTERVAL, " 1 year 2 mons -3 days 04:05:06.5 ",
		"1 year 2 mons -3 days +04:05:06.5");
	refuse(TYPE_INTERVAL, "soon", "not an interval");
	refuse(TYPE_INTERVAL, "3000000000 days", "out of range");
}

static void test_texts(void **state)
{
	static const char utf8[] = " caf\xc3\xa9 \xe2\x98\x95 ";
	const char *reason;
	struct value value;
	char *big;

	(void)state;
	check(TYPE_TEXT, utf8, utf8);
	check(TYPE_UNKNOWN, "", "");
	/* A copy: the caller's bytes may go away. */
	assert_true(value_parse(type_of(TYPE_TEXT), utf8, strlen(utf8), &arena, &value, &reason));
	assert_ptr_not_equal(value.text.data, utf8);
	assert_true(value_parse(type_of(TYPE_TEXT), "a\0b", 3, &arena, &value, &reason));
	assert_int_equal(value.text.size, 3);
	assert_memory_equal(value.text.data, "a\0b", 3);
	big = malloc((size_t)TEXT_SIZE_MAX + 1);
	assert_non_null(big);
	assert_false(value_parse(
		type_of(TYPE_TEXT), big, (size_t)TEXT_SIZE_MAX + 1, &arena, &value, &reason));
	assert_string_equal(reason, "too long");
	free(big);
}

static void test_lists(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "{}"},
		{" { } ", "{}"},
		{"{a,b}", "{a,b}"},
		{"{ a , b c }", "{a,\"b c\"}"},
		{"{\"a\",\" b\"}", "{a,\" b\"}"},
		{"{NULL,null,\"NULL\"}", "{NULL,NULL,\"NULL\"}"},
		{"{\"\"}", "{\"\"}"},
		{"{\"a\\\"b\",\"c\\\\d\"}", "{\"a\\\"b\",\"c\\\\d\"}"},
		{"{a\\,b}", "{\"a,b\"}"},
		{"{\\NULL}", "{\"NULL\"}"},
		{"{\"{}\"}", "{\"{}\"}"},
		{"{caf\xc3\xa9}", "{caf\xc3\xa9}"},
		{"{nullx,nul}", "{nullx,nul}"},
		{"{a\\ }", "{\"a \"}"},
	};
	static const char *const malformed[] = {"", "{", "}", "a", "{a", "a}", "{a,}", "{,}",
		"{,a}", "{a,,b}", "{a}b", "{a}}", "{{a}}", "{\"a}", "{\"a\"b}", "{a\"b\"}", "{a\\}",
		"{\"a\\", "{ , }", "{a} {b}", "{\"a"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(TYPE_TEXT_LIST, cases[i][0], cases[i][1]);
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		refuse(TYPE_TEXT_LIST, malformed[i], "not a list like {a,b}");
}

static void test_list_items(void **state)
{
	static const char text[] = "{x,NULL,\"\"}";
	const char *reason;
	struct value value;

	(void)state;
	assert_true(
		value_parse(type_of(TYPE_TEXT_LIST), text, strlen(text), &arena, &value, &reason));
	assert_int_equal(value.list.count, 3);
	assert_int_equal(value.list.items[0].size, 1);
	assert_memory_equal(value.list.items[0].data, "x", 1);
	assert_int_equal(value.list.items[1].size, TEXT_LIST_NULL_SIZE);
	assert_null(value.list.items[1].data);
	assert_int_equal(value.list.items[2].size, 0);
}

/* A full buffer says so and holds no half number. */
static void test_overflow(void **state)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .i64 = INT64_MIN};
	struct buf small;

	(void)state;
	buf_init(&small, 8);
	value_format(&value, &small);
	assert_true(buf_overflowed(&small));
	assert_int_equal(small.size, 0);
	buf_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_booleans),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_datetimes),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_list_items),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
