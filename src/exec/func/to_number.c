/*
 * to_number: a text read by a pattern, character by character, the way PostgreSQL reads it: a place
 * takes a digit or the point if there is one, other parts of the pattern skip what stands there.
 */
#include "exec/expr/eval_private.h"
#include "exec/func/number_pattern_private.h"

#include "base/buf.h"

#include <string.h>

struct number_reading {
	const struct number_pattern *pattern;
	const char *at;
	const char *end;
	char sign; /* a blank: none was read */
	struct buf *digits;
	uint32_t before; /* digits that were read */
	uint32_t after;
	bool point;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips characters that can be no part of a number. */
static void skip_others(struct number_reading *r, unsigned count)
{
	for (; count > 0 && r->at < r->end && !strchr("0123456789.,+-", *r->at); count--)
		r->at = utf8_next(r->at, r->end);
}

static void read_sign_in_front(struct number_reading *r)
{
	const struct number_pattern *p = r->pattern;
	bool bracket = p->anchor != ANCHOR_FRONT && p->brackets && *r->at == '<';

	if (*r->at == '-' || bracket)
		r->sign = '-';
	else if (*r->at == '+')
		r->sign = '+';
	else
		return;
	r->at++;
}

/* True when there was a digit or the point; stays on it. */
static bool read_character(struct number_reading *r)
{
	if (is_digit(*r->at)) {
		buf_append_char(r->digits, *r->at);
		*(r->point ? &r->after : &r->before) += 1;
		return true;
	}
	if (!r->pattern->point || r->point || *r->at != '.')
		return false;
	buf_append_char(r->digits, '.');
	r->point = true;
	return true;
}

static void read_sign_behind(struct number_reading *r, bool read)
{
	const struct number_pattern *p = r->pattern;

	if (p->anchor != ANCHOR_NONE) {
		/* Next to the last digit. */
		if (read && r->at + 1 < r->end && (r->at[1] == '-' || r->at[1] == '+'))
			r->sign = *++r->at;
	} else if (!read && (p->minus_apart || p->plus_apart) && (*r->at == '-' || *r->at == '+')) {
		r->sign = *r->at;
	}
}

/* A place of the pattern. */
static void read_place(struct number_reading *r, bool is_point)
{
	bool read;

	if (*r->at == ' ')
		r->at++;
	if (r->at < r->end && r->sign == ' ' && !is_point && r->before + r->after == 0)
		read_sign_in_front(r);
	if (r->at >= r->end || (is_digit(*r->at) && r->point && r->after == r->pattern->after))
		return;
	read = read_character(r);
	if (r->sign == ' ' && r->before + r->after > 0)
		read_sign_behind(r, read);
}

static void read_number(struct number_reading *r)
{
	for (uint32_t i = 0; i < r->pattern->count && r->at < r->end; i++) {
		switch (r->pattern->items[i].mark) {
		case MARK_LITERAL: r->at = utf8_next(r->at, r->end); break;
		case MARK_DIGIT:
		case MARK_ZERO:
		case MARK_POINT:
			read_place(r, r->pattern->items[i].mark == MARK_POINT);
			r->at++;
			break;
		case MARK_COMMA:
		case MARK_GROUP:
			/* In front of the number only where it is padded. */
			if (!r->pattern->fill && *r->at == ',')
				r->at++;
			break;
		case MARK_CURRENCY:
		case MARK_MINUS:
		case MARK_PLUS:
		case MARK_SIGN: skip_others(r, 1); break;
		case MARK_ORDINAL: skip_others(r, 2); break;
		default: break;
		}
	}
	if (r->digits->size > 0 && r->digits->data[r->digits->size - 1] == '.')
		r->digits->size--;
}

static int read_row(struct call *call, uint32_t row, const struct number_pattern *pattern,
	struct buf *digits, struct error *err)
{
	struct text text = arg_text(&call->args[0], row);
	struct number_reading r = {.pattern = pattern,
		.at = text.data,
		.end = text.data + text.size,
		.sign = ' ',
		.digits = digits};
	struct arena *arena = call_arena(call);
	numeric value, divisor;

	buf_clear(digits);
	read_number(&r);
	if (buf_overflowed(digits) ||
		numeric_long_parse(digits->data, digits->size, arena, &value) != NUMERIC_FINE)
		return error_set(err, ERROR_EVAL,
			"invalid input syntax for type numeric: \"%c%.*s\"", r.sign,
			(int)digits->size, digits->size ? digits->data : "");
	if (numeric_long_fit(value, (int)(pattern->before + r.after), (int)r.after, arena,
		    &value) != NUMERIC_FINE)
		return error_set(err, ERROR_EVAL, "numeric field overflow");
	if (r.sign == '-')
		value = numeric_long_negate(value);
	if (pattern->shifted &&
		(numeric_power(numeric_from_i64(10), numeric_from_i64(pattern->shift), arena,
			 &divisor) != NUMERIC_FINE ||
			numeric_long_div(value, divisor, arena, &value) != NUMERIC_FINE))
		return error_numeric_range(err);
	call->out->num[row] = value;
	return 0;
}

static int compile_pattern(
	struct arena *arena, struct text text, const struct number_pattern **out, struct error *err)
{
	if (number_pattern_compile(arena, text, out, err) < 0)
		return -1;
	if ((*out)->exponent)
		return error_set(err, ERROR_EVAL, "\"EEEE\" not supported for input");
	if ((*out)->roman)
		return error_set(err, ERROR_EVAL, "\"RN\" not supported for input");
	return 0;
}

static int prepare_to_number(struct site *site, struct error *err)
{
	const struct number_pattern *pattern;

	if (!site->constants[1])
		return 0;
	if (compile_pattern(site->arena, site->constants[1]->text[0], &pattern, err) < 0)
		return -1;
	site->state = pattern;
	return 0;
}

static int run_to_number(struct call *call, struct error *err)
{
	struct buf digits;
	int status = 0;

	buf_init(&digits, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		const struct number_pattern *pattern = call->state;
		struct text text = arg_text(&call->args[1], i);

		if (text.size == 0) {
			call_set_null(call, i);
			continue;
		}
		if (!pattern)
			status = compile_pattern(call_arena(call), text, &pattern, err);
		if (status == 0)
			status = read_row(call, i, pattern, &digits, err);
		if (status < 0)
			break;
	}
	buf_release(&digits);
	return status;
}

const struct kernel *kernel_to_number_find(const struct expr *expr)
{
	static const struct kernel to_number = {.run = run_to_number, .prepare = prepare_to_number};

	return expr->function == FN_TO_NUMBER ? &to_number : NULL;
}
