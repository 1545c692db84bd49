/*
 * Timestamps with a time zone: casts, operators and functions over the time that the clock shows in
 * the zone of the session, and AT TIME ZONE. In UTC, where nobody asked for another zone, such a
 * timestamp has the bits of one without, and casts do.
 */
#include "column/datetime.h"
#include "column/datetime_text.h"
#include "column/time_unit.h"
#include "column/zone.h"
#include "sql/bind/bind_private.h"

#include <stdio.h>
#include <string.h>

static bool is_utc(const struct binder *b)
{
	return b->zone.size == 0;
}

static struct expr *rules_constant(struct binder *b, struct text rules)
{
	struct value value = {.type = type_of(TYPE_TEXT), .text = rules};

	return expr_constant(b->arena, &value);
}

struct expr *zone_session_rules(struct binder *b)
{
	return rules_constant(b, is_utc(b) ? zone_rules_fixed(0, b->arena) : b->zone);
}

/* A call of one argument and the session's rules. */
static struct expr *zone_call(
	struct binder *b, enum function_id function, enum type_kind type, struct expr *arg)
{
	struct expr *args[2] = {arg, rules_constant(b, b->zone)};

	return make_call(b, function, type_of(type), 2, args, arg->location);
}

static struct expr *cast_at(struct binder *b, struct expr *expr, enum type_kind kind)
{
	return expr_at(expr_cast(b->arena, expr, type_of(kind)), expr->location);
}

/* What the clock shows in the session's zone. */
static struct expr *to_local(struct binder *b, struct expr *expr)
{
	return is_utc(b) ? cast_at(b, expr, TYPE_TIMESTAMP)
			 : zone_call(b, FN_ZONE_LOCAL, TYPE_TIMESTAMP, expr);
}

static struct expr *from_local(struct binder *b, struct expr *expr)
{
	return is_utc(b) ? cast_at(b, expr, TYPE_TIMESTAMPTZ)
			 : zone_call(b, FN_ZONE_INSTANT, TYPE_TIMESTAMPTZ, expr);
}

struct expr *zone_clock_time(struct binder *b, struct expr *moment, bool in_utc)
{
	return in_utc ? cast_at(b, moment, TYPE_TIMESTAMP) : to_local(b, moment);
}

struct expr *zone_moment(struct binder *b, struct expr *time, bool in_utc)
{
	return in_utc ? cast_at(b, time, TYPE_TIMESTAMPTZ) : from_local(b, time);
}

/* -- Casts -- */

/* A literal may name a zone, whose rules are at hand here and now. */
static struct expr *read_literal(struct binder *b, const struct expr *literal)
{
	const struct text *text = &literal->constant.text;
	struct value value = {.type = type_of(TYPE_TIMESTAMPTZ)};
	struct text rules = b->zone;
	struct datetime_reading reading;
	const char *reason;
	struct error problem;

	if (!datetime_text_parse(text->data, text->size, false, &reading, &reason)) {
		literal_error(b, literal, value.type, reason);
		return NULL;
	}
	if (reading.zone.size > 0 && zone_rules_find(reading.zone.data, reading.zone.size, b->arena,
					     &rules, &problem) < 0) {
		bind_error(b, literal->location, "%s", problem.message);
		return NULL;
	}
	if (reading.clock == DATETIME_CLOCK_NOW)
		return clock_literal(b, literal, value.type, &reading);
	if (reading.clock) {
		struct value today;

		if (!clock_now(b, TYPE_DATE, literal->location, &today))
			return NULL;
		reading.day += today.i64;
	}
	if (reading.infinite) {
		value.i64 = reading.infinite > 0 ? TIME_INFINITY : TIME_MINUS_INFINITY;
		return expr_at(expr_constant(b->arena, &value), literal->location);
	}
	value.i64 = reading.day * MICROS_PER_DAY + reading.time;
	if (!reading.has_offset && rules.size > 0)
		reading.offset = zone_offset_of_local(zone_new(rules, b->arena), value.i64);
	value.i64 -= reading.offset * MICROS_PER_SECOND;
	if (value.i64 < DATE_DAYS_MIN * MICROS_PER_DAY ||
		value.i64 >= (DATE_DAYS_MAX + 1) * MICROS_PER_DAY) {
		literal_error(b, literal, value.type, "out of range");
		return NULL;
	}
	return expr_at(expr_constant(b->arena, &value), literal->location);
}

