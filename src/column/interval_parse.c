/*
 * Texts of intervals, with what PostgreSQL 15 makes of them, odd ones included.
 *
 * The text is cut into numbers, times and words, and these are read from right to left, so that a
 * unit comes before its number. What is left without a unit counts seconds, or days in front of a
 * time. A text that makes no sense this way may still be in the style of ISO 8601.
 */
#include "column/column.h"
#include "column/interval.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* PostgreSQL's own limits. */
#define PARTS_MAX 25
#define TEXT_MAX  255

#define MICROS_PER_MINUTE (60 * MICROS_PER_SECOND)
#define MICROS_PER_HOUR	  (3600 * MICROS_PER_SECOND)

enum status {
	STATUS_OK,
	STATUS_BAD,
	STATUS_RANGE,
};

enum part_kind {
	PART_NUMBER, /* 1, 1.5, 1-2 */
	PART_TIME,   /* 1:02:03.4 */
	PART_WORD,   /* days, ago */
};

struct part {
	enum part_kind kind;
	char sign; /* '+' or '-' in front; 0 when there is none */
	struct text text;
};

struct cursor {
	const char *at;
	const char *end;
};

/* What has been read so far. Years apart: they become months at the end. */
struct sums {
	int64_t micros;
	int32_t days;
	int32_t months;
	int32_t years;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static char peek(const struct cursor *c)
{
	return c->at < c->end ? *c->at : '\0';
}

static void skip_digits(struct cursor *c)
{
	while (is_digit(peek(c)))
		c->at++;
}

/* Digits and whatever else is in `marks`. */
static void skip_marked(struct cursor *c, const char *marks)
{
	while (is_digit(peek(c)) || (peek(c) && strchr(marks, peek(c))))
		c->at++;
}

/* -- Sums -- */

static bool add_product(int64_t value, int64_t scale, int64_t *sum)
{
	int64_t product;

	return !__builtin_mul_overflow(value, scale, &product) &&
	       !__builtin_add_overflow(*sum, product, sum);
}

static bool add_product32(int64_t value, int32_t scale, int32_t *sum)
{
	int32_t product;

	return value >= INT32_MIN && value <= INT32_MAX &&
	       !__builtin_mul_overflow((int32_t)value, scale, &product) &&
	       !__builtin_add_overflow(*sum, product, sum);
}

/* `fraction` is below 1, here and in what follows. */
static bool add_micros_fraction(double fraction, int64_t scale, struct sums *sums)
{
	double exact = fraction * (double)scale;
	int64_t micros = (int64_t)exact;

	exact -= (double)micros;
	if (exact > 0.5)
		micros++;
	else if (exact < -0.5)
		micros--;
	return !__builtin_add_overflow(sums->micros, micros, &sums->micros);
}

static bool add_days_fraction(double fraction, int scale, struct sums *sums)
{
	double exact = fraction * scale;
	int32_t days = (int32_t)exact;

	return !__builtin_add_overflow(sums->days, days, &sums->days) &&
	       add_micros_fraction(exact - days, MICROS_PER_DAY, sums);
}

static bool add_micros(int64_t value, double fraction, int64_t scale, struct sums *sums)
{
	return add_product(value, scale, &sums->micros) &&
	       add_micros_fraction(fraction, scale, sums);
}

static bool add_years(int64_t value, double fraction, int scale, struct sums *sums)
{
	int32_t months = (int32_t)rint(fraction * scale * MONTHS_PER_YEAR);

	return add_product32(value, scale, &sums->years) &&
	       !__builtin_add_overflow(sums->months, months, &sums->months);
}

/* value.fraction of `unit`. */
static enum status add_unit(enum time_unit unit, int64_t value, double fraction, struct sums *sums)
{
	bool fits = false;

