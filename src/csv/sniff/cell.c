#include "csv/sniff/cell.h"

#include <string.h>
#include <strings.h>

#define COST_LOWER	72
#define COST_UPPER	88
#define COST_DIGIT	96 /* in text */
#define COST_DIGIT_NEXT 58
#define COST_SPACE_NEXT 16 /* behind a mark; a line end behind another */
#define COST_INDENT	12 /* a tab in the margin of a text of many lines */
#define COST_SPACE	56
#define COST_PADDING	4 /* a blank more at the edge of a cell: columns are padded to their width */
#define COST_UTF8	64
#define COST_COMMON	104 /* punctuation that stands in names and sentences */
#define COST_RARE	128
#define COST_CONTROL	176
#define COST_TEXT_END	80

#define COST_NUMBER_DIGIT 55 /* eleven symbols: ten digits and the end */
#define COST_NUMBER_MARK  32 /* a sign, a point, a currency */
#define COST_NUMBER_COMMA 48
#define COST_NULL	  64
#define COST_DATE	  (18 * CELL_BIT)
#define COST_CLOCK	  (14 * CELL_BIT)

/* What is scanned: goes forward over it. */
struct cell_cursor {
	const char *at;
	const char *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static uint32_t character_cost(unsigned char c)
{
	if (c >= 'a' && c <= 'z')
		return COST_LOWER;
	if (c == ' ')
		return COST_SPACE;
	if (c >= 0x80)
		return COST_UTF8;
	if (c >= 'A' && c <= 'Z')
		return COST_UPPER;
	if (is_digit((char)c))
		return COST_DIGIT;
	if (c < 0x20 || c == 0x7f)
		return COST_CONTROL;
	return strchr(".,-_/()':&", c) ? COST_COMMON : COST_RARE;
}

static uint32_t text_cost(const char *data, size_t size)
{
	uint32_t cost = COST_TEXT_END;
	bool margin = false; /* nothing but tabs since the start of a line that is not the first */

	for (size_t i = 0; i < size; i++) {
		margin = i > 0 && (data[i - 1] == '\n' || (margin && data[i - 1] == '\t'));
		if (margin && data[i] == '\t')
			cost += COST_INDENT;
		else if (i > 0 && is_digit(data[i]) && is_digit(data[i - 1]))
			cost += COST_DIGIT_NEXT;
		else if (i > 0 && data[i] == ' ' && strchr(",;:.", data[i - 1]))
			cost += COST_SPACE_NEXT;
		else if (is_line_end(data[i]))
			cost += i > 0 && is_line_end(data[i - 1]) ? COST_SPACE_NEXT : COST_SPACE;
		else
			cost += character_cost((unsigned char)data[i]);
	}
	return cost;
}

/* NA, N/A, null, -, \N, nan, ...: what stands for NULL among numbers and dates. */
static bool cell_is_null_word(const char *data, size_t size)
{
	static const char *const words[] = {
		"na", "n/a", "null", "nan", "none", "-", "--", "\\n", "#n/a", "nil", ".", "?"};

	if (size == 0 || size > 5)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == size && strncasecmp(words[i], data, size) == 0)
			return true;
	return false;
}

/* -- Numbers -- */

static bool take(struct cell_cursor *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool take_text(struct cell_cursor *r, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0)
		return false;
	r->at += size;
	return true;
}

static uint32_t take_digits(struct cell_cursor *r)
{
	const char *start = r->at;

	while (r->at < r->end && is_digit(*r->at))
		r->at++;
	return (uint32_t)(r->at - start);
}

static bool take_currency(struct cell_cursor *r)
{
	return take(r, '$') || take_text(r, "\xc2\xa3") || take_text(r, "\xe2\x82\xac") ||
	       take_text(r, "\xc2\xa5") || take(r, '\xa3') || take(r, '\x80');
}

/*
 * Digits with groups of three and a fraction, either of them with a point or a comma: 1,234.50
 * 1.234,50 1 234,50 1'234.50 .5 5. Returns how many digits there are, 0 when it is not a number.
 */
