/*
 * to_char for numbers.
 *
 * The digits of a pattern (9 and 0, with a point among them) are places; the number is rounded to
 * the places behind the point and set so that the points meet. Places in front of it are blank,
 * or 0 from the first 0 of the pattern on. FM leaves out the blanks, and the zeros behind the last
 * digit that matters. A number with too many digits becomes ###.
 */
#include "exec/func/to_char.h"

#include "exec/expr/eval_private.h"
#include "exec/func/number_pattern_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of two words that begin alike the longer comes first. */
static const struct mark_word {
	const char *upper;
	const char *lower;
	enum mark mark;
} mark_words[] = {
	{",", ",", MARK_COMMA},
	{".", ".", MARK_POINT},
	{"0", "0", MARK_ZERO},
	{"9", "9", MARK_DIGIT},
	{"B", "b", MARK_UNSUPPORTED},
	{"C", "c", MARK_UNSUPPORTED},
	{"D", "d", MARK_POINT},
	{"EEEE", "eeee", MARK_EXPONENT},
	{"FM", "fm", MARK_FILL},
	{"G", "g", MARK_GROUP},
	{"L", "l", MARK_CURRENCY},
	{"MI", "mi", MARK_MINUS},
	{"PL", "pl", MARK_PLUS},
	{"PR", "pr", MARK_BRACKETS},
	{"RN", "rn", MARK_ROMAN},
	{"SG", "sg", MARK_SIGN},
	{"SP", "sp", MARK_UNSUPPORTED},
	{"S", "s", MARK_ANCHORED},
	{"TH", "th", MARK_ORDINAL},
	{"V", "v", MARK_SHIFT},
};

/* -- Reading a pattern -- */

static const struct mark_word *find_mark(const char *at, const char *end)
{
	for (size_t i = 0; i < sizeof(mark_words) / sizeof(*mark_words); i++) {
		const struct mark_word *word = &mark_words[i];
		size_t size = strlen(word->upper);

		if ((size_t)(end - at) >= size &&
			(memcmp(at, word->upper, size) == 0 || memcmp(at, word->lower, size) == 0))
			return word;
	}
	return NULL;
}

static int bad_pattern(struct error *err, const char *why)
{
	return error_set(err, ERROR_EVAL, "to_char: %s", why);
}

static int note_place(struct number_pattern *p, enum mark mark, struct error *err)
{
	if (p->brackets)
		return bad_pattern(err, "\"9\" must be ahead of \"PR\"");
	if (mark == MARK_ZERO && !p->point && p->zero_first == UINT32_MAX)
		p->zero_first = p->before;
	if (p->exponent)
		return bad_pattern(err, "\"EEEE\" must be the last pattern used");
	if (p->point)
		p->after++;
	else
		p->before++;
	p->shift += p->shifted;
	if (mark == MARK_ZERO)
		p->zero_last = p->before + p->after;
	return 0;
}

