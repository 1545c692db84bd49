/* The times of a path: strings that .datetime() reads, compared by the rules of SQL. */
#include "exec/func/jsonpath_private.h"

#include "column/datetime.h"
#include "column/zone.h"
#include "exec/func/time_pattern.h"

#include <stdio.h>
#include <string.h>

#define OFFSET_HOURS_MAX 15

const char *path_time_name(enum path_time time)
{
	static const char *const names[] = {
		[PATH_TIME_NONE] = "",
		[PATH_TIME_DATE] = "date",
		[PATH_TIME_TIME] = "time without time zone",
		[PATH_TIME_TIMETZ] = "time with time zone",
		[PATH_TIME_TIMESTAMP] = "timestamp without time zone",
		[PATH_TIME_TIMESTAMPTZ] = "timestamp with time zone",
	};

	return names[time];
}

/* -- Reading -- */

struct time_cursor {
	const char *at;
	const char *end;
};

/* From one to `most` digits. */
static bool read_digits(struct time_cursor *c, unsigned most, int64_t *value)
{
	unsigned digits = 0;

	for (*value = 0; c->at < c->end && digits < most && *c->at >= '0' && *c->at <= '9';
		digits++)
		*value = *value * 10 + (*c->at++ - '0');
	return digits > 0;
}

static bool take(struct time_cursor *c, char mark)
{
	if (c->at == c->end || *c->at != mark)
		return false;
	c->at++;
	return true;
}

/* year-month-day */
static bool read_date(struct time_cursor *c, int64_t *days)
{
	int64_t year, month, day;

	if (!read_digits(c, 9, &year) || !take(c, '-') || !read_digits(c, 2, &month) ||
		!take(c, '-') || !read_digits(c, 2, &day) || year == 0 ||
		!civil_valid((int32_t)year, (unsigned)month, (unsigned)day))
		return false;
	*days = days_from_civil((int32_t)year, (unsigned)month, (unsigned)day);
	return true;
}

/* hour:minute:second[.fraction] */
static bool read_time(struct time_cursor *c, int64_t *micros)
{
	int64_t hour, minute, second, fraction = 0, unit = MICROS_PER_SECOND;

	if (!read_digits(c, 2, &hour) || !take(c, ':') || !read_digits(c, 2, &minute) ||
		!take(c, ':') || !read_digits(c, 2, &second) || hour > 23 || minute > 59 ||
		second > 59)
		return false;
	if (take(c, '.')) {
		const char *start = c->at;

		while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - start < 6) {
			unit /= 10;
			fraction += (*c->at++ - '0') * unit;
		}
		if (c->at == start)
			return false;
	}
	*micros = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + fraction;
	return true;
}

/* +hours[:minutes] */
static bool read_offset(struct time_cursor *c, int32_t *offset)
{
	int64_t hours, minutes = 0;
	bool west;

	west = c->at < c->end && *c->at == '-';
	if (!take(c, '-') && !take(c, '+'))
		return false;
	if (!read_digits(c, 2, &hours) || hours > OFFSET_HOURS_MAX)
		return false;
	if (take(c, ':') && (!read_digits(c, 2, &minutes) || minutes > 59))
		return false;
	*offset = (int32_t)(hours * 3600 + minutes * 60);
	*offset = west ? -*offset : *offset;
	return true;
}

/* The string that it prints as. */
static void set_text(struct path_item *out, int64_t local, struct arena *arena)
{
	struct json_node *node = arena_zalloc(arena, sizeof(*node));
	char text[DATETIME_TEXT_MAX + ZONE_OFFSET_TEXT_MAX];
	size_t size;

	if (out->time == PATH_TIME_DATE)
		size = date_format(local, text);
	else if (out->time == PATH_TIME_TIME || out->time == PATH_TIME_TIMETZ)
		size = time_format(local, text);
	else
		size = timestamp_format(local, text);
	if (out->time >= PATH_TIME_TIMESTAMP)
		text[strcspn(text, " ")] = 'T';
	if (out->time == PATH_TIME_TIMETZ || out->time == PATH_TIME_TIMESTAMPTZ) {
		bool west = out->offset < 0;
		unsigned minutes = (unsigned)(west ? -out->offset : out->offset) / 60;

		size += (size_t)snprintf(text + size, sizeof(text) - size, "%c%02u:%02u",
			west ? '-' : '+', minutes / 60, minutes % 60);
	}
	node->form = JSON_FORM_STRING;
	node->text = text_from(arena_copy(arena, text, size), size);
	out->node = node;
}

static void set_item(struct path_item *out, bool has_date, bool has_time, bool has_offset,
	int64_t day, int64_t time, struct arena *arena)
{
	int64_t local = time;

	if (!has_date)
		out->time = has_offset ? PATH_TIME_TIMETZ : PATH_TIME_TIME;
	else if (!has_time)
		out->time = PATH_TIME_DATE;
	else
		out->time = has_offset ? PATH_TIME_TIMESTAMPTZ : PATH_TIME_TIMESTAMP;
	if (has_date)
		local = has_time ? day * MICROS_PER_DAY + time : day;
	out->value = local;
	if (out->time == PATH_TIME_TIMESTAMPTZ)
		out->value -= out->offset * MICROS_PER_SECOND;
	set_text(out, local, arena);
}

