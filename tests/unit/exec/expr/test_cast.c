#include "unit/exec/expr/eval_fixture.h"

static struct expr *to_numeric(struct fixture *f, struct expr *arg, int precision, int scale)
{
	struct type type = {TYPE_NUMERIC, (int8_t)precision, (int8_t)scale};

	return expr_cast(&f->arena, arg, type);
}

static void test_to_text(void **state)
{
	struct fixture *f = *state;

	EXPECT(CAST(LIT_BOOL("t"), TYPE_TEXT), "true");
	EXPECT(CAST(LIT_BOOL("f"), TYPE_TEXT), "false");
	EXPECT(CAST(LIT_INT("-2147483648"), TYPE_TEXT), "-2147483648");
	EXPECT(CAST(LIT_BIGINT("-9223372036854775808"), TYPE_TEXT), "-9223372036854775808");
	EXPECT(CAST(LIT_BIGINT("0"), TYPE_TEXT), "0");
	EXPECT(CAST(LIT_NUMERIC("78.00"), TYPE_TEXT), "78.00");
	EXPECT(CAST(LIT_DOUBLE("1e20"), TYPE_TEXT), "1e+20");
	EXPECT(CAST(LIT_DATE("2024-02-29"), TYPE_TEXT), "2024-02-29");
	EXPECT(CAST(LIT_TIME("06:00"), TYPE_TEXT), "06:00:00");
	EXPECT(CAST(LIT_TIMESTAMP("2024-01-01 10:00:00.5"), TYPE_TEXT), "2024-01-01 10:00:00.5");
	EXPECT(CAST(LIT_LIST("{a,NULL,\"b c\"}"), TYPE_TEXT), "{a,NULL,\"b c\"}");
	EXPECT(CAST(LIT_INT("NULL"), TYPE_TEXT), "NULL");
}

static void test_from_text(void **state)
{
	struct fixture *f = *state;

	EXPECT(CAST(LIT_TEXT(" 12 "), TYPE_INT), "12");
	EXPECT(CAST(LIT_TEXT("abc"), TYPE_BIGINT),
		"ERROR: invalid input syntax for type bigint: \"abc\"");
	EXPECT(CAST(LIT_TEXT("1.5"), TYPE_INT),
		"ERROR: invalid input syntax for type integer: \"1.5\"");
	EXPECT(CAST(LIT_TEXT(""), TYPE_INT), "ERROR: invalid input syntax for type integer: \"\"");
	EXPECT(CAST(LIT_TEXT("99999999999"), TYPE_INT),
		"ERROR: value \"99999999999\" is out of range for type integer");
	EXPECT(CAST(LIT_TEXT("1e5"), TYPE_NUMERIC), "100000");
	EXPECT(CAST(LIT_TEXT("1e40"), TYPE_NUMERIC), "10000000000000000000000000000000000000000");
	EXPECT(CAST(LIT_TEXT("1e131072"), TYPE_NUMERIC), "ERROR: value overflows numeric format");
	EXPECT(CAST(LIT_TEXT("x"), TYPE_NUMERIC),
		"ERROR: invalid input syntax for type numeric: \"x\"");
	EXPECT(CAST(LIT_TEXT("1e400"), TYPE_DOUBLE),
		"ERROR: \"1e400\" is out of range for type double precision");
	EXPECT(CAST(LIT_TEXT("Infinity"), TYPE_DOUBLE), "Infinity");
	EXPECT(CAST(LIT_TEXT("yes"), TYPE_BOOL), "t");
	EXPECT(CAST(LIT_TEXT("off"), TYPE_BOOL), "f");
	EXPECT(CAST(LIT_TEXT("o"), TYPE_BOOL),
		"ERROR: invalid input syntax for type boolean: \"o\"");
	EXPECT(CAST(LIT_TEXT("2024-01-31"), TYPE_DATE), "2024-01-31");
	EXPECT(CAST(LIT_TEXT("2024-13-01"), TYPE_DATE),
		"ERROR: date/time field value out of range: \"2024-13-01\"");
	EXPECT(CAST(LIT_TEXT("soon"), TYPE_DATE),
		"ERROR: invalid input syntax for type date: \"soon\"");
	EXPECT(CAST(LIT_TEXT("25:00"), TYPE_TIME),
		"ERROR: date/time field value out of range: \"25:00\"");
	EXPECT(CAST(LIT_TEXT("2024-01-31 06:00"), TYPE_TIMESTAMP), "2024-01-31 06:00:00");
	EXPECT(CAST(LIT_TEXT("x"), TYPE_TIMESTAMP),
		"ERROR: invalid input syntax for type timestamp: \"x\"");
	EXPECT(CAST(LIT_TEXT("{a,b}"), TYPE_TEXT_LIST), "{a,b}");
	EXPECT(CAST(LIT_TEXT("{a"), TYPE_TEXT_LIST), "ERROR: malformed array literal: \"{a\"");
}

static void test_among_integers(void **state)
{
	struct fixture *f = *state;

	EXPECT(CAST(LIT_INT("7"), TYPE_BIGINT), "7");
	EXPECT(CAST(LIT_BIGINT("-2147483648"), TYPE_INT), "-2147483648");
	EXPECT(CAST(LIT_BIGINT("2147483648"), TYPE_INT), "ERROR: integer out of range");
	EXPECT(CAST(LIT_INT("5"), TYPE_BOOL), "t");
	EXPECT(CAST(LIT_INT("0"), TYPE_BOOL), "f");
	EXPECT(CAST(LIT_BOOL("t"), TYPE_INT), "1");
	EXPECT(CAST(LIT_BIGINT("9007199254740993"), TYPE_DOUBLE), "9.007199254740992e+15");
}

