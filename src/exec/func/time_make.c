/* A day and a time of the fields that a pattern has read. */
#include "exec/func/time_pattern_private.h"

#include "column/datetime.h"

#include <stddef.h>

#define JULIAN_OF_1970	 2440588
#define ZONE_HOURS_MAX	 15
#define JULIAN_MAX	 (JULIAN_OF_1970 + DATE_DAYS_MAX)
#define WEEKS_MAX	 54
#define DAYS_OF_YEAR_MAX 372

/* As it is counted: 0 is 1 BC. */
struct calendar {
	int64_t year, month, day;
	bool has_month, has_day;
};

/*
 * With a century, one or two digits of a year are of it. The 21st century has the years 2001 to
 * 2100, the 6th before Christ 600 to 501.
 */
static int64_t make_year(const struct time_fields *f)
{
	int64_t century = f->before_christ ? -(int64_t)f->century : f->century;
	int64_t year = f->year;

	if (f->year == 0) {
		if (f->century == 0)
			return 0;
		return century >= 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
	}
	if (f->century != 0 && f->year_digits <= 2) {
		year = f->year % 100;
		if (year == 0)
			return century * 100 + (century < 0);
		return century >= 0 ? year + (century - 1) * 100 : (century + 1) * 100 - year + 1;
	}
	year = f->before_christ ? -year : year;
	return year < 0 ? year + 1 : year;
}

/* The Monday of the first ISO week. */
static int64_t iso_year_start(int64_t year)
{
	int64_t day = days_from_civil((int32_t)year, 1, 4);

	return day - ((day + 3) % 7 + 7) % 7;
}

static void set_day(struct calendar *c, int64_t day)
{
	struct civil civil = civil_from_days(day);

	*c = (struct calendar){civil.year, civil.month, civil.day, true, true};
}

/* A day of the year where neither month nor day have been said. */
static bool place_day_of_year(
	const struct time_fields *f, int64_t of_year, struct calendar *c, const char **reason)
{
	struct civil civil;
	int64_t start;

	if (c->year == 0 && !f->before_christ) {
		*reason = "cannot calculate day of year without year information";
		return false;
	}
	if (of_year < 1 || of_year > DAYS_OF_YEAR_MAX)
		return false;
	if (f->convention == CONVENTION_ISO) {
		set_day(c, iso_year_start(c->year) + of_year - 1);
		return true;
	}
	start = days_from_civil((int32_t)c->year, 1, 1);
	if (of_year > days_from_civil((int32_t)c->year + 1, 1, 1) - start)
		return false;
	civil = civil_from_days(start + of_year - 1);
	if (c->month <= 1)
		c->month = civil.month;
	if (c->day <= 1)
		c->day = civil.day;
	c->has_month = c->has_day = true;
	return true;
}

static bool place_week(const struct time_fields *f, struct calendar *c)
{
	/* Fields count from Sunday, weeks from Monday. */
	int64_t weekday = f->weekday == 0 ? 1 : f->weekday == 1 ? 7 : f->weekday - 1;

	if (f->week < 1 || f->week > WEEKS_MAX || weekday < 1 || weekday > 7)
		return false;
	set_day(c, iso_year_start(c->year) + 7 * ((int64_t)f->week - 1) + weekday - 1);
	return true;
}

static bool make_day(const struct time_fields *f, int64_t *day, const char **reason)
{
	struct calendar c = {.year = make_year(f), .month = 1, .day = 1};
	int64_t of_year = f->day_of_year, of_month = f->day;

	if (c.year < -4713 || c.year > 294246)
		return false;
	if (f->julian < 0 || f->julian > JULIAN_MAX)
		return false;
	if (f->julian != 0)
		set_day(&c, f->julian - JULIAN_OF_1970);
	if (f->week != 0 && f->convention == CONVENTION_ISO) {
		if (!place_week(f, &c))
			return false;
	} else if (f->week != 0) {
		of_year = ((int64_t)f->week - 1) * 7 + 1;
	}
	if (f->week_of_month != 0)
		of_month = ((int64_t)f->week_of_month - 1) * 7 + 1;
	if (of_month != 0)
		c.day = of_month;
	if (f->month != 0)
		c.month = f->month;
	if (of_year != 0 && (c.month <= 1 || c.day <= 1) &&
		!place_day_of_year(f, of_year, &c, reason))
		return false;
	if (c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31 ||
		!civil_valid((int32_t)c.year, (unsigned)c.month, (unsigned)c.day))
		return false;
	*day = days_from_civil((int32_t)c.year, (unsigned)c.month, (unsigned)c.day);
	return *day >= DATE_DAYS_MIN;
}

static bool make_time(const struct time_fields *f, int64_t *time, const char **reason)
{
	int64_t hour = f->second_of_day / 3600, minute = f->second_of_day / 60 % 60;
	int64_t second = f->second_of_day % 60;
	int64_t fraction = (int64_t)f->millisecond * 1000 + f->microsecond;

	hour = f->hour ? f->hour : hour;
	minute = f->minute ? f->minute : minute;
	second = f->second ? f->second : second;
	if (f->clock_12) {
		if (hour < 1 || hour > 12) {
			*reason = "the hour is invalid for the 12-hour clock";
			return false;
		}
		hour = hour % 12 + (f->afternoon ? 12 : 0);
	}
	*time = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + fraction;
	return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 &&
	       fraction >= 0 && fraction < MICROS_PER_SECOND;
}

bool time_fields_make(const struct time_fields *f, struct time_reading *out, const char **reason)
{
	*out = (struct time_reading){.has_offset = f->zone_sign != 0,
		.digits = f->fraction_digits ? (unsigned)f->fraction_digits : 6};
	*reason = NULL;
	if (!make_day(f, &out->day, reason) || !make_time(f, &out->time, reason))
		return false;
	if (f->zone_hour < 0 || f->zone_hour > ZONE_HOURS_MAX || f->zone_minute < 0 ||
		f->zone_minute > 59)
		return false;
	out->offset = f->zone_sign * (f->zone_hour * 60 + f->zone_minute) * 60;
	return true;
}
