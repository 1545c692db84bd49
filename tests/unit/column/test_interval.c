/* Intervals as values: texts, order, arithmetic. What PostgreSQL 15 says stands beside each text.
 */
#include "base/rng.h"
#include "column/column.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct interval read(const char *text)
{
	struct interval interval;
	const char *reason = "";

	if (!interval_parse(text, strlen(text), INTERVAL_FIELDS_ALL, &interval, &reason))
		fail_msg("'%s' is not read: %s", text, reason);
	return interval;
}

static void check_format(struct interval interval, const char *expected)
{
	char text[INTERVAL_TEXT_MAX];

	assert_int_equal(interval_format(interval, text), strlen(expected));
	assert_string_equal(text, expected);
}

static void check(const char *text, const char *expected)
{
	check_format(read(text), expected);
}

static void refuse(const char *text, const char *expected)
{
	struct interval interval;
	const char *reason = NULL;

	if (interval_parse(text, strlen(text), INTERVAL_FIELDS_ALL, &interval, &reason))
		fail_msg("'%s' is read", text);
	assert_string_equal(reason, expected);
}

static void check_fields(const char *text, struct interval_fields fields, const char *expected)
{
	struct interval interval;
	const char *reason = "";

	if (!interval_parse(text, strlen(text), fields, &interval, &reason))
		fail_msg("'%s' is not read: %s", text, reason);
	check_format(interval, expected);
}

static void test_units(void **state)
{
	(void)state;
	check("1 day", "1 day");
	check("2 hours 30 minutes", "02:30:00");
	check("1 year 2 mons 3 days 04:05:06.5", "1 year 2 mons 3 days 04:05:06.5");
	check("1 millennium 2 centuries 3 decades", "1230 years");
	check("1 us 2 ms 3 s", "00:00:03.002001");
	check("3 weeks 1d", "22 days");
	check("1 MON 2 Yrs", "2 years 1 mon");
	check("1 microsecondly", "00:00:00.000001");
	check("1d2h3m4s", "1 day 02:03:04");
	check("@ 1 day, 2 hours", "1 day 02:00:00");
	check("  1   day ", "1 day");
	check("0", "00:00:00");
	refuse("", "not an interval");
	refuse("   ", "not an interval");
	refuse("day", "not an interval");
	refuse("1 fortnight", "not an interval");
	refuse("1 quarter", "not an interval");
	refuse("1 dow", "not an interval");
	refuse("1 day 1 day", "not an interval");
	refuse("1day2hours", "not an interval");
	refuse("1 day\x01", "not an interval");
	refuse("\xc3\xb1", "not an interval");
	refuse("infinity", "not an interval");
}

static void test_numbers(void **state)
{
	(void)state;
	check("5", "00:00:05");
	check("5.25", "00:00:05.25");
	check("-5.25", "-00:00:05.25");
	check("1 day 2", "1 day 00:00:02");
	check("1 2 hours", "1 day 02:00:00");
	check("1.", "00:00:01");
	check(".5 days", "12:00:00");
	check("1.5 days", "1 day 12:00:00");
	check("1.5 mons", "1 mon 15 days");
	check("1.7 weeks", "11 days 21:36:00");
	check("1.5 years", "1 year 6 mons");
	check("0.04 years", "00:00:00");
	check("-1.5 mons", "-1 mons -15 days");
	check("0.1 mons", "3 days");
	check("2.5 us", "00:00:00.000002");
	check("1-2", "1 year 2 mons");
	check("-1-2", "-1 years -2 mons");
	check("1-2 3 4:05:06", "1 year 2 mons 3 days 04:05:06");
	refuse("1-12", "out of range");
	refuse("1-2-3", "not an interval");
	refuse("1.2.3", "not an interval");
	refuse("1/2 days", "not an interval");
	refuse("-.5 days", "not an interval");
	refuse("1 2 days", "not an interval");
	refuse("- day", "not an interval");
	refuse("-", "not an interval");
}