	switch (unit) {
	case UNIT_MICROSECOND: fits = add_micros(value, fraction, 1, sums); break;
	case UNIT_MILLISECOND: fits = add_micros(value, fraction, 1000, sums); break;
	case UNIT_SECOND: fits = add_micros(value, fraction, MICROS_PER_SECOND, sums); break;
	case UNIT_MINUTE: fits = add_micros(value, fraction, MICROS_PER_MINUTE, sums); break;
	case UNIT_HOUR: fits = add_micros(value, fraction, MICROS_PER_HOUR, sums); break;
	case UNIT_DAY:
		fits = add_product32(value, 1, &sums->days) &&
		       add_micros_fraction(fraction, MICROS_PER_DAY, sums);
		break;
	case UNIT_WEEK:
		fits = add_product32(value, 7, &sums->days) && add_days_fraction(fraction, 7, sums);
		break;
	case UNIT_MONTH:
		fits = add_product32(value, 1, &sums->months) &&
		       add_days_fraction(fraction, DAYS_PER_MONTH, sums);
		break;
	case UNIT_YEAR: fits = add_years(value, fraction, 1, sums); break;
	case UNIT_DECADE: fits = add_years(value, fraction, 10, sums); break;
	case UNIT_CENTURY: fits = add_years(value, fraction, 100, sums); break;
	case UNIT_MILLENNIUM: fits = add_years(value, fraction, 1000, sums); break;
	default: return STATUS_BAD;
	}
	return fits ? STATUS_OK : STATUS_RANGE;
}

/* -- Parts -- */

static void cut_number(struct cursor *c, struct part *part)
{
	part->kind = PART_NUMBER;
	skip_digits(c);
	if (peek(c) == ':') {
		part->kind = PART_TIME;
		skip_marked(c, ":.");
	} else if (peek(c) == '-' || peek(c) == '/' || peek(c) == '.') {
		char mark[] = {*c->at++, '\0'};

		/* Letters make it a date, which is not an interval: take them, to be refused. */
		while (is_letter(peek(c)))
			c->at++;
		skip_marked(c, mark);
	}
}

/* A word ends where its letters do; before a digit only a few may stand: 1d2h, but not 1day2h. */
static bool cut_word(struct cursor *c, struct part *part)
{
	static const char *const joined[] = {"d", "dec", "h", "m", "mon", "s", "y"};
	const char *start = c->at;
	size_t size;

	part->kind = PART_WORD;
	while (is_letter(peek(c)))
		c->at++;
	size = (size_t)(c->at - start);
	if (peek(c) == '-' || peek(c) == '/' || peek(c) == '.')
		return false;
	if (!is_digit(peek(c)) && peek(c) != '+')
		return true;
	for (size_t i = 0; i < sizeof(joined) / sizeof(*joined); i++)
		if (strlen(joined[i]) == size && strncasecmp(joined[i], start, size) == 0)
			return true;
	return false;
}

static bool cut_signed(struct cursor *c, struct part *part)
{
	part->sign = *c->at++;
	while (is_blank(peek(c)))
		c->at++;
	if (!is_digit(peek(c)) && peek(c) != '.')
		return false;
	part->text.data = c->at;
	skip_marked(c, ":.-");
	part->kind = memchr(part->text.data, ':', (size_t)(c->at - part->text.data)) ? PART_TIME
										     : PART_NUMBER;
	return true;
}

static bool cut_parts(struct cursor c, struct part parts[PARTS_MAX], uint32_t *count)
{
	for (*count = 0; c.at < c.end;) {
		unsigned char first = (unsigned char)*c.at;
		struct part part = {.text.data = c.at};
		bool cut = true;

		if (is_digit(*c.at)) {
			cut_number(&c, &part);
		} else if (*c.at == '.') {
			c.at++;
			skip_digits(&c);
		} else if (is_letter(*c.at)) {
			cut = cut_word(&c, &part);
		} else if (*c.at == '+' || *c.at == '-') {
			cut = cut_signed(&c, &part);
		} else if (is_blank(*c.at) || (first > ' ' && first < 0x7f)) {
			c.at++;
			continue;
		} else {
			return false;
		}
		if (!cut || *count == PARTS_MAX)
			return false;
		part.text.size = (uint32_t)(c.at - part.text.data);
		parts[(*count)++] = part;
	}
	return true;
}

/* -- Reading parts -- */

/* As many digits as there are, also none; STATUS_RANGE above `max`. */
static enum status read_integer(struct cursor *c, int64_t max, int64_t *out)
{
	bool fits = true;

	*out = 0;
	for (; is_digit(peek(c)); c->at++)
		fits = fits && !__builtin_mul_overflow(*out, 10, out) &&
		       !__builtin_add_overflow(*out, *c->at - '0', out);
	return fits && *out <= max ? STATUS_OK : STATUS_RANGE;
}

/* From the point to the end. A point alone is a fraction, too. */
static enum status read_fraction(struct cursor *c, double *out)
{
	const char *point = c->at++;

	*out = 0;
	if (c->at == c->end)
		return STATUS_OK;
	skip_digits(c);
	if (c->at != c->end || !double_parse(point, (size_t)(c->end - point), out))
		return STATUS_BAD;
	return STATUS_OK;
}

/* [minutes]:seconds becomes minutes and seconds. */
static enum status shift_to_seconds(int64_t *hours, int64_t *minutes, int64_t *seconds)
{
	if (*hours > INT32_MAX)
		return STATUS_RANGE;
	*seconds = *minutes;
	*minutes = *hours;
	*hours = 0;
	return STATUS_OK;
}

/* What follows hours:minutes. */
static enum status read_seconds(
	struct cursor *c, bool to_second, int64_t *hours, int64_t *minutes, int64_t *seconds)
{
	if (c->at == c->end)
		return to_second ? shift_to_seconds(hours, minutes, seconds) : STATUS_OK;
	if (peek(c) == '.')
		return shift_to_seconds(hours, minutes, seconds);
	if (peek(c) != ':')
		return STATUS_BAD;
	c->at++;
	return read_integer(c, INT32_MAX, seconds);
}

/* hours:minutes[:seconds][.fraction]. Replaces the microseconds that parts to its right had. */
static enum status read_time(struct text text, bool to_second, int64_t *out)
{
	struct cursor c = {text.data, text.data + text.size};
	int64_t hours, minutes, seconds = 0, micros;
	double fraction = 0;
	enum status status = read_integer(&c, INT64_MAX, &hours);

