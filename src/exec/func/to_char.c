/*
 * to_char for dates and timestamps, and the kernel for all types.
 *
 * A pattern is a row of fields and literal bytes. FM in front of a field drops its padding, TM that
 * of a name (names are always English). TH or th behind a number adds its English ordinal. "Text in
 * quotes" is literal, and so is whatever is no field.
 */
#include "exec/func/to_char.h"
#include "exec/func/infinite_time.h"

#include "column/datetime.h"
#include "column/zone.h"
#include "exec/expr/eval_private.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum time_field {
	FIELD_LITERAL,
	FIELD_NOTHING, /* understood, and without a meaning for output */
	FIELD_UNSUPPORTED,
	FIELD_MERIDIAN,
	FIELD_MERIDIAN_DOTS,
	FIELD_ERA,
	FIELD_ERA_DOTS,
	FIELD_MONTH_NAME,
	FIELD_MONTH_SHORT,
	FIELD_MONTH_ROMAN,
	FIELD_DAY_NAME,
	FIELD_DAY_SHORT,
	FIELD_OFFSET,
	FIELD_OFFSET_HOUR,
	FIELD_OFFSET_MINUTE,
	/* From here on numbers, which can be ordinals. */
	FIELD_YEAR_COMMA,
	FIELD_YEAR,
	FIELD_YEAR_3,
	FIELD_YEAR_2,
	FIELD_YEAR_1,
	FIELD_ISO_YEAR,
	FIELD_ISO_YEAR_3,
	FIELD_ISO_YEAR_2,
	FIELD_ISO_YEAR_1,
	FIELD_CENTURY,
	FIELD_QUARTER,
	FIELD_MONTH,
	FIELD_WEEK_OF_MONTH,
	FIELD_WEEK,
	FIELD_ISO_WEEK,
	FIELD_DAY_OF_YEAR,
	FIELD_ISO_DAY_OF_YEAR,
	FIELD_DAY,
	FIELD_WEEKDAY,
	FIELD_ISO_WEEKDAY,
	FIELD_JULIAN,
	/* From here on finer than a day. */
	FIELD_HOUR_24,
	FIELD_HOUR_12,
	FIELD_MINUTE,
	FIELD_SECOND,
	FIELD_SECOND_OF_DAY,
	FIELD_FRACTION, /* .digits of it */
};

enum letters {
	LETTERS_UPPER,
	LETTERS_LOWER,
	LETTERS_TITLE,
};

struct keyword {
	const char *word;
	enum time_field field;
	enum letters letters;
	uint8_t digits; /* least width of a number */
};

/* Of two words that begin alike the longer comes first. */
#define KEYWORD_BOTH(upper, lower, field, digits)   \
	{upper, field, LETTERS_UPPER, digits},      \
	{                                           \
		lower, field, LETTERS_LOWER, digits \
	}

