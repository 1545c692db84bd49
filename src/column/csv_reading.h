/*
 * How the values of a column are written, where that is not as SQL has it: dates with another order
 * of day, month and year, a comma for the decimal point, marks between thousands, times with a zone.
 */
#ifndef COLUMN_CSV_READING_H
#define COLUMN_CSV_READING_H

#include "base/arena.h"
#include "column/column.h"
#include "column/type.h"

#define DATE_PATTERN_MAX 16 /* bytes, with the terminating zero */

/* DD/MM/YYYY, MM-DD-YY and the like; all zero: 2024-12-31. */
struct date_pattern {
	char order[3];	 /* 'Y', 'M' and 'D' */
	char mark;	 /* between them */
	bool short_year; /* two digits: 70 to 99 are before 2000 */
};

/* All zero: as usual. */
struct csv_reading {
	struct date_pattern date;
	char decimal;	/* ',', or '\0' for a point */
	char thousands; /* '\0': none */
	bool zoned;	/* every timestamp has a zone and is taken to UTC */
};

/* False when the text is not a pattern. "YYYY-MM-DD" is all zero. */
bool date_pattern_parse(const char *text, struct date_pattern *out);
void date_pattern_write(const struct date_pattern *pattern, char text[DATE_PATTERN_MAX]);

bool csv_reading_is_usual(const struct csv_reading *reading);

/* As value_parse, for a value that is written so. */
bool csv_reading_parse(const struct csv_reading *reading, struct type type, const char *text,
	size_t size, struct arena *arena, struct value *out, const char **reason);

#endif
