#include "exec/func/time_pattern_private.h"

#include "base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PATTERN_SIZE_MAX 4096
/* As much of a user's text as a message repeats. */
#define MESSAGE_TEXT_MAX 60
/* Digits of a field, at the most, and a sign. */
#define NUMBER_TEXT_MAX 32

enum pattern_field {
	FIELD_NONE,
	/* digits */
	FIELD_YEAR_COMMA,
	FIELD_YEAR,
	FIELD_YEAR_3,
	FIELD_YEAR_2,
	FIELD_YEAR_1,
	FIELD_CENTURY,
	FIELD_QUARTER,
	FIELD_MONTH,
	FIELD_DAY,
	FIELD_DAY_OF_YEAR,
	FIELD_WEEKDAY,
	FIELD_ISO_WEEKDAY,
	FIELD_WEEK,
	FIELD_WEEK_OF_MONTH,
	FIELD_JULIAN,
	FIELD_HOUR_24,
	FIELD_HOUR_12,
	FIELD_MINUTE,
	FIELD_SECOND,
	FIELD_SECOND_OF_DAY,
	FIELD_MILLISECOND,
	FIELD_MICROSECOND,
	FIELD_FRACTION,
	FIELD_ZONE_HOUR,
	FIELD_ZONE_MINUTE,
	/* words */
	FIELD_MONTH_NAME,
	FIELD_MONTH_SHORT,
	FIELD_MONTH_ROMAN,
	FIELD_DAY_NAME,
	FIELD_DAY_SHORT,
	FIELD_HALF,
	FIELD_HALF_DOTS,
	FIELD_ERA,
	FIELD_ERA_DOTS,
	FIELD_EXACT, /* FX */
	FIELD_REFUSED,
};

static const struct keyword {
	const char *name;
	enum pattern_field field;
	uint8_t width; /* of digits */
	enum date_convention convention;
} keywords[] = {
	/* Longer ones before those that they begin with. */
	{"A.D.", FIELD_ERA_DOTS, 0, CONVENTION_NONE},
	{"A.M.", FIELD_HALF_DOTS, 0, CONVENTION_NONE},
	{"AD", FIELD_ERA, 0, CONVENTION_NONE},
	{"AM", FIELD_HALF, 0, CONVENTION_NONE},
	{"B.C.", FIELD_ERA_DOTS, 0, CONVENTION_NONE},
	{"BC", FIELD_ERA, 0, CONVENTION_NONE},
	{"CC", FIELD_CENTURY, 2, CONVENTION_NONE},
	{"DAY", FIELD_DAY_NAME, 0, CONVENTION_NONE},
	{"DDD", FIELD_DAY_OF_YEAR, 3, CONVENTION_GREGORIAN},
	{"DD", FIELD_DAY, 2, CONVENTION_GREGORIAN},
	{"DY", FIELD_DAY_SHORT, 0, CONVENTION_NONE},
	{"D", FIELD_WEEKDAY, 1, CONVENTION_GREGORIAN},
	{"FF1", FIELD_FRACTION, 1, CONVENTION_NONE},
	{"FF2", FIELD_FRACTION, 2, CONVENTION_NONE},
	{"FF3", FIELD_FRACTION, 3, CONVENTION_NONE},
	{"FF4", FIELD_FRACTION, 4, CONVENTION_NONE},
	{"FF5", FIELD_FRACTION, 5, CONVENTION_NONE},
	{"FF6", FIELD_FRACTION, 6, CONVENTION_NONE},
	{"FX", FIELD_EXACT, 0, CONVENTION_NONE},
	{"HH24", FIELD_HOUR_24, 2, CONVENTION_NONE},
	{"HH12", FIELD_HOUR_12, 2, CONVENTION_NONE},
	{"HH", FIELD_HOUR_12, 2, CONVENTION_NONE},
	{"IDDD", FIELD_DAY_OF_YEAR, 3, CONVENTION_ISO},
	{"ID", FIELD_ISO_WEEKDAY, 1, CONVENTION_ISO},
	{"IW", FIELD_WEEK, 2, CONVENTION_ISO},
	{"IYYY", FIELD_YEAR, 4, CONVENTION_ISO},
	{"IYY", FIELD_YEAR_3, 3, CONVENTION_ISO},
	{"IY", FIELD_YEAR_2, 2, CONVENTION_ISO},
	{"I", FIELD_YEAR_1, 1, CONVENTION_ISO},
	{"J", FIELD_JULIAN, 1, CONVENTION_NONE},
	{"MI", FIELD_MINUTE, 2, CONVENTION_NONE},
	{"MM", FIELD_MONTH, 2, CONVENTION_GREGORIAN},
	{"MONTH", FIELD_MONTH_NAME, 0, CONVENTION_GREGORIAN},
	{"MON", FIELD_MONTH_SHORT, 0, CONVENTION_GREGORIAN},
	{"MS", FIELD_MILLISECOND, 3, CONVENTION_NONE},
	{"OF", FIELD_REFUSED, 0, CONVENTION_NONE},
	{"P.M.", FIELD_HALF_DOTS, 0, CONVENTION_NONE},
	{"PM", FIELD_HALF, 0, CONVENTION_NONE},
	{"Q", FIELD_QUARTER, 1, CONVENTION_NONE},
	{"RM", FIELD_MONTH_ROMAN, 0, CONVENTION_GREGORIAN},
	{"SSSSS", FIELD_SECOND_OF_DAY, 5, CONVENTION_NONE},
	{"SSSS", FIELD_SECOND_OF_DAY, 5, CONVENTION_NONE},
	{"SS", FIELD_SECOND, 2, CONVENTION_NONE},
	{"TZH", FIELD_ZONE_HOUR, 2, CONVENTION_NONE},
	{"TZM", FIELD_ZONE_MINUTE, 2, CONVENTION_NONE},
	{"TZ", FIELD_REFUSED, 0, CONVENTION_NONE},
	{"US", FIELD_MICROSECOND, 6, CONVENTION_NONE},
	{"WW", FIELD_WEEK, 2, CONVENTION_GREGORIAN},
	{"W", FIELD_WEEK_OF_MONTH, 1, CONVENTION_GREGORIAN},
	{"Y,YYY", FIELD_YEAR_COMMA, 5, CONVENTION_GREGORIAN},
	{"YYYY", FIELD_YEAR, 4, CONVENTION_GREGORIAN},
	{"YYY", FIELD_YEAR_3, 3, CONVENTION_GREGORIAN},
	{"YY", FIELD_YEAR_2, 2, CONVENTION_GREGORIAN},
	{"Y", FIELD_YEAR_1, 1, CONVENTION_GREGORIAN},
};