static const struct keyword keywords[] = {
	KEYWORD_BOTH("A.D.", "a.d.", FIELD_ERA_DOTS, 0),
	KEYWORD_BOTH("A.M.", "a.m.", FIELD_MERIDIAN_DOTS, 0),
	KEYWORD_BOTH("AD", "ad", FIELD_ERA, 0),
	KEYWORD_BOTH("AM", "am", FIELD_MERIDIAN, 0),
	KEYWORD_BOTH("B.C.", "b.c.", FIELD_ERA_DOTS, 0),
	KEYWORD_BOTH("BC", "bc", FIELD_ERA, 0),
	KEYWORD_BOTH("CC", "cc", FIELD_CENTURY, 2),
	KEYWORD_BOTH("DAY", "day", FIELD_DAY_NAME, 0),
	{"Day", FIELD_DAY_NAME, LETTERS_TITLE, 0},
	KEYWORD_BOTH("DDD", "ddd", FIELD_DAY_OF_YEAR, 3),
	KEYWORD_BOTH("DD", "dd", FIELD_DAY, 2),
	KEYWORD_BOTH("DY", "dy", FIELD_DAY_SHORT, 0),
	{"Dy", FIELD_DAY_SHORT, LETTERS_TITLE, 0},
	KEYWORD_BOTH("D", "d", FIELD_WEEKDAY, 1),
	KEYWORD_BOTH("FF1", "ff1", FIELD_FRACTION, 1),
	KEYWORD_BOTH("FF2", "ff2", FIELD_FRACTION, 2),
	KEYWORD_BOTH("FF3", "ff3", FIELD_FRACTION, 3),
	KEYWORD_BOTH("FF4", "ff4", FIELD_FRACTION, 4),
	KEYWORD_BOTH("FF5", "ff5", FIELD_FRACTION, 5),
	KEYWORD_BOTH("FF6", "ff6", FIELD_FRACTION, 6),
	KEYWORD_BOTH("FX", "fx", FIELD_NOTHING, 0),
	KEYWORD_BOTH("HH24", "hh24", FIELD_HOUR_24, 2),
	KEYWORD_BOTH("HH12", "hh12", FIELD_HOUR_12, 2),
	KEYWORD_BOTH("HH", "hh", FIELD_HOUR_12, 2),
	KEYWORD_BOTH("IDDD", "iddd", FIELD_ISO_DAY_OF_YEAR, 3),
	KEYWORD_BOTH("ID", "id", FIELD_ISO_WEEKDAY, 1),
	KEYWORD_BOTH("IW", "iw", FIELD_ISO_WEEK, 2),
	KEYWORD_BOTH("IYYY", "iyyy", FIELD_ISO_YEAR, 4),
	KEYWORD_BOTH("IYY", "iyy", FIELD_ISO_YEAR_3, 3),
	KEYWORD_BOTH("IY", "iy", FIELD_ISO_YEAR_2, 2),
	KEYWORD_BOTH("I", "i", FIELD_ISO_YEAR_1, 1),
	KEYWORD_BOTH("J", "j", FIELD_JULIAN, 1),
	KEYWORD_BOTH("MI", "mi", FIELD_MINUTE, 2),
	KEYWORD_BOTH("MM", "mm", FIELD_MONTH, 2),
	KEYWORD_BOTH("MONTH", "month", FIELD_MONTH_NAME, 0),
	{"Month", FIELD_MONTH_NAME, LETTERS_TITLE, 0},
	KEYWORD_BOTH("MON", "mon", FIELD_MONTH_SHORT, 0),
	{"Mon", FIELD_MONTH_SHORT, LETTERS_TITLE, 0},
	KEYWORD_BOTH("MS", "ms", FIELD_FRACTION, 3),
	KEYWORD_BOTH("OF", "of", FIELD_OFFSET, 0),
	KEYWORD_BOTH("P.M.", "p.m.", FIELD_MERIDIAN_DOTS, 0),
	KEYWORD_BOTH("PM", "pm", FIELD_MERIDIAN, 0),
	KEYWORD_BOTH("Q", "q", FIELD_QUARTER, 1),
	KEYWORD_BOTH("RM", "rm", FIELD_MONTH_ROMAN, 0),
	KEYWORD_BOTH("SSSSS", "sssss", FIELD_SECOND_OF_DAY, 1),
	KEYWORD_BOTH("SSSS", "ssss", FIELD_SECOND_OF_DAY, 1),
	KEYWORD_BOTH("SS", "ss", FIELD_SECOND, 2),
	KEYWORD_BOTH("TZH", "tzh", FIELD_OFFSET_HOUR, 0),
	KEYWORD_BOTH("TZM", "tzm", FIELD_OFFSET_MINUTE, 0),
	KEYWORD_BOTH("TZ", "tz", FIELD_UNSUPPORTED, 0),
	KEYWORD_BOTH("US", "us", FIELD_FRACTION, 6),
	KEYWORD_BOTH("WW", "ww", FIELD_WEEK, 2),
	KEYWORD_BOTH("W", "w", FIELD_WEEK_OF_MONTH, 1),
	KEYWORD_BOTH("Y,YYY", "y,yyy", FIELD_YEAR_COMMA, 0),
	KEYWORD_BOTH("YYYY", "yyyy", FIELD_YEAR, 4),
	KEYWORD_BOTH("YYY", "yyy", FIELD_YEAR_3, 3),
	KEYWORD_BOTH("YY", "yy", FIELD_YEAR_2, 2),
	KEYWORD_BOTH("Y", "y", FIELD_YEAR_1, 1),
};

