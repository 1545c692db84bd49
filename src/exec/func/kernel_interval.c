/*
 * Intervals: arithmetic on them and with them, their parts, and their casts.
 */
#include "exec/expr/eval_private.h"

#include <math.h>

static int interval_out_of_range(struct error *err)
{
	return error_set(err, ERROR_EVAL, "interval out of range");
}

static int timestamp_out_of_range(struct error *err)
{
	return error_set(err, ERROR_EVAL, "timestamp out of range");
}

/* -- Arithmetic among intervals -- */

static int run_add(struct call *call, struct error *err)
{
	bool plus = call->node->expr->function == FN_ADD;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct interval a = arg_interval(&call->args[0], i);
		struct interval b = arg_interval(&call->args[1], i);

		if (!(plus ? interval_add : interval_sub)(a, b, &call->out->interval[i]))
			return interval_out_of_range(err);
	}
	return 0;
}

typedef bool (*interval_unary)(struct interval a, struct interval *out);

static int run_unary(struct call *call, interval_unary function, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	if (!function(call->args[0].interval[i], &call->out->interval[i]))
		return interval_out_of_range(err);
	return 0;
}

static int run_negate(struct call *call, struct error *err)
{
	return run_unary(call, interval_negate, err);
}

static int run_justify_days(struct call *call, struct error *err)
{
	return run_unary(call, interval_justify_days, err);
}

static int run_justify_hours(struct call *call, struct error *err)
{
	return run_unary(call, interval_justify_hours, err);
}

static int run_justify(struct call *call, struct error *err)
{
	return run_unary(call, interval_justify, err);
}

static int run_multiply(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	if (!interval_multiply(arg_interval(&call->args[0], i), arg_f64(&call->args[1], i),
		    &call->out->interval[i]))
		return interval_out_of_range(err);
	return 0;
}

static int run_divide(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		double divisor = arg_f64(&call->args[1], i);

		if (divisor == 0)
			return error_division_by_zero(err);
		if (!interval_divide(
			    arg_interval(&call->args[0], i), divisor, &call->out->interval[i]))
			return interval_out_of_range(err);
	}
	return 0;
}

/* Both have 32 bits, which the sum must have, too. */
static bool make_part(int64_t value, int64_t unit, int64_t rest, int32_t *out)
{
	int64_t sum = value * unit + rest;

	*out = (int32_t)sum;
	return *out == sum;
}

/* Integers have 32 bits: hours and minutes of that many always fit into microseconds. */
static int run_make_interval(struct call *call, struct error *err)
{
	const struct column *args = call->args;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct interval *out = &call->out->interval[i];
		double micros = rint(arg_f64(&args[6], i) * 1e6);

		if (!make_part(arg_i64(&args[0], i), MONTHS_PER_YEAR, arg_i64(&args[1], i),
			    &out->months) ||
			!make_part(arg_i64(&args[2], i), 7, arg_i64(&args[3], i), &out->days) ||
			!(micros >= -0x1p63 && micros < 0x1p63) ||
			__builtin_add_overflow((int64_t)micros,
				(arg_i64(&args[4], i) * 60 + arg_i64(&args[5], i)) * 60 *
					MICROS_PER_SECOND,
				&out->microseconds))
			return interval_out_of_range(err);
	}
	return 0;
}

/* -- Timestamps and times -- */

static int run_add_to_timestamp(struct call *call, struct error *err)
{
	bool plus = call->node->expr->function == FN_DATETIME_ADD;

	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t timestamp = arg_i64(&call->args[0], i);
		struct interval interval = arg_interval(&call->args[1], i);

		if (!(plus ? timestamp_add_interval : timestamp_sub_interval)(
			    timestamp, interval, &call->out->i64[i]))
			return timestamp_out_of_range(err);
	}
	return 0;
}

static int run_add_to_time(struct call *call, struct error *err)
{
	bool plus = call->node->expr->function == FN_DATETIME_ADD;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t time = arg_i64(&call->args[0], i);
		struct interval interval = arg_interval(&call->args[1], i);

		call->out->i64[i] = (plus ? time_add_interval : time_sub_interval)(time, interval);
	}
	return 0;
}

static int run_timestamp_diff(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t to = arg_i64(&call->args[0], i), from = arg_i64(&call->args[1], i), micros;

		if (time_is_infinite(to) || time_is_infinite(from))
			return error_set(err, ERROR_EVAL, "cannot subtract infinite timestamps");
		if (__builtin_sub_overflow(to, from, &micros))
			return interval_out_of_range(err);
		call->out->interval[i] = timestamp_diff(to, from);
	}
	return 0;
}

