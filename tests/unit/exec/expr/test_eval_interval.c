#include "unit/exec/expr/eval_fixture.h"

#define INTERVAL(text)	       fixture_literal(f, TYPE_INTERVAL, text)
#define EXTRACT(field, arg)    CALL(FN_EXTRACT, TYPE_NUMERIC, LIT_TEXT(field), arg)
#define DATE_TRUNC(field, arg) CALL(FN_DATE_TRUNC, TYPE_INTERVAL, LIT_TEXT(field), arg)

static void test_arithmetic(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_ADD, TYPE_INTERVAL, INTERVAL("1 mon"), INTERVAL("-2 days")),
		"1 mon -2 days");
	EXPECT(CALL(FN_SUB, TYPE_INTERVAL, INTERVAL("1 mon"), INTERVAL("-2 days")), "1 mon 2 days");
	EXPECT(CALL(FN_ADD, TYPE_INTERVAL, INTERVAL("1 mon"), INTERVAL("NULL")), "NULL");
	EXPECT(CALL(FN_ADD, TYPE_INTERVAL, INTERVAL("2147483647 days"), INTERVAL("1 day")),
		"ERROR: interval out of range");
	EXPECT(CALL(FN_NEG, TYPE_INTERVAL, INTERVAL("1 mon -2 days")), "-1 mons +2 days");
	EXPECT(CALL(FN_NEG, TYPE_INTERVAL, INTERVAL("-2147483648 days")),
		"ERROR: interval out of range");
	EXPECT(CALL(FN_INTERVAL_MUL, TYPE_INTERVAL, INTERVAL("1 mon"), LIT_DOUBLE("0.5")),
		"15 days");
	EXPECT(CALL(FN_INTERVAL_MUL, TYPE_INTERVAL, INTERVAL("1 mon"), LIT_DOUBLE("NaN")),
		"ERROR: interval out of range");
	EXPECT(CALL(FN_INTERVAL_DIV, TYPE_INTERVAL, INTERVAL("1 day"), LIT_DOUBLE("8")),
		"03:00:00");
	EXPECT(CALL(FN_INTERVAL_DIV, TYPE_INTERVAL, INTERVAL("1 day"), LIT_DOUBLE("0")),
		"ERROR: division by zero");
	EXPECT(CALL(FN_JUSTIFY_DAYS, TYPE_INTERVAL, INTERVAL("35 days")), "1 mon 5 days");
	EXPECT(CALL(FN_JUSTIFY_HOURS, TYPE_INTERVAL, INTERVAL("27 hours")), "1 day 03:00:00");
	EXPECT(CALL(FN_JUSTIFY_INTERVAL, TYPE_INTERVAL, INTERVAL("1 mon -1 hour")),
		"29 days 23:00:00");
}

static struct expr *make_interval(struct fixture *f, const char *const *parts)
{
	return CALL(FN_MAKE_INTERVAL, TYPE_INTERVAL, LIT_INT(parts[0]), LIT_INT(parts[1]),
		LIT_INT(parts[2]), LIT_INT(parts[3]), LIT_INT(parts[4]), LIT_INT(parts[5]),
		LIT_DOUBLE(parts[6]));
}

static void test_make(void **state)
{
	static const char *const plain[] = {"1", "2", "3", "4", "5", "6", "7.5"};
	static const char *const years[] = {"178956971", "0", "0", "0", "0", "0", "0"};
	static const char *const weeks[] = {"0", "0", "2147483647", "0", "0", "0", "0"};
	static const char *const seconds[] = {"0", "0", "0", "0", "0", "0", "1e13"};
	static const char *const infinite[] = {"0", "0", "0", "0", "0", "0", "Infinity"};
	static const char *const most[] = {"0", "0", "0", "0", "2147483647", "2147483647", "0"};
	struct fixture *f = *state;

	EXPECT(make_interval(f, plain), "1 year 2 mons 25 days 05:06:07.5");
	EXPECT(make_interval(f, years), "ERROR: interval out of range");
	EXPECT(make_interval(f, weeks), "ERROR: interval out of range");
	EXPECT(make_interval(f, seconds), "ERROR: interval out of range");
	EXPECT(make_interval(f, infinite), "ERROR: interval out of range");
	EXPECT(make_interval(f, most), "2183275041:07:00");
}