struct expr *zone_coerce(struct binder *b, struct expr *expr, struct type type)
{
	bool is_text = expr->type.kind == TYPE_TEXT || expr->type.kind == TYPE_UNKNOWN;

	if (expr->kind == EXPR_CONSTANT && expr->constant.is_null) {
		struct value null = {.type = type, .is_null = true};

		return expr_at(expr_constant(b->arena, &null), expr->location);
	}
	if (type.kind == TYPE_TIMESTAMPTZ) {
		if (is_text && expr->kind == EXPR_CONSTANT)
			return read_literal(b, expr);
		if (is_text)
			return is_utc(b) ? cast_at(b, expr, TYPE_TIMESTAMPTZ)
					 : zone_call(b, FN_ZONE_PARSE, TYPE_TIMESTAMPTZ, expr);
		expr = coerce(b, expr, type_of(TYPE_TIMESTAMP));
		return expr ? from_local(b, expr) : NULL;
	}
	if (type.kind == TYPE_TEXT || type.kind == TYPE_UNKNOWN)
		return is_utc(b) ? cast_at(b, expr, TYPE_TEXT)
				 : zone_call(b, FN_ZONE_TEXT, TYPE_TEXT, expr);
	return coerce(b, to_local(b, expr), type);
}

static struct expr *replaced(
	struct binder *b, struct expr *text, const char *pattern, const char *by)
{
	struct expr *args[4] = {
		text, text_constant(b, pattern), text_constant(b, by), text_constant(b, "")};

	return make_call(b, FN_REGEX_REPLACE, type_of(TYPE_TEXT), 4, args, text->location);
}

struct expr *zone_iso_text(struct binder *b, struct expr *expr)
{
	struct expr *text = expr;

	if (expr->type.kind != TYPE_TIMESTAMPTZ || is_utc(b))
		return expr;
	text = zone_call(b, FN_ZONE_TEXT, TYPE_TEXT, expr);
	text = replaced(b, text, "^([0-9-]+) ", "\\1T");
	return replaced(b, text, "([+-][0-9][0-9])( BC)?$", "\\1:00\\2");
}

int zone_show(struct binder *b, struct logical_query *query)
{
	struct extender extender = {.binder = b};

	for (uint32_t i = 0; i < query->output_count && !is_utc(b); i++) {
		struct logical_output *output = &query->outputs[i];
		struct type type = b->columns->list[output->id].type;

		if (type.kind == TYPE_TIMESTAMPTZ)
			output->id = extender_id(&extender,
				zone_call(b, FN_ZONE_TEXT, TYPE_TEXT,
					binder_column_expr(b, output->id, -1)),
				output->name);
	}
	if (extender.count > 0)
		extender_apply(&extender, &query->tree);
	return 0;
}

int zone_begin(struct binder *b)
{
	const char *name = b->catalog->time_zone;

	if (!name)
		return 0;
	if (zone_rules_find(name, strlen(name), b->arena, &b->zone, b->err) < 0)
		return -1;
	if (zone_rules_are_utc(b->zone))
		b->zone = text_from(NULL, 0);
	return 0;
}

/* -- Operators -- */

/* The same time `interval` later or earlier. */
static struct expr *shift(
	struct binder *b, bool plus, struct expr *time, struct expr *interval, int32_t location)
{
	struct expr *args[3] = {
		time, coerce(b, interval, type_of(TYPE_INTERVAL)), zone_session_rules(b)};

	return args[1] ? make_call(b, plus ? FN_ZONE_ADD : FN_ZONE_SUB, type_of(TYPE_TIMESTAMPTZ),
				 3, args, location)
		       : NULL;
}

