#include "column/datetime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Walks every day of the years 4713 BC, the year -4712, to 9999 by the rules of the calendar alone. */
static void test_every_day(void **state)
{
	int64_t days = DATE_DAYS_MIN + 38; /* behind 24 November 4714 BC */

	(void)state;
	for (int32_t year = -4712; year <= 9999; year++) {
		bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		for (unsigned month = 1; month <= 12; month++) {
			unsigned last = month == 2 ? 28 + leap
					: month == 4 || month == 6 || month == 9 || month == 11
						? 30
						: 31;

			if (days_in_month(year, month) != last)
				fail_msg("%d-%u has %u days", year, month, last);
			for (unsigned day = 1; day <= last; day++, days++) {
				struct civil civil = civil_from_days(days);

				if (civil.year != year || civil.month != month || civil.day != day)
					fail_msg("day %ld is %d-%u-%u", (long)days, year, month,
						day);
				if (days_from_civil(year, month, day) != days)
					fail_msg("%d-%u-%u is day %ld", year, month, day,
						(long)days);
			}
		}
	}
	assert_int_equal(days, days_from_civil(10000, 1, 1));
	assert_int_equal(civil_from_days(DATE_DAYS_MAX).year, 294246);
	assert_int_equal(civil_from_days(DATE_DAYS_MAX + 1).year, 294247);
}

static void test_epoch(void **state)
{
	(void)state;
	assert_int_equal(days_from_civil(1970, 1, 1), 0);
	assert_int_equal(days_from_civil(2000, 3, 1), 11017);
	assert_int_equal(days_from_civil(-4713, 11, 24), DATE_DAYS_MIN);
	assert_int_equal(days_from_civil(294246, 12, 31), DATE_DAYS_MAX);
	/* The Gregorian calendar reaches back without the gap of 1582. */
	assert_int_equal(days_from_civil(1582, 10, 15) - days_from_civil(1582, 10, 4), 11);
}

static void test_valid(void **state)
{
	(void)state;
	assert_true(civil_valid(2024, 2, 29));
	assert_false(civil_valid(2023, 2, 29));
	assert_false(civil_valid(1900, 2, 29));
	assert_true(civil_valid(2000, 2, 29));
	assert_false(civil_valid(2024, 0, 1));
	assert_false(civil_valid(2024, 13, 1));
	assert_false(civil_valid(2024, 1, 0));
	assert_false(civil_valid(2024, 1, 32));
	assert_false(civil_valid(2024, 4, 31));
	assert_false(civil_valid(-4714, 1, 1));
	assert_false(civil_valid(294247, 1, 1));
	assert_true(civil_valid(294246, 12, 31));
}

static void test_split(void **state)
{
	(void)state;
	assert_int_equal(timestamp_days(0), 0);
	assert_int_equal(timestamp_days(-1), -1);
	assert_int_equal(timestamp_days(MICROS_PER_DAY - 1), 0);
	assert_int_equal(timestamp_days(-MICROS_PER_DAY), -1);
	assert_int_equal(timestamp_days(-MICROS_PER_DAY - 1), -2);
	assert_int_equal(timestamp_time_of_day(-1), MICROS_PER_DAY - 1);
	assert_int_equal(timestamp_time_of_day(-MICROS_PER_DAY), 0);
	assert_int_equal(timestamp_time_of_day(MICROS_PER_DAY + 5), 5);
}

typedef bool (*parser)(const char *text, size_t size, int64_t *out);
typedef size_t (*formatter)(int64_t value, char text[DATETIME_TEXT_MAX]);

/* What is read prints as `printed`. */
static void check(parser parse, formatter format, const char *text, const char *printed)
{
	char out[DATETIME_TEXT_MAX];
	int64_t value;
	size_t size;

	if (!parse(text, strlen(text), &value))
		fail_msg("'%s' is not read", text);
	size = format(value, out);
	assert_int_equal(size, strlen(out));
	assert_string_equal(out, printed);
}

static void check_refused(parser parse, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value = 42;

		if (parse(texts[i], strlen(texts[i]), &value))
			fail_msg("'%s' is read", texts[i]);
		assert_int_equal(value, 42);
	}
}