static void test_timestamps(void **state)
{
	struct fixture *f = *state;
	struct expr *ts = LIT_TIMESTAMP("2024-01-31 10:00");

	EXPECT(CALL(FN_DATETIME_ADD, TYPE_TIMESTAMP, ts, INTERVAL("1 mon")), "2024-02-29 10:00:00");
	EXPECT(CALL(FN_DATETIME_SUB, TYPE_TIMESTAMP, ts, INTERVAL("1 day 11:00")),
		"2024-01-29 23:00:00");
	EXPECT(CALL(FN_DATETIME_ADD, TYPE_TIMESTAMP, ts, INTERVAL("300000 years")),
		"ERROR: timestamp out of range");
	EXPECT(CALL(FN_DATETIME_ADD, TYPE_TIME, LIT_TIME("10:00"), INTERVAL("15:00")), "01:00:00");
	EXPECT(CALL(FN_DATETIME_SUB, TYPE_TIME, LIT_TIME("10:00"), INTERVAL("15:00")), "19:00:00");
	EXPECT(CALL(FN_DATETIME_DIFF, TYPE_INTERVAL, ts, LIT_TIMESTAMP("2024-02-02 11:00")),
		"-2 days -01:00:00");
	EXPECT(CALL(FN_DATETIME_DIFF, TYPE_INTERVAL, LIT_TIME("10:00"), LIT_TIME("24:00")),
		"-14:00:00");
	EXPECT(CALL(FN_AGE, TYPE_INTERVAL, ts, LIT_TIMESTAMP("2020-02-29")),
		"3 years 11 mons 2 days 10:00:00");
	EXPECT(CALL(FN_AGE, TYPE_INTERVAL, ts, LIT_TIMESTAMP("NULL")), "NULL");
}

static void test_bins(void **state)
{
	struct fixture *f = *state;
	struct expr *ts = LIT_TIMESTAMP("2024-01-31 10:07:03");
	struct expr *origin = LIT_TIMESTAMP("2024-01-01");

	EXPECT(CALL(FN_DATE_BIN, TYPE_TIMESTAMP, INTERVAL("15 min"), ts, origin),
		"2024-01-31 10:00:00");
	EXPECT(CALL(FN_DATE_BIN, TYPE_TIMESTAMP, INTERVAL("1 day"), origin, ts),
		"2023-12-31 10:07:03");
	EXPECT(CALL(FN_DATE_BIN, TYPE_TIMESTAMP, INTERVAL("31 days"), origin,
		       LIT_TIMESTAMP("2024-02-01")),
		"2024-01-01 00:00:00");
	EXPECT(CALL(FN_DATE_BIN, TYPE_TIMESTAMP, INTERVAL("1 mon"), ts, origin),
		"ERROR: timestamps cannot be binned into intervals containing months or years");
	EXPECT(CALL(FN_DATE_BIN, TYPE_TIMESTAMP, INTERVAL("-1 day"), ts, origin),
		"ERROR: stride must be greater than zero");
	EXPECT(CALL(FN_DATE_BIN, TYPE_TIMESTAMP, INTERVAL("2147483647 days 9000000000000000000 us"),
		       LIT_TIMESTAMP("0001-01-01"), ts),
		"ERROR: interval out of range");
}

static void test_parts(void **state)
{
	struct fixture *f = *state;
	struct expr *span = INTERVAL("-25 mons +45 days -100:30:15.5");

	EXPECT(EXTRACT("year", span), "-2");
	EXPECT(EXTRACT("month", span), "-1");
	EXPECT(EXTRACT("quarter", span), "1");
	EXPECT(EXTRACT("day", span), "45");
	EXPECT(EXTRACT("hour", span), "-100");
	EXPECT(EXTRACT("minute", span), "-30");
	EXPECT(EXTRACT("second", span), "-15.500000");
	EXPECT(EXTRACT("milliseconds", span), "-15500.000");
	EXPECT(EXTRACT("microseconds", span), "-15500000");
	EXPECT(EXTRACT("epoch", span), "-62181015.500000");
	EXPECT(EXTRACT("epoch", INTERVAL("178956970 years 7 mons")), "5647452494616000.000000");
	EXPECT(EXTRACT("decade", INTERVAL("1999 years")), "199");
	EXPECT(EXTRACT("century", INTERVAL("1999 years")), "19");
	EXPECT(EXTRACT("millennium", INTERVAL("1999 years")), "1");
	EXPECT(EXTRACT("week", span), "ERROR: unit \"week\" not supported for type interval");
	EXPECT(EXTRACT("dow", span), "ERROR: unit \"dow\" not supported for type interval");
	EXPECT(EXTRACT("foo", span), "ERROR: unit \"foo\" not recognized for type interval");
	EXPECT(EXTRACT("hour", INTERVAL("NULL")), "NULL");
	EXPECT(DATE_TRUNC("millennium", INTERVAL("1999 years 7 mons")), "1000 years");
	EXPECT(DATE_TRUNC("century", INTERVAL("1999 years 7 mons")), "1900 years");
	EXPECT(DATE_TRUNC("decade", INTERVAL("1999 years 7 mons")), "1990 years");
	EXPECT(DATE_TRUNC("year", span), "-2 years");
	EXPECT(DATE_TRUNC("quarter", INTERVAL("8 mons 3 days")), "6 mons");
	EXPECT(DATE_TRUNC("month", span), "-2 years -1 mons");
	EXPECT(DATE_TRUNC("day", span), "-2 years -1 mons +45 days");
	EXPECT(DATE_TRUNC("hour", span), "-2 years -1 mons +45 days -100:00:00");
	EXPECT(DATE_TRUNC("minute", INTERVAL("1:02:03")), "01:02:00");
	EXPECT(DATE_TRUNC("second", INTERVAL("1:02:03.4")), "01:02:03");
	EXPECT(DATE_TRUNC("milliseconds", INTERVAL("0.1239")), "00:00:00.123");
	EXPECT(DATE_TRUNC("week", span), "ERROR: unit \"week\" not supported for type interval");
	EXPECT(DATE_TRUNC("epoch", span), "ERROR: unit \"epoch\" not supported for type interval");
}

