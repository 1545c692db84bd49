/*
 * format(), the printf of SQL: %s, %I and %L with a position, a minus and a width. All arguments are
 * texts, and may be NULL.
 */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "exec/func/quote.h"

#include <string.h>

struct formatting {
	struct call *call;
	uint32_t row;
	const char *at; /* in the format */
	const char *end;
	uint32_t next; /* the argument that the next specifier takes */
	struct buf *out;
};

struct specifier {
	uint32_t position; /* 0: the next argument */
	bool left;
	int64_t width;
	char type;
};

static int ended(struct error *err)
{
	return error_set(err, ERROR_EVAL, "unterminated format() type specifier");
}

/* A number, if there is one; false when it does not fit. */
static bool read_number(struct formatting *f, int64_t *number, bool *read)
{
	*read = false;
	*number = 0;
	for (; f->at < f->end && *f->at >= '0' && *f->at <= '9'; f->at++) {
		*number = *number * 10 + (*f->at - '0');
		*read = true;
		if (*number > INT32_MAX)
			return false;
	}
	return true;
}

static bool argument(struct formatting *f, uint32_t index, struct text *out)
{
	if (column_is_null(&f->call->args[index], f->row))
		return false;
	*out = arg_text(&f->call->args[index], f->row);
	return true;
}

static int take(struct formatting *f, uint32_t position, uint32_t *index, struct error *err)
{
	*index = position > 0 ? position : f->next;
	f->next = *index + 1;
	if (*index >= f->call->arg_count)
		return error_set(err, ERROR_EVAL, "too few arguments for format()");
	return 0;
}

/* The width is an argument: * or *n$. */
static int read_width_argument(struct formatting *f, struct specifier *spec, struct error *err)
{
	const char *star = f->at++;
	int64_t position;
	struct value width;
	const char *reason;
	struct text text;
	uint32_t index;
	bool read;

	if (!read_number(f, &position, &read))
		return error_set(err, ERROR_EVAL, "number is out of range");
	if (read && position == 0)
		return error_set(err, ERROR_EVAL,
			"format specifies argument 0, but arguments are numbered from 1");
	if (read && (f->at == f->end || *f->at != '$'))
		return error_set(err, ERROR_EVAL, "width argument position must be ended by \"$\"");
	f->at = read ? f->at + 1 : star + 1;
	if (take(f, (uint32_t)position, &index, err) < 0)
		return -1;
	if (!argument(f, index, &text))
		return 0;
	if (!value_parse(
		    type_of(TYPE_INT), text.data, text.size, call_arena(f->call), &width, &reason))
		return error_set(err, ERROR_EVAL, "invalid input syntax for type integer: \"%.*s\"",
			(int)text.size, text.data);
	spec->width = width.i64;
	return 0;
}

static int read_specifier(struct formatting *f, struct specifier *spec, struct error *err)
{
	int64_t number;
	bool read;

	*spec = (struct specifier){0};
	if (!read_number(f, &number, &read))
		return error_set(err, ERROR_EVAL, "number is out of range");
	if (read && f->at < f->end && *f->at == '$') {
		if (number == 0)
			return error_set(err, ERROR_EVAL,
				"format specifies argument 0, but arguments are numbered from 1");
		spec->position = (uint32_t)number;
		f->at++;
		read = false;
	}
	if (read) {
		spec->width = number;
	} else {
		for (; f->at < f->end && *f->at == '-'; f->at++)
			spec->left = true;
		if (f->at < f->end && *f->at == '*') {
			if (read_width_argument(f, spec, err) < 0)
				return -1;
		} else if (!read_number(f, &spec->width, &read)) {
			return error_set(err, ERROR_EVAL, "number is out of range");
		}
	}
	if (f->at == f->end)
		return ended(err);
	spec->type = *f->at++;
	return 0;
}

static int append_argument(struct formatting *f, const struct specifier *spec, struct error *err)
{
	struct text text = {0};
	struct buf value;
	uint32_t index;
	bool left = spec->left || spec->width < 0;
	int64_t missing;
	bool there;

	if (!strchr("sIL", spec->type))
		return error_set(
			err, ERROR_EVAL, "unrecognized format() type specifier \"%c\"", spec->type);
	if (take(f, spec->position, &index, err) < 0)
		return -1;
	there = argument(f, index, &text);
	if (!there && spec->type == 'I')
		return error_set(
			err, ERROR_EVAL, "null values cannot be formatted as an SQL identifier");
	buf_init(&value, (size_t)TEXT_SIZE_MAX + 1);
	if (!there && spec->type == 'L')
		buf_append_text(&value, "NULL");
	else if (spec->type == 'L')
		append_quoted_literal(text, &value);
	else if (spec->type == 'I')
		append_quoted_name(text, &value);
	else
		buf_append(&value, text.data, text.size);
	missing = (spec->width < 0 ? -spec->width : spec->width) -
		  (int64_t)utf8_length(text_from(value.data, value.size));
	for (int64_t i = 0; !left && i < missing; i++)
		buf_append_char(f->out, ' ');
	buf_append(f->out, value.data, value.size);
	for (int64_t i = 0; left && i < missing; i++)
		buf_append_char(f->out, ' ');
	f->out->overflowed |= buf_overflowed(&value);
	buf_release(&value);
	return 0;
}

static int format_row(struct formatting *f, struct error *err)
{
	while (f->at < f->end) {
		struct specifier spec;

		if (*f->at != '%') {
			buf_append_char(f->out, *f->at++);
			continue;
		}
		if (++f->at == f->end)
			return ended(err);
		if (*f->at == '%') {
			buf_append_char(f->out, *f->at++);
			continue;
		}
		if (read_specifier(f, &spec, err) < 0 || append_argument(f, &spec, err) < 0)
			return -1;
	}
	return 0;
}

static int run_format(struct call *call, struct error *err)
{
	struct buf out;
	int status = 0;

	buf_init(&out, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		struct formatting format = {.call = call, .row = i, .next = 1, .out = &out};
		struct text text;

		if (column_is_null(&call->args[0], i)) {
			call_set_null(call, i);
			continue;
		}
		text = arg_text(&call->args[0], i);
		format.at = text.data;
		format.end = text.data + text.size;
		buf_clear(&out);
		status = format_row(&format, err);
		if (status == 0)
			status = call_set_buf(call, i, &out, err);
		if (status < 0)
			break;
	}
	buf_release(&out);
	return status;
}

const struct kernel *kernel_format_find(const struct expr *expr)
{
	static const struct kernel format = {.run = run_format, .flags = KERNEL_SEES_NULLS};

	return expr->function == FN_FORMAT ? &format : NULL;
}