#define CHECK_REFUSED(parse, texts) check_refused(parse, texts, sizeof(texts) / sizeof((texts)[0]))

static void test_dates(void **state)
{
	static const char *const same[] = {
		"0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31", "2024-02-29", "1582-10-10"};
	static const char *const refused[] = {"", "2024-1-31", "2024-01-1", "2024/01/31",
		"20240131", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-00", "0000-01-01",
		" 2024-01-31", "2024-01-31 ", "2024-01-3x", "x024-01-31", "2O24-01-31",
		"-024-01-31", "2024-01-31T00:00", "2024:01-31", "2024-01:31"};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		check(date_parse, date_format, same[i], same[i]);
	CHECK_REFUSED(date_parse, refused);
}

static void test_times(void **state)
{
	static const char *const refused[] = {"", "6:00", "06", "06:", "06:0", "06:00:", "06:00:0",
		"06:00:00.", "06:00:00.x", "06:00:00.1234567890", "24:00:01", "24:00:00.000001",
		"25:00", "06:60", "06:00:61", "06-00", "06:00-00", " 06:00", "06:00 ", "06:00:00,5",
		"xx:00", "06:xx"};

	(void)state;
	check(time_parse, time_format, "06:00", "06:00:00");
	check(time_parse, time_format, "23:59:59.999999", "23:59:59.999999");
	check(time_parse, time_format, "00:00:00", "00:00:00");
	check(time_parse, time_format, "12:34:56.7", "12:34:56.7");
	check(time_parse, time_format, "12:34:56.70", "12:34:56.7");
	check(time_parse, time_format, "12:34:56.000001", "12:34:56.000001");
	check(time_parse, time_format, "12:34:56.0000004", "12:34:56");
	check(time_parse, time_format, "12:34:56.123456789", "12:34:56.123457");
	check(time_parse, time_format, "23:59:59.9999999", "24:00:00");
	check(time_parse, time_format, "24:00", "24:00:00");
	check(time_parse, time_format, "11:34:60.835", "11:35:00.835");
	CHECK_REFUSED(time_parse, refused);
}

static void test_timestamps(void **state)
{
	static const char *const refused[] = {"", "2024-01-31x", "2024-01-31 ", "2024-01-31T",
		"2024-01-31  06:00", "2024-01-31_06:00", "2024-01-31 6:00", "2024-02-30 06:00:00",
		"2024-01-31 06:00:00+01", "2024-01-31 06:00:00ZZ", "2024-01-31 Z", "2024-01-31Z",
		"2024-01-31 06:00:00 ", "294246-12-31 24:00:00", "infinity BC",
		"0000-12-31 00:00:00", "2024-01-31 +00", "2024-01-31 06:00:0Z"};

	(void)state;
	check(timestamp_parse, timestamp_format, "2024-01-31", "2024-01-31 00:00:00");
	check(timestamp_parse, timestamp_format, "2024-01-31 06:00", "2024-01-31 06:00:00");
	check(timestamp_parse, timestamp_format, "2024-01-31T06:07:08", "2024-01-31 06:07:08");
	check(timestamp_parse, timestamp_format, "2024-01-31T06:07:08Z", "2024-01-31 06:07:08");
	check(timestamp_parse, timestamp_format, "2024-01-31 06:07:08+00", "2024-01-31 06:07:08");
	check(timestamp_parse, timestamp_format, "2024-01-31 06:07:08+00:00",
		"2024-01-31 06:07:08");
	check(timestamp_parse, timestamp_format, "2024-01-31 06:07+00", "2024-01-31 06:07:00");
	check(timestamp_parse, timestamp_format, "1969-12-31 23:59:59.999999",
		"1969-12-31 23:59:59.999999");
	check(timestamp_parse, timestamp_format, "0001-01-01 00:00:00", "0001-01-01 00:00:00");
	check(timestamp_parse, timestamp_format, "9999-12-31 23:59:59.999999",
		"9999-12-31 23:59:59.999999");
	check(timestamp_parse, timestamp_format, "2024-02-29 24:00:00", "2024-03-01 00:00:00");
	CHECK_REFUSED(timestamp_parse, refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_day),
		cmocka_unit_test(test_epoch),
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_timestamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
