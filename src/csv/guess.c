#include "csv/guess.h"

#include "column/column.h"
#include "column/datetime.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DOUBLE_DIGITS 15 /* of a number that a double is for certain */
#define TIME_KINDS    ((unsigned)(GUESS_DATE | GUESS_TIMESTAMP))

/* Narrowest first. */
static const struct {
	enum guess_kind bit;
	enum type_kind kind;
} kinds[] = {
	{GUESS_BOOL, TYPE_BOOL},
	{GUESS_BIGINT, TYPE_BIGINT},
	{GUESS_NUMERIC, TYPE_NUMERIC},
	{GUESS_DOUBLE, TYPE_DOUBLE},
	{GUESS_DATE, TYPE_DATE},
	{GUESS_TIMESTAMP, TYPE_TIMESTAMP},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* How numbers may be written; the usual way is the first reading of every guess. */
static const struct {
	char decimal;
	char thousands;
} number_marks[] = {
	{',', '\0'}, {',', '.'}, {'\0', ','}, {',', ' '}, {'\0', ' '}, {'\0', '\''}, {',', '\''}};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void trim(const char **text, size_t *size)
{
	while (*size > 0 && (**text == ' ' || **text == '\t')) {
		++*text;
		--*size;
	}
	while (*size > 0 && ((*text)[*size - 1] == ' ' || (*text)[*size - 1] == '\t'))
		--*size;
}

static bool is_word(const char *text, size_t size, const char *word)
{
	return size == strlen(word) && strncasecmp(text, word, size) == 0;
}

bool csv_is_null_word(const char *text, size_t size)
{
	static const char *const words[] = {"na", "n/a", "null", "nan", "-", "\\n", "#n/a"};

	trim(&text, &size);
	if (size == 0 || size > 4 || is_digit(*text))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(text, size, words[i]))
			return true;
	return false;
}

unsigned guess_kind_of(struct type type)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (kinds[i].kind == type.kind)
			return kinds[i].bit;
	return 0;
}

struct type guess_widen(struct type type, unsigned wanted)
{
	unsigned own = guess_kind_of(type);
	unsigned family = own & GUESS_NUMBERS ? GUESS_NUMBERS : own & TIME_KINDS ? TIME_KINDS : 0;

	for (size_t i = 0; i < KIND_COUNT; i++)
		if (kinds[i].bit > own && kinds[i].bit & family & wanted)
			return type_of(kinds[i].kind);
	return type_of(TYPE_TEXT);
}

/* A zero in front of other digits makes it a code and not a number, and so does a plus. */
static bool is_code(const char *text, size_t size)
{
	size_t sign = size > 0 && *text == '-';

	return size > sign && (text[sign] == '+' || (text[sign] == '0' && size > sign + 1 &&
							    is_digit(text[sign + 1])));
}

/* [-]digits[.digits][e[+-]digits], [-].digits */
static unsigned usual_number_kinds(const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	const char *digits;
	struct value integer;
	const char *reason;
	numeric number;
	double real;

	if (is_word(text, size, "inf") || is_word(text, size, "-inf"))
		return GUESS_DOUBLE;
	if (is_code(text, size))
		return 0;
	p += *p == '-';
	digits = p;
	while (p < end && is_digit(*p))
		p++;
	if (p == end && value_parse(type_of(TYPE_BIGINT), text, size, NULL, &integer, &reason))
		return GUESS_NUMBERS;
	if (p < end && *p == '.')
		p++;
	else if (p == digits)
		return 0;
	while (p < end && is_digit(*p))
		p++;
	if (p == end && numeric_parse(text, size, &number))
		return GUESS_NUMERIC | GUESS_DOUBLE;
	return p > digits + (*digits == '.') && double_parse(text, size, &real) ? GUESS_DOUBLE : 0;
}

/* Digits with other marks in them are never doubles: 1,5e3 is nothing. */
static unsigned marked_number_kinds(
	const struct csv_reading *reading, const char *text, size_t size)
{
	struct value value;
	const char *reason;
	char decimal = reading->decimal ? reading->decimal : '.';

	if (is_code(text, size) || memchr(text, 'e', size) || memchr(text, 'E', size))
		return 0;
	if (!memchr(text, decimal, size) &&
		csv_reading_parse(reading, type_of(TYPE_BIGINT), text, size, NULL, &value, &reason))
		return GUESS_BIGINT | GUESS_NUMERIC;
	if (csv_reading_parse(reading, type_of(TYPE_NUMERIC), text, size, NULL, &value, &reason))
		return GUESS_NUMERIC;
	return 0;
}

