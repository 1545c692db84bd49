/* What PostgreSQL 15 prints. */
#include "unit/exec/expr/eval_fixture.h"

struct to_char_case {
	const char *value;
	const char *pattern;
	const char *expected;
};

static void expect_all(
	struct fixture *f, enum type_kind kind, const struct to_char_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fixture_expect(f,
			CALL(FN_TO_CHAR, TYPE_TEXT, fixture_literal(f, kind, cases[i].value),
				LIT_TEXT(cases[i].pattern)),
			cases[i].expected, (int)i);
}

#define EXPECT_ALL(kind, cases) expect_all(f, kind, cases, sizeof(cases) / sizeof(*cases))

#define MARCH  "2024-03-05 09:07:03.004005"
#define SUNDAY "2021-01-03 12:00:00"
#define OLD    "0009-12-31 23:59:59.999999"

static void test_timestamps(void **state)
{
	static const struct to_char_case cases[] = {
		{MARCH, "YYYY-MM", "2024-03"},
		{MARCH, "YYYY-MM-DD HH24:MI:SS", "2024-03-05 09:07:03"},
		{MARCH, "YY Y YYY Y,YYY", "24 4 024 2,024"},
		{MARCH, "HH12 HH AM a.m.", "09 09 AM a.m."},
		{MARCH, "MS US FF2", "004 004005 00"},
		{MARCH, "Mon MON mon", "Mar MAR mar"},
		{MARCH, "Month|MONTH|month|", "March    |MARCH    |march    |"},
		{MARCH, "FMMonth FMDay", "March Tuesday"},
		{MARCH, "Day|DAY|day|", "Tuesday  |TUESDAY  |tuesday  |"},
		{MARCH, "Dy DY dy", "Tue TUE tue"},
		{MARCH, "D ID DDD WW IW IYYY IY Q J CC W", "3 2 065 10 10 2024 24 1 2460375 21 1"},
		{MARCH, "RM|rm|FMRM", "III |iii |III"},
		{MARCH, "FMDDth FMMM FMHH12:FMMI", "5th 3 9:7"},
		{MARCH, "DDTH", "05TH"},
		{MARCH, "SSSS", "32823"},
		{MARCH, "\"Year:\" YYYY \\\"x\\\"", "Year: 2024 \"x\""},
		{MARCH, "\"unterminated", "unterminated"},
		{MARCH, "\"a\\\"b\\", "a\"b\\"},
		{MARCH, "TMMonth!", "March!"},
		{MARCH, "café YYYY", "café 2024"},
		{MARCH, "", ""},
		{MARCH, "FM", ""},
		{SUNDAY, "IYYY-IW-ID IDDD", "2020-53-7 371"},
		{SUNDAY, "PM p.m. HH12", "PM p.m. 12"},
		{SUNDAY, "Yyyy", "1021"},
		{SUNDAY, "AD bc", "AD ad"},
		{SUNDAY, "DDth", "03rd"},
		{SUNDAY, "FMYYYY FMDDD", "2021 3"},
		{OLD, "YYYY FMYYYY YY", "0009 9 09"},
		{OLD, "IYYY", "0009"},
		{OLD, "HH12:MI PM", "11:59 PM"},
		{MARCH, "NULL", "NULL"},
		{MARCH, "YYYY TZ", "ERROR: to_char: the pattern \"TZ\" is not supported"},
	};
	struct fixture *f = *state;

	EXPECT_ALL(TYPE_TIMESTAMP, cases);
}

static void test_dates(void **state)
{
	static const struct to_char_case cases[] = {
		{"2024-02-29", "YYYY-MM-DD HH24:MI", "2024-02-29 00:00"},
		{"2024-02-11", "DDTH", "11TH"},
		{"2024-02-21", "DDTH", "21ST"},
		{"2024-02-22", "DDth", "22nd"},
		{"2024-02-29", "Q", "1"},
	};
	struct fixture *f = *state;

	EXPECT_ALL(TYPE_DATE, cases);
}

