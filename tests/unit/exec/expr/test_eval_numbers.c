#include "unit/exec/expr/eval_fixture.h"

#define INT(function, a, b)	CALL(function, TYPE_INT, LIT_INT(a), LIT_INT(b))
#define BIGINT(function, a, b)	CALL(function, TYPE_BIGINT, LIT_BIGINT(a), LIT_BIGINT(b))
#define NUMERIC(function, a, b) CALL(function, TYPE_NUMERIC, LIT_NUMERIC(a), LIT_NUMERIC(b))
#define DOUBLE(function, a, b)	CALL(function, TYPE_DOUBLE, LIT_DOUBLE(a), LIT_DOUBLE(b))

#define INT_ERROR     "ERROR: integer out of range"
#define BIGINT_ERROR  "ERROR: bigint out of range"
#define NUMERIC_ERROR "ERROR: numeric value out of range (35 digits at most)"
#define ZERO_ERROR    "ERROR: division by zero"

static void test_int(void **state)
{
	struct fixture *f = *state;

	EXPECT(INT(FN_ADD, "2147483646", "1"), "2147483647");
	EXPECT(INT(FN_ADD, "2147483647", "1"), INT_ERROR);
	EXPECT(INT(FN_SUB, "-2147483648", "1"), INT_ERROR);
	EXPECT(INT(FN_MUL, "46341", "46341"), INT_ERROR);
	EXPECT(INT(FN_MUL, "-2147483648", "1"), "-2147483648");
	EXPECT(INT(FN_MUL, "-2147483648", "-2147483648"), INT_ERROR);
	EXPECT(INT(FN_DIV, "-7", "2"), "-3");
	EXPECT(INT(FN_DIV, "-2147483648", "-1"), INT_ERROR);
	EXPECT(INT(FN_DIV, "1", "0"), ZERO_ERROR);
	EXPECT(INT(FN_MOD, "-7", "3"), "-1");
	EXPECT(INT(FN_MOD, "7", "-3"), "1");
	EXPECT(INT(FN_MOD, "-2147483648", "-1"), "0");
	EXPECT(INT(FN_MOD, "1", "0"), ZERO_ERROR);
	EXPECT(INT(FN_ADD, "NULL", "1"), "NULL");
	EXPECT(CALL(FN_NEG, TYPE_INT, LIT_INT("-2147483648")), INT_ERROR);
	EXPECT(CALL(FN_NEG, TYPE_INT, LIT_INT("5")), "-5");
	EXPECT(CALL(FN_ABS, TYPE_INT, LIT_INT("-2147483648")), INT_ERROR);
	EXPECT(CALL(FN_ABS, TYPE_INT, LIT_INT("-7")), "7");
}

static void test_bigint(void **state)
{
	struct fixture *f = *state;

	EXPECT(BIGINT(FN_ADD, "9223372036854775806", "1"), "9223372036854775807");
	EXPECT(BIGINT(FN_ADD, "9223372036854775807", "1"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_ADD, "-9223372036854775808", "-1"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_SUB, "-9223372036854775808", "1"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_SUB, "0", "-9223372036854775808"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_SUB, "-1", "-9223372036854775808"), "9223372036854775807");
	EXPECT(BIGINT(FN_MUL, "3037000500", "3037000500"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_MUL, "-9223372036854775808", "-1"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_DIV, "-9223372036854775808", "-1"), BIGINT_ERROR);
	EXPECT(BIGINT(FN_DIV, "9", "-1"), "-9");
	EXPECT(BIGINT(FN_DIV, "9", "0"), ZERO_ERROR);
	EXPECT(BIGINT(FN_MOD, "-9223372036854775808", "-1"), "0");
	EXPECT(CALL(FN_NEG, TYPE_BIGINT, LIT_BIGINT("-9223372036854775808")), BIGINT_ERROR);
	EXPECT(CALL(FN_ABS, TYPE_BIGINT, LIT_BIGINT("-9223372036854775808")), BIGINT_ERROR);
	EXPECT(CALL(FN_ABS, TYPE_BIGINT, LIT_BIGINT("-9223372036854775807")),
		"9223372036854775807");
}