static void test_times(void **state)
{
	(void)state;
	check("1:2", "01:02:00");
	check("1:2.5", "00:01:02.5");
	check("1:02:03.4567891", "01:02:03.456789");
	check("100:00", "100:00:00");
	check("-1:30", "-01:30:00");
	check("- 1:30", "-01:30:00");
	check("1 -1:30", "1 day -01:30:00");
	check("-1 1:30", "-1 days +01:30:00");
	check("1:59:60", "02:00:00");
	check("1:", "01:00:00");
	/* A time replaces the microseconds of what stands behind it. */
	check("01:00 1.5 days", "1 day 01:00:00");
	check("1.5 days 01:00", "1 day 13:00:00");
	refuse("1:60", "out of range");
	refuse("-1:60", "not an interval");
	refuse("1:02:61", "out of range");
	refuse("1:02:03:04", "not an interval");
	refuse("1:00 2 hours", "not an interval");
}

static void test_signs(void **state)
{
	(void)state;
	check("-1 year 1 mon", "-11 mons");
	check("1 mon -1 day +1 hour", "1 mon -1 days +01:00:00");
	check("-1 mon 1 day -1 hour", "-1 mons +1 day -01:00:00");
	check("-1 day 0.000001 sec", "-1 days +00:00:00.000001");
	check("1 day 2 hours ago", "-1 days -02:00:00");
	check("ago 1 day", "-1 days");
	refuse("5 ago", "not an interval");
}

static void test_iso(void **state)
{
	(void)state;
	check("P1Y2M3DT4H5M6S", "1 year 2 mons 3 days 04:05:06");
	check("P1W", "7 days");
	check("PT36H", "36:00:00");
	check("PT1.5S", "00:00:01.5");
	check("P-1DT-2H", "-1 days -02:00:00");
	check("P1.5D", "1 day 12:00:00");
	check("P1e2D", "100 days");
	check("PT", "00:00:00");
	refuse("P", "not an interval");
	refuse("P1H", "not an interval");
	refuse("PT1D", "not an interval");
	refuse("P1DX", "not an interval");
	refuse("P1e1000D", "not an interval");
	refuse("P1e16D", "out of range");
	refuse("p1d", "not an interval");
}

static void test_limits(void **state)
{
	char text[400];

	(void)state;
	check("178956970 years 7 mons", "178956970 years 7 mons");
	check("-178956970 years -8 mons", "-178956970 years -8 mons");
	refuse("178956970 years 8 mons", "out of range");
	check("2147483647 days", "2147483647 days");
	refuse("2147483648 days", "out of range");
	check("9223372036854775807 us", "2562047788:00:54.775807");
	refuse("9223372036854775808 us", "out of range");
	refuse("99999999999999999999999 us", "out of range");
	refuse("-2147483648 days ago", "out of range");
	/* As many parts and as many bytes as PostgreSQL reads, and more. */
	memset(text, ' ', sizeof(text));
	memcpy(text, "1 day", 5);
	text[255] = '\0';
	check(text, "1 day");
	text[255] = ' ';
	text[256] = '\0';
	refuse(text, "not an interval");
	for (int i = 0; i < 30; i++)
		memcpy(text + 2 * i, "1 ", 3);
	refuse(text, "not an interval");
	/* The longest text there is. */
	check_format((struct interval){INT64_MIN, INT32_MIN, INT32_MIN},
		"-178956970 years -8 mons -2147483648 days -2562047788:00:54.775808");
}

