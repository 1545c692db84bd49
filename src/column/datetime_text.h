/*
 * Texts of dates and times as PostgreSQL reads them in SQL: "January 8, 1999", "08-Jan-99",
 * "19990108T040506", "J2451187", "1999-01-08 04:05 PM PST". Fields of digits are month, day, year
 * where nothing else tells. What files hold is read by column/datetime.h, which is strict and fast.
 */
#ifndef COLUMN_DATETIME_TEXT_H
#define COLUMN_DATETIME_TEXT_H

#include "column/type.h"

/* What a text says of the clock, which is not known here. */
enum datetime_clock {
	DATETIME_CLOCK_NONE,
	DATETIME_CLOCK_NOW,
	DATETIME_CLOCK_DAY, /* `day` counts from today: 0, 1, -1 */
};

struct datetime_reading {
	enum datetime_clock clock;
	int8_t infinite; /* 1, or -1: nothing else is said */
	bool has_date;
	bool has_time;
	bool has_offset; /* a zone, or an abbreviation of one, with `offset` */
	int64_t day;	 /* since 1970-01-01 */
	int64_t time;	 /* microseconds of the day; 0 without one */
	int32_t offset;	 /* seconds east of UTC */
	struct text
		zone; /* a zone by its name, to be looked up: a part of the text. Size 0: none */
};

/*
 * `time_only`: for a type without days. False when it is not one, with the reason: "out of range" or
 * "not a date or time".
 */
bool datetime_text_parse(const char *text, size_t size, bool time_only,
	struct datetime_reading *out, const char **reason);

/* The seconds east of UTC that an abbreviation such as CEST stands for, in any case. */
bool zone_abbreviation(const char *name, size_t size, int32_t *offset);

#endif
