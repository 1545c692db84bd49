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

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum mark {
	MARK_LITERAL,
	MARK_DIGIT, /* 9 */
	MARK_ZERO,  /* 0 */
	MARK_POINT, /* . D */
	MARK_GROUP, /* , G */
	MARK_MINUS, /* MI */
	MARK_PLUS,  /* PL */
	MARK_SIGN,  /* SG */
	/* These say how to print and print nothing themselves. */
	MARK_ANCHORED, /* S: the sign, next to the number */
	MARK_BRACKETS, /* PR */
	MARK_FILL,     /* FM */
	MARK_UNSUPPORTED,
};

struct mark_word {
	const char *upper;
	const char *lower;
	enum mark mark;
};

/* Of two words that begin alike the longer comes first. */
static const struct mark_word mark_words[] = {
	{",", ",", MARK_GROUP},
	{".", ".", MARK_POINT},
	{"0", "0", MARK_ZERO},
	{"9", "9", MARK_DIGIT},
	{"B", "b", MARK_UNSUPPORTED},
	{"C", "c", MARK_UNSUPPORTED},
	{"D", "d", MARK_POINT},
	{"EEEE", "eeee", MARK_UNSUPPORTED},
	{"FM", "fm", MARK_FILL},
	{"G", "g", MARK_GROUP},
	{"L", "l", MARK_UNSUPPORTED},
	{"MI", "mi", MARK_MINUS},
	{"PL", "pl", MARK_PLUS},
	{"PR", "pr", MARK_BRACKETS},
	{"RN", "rn", MARK_UNSUPPORTED},
	{"SG", "sg", MARK_SIGN},
	{"SP", "sp", MARK_UNSUPPORTED},
	{"S", "s", MARK_ANCHORED},
	{"TH", "th", MARK_UNSUPPORTED},
	{"V", "v", MARK_UNSUPPORTED},
};

struct number_item {
	enum mark mark;
	struct text literal;
};

enum anchor {
	ANCHOR_NONE,
	ANCHOR_FRONT,
	ANCHOR_BACK,
};

struct number_pattern {
	uint32_t before; /* places before the point */
	uint32_t after;
	uint32_t zero_first; /* the place of the first 0 before the point; UINT32_MAX without one */
	uint32_t zero_last;  /* how many places there are up to the last 0 */
	bool point;
	bool fill;
	bool brackets;
	bool minus_apart; /* MI or SG: the sign is not part of the number */
	bool plus_apart;  /* PL or SG */
	enum anchor anchor;
	uint32_t anchor_before; /* places before an S */
	uint32_t count;
	struct number_item items[];
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
	if (p->point)
		p->after++;
	else
		p->before++;
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
	case MARK_UNSUPPORTED:
		return error_set(err, ERROR_EVAL, "to_char: the pattern \"%s\" is not supported",
			word->upper);
	default: return 0;
	}
}

static void add_literal(struct number_pattern *p, const char *start, const char *end)
{
	p->items[p->count++] =
		(struct number_item){MARK_LITERAL, text_from(start, (size_t)(end - start))};
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
			p->items[p->count++] = (struct number_item){.mark = word->mark};
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

static void print_item(struct number_printer *pr, const struct number_item *item)
{
	bool fill = pr->pattern->fill;

	switch (item->mark) {
	case MARK_LITERAL: buf_append(pr->out, item->literal.data, item->literal.size); break;
	case MARK_DIGIT:
	case MARK_ZERO:
	case MARK_POINT: print_place(pr, item->mark); break;
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

/* Wide enough for DBL_MAX and the digits a pattern may ask for behind the point. */
#define DOUBLE_DIGITS_MAX 400

void number_pattern_format_double(
	const struct number_pattern *pattern, double value, struct buf *out)
{
	char text[DOUBLE_DIGITS_MAX];
	int before, after;

	if (isnan(value) || isinf(value)) {
		print_number(pattern, isnan(value) ? "NaN" : "Infinity", pattern->after,
			signbit(value), out);
		return;
	}
	before = snprintf(text, sizeof(text), "%.0f", fabs(value));
	/* No more digits than a double has. */
	after = before >= DBL_DIG ? 0 : DBL_DIG - before;
	if (after > (int)pattern->after)
		after = (int)pattern->after;
	snprintf(text, sizeof(text), "%.*f", after, fabs(value));
	print_number(pattern, text, (uint32_t)after, signbit(value), out);
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
	if (!numeric_round(value, (int)pattern->after, &rounded))
		(void)numeric_long_round(value, (int)pattern->after, &arena, &rounded);
	negative = numeric_sign(rounded) < 0;
	numeric_append(rounded, &text);
	buf_append_char(&text, '\0');
	print_number(pattern, text.data + negative, pattern->after, negative, out);
	buf_release(&text);
	arena_release(&arena);
}
