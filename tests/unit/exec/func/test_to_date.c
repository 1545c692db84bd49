#include "column/zone.h"
#include "unit/exec/expr/eval_fixture.h"

#define TO_DATE(text, pattern) CALL(FN_TO_DATE, TYPE_DATE, LIT_TEXT(text), LIT_TEXT(pattern))
#define TO_TIMESTAMP(text, pattern)                                                              \
	CAST(CALL(FN_TO_TIMESTAMP, TYPE_TIMESTAMPTZ, LIT_TEXT(text), LIT_TEXT(pattern), utc(f)), \
		TYPE_TIMESTAMP)
/* The pattern stays a constant, so that fixture_expect cannot be used. */
#define EXPECT_ONE(expr, expected)                                        \
	do {                                                              \
		fixture_reset(f);                                         \
		f->batch.rows = f->batch.selected = 1;                    \
		assert_string_equal(fixture_eval(f, (expr)), (expected)); \
	} while (0)

static struct expr *utc(struct fixture *f)
{
	struct value rules = {.type = type_of(TYPE_TEXT), .text = zone_rules_fixed(0, &f->arena)};

	return expr_constant(&f->arena, &rules);
}

static void test_dates(void **state)
{
	struct fixture *f = *state;

	EXPECT_ONE(TO_DATE("2024-01-31", "YYYY-MM-DD"), "2024-01-31");
	EXPECT_ONE(TO_DATE("1/2/2024", "MM/DD/YYYY"), "2024-01-02");
	EXPECT_ONE(TO_DATE("01312024", "MMDDYYYY"), "2024-01-31");
	EXPECT_ONE(TO_DATE("05 dec 2000", "DD Mon YYYY"), "2000-12-05");
	EXPECT_ONE(TO_DATE("Tuesday December 5, 2000", "Day Month DD, YYYY"), "2000-12-05");
	EXPECT_ONE(TO_DATE("69-01-05", "YY-MM-DD"), "2069-01-05");
	EXPECT_ONE(TO_DATE("70-01-05", "YY-MM-DD"), "1970-01-05");
	EXPECT_ONE(TO_DATE("2024-366", "YYYY-DDD"), "2024-12-31");
	EXPECT_ONE(TO_DATE("  2024  -  01 - 31 ", "YYYY-MM-DD"), "2024-01-31");
	EXPECT_ONE(TO_DATE("2024\xe5\xb9\xb4"
			   "01",
			   "YYYY\"\xe5\xb9\xb4\"MM"),
		"2024-01-01");
	EXPECT_ONE(TO_DATE("NULL", "YYYY"), "NULL");
}

static void test_timestamps(void **state)
{
	struct fixture *f = *state;

	EXPECT_ONE(TO_TIMESTAMP("20240131102030", "YYYYMMDDHH24MISS"), "2024-01-31 10:20:30");
	EXPECT_ONE(TO_TIMESTAMP("2024-01-31T10:20:30.5", "YYYY-MM-DD\"T\"HH24:MI:SS.MS"),
		"2024-01-31 10:20:30.5");
	EXPECT_ONE(
		TO_TIMESTAMP("2024-01-31 .000123", "YYYY-MM-DD .US"), "2024-01-31 00:00:00.000123");
	EXPECT_ONE(
		TO_TIMESTAMP("2024-01-31 12:05 am", "YYYY-MM-DD HH:MI PM"), "2024-01-31 00:05:00");
	EXPECT_ONE(
		TO_TIMESTAMP("2024-01-31 12:05PM", "YYYY-MM-DD HH12:MIAM"), "2024-01-31 12:05:00");
	EXPECT_ONE(TO_TIMESTAMP("2024-01-31", "YYYY-MM-DD HH24:MI"), "2024-01-31 00:00:00");
}

static void test_errors(void **state)
{
	struct fixture *f = *state;

	EXPECT_ONE(TO_DATE("soon", "YYYY"), "ERROR: invalid value \"soon\" for \"YYYY\"");
	EXPECT_ONE(TO_DATE("20241", "YYYYMMDD"),
		"ERROR: source string too short for \"MM\" formatting field");
	EXPECT_ONE(TO_DATE("99999999999999", "YYYY"),
		"ERROR: value for \"YYYY\" in source string is out of range");
	EXPECT_ONE(TO_DATE("2024 2023", "YYYY YYYY"),
		"ERROR: conflicting values for \"YYYY\" field in formatting string");
	EXPECT_ONE(TO_DATE("2024 01", "YYYY IW"), "ERROR: invalid combination of date conventions");
	EXPECT_ONE(TO_DATE("2024", "YYYY TZ"),
		"ERROR: formatting field \"TZ\" is only supported in to_char");
	EXPECT_ONE(TO_DATE("-2147483648 X", "CC"),
		"ERROR: date/time field value out of range: \"-2147483648 X\"");
	EXPECT_ONE(TO_DATE("2024-2147483647", "YYYY-WW"),
		"ERROR: date/time field value out of range: \"2024-2147483647\"");
	EXPECT_ONE(TO_DATE("2024-13-01", "YYYY-MM-DD"),
		"ERROR: date/time field value out of range: \"2024-13-01\"");
	EXPECT_ONE(TO_DATE("2023-366", "YYYY-DDD"),
		"ERROR: date/time field value out of range: \"2023-366\"");
	EXPECT_ONE(TO_DATE("", "YYYY"), "0001-01-01 BC");
	EXPECT_ONE(TO_TIMESTAMP("2024 24", "YYYY HH24"),
		"ERROR: date/time field value out of range: \"2024 24\"");
	EXPECT_ONE(TO_DATE("2024", "YYYY YYYY"), "2024-01-01");
	EXPECT_ONE(TO_DATE("2024", "YYYY\"open"), "2024-01-01");
	EXPECT_ONE(TO_DATE("2024", "YYYY\"\\"), "2024-01-01");
	EXPECT_ONE(TO_DATE("2024", "FM"), "0001-01-01 BC");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dates),
		TEST(test_timestamps),
		TEST(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
