/*
 * Casts, with PostgreSQL's rounding and its messages.
 */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "column/datetime.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* As much of a user's text as a message repeats. */
#define MESSAGE_TEXT_MAX 200

/* -- To text -- */

#define I64_TEXT_MAX 21

static size_t i64_format(int64_t value, char text[I64_TEXT_MAX])
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[I64_TEXT_MAX];
	char *at = digits + sizeof(digits);
	size_t size;

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		*--at = '-';
	size = (size_t)(digits + sizeof(digits) - at);
	memcpy(text, at, size);
	return size;
}

static size_t format_value(const struct column *column, uint32_t row, char text[INTERVAL_TEXT_MAX])
{
	_Static_assert(INTERVAL_TEXT_MAX >= DATETIME_TEXT_MAX &&
			       INTERVAL_TEXT_MAX >= DOUBLE_TEXT_MAX &&
			       INTERVAL_TEXT_MAX >= I64_TEXT_MAX,
		"one buffer serves all");
	switch (column->type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return i64_format(column->i64[row], text);
	case TYPE_REAL: return real_format(column->f64[row], text);
	case TYPE_DOUBLE: return double_format(column->f64[row], text);
	case TYPE_DATE: return date_format(column->i64[row], text);
	case TYPE_TIME: return time_format(column->i64[row], text);
	case TYPE_TIMESTAMP: return timestamp_format(column->i64[row], text);
	case TYPE_TIMESTAMPTZ: return timestamptz_format(column->i64[row], text);
	case TYPE_INTERVAL: return interval_format(column->interval[row], text);
	default: return 0;
	}
}

static int cast_to_text(struct call *call, struct error *err)
{
	char text[INTERVAL_TEXT_MAX];

	FOR_EACH_ROW(&call->rows, i)
	{
		size_t size = format_value(&call->args[0], i, text);
		char *to = call_text(call, size, err);

		if (!to)
			return -1;
		memcpy(to, text, size);
		call->out->text[i] = text_from(to, size);
	}
	return 0;
}

static int cast_bool_to_text(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->text[i] = call->args[0].u8[i] ? text_from("true", 4) : text_from("false", 5);
	return 0;
}

static int cast_numeric_to_text(struct call *call, struct error *err)
{
	struct buf buf;
	int failed = 0;

	buf_init(&buf, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	FOR_EACH_ROW(&call->rows, i)
	{
		char *to;

		buf_clear(&buf);
		numeric_append(call->args[0].num[i], &buf);
		to = call_text(call, buf.size, err);
		if (!to) {
			failed = -1;
			break;
		}
		memcpy(to, buf.data, buf.size);
		call->out->text[i] = text_from(to, buf.size);
	}
	buf_release(&buf);
	return failed;
}

static int cast_list_to_text(struct call *call, struct error *err)
{
	struct buf buf;
	int failed = 0;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		struct value value = column_value(&call->args[0], i);
		char *to;

		buf_clear(&buf);
		value_format(&value, &buf);
		to = call_text(call, buf_overflowed(&buf) ? UINT64_MAX : buf.size, err);
		if (!to) {
			failed = -1;
			break;
		}
		if (buf.size > 0)
			memcpy(to, buf.data, buf.size);
		call->out->text[i] = text_from(to, buf.size);
	}
	buf_release(&buf);
	return failed;
}

/* -- From text -- */

static const char *input_type_name(enum type_kind kind)
{
	switch (kind) {
	case TYPE_BOOL: return "boolean";
	case TYPE_INT: return "integer";
	case TYPE_DOUBLE: return "double precision";
	case TYPE_TIMESTAMPTZ: return "timestamp with time zone";
	default: return type_kind_name(kind);
	}
}

/* Digits with the marks of a date or a time: then not the form but the fields are wrong. */
static bool has_datetime_form(struct text text)
{
	bool marks = false;

	if (text.size == 0 || text.data[0] < '0' || text.data[0] > '9')
		return false;
	for (uint32_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		marks |= c == '-' || c == ':';
		if ((c < '0' || c > '9') && !strchr("-:. T", c))
			return false;
	}
	return marks;
}

