/*
 * The proleptic Gregorian calendar on plain integers: dates are days and timestamps microseconds
 * since 1970-01-01. Years 1 to 9999.
 */
#ifndef COLUMN_DATETIME_H
#define COLUMN_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICROS_PER_SECOND INT64_C(1000000)
#define MICROS_PER_DAY	  (INT64_C(86400) * MICROS_PER_SECOND)

#define DATE_DAYS_MIN (-719162) /* 0001-01-01 */
#define DATE_DAYS_MAX 2932896	/* 9999-12-31 */

struct civil {
	int32_t year;
	uint8_t month; /* 1..12 */
	uint8_t day;   /* 1..31 */
};

/* Branch-free: called once a row by extract, date_trunc and to_char. */
static inline struct civil civil_from_days(int64_t days)
{
	uint32_t shifted =
		(uint32_t)(days + 719468 + 146097 * 4); /* counts from 1 March, year -1600 */
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
		.year = (int32_t)(100 * century + year_of_century + after_new_year) - 1600,
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
 * Dates: 2024-01-31. Times: 06:00[:00[.fffffffff]], up to 24:00:00; fractions are rounded to
 * microseconds. Timestamps: a date, or a date and a time with ' ' or 'T' between; a trailing Z,
 * +00 or +00:00 is allowed.
 */
bool date_parse(const char *text, size_t size, int64_t *days);
bool time_parse(const char *text, size_t size, int64_t *micros);
bool timestamp_parse(const char *text, size_t size, int64_t *micros);
/* The same with an offset behind a time, Z or [+-]hh[[:]mm]; without one it is UTC. */
bool timestamptz_parse(const char *text, size_t size, int64_t *micros);

#define DATETIME_TEXT_MAX 40
/* ISO, as PostgreSQL prints them; fractions only when there are any. Return the length. */
size_t date_format(int64_t days, char text[DATETIME_TEXT_MAX]);
size_t time_format(int64_t micros, char text[DATETIME_TEXT_MAX]);
size_t timestamp_format(int64_t micros, char text[DATETIME_TEXT_MAX]);
/* In UTC, which is what its "+00" at the end says. */
size_t timestamptz_format(int64_t micros, char text[DATETIME_TEXT_MAX]);

#endif