static void test_fields(void **state)
{
	(void)state;
	check_fields("1", (struct interval_fields){UNIT_DAY, false, 6}, "1 day");
	check_fields("1", (struct interval_fields){UNIT_YEAR, false, 6}, "1 year");
	check_fields("1-2", (struct interval_fields){UNIT_MONTH, false, 6}, "1 year 2 mons");
	check_fields(
		"3 years 5 mons 2 days", (struct interval_fields){UNIT_YEAR, false, 6}, "3 years");
	check_fields(
		"5 mons 2 days 3 hours", (struct interval_fields){UNIT_MONTH, false, 6}, "5 mons");
	check_fields("-2 days -3:59:59", (struct interval_fields){UNIT_HOUR, false, 6},
		"-2 days -03:00:00");
	check_fields("3:59:59", (struct interval_fields){UNIT_MINUTE, false, 6}, "03:59:00");
	check_fields("1:2", (struct interval_fields){UNIT_SECOND, true, 6}, "00:01:02");
	check_fields("1.25", (struct interval_fields){UNIT_SECOND, false, 1}, "00:00:01.3");
	check_fields("-1.25", (struct interval_fields){UNIT_SECOND, false, 1}, "-00:00:01.3");
	check_fields("1.5", (struct interval_fields){UNIT_SECOND, false, 0}, "00:00:02");
	assert_false(interval_fit((struct interval){.microseconds = INT64_MAX},
		(struct interval_fields){UNIT_SECOND, false, 0}, &(struct interval){0}));
}

/* Whatever is printed is read back, and no bytes do harm. */
static void test_round_trip(void **state)
{
	static const char bytes[] = "0123456789  ::..--+PTdayhmsMYW ago,@e";
	struct rng rng;

	(void)state;
	rng_init(&rng, 20240131);
	for (int i = 0; i < 20000; i++) {
		struct interval interval = {
			.microseconds = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 60))),
			.days = (int32_t)(uint32_t)rng_next(&rng) >> rng_below(&rng, 32),
			.months = (int32_t)(uint32_t)rng_next(&rng) >> rng_below(&rng, 32),
		};
		char text[INTERVAL_TEXT_MAX];
		const char *reason;
		size_t size;

		if (rng_below(&rng, 2))
			interval.microseconds = -interval.microseconds;
		size = interval_format(interval, text);
		assert_true(size < sizeof(text));
		assert_int_equal(interval_order(interval, read(text)), 0);
		size = rng_below(&rng, 24);
		for (size_t b = 0; b < size; b++)
			text[b] = bytes[rng_below(&rng, sizeof(bytes) - 1)];
		(void)interval_parse(text, size, INTERVAL_FIELDS_ALL, &interval, &reason);
	}
}

static void test_order(void **state)
{
	/* Ascending; those of one row are equal. */
	static const char *const rows[][3] = {
		{"-178956970 years -8 mons"},
		{"-1 mon", "-30 days", "-720:00"},
		{"-00:00:00.000001"},
		{"0", "1 mon -30 days", "-1 day 24:00"},
		{"23:59:59.999999"},
		{"1 day", "24:00"},
		{"30 days", "1 mon", "29 days 24:00"},
		{"1 year", "360 days"},
		{"2147483647 days"},
		{"178956970 years 7 mons"},
	};
	size_t count = sizeof(rows) / sizeof(rows[0]);

	(void)state;
	for (size_t i = 0; i < 3 * count; i++) {
		for (size_t j = 0; j < 3 * count; j++) {
			const char *left = rows[i / 3][i % 3], *right = rows[j / 3][j % 3];
			int expected = (i / 3 > j / 3) - (i / 3 < j / 3);
			struct interval a, b;

			if (!left || !right)
				continue;
			a = read(left);
			b = read(right);
			assert_int_equal(interval_compare(a, b), expected);
			assert_int_equal(interval_span(a) == interval_span(b), expected == 0);
			assert_int_equal(interval_order(a, b), -interval_order(b, a));
			assert_int_equal(interval_order(a, b) == 0, i == j);
			if (expected)
				assert_int_equal(interval_order(a, b), expected);
		}
	}
}

