#include "base/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_take_stops_behind_the_number(void **state)
{
	const char *text = "0042-7f,x";
	uint64_t number = 1;

	(void)state;
	assert_true(digits_take(&text, 10, UINT64_MAX, &number));
	assert_int_equal(number, 42);
	assert_string_equal(text, "-7f,x");
	text++;
	assert_true(digits_take(&text, 16, 0x7f, &number));
	assert_int_equal(number, 0x7f);
	assert_string_equal(text, ",x");
}

static void test_take_leaves_what_it_refuses(void **state)
{
	static const char *const refused[] = {"", "x1", "-1", "+1", " 1", "101",
		"18446744073709551616", "184467440737095516150", "99999999999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		const char *text = refused[i];
		uint64_t number = 77;

		assert_false(digits_take(&text, 10, 100, &number));
		assert_ptr_equal(text, refused[i]);
		assert_int_equal(number, 77);
	}
}

static void test_limits(void **state)
{
	uint64_t number;

	(void)state;
	assert_true(digits_parse("18446744073709551615", 10, UINT64_MAX, &number));
	assert_true(number == UINT64_MAX);
	assert_true(digits_parse("ffffFFFFffffFFFF", 16, UINT64_MAX, &number));
	assert_true(number == UINT64_MAX);
	assert_false(digits_parse("10000000000000000", 16, UINT64_MAX, &number));
	assert_true(digits_parse("100", 10, 100, &number));
	assert_false(digits_parse("101", 10, 100, &number));
	assert_true(digits_parse("0", 10, 0, &number));
	assert_int_equal(number, 0);
}

static void test_parse_wants_all_of_the_text(void **state)
{
	uint64_t number = 77;

	(void)state;
	assert_false(digits_parse("12 ", 10, UINT64_MAX, &number));
	assert_false(digits_parse("12a", 10, UINT64_MAX, &number));
	assert_false(digits_parse("12g", 16, UINT64_MAX, &number));
	assert_int_equal(number, 77);
	assert_true(digits_parse("12a", 16, UINT64_MAX, &number));
	assert_int_equal(number, 0x12a);
}

static void test_hex(void **state)
{
	const uint8_t bytes[] = {0x00, 0x7f, 0xa5, 0xff};
	uint8_t back[sizeof(bytes)] = {0};
	char text[9] = "";

	(void)state;
	hex_encode(bytes, sizeof(bytes), text);
	assert_string_equal(text, "007fa5ff");
	assert_true(hex_decode("007FA5ff", sizeof(bytes), back));
	assert_memory_equal(back, bytes, sizeof(bytes));
	assert_false(hex_decode("007fa5fg", sizeof(bytes), back));
	assert_false(hex_decode("007f 5ff", sizeof(bytes), back));
	assert_false(hex_decode("007fa5f", sizeof(bytes), back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take_stops_behind_the_number),
		cmocka_unit_test(test_take_leaves_what_it_refuses),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_parse_wants_all_of_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
