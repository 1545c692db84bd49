/*
 * The proleptic Gregorian calendar on plain integers: dates are days and timestamps microseconds
 * since 1970-01-01, of the years 4714 BC, from 24 November on, to 294246. In 64 bits the two ends
 * are infinite.
 */
#ifndef COLUMN_DATETIME_H
#define COLUMN_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICROS_PER_SECOND INT64_C(1000000)
#define MICROS_PER_DAY	  (INT64_C(86400) * MICROS_PER_SECOND)

#define DATE_DAYS_MIN (-2440588)	 /* of the Julian day 0 */
#define DATE_DAYS_MAX INT64_C(106751981) /* 294246-12-31 */

/* Of a date or a timestamp: infinity and -infinity. */
#define TIME_INFINITY	    INT64_MAX
#define TIME_MINUS_INFINITY INT64_MIN

static inline bool time_is_infinite(int64_t value)
{
	return value == TIME_INFINITY || value == TIME_MINUS_INFINITY;
}

struct civil {
	int32_t year;  /* 0 is 1 BC */
	uint8_t month; /* 1..12 */
	uint8_t day;   /* 1..31 */
};

/* Branch-free: called once a row by extract, date_trunc and to_char. */
static inline struct civil civil_from_days(int64_t days)
{
	uint32_t shifted =
		(uint32_t)(days + 719468 + 146097 * 12); /* counts from 1 March, year -4800 */
	uint32_t n1 = 4 * shifted + 3;
	uint32_t century = n1 / 146097;
	uint32_t n2 = (n1 % 146097) | 3;
	uint64_t p2 = (uint64_t)2939745 * n2;
	uint32_t year_of_century = (uint32_t)(p2 >> 32);
	uint32_t day_of_year = (uint32_t)(p2 & 0xffffffffu) / 2939745 / 4;
	uint32_t n3 = 2141 * day_of_year + 197913;
	uint32_t month = n3 >> 16;
	uint32_t day = (n3 & 0xffffu) / 2141;
	uint32_t after_new_year = day_of_year >= 306;

	return (struct civil){
		.year = (int32_t)(100 * century + year_of_century + after_new_year) - 4800,
		.month = (uint8_t)(after_new_year ? month - 12 : month),
		.day = (uint8_t)(day + 1),
	};
}

static inline int64_t days_from_civil(int32_t year, unsigned month, unsigned day)
{
	int32_t y = year - (month <= 2);
	int32_t era = (y >= 0 ? y : y - 399) / 400;
	uint32_t year_of_era = (uint32_t)(y - era * 400);
	uint32_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	uint32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return (int64_t)era * 146097 + (int64_t)day_of_era - 719468;
}

/* A time of so many microseconds with `digits` behind the second, rounded half away from zero. */
int64_t time_round(int64_t micros, unsigned digits);
/* The same of a timestamp, half away from midnight of the year 2000; infinite ones stay. */
int64_t timestamp_round(int64_t micros, unsigned digits);

/* Rounds down, also before 1970. */
static inline int64_t timestamp_days(int64_t micros)
{
	int64_t days = micros / MICROS_PER_DAY;

	return days - (micros % MICROS_PER_DAY < 0);
}

static inline int64_t timestamp_time_of_day(int64_t micros)
{
	int64_t rest = micros % MICROS_PER_DAY;

	return rest < 0 ? rest + MICROS_PER_DAY : rest;
}

bool civil_valid(int32_t year, unsigned month, unsigned day);
unsigned days_in_month(int32_t year, unsigned month);

/*
 * The whole of `size` bytes, no blanks around. False when it is not one.
 *
 * Dates: 2024-01-31, also with more digits for the year, " BC" behind it, or "infinity". Times: 06:00[:00[.fffffffff]], up to 24:00:00; fractions are rounded to
 * microseconds. Timestamps: a date, or a date and a time with ' ' or 'T' between; a trailing Z,
 * +00 or +00:00 is allowed.
 */
bool date_parse(const char *text, size_t size, int64_t *days);
bool time_parse(const char *text, size_t size, int64_t *micros);
bool timestamp_parse(const char *text, size_t size, int64_t *micros);
/* The same with an offset behind a time, Z or [+-]hh[[:]mm]; without one it is UTC. */
bool timestamptz_parse(const char *text, size_t size, int64_t *micros);

#define DATETIME_TEXT_MAX 48
/* ISO, as PostgreSQL prints them; fractions only when there are any. Return the length. */
size_t date_format(int64_t days, char text[DATETIME_TEXT_MAX]);
size_t time_format(int64_t micros, char text[DATETIME_TEXT_MAX]);
size_t timestamp_format(int64_t micros, char text[DATETIME_TEXT_MAX]);
/* What stands behind a time, a zone, comes before the era: 0044-03-15 00:00:00+00 BC. */
size_t timestamp_format_with(
	int64_t micros, const char *suffix, size_t suffix_size, char text[DATETIME_TEXT_MAX]);
/* In UTC, which is what its "+00" at the end says. */
size_t timestamptz_format(int64_t micros, char text[DATETIME_TEXT_MAX]);

#endif