static unsigned number_kinds(const struct csv_reading *reading, const char *text, size_t size)
{
	if (!is_digit(*text) && *text != '-' && *text != '.' && *text != ',' && *text != 'i' &&
		*text != 'I')
		return 0;
	if (reading->decimal || reading->thousands)
		return marked_number_kinds(reading, text, size);
	return usual_number_kinds(text, size);
}

static unsigned time_kinds(const struct csv_reading *reading, const char *text, size_t size)
{
	struct value value;
	const char *reason;

	if (!is_digit(*text) || (!reading->date.mark && (size < 10 || text[4] != '-')))
		return 0;
	if (!reading->zoned && !reading->date.mark) {
		int64_t point;

		/* A timestamp where a date is declared is cut to it; here they are two types. */
		if (date_parse(text, size, &point))
			return TIME_KINDS;
		return timestamp_parse(text, size, &point) ? GUESS_TIMESTAMP : 0;
	}
	if (!reading->zoned &&
		csv_reading_parse(reading, type_of(TYPE_DATE), text, size, NULL, &value, &reason))
		return TIME_KINDS;
	if (csv_reading_parse(reading, type_of(TYPE_TIMESTAMP), text, size, NULL, &value, &reason))
		return GUESS_TIMESTAMP;
	return 0;
}

unsigned guess_value_kinds(const struct csv_reading *reading, const char *text, size_t size)
{
	trim(&text, &size);
	if (size == 0)
		return 0;
	if (csv_reading_is_usual(reading) &&
		(is_word(text, size, "true") || is_word(text, size, "false")))
		return GUESS_BOOL;
	if (reading->date.mark || reading->zoned)
		return time_kinds(reading, text, size);
	if (reading->decimal || reading->thousands)
		return number_kinds(reading, text, size);
	return time_kinds(reading, text, size) | number_kinds(reading, text, size);
}

/* -- A column -- */

static void add_reading(struct csv_guess *guess, struct csv_reading reading, unsigned can_be)
{
	assert(guess->reading_count < GUESS_READINGS_MAX);
	guess->readings[guess->reading_count] = reading;
	guess->kinds[guess->reading_count++] = can_be;
}

/* One pattern of dates, without and with a zone behind the time. */
static void add_pattern(struct csv_guess *guess, struct date_pattern pattern)
{
	add_reading(guess, (struct csv_reading){.date = pattern}, TIME_KINDS);
	add_reading(guess, (struct csv_reading){.date = pattern, .zoned = true}, GUESS_TIMESTAMP);
}

void csv_guess_init(struct csv_guess *guess, const struct csv_dialect *dialect)
{
	bool decimal = dialect->given & CSV_GIVEN_DECIMAL;
	bool thousands = dialect->given & CSV_GIVEN_THOUSANDS;
	bool comma = decimal && dialect->decimal == ',';

	*guess = (struct csv_guess){.prints = GUESS_ALL};
	add_reading(guess, (struct csv_reading){0}, GUESS_ALL);
	add_reading(guess, (struct csv_reading){.zoned = true}, GUESS_TIMESTAMP);
	if (comma || (thousands && dialect->thousands))
		guess->kinds[0] &= ~GUESS_NUMBERS;
	for (size_t i = 0; i < sizeof(number_marks) / sizeof(number_marks[0]) && !thousands; i++) {
		struct csv_reading reading = {
			.decimal = number_marks[i].decimal, .thousands = number_marks[i].thousands};

		if (!decimal || comma == (reading.decimal == ','))
			add_reading(guess, reading, GUESS_BIGINT | GUESS_NUMERIC);
	}
	if (thousands && (comma || dialect->thousands))
		add_reading(guess,
			(struct csv_reading){
				.decimal = comma ? ',' : '\0', .thousands = dialect->thousands},
			GUESS_BIGINT | GUESS_NUMERIC);
	if (dialect->given & CSV_GIVEN_DATE_FORMAT) {
		struct date_pattern pattern;

		date_pattern_parse(dialect->date_format, &pattern);
		if (pattern.mark)
			add_pattern(guess, pattern);
		guess->dates_fixed = true;
	}
}

/*
 * The patterns that a value like 31/12/2024 suggests, for what is behind its first mark. Two digits
 * are a year only between slashes, and a point stands between day, month and year in this order.
 */