static const char *const month_names[] = {"January", "February", "March", "April", "May", "June",
	"July", "August", "September", "October", "November", "December"};
static const char *const month_romans[] = {
	"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};
static const char *const day_names[] = {
	"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

#define NAME_WIDTH  9 /* of the longest names, September and Wednesday */
#define ROMAN_WIDTH 4
#define SHORT_WIDTH 3

enum prefix {
	PREFIX_NONE,
	PREFIX_FM,
	PREFIX_TM,
};

struct time_item {
	enum time_field field;
	enum letters letters;
	uint8_t digits;
	enum prefix prefix;
	char ordinal; /* 'T' for TH, 't' for th, 0 for none */
	struct text literal;
};

struct time_pattern {
	bool of_interval;
	bool has_time; /* some field is finer than a day */
	uint32_t count;
	struct time_item items[];
};

/* -- Reading a pattern -- */

static bool starts_with(const char *at, const char *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

static const struct keyword *find_keyword(const char *at, const char *end)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (starts_with(at, end, keywords[i].word))
			return &keywords[i];
	return NULL;
}

static void add_literal(struct time_pattern *pattern, const char *start, const char *end)
{
	if (start < end)
		pattern->items[pattern->count++] = (struct time_item){
			.field = FIELD_LITERAL,
			.literal = text_from(start, (size_t)(end - start)),
		};
}

/* From behind the opening quote to behind the closing one, or to the end. */
static const char *read_quoted(struct time_pattern *pattern, const char *at, const char *end)
{
	const char *start = at;

	while (at < end && *at != '"') {
		if (*at == '\\' && at + 1 < end) {
			add_literal(pattern, start, at);
			start = ++at;
		}
		at++;
	}
	add_literal(pattern, start, at);
	return at < end ? at + 1 : at;
}

static bool field_is_time(enum time_field field)
{
	return field >= FIELD_HOUR_24 || (field >= FIELD_OFFSET && field <= FIELD_OFFSET_MINUTE) ||
	       field == FIELD_MERIDIAN || field == FIELD_MERIDIAN_DOTS;
}

static const char *read_field(struct time_pattern *pattern, const struct keyword *keyword,
	enum prefix prefix, const char *at, const char *end)
{
	struct time_item *item = &pattern->items[pattern->count++];

	*item = (struct time_item){
		.field = keyword->field,
		.letters = keyword->letters,
		.digits = keyword->digits,
		.prefix = prefix,
	};
	pattern->has_time |= field_is_time(keyword->field);
	at += strlen(keyword->word);
	if (starts_with(at, end, "TH") || starts_with(at, end, "th")) {
		item->ordinal = *at;
		at += 2;
	} else if (starts_with(at, end, "SP")) {
		at += 2; /* spelled-out numbers: PostgreSQL, too, reads and ignores it */
	}
	return at;
}

static enum prefix read_prefix(const char **at, const char *end)
{
	enum prefix prefix = PREFIX_NONE;

	if (starts_with(*at, end, "FM") || starts_with(*at, end, "fm"))
		prefix = PREFIX_FM;
	else if (starts_with(*at, end, "TM") || starts_with(*at, end, "tm"))
		prefix = PREFIX_TM;
	*at += prefix == PREFIX_NONE ? 0 : 2;
	return prefix;
}

/* An interval has no place in the calendar: neither names nor an era, no weekdays and weeks. */
static bool field_fits_interval(enum time_field field)
{
	switch (field) {
	case FIELD_OFFSET:
	case FIELD_OFFSET_HOUR:
	case FIELD_OFFSET_MINUTE:
	case FIELD_ERA:
	case FIELD_ERA_DOTS:
	case FIELD_MONTH_NAME:
	case FIELD_MONTH_SHORT:
	case FIELD_DAY_NAME:
	case FIELD_DAY_SHORT:
	case FIELD_WEEKDAY:
	case FIELD_ISO_WEEKDAY:
	case FIELD_ISO_YEAR:
	case FIELD_ISO_YEAR_3:
	case FIELD_ISO_YEAR_2:
	case FIELD_ISO_YEAR_1:
	case FIELD_ISO_WEEK:
	case FIELD_ISO_DAY_OF_YEAR:
	case FIELD_WEEK:
	case FIELD_WEEK_OF_MONTH:
	case FIELD_JULIAN: return false;
	default: return true;
	}
}

/* Fails for what PostgreSQL knows and we do not: abbreviations of time zones. */
static int time_pattern_compile(struct arena *arena, struct text text, bool of_interval,
	const struct time_pattern **out, struct error *err)
{
	const char *end = text.data + text.size;
	/* No more items than bytes. */
	struct time_pattern *pattern = arena_alloc(
		arena, sizeof(*pattern) + ((size_t)text.size + 1) * sizeof(pattern->items[0]));
	const char *at = text.data;

	pattern->of_interval = of_interval;
	pattern->has_time = false;
	pattern->count = 0;
	while (at < end) {
		enum prefix prefix = read_prefix(&at, end);
		const struct keyword *keyword;

		if (at == end)
			break;
		keyword = find_keyword(at, end);
		if (keyword && keyword->field == FIELD_UNSUPPORTED)
			return error_set(err, ERROR_EVAL,
				"to_char: the pattern \"%s\" is not supported", keyword->word);
		if (keyword && of_interval && !field_fits_interval(keyword->field))
			return error_set(err, ERROR_EVAL,
				"invalid format specification for an interval value");
		if (keyword) {
			at = read_field(pattern, keyword, prefix, at, end);
		} else if (*at == '"') {
			at = read_quoted(pattern, at + 1, end);
		} else {
			const char *next;

			/* Outside of quotes a backslash means something only before a quote. */
			at += starts_with(at, end, "\\\"");
			next = utf8_next(at, end);
			add_literal(pattern, at, next);
			at = next;
		}
	}
	*out = pattern;
	return 0;
}

/* -- Applying it -- */

struct moment {
	int64_t days;
	int64_t micros; /* of the day */
	struct civil civil;
	int weekday; /* Monday is 0 */
	int day_of_year;
	int year; /* of its era, as iso_year is */
	int iso_year;
	int iso_day_of_year;
	int32_t offset; /* seconds east of UTC */
};

static struct moment moment_of(int64_t timestamp, int32_t offset)
{
	struct moment m = {.days = timestamp_days(timestamp),
		.micros = timestamp_time_of_day(timestamp),
		.offset = offset};
	int64_t thursday, iso_start;

	m.civil = civil_from_days(m.days);
	m.weekday = (int)(((m.days + 3) % 7 + 7) % 7);
	m.day_of_year = (int)(m.days - days_from_civil(m.civil.year, 1, 1)) + 1;
	/* An ISO year starts with the Monday of the week that holds 4 January. */
	thursday = m.days - m.weekday + 3;
	m.iso_year = civil_from_days(thursday).year;
	iso_start = days_from_civil(m.iso_year, 1, 4);
	iso_start -= ((iso_start + 3) % 7 + 7) % 7;
	m.iso_day_of_year = (int)(m.days - iso_start) + 1;
	m.iso_year = m.iso_year > 0 ? m.iso_year : 1 - m.iso_year;
	m.year = m.civil.year > 0 ? m.civil.year : 1 - m.civil.year;
	return m;
}

static int64_t interval_number(const struct time_item *item, const struct interval *interval)
{
	static const int64_t divisors[] = {1, 100000, 10000, 1000, 100, 10, 1};
	int64_t year = interval->months / MONTHS_PER_YEAR,
		month = interval->months % MONTHS_PER_YEAR;
	int64_t second = interval->microseconds / MICROS_PER_SECOND;

	switch (item->field) {
	case FIELD_YEAR_3: return year % 1000;
	case FIELD_YEAR_2: return year % 100;
	case FIELD_YEAR_1: return year % 10;
	case FIELD_CENTURY: return year / 100;
	case FIELD_MONTH: return month;
	case FIELD_DAY_OF_YEAR: return (int64_t)interval->months * DAYS_PER_MONTH + interval->days;
	case FIELD_DAY: return interval->days;
	case FIELD_HOUR_24: return second / 3600;
	case FIELD_HOUR_12: return second / 3600 % 12 == 0 ? 12 : second / 3600 % 12;
	case FIELD_MINUTE: return second / 60 % 60;
	case FIELD_SECOND: return second % 60;
	case FIELD_SECOND_OF_DAY: return second;
	case FIELD_FRACTION:
		return interval->microseconds % MICROS_PER_SECOND / divisors[item->digits];
	default: return year;
	}
}

static int64_t field_number(const struct time_item *item, const struct moment *m)
{
	static const int64_t divisors[] = {1, 100000, 10000, 1000, 100, 10, 1};
	int64_t second = m->micros / MICROS_PER_SECOND;

	switch (item->field) {
	case FIELD_YEAR_3: return m->year % 1000;
	case FIELD_YEAR_2: return m->year % 100;
	case FIELD_YEAR_1: return m->year % 10;
	case FIELD_ISO_YEAR: return m->iso_year;
	case FIELD_ISO_YEAR_3: return m->iso_year % 1000;
	case FIELD_ISO_YEAR_2: return m->iso_year % 100;
	case FIELD_ISO_YEAR_1: return m->iso_year % 10;
	case FIELD_CENTURY:
		return m->civil.year > 0 ? (m->civil.year - 1) / 100 + 1 : m->civil.year / 100 - 1;
	case FIELD_QUARTER: return (m->civil.month - 1) / 3 + 1;
	case FIELD_MONTH: return m->civil.month;
	case FIELD_WEEK_OF_MONTH: return (m->civil.day - 1) / 7 + 1;
	case FIELD_WEEK: return (m->day_of_year - 1) / 7 + 1;
	case FIELD_ISO_WEEK: return (m->iso_day_of_year - 1) / 7 + 1;
	case FIELD_DAY_OF_YEAR: return m->day_of_year;
	case FIELD_ISO_DAY_OF_YEAR: return m->iso_day_of_year;
	case FIELD_DAY: return m->civil.day;
	case FIELD_WEEKDAY: return (m->weekday + 1) % 7 + 1;
	case FIELD_ISO_WEEKDAY: return m->weekday + 1;
	case FIELD_JULIAN: return m->days + 2440588;
	case FIELD_HOUR_24: return second / 3600;
	case FIELD_HOUR_12: return (second / 3600 + 11) % 12 + 1;
	case FIELD_MINUTE: return second / 60 % 60;
	case FIELD_SECOND: return second % 60;
	case FIELD_SECOND_OF_DAY: return second;
	case FIELD_FRACTION: return m->micros % MICROS_PER_SECOND / divisors[item->digits];
	default: return m->year;
	}
}

static void append_ordinal(int64_t number, bool upper, struct buf *out)
{
	static const char *const suffixes[2][4] = {
		{"th", "st", "nd", "rd"}, {"TH", "ST", "ND", "RD"}};
	int64_t last = number % 10;
	bool teen = number / 10 % 10 == 1;

	buf_append_text(out, suffixes[upper][last > 3 || teen ? 0 : last]);
}

/* `number` is not negative. */
static void append_digits(int64_t number, size_t width, struct buf *out)
{
	char digits[20];
	char *end = digits + sizeof(digits);
	char *at = end;

	while (number > 0 || (size_t)(end - at) < width) {
		*--at = (char)('0' + number % 10);
		number /= 10;
	}
	buf_append(out, at, (size_t)(end - at));
}

static void append_number(const struct time_item *item, int64_t number, struct buf *out)
{
	/* A fraction keeps its zeros: they are its value. */
	bool padded = item->prefix != PREFIX_FM || item->field == FIELD_FRACTION;
	bool of_days = item->field == FIELD_DAY || item->field == FIELD_DAY_OF_YEAR;
	size_t width = padded ? item->digits : 1;

	if (number < 0) {
		/* Of days alone the sign counts as a digit, in PostgreSQL. */
		width -= of_days && width > 1;
		buf_append_char(out, '-');
		number = -number;
	}
	if (item->field == FIELD_YEAR_COMMA) {
		append_digits(number / 1000, 1, out);
		buf_append_char(out, ',');
		append_digits(number % 1000, 3, out);
	} else {
		append_digits(number, width, out);
	}
	if (item->ordinal)
		append_ordinal(number, item->ordinal == 'T', out);
}

/* A name in the letters that the field was written in, padded to `width`. */
static void append_name(
	const struct time_item *item, const char *name, size_t size, size_t width, struct buf *out)
{
	for (size_t i = 0; i < size; i++) {
		char c = name[i];

		if (item->letters == LETTERS_UPPER && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (item->letters == LETTERS_LOWER && c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		buf_append_char(out, c);
	}
	if (item->prefix == PREFIX_NONE)
		for (size_t i = size; i < width; i++)
			buf_append_char(out, ' ');
}

static void append_word(
	const struct time_item *item, const char *name, size_t width, struct buf *out)
{
	append_name(item, name, strlen(name), width, out);
}

static void append_offset(const struct time_item *item, int32_t offset, struct buf *out)
{
	int minutes = abs(offset) / 60 % 60, hours = abs(offset) / 3600;

	if (item->field != FIELD_OFFSET_MINUTE)
		buf_printf(out, item->prefix == PREFIX_FM ? "%c%d" : "%c%02d",
			offset < 0 ? '-' : '+', hours);
	if (item->field == FIELD_OFFSET && minutes != 0)
		buf_append_char(out, ':');
	if (item->field == FIELD_OFFSET_MINUTE || (item->field == FIELD_OFFSET && minutes != 0))
		buf_printf(out, "%02d", minutes);
}

static void append_item(const struct time_item *item, const struct moment *m, struct buf *out)
{
	bool afternoon = m->micros >= MICROS_PER_DAY / 2;
	const char *month = month_names[m->civil.month - 1];

	switch (item->field) {
	case FIELD_LITERAL: buf_append(out, item->literal.data, item->literal.size); break;
	case FIELD_NOTHING:
	case FIELD_UNSUPPORTED: break;
	case FIELD_MERIDIAN: append_word(item, afternoon ? "PM" : "AM", 0, out); break;
	case FIELD_MERIDIAN_DOTS: append_word(item, afternoon ? "P.M." : "A.M.", 0, out); break;
	case FIELD_ERA: append_word(item, m->civil.year > 0 ? "AD" : "BC", 0, out); break;
	case FIELD_ERA_DOTS: append_word(item, m->civil.year > 0 ? "A.D." : "B.C.", 0, out); break;
	case FIELD_MONTH_NAME: append_word(item, month, NAME_WIDTH, out); break;
	case FIELD_MONTH_SHORT: append_name(item, month, SHORT_WIDTH, 0, out); break;
	case FIELD_MONTH_ROMAN:
		append_word(item, month_romans[m->civil.month - 1], ROMAN_WIDTH, out);
		break;
	case FIELD_DAY_NAME: append_word(item, day_names[m->weekday], NAME_WIDTH, out); break;
	case FIELD_DAY_SHORT: append_name(item, day_names[m->weekday], SHORT_WIDTH, 0, out); break;
	case FIELD_OFFSET:
	case FIELD_OFFSET_HOUR:
	case FIELD_OFFSET_MINUTE: append_offset(item, m->offset, out); break;
	default: append_number(item, field_number(item, m), out); break;
	}
}

static void append_interval_item(
	const struct time_item *item, const struct interval *interval, struct buf *out)
{
	int64_t hour = interval->microseconds / MICROS_PER_SECOND / 3600;
	int32_t month = interval->months % MONTHS_PER_YEAR;
	bool afternoon = hour % 24 >= 12;

	switch (item->field) {
	case FIELD_LITERAL: buf_append(out, item->literal.data, item->literal.size); break;
	case FIELD_NOTHING:
	case FIELD_UNSUPPORTED: break;
	case FIELD_MERIDIAN: append_word(item, afternoon ? "PM" : "AM", 0, out); break;
	case FIELD_MERIDIAN_DOTS: append_word(item, afternoon ? "P.M." : "A.M.", 0, out); break;
	case FIELD_MONTH_ROMAN:
		/* Months below zero count from the end of the year; of no months there is none. */
		if (month == 0)
			month = interval->months > 0 ? MONTHS_PER_YEAR : 1;
		else if (month < 0)
			month += MONTHS_PER_YEAR + 1;
		if (interval->months != 0)
			append_word(item, month_romans[month - 1], ROMAN_WIDTH, out);
		break;
	case FIELD_QUARTER:
		if (month != 0)
			append_number(item, (month - 1) / 3 + 1, out);
		break;
	default: append_number(item, interval_number(item, interval), out); break;
	}
}

/* Appends to `out`. The time is what a clock shows that is so far east of UTC. */
static void time_pattern_format(
	const struct time_pattern *pattern, int64_t timestamp, int32_t offset, struct buf *out)
{
	struct moment moment = moment_of(timestamp, offset);

	for (uint32_t i = 0; i < pattern->count; i++)
		append_item(&pattern->items[i], &moment, out);
}

/* -- The kernel -- */

/* One of the two, by the type of the first argument; neither when every row has a pattern of its own. */
struct char_pattern {
	const struct time_pattern *time;
	const struct number_pattern *number;
	const struct zone *zone; /* of a timestamptz */
};

static int compile_pattern(struct arena *arena, enum type_kind kind, struct text text,
	struct char_pattern *out, struct error *err)
{
	if (kind == TYPE_DATE || kind == TYPE_TIMESTAMP || kind == TYPE_TIMESTAMPTZ ||
		kind == TYPE_INTERVAL)
		return time_pattern_compile(arena, text, kind == TYPE_INTERVAL, &out->time, err);
	return number_pattern_compile(arena, text, &out->number, err);
}

static int prepare_to_char(struct site *site, struct error *err)
{
	struct char_pattern *pattern = arena_zalloc(site->arena, sizeof(*pattern));

	if (site->expr->function == FN_ZONE_TO_CHAR) {
		if (!site->constants[2])
			return error_set(err, ERROR_SQL, "the time zone must be a constant");
		pattern->zone = zone_new(site->constants[2]->text[0], site->arena);
		if (!pattern->zone)
			return error_set(err, ERROR_DATA, "the rules of a time zone are damaged");
	}
	site->state = pattern;
	if (site->constants[1] && compile_pattern(site->arena, site->expr->args[0]->type.kind,
					  site->constants[1]->text[0], pattern, err))
		return -1;
	return 0;
}

static void format_row(
	const struct char_pattern *pattern, const struct column *arg, uint32_t row, struct buf *out)
{
	switch (arg->type.kind) {
	case TYPE_DATE:
		time_pattern_format(pattern->time, arg_i64(arg, row) * MICROS_PER_DAY, 0, out);
		break;
	case TYPE_TIMESTAMP: time_pattern_format(pattern->time, arg_i64(arg, row), 0, out); break;
	case TYPE_TIMESTAMPTZ: {
		int64_t micros = arg_i64(arg, row);
		int32_t offset = zone_offset(pattern->zone, micros);

		time_pattern_format(
			pattern->time, micros + offset * MICROS_PER_SECOND, offset, out);
		break;
	}
	case TYPE_INTERVAL: {
		struct interval interval = arg_interval(arg, row);

		for (uint32_t i = 0; i < pattern->time->count; i++)
			append_interval_item(&pattern->time->items[i], &interval, out);
		break;
	}
	case TYPE_NUMERIC:
		number_pattern_format_numeric(pattern->number, arg_num(arg, row), out);
		break;
	case TYPE_REAL:
		number_pattern_format_double(pattern->number, arg_f64(arg, row), FLT_DIG, out);
		break;
	case TYPE_DOUBLE:
		number_pattern_format_double(pattern->number, arg_f64(arg, row), DBL_DIG, out);
		break;
	default:
		number_pattern_format_numeric(
			pattern->number, numeric_from_i64(arg_i64(arg, row)), out);
		break;
	}
}

/* One row, through `buf`, into a text of the result. */
static int to_char_row(struct call *call, const struct char_pattern *pattern, uint32_t row,
	struct buf *buf, struct error *err)
{
	char *to;

	buf_clear(buf);
	format_row(pattern, &call->args[0], row, buf);
	to = call_text(call, buf_overflowed(buf) ? UINT64_MAX : buf->size, err);
	if (!to)
		return -1;
	if (buf->size > 0)
		memcpy(to, buf->data, buf->size);
	call->out->text[row] = text_from(to, buf->size);
	return 0;
}

/* A pattern of its own in every row; those of neighbours are often the same bytes. */
static int to_char_patterns(struct call *call, struct buf *buf, struct error *err)
{
	struct char_pattern pattern = *(const struct char_pattern *)call->state;
	struct text text = {0};
	bool compiled = false;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text row_text = arg_text(&call->args[1], i);

		if (!compiled || row_text.data != text.data || row_text.size != text.size) {
			text = row_text;
			compiled = true;
			if (compile_pattern(
				    call_arena(call), call->args[0].type.kind, text, &pattern, err))
				return -1;
		}
		if (to_char_row(call, &pattern, i, buf, err))
			return -1;
	}
	return 0;
}

/* More than the days of a month, so that the rows of one all find their day. */
#define DAY_CACHE_SIZE 64

/* For a pattern without hours: the rows of one day share one text. */
static int to_char_days(
	struct call *call, const struct char_pattern *pattern, struct buf *buf, struct error *err)
{
	bool is_date = call->args[0].type.kind == TYPE_DATE;
	struct {
		int64_t day;
		struct text text;
		bool used;
	} cache[DAY_CACHE_SIZE] = {0};

	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t value = arg_i64(&call->args[0], i);
		int64_t day = is_date ? value : timestamp_days(value);
		unsigned slot = (unsigned)day % DAY_CACHE_SIZE;

		if (!cache[slot].used || cache[slot].day != day) {
			if (to_char_row(call, pattern, i, buf, err))
				return -1;
			cache[slot].day = day;
			cache[slot].text = call->out->text[i];
			cache[slot].used = true;
		}
		call->out->text[i] = cache[slot].text;
	}
	return 0;
}

static int to_char_rows(struct call *call, struct buf *buf, struct error *err)
{
	const struct char_pattern *pattern = call->state;

	if (!pattern->time && !pattern->number)
		return to_char_patterns(call, buf, err);
	if (pattern->time && !pattern->time->has_time && !pattern->time->of_interval &&
		!pattern->zone)
		return to_char_days(call, pattern, buf, err);
	FOR_EACH_ROW(&call->rows, i)
	if (to_char_row(call, pattern, i, buf, err))
		return -1;
	return 0;
}

static int to_char_finite(struct call *call, struct error *err)
{
	struct buf buf;
	int result;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	result = to_char_rows(call, &buf, err);
	buf_release(&buf);
	return result;
}

static int run_to_char(struct call *call, struct error *err)
{
	enum type_kind kind = call->args[0].type.kind;

	if (kind != TYPE_DATE && kind != TYPE_TIMESTAMP && kind != TYPE_TIMESTAMPTZ)
		return to_char_finite(call, err);
	return call_over_finite(call, 0, to_char_finite, infinite_is_null, err);
}

const struct kernel *kernel_to_char_find(const struct expr *expr)
{
	static const struct kernel to_char = {.run = run_to_char, .prepare = prepare_to_char};

	if (expr->function == FN_ZONE_TO_CHAR)
		return &to_char;
	if (expr->function != FN_TO_CHAR)
		return NULL;
	switch (expr->args[0]->type.kind) {
	case TYPE_DATE:
	case TYPE_TIMESTAMP:
	case TYPE_INTERVAL:
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
	case TYPE_NUMERIC:
	case TYPE_REAL:
	case TYPE_DOUBLE: return &to_char;
	default: return NULL;
	}
}