static int run_time_diff(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->interval[i] = (struct interval){
		.microseconds = arg_i64(&call->args[0], i) - arg_i64(&call->args[1], i)};
	return 0;
}

static int run_age(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t to = arg_i64(&call->args[0], i), from = arg_i64(&call->args[1], i);

		if (time_is_infinite(to) || time_is_infinite(from))
			return timestamp_out_of_range(err);
		call->out->interval[i] = timestamp_age(to, from);
	}
	return 0;
}

static int run_date_bin(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct interval stride = arg_interval(&call->args[0], i);
		int64_t timestamp = arg_i64(&call->args[1], i);
		int64_t origin = arg_i64(&call->args[2], i);
		int128 width = interval_span(stride), rest, bin;

		if (stride.months != 0)
			return error_set(err, ERROR_EVAL,
				"timestamps cannot be binned into intervals containing months or "
				"years");
		if (width <= 0)
			return error_set(err, ERROR_EVAL, "stride must be greater than zero");
		if (time_is_infinite(origin))
			return error_set(err, ERROR_EVAL, "origin out of range");
		if (time_is_infinite(timestamp)) {
			call->out->i64[i] = timestamp;
			continue;
		}
		if (width > INT64_MAX)
			return interval_out_of_range(err);
		rest = ((int128)timestamp - origin) % width;
		bin = timestamp - rest - (rest < 0 ? width : 0);
		if (bin < (int128)DATE_DAYS_MIN * MICROS_PER_DAY)
			return timestamp_out_of_range(err);
		call->out->i64[i] = (int64_t)bin;
	}
	return 0;
}

static int run_is_finite(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->u8[i] = call->args[0].type.kind == TYPE_INTERVAL ||
			   !time_is_infinite(arg_i64(&call->args[0], i));
	return 0;
}

/* timestamp(n) and time(n) */
static int run_precision(struct call *call, struct error *err)
{
	bool is_time = call->type.kind == TYPE_TIME;

	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t value = arg_i64(&call->args[0], i), digits = arg_i64(&call->args[1], i);

		if (digits < 0)
			return error_set(
				err, ERROR_EVAL, "the precision of a time must not be negative");
		call->out->i64[i] = (is_time ? time_round : timestamp_round)(
			value, digits > 6 ? 6 : (unsigned)digits);
	}
	return 0;
}

/* -- Parts -- */

/* A year is 365.25 days: in quarters of a day, to stay with integers. */
static numeric extract_epoch(struct interval interval)
{
	int64_t quarters = INT64_C(1461) * (interval.months / MONTHS_PER_YEAR) +
			   INT64_C(4) * DAYS_PER_MONTH * (interval.months % MONTHS_PER_YEAR) +
			   INT64_C(4) * interval.days;
	int128 micros = (int128)quarters * (MICROS_PER_DAY / 4) + interval.microseconds;

	return numeric_pack(micros, 6);
}

static numeric extract_part(enum time_unit unit, struct interval interval)
{
	int32_t year = interval.months / MONTHS_PER_YEAR;
	int64_t seconds = interval.microseconds / MICROS_PER_SECOND;
	int64_t micros = interval.microseconds % (60 * MICROS_PER_SECOND);

	switch (unit) {
	case UNIT_MICROSECOND: return numeric_pack(micros, 0);
	case UNIT_MILLISECOND: return numeric_pack(micros, 3);
	case UNIT_SECOND: return numeric_pack(micros, 6);
	case UNIT_MINUTE: return numeric_from_i64(seconds / 60 % 60);
	case UNIT_HOUR: return numeric_from_i64(seconds / 3600);
	case UNIT_DAY: return numeric_from_i64(interval.days);
	case UNIT_MONTH: return numeric_from_i64(interval.months % MONTHS_PER_YEAR);
	case UNIT_QUARTER: return numeric_from_i64(interval.months % MONTHS_PER_YEAR / 3 + 1);
	case UNIT_DECADE: return numeric_from_i64(year / 10);
	case UNIT_CENTURY: return numeric_from_i64(year / 100);
	case UNIT_MILLENNIUM: return numeric_from_i64(year / 1000);
	case UNIT_EPOCH: return extract_epoch(interval);
	default: return numeric_from_i64(year);
	}
}

static int run_extract(struct call *call, struct error *err)
{
	enum time_unit unit = *(const enum time_unit *)call->state;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->num[i] = extract_part(unit, call->args[1].interval[i]);
	return 0;
}

static int64_t micros_in(enum time_unit unit)
{
	switch (unit) {
	case UNIT_MILLISECOND: return 1000;
	case UNIT_SECOND: return MICROS_PER_SECOND;
	case UNIT_MINUTE: return 60 * MICROS_PER_SECOND;
	case UNIT_HOUR: return 3600 * MICROS_PER_SECOND;
	default: return 1;
	}
}