static void test_numerics(void **state)
{
	static const struct to_char_case cases[] = {
		{"1234.5", "9999.99", " 1234.50"},
		{"1234.5", "FM9999.99", "1234.5"},
		{"-1234.5", "9,999.99", "-1,234.50"},
		{"0", "9.99", "  .00"},
		{"0.1", "9.99", "  .10"},
		{"-0.1", "9.99", " -.10"},
		{"0.1", "FM9.99", ".1"},
		{"0", "FM9.99", "0."},
		{"0.1", "0.99", " 0.10"},
		{"12345", "999", " ###"},
		{"-12345", "999.9", "-###.#"},
		{"485", "000999", " 000485"},
		{"-485", "S999", "-485"},
		{"485", "999S", "485+"},
		{"-485", "999MI", "485-"},
		{"485", "999MI", "485 "},
		{"485", "FM999MI", "485"},
		{"-485", "999PR", "<485>"},
		{"485", "999PR", " 485 "},
		{"485", "SG999", "+485"},
		{"485", "PL999", "+ 485"},
		{"1485", "9G999D99", " 1,485.00"},
		{"148.5", "999.999", " 148.500"},
		{"148.5", "FM999.990", "148.500"},
		{"12", "99 \"kg\"", " 12 kg"},
		{"1234567.891", "FM9,999,999.00", "1,234,567.89"},
		{"5", "990", "   5"},
		{"-5", "FM00", "-05"},
		{"2.5", "9", " 3"},
		{"99.99", "99.9", " ##.#"},
		{"7", "x9", "x 7"},
		{"NULL", "9", "NULL"},
		{"7", "9.9.9", "ERROR: to_char: multiple decimal points"},
		{"7", "S9S", "ERROR: to_char: cannot use \"S\" twice"},
	};
	struct fixture *f = *state;

	EXPECT_ALL(TYPE_NUMERIC, cases);
}

static void test_bigints(void **state)
{
	static const struct to_char_case cases[] = {
		{"1234567", "9,999,999", " 1,234,567"},
		{"-1", "999", "  -1"},
		{"0", "FM9", "0"},
		{"9223372036854775807", "9999999999999999999", " 9223372036854775807"},
	};
	struct fixture *f = *state;

	EXPECT_ALL(TYPE_BIGINT, cases);
}

static void test_doubles(void **state)
{
	static const struct to_char_case cases[] = {
		{"3.14159", "9.99", " 3.14"},
		{"-0.5", "0.0", "-0.5"},
		{"1e10", "99999999999", " 10000000000"},
		/* No digits beyond what a double has, and nothing behind them. */
		{"123456789012345.678", "999999999999999.999 \"x\"", " 123456789012346"},
		{"NaN", "999", " NaN"},
		{"Infinity", "999", " ###"},
		{"1e300", "9", " #"},
	};
	struct fixture *f = *state;

	EXPECT_ALL(TYPE_DOUBLE, cases);
}

/* A pattern longer than any buffer inside. */
static void test_long_patterns(void **state)
{
	struct fixture *f = *state;
	char pattern[601];
	char expected[602];

	memset(pattern, '9', 600);
	pattern[600] = '\0';
	memset(expected, ' ', 601);
	expected[600] = '5';
	expected[601] = '\0';
	EXPECT(CALL(FN_TO_CHAR, TYPE_TEXT, LIT_BIGINT("5"), LIT_TEXT(pattern)), expected);
	memset(pattern, '9', 300);
	pattern[300] = '\0';
	memset(expected, '#', 301);
	expected[0] = '-';
	expected[301] = '\0';
	EXPECT(CALL(FN_TO_CHAR, TYPE_TEXT, LIT_DOUBLE("-1e305"), LIT_TEXT(pattern)), expected);
	memset(pattern, 'x', 600);
	EXPECT(CALL(FN_TO_CHAR, TYPE_TEXT, LIT_DATE("2024-01-01"), LIT_TEXT(pattern)), pattern);
}

/* Rows of one day share a text; the next day has its own. */
static void test_rows(void **state)
{
	struct fixture *f = *state;
	struct expr *ts = COLUMN(TYPE_TIMESTAMP,
		"2024-01-31 23:59:59|2024-02-01|2024-01-31 01:00|NULL|1969-12-31 12:00|2024-04-04");
	struct expr *pattern = COLUMN(TYPE_TEXT, "YYYY|MM|DD|YYYY|HH24|Mon");

	assert_string_equal(fixture_eval(f, CALL(FN_TO_CHAR, TYPE_TEXT, ts, LIT_TEXT("YYYY-MM"))),
		"2024-01|2024-02|2024-01|NULL|1969-12|2024-04");
	assert_string_equal(fixture_eval(f, CALL(FN_TO_CHAR, TYPE_TEXT, ts, LIT_TEXT("DD HH24"))),
		"31 23|01 00|31 01|NULL|31 12|04 00");
	assert_string_equal(fixture_eval(f, CALL(FN_TO_CHAR, TYPE_TEXT, ts, pattern)),
		"2024|02|31|NULL|12|Apr");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timestamps),
		TEST(test_dates),
		TEST(test_numerics),
		TEST(test_bigints),
		TEST(test_doubles),
		TEST(test_long_patterns),
		TEST(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
