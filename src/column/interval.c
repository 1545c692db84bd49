#include "column/interval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_DAY 86400.0

int interval_compare(struct interval a, struct interval b)
{
	int128 left = interval_span(a), right = interval_span(b);

	return (left > right) - (left < right);
}

int interval_order(struct interval a, struct interval b)
{
	int order = interval_compare(a, b);

	if (order == 0)
		order = (a.months > b.months) - (a.months < b.months);
	return order ? order : (a.days > b.days) - (a.days < b.days);
}

/* -- Arithmetic -- */

bool interval_add(struct interval a, struct interval b, struct interval *out)
{
	struct interval sum;

	if (__builtin_add_overflow(a.months, b.months, &sum.months) ||
		__builtin_add_overflow(a.days, b.days, &sum.days) ||
		__builtin_add_overflow(a.microseconds, b.microseconds, &sum.microseconds))
		return false;
	*out = sum;
	return true;
}

bool interval_sub(struct interval a, struct interval b, struct interval *out)
{
	struct interval difference;

	if (__builtin_sub_overflow(a.months, b.months, &difference.months) ||
		__builtin_sub_overflow(a.days, b.days, &difference.days) ||
		__builtin_sub_overflow(a.microseconds, b.microseconds, &difference.microseconds))
		return false;
	*out = difference;
	return true;
}

bool interval_negate(struct interval a, struct interval *out)
{
	return interval_sub((struct interval){0}, a, out);
}

/* To microseconds, where whole numbers are meant and doubles nearly give them. */
static double round_sixth(double value)
{
	return rint(value * 1e6) / 1e6;
}

