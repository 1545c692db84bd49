#include "base/rng.h"
#include "column/numeric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NINES_35 "99999999999999999999999999999999999"

typedef bool (*binary)(numeric a, numeric b, numeric *out);

struct binary_case {
	const char *a;
	const char *b;
	const char *result; /* NULL: overflow */
};

static numeric parse(const char *text)
{
	numeric n;

	if (!numeric_parse(text, strlen(text), &n))
		fail_msg("'%s' is not read", text);
	return n;
}

static void assert_text(numeric n, const char *expected)
{
	char text[NUMERIC_TEXT_MAX];
	size_t size = numeric_format(n, text);

	assert_int_equal(size, strlen(text));
	assert_string_equal(text, expected);
}

static void check_binary(binary function, const struct binary_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		numeric result = 42;
		bool ok = function(parse(cases[i].a), parse(cases[i].b), &result);

		if (ok != (cases[i].result != NULL))
			fail_msg(
				"case %zu: %s, %s: overflow is %d", i, cases[i].a, cases[i].b, !ok);
		if (ok)
			assert_text(result, cases[i].result);
		else
			assert_true(result == 42);
	}
}

#define CHECK_BINARY(function, cases) \
	check_binary(function, cases, sizeof(cases) / sizeof((cases)[0]))

static void test_parse(void **state)
{
	static const char *const cases[][2] = {
		{"0", "0"},
		{"-0", "0"},
		{"+7", "7"},
		{"78.0", "78.0"},
		{"78.00", "78.00"},
		{".5", "0.5"},
		{"5.", "5"},
		{"-.05", "-0.05"},
		{"007.10", "7.10"},
		{"1e3", "1000"},
		{"1.5e-3", "0.0015"},
		{"1.50E1", "15.0"},
		{"1.5e+3", "1500"},
		{"0e9", "0"},
		{"0e1000000", "0"},
		{"1e34", "10000000000000000000000000000000000"},
		{"1e-35", "0.00000000000000000000000000000000001"},
		{NINES_35, NINES_35},
		{"-" NINES_35, "-" NINES_35},
		{"0.0000000000000000000000000000000000001e5", "0.00000000000000000000000000000001"},
		{"000000000000000000000000000000000000000000000000000000001.25", "1.25"},
		{"123456789012345678", "123456789012345678"},
		{"1234567890123456789", "1234567890123456789"},
		{"123456789012345678901234567890.12345", "123456789012345678901234567890.12345"},
		{"0." NINES_35, "0." NINES_35},
		{"-0.00", "0.00"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_text(parse(cases[i][0]), cases[i][1]);
}

static void test_parse_refuses(void **state)
{
	static const char *const cases[] = {"", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+",
		"1e5x", "1e5.0", "1.2.3", "1,5", " 1", "1 ", "--1", "+-1", "0x10", "nan", "NaN",
		"inf", "Infinity", "1_000", "\xd9\xa1", ("1" NINES_35),
		"100000000000000000000000000000000000", "1e35", "1e-36", "1e99999999999999999999",
		"1e-99999999999999999999", "12345678901234567890123456789012345.6",
		"0.000000000000000000000000000000000001", (NINES_35 NINES_35 NINES_35)};
	numeric n = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (numeric_parse(cases[i], strlen(cases[i]), &n))
			fail_msg("'%s' is read", cases[i]);
		assert_true(n == 42);
	}
	/* Bytes behind the size do not count. */
	assert_false(numeric_parse("123", 0, &n));
	assert_true(numeric_parse("123", 2, &n));
	assert_text(n, "12");
}

static void test_make(void **state)
{
	numeric n;
	int128 limit = numeric_power10[NUMERIC_DIGITS_MAX];

	(void)state;
	assert_true(numeric_make(limit - 1, 0, &n));
	assert_true(numeric_make(1 - limit, NUMERIC_SCALE_MAX, &n));
	assert_true(numeric_mantissa(n) == 1 - limit);
	assert_int_equal(numeric_scale(n), NUMERIC_SCALE_MAX);
	assert_false(numeric_make(limit, 0, &n));
	assert_false(numeric_make(-limit, 0, &n));
	assert_false(numeric_make(1, NUMERIC_SCALE_MAX + 1, &n));
	for (int i = 1; i < 39; i++)
		assert_true(numeric_power10[i] == 10 * numeric_power10[i - 1]);
	assert_text(numeric_from_i64(INT64_MIN), "-9223372036854775808");
}

static void test_compare(void **state)
{
	static const char *const ascending[] = {("-" NINES_35), "-1e30", "-1.01", "-1.001", "-1",
		"-0.5", "-1e-35", "0.000", "1e-35", "0.49", "0.5", "1.000", "1.001", "2", "1e30",
		NINES_35};
	size_t count = sizeof(ascending) / sizeof(ascending[0]);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			int order = numeric_compare(parse(ascending[i]), parse(ascending[j]));

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
	assert_int_equal(numeric_compare(parse("1.0"), parse("1.00")), 0);
	assert_int_equal(numeric_compare(parse("0"), parse("0.0000")), 0);
	assert_int_equal(numeric_compare(parse("-2.50"), parse("-2.5")), 0);
}

static void test_normalize(void **state)
{
	(void)state;
	assert_text(numeric_normalize(parse("1.500")), "1.5");
	assert_text(numeric_normalize(parse("100.00")), "100");
	assert_text(numeric_normalize(parse("-0.000")), "0");
	assert_text(numeric_normalize(parse("1200")), "1200");
	assert_text(numeric_normalize(parse("-12345678901234567890.1000000000")),
		"-12345678901234567890.1");
	assert_text(numeric_normalize(parse("1.00000000000000000000000000000000")), "1");
	assert_true(numeric_normalize(parse("78.0")) == numeric_normalize(parse("78.00")));
	assert_true(numeric_normalize(parse("0.0")) == 0);
}

static void test_add_sub(void **state)
{
	static const struct binary_case sums[] = {
		{"1", "2", "3"},
		{"1.5", "2.25", "3.75"},
		{"78.0", "0", "78.0"},
		{"-1.5", "1.50", "0.00"},
		{NINES_35, "0", NINES_35},
		{NINES_35, "1", NULL},
		{"-" NINES_35, "-1", NULL},
		{NINES_35, "-" NINES_35, "0"},
		{NINES_35, "0.1", NULL},
		{"1e34", "1e-35", NULL},
		{"1e-35", "1e-35", "0.00000000000000000000000000000000002"},
		{"10000000000000000000000000000000000", "-0.5",
			"9999999999999999999999999999999999.5"},
	};
	static const struct binary_case differences[] = {
		{"1", "2", "-1"},
		{"1.5", "0.25", "1.25"},
		{"-" NINES_35, "1", NULL},
		{"0.0", "0.00", "0.00"},
		{"0", "-" NINES_35, NINES_35},
	};

	(void)state;
	CHECK_BINARY(numeric_add, sums);
	CHECK_BINARY(numeric_sub, differences);
}

static void test_mul(void **state)
{
	static const struct binary_case cases[] = {
		{"3", "4", "12"},
		{"1.5", "1.50", "2.250"},
		{"-2", "0.5", "-1.0"},
		{"0", NINES_35, "0"},
		{"-0.5", "-0.5", "0.25"},
		{"1e17", "1e17", "10000000000000000000000000000000000"},
		{"1e18", "1e17", NULL},
		{NINES_35, NINES_35, NULL},
		{"-" NINES_35, "2", NULL},
		{"1e-20", "1e-20", NULL},
		{"0.00", "1e-35", NULL},
	};

	(void)state;
	CHECK_BINARY(numeric_mul, cases);
}

/* Every result is what PostgreSQL 15 prints. */
static void test_div(void **state)
{
	static const struct binary_case cases[] = {
		{"1", "3", "0.33333333333333333333"},
		{"2", "3", "0.66666666666666666667"},
		{"-2", "3", "-0.66666666666666666667"},
		{"10", "3", "3.3333333333333333"},
		{"1", "7", "0.14285714285714285714"},
		{"22", "7", "3.1428571428571429"},
		{"100", "7", "14.2857142857142857"},
		{"10000", "7", "1428.5714285714285714"},
		{"12345", "10000", "1.23450000000000000000"},
		{"9999", "9999", "1.00000000000000000000"},
		{"9999", "10000", "0.99990000000000000000"},
		{"10000", "9999", "1.0001000100010001"},
		{"1", "10000", "0.000100000000000000000000"},
		{"0", "7", "0.00000000000000000000"},
		{"0.00", "7.123", "0.00000000000000000000"},
		{"1.0", "3.000", "0.33333333333333333333"},
		{"0.0001", "3", "0.000033333333333333333333"},
		{"0.00001", "3", "0.000003333333333333333333"},
		{"1", "0.00003", "33333.333333333333"},
		{"123456789.12", "3", "41152263.040000000000"},
		{"10000000000000000", "3", "3333333333333333.3333"},
		{"100000000000000000000", "3", "33333333333333333333"},
		{"12345678901234567890", "9", "1371742100137174210"},
		{"99999999999999999", "8", "12500000000000000"},
		{"1", "99999", "0.000010000100001000010000"},
		{"5", "0.5", "10.0000000000000000"},
		{"1", "8", "0.12500000000000000000"},
		{"7.50", "2.5", "3.0000000000000000"},
		{"78.0", "4", "19.5000000000000000"},
		{"-1", "16", "-0.06250000000000000000"},
		{"1", "-2", "-0.50000000000000000000"},
		{"100.00", "0.01", "10000.0000000000000000"},
		{"3", "1234567.891", "0.000002430000020144700167"},
		{"0.5", "0.0000000001", "5000000000.0000000000"},
		/* A scale of 40, and quotients with too many digits. */
		{"1", "1e20", NULL},
		{"1e34", "1e-20", NULL},
		{NINES_35, "0.1", NULL},
		{NINES_35, "7", "14285714285714285714285714285714286"},
		{NINES_35, "-" NINES_35, "-1.00000000000000000000"},
		{"12345678901234567890123.45", "98765432109876543210", "124.9999988609375000"},
	};

	(void)state;
	CHECK_BINARY(numeric_div, cases);
}

static void test_mod(void **state)
{
	static const struct binary_case cases[] = {
		{"7", "3", "1"},
		{"-7", "3", "-1"},
		{"7", "-3", "1"},
		{"-7", "-3", "-1"},
		{"6", "3", "0"},
		{"5.5", "2", "1.5"},
		{"5", "0.75", "0.50"},
		{"-5.25", "0.5", "-0.25"},
		{"0", "5", "0"},
		{NINES_35, "1e-35", "0.00000000000000000000000000000000000"},
		{NINES_35, "0.00000000000000000000000000000000007",
			"0.00000000000000000000000000000000006"},
		{"1e-35", NINES_35, "0.00000000000000000000000000000000001"},
		{NINES_35, "98765432109876543210", "74075214707407421469"},
	};

	(void)state;
	CHECK_BINARY(numeric_mod, cases);
}

static void test_average(void **state)
{
	int128 huge = (int128)1 << 126; /* more digits than a numeric has */
	numeric n;

	(void)state;
	assert_true(numeric_average(10, 0, 4, &n));
	assert_text(n, "2.5000000000000000");
	assert_true(numeric_average(10, 0, 3, &n));
	assert_text(n, "3.3333333333333333");
	assert_true(numeric_average(1, 0, 3, &n));
	assert_text(n, "0.33333333333333333333");
	assert_true(numeric_average(-20050, 2, 4, &n));
	assert_text(n, "-50.1250000000000000");
	assert_true(numeric_average(0, 2, 9, &n));
	assert_text(n, "0.00000000000000000000");
	assert_true(numeric_average(huge, 0, INT64_MAX, &n));
	assert_text(n, "9223372036854775809");
	assert_true(numeric_average(-huge, 0, INT64_MAX, &n));
	assert_text(n, "-9223372036854775809");
	assert_false(numeric_average(huge, 0, 1, &n));
	assert_false(numeric_average((int128)(~(unsigned __int128)0 >> 1) * -1 - 1, 0, 1, &n));
}

struct scale_case {
	const char *n;
	int scale;
	const char *rounded;
	const char *truncated;
};

static void test_round_trunc(void **state)
{
	static const struct scale_case cases[] = {
		{"2.5", 0, "3", "2"},
		{"-2.5", 0, "-3", "-2"},
		{"2.4999", 0, "2", "2"},
		{"0.5", 0, "1", "0"},
		{"-0.5", 0, "-1", "0"},
		{"1.005", 2, "1.01", "1.00"},
		{"1.5", 3, "1.500", "1.500"},
		{"1234", -2, "1200", "1200"},
		{"1250", -2, "1300", "1200"},
		{"-1250", -2, "-1300", "-1200"},
		{"50", -2, "100", "0"},
		{"49", -2, "0", "0"},
		{"5", -1, "10", "0"},
		{"1", -36, "0", "0"},
		{"1", INT32_MIN, "0", "0"},
		{NINES_35, -35, NULL, "0"},
		{NINES_35, -1, NULL, "99999999999999999999999999999999990"},
		{"0." NINES_35, 0, "1", "0"},
		{"0." NINES_35, 34, "1.0000000000000000000000000000000000",
			"0.9999999999999999999999999999999999"},
		{"1", 36, NULL, NULL},
		{"1", INT32_MAX, NULL, NULL},
		{"10", 34, NULL, NULL},
		{"1", 34, "1.0000000000000000000000000000000000",
			"1.0000000000000000000000000000000000"},
		{"0.9", -1, "0", "0"},
		{"9.9", -1, "10", "0"},
		{"0", -3, "0", "0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		numeric n = parse(cases[i].n);
		numeric result;

		assert_int_equal(
			numeric_round(n, cases[i].scale, &result), cases[i].rounded != NULL);
		if (cases[i].rounded)
			assert_text(result, cases[i].rounded);
		assert_int_equal(
			numeric_trunc(n, cases[i].scale, &result), cases[i].truncated != NULL);
		if (cases[i].truncated)
			assert_text(result, cases[i].truncated);
	}
}

static void test_fit(void **state)
{
	numeric n;

	(void)state;
	assert_true(numeric_fit(parse("123.456"), NUMERIC_ANY, NUMERIC_ANY, &n));
	assert_text(n, "123.456");
	assert_true(numeric_fit(parse("123.455"), 5, 2, &n));
	assert_text(n, "123.46");
	assert_true(numeric_fit(parse("7"), 5, 2, &n));
	assert_text(n, "7.00");
	assert_false(numeric_fit(parse("999.995"), 5, 2, &n));
	assert_true(numeric_fit(parse("-999.994"), 5, 2, &n));
	assert_false(numeric_fit(parse("-1000"), 5, 2, &n));
	assert_true(numeric_fit(parse("99949"), 3, -2, &n));
	assert_text(n, "99900");
	assert_false(numeric_fit(parse("99950"), 3, -2, &n));
	assert_true(numeric_fit(parse("0.00994"), 2, 4, &n));
	assert_text(n, "0.0099");
	assert_false(numeric_fit(parse("0.00995"), 2, 4, &n));
	assert_true(numeric_fit(parse(NINES_35), 38, 0, &n));
	assert_false(numeric_fit(parse(NINES_35), 38, 1, &n));
}

static void test_floor_ceil(void **state)
{
	static const char *const cases[][3] = {
		{"1.5", "1", "2"},
		{"-1.5", "-2", "-1"},
		{"2.00", "2", "2"},
		{"-2.00", "-2", "-2"},
		{"0.001", "0", "1"},
		{"-0.001", "-1", "0"},
		{NINES_35, NINES_35, NINES_35},
		{"-0." NINES_35, "-1", "0"},
		{"0.0", "0", "0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		numeric out;

		assert_true(numeric_floor(parse(cases[i][0]), &out));
		assert_text(out, cases[i][1]);
		assert_true(numeric_ceil(parse(cases[i][0]), &out));
		assert_text(out, cases[i][2]);
	}
}

static void test_to_i64(void **state)
{
	int64_t i = 0;

	(void)state;
	assert_true(numeric_to_i64(parse("2.5"), &i) && i == 3);
	assert_true(numeric_to_i64(parse("-2.5"), &i) && i == -3);
	assert_true(numeric_to_i64(parse("-0.49"), &i) && i == 0);
	assert_true(numeric_to_i64(parse("9223372036854775807.49"), &i) && i == INT64_MAX);
	assert_false(numeric_to_i64(parse("9223372036854775807.5"), &i));
	assert_true(numeric_to_i64(parse("-9223372036854775808.49"), &i) && i == INT64_MIN);
	assert_false(numeric_to_i64(parse("-9223372036854775808.5"), &i));
	assert_false(numeric_to_i64(parse(NINES_35), &i));
}

static void test_to_double(void **state)
{
	(void)state;
	assert_true(numeric_to_double(parse("0.1")) == 0.1);
	assert_true(numeric_to_double(parse("-78.00")) == -78.0);
	assert_true(numeric_to_double(parse("0.000")) == 0.0);
	assert_true(numeric_to_double(parse("9007199254740993")) == 9007199254740992.0);
	assert_true(numeric_to_double(parse("9007199254740993.0000001")) == 9007199254740994.0);
	assert_true(numeric_to_double(parse("1e-35")) == 1e-35);
	assert_true(numeric_to_double(parse(NINES_35)) == 1e35);
	assert_true(numeric_to_double(parse("0.3333333333333333333333333333")) == 1.0 / 3);
}

static void test_from_double(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0.1, "0.1"},
		{0.1 + 0.2, "0.3"},
		{1.0 / 3, "0.333333333333333"},
		{-78.0, "-78"},
		{123456789.123456789, "123456789.123457"},
		{1e20, "100000000000000000000"},
		{1.5e-7, "0.00000015"},
		{-0.0, "0"},
		{9007199254740993.0, "9007199254740990"},
		{1e34, "10000000000000000000000000000000000"},
	};
	numeric n;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(numeric_from_double(cases[i].value, &n));
		assert_text(n, cases[i].text);
	}
	assert_false(numeric_from_double(NAN, &n));
	assert_false(numeric_from_double(INFINITY, &n));
	assert_false(numeric_from_double(-INFINITY, &n));
	assert_false(numeric_from_double(1e35, &n));
	assert_false(numeric_from_double(1e-36, &n));
}

