/*
 * Conversions between types, PostgreSQL's way: implicit ones only widen (smallint -> int -> bigint
 * -> numeric -> real -> double, date -> timestamp -> timestamptz), literals without a type take the type that their place asks for,
 * and casts of constants are done here and now, so that a column is never cast for a constant's
 * sake.
 */
#include "base/buf.h"
#include "column/datetime.h"
#include "column/datetime_text.h"
#include "sql/bind/bind_private.h"

#include <math.h>
#include <string.h>

bool type_converts_implicitly(enum type_kind from, enum type_kind to)
{
	if (from == to || from == TYPE_UNKNOWN)
		return true;
	if (type_is_array(from) && type_is_array(to))
		return type_converts_implicitly(type_element(from), type_element(to));
	if (type_is_number(from) && type_is_number(to))
		return from < to;
	if (to == TYPE_TIMESTAMPTZ)
		return from == TYPE_DATE || from == TYPE_TIMESTAMP;
	return from == TYPE_DATE && to == TYPE_TIMESTAMP;
}

bool type_common(struct type a, struct type b, struct type *out)
{
	if (type_equal(a, b)) {
		*out = a;
		return true;
	}
	/* A scale that only one of them promised is no promise; a literal must keep its digits. */
	if (type_converts_implicitly(a.kind, b.kind))
		*out = type_of(b.kind);
	else if (type_converts_implicitly(b.kind, a.kind))
		*out = type_of(a.kind);
	else
		return false;
	return true;
}

static struct expr *constant_at(struct binder *b, const struct value *value, int32_t location)
{
	struct expr *expr = expr_constant(b->arena, value);

	expr->location = location;
	return expr;
}

void literal_error(struct binder *b, const struct expr *expr, struct type type, const char *reason)
{
	const struct text *text = &expr->constant.text;
	char name[TYPE_NAME_MAX];

	if (strstr(reason, "range"))
		bind_error(b, expr->location, "value \"%.*s\" is out of range for type %s",
			(int)text->size, text->data, type_name(type, name));
	else
		bind_error(b, expr->location, "invalid input syntax for type %s: \"%.*s\"",
			type_name(type, name), (int)text->size, text->data);
}

static struct expr *parse_constant(struct binder *b, const struct expr *expr, struct type type)
{
	const struct text *text = &expr->constant.text;
	struct datetime_reading reading;
	const char *reason = "";
	struct value value;

	if (type.kind >= TYPE_DATE && type.kind <= TYPE_TIMESTAMP &&
		datetime_text_parse(
			text->data, text->size, type.kind == TYPE_TIME, &reading, &reason) &&
		reading.clock)
		return clock_literal(b, expr, type, &reading);
	if (value_read(type, text->data, text->size, b->arena, &value, &reason)) {
		value.type = type;
		return constant_at(b, &value, expr->location);
	}
	literal_error(b, expr, type, reason);
	return NULL;
}

static struct expr *constant_to_text(struct binder *b, const struct expr *expr)
{
	struct value value = {.type = type_of(TYPE_TEXT)};
	struct buf text;

	buf_init(&text, TEXT_SIZE_MAX);
	if (expr->type.kind == TYPE_BOOL)
		buf_append_text(&text, expr->constant.boolean ? "true" : "false");
	else
		value_format(&expr->constant, &text);
	value.text = text_from(arena_copy(b->arena, text.data, text.size), text.size);
	buf_release(&text);
	return constant_at(b, &value, expr->location);
}

/* An integer or a numeric to any number; NULL without an error when it has to wait for run time. */
static bool fold_number(const struct value *from, struct type type, struct value *to)
{
	bool integer = from->type.kind != TYPE_NUMERIC;

	*to = (struct value){.type = type};
	switch (type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
		if (integer)
			to->i64 = from->i64;
		else if (!numeric_to_i64(from->num, &to->i64) &&
			 !numeric_long_to_i64(from->num, &to->i64))
			return false;
		return type_holds_integer(type.kind, to->i64);
	case TYPE_NUMERIC:
		to->num = integer ? numeric_from_i64(from->i64) : from->num;
		return type.precision == NUMERIC_ANY;
	case TYPE_DOUBLE:
		to->f64 = integer ? (double)from->i64 : numeric_to_double(from->num);
		/* What a double does not reach is an error when it is run. */
		return integer ||
		       (isfinite(to->f64) && (to->f64 != 0 || numeric_sign(from->num) == 0));
	default: return false;
	}
}