static int32_t months_in(enum time_unit unit)
{
	switch (unit) {
	case UNIT_QUARTER: return 3;
	case UNIT_YEAR: return MONTHS_PER_YEAR;
	case UNIT_DECADE: return 10 * MONTHS_PER_YEAR;
	case UNIT_CENTURY: return 100 * MONTHS_PER_YEAR;
	case UNIT_MILLENNIUM: return 1000 * MONTHS_PER_YEAR;
	default: return 1;
	}
}

static struct interval truncate(enum time_unit unit, struct interval interval)
{
	interval.microseconds -= interval.microseconds % micros_in(unit);
	if (unit >= UNIT_DAY)
		interval.microseconds = 0;
	if (unit >= UNIT_MONTH)
		interval.days = 0;
	interval.months -= interval.months % months_in(unit);
	return interval;
}

static int run_truncate(struct call *call, struct error *err)
{
	enum time_unit unit = *(const enum time_unit *)call->state;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->interval[i] = truncate(unit, call->args[1].interval[i]);
	return 0;
}

/* -- Casts -- */

static int time_to_interval(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->interval[i] = (struct interval){.microseconds = call->args[0].i64[i]};
	return 0;
}

static int interval_to_time(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = interval_time(call->args[0].interval[i]);
	return 0;
}

const struct kernel *kernel_interval_cast_find(struct type from, struct type to)
{
	static const struct kernel from_time = {.run = time_to_interval, .flags = KERNEL_TOTAL};
	static const struct kernel to_time = {.run = interval_to_time, .flags = KERNEL_TOTAL};

	if (from.kind == TYPE_TIME && to.kind == TYPE_INTERVAL)
		return &from_time;
	if (from.kind == TYPE_INTERVAL && to.kind == TYPE_TIME)
		return &to_time;
	return NULL;
}

/* -- Which -- */

static const struct kernel *find_shared(const struct expr *expr)
{
	static const struct kernel add = {.run = run_add};
	static const struct kernel negate = {.run = run_negate};
	static const struct kernel extract = {.run = run_extract, .prepare = kernel_prepare_unit};
	static const struct kernel trunc = {.run = run_truncate, .prepare = kernel_prepare_unit};
	enum type_kind last = expr->args[expr->arg_count - 1]->type.kind;

	if (last != TYPE_INTERVAL)
		return NULL;
	switch (expr->function) {
	case FN_ADD:
	case FN_SUB: return &add;
	case FN_NEG: return &negate;
	case FN_EXTRACT: return &extract;
	case FN_DATE_TRUNC: return &trunc;
	default: return NULL;
	}
}

const struct kernel *kernel_interval_find(const struct expr *expr)
{
	static const struct kernel multiply = {.run = run_multiply};
	static const struct kernel divide = {.run = run_divide};
	static const struct kernel make = {.run = run_make_interval};
	static const struct kernel justify_days = {.run = run_justify_days};
	static const struct kernel justify_hours = {.run = run_justify_hours};
	static const struct kernel justify = {.run = run_justify};
	static const struct kernel add_to_timestamp = {.run = run_add_to_timestamp};
	static const struct kernel add_to_time = {.run = run_add_to_time};
	static const struct kernel timestamp_diff = {.run = run_timestamp_diff};
	static const struct kernel time_diff = {.run = run_time_diff};
	static const struct kernel age = {.run = run_age};
	static const struct kernel date_bin = {.run = run_date_bin};
	static const struct kernel precision = {.run = run_precision};
	static const struct kernel is_finite = {.run = run_is_finite};
	bool of_time = expr->arg_count > 0 && expr->args[0]->type.kind == TYPE_TIME;

	switch (expr->function) {
	case FN_ADD:
	case FN_SUB:
	case FN_NEG:
	case FN_EXTRACT:
	case FN_DATE_TRUNC: return find_shared(expr);
	case FN_INTERVAL_MUL: return &multiply;
	case FN_INTERVAL_DIV: return &divide;
	case FN_MAKE_INTERVAL: return &make;
	case FN_JUSTIFY_DAYS: return &justify_days;
	case FN_JUSTIFY_HOURS: return &justify_hours;
	case FN_JUSTIFY_INTERVAL: return &justify;
	case FN_DATETIME_ADD:
	case FN_DATETIME_SUB: return of_time ? &add_to_time : &add_to_timestamp;
	case FN_DATETIME_DIFF: return of_time ? &time_diff : &timestamp_diff;
	case FN_AGE: return &age;
	case FN_DATE_BIN: return &date_bin;
	case FN_TIME_PRECISION: return &precision;
	case FN_ISFINITE: return &is_finite;
	default: return NULL;
	}
}