static void test_numeric(void **state)
{
	struct fixture *f = *state;

	EXPECT(NUMERIC(FN_ADD, "1.50", "2.5"), "4.00");
	EXPECT(NUMERIC(FN_ADD, "1.5", "2.5"), "4.0");
	EXPECT(NUMERIC(FN_SUB, "0.1", "0.10"), "0.00");
	EXPECT(NUMERIC(FN_SUB, "9223372036854775807", "-9223372036854775807"),
		"18446744073709551614");
	EXPECT(NUMERIC(FN_MUL, "1.50", "-2.5"), "-3.750");
	EXPECT(NUMERIC(FN_MUL, "99999999999999999999", "99999999999999999999"), NUMERIC_ERROR);
	EXPECT(NUMERIC(FN_MUL, "1000000000000000000", "100000000000000000"), NUMERIC_ERROR);
	EXPECT(NUMERIC(FN_MUL, "0.000000000000000001", "0.0000000000000000001"), NUMERIC_ERROR);
	EXPECT(NUMERIC(FN_ADD, "99999999999999999999999999999999999", "1"), NUMERIC_ERROR);
	EXPECT(NUMERIC(FN_DIV, "1", "3"), "0.33333333333333333333");
	EXPECT(NUMERIC(FN_DIV, "1", "0.00"), ZERO_ERROR);
	EXPECT(NUMERIC(FN_MOD, "-7.5", "2"), "-1.5");
	EXPECT(NUMERIC(FN_MOD, "1", "0"), ZERO_ERROR);
	EXPECT(CALL(FN_NEG, TYPE_NUMERIC, LIT_NUMERIC("-1.50")), "1.50");
	EXPECT(CALL(FN_ABS, TYPE_NUMERIC, LIT_NUMERIC("-1.50")), "1.50");
	EXPECT(CALL(FN_SIGN, TYPE_NUMERIC, LIT_NUMERIC("-0.50")), "-1");
	EXPECT(CALL(FN_ROUND, TYPE_NUMERIC, LIT_NUMERIC("2.5")), "3");
	EXPECT(CALL(FN_ROUND, TYPE_NUMERIC, LIT_NUMERIC("-2.5")), "-3");
	EXPECT(CALL(FN_ROUND_TO, TYPE_NUMERIC, LIT_NUMERIC("1.25"), LIT_INT("1")), "1.3");
	EXPECT(CALL(FN_ROUND_TO, TYPE_NUMERIC, LIT_NUMERIC("12345.678"), LIT_INT("-2")), "12300");
	EXPECT(CALL(FN_ROUND_TO, TYPE_NUMERIC, LIT_NUMERIC("5"), LIT_INT("2147483647")),
		NUMERIC_ERROR);
	EXPECT(CALL(FN_TRUNC, TYPE_NUMERIC, LIT_NUMERIC("-2.9")), "-2");
	EXPECT(CALL(FN_TRUNC_TO, TYPE_NUMERIC, LIT_NUMERIC("2.999"), LIT_INT("2")), "2.99");
	EXPECT(CALL(FN_FLOOR, TYPE_NUMERIC, LIT_NUMERIC("-0.5")), "-1");
	EXPECT(CALL(FN_CEIL, TYPE_NUMERIC, LIT_NUMERIC("-0.5")), "0");
}