static numeric random_numeric(struct rng *rng)
{
	uint64_t high = rng_next(rng) >> (12 + rng_below(rng, 52));
	int128 mantissa = ((int128)high << 64 | rng_next(rng)) >> rng_below(rng, 64);
	numeric n;

	if (!numeric_make(
		    rng_below(rng, 2) ? mantissa : -mantissa, (unsigned)rng_below(rng, 36), &n))
		fail_msg("52 + 64 bits have at most 35 digits");
	return n;
}

/* Laws that hold whatever the operands: what is subtracted can be added again, and so on. */
static void test_laws(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 20240131);
	for (int i = 0; i < 20000; i++) {
		numeric a = random_numeric(&rng);
		numeric b = random_numeric(&rng);
		numeric sum, back, rest;
		char text[NUMERIC_TEXT_MAX];
		size_t size = numeric_format(a, text);

		assert_true(numeric_parse(text, size, &back) && back == a);
		assert_int_equal(numeric_compare(a, b), -numeric_compare(b, a));
		assert_int_equal(numeric_compare(a, numeric_normalize(a)), 0);
		assert_true(numeric_floor(a, &sum) && numeric_compare(sum, a) <= 0);
		assert_true(numeric_ceil(a, &sum) && numeric_compare(sum, a) >= 0);
		if (numeric_add(a, b, &sum) && numeric_sub(sum, b, &back))
			assert_int_equal(numeric_compare(back, a), 0);
		if (numeric_mantissa(b) == 0)
			continue;
		assert_true(numeric_mod(a, b, &rest));
		if (b < 0)
			b = numeric_pack(-numeric_mantissa(b), numeric_scale(b));
		assert_true(numeric_compare(rest, b) < 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_refuses),
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_normalize),
		cmocka_unit_test(test_add_sub),
		cmocka_unit_test(test_mul),
		cmocka_unit_test(test_div),
		cmocka_unit_test(test_mod),
		cmocka_unit_test(test_average),
		cmocka_unit_test(test_round_trunc),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_floor_ceil),
		cmocka_unit_test(test_to_i64),
		cmocka_unit_test(test_to_double),
		cmocka_unit_test(test_from_double),
		cmocka_unit_test(test_laws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