/* One that PostgreSQL has, but not this calendar. */
static bool starts_with_far_year(struct text text)
{
	uint32_t digits = 0;

	while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9')
		digits++;
	return digits >= 6 && digits < text.size && text.data[digits] == '-';
}

bool path_time_read(
	struct text text, struct arena *arena, struct path_item *out, const char **reason)
{
	struct time_cursor c = {text.data, text.data + text.size};
	bool has_date, has_time = false, has_offset = false;
	int64_t day = 0, time = 0;

	*out = (struct path_item){0};
	*reason = starts_with_far_year(text) ? PATH_TIME_OUT_OF_RANGE
					     : "datetime format is not recognized";
	has_date = read_date(&c, &day);
	if (!has_date)
		c.at = text.data;
	if (!has_date || take(&c, ' ') || take(&c, 'T'))
		has_time = read_time(&c, &time);
	if (!has_time && !has_date)
		return false;
	if (has_date && has_time)
		(void)take(&c, ' ');
	if (has_time && c.at < c.end)
		has_offset = read_offset(&c, &out->offset);
	if (c.at < c.end)
		return false;
	set_item(out, has_date, has_time, has_offset, day, time, arena);
	return true;
}

int path_time_read_by(struct text text, struct text written, struct arena *arena,
	struct path_item *out, struct error *err)
{
	const struct input_pattern *pattern = time_pattern_new(written, true, arena, err);
	bool has_date, has_time, has_zone;
	struct time_reading reading;
	int64_t time;

	*out = (struct path_item){0};
	if (!pattern || time_pattern_read(pattern, text, &reading, err) < 0)
		return -1;
	has_date = time_pattern_has_date(pattern);
	has_time = time_pattern_has_time(pattern);
	has_zone = time_pattern_has_zone(pattern);
	if (!has_date && !has_time)
		return error_set(err, ERROR_EVAL, "datetime format is not dated and not timed");
	if (has_zone && !has_time)
		return error_set(err, ERROR_EVAL, "datetime format is zoned but not timed");
	if (has_zone && !reading.has_offset)
		return error_set(err, ERROR_EVAL, "missing time zone in input string");
	out->offset = reading.offset;
	time = time_round(reading.time, reading.digits);
	set_item(out, has_date, has_time, has_zone, reading.day, time, arena);
	return 0;
}

/* -- Comparing -- */

static int order_of(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Microseconds on the wall, or in UTC when there is an offset. */
static int64_t micros_of(const struct path_item *item)
{
	return item->time == PATH_TIME_DATE ? item->value * MICROS_PER_DAY : item->value;
}

/* In UTC: one without a zone is one of the session's. */
static int64_t utc_of(const struct path_item *item, const struct zone *zone)
{
	int64_t micros = micros_of(item);

	if (item->time == PATH_TIME_TIMESTAMPTZ)
		return micros;
	return micros - zone_offset_of_local(zone, micros) * MICROS_PER_SECOND;
}

/* By the time in UTC, then by the zone, from east to west. */
static int compare_times_of_day(
	const struct path_item *a, const struct path_item *b, const struct zone *zone)
{
	int32_t here = zone ? zone_offset(zone, 0) : 0;
	int32_t a_offset = a->time == PATH_TIME_TIMETZ ? a->offset : here;
	int32_t b_offset = b->time == PATH_TIME_TIMETZ ? b->offset : here;
	int order = order_of(
		a->value - a_offset * MICROS_PER_SECOND, b->value - b_offset * MICROS_PER_SECOND);

	return order ? order : order_of(b_offset, a_offset);
}

bool path_time_compare(const struct path_item *a, const struct path_item *b,
	const struct zone *zone, int *order, bool *needs_zone)
{
	bool a_day = a->time == PATH_TIME_TIME || a->time == PATH_TIME_TIMETZ;
	bool b_day = b->time == PATH_TIME_TIME || b->time == PATH_TIME_TIMETZ;
	bool zoned = a->time == PATH_TIME_TIMETZ || a->time == PATH_TIME_TIMESTAMPTZ ||
		     b->time == PATH_TIME_TIMETZ || b->time == PATH_TIME_TIMESTAMPTZ;

	if (a_day != b_day)
		return false;
	*needs_zone = zoned && a->time != b->time;
	if (*needs_zone && !zone)
		return false;
	if (a_day)
		*order = zoned ? compare_times_of_day(a, b, zone) : order_of(a->value, b->value);
	else if (*needs_zone)
		*order = order_of(utc_of(a, zone), utc_of(b, zone));
	else
		*order = order_of(micros_of(a), micros_of(b));
	return true;
}