static void suggest_patterns(struct csv_guess *guess, const char *text, size_t size)
{
	size_t first = 0, second = 0, third = 0;
	struct date_pattern pattern;
	const char *p = text, *end = text + size;

	while (p < end && is_digit(*p))
		p++, first++;
	if (p == end || !strchr("/.-", *p) || first == 0)
		return;
	pattern = (struct date_pattern){.mark = *p++};
	while (p < end && is_digit(*p))
		p++, second++;
	if (p == end || *p++ != pattern.mark || second == 0 || second > 2)
		return;
	while (p < end && is_digit(*p))
		p++, third++;
	guess->dates_fixed = true;
	if (first == 4 && pattern.mark != '-') {
		memcpy(pattern.order, "YMD", 3);
		add_pattern(guess, pattern);
	} else if (first <= 2 && (third == 4 || (third == 2 && pattern.mark == '/'))) {
		pattern.short_year = third == 2;
		memcpy(pattern.order, "DMY", 3);
		add_pattern(guess, pattern);
		memcpy(pattern.order, "MDY", 3);
		if (pattern.mark != '.')
			add_pattern(guess, pattern);
	}
}

/* Two readings that are left take the number for different ones: 1,234 and 1.234. */
static bool reads_differently(const struct csv_guess *guess, const char *text, size_t size)
{
	bool point = false, comma = false;

	if (!memchr(text, ',', size) && !memchr(text, '.', size))
		return false;
	for (uint32_t i = 0; i < guess->reading_count; i++)
		if (guess->kinds[i] & GUESS_NUMBERS)
			*(guess->readings[i].decimal ? &comma : &point) = true;
	return point && comma;
}

static bool is_digit_run(const char *text, size_t size)
{
	size_t at = *text == '-';

	if (at == size)
		return false;
	while (at < size && is_digit(text[at]))
		at++;
	return at == size;
}

/* -?digits.digits: as a double it must have few of them, and none that says nothing. */
static unsigned printed_decimals(const char *text, size_t size)
{
	size_t sign = *text == '-', at = sign, digits, zeros = 0;
	bool zero = sign < size && text[sign] == '0';

	while (at < size && is_digit(text[at]))
		at++;
	digits = at - sign;
	if (digits == 0 || (zero && digits > 1) || at + 1 >= size || text[at++] != '.')
		return 0;
	while (zero && at + zeros < size && text[at + zeros] == '0')
		zeros++;
	if (at + zeros == size && sign)
		return 0; /* -0.0 */
	for (; at < size; at++, digits++)
		if (!is_digit(text[at]))
			return 0;
	return text[size - 1] == '0' || digits > DOUBLE_DIGITS || zeros > 3
		       ? GUESS_NUMERIC
		       : GUESS_NUMERIC | GUESS_DOUBLE;
}

/*
 * The types as which a value that has them prints as it is written. Seldom it would in spite of what
 * this says: then it is shown as the text that it is, which is the same.
 */
static unsigned printed_kinds(const char *text, size_t size)
{
	if (is_digit_run(text, size)) {
		if (*text == '-' && text[1] == '0')
			return 0;
		return size <= DOUBLE_DIGITS ? GUESS_NUMBERS : GUESS_BIGINT | GUESS_NUMERIC;
	}
	if (size < 10 || text[4] != '-')
		return printed_decimals(text, size);
	if (size == 10)
		return GUESS_DATE;
	/* 24:00 is the next day's 00:00, and so on. */
	if (size < 19 || text[10] != ' ' || (text[11] == '2' && text[12] > '3') || text[17] > '5')
		return 0;
	return size == 19 || (text[19] == '.' && text[size - 1] != '0') ? GUESS_TIMESTAMP : 0;
}

void csv_guess_add(struct csv_guess *guess, const char *text, size_t size, bool null_words)
{
	size_t written = size;
	bool none = true;

	trim(&text, &size);
	if (size == 0)
		return;
	if (guess->prints)
		guess->prints &= size < written ? 0 : printed_kinds(text, size);
	if (null_words && csv_is_null_word(text, size)) {
		guess->kinds[0] &= ~(unsigned)GUESS_BOOL;
		guess->null_words = true;
		return;
	}
	if (!guess->dates_fixed && is_digit(*text)) {
		/* Nothing but NULL came before the first value, so it may suggest. */
		suggest_patterns(guess, text, size);
	}
	guess->dates_fixed = true;
	for (uint32_t i = 0; i < guess->reading_count; i++)
		none = none && guess->kinds[i] == 0;
	if (none)
		return;
	if (is_digit_run(text, size)) {
		/* Without a mark in it, a number is the same however it is written. */
		unsigned plain = usual_number_kinds(text, size);

		for (uint32_t i = 0; i < guess->reading_count; i++)
			guess->kinds[i] &= plain;
		guess->seen = true;
		return;
	}
	for (uint32_t i = 0; i < guess->reading_count; i++)
		if (guess->kinds[i])
			guess->kinds[i] &= guess_value_kinds(&guess->readings[i], text, size);
	guess->differs = guess->differs || reads_differently(guess, text, size);
	guess->seen = true;
}