enum pattern_node_kind {
	NODE_FIELD,
	NODE_SEPARATOR,
	NODE_CHARACTER,
};

struct pattern_node {
	enum pattern_node_kind kind;
	const struct keyword *keyword; /* of a field */
	struct text text;	       /* the others: the character */
	bool fill;		       /* FM */
	bool ordinal;		       /* TH */
};

struct input_pattern {
	bool strict;
	uint32_t count;
	struct pattern_node *nodes;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ASCII that is neither a letter nor a digit, nor a blank. */
static bool is_mark(char c)
{
	return c > ' ' && c < 0x7f && !is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static const char *next_character(const char *at, const char *end)
{
	for (at++; at < end && ((unsigned char)*at & 0xc0) == 0x80;)
		at++;
	return at;
}

/* -- Patterns -- */

static bool starts_with(const char *at, const char *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - at) >= size && strncasecmp(at, word, size) == 0;
}

static const struct keyword *find_keyword(const char *at, const char *end)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (starts_with(at, end, keywords[i].name))
			return &keywords[i];
	return NULL;
}

static void add_character(
	struct input_pattern *pattern, const char **at, const char *end, bool quoted)
{
	struct pattern_node *node = &pattern->nodes[pattern->count++];
	const char *next = next_character(*at, end);

	node->kind = !quoted && (is_blank(**at) || is_mark(**at)) ? NODE_SEPARATOR : NODE_CHARACTER;
	node->text = text_from(*at, (size_t)(next - *at));
	*at = next;
}

/* "..." up to its end; a backslash takes the next character as it is. */
static void add_quoted(struct input_pattern *pattern, const char **at, const char *end)
{
	++*at;
	while (*at < end && **at != '"') {
		*at += **at == '\\' && *at + 1 < end;
		add_character(pattern, at, end, true);
	}
	*at += *at < end;
}