static void test_rounding(void **state)
{
	struct fixture *f = *state;

	EXPECT(CAST(LIT_DOUBLE("2.5"), TYPE_INT), "2");
	EXPECT(CAST(LIT_DOUBLE("3.5"), TYPE_INT), "4");
	EXPECT(CAST(LIT_DOUBLE("-2.5"), TYPE_BIGINT), "-2");
	EXPECT(CAST(LIT_NUMERIC("2.5"), TYPE_INT), "3");
	EXPECT(CAST(LIT_NUMERIC("-2.5"), TYPE_INT), "-3");
	EXPECT(CAST(LIT_DOUBLE("2147483647.4"), TYPE_INT), "2147483647");
	EXPECT(CAST(LIT_DOUBLE("2147483647.6"), TYPE_INT), "ERROR: integer out of range");
	EXPECT(CAST(LIT_DOUBLE("NaN"), TYPE_INT), "ERROR: integer out of range");
	EXPECT(CAST(LIT_DOUBLE("9.3e18"), TYPE_BIGINT), "ERROR: bigint out of range");
	EXPECT(CAST(LIT_DOUBLE("-9223372036854775808"), TYPE_BIGINT), "-9223372036854775808");
	EXPECT(CAST(LIT_NUMERIC("9223372036854775807.5"), TYPE_BIGINT),
		"ERROR: bigint out of range");
	EXPECT(CAST(LIT_NUMERIC("9999999999"), TYPE_INT), "ERROR: integer out of range");
	EXPECT(CAST(LIT_NUMERIC("0.1"), TYPE_DOUBLE), "0.1");
	EXPECT(CAST(LIT_DOUBLE("0.1"), TYPE_NUMERIC), "0.1");
	EXPECT(CAST(LIT_DOUBLE("Infinity"), TYPE_NUMERIC), "Infinity");
	EXPECT(CAST(LIT_NUMERIC("-Infinity"), TYPE_BIGINT),
		"ERROR: cannot convert infinity to bigint");
}

static void test_numeric_with_precision(void **state)
{
	struct fixture *f = *state;

	EXPECT(to_numeric(f, LIT_NUMERIC("1.999"), 3, 2), "2.00");
	EXPECT(to_numeric(f, LIT_NUMERIC("-1.005"), 5, 2), "-1.01");
	EXPECT(to_numeric(f, LIT_NUMERIC("99.995"), 4, 2), "ERROR: numeric field overflow");
	EXPECT(to_numeric(f, LIT_INT("12345"), 5, 0), "12345");
	EXPECT(to_numeric(f, LIT_INT("12345"), 5, 1), "ERROR: numeric field overflow");
	EXPECT(to_numeric(f, LIT_DOUBLE("1e10"), 12, 1), "10000000000.0");
	EXPECT(to_numeric(f, LIT_DOUBLE("3e-38"), 10, 3), "0.000");
	EXPECT(to_numeric(f, LIT_DOUBLE("1e300"), 10, 3), "ERROR: numeric field overflow");
	EXPECT(to_numeric(f, LIT_TEXT("12.345"), 4, 1), "12.3");
	EXPECT(to_numeric(f, LIT_TEXT("12345"), 4, 1), "ERROR: numeric field overflow");
	EXPECT(to_numeric(f, LIT_NUMERIC("NULL"), 4, 1), "NULL");
}

static void test_among_dates(void **state)
{
	struct fixture *f = *state;

	EXPECT(CAST(LIT_DATE("1969-12-31"), TYPE_TIMESTAMP), "1969-12-31 00:00:00");
	EXPECT(CAST(LIT_TIMESTAMP("1969-12-31 23:59:59.999999"), TYPE_DATE), "1969-12-31");
	EXPECT(CAST(LIT_TIMESTAMP("1970-01-01 00:00:00"), TYPE_DATE), "1970-01-01");
	EXPECT(CAST(LIT_TIMESTAMP("1969-12-31 23:59:59.999999"), TYPE_TIME), "23:59:59.999999");
	EXPECT(CAST(LIT_TIMESTAMP("0001-01-01 00:00:00"), TYPE_TIME), "00:00:00");
	EXPECT(CAST(LIT_TIMESTAMP("9999-12-31 12:34:56"), TYPE_DATE), "9999-12-31");
}

/* Only what is selected and not NULL is read. */
static void test_rows(void **state)
{
	struct fixture *f = *state;
	struct expr *text = COLUMN(TYPE_TEXT, "1|x|3|NULL|5");

	assert_string_equal(fixture_eval(f, CAST(text, TYPE_INT)),
		"ERROR: invalid input syntax for type integer: \"x\"");
	fixture_select(f, "0,2,3,4");
	assert_string_equal(fixture_eval(f, CAST(text, TYPE_INT)), "1|3|NULL|5");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_to_text),
		TEST(test_from_text),
		TEST(test_among_integers),
		TEST(test_rounding),
		TEST(test_numeric_with_precision),
		TEST(test_among_dates),
		TEST(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
