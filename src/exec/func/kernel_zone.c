/*
 * Timestamps with a time zone. Each function has the zone's rules (column/zone.h) as its last
 * argument, a constant.
 */
#include "exec/expr/eval_private.h"

#include "column/datetime.h"
#include "column/datetime_text.h"
#include "column/interval.h"
#include "column/zone.h"

#include <string.h>

/* As much of a user's text as a message repeats. */
#define MESSAGE_TEXT_MAX 200

static int prepare_zone(struct site *site, struct error *err)
{
	const struct column *rules = site->constants[site->expr->arg_count - 1];

	if (!rules)
		return error_set(err, ERROR_SQL, "the time zone must be a constant");
	site->state = zone_new(rules->text[0], site->arena);
	return site->state ? 0 : error_set(err, ERROR_DATA, "the rules of a time zone are damaged");
}

static int check_range(int64_t micros, struct error *err)
{
	if (time_is_infinite(micros))
		return 0;
	if (micros < DATE_DAYS_MIN * MICROS_PER_DAY ||
		micros >= (DATE_DAYS_MAX + 1) * MICROS_PER_DAY)
		return error_set(err, ERROR_EVAL, "timestamp out of range");
	return 0;
}

static int64_t local_of(const struct zone *zone, int64_t micros)
{
	return time_is_infinite(micros) ? micros
					: micros + zone_offset(zone, micros) * MICROS_PER_SECOND;
}

static int64_t instant_of(const struct zone *zone, int64_t local)
{
	return time_is_infinite(local)
		       ? local
		       : local - zone_offset_of_local(zone, local) * MICROS_PER_SECOND;
}

static int run_shift(struct call *call, struct error *err)
{
	const struct zone *zone = call->state;
	bool to_local = call->node->expr->function == FN_ZONE_LOCAL;

	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t from = arg_i64(&call->args[0], i);

		call->out->i64[i] = to_local ? local_of(zone, from) : instant_of(zone, from);
		if (check_range(call->out->i64[i], err) < 0)
			return -1;
	}
	return 0;
}

static int run_offset(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t micros = arg_i64(&call->args[0], i);

		if (time_is_infinite(micros))
			call_set_null(call, i);
		else
			call->out->i64[i] = zone_offset(call->state, micros);
	}
	return 0;
}

static int run_text(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		char text[DATETIME_TEXT_MAX], offset[ZONE_OFFSET_TEXT_MAX];
		int64_t micros = arg_i64(&call->args[0], i);
		int64_t local = local_of(call->state, micros);
		size_t size;

		size = zone_offset_format(zone_offset(call->state, micros), offset);
		size = timestamp_format_with(local, offset, size, text);
		if (call_set_text(call, i, text, size, err) < 0)
			return -1;
	}
	return 0;
}

/* Months and days by the calendar on the wall, the rest by the clock. */
static int run_add(struct call *call, struct error *err)
{
	const struct zone *zone = call->state;
	bool plus = call->node->expr->function == FN_ZONE_ADD;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct interval interval = arg_interval(&call->args[1], i);
		struct interval days = {.months = interval.months, .days = interval.days};
		int64_t micros = arg_i64(&call->args[0], i);
		int64_t local = local_of(zone, micros);

		if (time_is_infinite(micros)) {
			call->out->i64[i] = micros;
			continue;
		}
		if (interval.months != 0 || interval.days != 0) {
			if (!(plus ? timestamp_add_interval : timestamp_sub_interval)(
				    local, days, &local))
				return error_set(err, ERROR_EVAL, "timestamp out of range");
			micros = instant_of(zone, local);
		}
		if ((plus ? __builtin_add_overflow(micros, interval.microseconds, &micros)
			  : __builtin_sub_overflow(micros, interval.microseconds, &micros)) ||
			check_range(micros, err) < 0)
			return error_set(err, ERROR_EVAL, "timestamp out of range");
		call->out->i64[i] = micros;
	}
	return 0;
}

/* A text without an offset is a time in the zone. */
static int run_parse(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		int size = text.size < MESSAGE_TEXT_MAX ? (int)text.size : MESSAGE_TEXT_MAX;
		struct datetime_reading reading;
		const char *reason;
		int64_t local;

		if (!datetime_text_parse(text.data, text.size, false, &reading, &reason))
			return error_set(err, ERROR_EVAL,
				strcmp(reason, "out of range") == 0
					? "date/time field value out of range: \"%.*s\""
					: "invalid input syntax for type timestamp with time zone: "
					  "\"%.*s\"",
				size, text.data);
		if (reading.zone.size > 0 || reading.clock)
			return error_set(err, ERROR_EVAL,
				"a zone by its name is only understood in a literal: \"%.*s\"",
				size, text.data);
		if (reading.infinite) {
			call->out->i64[i] =
				reading.infinite > 0 ? TIME_INFINITY : TIME_MINUS_INFINITY;
			continue;
		}
		local = reading.day * MICROS_PER_DAY + reading.time;
		call->out->i64[i] = reading.has_offset ? local - reading.offset * MICROS_PER_SECOND
						       : instant_of(call->state, local);
		if (check_range(call->out->i64[i], err) < 0)
			return -1;
	}
	return 0;
}

const struct kernel *kernel_zone_find(const struct expr *expr)
{
	static const struct kernel shift = {.run = run_shift, .prepare = prepare_zone};
	static const struct kernel offset = {.run = run_offset, .prepare = prepare_zone};
	static const struct kernel text = {.run = run_text, .prepare = prepare_zone};
	static const struct kernel add = {.run = run_add, .prepare = prepare_zone};
	static const struct kernel parse = {.run = run_parse, .prepare = prepare_zone};

	switch (expr->function) {
	case FN_ZONE_LOCAL:
	case FN_ZONE_INSTANT: return &shift;
	case FN_ZONE_OFFSET: return &offset;
	case FN_ZONE_TEXT: return &text;
	case FN_ZONE_ADD:
	case FN_ZONE_SUB: return &add;
	case FN_ZONE_PARSE: return &parse;
	default: return NULL;
	}
}