static int raise_bad_text(struct text text, struct type to, const char *reason, struct error *err)
{
	bool range = strcmp(reason, "out of range") == 0;
	int size = text.size < MESSAGE_TEXT_MAX ? (int)text.size : MESSAGE_TEXT_MAX;

	if (type_is_array(to.kind))
		return error_set(
			err, ERROR_EVAL, "malformed array literal: \"%.*s\"", size, text.data);
	switch (to.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
		if (range)
			return error_set(err, ERROR_EVAL,
				"value \"%.*s\" is out of range for type %s", size, text.data,
				input_type_name(to.kind));
		break;
	case TYPE_NUMERIC:
		if (range)
			return error_numeric_range(err);
		break;
	case TYPE_REAL:
	case TYPE_DOUBLE:
		if (range)
			return error_set(err, ERROR_EVAL, "\"%.*s\" is out of range for type %s",
				size, text.data, type_kind_name(to.kind));
		break;
	case TYPE_DATE:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMPTZ:
		if (range || has_datetime_form(text))
			return error_set(err, ERROR_EVAL,
				"date/time field value out of range: \"%.*s\"", size, text.data);
		break;
	case TYPE_INTERVAL:
		if (range)
			return error_set(err, ERROR_EVAL,
				"interval field value out of range: \"%.*s\"", size, text.data);
		break;
	default: break;
	}
	return error_set(err, ERROR_EVAL, "invalid input syntax for type %s: \"%.*s\"",
		input_type_name(to.kind), size, text.data);
}

static int fit_numeric(struct call *call, numeric value, numeric *out, struct error *err)
{
	struct type type = call->type;

	if (!numeric_fit(value, type.precision, type.scale, out) &&
		numeric_long_fit(value, type.precision, type.scale, call_arena(call), out) !=
			NUMERIC_FINE)
		return error_set(err, ERROR_EVAL, "numeric field overflow");
	return 0;
}

static int cast_from_text(struct call *call, struct error *err)
{
	/* Without precision and scale, to tell a number that does not fit them from none at all. */
	struct type type = type_is_array(call->type.kind) ? call->type : type_of(call->type.kind);

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		const char *reason = "";
		struct value value;

		if (!value_read(type, text.data, text.size, call_arena(call), &value, &reason))
			return raise_bad_text(text, type, reason, err);
		if (type.kind == TYPE_NUMERIC && fit_numeric(call, value.num, &value.num, err))
			return -1;
		column_set_value(call->out, i, &value);
	}
	return 0;
}

/* -- Among numbers -- */

static int narrow_integer(struct call *call, struct error *err)
{
	const enum type_kind kind = call->type.kind;
	const int64_t *in = call->args[0].i64;
	uint64_t bad = 0;

	FOR_EACH_ROW(&call->rows, i)
	{
		bad |= !type_holds_integer(kind, in[i]);
		call->out->i64[i] = in[i];
	}
	return bad ? error_integer_range(kind, err) : 0;
}

static int cast_i64_to_double(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->f64[i] = (double)call->args[0].i64[i];
	return 0;
}

static int cast_i64_to_numeric(struct call *call, struct error *err)
{
	bool any = call->type.precision == NUMERIC_ANY;

	FOR_EACH_ROW(&call->rows, i)
	{
		numeric value = numeric_from_i64(call->args[0].i64[i]);

		call->out->num[i] = value;
		if (!any && fit_numeric(call, value, &call->out->num[i], err))
			return -1;
	}
	return 0;
}

static int cast_numeric_to_i64(struct call *call, struct error *err)
{
	enum type_kind kind = call->type.kind;

	FOR_EACH_ROW(&call->rows, i)
	{
		numeric from = call->args[0].num[i];
		int64_t value;

		if (numeric_is_special(from))
			return error_set(err, ERROR_EVAL, "cannot convert %s to %s",
				numeric_is_nan(from) ? "NaN" : "infinity", type_kind_name(kind));
		if ((!numeric_to_i64(from, &value) && !numeric_long_to_i64(from, &value)) ||
			!type_holds_integer(kind, value))
			return error_integer_range(kind, err);
		call->out->i64[i] = value;
	}
	return 0;
}

