/*
 * Intervals, as PostgreSQL has them: months, days and microseconds that do not add up to each
 * other, because months and days differ in length.
 *
 * Only where they are compared, a month is 30 days and a day 24 hours: '1 mon', '30 days' and
 * '720 hours' are equal and print differently, as 1.0 and 1.00 do. Where one of several equal
 * intervals has to stand for all of them, it is the least by interval_order.
 *
 * Functions that return bool return false when the result is out of range, and store nothing.
 */
#ifndef COLUMN_INTERVAL_H
#define COLUMN_INTERVAL_H

#include "column/datetime.h"
#include "column/numeric.h"
#include "column/time_unit.h"

struct interval {
	int64_t microseconds;
	int32_t days;
	int32_t months;
};

#define DAYS_PER_MONTH	30
#define MONTHS_PER_YEAR 12

/* The length in microseconds: equal for intervals that are equal in SQL. For hashing and keys. */
static inline int128 interval_span(struct interval interval)
{
	int64_t days = (int64_t)interval.months * DAYS_PER_MONTH + interval.days;

	return (int128)days * MICROS_PER_DAY + interval.microseconds;
}

/* <0, 0, >0 as SQL compares them. */
int interval_compare(struct interval a, struct interval b);
/* The same, and equal ones by their months, then by their days: 0 only for the same bits. */
int interval_order(struct interval a, struct interval b);

bool interval_add(struct interval a, struct interval b, struct interval *out);
bool interval_sub(struct interval a, struct interval b, struct interval *out);
bool interval_negate(struct interval a, struct interval *out);
/* Fractions of months become days (30 a month), those of days microseconds. */
bool interval_multiply(struct interval a, double factor, struct interval *out);
/* `divisor` is not zero. */
bool interval_divide(struct interval a, double divisor, struct interval *out);

/* 24 hours become a day; 30 days a month; both, with one sign for all parts. */
bool interval_justify_hours(struct interval a, struct interval *out);
bool interval_justify_days(struct interval a, struct interval *out);
bool interval_justify(struct interval a, struct interval *out);

/*
 * Months come first and stop at the month's last day (January 31st and a month is February 28th or
 * 29th), then days, then microseconds. Only the result has to be within the years 1 to 9999.
 */
bool timestamp_add_interval(int64_t timestamp, struct interval interval, int64_t *out);
bool timestamp_sub_interval(int64_t timestamp, struct interval interval, int64_t *out);
/* Where that leads, also beyond those years. */
int128 timestamp_shift(int64_t timestamp, struct interval interval, bool subtract);
/* a - b in days and microseconds of one sign. */
struct interval timestamp_diff(int64_t a, int64_t b);
/* a - b in years, months, days and time, as people count ages. */
struct interval timestamp_age(int64_t a, int64_t b);
/* Only the microseconds count; the clock starts again at midnight. */
int64_t time_add_interval(int64_t time, struct interval interval);
int64_t time_sub_interval(int64_t time, struct interval interval);
/* The time of day that interval::time is. */
int64_t interval_time(struct interval interval);

/* What INTERVAL '...' DAY TO MINUTE and its like say about the text. */
struct interval_fields {
	enum time_unit least;  /* of a number without a unit; what is smaller is cut off */
	bool minute_to_second; /* 1:02 is a minute and two seconds */
	uint8_t digits;	       /* of the seconds behind the point: 0 to 6 */
};

#define INTERVAL_FIELDS_ALL ((struct interval_fields){UNIT_SECOND, false, 6})

bool interval_fit(struct interval a, struct interval_fields fields, struct interval *out);

/*
 * The whole of `size` bytes, blanks and punctuation between the parts allowed: '1 year 2 mons -3
 * days 04:05:06.5', '1-2', '@ 1 day ago', 'P1Y2M3DT4H5M6S'. False when it is not one, with the
 * reason: "out of range" or "not an interval".
 */
bool interval_parse(const char *text, size_t size, struct interval_fields fields,
	struct interval *out, const char **reason);

#define INTERVAL_TEXT_MAX 80
/* PostgreSQL's own style: '1 year 2 mons -3 days +04:05:06.5'. Returns the length. */
size_t interval_format(struct interval interval, char text[INTERVAL_TEXT_MAX]);

#endif