static int note_mark(struct number_pattern *p, const struct mark_word *word, struct error *err)
{
	bool sign_elsewhere = p->minus_apart || p->plus_apart || p->brackets;

	switch (word->mark) {
	case MARK_DIGIT:
	case MARK_ZERO: return note_place(p, word->mark, err);
	case MARK_POINT:
		if (p->point)
			return bad_pattern(err, "multiple decimal points");
		if (p->shifted)
			return bad_pattern(err, "cannot use \"V\" and decimal point together");
		p->point = true;
		return 0;
	case MARK_ANCHORED:
		if (p->anchor != ANCHOR_NONE)
			return bad_pattern(err, "cannot use \"S\" twice");
		if (sign_elsewhere)
			return bad_pattern(
				err, "cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
		p->anchor = p->point ? ANCHOR_BACK : ANCHOR_FRONT;
		p->anchor_before = p->before;
		return 0;
	case MARK_MINUS:
	case MARK_PLUS:
	case MARK_SIGN:
	case MARK_BRACKETS:
		if (p->anchor != ANCHOR_NONE)
			return bad_pattern(
				err, "cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
		p->minus_apart |= word->mark == MARK_MINUS || word->mark == MARK_SIGN;
		p->plus_apart |= word->mark == MARK_PLUS || word->mark == MARK_SIGN;
		p->brackets |= word->mark == MARK_BRACKETS;
		return 0;
	case MARK_FILL: p->fill = true; return 0;
	case MARK_SHIFT:
		if (p->point)
			return bad_pattern(err, "cannot use \"V\" and decimal point together");
		p->shifted = true;
		return 0;
	case MARK_EXPONENT:
		if (p->exponent)
			return bad_pattern(err, "cannot use \"EEEE\" twice");
		if (sign_elsewhere || p->fill || p->anchor != ANCHOR_NONE || p->roman || p->shifted)
			return bad_pattern(err, "\"EEEE\" is incompatible with other formats");
		p->exponent = true;
		return 0;
	case MARK_ROMAN: p->roman = true; return 0;
	case MARK_UNSUPPORTED:
		return error_set(err, ERROR_EVAL, "to_char: the pattern \"%s\" is not supported",
			word->upper);
	default: return 0;
	}
}

static void add_literal(struct number_pattern *p, const char *start, const char *end)
{
	p->items[p->count++] = (struct number_item){
		.mark = MARK_LITERAL, .literal = text_from(start, (size_t)(end - start))};
}

static const char *read_quoted(struct number_pattern *p, const char *at, const char *end)
{
	while (at < end && *at != '"') {
		const char *next;

		at += *at == '\\' && at + 1 < end;
		next = utf8_next(at, end);
		add_literal(p, at, next);
		at = next;
	}
	return at < end ? at + 1 : at;
}

int number_pattern_compile(
	struct arena *arena, struct text text, const struct number_pattern **out, struct error *err)
{
	const char *end = text.data + text.size;
	struct number_pattern *p =
		arena_zalloc(arena, sizeof(*p) + ((size_t)text.size + 1) * sizeof(p->items[0]));

	p->zero_first = UINT32_MAX;
	for (const char *at = text.data; at < end;) {
		const struct mark_word *word = find_mark(at, end);

		if (word) {
			if (note_mark(p, word, err))
				return -1;
			p->items[p->count++] = (struct number_item){
				.mark = word->mark, .lower = *at == *word->lower};
			at += strlen(word->upper);
		} else if (*at == '"') {
			at = read_quoted(p, at + 1, end);
		} else {
			const char *next;

			at += *at == '\\' && at + 1 < end && at[1] == '"';
			next = utf8_next(at, end);
			add_literal(p, at, next);
			at = next;
		}
	}
	/* An S behind all places before the point follows the number. */
	if (p->anchor == ANCHOR_FRONT && p->anchor_before == p->before)
		p->anchor = ANCHOR_BACK;
	*out = p;
	return 0;
}

/* -- Applying it -- */

/* The state of one number on its way through a pattern. */
struct number_printer {
	const struct number_pattern *pattern;
	struct buf *out;
	const char *digits; /* with a point if there are some behind one; NULL: all are # */
	size_t size;	    /* of them, the point included */
	size_t next;	    /* in digits */
	size_t relevant;    /* the last of digits that FM keeps; SIZE_MAX: all */
	uint32_t blanks;    /* places before the number */
	uint32_t place;	    /* points count as places */
	bool negative;
	bool brackets;
	bool sign_done;
	bool in_number; /* the last place was a digit: a group mark is visible */
	/*
	 * A place behind the last digit: a point with no place behind it, or more places than a
	 * double has digits. PostgreSQL prints nothing from there on, literals included.
	 */
	bool ended;
};

static char digit_at(const struct number_printer *pr, size_t index)
{
	if (pr->digits)
		return pr->digits[index];
	return index == pr->pattern->before ? '.' : '#';
}

static bool ends_at_point(const struct number_printer *pr)
{
	return pr->relevant != SIZE_MAX && digit_at(pr, pr->relevant) == '.';
}

/* The 0 of 0.5 is not shown, unless the pattern asks for it. */
static bool is_hidden_zero(const struct number_printer *pr)
{
	return pr->pattern->zero_first == UINT32_MAX && pr->next == 0 && pr->size > 0 &&
	       digit_at(pr, 0) == '0' && pr->pattern->after > 0;
}

static void print_sign(struct number_printer *pr)
{
	const struct number_pattern *p = pr->pattern;

	if (p->anchor == ANCHOR_BACK)
		return;
	if (p->anchor == ANCHOR_FRONT)
		buf_append_char(pr->out, pr->negative ? '-' : '+');
	else if (pr->brackets)
		buf_append_char(pr->out, pr->negative ? '<' : ' ');
	else if (pr->negative)
		buf_append_char(pr->out, '-');
	else if (!p->fill)
		buf_append_char(pr->out, ' ');
	pr->sign_done = true;
}

static void print_digit(struct number_printer *pr, enum mark mark)
{
	bool fill = pr->pattern->fill;
	char c = pr->next < pr->size ? digit_at(pr, pr->next) : 0;

	if (c == '.') {
		buf_append_char(pr->out, '.');
	} else if (pr->relevant != SIZE_MAX && pr->next > pr->relevant && mark != MARK_ZERO) {
		/* a trailing zero that FM leaves out */
	} else if (is_hidden_zero(pr)) {
		if (!fill)
			buf_append_char(pr->out, ' ');
		else if (ends_at_point(pr))
			buf_append_char(pr->out, '0');
	} else if (c) {
		buf_append_char(pr->out, c);
		pr->in_number = true;
	} else {
		pr->ended = true;
	}
	pr->next += c != 0;
}

static void print_place(struct number_printer *pr, enum mark mark)
{
	const struct number_pattern *p = pr->pattern;
	bool blank = pr->place < pr->blanks;
	bool zero = blank && pr->place >= p->zero_first;

	pr->in_number = false;
	if (!pr->sign_done && (!blank || pr->place == p->zero_first) &&
		(!is_hidden_zero(pr) || ends_at_point(pr)))
		print_sign(pr);
	if (zero) {
		buf_append_char(pr->out, '0');
		pr->in_number = true;
	} else if (!blank) {
		print_digit(pr, mark);
	} else if (!p->fill) {
		buf_append_char(pr->out, ' ');
	}
	pr->place++;
	if (pr->ended)
		return;
	if (pr->place == p->before + p->after + p->point) {
		if (pr->brackets && pr->sign_done)
			buf_append_char(pr->out, pr->negative ? '>' : ' ');
		else if (p->anchor == ANCHOR_BACK)
			buf_append_char(pr->out, pr->negative ? '-' : '+');
	}
}

/* st, nd, rd or th, behind a number that is whole and not below zero. */
static void print_ordinal(struct number_printer *pr, bool lower)
{
	static const char *const endings[2][4] = {
		{"TH", "ST", "ND", "RD"}, {"th", "st", "nd", "rd"}};
	size_t size = pr->size;
	unsigned last;

	if (!pr->digits || pr->negative || pr->pattern->point || pr->pattern->roman)
		return;
	last = (unsigned)(unsigned char)pr->digits[size - 1] - '0';
	if (last > 3 || (size > 1 && pr->digits[size - 2] == '1'))
		last = 0;
	buf_append_text(pr->out, endings[lower][last]);
}

static void print_item(struct number_printer *pr, const struct number_item *item)
{
	bool fill = pr->pattern->fill;

	switch (item->mark) {
	case MARK_LITERAL: buf_append(pr->out, item->literal.data, item->literal.size); break;
	case MARK_DIGIT:
	case MARK_ZERO:
	case MARK_POINT: print_place(pr, item->mark); break;
	case MARK_ORDINAL: print_ordinal(pr, item->lower); break;
	case MARK_CURRENCY: buf_append_char(pr->out, ' '); break;
	case MARK_COMMA:
	case MARK_GROUP:
		if (pr->in_number)
			buf_append_char(pr->out, ',');
		else if (!fill)
			buf_append_char(pr->out, ' ');
		break;
	case MARK_MINUS:
		if (pr->negative || !fill)
			buf_append_char(pr->out, pr->negative ? '-' : ' ');
		break;
	case MARK_PLUS:
		if (!pr->negative || !fill)
			buf_append_char(pr->out, pr->negative ? ' ' : '+');
		break;
	case MARK_SIGN: buf_append_char(pr->out, pr->negative ? '-' : '+'); break;
	default: break;
	}
}

/* The last digit that FM keeps: none of the zeros at the end, but those under a 0. */
static size_t last_relevant(const struct number_printer *pr, size_t point)
{
	const struct number_pattern *p = pr->pattern;
	size_t last = pr->size - 1;

	while (last > point && digit_at(pr, last) == '0')
		last--;
	if (p->zero_last > pr->blanks) {
		size_t zero = p->zero_last - pr->blanks;

		if (zero > pr->size - 1)
			zero = pr->size - 1;
		if (last < zero)
			last = zero;
	}
	return last;
}

/* `digits`: no sign; `after` of them behind the point. */
static void print_number(const struct number_pattern *p, const char *digits, uint32_t after,
	bool negative, struct buf *out)
{
	const char *point = strchr(digits, '.');
	size_t before = point ? (size_t)(point - digits) : strlen(digits);
	struct number_printer pr = {
		.pattern = p,
		.out = out,
		.digits = digits,
		.size = strlen(digits),
		.relevant = SIZE_MAX,
		.negative = negative,
		.brackets = p->brackets && !p->minus_apart && !p->plus_apart,
	};

	if (before < p->before) {
		pr.blanks = (uint32_t)(p->before - before);
	} else if (before > p->before) {
		before = p->before;
		pr.digits = NULL;
		pr.size = before + 1 + after;
	}
	if (p->fill && p->point && (point || !pr.digits))
		pr.relevant = last_relevant(&pr, before);
	if (p->minus_apart || (p->fill && !negative && p->anchor == ANCHOR_NONE && !p->plus_apart))
		pr.sign_done = true;
	if (p->fill && !negative)
		pr.brackets = false;
	for (uint32_t i = 0; i < p->count && !pr.ended; i++)
		print_item(&pr, &p->items[i]);
}

/* -- Roman numerals and exponents -- */

#define ROMAN_WIDTH 15

static void print_roman(const struct number_pattern *p, int64_t value, struct buf *out)
{
	static const struct {
		const char *letters;
		int value;
	} parts[] = {{"M", 1000}, {"CM", 900}, {"D", 500}, {"CD", 400}, {"C", 100}, {"XC", 90},
		{"L", 50}, {"XL", 40}, {"X", 10}, {"IX", 9}, {"V", 5}, {"IV", 4}, {"I", 1}};
	char numeral[ROMAN_WIDTH + 1] = "###############";
	size_t size = 0;

	for (size_t i = 0; value >= 1 && value <= 3999 && i < sizeof(parts) / sizeof(parts[0]); i++)
		for (; value >= parts[i].value; value -= parts[i].value) {
			size_t length = strlen(parts[i].letters);

			memcpy(numeral + size, parts[i].letters, length);
			size += length;
			if (value == parts[i].value)
				numeral[size] = '\0';
		}
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->items[i].mark == MARK_LITERAL)
			buf_append(out, p->items[i].literal.data, p->items[i].literal.size);
		if (p->items[i].mark != MARK_ROMAN)
			continue;
		for (size_t k = strlen(numeral); !p->fill && k < ROMAN_WIDTH; k++)
			buf_append_char(out, ' ');
		for (const char *c = numeral; *c; c++)
			buf_append_char(
				out, (char)(p->items[i].lower && *c != '#' ? *c | 0x20 : *c));
	}
}