static void test_double(void **state)
{
	struct fixture *f = *state;

	EXPECT(DOUBLE(FN_ADD, "0.1", "0.2"), "0.30000000000000004");
	EXPECT(DOUBLE(FN_MUL, "1e300", "1e300"), "ERROR: value out of range: overflow");
	EXPECT(DOUBLE(FN_MUL, "1e-300", "1e-300"), "ERROR: value out of range: underflow");
	EXPECT(DOUBLE(FN_MUL, "Infinity", "2"), "Infinity");
	EXPECT(DOUBLE(FN_ADD, "Infinity", "-Infinity"), "NaN");
	EXPECT(DOUBLE(FN_DIV, "1", "0"), ZERO_ERROR);
	EXPECT(DOUBLE(FN_DIV, "NaN", "0"), "NaN");
	EXPECT(DOUBLE(FN_DIV, "1", "Infinity"), "0");
	EXPECT(DOUBLE(FN_SUB, "1", "NULL"), "NULL");
	EXPECT(CALL(FN_NEG, TYPE_DOUBLE, LIT_DOUBLE("1.5")), "-1.5");
	EXPECT(CALL(FN_ROUND, TYPE_DOUBLE, LIT_DOUBLE("2.5")), "2");
	EXPECT(CALL(FN_ROUND, TYPE_DOUBLE, LIT_DOUBLE("3.5")), "4");
	EXPECT(CALL(FN_TRUNC, TYPE_DOUBLE, LIT_DOUBLE("-2.9")), "-2");
	EXPECT(CALL(FN_FLOOR, TYPE_DOUBLE, LIT_DOUBLE("-2.1")), "-3");
	EXPECT(CALL(FN_CEIL, TYPE_DOUBLE, LIT_DOUBLE("2.1")), "3");
	EXPECT(CALL(FN_SIGN, TYPE_DOUBLE, LIT_DOUBLE("NaN")), "0");
	EXPECT(CALL(FN_ABS, TYPE_DOUBLE, LIT_DOUBLE("-0")), "0");
	EXPECT(CALL(FN_SQRT, TYPE_DOUBLE, LIT_DOUBLE("2.25")), "1.5");
	EXPECT(CALL(FN_SQRT, TYPE_DOUBLE, LIT_DOUBLE("-1")),
		"ERROR: cannot take square root of a negative number");
	EXPECT(CALL(FN_EXP, TYPE_DOUBLE, LIT_DOUBLE("1000")),
		"ERROR: value out of range: overflow");
	EXPECT(CALL(FN_EXP, TYPE_DOUBLE, LIT_DOUBLE("-1000")),
		"ERROR: value out of range: underflow");
	EXPECT(CALL(FN_EXP, TYPE_DOUBLE, LIT_DOUBLE("-Infinity")), "0");
	EXPECT(CALL(FN_LN, TYPE_DOUBLE, LIT_DOUBLE("1")), "0");
	EXPECT(CALL(FN_LN, TYPE_DOUBLE, LIT_DOUBLE("0")), "ERROR: cannot take logarithm of zero");
	EXPECT(CALL(FN_LN, TYPE_DOUBLE, LIT_DOUBLE("-1")),
		"ERROR: cannot take logarithm of a negative number");
	EXPECT(DOUBLE(FN_POWER, "2", "10"), "1024");
	EXPECT(DOUBLE(FN_POWER, "0", "-1"), "ERROR: zero raised to a negative power is undefined");
	EXPECT(DOUBLE(FN_POWER, "-8", "0.5"),
		"ERROR: a negative number raised to a non-integer power yields a complex result");
	EXPECT(DOUBLE(FN_POWER, "10", "400"), "ERROR: value out of range: overflow");
}

/* Rows that are not selected, or NULL, raise nothing, whatever they hold. */
static void test_errors_stay_in_their_rows(void **state)
{
	struct fixture *f = *state;
	struct expr *a = COLUMN(TYPE_BIGINT, "9223372036854775807|1|2|9223372036854775807|5");
	struct expr *b = COLUMN(TYPE_BIGINT, "1|1|0|NULL|1");

	assert_string_equal(fixture_eval(f, CALL(FN_ADD, TYPE_BIGINT, a, b)), BIGINT_ERROR);
	assert_string_equal(fixture_eval(f, CALL(FN_DIV, TYPE_BIGINT, a, b)), ZERO_ERROR);
	/* The slot of a NULL may hold anything. */
	f->columns[1].i64[3] = INT64_MAX;
	fixture_select(f, "1,2,3,4");
	assert_string_equal(fixture_eval(f, CALL(FN_ADD, TYPE_BIGINT, a, b)), "2|2|NULL|6");
	fixture_select(f, "0,1,3,4");
	assert_string_equal(
		fixture_eval(f, CALL(FN_DIV, TYPE_BIGINT, a, b)), "9223372036854775807|1|NULL|5");
	assert_string_equal(fixture_eval(f, CALL(FN_MUL, TYPE_BIGINT, a, LIT_BIGINT("1"))),
		"9223372036854775807|1|9223372036854775807|5");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_int),
		TEST(test_bigint),
		TEST(test_numeric),
		TEST(test_double),
		TEST(test_errors_stay_in_their_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
