#include "column/csv_reading.h"

#include "column/datetime.h"

#include <stdio.h>
#include <string.h>

#define NUMBER_MAX     128 /* bytes of a number with marks in it */
#define ZONE_HOURS_MAX 15

/* -- Dates -- */

/* YYYY, YY, MM or DD at *at, in any case; moves behind it. '\0' when it is none of them. */
static char take_part(const char **at, bool *short_year)
{
	char part = (char)(**at & ~0x20);
	size_t size = 0;

	while ((*at)[size] && ((*at)[size] & ~0x20) == part)
		size++;
	*at += size;
	if (part == 'Y' && (size == 2 || size == 4)) {
		*short_year = size == 2;
		return part;
	}
	return (part == 'M' || part == 'D') && size >= 1 && size <= 2 ? part : '\0';
}

bool date_pattern_parse(const char *text, struct date_pattern *out)
{
	const char *at = text;

	*out = (struct date_pattern){0};
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			out->mark = *at;
		if (i > 0 && (*at == '\0' || !strchr("/-. ", *at) || *at++ != out->mark))
			return false;
		out->order[i] = take_part(&at, &out->short_year);
		if (out->order[i] == '\0' || (i > 0 && out->order[i] == out->order[0]) ||
			(i > 1 && out->order[i] == out->order[1]))
			return false;
	}
	if (memcmp(out->order, "YMD", 3) == 0 && out->mark == '-' && !out->short_year)
		*out = (struct date_pattern){0};
	return *at == '\0';
}

void date_pattern_write(const struct date_pattern *pattern, char text[DATE_PATTERN_MAX])
{
	struct date_pattern iso = {.order = {'Y', 'M', 'D'}, .mark = '-'};
	const struct date_pattern *p = pattern->mark ? pattern : &iso;
	size_t used = 0;

	for (int i = 0; i < 3; i++) {
		const char *part = p->order[i] == 'M'	? "MM"
				   : p->order[i] == 'D' ? "DD"
				   : p->short_year	? "YY"
							: "YYYY";

		used += (size_t)snprintf(text + used, DATE_PATTERN_MAX - used, "%s%.1s", part,
			i < 2 ? &p->mark : "");
	}
}

/* Up to `most` digits, at least `least`; -1 when they are not there. */
static int take_digits(const char **at, const char *end, int least, int most)
{
	int value = 0, count = 0;

	while (*at < end && count < most && **at >= '0' && **at <= '9') {
		value = 10 * value + (**at - '0');
		++*at;
		count++;
	}
	return count >= least ? value : -1;
}

/* A date at *at; moves behind it. */
static bool take_date(
	const struct date_pattern *pattern, const char **at, const char *end, int64_t *days)
{
	int year = 0, month = 0, day = 0;

	for (int i = 0; i < 3; i++) {
		bool is_year = pattern->order[i] == 'Y';
		int width = is_year ? (pattern->short_year ? 2 : 4) : 2;
		int *part = is_year ? &year : pattern->order[i] == 'M' ? &month : &day;

		if (i > 0 && (*at == end || *(*at)++ != pattern->mark))
			return false;
		*part = take_digits(at, end, is_year ? width : 1, width);
		if (*part < 0)
			return false;
	}
	if (pattern->short_year)
		year += year < 70 ? 2000 : 1900;
	if (year == 0 || !civil_valid(year, (unsigned)month, (unsigned)day))
		return false;
	*days = days_from_civil(year, (unsigned)month, (unsigned)day);
	return true;
}

/* The whole of `size` bytes. Days and months may have one digit. */
static bool date_pattern_date(
	const struct date_pattern *pattern, const char *text, size_t size, int64_t *days)
{
	const char *at = text;

	if (pattern->mark == '\0')
		return date_parse(text, size, days);
	return take_date(pattern, &at, text + size, days) && at == text + size;
}

/* How many bytes at the end are a zone, Z, +02, +0200 or +02:00, and what it is. */
static size_t zone_size(const char *text, size_t size, int64_t *micros)
{
	const char *end = text + size, *sign = end;
	const char *at;
	int hours, minutes = 0;

	*micros = 0;
	if (size > 1 && (end[-1] == 'Z' || end[-1] == 'z'))
		return 1;
	while (sign > text && sign > end - 6 && sign[-1] != '+' && sign[-1] != '-')
		sign--;
	if (sign == text || (sign[-1] != '+' && sign[-1] != '-'))
		return 0;
	at = sign;
	hours = take_digits(&at, end, 2, 2);
	if (at < end) {
		at += *at == ':';
		minutes = take_digits(&at, end, 2, 2);
	}
	if (hours < 0 || minutes < 0 || hours > ZONE_HOURS_MAX || minutes > 59 || at != end)
		return 0;
	*micros = (int64_t)(60 * hours + minutes) * 60 * MICROS_PER_SECOND;
	if (sign[-1] == '-')
		*micros = -*micros;
	return (size_t)(end - (sign - 1));
}