static void add_field(struct input_pattern *pattern, const struct keyword *keyword, bool fill,
	const char **at, const char *end)
{
	struct pattern_node *node = &pattern->nodes[pattern->count++];

	*node = (struct pattern_node){.kind = NODE_FIELD, .keyword = keyword, .fill = fill};
	*at += strlen(keyword->name);
	node->ordinal = starts_with(*at, end, "TH");
	*at += node->ordinal ? 2 : 0;
}

static int check_field(const struct keyword *keyword, struct error *err)
{
	if (keyword->field != FIELD_REFUSED)
		return 0;
	return error_set(err, ERROR_EVAL, "formatting field \"%s\" is only supported in to_char",
		keyword->name);
}

static bool is_standard_mark(char c)
{
	return c != '\0' && strchr("-./,':; ", c);
}

const struct input_pattern *time_pattern_new(
	struct text text, bool strict, struct arena *arena, struct error *err)
{
	struct input_pattern *pattern = arena_zalloc(arena, sizeof(*pattern));
	const char *at, *end;

	pattern->strict = strict;
	if (text.size > PATTERN_SIZE_MAX) {
		(void)error_set(err, ERROR_EVAL, "the pattern of a time is too long");
		return NULL;
	}
	/* What characters point to lives as long as the pattern. */
	at = arena_copy(arena, text.data, text.size);
	end = at + text.size;
	pattern->nodes = arena_zalloc(arena, (text.size + 1) * sizeof(*pattern->nodes));
	while (at < end) {
		bool fill = starts_with(at, end, "FM"), local = starts_with(at, end, "TM");
		const struct keyword *keyword = find_keyword(fill || local ? at + 2 : at, end);

		if (keyword) {
			if (check_field(keyword, err) < 0)
				return NULL;
			at += fill || local ? 2 : 0;
			add_field(pattern, keyword, fill, &at, end);
		} else if (fill || local) {
			at += 2;
		} else if (*at == '"') {
			add_quoted(pattern, &at, end);
		} else if (strict && !is_standard_mark(*at)) {
			(void)error_set(err, ERROR_EVAL,
				"invalid datetime format separator: \"%.*s\"",
				(int)(next_character(at, end) - at), at);
			return NULL;
		} else {
			at += *at == '\\' && at + 1 < end && at[1] == '"';
			add_character(pattern, &at, end, false);
		}
	}
	return pattern;
}

static bool has_field(const struct input_pattern *pattern, bool (*is)(enum pattern_field field))
{
	for (uint32_t i = 0; i < pattern->count; i++)
		if (pattern->nodes[i].kind == NODE_FIELD && is(pattern->nodes[i].keyword->field))
			return true;
	return false;
}

static bool is_of_zone(enum pattern_field field)
{
	return field == FIELD_ZONE_HOUR || field == FIELD_ZONE_MINUTE;
}

static bool is_of_time(enum pattern_field field)
{
	return (field >= FIELD_HOUR_24 && field <= FIELD_FRACTION) || field == FIELD_HALF ||
	       field == FIELD_HALF_DOTS;
}

static bool is_of_date(enum pattern_field field)
{
	return !is_of_zone(field) && !is_of_time(field) && field != FIELD_EXACT;
}

bool time_pattern_has_date(const struct input_pattern *pattern)
{
	return has_field(pattern, is_of_date);
}

bool time_pattern_has_time(const struct input_pattern *pattern)
{
	return has_field(pattern, is_of_time);
}

bool time_pattern_has_zone(const struct input_pattern *pattern)
{
	return has_field(pattern, is_of_zone);
}

/* -- Reading -- */

struct time_reader {
	const struct input_pattern *pattern;
	const struct pattern_node *node; /* the field that is read */
	const char *start, *at, *end;
	int skipped; /* blanks and separators more than the pattern had */
	bool exact;
	struct time_fields fields;
	struct error *err;
};

static int short_size(size_t size)
{
	return size < MESSAGE_TEXT_MAX ? (int)size : MESSAGE_TEXT_MAX;
}

static int invalid_value(const struct time_reader *r, const char *at)
{
	return error_set(r->err, ERROR_EVAL, "invalid value \"%.*s\" for \"%s\"",
		short_size((size_t)(r->end - at)), at, r->node->keyword->name);
}

static void skip_blanks(struct time_reader *r)
{
	for (; r->at < r->end && is_blank(*r->at); r->at++)
		r->skipped++;
}