struct expr *bind_zone_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	enum type_kind l = left->type.kind, r = right->type.kind;
	bool plus = name[0] == '+', minus = name[0] == '-';
	struct expr *args[2];

	*handled = true;
	if ((plus || minus) && l == TYPE_TIMESTAMPTZ &&
		(r == TYPE_INTERVAL || (plus && r == TYPE_UNKNOWN)))
		return shift(b, plus, left, right, location);
	if (plus && r == TYPE_TIMESTAMPTZ && (l == TYPE_INTERVAL || l == TYPE_UNKNOWN))
		return shift(b, plus, right, left, location);
	*handled = minus && (l == TYPE_TIMESTAMPTZ || r == TYPE_TIMESTAMPTZ) &&
		   type_converts_implicitly(l, TYPE_TIMESTAMPTZ) &&
		   type_converts_implicitly(r, TYPE_TIMESTAMPTZ);
	if (!*handled)
		return NULL;
	args[0] = coerce(b, left, type_of(TYPE_TIMESTAMPTZ));
	args[1] = args[0] ? coerce(b, right, type_of(TYPE_TIMESTAMPTZ)) : NULL;
	return args[1] ? make_call(b, FN_DATETIME_DIFF, type_of(TYPE_INTERVAL), 2, args, location)
		       : NULL;
}

/* -- AT TIME ZONE -- */

/* The rules that a constant asks for: a name, or an interval east of UTC. */
static int find_rules(struct binder *b, struct expr *zone, struct text *rules)
{
	const struct value *value = &zone->constant;
	struct error problem;

	if (zone->kind != EXPR_CONSTANT || value->is_null)
		return bind_error(b, zone->location, "the time zone must be a constant");
	if (zone->type.kind == TYPE_INTERVAL) {
		if (value->interval.months != 0 || value->interval.days != 0)
			return bind_error(b, zone->location,
				"interval time zone must not include months or days");
		*rules = zone_rules_fixed(
			(int32_t)(value->interval.microseconds / MICROS_PER_SECOND), b->arena);
		return 0;
	}
	if (!type_converts_implicitly(zone->type.kind, TYPE_TEXT))
		return bind_error(b, zone->location, "the time zone must be a text or an interval");
	if (zone_rules_find(value->text.data, value->text.size, b->arena, rules, &problem) < 0)
		return bind_error(b, zone->location, "%s", problem.message);
	return 0;
}

static struct expr *in_zone(
	struct binder *b, struct expr *time, struct text rules, int32_t location)
{
	struct expr *args[2] = {time, rules_constant(b, rules)};
	bool to_local = time->type.kind == TYPE_TIMESTAMPTZ;

	return make_call(b, to_local ? FN_ZONE_LOCAL : FN_ZONE_INSTANT,
		type_of(to_local ? TYPE_TIMESTAMP : TYPE_TIMESTAMPTZ), 2, args, location);
}

/* timezone(zone, time), which is time AT TIME ZONE zone. */
static struct expr *bind_at_zone(struct binder *b, const struct ast_expr *ast, struct expr **args)
{
	enum type_kind kind = args[1]->type.kind;
	struct text rules;
	struct expr *time;

	if (find_rules(b, args[0], &rules) < 0)
		return NULL;
	time = kind == TYPE_TIMESTAMP ? args[1] : coerce(b, args[1], type_of(TYPE_TIMESTAMPTZ));
	return time ? in_zone(b, time, rules, ast->location) : NULL;
}

/* -- Functions -- */

static bool is_number_type(const struct expr *expr)
{
	return type_is_number(expr->type.kind);
}

/* to_timestamp(seconds since 1970) */
static struct expr *bind_epoch(struct binder *b, const struct ast_expr *ast, struct expr *seconds)
{
	struct value epoch = {.type = type_of(TYPE_TIMESTAMPTZ)};
	struct value zero = {.type = type_of(TYPE_INT)};
	struct expr *parts[7], *interval;

	for (int i = 0; i < 6; i++)
		parts[i] = expr_constant(b->arena, &zero);
	parts[6] = coerce(b, seconds, type_of(TYPE_DOUBLE));
	if (!parts[6])
		return NULL;
	interval = make_call(b, FN_MAKE_INTERVAL, type_of(TYPE_INTERVAL), 7, parts, ast->location);
	return shift(b, true, expr_constant(b->arena, &epoch), interval, ast->location);
}

/* to_timestamp(text, pattern): in the session's zone, unless the text has one. */
static struct expr *bind_to_timestamp(
	struct binder *b, const struct ast_expr *ast, struct expr **args)
{
	struct expr *all[3];