/* No number: the places of one as #. */
static void print_no_exponent(const struct number_pattern *p, struct buf *out)
{
	buf_append_char(out, ' ');
	for (uint32_t i = 0; i < p->before + p->after + 5; i++)
		buf_append_char(out, i == p->before ? '.' : '#');
}

/*
 * `text` is a number's digits, with a point perhaps: one of them, a point, `after` more and the power
 * of ten. Rounds half away from zero.
 */
static void print_exponent(
	const struct number_pattern *p, const char *text, bool negative, struct buf *out)
{
	const char *point = strchr(text, '.');
	long exponent = (point ? point - text : (long)strlen(text)) - 1;
	size_t count = 0, wanted = 1 + p->after;
	struct buf digits;
	bool up;

	buf_init(&digits, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	for (; *text == '0' || *text == '.'; text++)
		exponent -= *text == '0';
	if (!*text)
		exponent = 0;
	buf_append_char(&digits, '0');
	for (; *text; text++)
		if (*text != '.')
			buf_append_char(&digits, *text);
	up = digits.size - 1 > wanted && digits.data[1 + wanted] >= '5';
	while (digits.size - 1 < wanted)
		buf_append_char(&digits, '0');
	for (count = wanted; up; count--) {
		up = digits.data[count] == '9';
		digits.data[count] = up ? '0' : (char)(digits.data[count] + 1);
	}
	/* Rounded up from 9.99 it is 10.00, and PostgreSQL leaves it so. */
	count = digits.data[0] == '0';
	buf_append_char(out, negative ? '-' : ' ');
	buf_append(out, digits.data + count, 2 - count);
	if (p->after > 0) {
		buf_append_char(out, '.');
		buf_append(out, digits.data + 2, p->after);
	}
	buf_printf(out, "e%+03ld", exponent);
	buf_release(&digits);
}

/* Wide enough for DBL_MAX and the digits a pattern may ask for behind the point. */
#define DOUBLE_DIGITS_MAX 400

static void format_double_exponent(
	const struct number_pattern *pattern, double value, struct buf *out)
{
	if (isnan(value) || isinf(value))
		print_no_exponent(pattern, out);
	else
		buf_printf(out, "%s%.*e", signbit(value) ? "" : " ", (int)pattern->after, value);
}

void number_pattern_format_double(
	const struct number_pattern *pattern, double value, int digits, struct buf *out)
{
	char text[DOUBLE_DIGITS_MAX];
	int before, after;

	if (pattern->roman) {
		print_roman(pattern, fabs(value) < 4000 ? (int64_t)rint(value) : 0, out);
		return;
	}
	if (pattern->exponent) {
		format_double_exponent(pattern, value, out);
		return;
	}
	value *= pattern->shift > 0 ? pow(10, pattern->shift) : 1;
	if (isnan(value) || isinf(value)) {
		/* As many places as a number of that many digits would have. */
		after = digits - (isnan(value) ? 3 : 8);
		after = after < 0 ? 0 : after < (int)pattern->after ? after : (int)pattern->after;
		print_number(pattern, isnan(value) ? "NaN" : "Infinity", (uint32_t)after,
			signbit(value), out);
		return;
	}
	before = snprintf(text, sizeof(text), "%.0f", fabs(value));
	/* No more digits than the type has. */
	after = before >= digits ? 0 : digits - before;
	if (after > (int)pattern->after)
		after = (int)pattern->after;
	snprintf(text, sizeof(text), "%.*f", after, fabs(value));
	print_number(pattern, text, (uint32_t)after, signbit(value), out);
}

/* Where the pattern has no places for it. */
static bool format_numeric_otherwise(
	const struct number_pattern *pattern, numeric value, struct buf *text, struct buf *out)
{
	bool negative = numeric_sign(value) < 0;
	int64_t whole = 0;

	if (pattern->roman) {
		if (!numeric_is_special(value) && !numeric_to_i64(value, &whole))
			whole = 0;
		print_roman(pattern, whole, out);
		return true;
	}
	if (pattern->exponent && numeric_is_special(value)) {
		print_no_exponent(pattern, out);
	} else if (pattern->exponent) {
		numeric_append(value, text);
		buf_append_char(text, '\0');
		print_exponent(pattern, text->data + negative, negative, out);
	}
	return pattern->exponent;
}

void number_pattern_format_numeric(
	const struct number_pattern *pattern, numeric value, struct buf *out)
{
	struct arena arena;
	struct buf text;
	numeric rounded = value;
	bool negative;

	arena_init(&arena, 256);
	buf_init(&text, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	if (!format_numeric_otherwise(pattern, value, &text, out)) {
		if (pattern->shift > 0 &&
			numeric_power(numeric_from_i64(10), numeric_from_i64(pattern->shift),
				&arena, &rounded) == NUMERIC_FINE)
			(void)numeric_long_mul(value, rounded, &arena, &value);
		rounded = value;
		if (!numeric_round(value, (int)pattern->after, &rounded))
			(void)numeric_long_round(value, (int)pattern->after, &arena, &rounded);
		negative = numeric_sign(rounded) < 0;
		numeric_append(rounded, &text);
		buf_append_char(&text, '\0');
		print_number(pattern, text.data + negative, pattern->after, negative, out);
	}
	buf_release(&text);
	arena_release(&arena);
}