/* A number whose text is out of the range of a double. */
static int raise_double_range(numeric value, struct error *err)
{
	struct buf text;
	int status;

	buf_init(&text, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	numeric_append(value, &text);
	status = error_set(err, ERROR_EVAL, "\"%.*s\" is out of range for type double precision",
		text.size < MESSAGE_TEXT_MAX ? (int)text.size : MESSAGE_TEXT_MAX, text.data);
	buf_release(&text);
	return status;
}

static int cast_numeric_to_double(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		numeric from = call->args[0].num[i];
		double value = numeric_to_double(from);

		if (numeric_is_long(from) &&
			(isinf(value) || (value == 0 && numeric_sign(from) != 0)))
			return raise_double_range(from, err);
		call->out->f64[i] = value;
	}
	return 0;
}

static int cast_numeric_to_numeric(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	if (fit_numeric(call, call->args[0].num[i], &call->out->num[i], err))
		return -1;
	return 0;
}

static int cast_double_to_i64(struct call *call, struct error *err)
{
	enum type_kind kind = call->type.kind;
	/* Exact in a double, unlike the greatest integers themselves. */
	double limit = kind == TYPE_SMALLINT ? 0x1p15 : kind == TYPE_INT ? 0x1p31 : 0x1p63;

	FOR_EACH_ROW(&call->rows, i)
	{
		double value = rint(call->args[0].f64[i]);

		if (!(value >= -limit && value < limit))
			return error_integer_range(call->type.kind, err);
		call->out->i64[i] = (int64_t)value;
	}
	return 0;
}

static int cast_double_to_numeric(struct call *call, struct error *err)
{
	int digits = call->args[0].type.kind == TYPE_REAL ? FLT_DIG : DBL_DIG;

	FOR_EACH_ROW(&call->rows, i)
	{
		double value = call->args[0].f64[i];
		numeric exact;

		/* A real has fewer digits than the plain way would keep. */
		if (digits != DBL_DIG || !numeric_from_double(value, &exact))
			exact = numeric_long_from_double(value, digits, call_arena(call));
		if (fit_numeric(call, exact, &call->out->num[i], err))
			return -1;
	}
	return 0;
}

/* -- To real -- */

static int cast_i64_to_real(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->f64[i] = (double)(float)call->args[0].i64[i];
	return 0;
}

static int cast_double_to_real(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double from = call->args[0].f64[i], value = (double)(float)from;

		if (isinf(value) && !isinf(from))
			return error_set(err, ERROR_EVAL, "value out of range: overflow");
		if (value == 0 && from != 0)
			return error_set(err, ERROR_EVAL, "value out of range: underflow");
		call->out->f64[i] = value;
	}
	return 0;
}

/* Through text, so that it is rounded once. */
static int cast_numeric_to_real(struct call *call, struct error *err)
{
	struct buf text;
	int status = 0;

	buf_init(&text, NUMERIC_WHOLE_MAX + NUMERIC_FRACTION_MAX + 8);
	FOR_EACH_ROW(&call->rows, i)
	{
		buf_clear(&text);
		numeric_append(call->args[0].num[i], &text);
		if (!real_parse(text.data, text.size, &call->out->f64[i])) {
			status = error_set(err, ERROR_EVAL,
				"\"%.*s\" is out of range for type real",
				text.size < MESSAGE_TEXT_MAX ? (int)text.size : MESSAGE_TEXT_MAX,
				text.data);
			break;
		}
	}
	buf_release(&text);
	return status;
}

static int cast_bool_to_i64(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = call->args[0].u8[i];
	return 0;
}

static int cast_i64_to_bool(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->u8[i] = call->args[0].i64[i] != 0;
	return 0;
}

/* -- Which -- */

static const struct kernel relabel = {.run = NULL};

