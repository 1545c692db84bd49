/*
 * The units of time that PostgreSQL has names for: those of extract, date_trunc and of the texts of
 * intervals.
 */
#ifndef COLUMN_TIME_UNIT_H
#define COLUMN_TIME_UNIT_H

#include "column/type.h"

enum time_unit {
	UNIT_MICROSECOND,
	UNIT_MILLISECOND,
	UNIT_SECOND,
	UNIT_MINUTE,
	UNIT_HOUR,
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_YEAR,
	UNIT_DECADE,
	UNIT_CENTURY,
	UNIT_MILLENNIUM,
	/* only for extract */
	UNIT_DOW,
	UNIT_ISODOW,
	UNIT_DOY,
	UNIT_ISOYEAR,
	UNIT_EPOCH,
	UNIT_JULIAN,
};

/* "hours", "h", "US": letters in any case. False when it is not a unit. */
bool time_unit_parse(struct text name, enum time_unit *unit);

#endif