static uint32_t take_digit_groups(struct cell_cursor *r, bool *comma)
{
	uint32_t digits = take_digits(r), groups = 0;
	char group_mark = '\0';

	while (digits > 0 && r->end - r->at > 3 && strchr(",.' ", *r->at) &&
		(group_mark == '\0' || *r->at == group_mark)) {
		struct cell_cursor ahead = {r->at + 1, r->end};

		if (take_digits(&ahead) != 3)
			break;
		/* One group behind a point is a fraction as well; it does not matter here. */
		group_mark = *r->at;
		groups++;
		digits += 3;
		r->at = ahead.at;
	}
	*comma = group_mark == ',';
	if (r->at < r->end && (*r->at == '.' || *r->at == ',') && *r->at != group_mark) {
		*comma |= *r->at == ',';
		r->at++;
		digits += take_digits(r);
	}
	return digits;
}

static bool take_exponent(struct cell_cursor *r)
{
	struct cell_cursor ahead = *r;

	if (!take(&ahead, 'e') && !take(&ahead, 'E'))
		return false;
	if (!take(&ahead, '+'))
		take(&ahead, '-');
	if (take_digits(&ahead) == 0)
		return false;
	*r = ahead;
	return true;
}

/* What programs write for numbers beyond all others. */
static bool take_infinity(struct cell_cursor *r)
{
	static const char *const words[] = {"infinity", "inf"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size = strlen(words[i]);

		if ((size_t)(r->end - r->at) == size && !strncasecmp(r->at, words[i], size)) {
			r->at = r->end;
			return true;
		}
	}
	return false;
}

static uint32_t number_cost(const char *data, size_t size)
{
	struct cell_cursor r = {data, data + size};
	uint32_t cost = COST_NUMBER_DIGIT, digits;
	bool bracket = take(&r, '('), comma;

	if (take(&r, '-') || take(&r, '+'))
		cost += COST_NUMBER_MARK;
	if (take_infinity(&r))
		return bracket ? 0 : cost + 3 * COST_NUMBER_DIGIT;
	if (take_currency(&r)) {
		cost += COST_NUMBER_MARK;
		take(&r, ' ');
		take(&r, '-');
	}
	digits = take_digit_groups(&r, &comma);
	if (digits == 0)
		return 0;
	cost += digits * COST_NUMBER_DIGIT + (comma ? COST_NUMBER_COMMA : 0);
	if (memchr(data, '.', size))
		cost += COST_NUMBER_MARK;
	if (take_exponent(&r))
		cost += 3 * COST_NUMBER_DIGIT;
	take(&r, ' ');
	if (take(&r, '%') || take_currency(&r))
		cost += COST_NUMBER_MARK;
	if (bracket && !take(&r, ')'))
		return 0;
	return r.at == r.end ? cost : 0;
}

/* -- Dates and times -- */

static bool take_month_name(struct cell_cursor *r)
{
	static const char *const months[] = {"january", "february", "march", "april", "may", "june",
		"july", "august", "september", "october", "november", "december"};

	for (size_t i = 0; i < 12; i++) {
		size_t size = strlen(months[i]), left = (size_t)(r->end - r->at);

		if (left >= size && strncasecmp(r->at, months[i], size) == 0) {
			r->at += size;
			return true;
		}
		if (left >= 3 && strncasecmp(r->at, months[i], 3) == 0 &&
			(left == 3 || !((r->at[3] | 0x20) >= 'a' && (r->at[3] | 0x20) <= 'z'))) {
			r->at += 3;
			return true;
		}
	}
	return false;
}

/* A year, a month or a day: up to four digits, or the name of a month. */
static bool take_date_part(struct cell_cursor *r, bool *named, bool *year)
{
	struct cell_cursor ahead = *r;
	uint32_t digits = take_digits(&ahead);

	*named = false;
	*year = digits == 4;
	if (digits == 0)
		*named = take_month_name(&ahead);
	if (digits == 3 || digits > 4 || (digits == 0 && !*named))
		return false;
	*r = ahead;
	return true;
}