static const struct kernel *to_text_find(enum type_kind from)
{
	static const struct kernel common = {.run = cast_to_text};
	static const struct kernel from_bool = {.run = cast_bool_to_text};
	static const struct kernel from_list = {.run = cast_list_to_text};
	static const struct kernel from_numeric = {.run = cast_numeric_to_text};

	if (type_is_array(from) || (from >= TYPE_BYTEA && from <= TYPE_JSONPATH))
		return &from_list;
	switch (from) {
	case TYPE_UNKNOWN:
	case TYPE_TEXT: return &relabel;
	case TYPE_BOOL: return &from_bool;
	case TYPE_NUMERIC: return &from_numeric;
	default: return &common;
	}
}

static const struct kernel *to_integer_find(enum type_kind from, enum type_kind to)
{
	static const struct kernel narrow = {.run = narrow_integer};
	static const struct kernel from_bool = {.run = cast_bool_to_i64, .flags = KERNEL_TOTAL};
	static const struct kernel from_numeric = {.run = cast_numeric_to_i64};
	static const struct kernel from_double = {.run = cast_double_to_i64};

	switch (from) {
	case TYPE_BOOL: return &from_bool;
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return to < from ? &narrow : &relabel;
	case TYPE_NUMERIC: return &from_numeric;
	case TYPE_REAL:
	case TYPE_DOUBLE: return &from_double;
	default: return NULL;
	}
}

static const struct kernel *to_numeric_find(enum type_kind from, struct type to)
{
	static const struct kernel from_i64 = {.run = cast_i64_to_numeric};
	static const struct kernel from_numeric = {.run = cast_numeric_to_numeric};
	static const struct kernel from_double = {.run = cast_double_to_numeric};

	switch (from) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return &from_i64;
	case TYPE_NUMERIC: return to.precision == NUMERIC_ANY ? &relabel : &from_numeric;
	case TYPE_REAL:
	case TYPE_DOUBLE: return &from_double;
	default: return NULL;
	}
}

static const struct kernel *to_real_find(enum type_kind from)
{
	static const struct kernel from_i64 = {.run = cast_i64_to_real, .flags = KERNEL_TOTAL};
	static const struct kernel from_numeric = {.run = cast_numeric_to_real};
	static const struct kernel from_double = {.run = cast_double_to_real};

	switch (from) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return &from_i64;
	case TYPE_NUMERIC: return &from_numeric;
	case TYPE_DOUBLE: return &from_double;
	default: return NULL;
	}
}

static const struct kernel *to_double_find(enum type_kind from)
{
	static const struct kernel from_i64 = {.run = cast_i64_to_double, .flags = KERNEL_TOTAL};
	static const struct kernel from_numeric = {.run = cast_numeric_to_double};

	switch (from) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return &from_i64;
	case TYPE_NUMERIC: return &from_numeric;
	case TYPE_REAL: return &relabel;
	default: return NULL;
	}
}

const struct kernel *kernel_cast_find(struct type from, struct type to)
{
	static const struct kernel from_text = {.run = cast_from_text};
	static const struct kernel integer_to_bool = {
		.run = cast_i64_to_bool, .flags = KERNEL_TOTAL};
	bool is_text = from.kind == TYPE_TEXT || from.kind == TYPE_UNKNOWN;

	if (to.kind == TYPE_TEXT || to.kind == TYPE_UNKNOWN)
		return to_text_find(from.kind);
	if (is_text)
		return &from_text;
	if (from.kind == to.kind && !type_has_scale(to.kind))
		return &relabel;
	if (type_is_array(to.kind))
		return kernel_list_cast_find(from, to);
	if (from.kind == TYPE_JSON || from.kind == TYPE_JSONB)
		return kernel_json_cast_find(from, to);
	switch (to.kind) {
	case TYPE_BOOL:
		return from.kind == TYPE_INT || from.kind == TYPE_BIGINT ? &integer_to_bool : NULL;
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return to_integer_find(from.kind, to.kind);
	case TYPE_REAL: return to_real_find(from.kind);
	case TYPE_NUMERIC: return to_numeric_find(from.kind, to);
	case TYPE_DOUBLE: return to_double_find(from.kind);
	default: return kernel_datetime_cast_find(from, to);
	}
}