	if (status != STATUS_OK)
		return status;
	if (peek(&c) != ':')
		return STATUS_BAD;
	c.at++;
	status = read_integer(&c, INT32_MAX, &minutes);
	if (status == STATUS_OK)
		status = read_seconds(&c, to_second, &hours, &minutes, &seconds);
	if (status == STATUS_OK && c.at < c.end)
		status = peek(&c) == '.' ? read_fraction(&c, &fraction) : STATUS_BAD;
	if (status != STATUS_OK)
		return status;
	micros = (int64_t)rint(fraction * 1e6);
	if (minutes > 59 || seconds > 60 || !add_product(hours, MICROS_PER_HOUR, &micros) ||
		!add_product(minutes, MICROS_PER_MINUTE, &micros) ||
		!add_product(seconds, MICROS_PER_SECOND, &micros))
		return STATUS_RANGE;
	*out = micros;
	return STATUS_OK;
}

struct interval_reader {
	struct interval_fields fields;
	struct sums sums;
	bool has_unit;
	enum time_unit unit; /* of the next number to the left */
	unsigned seen;	     /* 1 << unit: each only once */
	bool ago;
};

static enum status see(struct interval_reader *reader, unsigned units)
{
	if (reader->seen & units)
		return STATUS_BAD;
	reader->seen |= units;
	return STATUS_OK;
}

#define SECONDS_SEEN (1u << UNIT_SECOND | 1u << UNIT_MILLISECOND | 1u << UNIT_MICROSECOND)

static enum status take_time(struct interval_reader *reader, const struct part *part)
{
	int64_t micros;
	enum status status = read_time(part->text, reader->fields.minute_to_second, &micros);

	/* With a sign it could have been a number, so that its form is to blame. */
	if (status != STATUS_OK)
		return part->sign ? STATUS_BAD : status;
	reader->sums.micros = part->sign == '-' ? -micros : micros;
	reader->has_unit = true;
	reader->unit = UNIT_DAY;
	return see(reader, SECONDS_SEEN | 1u << UNIT_MINUTE | 1u << UNIT_HOUR);
}

/* The months of years-months. */
static enum status take_months(struct interval_reader *reader, struct cursor *c, int64_t *value)
{
	int64_t months;
	enum status status;

	c->at++;
	status = read_integer(c, MONTHS_PER_YEAR - 1, &months);
	if (status != STATUS_OK)
		return status;
	if (c->at < c->end)
		return STATUS_BAD;
	reader->has_unit = true;
	reader->unit = UNIT_MONTH;
	if (__builtin_mul_overflow(*value, MONTHS_PER_YEAR, value) ||
		__builtin_add_overflow(*value, months, value))
		return STATUS_RANGE;
	return STATUS_OK;
}

static enum status take_number(struct interval_reader *reader, const struct part *part)
{
	struct cursor c = {part->text.data, part->text.data + part->text.size};
	enum time_unit unit;
	double fraction = 0;
	int64_t value;
	enum status status;

