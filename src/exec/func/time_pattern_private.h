/* What reading by a pattern and making a time of it share. */
#ifndef EXEC_FUNC_TIME_PATTERN_PRIVATE_H
#define EXEC_FUNC_TIME_PATTERN_PRIVATE_H

#include "exec/func/time_pattern.h"

enum date_convention {
	CONVENTION_NONE,
	CONVENTION_GREGORIAN,
	CONVENTION_ISO,
};

/* Of each value 0 is "not said", as in PostgreSQL: a month 00 is none. */
struct time_fields {
	enum date_convention convention;
	bool clock_12;
	int32_t afternoon, before_christ; /* 0 or 1 */
	int32_t hour, minute, second, second_of_day;
	int32_t millisecond, microsecond;
	int32_t fraction_digits; /* FF1 to FF6; 0: none of them */
	int32_t year, century, month, day, day_of_year, weekday, week, week_of_month, julian;
	int32_t year_digits;
	int32_t zone_sign, zone_hour, zone_minute;
};

/* time_make.c: false when the fields are no time, with the reason. */
bool time_fields_make(
	const struct time_fields *fields, struct time_reading *out, const char **reason);

#endif