static bool fits_int32(double value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/*
 * An interval from parts with fractions, which go down and never up. In doubles and in this order,
 * because the last digits of PostgreSQL's results depend on both.
 */
static bool interval_from_parts(double months, double days, double micros, struct interval *out)
{
	struct interval result;
	double rest_days, rest_seconds;
	int64_t whole_days;

	if (!fits_int32(months) || !fits_int32(days))
		return false;
	result.months = (int32_t)months;
	whole_days = (int32_t)days;
	rest_days = round_sixth((months - result.months) * DAYS_PER_MONTH);
	rest_seconds = round_sixth(
		(days - (double)whole_days + rest_days - (int)rest_days) * SECONDS_PER_DAY);
	if (fabs(rest_seconds) >= SECONDS_PER_DAY) {
		int carried = (int)(rest_seconds / SECONDS_PER_DAY);

		whole_days += carried;
		rest_seconds -= carried * SECONDS_PER_DAY;
	}
	whole_days += (int)rest_days;
	micros = rint(micros + rest_seconds * 1e6);
	if (whole_days < INT32_MIN || whole_days > INT32_MAX ||
		!(micros >= -0x1p63 && micros < 0x1p63))
		return false;
	result.days = (int32_t)whole_days;
	result.microseconds = (int64_t)micros;
	*out = result;
	return true;
}

bool interval_multiply(struct interval a, double factor, struct interval *out)
{
	return interval_from_parts(
		a.months * factor, a.days * factor, (double)a.microseconds * factor, out);
}

bool interval_divide(struct interval a, double divisor, struct interval *out)
{
	return interval_from_parts(
		a.months / divisor, a.days / divisor, (double)a.microseconds / divisor, out);
}

/* -- Justifying -- */

/* Whole days out of the microseconds, rounded towards zero. */
static bool carry_days(struct interval *a)
{
	int32_t whole = (int32_t)(a->microseconds / MICROS_PER_DAY);

	a->microseconds %= MICROS_PER_DAY;
	return !__builtin_add_overflow(a->days, whole, &a->days);
}

static bool carry_months(struct interval *a)
{
	int32_t whole = a->days / DAYS_PER_MONTH;

	a->days %= DAYS_PER_MONTH;
	return !__builtin_add_overflow(a->months, whole, &a->months);
}

/* Days and microseconds get the same sign. */
static void align_days(struct interval *a)
{
	if (a->days > 0 && a->microseconds < 0) {
		a->microseconds += MICROS_PER_DAY;
		a->days--;
	} else if (a->days < 0 && a->microseconds > 0) {
		a->microseconds -= MICROS_PER_DAY;
		a->days++;
	}
}

/* Months and what is below them get the same sign; `below` breaks the tie of no days. */
static void align_months(struct interval *a, int64_t below)
{
	if (a->months > 0 && (a->days < 0 || (a->days == 0 && below < 0))) {
		a->days += DAYS_PER_MONTH;
		a->months--;
	} else if (a->months < 0 && (a->days > 0 || (a->days == 0 && below > 0))) {
		a->days -= DAYS_PER_MONTH;
		a->months++;
	}
}

bool interval_justify_hours(struct interval a, struct interval *out)
{
	if (!carry_days(&a))
		return false;
	align_days(&a);
	*out = a;
	return true;
}

bool interval_justify_days(struct interval a, struct interval *out)
{
	if (!carry_months(&a))
		return false;
	align_months(&a, 0);
	*out = a;
	return true;
}

bool interval_justify(struct interval a, struct interval *out)
{
	/* Where both have one sign the days could overflow: months first. */
	if (((a.days > 0 && a.microseconds > 0) || (a.days < 0 && a.microseconds < 0)) &&
		!carry_months(&a))
		return false;
	if (!carry_days(&a) || !carry_months(&a))
		return false;
	align_months(&a, a.microseconds);
	align_days(&a);
	*out = a;
	return true;
}

/* -- Timestamps and times -- */

/* The day that lies `months` later, or the last one of its month. In any year. */
static int64_t days_add_months(int64_t day, int64_t months)
{
	struct civil civil = civil_from_days(day);
	int64_t month = (int64_t)civil.year * MONTHS_PER_YEAR + civil.month - 1 + months;
	int64_t year = month / MONTHS_PER_YEAR - (month % MONTHS_PER_YEAR < 0);
	unsigned of_year = (unsigned)(month - year * MONTHS_PER_YEAR) + 1;
	unsigned last = days_in_month((int32_t)year, of_year);

	return days_from_civil((int32_t)year, of_year, civil.day < last ? civil.day : last);
}

int128 timestamp_shift(int64_t timestamp, struct interval interval, bool subtract)
{
	int64_t months = subtract ? -(int64_t)interval.months : interval.months;
	int128 rest = (int128)interval.days * MICROS_PER_DAY + interval.microseconds;
	int128 sum = timestamp;

	if (months != 0)
		sum = (int128)days_add_months(timestamp_days(timestamp), months) * MICROS_PER_DAY +
		      timestamp_time_of_day(timestamp);
	return subtract ? sum - rest : sum + rest;
}

static bool timestamp_fit(int128 sum, int64_t *out)
{
	if (sum < (int128)DATE_DAYS_MIN * MICROS_PER_DAY ||
		sum >= ((int128)DATE_DAYS_MAX + 1) * MICROS_PER_DAY)
		return false;
	*out = (int64_t)sum;
	return true;
}

bool timestamp_add_interval(int64_t timestamp, struct interval interval, int64_t *out)
{
	if (time_is_infinite(timestamp)) {
		*out = timestamp;
		return true;
	}
	return timestamp_fit(timestamp_shift(timestamp, interval, false), out);
}

bool timestamp_sub_interval(int64_t timestamp, struct interval interval, int64_t *out)
{
	if (time_is_infinite(timestamp)) {
		*out = timestamp;
		return true;
	}
	return timestamp_fit(timestamp_shift(timestamp, interval, true), out);
}

struct interval timestamp_diff(int64_t a, int64_t b)
{
	int64_t micros = a - b;

	return (struct interval){
		.microseconds = micros % MICROS_PER_DAY,
		.days = (int32_t)(micros / MICROS_PER_DAY),
	};
}

struct interval timestamp_age(int64_t a, int64_t b)
{
	int64_t later = a > b ? a : b, earlier = a > b ? b : a;
	struct civil to = civil_from_days(timestamp_days(later));
	struct civil from = civil_from_days(timestamp_days(earlier));
	struct interval age = {
		.microseconds = timestamp_time_of_day(later) - timestamp_time_of_day(earlier),
		.days = to.day - from.day,
		.months = (to.year - from.year) * MONTHS_PER_YEAR + to.month - from.month,
	};

	if (age.microseconds < 0) {
		age.microseconds += MICROS_PER_DAY;
		age.days--;
	}
	/* A borrowed month is as long as the one in which the earlier of the two lies. */
	while (age.days < 0) {
		age.days += (int32_t)days_in_month(from.year, from.month);
		age.months--;
	}
	if (a < b)
		age = (struct interval){-age.microseconds, -age.days, -age.months};
	return age;
}

int64_t time_add_interval(int64_t time, struct interval interval)
{
	return timestamp_time_of_day(time + interval.microseconds % MICROS_PER_DAY);
}

int64_t time_sub_interval(int64_t time, struct interval interval)
{
	return timestamp_time_of_day(time - interval.microseconds % MICROS_PER_DAY);
}

int64_t interval_time(struct interval interval)
{
	return timestamp_time_of_day(interval.microseconds);
}

/* -- Fields -- */

/* Half away from zero, to `unit`. False when that leaves 64 bits. */
static bool round_micros(int64_t micros, int64_t unit, int64_t *out)
{
	int64_t half = micros < 0 ? -(unit / 2) : unit / 2;

	if (__builtin_add_overflow(micros, half, &micros))
		return false;
	*out = micros - micros % unit;
	return true;
}

bool interval_fit(struct interval a, struct interval_fields fields, struct interval *out)
{
	static const int64_t units[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
	struct interval result = a;

	if (fields.least >= UNIT_DAY)
		result.microseconds = 0;
	if (fields.least >= UNIT_MONTH)
		result.days = 0;
	if (fields.least >= UNIT_YEAR)
		result.months -= result.months % MONTHS_PER_YEAR;
	if (fields.least == UNIT_HOUR)
		result.microseconds -= result.microseconds % (3600 * MICROS_PER_SECOND);
	if (fields.least == UNIT_MINUTE)
		result.microseconds -= result.microseconds % (60 * MICROS_PER_SECOND);
	if (fields.digits < 6 &&
		!round_micros(result.microseconds, units[fields.digits], &result.microseconds))
		return false;
	*out = result;
	return true;
}

/* -- Text -- */

struct interval_printer {
	char *at;
	char *end;
	bool empty;    /* nothing printed yet */
	bool negative; /* the part before was: a positive one then says so */
};

static void print_part(struct interval_printer *p, int32_t value, const char *unit)
{
	if (value == 0)
		return;
	p->at += snprintf(p->at, (size_t)(p->end - p->at), "%s%s%d %s%s", p->empty ? "" : " ",
		p->negative && value > 0 ? "+" : "", value, unit, value == 1 ? "" : "s");
	p->negative = value < 0;
	p->empty = false;
}

static void print_time(struct interval_printer *p, int64_t micros)
{
	uint64_t rest = micros < 0 ? -(uint64_t)micros : (uint64_t)micros;
	uint64_t seconds = rest / MICROS_PER_SECOND;
	const char *sign = "";

	if (micros == 0 && !p->empty)
		return;
	if (micros < 0)
		sign = "-";
	else if (p->negative)
		sign = "+";
	p->at += snprintf(p->at, (size_t)(p->end - p->at), "%s%s%02llu:%02u:%02u",
		p->empty ? "" : " ", sign, (unsigned long long)(seconds / 3600),
		(unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
	rest %= MICROS_PER_SECOND;
	if (rest == 0)
		return;
	p->at += snprintf(p->at, (size_t)(p->end - p->at), ".%06u", (unsigned)rest);
	while (p->at[-1] == '0')
		p->at--;
}

size_t interval_format(struct interval interval, char text[INTERVAL_TEXT_MAX])
{
	struct interval_printer p = {.at = text, .end = text + INTERVAL_TEXT_MAX, .empty = true};

	print_part(&p, interval.months / MONTHS_PER_YEAR, "year");
	print_part(&p, interval.months % MONTHS_PER_YEAR, "mon");
	print_part(&p, interval.days, "day");
	print_time(&p, interval.microseconds);
	*p.at = '\0';
	return (size_t)(p.at - text);
}