	for (int i = 0; i < 2; i++) {
		if (!type_converts_implicitly(args[i]->type.kind, TYPE_TEXT)) {
			no_function(b, ast, 2, args);
			return NULL;
		}
		all[i] = coerce(b, args[i], type_of(TYPE_TEXT));
		if (!all[i])
			return NULL;
	}
	all[2] = zone_session_rules(b);
	return make_call(b, FN_TO_TIMESTAMP, type_of(TYPE_TIMESTAMPTZ), 3, all, ast->location);
}

/* date_trunc(unit, time [, zone]): on the wall's calendar; what is shorter than a day, by the clock. */
static struct expr *bind_trunc(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct text rules = is_utc(b) ? zone_rules_fixed(0, b->arena) : b->zone;
	struct expr *time = coerce(b, args[1], type_of(TYPE_TIMESTAMPTZ)), *parts[2], *diff[2];
	enum time_unit unit;

	if (!time || (count > 2 && find_rules(b, args[2], &rules) < 0))
		return NULL;
	parts[0] = coerce(b, args[0], type_of(TYPE_TEXT));
	if (!parts[0])
		return NULL;
	if (parts[0]->kind != EXPR_CONSTANT || parts[0]->constant.is_null) {
		bind_error(b, ast->args[0]->location, "the field of date_trunc must be a constant");
		return NULL;
	}
	parts[1] = in_zone(b, time, rules, ast->location);
	diff[0] = parts[1];
	diff[1] = make_call(b, FN_DATE_TRUNC, parts[1]->type, 2, parts, ast->location);
	if (!time_unit_parse(parts[0]->constant.text, &unit) || unit > UNIT_HOUR)
		return in_zone(b, diff[1], rules, ast->location);
	return shift(b, false, time,
		make_call(b, FN_DATETIME_DIFF, type_of(TYPE_INTERVAL), 2, diff, ast->location),
		ast->location);
}

/* The offset of the session's zone, whole or its hours or minutes, as the numeric that extract gives. */
static struct expr *bind_offset(
	struct binder *b, struct expr *time, const char *unit, int32_t location)
{
	struct expr *args[2] = {time, zone_session_rules(b)};
	struct expr *offset = make_call(b, FN_ZONE_OFFSET, type_of(TYPE_INT), 2, args, location);
	struct value number = {.type = type_of(TYPE_INT)};

	if (strcmp(unit, "timezone_minute") == 0) {
		number.i64 = 3600;
		args[0] = offset;
		args[1] = expr_constant(b->arena, &number);
		offset = make_call(b, FN_MOD, number.type, 2, args, location);
	}
	if (strcmp(unit, "timezone") != 0) {
		number.i64 = strcmp(unit, "timezone_hour") == 0 ? 3600 : 60;
		args[0] = offset;
		args[1] = expr_constant(b->arena, &number);
		offset = make_call(b, FN_DIV, number.type, 2, args, location);
	}
	return cast_at(b, offset, TYPE_NUMERIC);
}

static struct expr *bind_extract(struct binder *b, const struct ast_expr *ast, struct expr **args)
{
	static const char *const offsets[] = {"timezone", "timezone_hour", "timezone_minute"};
	struct expr *parts[2] = {coerce(b, args[0], type_of(TYPE_TEXT))}, *call;
	const struct text *unit;
	enum time_unit known;

	if (!parts[0])
		return NULL;
	if (parts[0]->kind != EXPR_CONSTANT || parts[0]->constant.is_null) {
		bind_error(
			b, ast->args[0]->location, "the field of %s must be a constant", ast->text);
		return NULL;
	}
	unit = &parts[0]->constant.text;
	parts[1] = time_unit_parse(*unit, &known) && known == UNIT_EPOCH
			   ? cast_at(b, args[1], TYPE_TIMESTAMP)
			   : to_local(b, args[1]);
	call = make_call(b, FN_EXTRACT, type_of(TYPE_NUMERIC), 2, parts, ast->location);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		if (strlen(offsets[i]) == unit->size &&
			memcmp(offsets[i], unit->data, unit->size) == 0)
			call = bind_offset(b, args[1], offsets[i], ast->location);
	return strcmp(ast->text, "date_part") == 0 ? cast_at(b, call, TYPE_DOUBLE) : call;
}