/* A field may stand twice, with one value. */
static int set(struct time_reader *r, int32_t *field, int32_t value)
{
	if (*field != 0 && *field != value)
		return error_set(r->err, ERROR_EVAL,
			"conflicting values for \"%s\" field in formatting string",
			r->node->keyword->name);
	*field = value;
	return 0;
}

/* Whether what follows cannot be a digit of this field. */
static bool ends_number(const struct time_reader *r)
{
	const struct pattern_node *next = r->node + 1;

	if (r->node->ordinal || next == r->pattern->nodes + r->pattern->count)
		return true;
	if (next->kind == NODE_FIELD)
		return next->keyword->field > FIELD_ZONE_MINUTE;
	return !is_digit(*next->text.data);
}

/* [+-]digits, of which there are no more than `most`; how many bytes. */
static size_t take_number(const char *at, const char *end, size_t most, int64_t *value)
{
	char text[NUMBER_TEXT_MAX];
	size_t size = (size_t)(end - at) < most ? (size_t)(end - at) : most;
	char *stop;

	size = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
	memcpy(text, at, size);
	text[size] = '\0';
	errno = 0;
	*value = strtoll(text, &stop, 10);
	if (errno == ERANGE)
		*value = INT64_MAX;
	return (size_t)(stop - text);
}

/* The number of a field; how many bytes it has in `*size`. */
static int read_number(struct time_reader *r, int64_t *value, size_t *size)
{
	const char *start = r->at;
	size_t width = r->node->keyword->width;

	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	if (r->node->fill || ends_number(r)) {
		r->at += take_number(r->at, r->end, SIZE_MAX, value);
	} else {
		size_t used = take_number(r->at, r->end, width, value);

		if ((size_t)(r->end - r->at) < width)
			return error_set(r->err, ERROR_EVAL,
				"source string too short for \"%s\" formatting field",
				r->node->keyword->name);
		if (used > 0 && used < width)
			return invalid_value(r, r->at);
		r->at += used;
	}
	*size = (size_t)(r->at - start);
	if (r->at == start || !is_digit(r->at[-1]))
		return invalid_value(r, start);
	if (*value < INT_MIN || *value > INT_MAX)
		return error_set(r->err, ERROR_EVAL,
			"value for \"%s\" in source string is out of range",
			r->node->keyword->name);
	return 0;
}

/* One of the words in any case; its place in `*index`. */
static int read_word(
	struct time_reader *r, const char *const *words, unsigned count, unsigned *index)
{
	for (*index = 0; *index < count; ++*index) {
		if (!starts_with(r->at, r->end, words[*index]))
			continue;
		r->at += strlen(words[*index]);
		return 0;
	}
	return invalid_value(r, r->at);
}