static void test_arithmetic(void **state)
{
	struct interval result;

	(void)state;
	assert_true(interval_add(read("1 mon 25:00"), read("-2 days -1:00"), &result));
	check_format(result, "1 mon -2 days +24:00:00");
	assert_true(interval_sub(read("1 mon"), read("2 mons 1 day"), &result));
	check_format(result, "-1 mons -1 days");
	assert_true(interval_negate(read("-1 day 2:00"), &result));
	check_format(result, "1 day -02:00:00");
	assert_false(interval_negate((struct interval){.days = INT32_MIN}, &result));
	assert_false(interval_add(read("2147483647 days"), read("1 day"), &result));
	assert_false(interval_add(
		(struct interval){.microseconds = INT64_MAX}, read("0.000001"), &result));
	assert_true(interval_multiply(read("1 mon 3 days"), 1.5, &result));
	check_format(result, "1 mon 19 days 12:00:00");
	assert_true(interval_multiply(read("1 year"), 0.33, &result));
	check_format(result, "3 mons 28 days 19:12:00");
	assert_true(interval_divide(read("1 mon"), 7, &result));
	check_format(result, "4 days 06:51:25.6896");
	assert_true(interval_divide(read("1 day"), -2, &result));
	check_format(result, "-12:00:00");
	assert_false(interval_multiply(read("1 day"), 1e10, &result));
	assert_false(interval_multiply(read("1 hour"), 1e300, &result));
	assert_false(interval_multiply(read("1 hour"), (double)NAN, &result));
	assert_false(interval_divide(read("1 hour"), 1e-300, &result));
}

static void test_justify(void **state)
{
	struct interval result;

	(void)state;
	assert_true(interval_justify_hours(read("1 day 27:00"), &result));
	check_format(result, "2 days 03:00:00");
	assert_true(interval_justify_hours(read("1 day -1:00"), &result));
	check_format(result, "23:00:00");
	assert_true(interval_justify_days(read("1 mon 65 days -1:00"), &result));
	check_format(result, "3 mons 5 days -01:00:00");
	assert_true(interval_justify_days(read("-1 mon 5 days"), &result));
	check_format(result, "-25 days");
	assert_true(interval_justify(read("1 mon -1:00"), &result));
	check_format(result, "29 days 23:00:00");
	assert_true(interval_justify(read("-1 mon 1:00"), &result));
	check_format(result, "-29 days -23:00:00");
	assert_true(interval_justify(read("2147483647 days 1000:00"), &result));
	check_format(result, "5965232 years 5 mons 18 days 16:00:00");
	assert_false(interval_justify_hours(read("2147483647 days 24:00"), &result));
	assert_false(interval_justify_days(read("178956970 years 7 mons 30 days"), &result));
}

static int64_t timestamp(const char *text)
{
	int64_t micros;

	assert_true(timestamp_parse(text, strlen(text), &micros));
	return micros;
}

static void check_sum(const char *from, const char *interval, const char *expected)
{
	char text[DATETIME_TEXT_MAX];
	int64_t micros;

	if (!timestamp_add_interval(timestamp(from), read(interval), &micros)) {
		assert_null(expected);
		return;
	}
	timestamp_format(micros, text);
	assert_non_null(expected);
	assert_string_equal(text, expected);
}