static bool take_zone(struct cell_cursor *r)
{
	if (take(r, 'Z') || take(r, 'z'))
		return true;
	if (!take(r, '+') && !take(r, '-'))
		return false;
	if (take_digits(r) == 0)
		return false;
	return !take(r, ':') || take_digits(r) == 2;
}

static bool take_clock(struct cell_cursor *r)
{
	struct cell_cursor ahead = *r;
	uint32_t hours = take_digits(&ahead);

	if (hours == 0 || hours > 2 || !take(&ahead, ':') || take_digits(&ahead) != 2)
		return false;
	if (take(&ahead, ':') && take_digits(&ahead) != 2)
		return false;
	if (take(&ahead, '.') && take_digits(&ahead) == 0)
		return false;
	*r = ahead;
	take(&ahead, ' ');
	if (ahead.end - ahead.at >= 2 &&
		(strncasecmp(ahead.at, "am", 2) == 0 || strncasecmp(ahead.at, "pm", 2) == 0)) {
		ahead.at += 2;
		*r = ahead;
	}
	take_zone(r);
	return true;
}

/* 2024-12-31 31/12/24 31.12.2024 9-Mar-11 12 March 2014 Oct-14 */
static bool take_date(struct cell_cursor *r)
{
	bool named, year, any_named = false, any_year = false;
	uint32_t parts = 0;
	char mark = '\0';

	while (parts < 3) {
		struct cell_cursor ahead = *r;

		if (parts > 0) {
			if (ahead.at == ahead.end || !strchr("/-. ", *ahead.at) ||
				(mark != '\0' && *ahead.at != mark))
				break;
			mark = *ahead.at++;
		}
		if (!take_date_part(&ahead, &named, &year) || (named && any_named) ||
			(year && any_year))
			break;
		any_named |= named;
		any_year |= year;
		*r = ahead;
		parts++;
	}
	/* Two numbers are no date, and three with spaces or points between them only with a year.
	 */
	if (parts < 2 || (parts == 2 && !any_named))
		return false;
	return any_named || any_year || mark == '/' || mark == '-' || mark == '.';
}

static uint32_t time_cost(const char *data, size_t size)
{
	struct cell_cursor r = {data, data + size};

	if (take_clock(&r))
		return r.at == r.end ? COST_CLOCK : 0;
	if (!take_date(&r))
		return 0;
	if (r.at == r.end)
		return COST_DATE;
	if (!take(&r, ' ') && !take(&r, 'T'))
		return 0;
	return take_clock(&r) && r.at == r.end ? COST_DATE + COST_CLOCK : 0;
}

static uint32_t blanks_cost(uint32_t blanks)
{
	return blanks < 3 ? blanks * COST_SPACE : 2 * COST_SPACE + (blanks - 2) * COST_PADDING;
}

struct cell_look cell_look(const char *data, size_t size)
{
	struct cell_look look = {0};
	uint32_t cost, blanks = 0;

	while (size > 0 && (*data == ' ' || *data == '\t')) {
		data++;
		size--;
		blanks++;
	}
	for (; size > 0 && (data[size - 1] == ' ' || data[size - 1] == '\t'); blanks++)
		size--;
	look.text = look.typed = text_cost(data, size) + blanks_cost(blanks);
	look.class = CELL_TEXT;
	if (size == 0) {
		look.class = CELL_EMPTY;
	} else if (cell_is_null_word(data, size)) {
		look.class = CELL_NULL;
		look.typed = COST_NULL + blanks_cost(blanks);
	} else if (size <= 40 && (cost = number_cost(data, size)) > 0) {
		look.class = CELL_NUMBER;
		look.typed = cost + blanks_cost(blanks);
	} else if (size <= 40 && (cost = time_cost(data, size)) > 0) {
		look.class = CELL_TIME;
		look.typed = cost + blanks_cost(blanks);
	}
	return look;
}