static void test_casts(void **state)
{
	struct fixture *f = *state;

	EXPECT(CAST(INTERVAL("1 mon -1:00"), TYPE_TEXT), "1 mon -01:00:00");
	EXPECT(CAST(LIT_TEXT(" 1 mon -1:00 "), TYPE_INTERVAL), "1 mon -01:00:00");
	EXPECT(CAST(LIT_TEXT("soon"), TYPE_INTERVAL),
		"ERROR: invalid input syntax for type interval: \"soon\"");
	EXPECT(CAST(LIT_TEXT("3000000000 days"), TYPE_INTERVAL),
		"ERROR: interval field value out of range: \"3000000000 days\"");
	EXPECT(CAST(LIT_TIME("10:30"), TYPE_INTERVAL), "10:30:00");
	EXPECT(CAST(INTERVAL("1 day 25:30"), TYPE_TIME), "01:30:00");
	EXPECT(CAST(INTERVAL("-1:00"), TYPE_TIME), "23:00:00");
}

#define EXPECT_ROWS(expr, expected) assert_string_equal(fixture_eval(f, (expr)), (expected))

static void test_comparisons(void **state)
{
	struct fixture *f = *state;
	struct expr *span = COLUMN(TYPE_INTERVAL, "1 day|24:00|1 mon|30 days|NULL|-1 day");

	EXPECT_ROWS(CALL(FN_EQ, TYPE_BOOL, span, INTERVAL("1 day")), "t|t|f|f|NULL|f");
	EXPECT_ROWS(CALL(FN_GE, TYPE_BOOL, span, INTERVAL("720:00")), "f|f|t|t|NULL|f");
	EXPECT_ROWS(CALL(FN_DISTINCT, TYPE_BOOL, span, INTERVAL("30 days")), "t|t|f|f|t|t");
	EXPECT_ROWS(CALL(FN_LEAST, TYPE_INTERVAL, span, INTERVAL("2 days")),
		"1 day|24:00:00|2 days|2 days|2 days|-1 days");
	EXPECT_ROWS(NODE(EXPR_IN, TYPE_BOOL, span, INTERVAL("1 mon"), INTERVAL("-24:00")),
		"f|f|t|t|NULL|t");
	EXPECT_ROWS(NODE(EXPR_COALESCE, TYPE_INTERVAL, span, INTERVAL("5 s")),
		"1 day|24:00:00|1 mon|30 days|00:00:05|-1 days");
	EXPECT_ROWS(NODE(EXPR_CASE, TYPE_INTERVAL, CALL(FN_LT, TYPE_BOOL, span, INTERVAL("0")),
			    CALL(FN_NEG, TYPE_INTERVAL, span), span),
		"1 day|24:00:00|1 mon|30 days|NULL|1 day");
	assert_string_equal(FILTER(CALL(FN_GT, TYPE_BOOL, span, INTERVAL("1 day"))), "2,3");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_arithmetic),
		TEST(test_make),
		TEST(test_timestamps),
		TEST(test_bins),
		TEST(test_parts),
		TEST(test_casts),
		TEST(test_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
