#include "column/datetime.h"

#include <math.h>
#include <string.h>

#define MICROS_TO_2000	(10957 * MICROS_PER_DAY)
#define YEAR_MIN	(-4713)
#define YEAR_MAX	294246
#define YEAR_DIGITS_MAX 6

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
	return year >= YEAR_MIN && year <= YEAR_MAX && month >= 1 && month <= 12 && day >= 1 &&
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

static bool is_text(const char *text, size_t size, const char *wanted)
{
	return size == strlen(wanted) && memcmp(text, wanted, size) == 0;
}

static bool parse_infinity(const char *text, size_t size, int64_t *value)
{
	bool positive = is_text(text, size, "infinity");

	if (!positive && !is_text(text, size, "-infinity"))
		return false;
	*value = positive ? TIME_INFINITY : TIME_MINUS_INFINITY;
	return true;
}

/* The size without " BC" at the end. */
static size_t without_era(const char *text, size_t size)
{
	return size > 3 && memcmp(text + size - 3, " BC", 3) == 0 ? size - 3 : size;
}

/* Digits of a year at the start: 4 to YEAR_DIGITS_MAX of them, and a minus behind; 0 for others. */
static size_t year_digits(const char *text, size_t size, int32_t *year)
{
	size_t digits = 0;

	for (*year = 0; digits < size && text[digits] >= '0' && text[digits] <= '9'; digits++) {
		if (digits == YEAR_DIGITS_MAX)
			return 0;
		*year = *year * 10 + (text[digits] - '0');
	}
	return digits >= 4 && digits < size && text[digits] == '-' ? digits : 0;
}

/* Years of more than four digits, or before Christ; the era has been taken off. */
static bool parse_far_date(const char *text, size_t size, bool is_bc, int64_t *days)
{
	unsigned bad = 0, month, day;
	int32_t year;
	size_t digits = year_digits(text, size, &year);

	if (digits == 0 || year == 0 || size != digits + 6 || text[digits + 3] != '-')
		return false;
	month = two_digits(text + digits + 1, &bad);
	day = two_digits(text + digits + 4, &bad);
	year = is_bc ? 1 - year : year;
	if (bad || !civil_valid(year, month, day))
		return false;
	if (days_from_civil(year, month, day) < DATE_DAYS_MIN)
		return false;
	*days = days_from_civil(year, month, day);
	return true;
}

static bool parse_rare_date(const char *text, size_t size, int64_t *days)
{
	size_t bare = without_era(text, size);

	return parse_infinity(text, size, days) || parse_far_date(text, bare, bare < size, days);
}

bool date_parse(const char *text, size_t size, int64_t *days)
{
	unsigned bad = 0;
	unsigned year, month, day;

	if (size != 10 || text[4] != '-' || text[7] != '-')
		return parse_rare_date(text, size, days);
	year = two_digits(text, &bad) * 100;
	year += two_digits(text + 2, &bad);
	month = two_digits(text + 5, &bad);
	day = two_digits(text + 8, &bad);
	if (bad || year == 0 || !civil_valid((int32_t)year, month, day))
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

/* The same with a year of more than four digits, or before Christ; the era has been taken off. */
static bool parse_far_timestamp(const char *text, size_t size, bool is_bc, int64_t *micros)
{
	int64_t days, time = 0;
	int32_t year;
	size_t date = year_digits(text, size, &year) + 6;

	if (date == 6 || size < date || !parse_far_date(text, date, is_bc, &days))
		return false;
	if (size > date) {
		if (text[date] != ' ' && text[date] != 'T')
			return false;
		size = without_utc(text, size);
		if (!time_parse(text + date + 1, size - date - 1, &time))
			return false;
	}
	if (days == DATE_DAYS_MAX && time == MICROS_PER_DAY)
		return false;
	*micros = days * MICROS_PER_DAY + time;
	return true;
}

static bool parse_rare_timestamp(const char *text, size_t size, int64_t *micros)
{
	size_t bare = without_era(text, size);

	return parse_infinity(text, size, micros) ||
	       parse_far_timestamp(text, bare, bare < size, micros);
}

bool timestamp_parse(const char *text, size_t size, int64_t *micros)
{
	int64_t days, time = 0;

	if (size < 10 || text[4] != '-' || text[size - 1] == 'C')
		return parse_rare_timestamp(text, size, micros);
	if (!date_parse(text, 10, &days))
		return false;
	if (size > 10) {
		if (text[10] != ' ' && text[10] != 'T')
			return false;
		size = without_utc(text, size);
		if (!time_parse(text + 11, size - 11, &time))
			return false;
	}
	*micros = days * MICROS_PER_DAY + time;
	return true;
}

/* The size of the offset at the end of a text, 0 when there is none; and its seconds. */
static size_t offset_parse(const char *text, size_t size, int64_t *seconds)
{
	static const size_t sizes[] = {3, 5, 6, 9};
	unsigned bad = 0;

	*seconds = 0;
	if (size > 11 && (text[size - 1] == 'Z' || text[size - 1] == 'z'))
		return 1;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *at = text + size - sizes[i];
		unsigned hours, minutes = 0, rest = 0;

		/* Behind a time, or else the minus is one of the date. */
		if (size < 14 + sizes[i] + 2 || (*at != '+' && *at != '-'))
			continue;
		hours = two_digits(at + 1, &bad);
		if (sizes[i] > 3)
			minutes = two_digits(at + (sizes[i] == 5 ? 3 : 4), &bad);
		if (sizes[i] > 6)
			rest = two_digits(at + 7, &bad);
		if (bad || hours > 15 || minutes > 59 || rest > 59 ||
			(sizes[i] > 5 && at[3] != ':') || (sizes[i] > 6 && at[6] != ':'))
			return 0;
		*seconds = (int64_t)hours * 3600 + minutes * 60 + rest;
		*seconds = *at == '-' ? -*seconds : *seconds;
		return sizes[i];
	}
	return 0;
}