	/* -.5 is nothing that PostgreSQL reads. */
	if (part->sign && peek(&c) == '.')
		return STATUS_BAD;
	status = read_integer(&c, INT64_MAX, &value);
	if (status == STATUS_OK && c.at < c.end) {
		if (peek(&c) == '-')
			status = take_months(reader, &c, &value);
		else
			status = peek(&c) == '.' ? read_fraction(&c, &fraction) : STATUS_BAD;
	}
	if (status != STATUS_OK)
		return status;
	if (!reader->has_unit) {
		reader->has_unit = true;
		reader->unit = reader->fields.least;
	}
	unit = reader->unit;
	if (part->sign == '-') {
		value = -value;
		fraction = -fraction;
	}
	status = add_unit(unit, value, fraction, &reader->sums);
	if (status != STATUS_OK)
		return status;
	if (unit == UNIT_HOUR)
		reader->unit = UNIT_DAY;
	return see(reader, unit == UNIT_SECOND && fraction != 0 ? SECONDS_SEEN : 1u << unit);
}

static enum status take_word(struct interval_reader *reader, struct text word)
{
	if (word.size == 3 && strncasecmp(word.data, "ago", 3) == 0) {
		reader->ago = true;
		/* A number to its left has no unit. */
		reader->has_unit = true;
		reader->unit = UNIT_QUARTER;
		return STATUS_OK;
	}
	reader->has_unit = true;
	return time_unit_parse(word, &reader->unit) && reader->unit <= UNIT_MILLENNIUM ? STATUS_OK
										       : STATUS_BAD;
}

static enum status negate_sums(struct sums *sums)
{
	if (sums->micros == INT64_MIN || sums->days == INT32_MIN || sums->months == INT32_MIN ||
		sums->years == INT32_MIN)
		return STATUS_RANGE;
	*sums = (struct sums){-sums->micros, -sums->days, -sums->months, -sums->years};
	return STATUS_OK;
}

static enum status read_parts(
	const struct cursor *text, struct interval_fields fields, struct sums *out)
{
	struct part parts[PARTS_MAX];
	struct interval_reader reader = {.fields = fields};
	enum status status = STATUS_OK;
	uint32_t count;

	if (!cut_parts(*text, parts, &count))
		return STATUS_BAD;
	while (count-- > 0 && status == STATUS_OK) {
		switch (parts[count].kind) {
		case PART_NUMBER: status = take_number(&reader, &parts[count]); break;
		case PART_TIME: status = take_time(&reader, &parts[count]); break;
		case PART_WORD: status = take_word(&reader, parts[count].text); break;
		}
	}
	if (status == STATUS_OK && reader.seen == 0)
		status = STATUS_BAD;
	if (status == STATUS_OK && reader.ago)
		status = negate_sums(&reader.sums);
	*out = reader.sums;
	return status;
}

/* -- ISO 8601 -- */

/* [-]digits[.digits][e[+-]digits], at most 1e15. */
static enum status read_iso_number(struct cursor *c, int64_t *value, double *fraction)
{
	const char *start = c->at;
	double number;

	c->at += peek(c) == '-';
	skip_marked(c, ".");
	if ((peek(c) == 'e' || peek(c) == 'E') && c->end - c->at > 1 &&
		(is_digit(c->at[1]) || c->at[1] == '-' || c->at[1] == '+')) {
		c->at += 2;
		skip_digits(c);
	}
	if (!double_parse(start, (size_t)(c->at - start), &number))
		return STATUS_BAD;
	if (!(fabs(number) <= 1e15))
		return STATUS_RANGE;
	*value = (int64_t)number;
	*fraction = number - (double)*value;
	return STATUS_OK;
}

static bool iso_unit(char letter, bool of_time, enum time_unit *unit)
{
	switch (letter) {
	case 'Y': *unit = UNIT_YEAR; return !of_time;
	case 'M': *unit = of_time ? UNIT_MINUTE : UNIT_MONTH; return true;
	case 'W': *unit = UNIT_WEEK; return !of_time;
	case 'D': *unit = UNIT_DAY; return !of_time;
	case 'H': *unit = UNIT_HOUR; return of_time;
	case 'S': *unit = UNIT_SECOND; return of_time;
	default: return false;
	}
}

static enum status read_iso(struct cursor c, struct sums *out)
{
	struct sums sums = {0};
	bool of_time = false;

	if (c.end - c.at < 2 || *c.at++ != 'P')
		return STATUS_BAD;
	while (c.at < c.end) {
		enum time_unit unit;
		double fraction;
		int64_t value;
		enum status status;

		if (*c.at == 'T') {
			of_time = true;
			c.at++;
			continue;
		}
		status = read_iso_number(&c, &value, &fraction);
		if (status == STATUS_OK && !iso_unit(peek(&c), of_time, &unit))
			status = STATUS_BAD;
		if (status == STATUS_OK)
			status = add_unit(unit, value, fraction, &sums);
		if (status != STATUS_OK)
			return status;
		c.at++;
	}
	*out = sums;
	return STATUS_OK;
}

bool interval_parse(const char *text, size_t size, struct interval_fields fields,
	struct interval *out, const char **reason)
{
	const struct cursor all = {text, text + size};
	enum status status = STATUS_BAD;
	struct sums sums = {0};
	int64_t months;

	if (size <= TEXT_MAX) {
		status = read_parts(&all, fields, &sums);
		if (status == STATUS_BAD)
			status = read_iso(all, &sums);
	}
	months = (int64_t)sums.years * MONTHS_PER_YEAR + sums.months;
	*reason = "out of range";
	if (status == STATUS_BAD)
		*reason = "not an interval";
	if (status != STATUS_OK || months != (int32_t)months)
		return false;
	return interval_fit(
		(struct interval){sums.micros, sums.days, (int32_t)months}, fields, out);
}