bool csv_guess_has_decimal_comma(const struct csv_guess *guess)
{
	bool comma = false;

	for (uint32_t i = 0; i < guess->reading_count; i++) {
		if (!(guess->kinds[i] & GUESS_NUMBERS))
			continue;
		if (guess->readings[i].decimal == '\0')
			return false;
		comma = true;
	}
	return guess->seen && comma;
}

static struct type narrowest(unsigned can_be)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (can_be & kinds[i].bit)
			return type_of(kinds[i].kind);
	return type_of(TYPE_TEXT);
}

/* The reading to take, or NULL, then perhaps with what there is to be said. */
static const struct csv_reading *choose(
	const struct csv_guess *guess, bool decimal_comma, unsigned *can_be, const char **note)
{
	const struct csv_reading *found = NULL;
	const struct date_pattern *dates = NULL;
	bool comma = false, point = false;

	for (uint32_t i = 0; i < guess->reading_count; i++) {
		const struct csv_reading *reading = &guess->readings[i];

		if (guess->kinds[i] == 0)
			continue;
		comma = comma || reading->decimal == ',';
		point = point || (guess->kinds[i] & GUESS_NUMBERS && reading->decimal == '\0');
		/* With and without a zone, the pattern is the same. */
		if (dates && reading->date.mark &&
			memcmp(dates, &reading->date, sizeof(*dates)) != 0) {
			*note = "its dates may be DD/MM or MM/DD: read as text; date_format "
				"decides";
			return NULL;
		}
		if (reading->date.mark)
			dates = &reading->date;
		if (!found) {
			found = reading;
			*can_be = guess->kinds[i];
		}
	}
	/* The usual way stands first and is taken, unless the table says that it is not usual. */
	if (guess->differs && comma && point && (decimal_comma || !csv_reading_is_usual(found))) {
		*note = "its commas or points may be decimal marks or stand between thousands: "
			"read as text; decimal or thousands decides";
		return NULL;
	}
	return found;
}

void csv_guess_settle(const struct csv_guess *guess, bool decimal_comma,
	struct table_column *column, struct arena *arena)
{
	const char *note = NULL;
	unsigned can_be = 0;
	const struct csv_reading *reading =
		guess->seen ? choose(guess, decimal_comma, &can_be, &note) : NULL;

	column->type = reading ? narrowest(can_be) : type_of(TYPE_TEXT);
	column->reading = reading ? *reading : (struct csv_reading){0};
	column->guessed = column->type.kind != TYPE_TEXT;
	column->shown_as_written =
		column->guessed &&
		!(guess->prints & guess_kind_of(column->type) && csv_reading_is_usual(reading));
	if (note)
		column->note = arena_printf(arena, "column %s: %s", column->name, note);
}

/* -- On its way to whoever has guessed -- */

#define PLACE_MAX  160
#define SAMPLE_MAX 80

int guess_error_type(struct error *err, uint32_t table, uint32_t column, unsigned can_be,
	const char *place, const char *sample, struct type type)
{
	char name[TYPE_NAME_MAX];

	error_set(err, ERROR_GUESS, "%.*s: \"%.*s\" is no %s", PLACE_MAX, place, SAMPLE_MAX, sample,
		type_name(type, name));
	err->guess = (struct error_guess){.table = table, .column = column, .kinds = can_be};
	return -1;
}

int guess_error_width(struct error *err, uint32_t table, uint32_t width, uint32_t fields,
	const char *place, const char *sample)
{
	error_set(err, ERROR_GUESS, "%.*s: a row of %u fields, where %u were expected: \"%.*s\"",
		PLACE_MAX, place, fields, width, SAMPLE_MAX, sample);
	err->guess = (struct error_guess){.table = table, .width = width, .fields = fields};
	return -1;
}