static bool fold_datetime(const struct value *from, struct type type, struct value *to)
{
	*to = (struct value){.type = type};
	if (type.kind == TYPE_TIMESTAMPTZ || from->type.kind == TYPE_TIMESTAMPTZ ||
		time_is_infinite(from->i64))
		return false;
	if (from->type.kind == TYPE_DATE && type.kind == TYPE_TIMESTAMP)
		to->i64 = from->i64 * MICROS_PER_DAY;
	else if (from->type.kind == TYPE_TIMESTAMP && type.kind == TYPE_DATE)
		to->i64 = timestamp_days(from->i64);
	else if (from->type.kind == TYPE_TIMESTAMP && type.kind == TYPE_TIME)
		to->i64 = timestamp_time_of_day(from->i64);
	else
		return false;
	return true;
}

static struct expr *coerce_constant(struct binder *b, struct expr *expr, struct type type)
{
	enum type_kind from = expr->type.kind;
	struct value value = {.type = type, .is_null = true};
	bool folded;

	if (expr->constant.is_null)
		return constant_at(b, &value, expr->location);
	if (from == TYPE_UNKNOWN || from == TYPE_TEXT)
		return parse_constant(b, expr, type);
	if (type.kind == TYPE_TEXT)
		return constant_to_text(b, expr);
	if (type_is_number(from) && !type_is_float(from) && type_is_number(type.kind))
		folded = fold_number(&expr->constant, type, &value);
	else
		folded = fold_datetime(&expr->constant, type, &value);
	if (folded)
		return constant_at(b, &value, expr->location);
	/* Doubles are rounded, and judged, when the query runs. */
	if (type_is_number(from) && !type_is_float(from) && type_is_integer(type.kind)) {
		bind_error(b, expr->location, "%s out of range", type_kind_name(type.kind));
		return NULL;
	}
	if (!type_is_float(from) && type.kind == TYPE_NUMERIC) {
		expr = constant_to_text(b, expr);
		return parse_constant(b, expr, type);
	}
	return expr_at(expr_cast(b->arena, expr, type), expr->location);
}

struct expr *coerce(struct binder *b, struct expr *expr, struct type type)
{
	if (type_equal(expr->type, type))
		return expr;
	if (expr->type.kind == type.kind &&
		(!type_has_scale(type.kind) || type.precision == NUMERIC_ANY))
		return expr;
	if (expr->kind == EXPR_COLUMN && b->columns->list[expr->column].literal) {
		struct expr *literal = arena_alloc(b->arena, sizeof(*literal));

		*literal = *b->columns->list[expr->column].literal;
		return coerce(b, literal, type);
	}
	if (expr->type.kind == TYPE_TIMESTAMPTZ || type.kind == TYPE_TIMESTAMPTZ)
		return zone_coerce(b, expr, type);
	if (expr->kind == EXPR_CONSTANT)
		return coerce_constant(b, expr, type);
	return expr_at(expr_cast(b->arena, expr, type), expr->location);
}

static bool may_cast(enum type_kind from, enum type_kind to)
{
	if (type_converts_implicitly(from, to) || from == TYPE_TEXT || to == TYPE_TEXT)
		return true;
	if (from == TYPE_JSON || from == TYPE_JSONB)
		return to == TYPE_JSON || to == TYPE_JSONB ||
		       (from == TYPE_JSONB && (type_is_number(to) || to == TYPE_BOOL));
	if (type_is_array(from) && type_is_array(to))
		return may_cast(type_element(from), type_element(to));
	if (type_is_number(from) && type_is_number(to))
		return true;
	if (from == TYPE_TIMESTAMP || from == TYPE_TIMESTAMPTZ)
		return to == TYPE_DATE || to == TYPE_TIME || to == TYPE_TIMESTAMP;
	if (from == TYPE_TIME || from == TYPE_INTERVAL)
		return to == TYPE_TIME || to == TYPE_INTERVAL;
	return (from == TYPE_BOOL && to == TYPE_INT) || (from == TYPE_INT && to == TYPE_BOOL);
}

struct expr *coerce_explicit(
	struct binder *b, struct expr *expr, struct type type, int32_t location)
{
	char from_name[TYPE_NAME_MAX], to_name[TYPE_NAME_MAX];

	if (!may_cast(expr->type.kind, type.kind)) {
		bind_error(b, location, "cannot cast type %s to %s",
			type_name(expr->type, from_name), type_name(type, to_name));
		return NULL;
	}
	return coerce(b, expr, type);
}

struct expr *coerce_boolean(struct binder *b, struct expr *expr, const char *what)
{
	char name[TYPE_NAME_MAX];

	if (expr->type.kind == TYPE_BOOL || expr->type.kind == TYPE_UNKNOWN)
		return coerce(b, expr, type_of(TYPE_BOOL));
	bind_error(b, expr->location, "argument of %s must be type boolean, not type %s", what,
		type_name(expr->type, name));
	return NULL;
}