static int read_name(struct time_reader *r)
{
	static const char *const months[] = {"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"};
	static const char *const short_months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	static const char *const roman[] = {
		"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"};
	static const char *const days[] = {
		"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
	static const char *const short_days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	unsigned index;

	switch (r->node->keyword->field) {
	case FIELD_MONTH_NAME:
		return read_word(r, months, 12, &index) < 0
			       ? -1
			       : set(r, &r->fields.month, (int32_t)index + 1);
	case FIELD_MONTH_SHORT:
		return read_word(r, short_months, 12, &index) < 0
			       ? -1
			       : set(r, &r->fields.month, (int32_t)index + 1);
	case FIELD_MONTH_ROMAN:
		return read_word(r, roman, 12, &index) < 0
			       ? -1
			       : set(r, &r->fields.month, 12 - (int32_t)index);
	default:
		if (read_word(r, r->node->keyword->field == FIELD_DAY_NAME ? days : short_days, 7,
			    &index) < 0)
			return -1;
		return set(r, &r->fields.weekday, (int32_t)index + 1);
	}
}

static int read_half_or_era(struct time_reader *r)
{
	static const char *const words[][2] = {
		{"AM", "PM"}, {"A.M.", "P.M."}, {"AD", "BC"}, {"A.D.", "B.C."}};
	enum pattern_field field = r->node->keyword->field;
	unsigned index;

	if (read_word(r, words[field - FIELD_HALF], 2, &index) < 0)
		return -1;
	if (field >= FIELD_ERA)
		return set(r, &r->fields.before_christ, (int32_t)index);
	r->fields.clock_12 = true;
	return set(r, &r->fields.afternoon, (int32_t)index);
}

/* 1,999 */
static int read_year_with_comma(struct time_reader *r)
{
	int64_t thousands, rest;
	const char *start = r->at;

	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	r->at += take_number(r->at, r->end, NUMBER_TEXT_MAX, &thousands);
	if (r->at == start || r->at == r->end || *r->at != ',' || r->at + 1 == r->end ||
		!is_digit(r->at[1]) || thousands > INT_MAX / 1000 - 1 || thousands < 0)
		return error_set(r->err, ERROR_EVAL, "invalid input string for \"Y,YYY\"");
	r->at++;
	r->at += take_number(r->at, r->end, 3, &rest);
	r->fields.year_digits = 4;
	return set(r, &r->fields.year, (int32_t)(thousands * 1000 + rest));
}

/* Of one, two or three digits: the year nearest to 2020. */
static int32_t complete_year(int32_t year)
{
	if (year < 70)
		return year + 2000;
	if (year < 100)
		return year + 1900;
	if (year < 520)
		return year + 2000;
	return year < 1000 ? year + 1000 : year;
}

static int set_year(struct time_reader *r, int32_t year, size_t size)
{
	enum pattern_field field = r->node->keyword->field;

	r->fields.year_digits = (int32_t)(FIELD_YEAR_1 - field) + 1;
	if (field != FIELD_YEAR && size < 4)
		year = complete_year(year);
	return set(r, &r->fields.year, year);
}

static int set_fraction(struct time_reader *r, int32_t value, size_t size)
{
	/* 5 is half a second. */
	for (; size < 6; size++)
		value = value < INT_MAX / 10 ? value * 10 : value;
	return set(r, &r->fields.microsecond, value);
}

static int set_number(struct time_reader *r, int32_t value, size_t size)
{
	struct time_fields *f = &r->fields;

	switch (r->node->keyword->field) {
	case FIELD_YEAR:
	case FIELD_YEAR_3:
	case FIELD_YEAR_2:
	case FIELD_YEAR_1: return set_year(r, value, size);
	case FIELD_CENTURY: return set(r, &f->century, value);
	case FIELD_QUARTER: return 0; /* which day of it nobody knows */
	case FIELD_MONTH: return set(r, &f->month, value);
	case FIELD_DAY: return set(r, &f->day, value);
	case FIELD_DAY_OF_YEAR: return set(r, &f->day_of_year, value);
	case FIELD_WEEKDAY: return set(r, &f->weekday, value);
	case FIELD_ISO_WEEKDAY: return set(r, &f->weekday, value >= 7 ? 1 : value + 1);
	case FIELD_WEEK: return set(r, &f->week, value);
	case FIELD_WEEK_OF_MONTH: return set(r, &f->week_of_month, value);
	case FIELD_JULIAN: return set(r, &f->julian, value);
	case FIELD_HOUR_12: f->clock_12 = true; return set(r, &f->hour, value);
	case FIELD_HOUR_24: return set(r, &f->hour, value);
	case FIELD_MINUTE: return set(r, &f->minute, value);
	case FIELD_SECOND: return set(r, &f->second, value);
	case FIELD_SECOND_OF_DAY: return set(r, &f->second_of_day, value);
	case FIELD_MILLISECOND:
		return set(r, &f->millisecond, value * (size == 1 ? 100 : size == 2 ? 10 : 1));
	case FIELD_FRACTION: f->fraction_digits = r->node->keyword->width; /* fall through */
	case FIELD_MICROSECOND: return set_fraction(r, value, size);
	case FIELD_ZONE_HOUR: return set(r, &f->zone_hour, value);
	default:
		f->zone_sign = f->zone_sign ? f->zone_sign : 1;
		return set(r, &f->zone_minute, value);
	}
}

/* A minus may have been taken for a separator. */
static void read_zone_sign(struct time_reader *r)
{
	bool marked = r->at < r->end && (*r->at == '+' || *r->at == '-' || *r->at == ' ');

	if (marked)
		r->fields.zone_sign = *r->at++ == '-' ? -1 : 1;
	else
		r->fields.zone_sign =
			r->skipped > 0 && r->at > r->start && r->at[-1] == '-' ? -1 : 1;
}

static int read_digits(struct time_reader *r)
{
	int64_t value;
	size_t size = 0;

	if (r->node->keyword->field == FIELD_ZONE_HOUR)
		read_zone_sign(r);
	if (r->node->keyword->field == FIELD_YEAR_COMMA)
		return read_year_with_comma(r);
	if (read_number(r, &value, &size) < 0)
		return -1;
	return set_number(r, (int32_t)value, size);
}

static int check_convention(struct time_reader *r, enum date_convention convention)
{
	if (convention == CONVENTION_NONE)
		return 0;
	if (r->fields.convention != CONVENTION_NONE && r->fields.convention != convention)
		return error_set(r->err, ERROR_EVAL, "invalid combination of date conventions");
	r->fields.convention = convention;
	return 0;
}

static int read_field(struct time_reader *r)
{
	enum pattern_field field = r->node->keyword->field;
	int result;

	if (field == FIELD_EXACT) {
		r->exact = true;
		return 0;
	}
	if (check_convention(r, r->node->keyword->convention) < 0)
		return -1;
	if (field <= FIELD_ZONE_MINUTE)
		result = read_digits(r);
	else
		result = field < FIELD_HALF ? read_name(r) : read_half_or_era(r);
	for (int i = 0; r->node->ordinal && i < 2 && r->at < r->end; i++)
		r->at = next_character(r->at, r->end);
	if (result == 0 && !r->exact) {
		r->skipped = 0;
		skip_blanks(r);
	}
	return result;
}

static int read_separator(struct time_reader *r)
{
	if (r->pattern->strict) {
		if (*r->at != *r->node->text.data)
			return error_set(r->err, ERROR_EVAL, "unmatched format separator \"%c\"",
				*r->node->text.data);
		r->at++;
	} else if (r->exact) {
		r->at = next_character(r->at, r->end);
	} else {
		r->skipped--;
		if (is_blank(*r->at) || is_mark(*r->at)) {
			r->at++;
			r->skipped++;
		}
	}
	return 0;
}

static int read_character(struct time_reader *r)
{
	const struct text *text = &r->node->text;

	if (r->pattern->strict && ((size_t)(r->end - r->at) < text->size ||
					  memcmp(r->at, text->data, text->size) != 0))
		return error_set(r->err, ERROR_EVAL, "unmatched format character \"%.*s\"",
			(int)text->size, text->data);
	if (!r->exact && r->skipped > 0)
		r->skipped--;
	else
		r->at = next_character(r->at, r->end);
	return 0;
}

static int read_nodes(struct time_reader *r)
{
	const struct pattern_node *last = r->pattern->nodes + r->pattern->count;

	for (r->node = r->pattern->nodes; r->node < last && r->at < r->end; r->node++) {
		int result;

		if (!r->exact &&
			(r->node->kind == NODE_FIELD ? r->node->keyword->field != FIELD_EXACT
						     : r->node == r->pattern->nodes))
			skip_blanks(r);
		if (r->node->kind == NODE_FIELD)
			result = read_field(r);
		else if (r->at == r->end)
			break;
		else
			result = r->node->kind == NODE_SEPARATOR ? read_separator(r)
								 : read_character(r);
		if (result < 0)
			return -1;
	}
	if (!r->pattern->strict)
		return 0;
	if (r->node < last)
		return error_set(
			r->err, ERROR_EVAL, "input string is too short for datetime format");
	skip_blanks(r);
	if (r->at < r->end)
		return error_set(r->err, ERROR_EVAL,
			"trailing characters remain in input string after datetime format");
	return 0;
}

int time_pattern_read(const struct input_pattern *pattern, struct text text,
	struct time_reading *out, struct error *err)
{
	struct time_reader r = {.pattern = pattern,
		.start = text.data,
		.at = text.data,
		.exact = pattern->strict,
		.err = err};
	const char *reason;

	r.end = text.data + text.size;
	if (read_nodes(&r) < 0)
		return -1;
	if (time_fields_make(&r.fields, out, &reason))
		return 0;
	if (reason)
		return error_set(
			err, ERROR_EVAL, "%s: \"%.*s\"", reason, short_size(text.size), text.data);
	return error_set(err, ERROR_EVAL, "date/time field value out of range: \"%.*s\"",
		short_size(text.size), text.data);
}
