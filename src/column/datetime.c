#include "column/datetime.h"

#include <math.h>
#include <string.h>

static bool is_leap(int32_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

unsigned days_in_month(int32_t year, unsigned month)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

bool civil_valid(int32_t year, unsigned month, unsigned day)
{
	return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 &&
	       (day <= 28 || day <= days_in_month(year, month));
}

/*
 * Two digits as a number. What is not a digit sets *bad: one branch at the end, not one per byte.
 */
static unsigned two_digits(const char *text, unsigned *bad)
{
	unsigned tens = (unsigned char)text[0] - (unsigned)'0';
	unsigned ones = (unsigned char)text[1] - (unsigned)'0';

	*bad |= (unsigned)(tens > 9) | (unsigned)(ones > 9);
	return tens * 10 + ones;
}

bool date_parse(const char *text, size_t size, int64_t *days)
{
	unsigned bad = 0;
	unsigned year, month, day;

	if (size != 10 || text[4] != '-' || text[7] != '-')
		return false;
	year = two_digits(text, &bad) * 100;
	year += two_digits(text + 2, &bad);
	month = two_digits(text + 5, &bad);
	day = two_digits(text + 8, &bad);
	if (bad || !civil_valid((int32_t)year, month, day))
		return false;
	*days = days_from_civil((int32_t)year, month, day);
	return true;
}

/*
 * The digits of a fraction of a second as microseconds. Nine of them (nanoseconds) are the most
 * that tools write; what lies beyond six is rounded in doubles, because PostgreSQL does.
 */
static bool parse_fraction(const char *text, size_t size, int64_t *micros)
{
	int64_t nanos = 0;

	if (size < 1 || size > 9)
		return false;
	for (size_t i = 0; i < 9; i++) {
		unsigned digit = i < size ? (unsigned char)text[i] - (unsigned)'0' : 0;

		if (digit > 9)
			return false;
		nanos = nanos * 10 + digit;
	}
	*micros = size <= 6 ? nanos / 1000 : llrint((double)nanos / 1e9 * 1e6);
	return true;
}

bool time_parse(const char *text, size_t size, int64_t *micros)
{
	unsigned bad = 0;
	unsigned hour, minute, second = 0;
	int64_t fraction = 0;
	int64_t total;

	if (size < 5 || text[2] != ':')
		return false;
	hour = two_digits(text, &bad);
	minute = two_digits(text + 3, &bad);
	if (size > 5) {
		if (size < 8 || text[5] != ':')
			return false;
		second = two_digits(text + 6, &bad);
	}
	if (size > 8 && (text[8] != '.' || !parse_fraction(text + 9, size - 9, &fraction)))
		return false;
	/* A leap second is the first one of the next minute. */
	if (bad || hour > 24 || minute > 59 || second > 60)
		return false;
	total = (INT64_C(3600) * hour + 60 * minute + second) * MICROS_PER_SECOND + fraction;
	/* 24:00:00 is a time, the end of the day; nothing lies behind it. */
	if (total > MICROS_PER_DAY)
		return false;
	*micros = total;
	return true;
}

/* Length of the text without a trailing "Z", "+00" or "+00:00". */
static size_t without_utc(const char *text, size_t size)
{
	if (size > 1 && (text[size - 1] == 'Z' || text[size - 1] == 'z'))
		return size - 1;
	if (size > 6 && memcmp(text + size - 6, "+00:00", 6) == 0)
		return size - 6;
	if (size > 3 && memcmp(text + size - 3, "+00", 3) == 0)
		return size - 3;
	return size;
}

bool timestamp_parse(const char *text, size_t size, int64_t *micros)
{
	int64_t days, time = 0;

	if (size < 10 || !date_parse(text, 10, &days))
		return false;
	if (size > 10) {
		if (text[10] != ' ' && text[10] != 'T')
			return false;
		size = without_utc(text, size);
		if (!time_parse(text + 11, size - 11, &time))
			return false;
	}
	/* 24:00 of the last day is already year 10000. */
	if (days == DATE_DAYS_MAX && time == MICROS_PER_DAY)
		return false;
	*micros = days * MICROS_PER_DAY + time;
	return true;
}

/* The size of the offset at the end of a text, 0 when there is none; and its seconds. */
static size_t offset_parse(const char *text, size_t size, int64_t *seconds)
{
	static const size_t sizes[] = {3, 5, 6};
	unsigned bad = 0;

	*seconds = 0;
	if (size > 11 && (text[size - 1] == 'Z' || text[size - 1] == 'z'))
		return 1;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *at = text + size - sizes[i];
		unsigned hours, minutes = 0;

		/* Behind a time, or else the minus is one of the date. */
		if (size < 14 + sizes[i] + 2 || (*at != '+' && *at != '-'))
			continue;
		hours = two_digits(at + 1, &bad);
		if (sizes[i] > 3)
			minutes = two_digits(at + sizes[i] - 2, &bad);
		if (bad || hours > 15 || minutes > 59 || (sizes[i] == 6 && at[3] != ':'))
			return 0;
		*seconds = (int64_t)hours * 3600 + minutes * 60;
		*seconds = *at == '-' ? -*seconds : *seconds;
		return sizes[i];
	}
	return 0;
}