/* make_timestamptz counts hours to the east, as times do, where a zone's rule would to the west. */
static int find_made_rules(struct binder *b, struct expr *zone, struct text *rules)
{
	const struct text *text = &zone->constant.text;
	struct datetime_reading reading;
	const char *reason;
	char at_noon[64];
	int size;

	if (zone->kind != EXPR_CONSTANT || zone->constant.is_null || text->size == 0 ||
		!strchr("+-0123456789", *text->data))
		return find_rules(b, zone, rules);
	size = snprintf(
		at_noon, sizeof(at_noon), "2000-01-01 12:00%.*s", (int)text->size, text->data);
	if ((*text->data != '+' && *text->data != '-') || size >= (int)sizeof(at_noon) ||
		!datetime_text_parse(at_noon, (size_t)size, false, &reading, &reason) ||
		!reading.has_offset)
		return bind_error(b, zone->location,
			"invalid input syntax for type numeric time zone: \"%.*s\"",
			(int)text->size, text->data);
	*rules = zone_rules_fixed(reading.offset, b->arena);
	return 0;
}

/* make_timestamptz(..., zone): that of make_timestamp in a zone. */
static struct expr *bind_make(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct text rules = is_utc(b) ? zone_rules_fixed(0, b->arena) : b->zone;
	struct ast_expr plain = *ast;
	struct expr *time;

	if (count == 7 && find_made_rules(b, args[6], &rules) < 0)
		return NULL;
	plain.text = "make_timestamp";
	time = bind_function(b, &plain, count == 7 ? 6 : count, args);
	return time ? in_zone(b, time, rules, ast->location) : NULL;
}

/* Whether a pattern of to_char may ask for the zone's offset. */
static bool wants_offset(const struct expr *pattern)
{
	static const char *const words[] = {"OF", "of", "TZ", "tz"};

	if (pattern->kind != EXPR_CONSTANT)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!pattern->constant.is_null && memmem(pattern->constant.text.data,
							  pattern->constant.text.size, words[i], 2))
			return true;
	return false;
}

/* to_char(timestamptz, pattern), with the offset of the session's zone. */
static struct expr *bind_to_char(struct binder *b, const struct ast_expr *ast, struct expr **args)
{
	struct expr *all[3] = {args[0], coerce(b, args[1], type_of(TYPE_TEXT)), NULL};

	all[2] = zone_session_rules(b);
	return all[1] ? make_call(b, FN_ZONE_TO_CHAR, type_of(TYPE_TEXT), 3, all, ast->location)
		      : NULL;
}

/* Functions that are what they are of the time on the wall. */
static bool is_local_function(const char *name)
{
	static const char *const names[] = {"to_char", "age", "overlaps"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

struct expr *bind_zone_function(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, bool *handled)
{
	const char *name = ast->text;
	bool zoned = false;

	*handled = true;
	for (uint32_t i = 0; i < count; i++)
		zoned = zoned || args[i]->type.kind == TYPE_TIMESTAMPTZ;
	if (strcmp(name, "timezone") == 0 && count == 2)
		return bind_at_zone(b, ast, args);
	if (strcmp(name, "make_timestamptz") == 0 && count >= 6 && count <= 7)
		return bind_make(b, ast, count, args);
	if (strcmp(name, "to_timestamp") == 0 && count == 1 && is_number_type(args[0]))
		return bind_epoch(b, ast, args[0]);
	if (strcmp(name, "to_timestamp") == 0 && count == 2)
		return bind_to_timestamp(b, ast, args);
	if (strcmp(name, "date_trunc") == 0 && (count == 3 || (count == 2 && zoned)))
		return bind_trunc(b, ast, count, args);
	if ((strcmp(name, "extract") == 0 || strcmp(name, "date_part") == 0) && count == 2 && zoned)
		return bind_extract(b, ast, args);
	if (strcmp(name, "to_char") == 0 && count == 2 && zoned &&
		type_converts_implicitly(args[1]->type.kind, TYPE_TEXT) && wants_offset(args[1]))
		return bind_to_char(b, ast, args);
	*handled = false;
	if (!zoned || !is_local_function(name))
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (args[i]->type.kind == TYPE_TIMESTAMPTZ)
			args[i] = to_local(b, args[i]);
	return NULL;
}