struct expr *coerce_known(struct binder *b, struct expr *expr)
{
	return expr->type.kind == TYPE_UNKNOWN ? coerce(b, expr, type_of(TYPE_TEXT)) : expr;
}

int coerce_common(
	struct binder *b, const char *what, uint32_t count, struct expr **exprs, struct type *out)
{
	char a_name[TYPE_NAME_MAX], b_name[TYPE_NAME_MAX];

	*out = exprs[0]->type;
	for (uint32_t i = 1; i < count; i++)
		if (!type_common(*out, exprs[i]->type, out))
			return bind_error(b, exprs[i]->location,
				"%s types %s and %s cannot be matched; try a cast", what,
				type_name(*out, a_name), type_name(exprs[i]->type, b_name));
	if (out->kind == TYPE_UNKNOWN)
		*out = type_of(TYPE_TEXT);
	for (uint32_t i = 0; i < count; i++) {
		exprs[i] = coerce(b, exprs[i], *out);
		if (!exprs[i])
			return -1;
	}
	return 0;
}

struct type_word {
	const char *name;
	enum type_kind kind;
	/* varchar(20) or timestamp(3) in a schema: what the file has is neither cut nor rounded */
	bool modifier_ignored;
};

static const struct type_word type_words[] = {
	{"bool", TYPE_BOOL, false},
	{"int2", TYPE_SMALLINT, false},
	{"int4", TYPE_INT, false},
	{"int8", TYPE_BIGINT, false},
	{"numeric", TYPE_NUMERIC, false},
	{"float4", TYPE_REAL, false},
	{"float8", TYPE_DOUBLE, false},
	{"text", TYPE_TEXT, false},
	{"varchar", TYPE_TEXT, true},
	{"bpchar", TYPE_TEXT, true}, /* char(n) */
	{"name", TYPE_TEXT, false},
	{"date", TYPE_DATE, false},
	{"time", TYPE_TIME, true},
	{"timestamp", TYPE_TIMESTAMP, true},
	{"timestamptz", TYPE_TIMESTAMPTZ, true},
	{"interval", TYPE_INTERVAL, false},
	{"bytea", TYPE_BYTEA, false},
	{"uuid", TYPE_UUID, false},
	{"json", TYPE_JSON, false},
	{"jsonb", TYPE_JSONB, false},
	{"jsonpath", TYPE_JSONPATH, false},
};

static int unsupported_type(
	const struct sql_source *source, const struct ast_type *ast, struct error *err)
{
	static const struct {
		const char *name, *advice;
	} advices[] = {
		{"timetz", "use time"},
	};

	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (strcmp(advices[i].name, ast->name) == 0)
			return source_error(source, ast->location, err,
				"type %s is not supported; %s", ast->name, advices[i].advice);
	return source_error(source, ast->location, err, "type \"%s\" does not exist", ast->name);
}

static int bind_numeric_type(const struct sql_source *source, const struct ast_type *ast,
	struct type *out, struct error *err)
{
	int32_t precision = ast->modifiers[0];
	int32_t scale = ast->modifier_count > 1 ? ast->modifiers[1] : 0;

	if (precision < 1 || precision > NUMERIC_PRECISION_MAX)
		return source_error(source, ast->location, err,
			"the precision of numeric must be between 1 and %d", NUMERIC_PRECISION_MAX);
	if (scale < -NUMERIC_PRECISION_MAX || scale > NUMERIC_PRECISION_MAX)
		return source_error(source, ast->location, err,
			"the scale of numeric must be between -%d and %d", NUMERIC_PRECISION_MAX,
			NUMERIC_PRECISION_MAX);
	out->precision = (int16_t)precision;
	out->scale = (int16_t)scale;
	return 0;
}

enum type_kind type_word_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++)
		if (strcmp(type_words[i].name, name) == 0)
			return type_words[i].kind;
	return TYPE_UNKNOWN;
}

int bind_type(const struct sql_source *source, const struct ast_type *ast, struct type *out,
	struct error *err)
{
	for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++) {
		const struct type_word *word = &type_words[i];

		if (strcmp(word->name, ast->name) != 0)
			continue;
		*out = type_of(ast->is_array ? type_array(word->kind) : word->kind);
		if (ast->modifier_count == 0 || word->modifier_ignored)
			return 0;
		if (word->kind == TYPE_NUMERIC)
			return bind_numeric_type(source, ast, out, err);
		if (word->kind == TYPE_INTERVAL)
			return source_error(source, ast->location, err,
				"the fields and the precision of an interval are only supported "
				"for a literal");
		return source_error(source, ast->location, err,
			"type %s with a precision is not supported", ast->name);
	}
	return unsupported_type(source, ast, err);
}