/* A date, and perhaps a time of day of which the hour may have one digit. */
static bool parse_point(
	const struct date_pattern *pattern, const char *text, size_t size, int64_t *micros)
{
	struct date_pattern iso = {.order = {'Y', 'M', 'D'}, .mark = '-'};
	const char *at = text, *end = text + size;
	char padded[DATETIME_TEXT_MAX];
	int64_t days, time = 0;

	if (!take_date(pattern->mark ? pattern : &iso, &at, end, &days))
		return false;
	if (at < end) {
		size_t left = (size_t)(end - at - 1);

		if ((*at != ' ' && *at != 'T') || left < 4 || left + 1 >= sizeof(padded))
			return false;
		padded[0] = '0';
		memcpy(padded + 1, at + 1, left);
		if (!(at[2] == ':' ? time_parse(padded, left + 1, &time)
				   : time_parse(at + 1, left, &time)))
			return false;
	}
	*micros = days * MICROS_PER_DAY + time;
	return *micros <= (DATE_DAYS_MAX + INT64_C(1)) * MICROS_PER_DAY - 1;
}

static bool parse_time_value(const struct csv_reading *reading, struct type type, const char *text,
	size_t size, struct value *out, const char **reason)
{
	int64_t offset = 0;

	if (type.kind == TYPE_DATE) {
		*reason = "not a date as this column has them";
		return date_pattern_date(&reading->date, text, size, &out->i64);
	}
	*reason = "not a timestamp as this column has them";
	if (reading->zoned) {
		size_t zone = zone_size(text, size, &offset);

		if (zone == 0)
			return false;
		size -= zone;
	}
	if (!parse_point(&reading->date, text, size, &out->i64))
		return false;
	out->i64 -= offset;
	return timestamp_days(out->i64) >= DATE_DAYS_MIN &&
	       timestamp_days(out->i64) <= DATE_DAYS_MAX;
}

/* -- Numbers -- */

/* The number without marks between thousands, and with a point; 0 when they stand wrong. */
static size_t plain_number(
	const struct csv_reading *reading, const char *text, size_t size, char out[NUMBER_MAX])
{
	char decimal = reading->decimal ? reading->decimal : '.';
	size_t used = 0, group = 0;
	bool grouped = false, whole = true; /* before the decimal mark */

	if (size >= NUMBER_MAX)
		return 0;
	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (c >= '0' && c <= '9') {
			group++;
		} else if (whole && reading->thousands && c == reading->thousands) {
			if (group == 0 || (grouped ? group != 3 : group > 3))
				return 0;
			grouped = true;
			group = 0;
			continue;
		} else if (c == decimal && whole) {
			if (grouped && group != 3)
				return 0;
			whole = false;
			c = '.';
		} else if (c == '.' || c == ',' || (grouped && whole && group != 3)) {
			return 0;
		}
		out[used++] = c;
	}
	return grouped && whole && group != 3 ? 0 : used;
}

bool csv_reading_is_usual(const struct csv_reading *reading)
{
	return reading->date.mark == '\0' && reading->decimal == '\0' &&
	       reading->thousands == '\0' && !reading->zoned;
}

bool csv_reading_parse(const struct csv_reading *reading, struct type type, const char *text,
	size_t size, struct arena *arena, struct value *out, const char **reason)
{
	char number[NUMBER_MAX];
	size_t number_size;

	while (size > 0 && (*text == ' ' || *text == '\t')) {
		text++;
		size--;
	}
	while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
		size--;
	*out = (struct value){.type = type};
	switch (type.kind) {
	case TYPE_DATE:
	case TYPE_TIMESTAMP:
		if (reading->date.mark == '\0' && !reading->zoned)
			break;
		return parse_time_value(reading, type, text, size, out, reason);
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
	case TYPE_NUMERIC:
	case TYPE_REAL:
	case TYPE_DOUBLE:
		if (reading->decimal == '\0' && reading->thousands == '\0')
			break;
		number_size = plain_number(reading, text, size, number);
		if (number_size == 0) {
			*reason = "not a number as this column has them";
			return false;
		}
		return value_parse(type, number, number_size, arena, out, reason);
	default: break;
	}
	return value_parse(type, text, size, arena, out, reason);
}
