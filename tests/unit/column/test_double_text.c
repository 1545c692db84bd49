#include "base/rng.h"
#include "column/column.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(double value, const char *expected)
{
	char text[DOUBLE_TEXT_MAX];
	size_t size = double_format(value, text);

	assert_string_equal(text, expected);
	assert_int_equal(size, strlen(text));
}

/* Every text is what PostgreSQL 15 prints. */
static void test_format(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-1.5, "-1.5"},
		{0.1, "0.1"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{2.0 / 3, "0.6666666666666666"},
		{100, "100"},
		{123456.789, "123456.789"},
		{100000000000000, "100000000000000"},
		{999999999999999, "999999999999999"},
		{1e15, "1e+15"},
		{123456789012345.6, "123456789012345.6"},
		{1234567890123456, "1.234567890123456e+15"},
		{1e20, "1e+20"},
		{1e23, "9.999999999999999e+22"},
		{1e100, "1e+100"},
		{0.0001, "0.0001"},
		{0.00012, "0.00012"},
		{0.00001, "1e-05"},
		{1.5e-7, "1.5e-07"},
		{1e-100, "1e-100"},
		{DBL_MAX, "1.7976931348623157e+308"},
		{DBL_MIN, "2.2250738585072014e-308"},
		{DBL_TRUE_MIN, "5e-324"},
		{DBL_EPSILON, "2.220446049250313e-16"},
		{9007199254740991, "9.007199254740991e+15"},
		{9007199254740992, "9.007199254740992e+15"},
		{9007199254740994, "9.007199254740994e+15"},
		{0x1p-778, "6.290184345309701e-235"},
		{4.94e-322, "4.94e-322"},
		{-34.603722, "-34.603722"},
		{0.125, "0.125"},
		{0.000010001, "1.0001e-05"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_text(cases[i].value, cases[i].text);
	assert_text(NAN, "NaN");
	assert_text(-NAN, "NaN");
	assert_text(INFINITY, "Infinity");
	assert_text(-INFINITY, "-Infinity");
}

static void test_reads_back(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = rng_next(&rng);
		char text[DOUBLE_TEXT_MAX];
		double value, back;
		size_t size;

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		size = double_format(value, text);
		assert_true(size < DOUBLE_TEXT_MAX);
		assert_true(double_parse(text, size, &back));
		assert_memory_equal(&back, &value, sizeof(value));
	}
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"0", 0},
		{"-0", -0.0},
		{"1", 1},
		{"+1.5", 1.5},
		{".5", 0.5},
		{"5.", 5},
		{"1e3", 1000},
		{"1E-3", 0.001},
		{"1e+22", 1e22},
		{"1e23", 1e23},
		{"0.1", 0.1},
		{"-34.603722", -34.603722},
		{"123456789012345678901234567890", 123456789012345678901234567890.0},
		{"0.000000000000000000000000000001", 1e-30},
		{"1.7976931348623157e308", DBL_MAX},
		{"5e-324", DBL_TRUE_MIN},
		{"9007199254740993", 9007199254740992.0},
		{"9007199254740992.5000000000000000001", 9007199254740992.0},
		{"0e999", 0},
		{"inf", INFINITY},
		{"-Infinity", -INFINITY},
		{"+INF", INFINITY},
		{"infinity", INFINITY},
	};
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!double_parse(cases[i].text, strlen(cases[i].text), &value))
			fail_msg("'%s' is not read", cases[i].text);
		assert_memory_equal(&value, &cases[i].value, sizeof(value));
	}
	assert_true(double_parse("NaN", 3, &value) && isnan(value));
	assert_true(double_parse("1.55", 3, &value) && value == 1.5);
}

static void test_parse_refuses(void **state)
{
	static const char *const cases[] = {"", "-", ".", "-.", "e5", "1e", "1e-", "1e5.5", "1.2.3",
		" 1", "1 ", "1,5", "0x10", "0x1p3", "nan(1)", "infinit", "infinityx", "-nan", "in",
		"--1", "1f", "1e400", "-1e400", "1e-400", "1e99999999999999999999"};
	double value = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (double_parse(cases[i], strlen(cases[i]), &value))
			fail_msg("'%s' is read", cases[i]);
		assert_true(value == 42);
	}
}

/* Longer than any buffer on the stack. */
static void test_parse_long(void **state)
{
	char text[2001];
	double value;

	(void)state;
	memset(text, '0', sizeof(text));
	text[1] = '.';
	text[2000] = '5';
	assert_false(double_parse(text, sizeof(text), &value));
	text[0] = '7';
	assert_true(double_parse(text, sizeof(text), &value) && value == 7);
	text[1] = '0';
	assert_false(double_parse(text, sizeof(text), &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_reads_back),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_refuses),
		cmocka_unit_test(test_parse_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