bool timestamptz_parse(const char *text, size_t size, int64_t *micros)
{
	int64_t seconds;
	size_t offset = offset_parse(text, size, &seconds);

	if (!timestamp_parse(text, size - offset, micros))
		return false;
	*micros -= seconds * MICROS_PER_SECOND;
	return *micros >= DATE_DAYS_MIN * MICROS_PER_DAY &&
	       *micros < (DATE_DAYS_MAX + 1) * MICROS_PER_DAY;
}

static char *put_two(char *p, unsigned value)
{
	*p++ = (char)('0' + value / 10);
	*p++ = (char)('0' + value % 10);
	return p;
}

static char *put_date(char *p, int64_t days)
{
	struct civil civil = civil_from_days(days);

	p = put_two(p, (unsigned)civil.year / 100 % 100);
	p = put_two(p, (unsigned)civil.year % 100);
	*p++ = '-';
	p = put_two(p, civil.month);
	*p++ = '-';
	return put_two(p, civil.day);
}

static char *put_time(char *p, int64_t micros)
{
	unsigned seconds = (unsigned)(micros / MICROS_PER_SECOND);
	unsigned fraction = (unsigned)(micros % MICROS_PER_SECOND);

	p = put_two(p, seconds / 3600 % 100);
	*p++ = ':';
	p = put_two(p, seconds / 60 % 60);
	*p++ = ':';
	p = put_two(p, seconds % 60);
	if (fraction == 0)
		return p;
	*p++ = '.';
	p = put_two(p, fraction / 10000);
	p = put_two(p, fraction / 100 % 100);
	p = put_two(p, fraction % 100);
	while (p[-1] == '0')
		p--;
	return p;
}

static size_t finish(char *text, char *p)
{
	*p = '\0';
	return (size_t)(p - text);
}

size_t date_format(int64_t days, char text[DATETIME_TEXT_MAX])
{
	return finish(text, put_date(text, days));
}

size_t time_format(int64_t micros, char text[DATETIME_TEXT_MAX])
{
	return finish(text, put_time(text, micros));
}

size_t timestamp_format(int64_t micros, char text[DATETIME_TEXT_MAX])
{
	char *p = put_date(text, timestamp_days(micros));

	*p++ = ' ';
	return finish(text, put_time(p, timestamp_time_of_day(micros)));
}

size_t timestamptz_format(int64_t micros, char text[DATETIME_TEXT_MAX])
{
	size_t size = timestamp_format(micros, text);

	memcpy(text + size, "+00", 4);
	return size + 3;
}