bool timestamptz_parse(const char *text, size_t size, int64_t *micros)
{
	int64_t seconds;
	size_t bare = without_era(text, size), offset = offset_parse(text, bare, &seconds);

	if (bare < size ? !parse_far_timestamp(text, bare - offset, true, micros)
			: !timestamp_parse(text, size - offset, micros))
		return false;
	if (time_is_infinite(*micros))
		return true;
	*micros -= seconds * MICROS_PER_SECOND;
	return *micros >= DATE_DAYS_MIN * MICROS_PER_DAY &&
	       *micros < (DATE_DAYS_MAX + 1) * MICROS_PER_DAY;
}

int64_t time_round(int64_t micros, unsigned digits)
{
	static const int64_t units[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
	int64_t unit = units[digits < 6 ? digits : 6];

	return (micros + (micros < 0 ? -(unit / 2) : unit / 2)) / unit * unit;
}

int64_t timestamp_round(int64_t micros, unsigned digits)
{
	if (time_is_infinite(micros))
		return micros;
	return time_round(micros - MICROS_TO_2000, digits) + MICROS_TO_2000;
}

static char *put_two(char *p, unsigned value)
{
	*p++ = (char)('0' + value / 10);
	*p++ = (char)('0' + value % 10);
	return p;
}

/* The year of its era, with four digits at least. */
static char *put_year(char *p, int32_t year)
{
	unsigned of_era = (unsigned)(year > 0 ? year : 1 - year);

	if (of_era >= 100000)
		*p++ = (char)('0' + of_era / 100000);
	if (of_era >= 10000)
		*p++ = (char)('0' + of_era / 10000 % 10);
	p = put_two(p, of_era / 100 % 100);
	return put_two(p, of_era % 100);
}

static char *put_date(char *p, struct civil civil)
{
	p = put_year(p, civil.year);
	*p++ = '-';
	p = put_two(p, civil.month);
	*p++ = '-';
	return put_two(p, civil.day);
}

static char *put_era(char *p, int32_t year)
{
	return year > 0 ? p : (char *)memcpy(p, " BC", 3) + 3;
}

static char *put_infinity(char *p, int64_t value)
{
	if (value == TIME_MINUS_INFINITY)
		*p++ = '-';
	return (char *)memcpy(p, "infinity", 8) + 8;
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
	struct civil civil;

	if (time_is_infinite(days))
		return finish(text, put_infinity(text, days));
	civil = civil_from_days(days);
	return finish(text, put_era(put_date(text, civil), civil.year));
}

size_t time_format(int64_t micros, char text[DATETIME_TEXT_MAX])
{
	return finish(text, put_time(text, micros));
}

size_t timestamp_format_with(
	int64_t micros, const char *suffix, size_t suffix_size, char text[DATETIME_TEXT_MAX])
{
	struct civil civil;
	char *p;

	if (time_is_infinite(micros))
		return finish(text, put_infinity(text, micros));
	civil = civil_from_days(timestamp_days(micros));
	p = put_date(text, civil);
	*p++ = ' ';
	p = put_time(p, timestamp_time_of_day(micros));
	memcpy(p, suffix, suffix_size);
	return finish(text, put_era(p + suffix_size, civil.year));
}

size_t timestamp_format(int64_t micros, char text[DATETIME_TEXT_MAX])
{
	return timestamp_format_with(micros, "", 0, text);
}

size_t timestamptz_format(int64_t micros, char text[DATETIME_TEXT_MAX])
{
	return timestamp_format_with(micros, "+00", 3, text);
}