static void test_timestamps(void **state)
{
	int64_t micros;

	(void)state;
	check_sum("2024-01-31 10:00", "1 mon", "2024-02-29 10:00:00");
	check_sum("2023-01-31 10:00", "1 mon", "2023-02-28 10:00:00");
	check_sum("2024-03-31", "-1 mon", "2024-02-29 00:00:00");
	check_sum("2024-02-29", "-4 years 1 day", "2020-03-01 00:00:00");
	check_sum("2024-01-31", "1 mon 1 day -0:00:00.000001", "2024-02-29 23:59:59.999999");
	check_sum("1970-01-01", "-23:00", "1969-12-31 01:00:00");
	check_sum("2024-01-15", "-25 mons", "2021-12-15 00:00:00");
	/* Only the result has to be a timestamp. */
	check_sum("9999-12-15", "1 mon -60 days", "9999-11-16 00:00:00");
	check_sum("0001-01-15", "-1 mon 60 days", "0001-02-13 00:00:00");
	check_sum("294246-12-31 23:59:59.999999", "0.000001", NULL);
	check_sum("4714-11-24 BC", "-0.000001", NULL);
	check_sum("9999-12-31 23:59:59.999999", "0.000001", "10000-01-01 00:00:00");
	check_sum("0001-01-01", "-0.000001", "0001-12-31 23:59:59.999999 BC");
	check_sum("infinity", "-1 mon 3 days", "infinity");
	check_sum("2024-01-01", "178956970 years", NULL);
	check_sum("2024-01-01", "-178956970 years", NULL);
	check_sum("2024-01-01", "2562047788 hours", NULL);
	assert_false(timestamp_sub_interval(timestamp("2024-01-01"),
		(struct interval){INT64_MIN, INT32_MIN, INT32_MIN}, &micros));
	assert_true(timestamp_sub_interval(timestamp("2024-03-31"), read("1 mon"), &micros));
	assert_int_equal(micros, timestamp("2024-02-29"));
}

static void check_age(const char *a, const char *b, const char *expected)
{
	check_format(timestamp_age(timestamp(a), timestamp(b)), expected);
}

static void test_differences(void **state)
{
	(void)state;
	check_format(timestamp_diff(timestamp("2024-01-03 01:00"), timestamp("2024-01-01 02:00")),
		"1 day 23:00:00");
	check_format(timestamp_diff(timestamp("2024-01-01 02:00"), timestamp("2024-01-03 01:00")),
		"-1 days -23:00:00");
	check_format(
		timestamp_diff(timestamp("9999-12-31"), timestamp("0001-01-01")), "3652058 days");
	check_age("2024-03-01", "2024-01-31", "1 mon 1 day");
	check_age("2024-01-31", "2024-03-01", "-1 mons -1 days");
	check_age("2024-02-29", "2020-02-29 12:00", "3 years 11 mons 28 days 12:00:00");
	check_age("2024-01-01", "2023-12-31 23:59:59.999999", "00:00:00.000001");
	check_age("2024-01-01", "2024-01-01", "00:00:00");
}

static void test_times_of_day(void **state)
{
	const int64_t hour = 3600 * MICROS_PER_SECOND;

	(void)state;
	assert_int_equal(time_add_interval(10 * hour, read("15 hours")), hour);
	assert_int_equal(time_sub_interval(10 * hour, read("15 hours")), 19 * hour);
	assert_int_equal(time_add_interval(10 * hour, read("3 mons 2 days")), 10 * hour);
	assert_int_equal(time_add_interval(MICROS_PER_DAY, read("0")), 0);
	assert_int_equal(time_sub_interval(0, (struct interval){.microseconds = INT64_MIN}),
		INT64_C(14454775808));
	assert_int_equal(interval_time(read("1 day -1 hour")), 23 * hour);
	assert_int_equal(interval_time(read("49 hours")), hour);
}

static void test_column(void **state)
{
	struct value null = {.type = type_of(TYPE_INTERVAL), .is_null = true}, value = null;
	struct arena arena;
	struct column column;

	(void)state;
	arena_init(&arena, 1024);
	column_init(&column, type_of(TYPE_INTERVAL), 2, &arena);
	column_add_validity(&column, 2, &arena);
	value.is_null = false;
	value.interval = read("1 mon 2 days 3 s");
	column_set_value(&column, 0, &value);
	column_set_value(&column, 1, &null);
	assert_int_equal(interval_order(column_value(&column, 0).interval, value.interval), 0);
	assert_true(column_value(&column, 1).is_null);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_iso),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_justify),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_times_of_day),
		cmocka_unit_test(test_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
