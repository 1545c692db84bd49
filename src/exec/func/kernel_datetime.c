/*
 * Dates and times: extract, date_trunc, date arithmetic, and the casts among them.
 *
 * Two things make these fast. A day is 2^13 * 10546875 microseconds, so that a timestamp without
 * its 13 low bits is exact in a double and can be divided in vectors. And what depends on the month
 * alone (or on a longer period) is computed once and reused while the rows stay within it, which in
 * data that was cut by time they mostly do.
 */
#include "exec/expr/eval_private.h"

#include "column/datetime.h"
#include "column/time_unit.h"
#include "exec/func/infinite_time.h"

#include <math.h>

/* Makes every timestamp positive, with years to spare on both sides. */
#define BIAS_DAYS   INT64_C(3000000)
#define BIAS_MICROS ((uint64_t)(BIAS_DAYS * MICROS_PER_DAY))

#define DAY_SHIFT 13
#define DAY_REST  10546875u

_Static_assert(((int64_t)DAY_REST << DAY_SHIFT) == MICROS_PER_DAY, "a day in two factors");

#define MICROS_PER_HOUR	  (3600 * MICROS_PER_SECOND)
#define MICROS_PER_MINUTE (60 * MICROS_PER_SECOND)
#define EPOCH_JULIAN	  2440588 /* Julian day of 1970-01-01 */

union double_bits {
	uint64_t bits;
	double value;
};

/* 2^52: added to a smaller integer, it leaves that integer in the low bits of the double. */
#define INTEGER_MAGIC_BITS UINT64_C(0x4330000000000000)
#define INTEGER_MAGIC	   4503599627370496.0

struct day_split {
	uint64_t days; /* with BIAS_DAYS */
	uint64_t micros;
};

/* Harmless for any input, right for all timestamps. Only operations that AVX2 and SSE2 have. */
ALWAYS_INLINE struct day_split split_days(int64_t timestamp)
{
	uint64_t biased = (uint64_t)timestamp + BIAS_MICROS;
	uint64_t high = biased >> DAY_SHIFT;
	union double_bits dividend = {.bits = high | INTEGER_MAGIC_BITS};
	union double_bits quotient;
	uint64_t days, rest, below;

	quotient.value = (dividend.value - INTEGER_MAGIC) * (1.0 / DAY_REST) + INTEGER_MAGIC;
	days = quotient.bits & 0xffffffffu;
	rest = high - days * DAY_REST;
	/* The quotient was rounded to the nearest: it may be one too high. */
	below = rest >> 63;
	return (struct day_split){
		.days = days - below,
		.micros = ((rest + (-below & DAY_REST)) << DAY_SHIFT) |
			  (biased & ((1u << DAY_SHIFT) - 1)),
	};
}

static inline int64_t days_of(int64_t timestamp)
{
	return (int64_t)(((uint64_t)timestamp + BIAS_MICROS) / MICROS_PER_DAY) - BIAS_DAYS;
}

static inline int64_t time_of(int64_t timestamp)
{
	return (int64_t)(((uint64_t)timestamp + BIAS_MICROS) % MICROS_PER_DAY);
}

/* -- Casts -- */

CPU_CLONES
static void times_of_days(const int64_t *restrict in, int64_t *restrict out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = (int64_t)split_days(in[i]).micros;
}

CPU_CLONES
static void dates_of(const int64_t *restrict in, int64_t *restrict out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = (int64_t)split_days(in[i]).days - BIAS_DAYS;
}

static int finite_to_time(struct call *call, struct error *err)
{
	const int64_t *in = call->args[0].i64;
	int64_t *out = call->out->i64;

	(void)err;
	if (!call->rows.sel)
		times_of_days(in, out, call->rows.count);
	else
		FOR_EACH_ROW(&call->rows, i)
	out[i] = time_of(in[i]);
	return 0;
}

static int finite_to_date(struct call *call, struct error *err)
{
	const int64_t *in = call->args[0].i64;
	int64_t *out = call->out->i64;

	(void)err;
	if (!call->rows.sel)
		dates_of(in, out, call->rows.count);
	else
		FOR_EACH_ROW(&call->rows, i)
	out[i] = days_of(in[i]);
	return 0;
}

static int finite_to_timestamp(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = (int64_t)((uint64_t)call->args[0].i64[i] * (uint64_t)MICROS_PER_DAY);
	return 0;
}

static int timestamp_to_time(struct call *call, struct error *err)
{
	return call_over_finite(call, 0, finite_to_time, infinite_is_null, err);
}

static int timestamp_to_date(struct call *call, struct error *err)
{
	return call_over_finite(call, 0, finite_to_date, infinite_stays, err);
}

static int date_to_timestamp(struct call *call, struct error *err)
{
	return call_over_finite(call, 0, finite_to_timestamp, infinite_stays, err);
}

const struct kernel *kernel_datetime_cast_find(struct type from, struct type to)
{
	static const struct kernel to_time = {.run = timestamp_to_time};
	static const struct kernel to_date = {.run = timestamp_to_date, .flags = KERNEL_TOTAL};
	static const struct kernel to_timestamp = {.run = date_to_timestamp, .flags = KERNEL_TOTAL};

	static const struct kernel relabel = {.run = NULL};

	/* Those with a zone are in UTC: another one needs its rules, see kernel_zone.c. */
	if (from.kind == TYPE_TIMESTAMPTZ)
		from.kind = TYPE_TIMESTAMP;
	if (to.kind == TYPE_TIMESTAMPTZ)
		to.kind = TYPE_TIMESTAMP;
	if (from.kind == TYPE_TIMESTAMP && to.kind == TYPE_TIMESTAMP)
		return &relabel;
	if (from.kind == TYPE_TIMESTAMP && to.kind == TYPE_TIME)
		return &to_time;
	if (from.kind == TYPE_TIMESTAMP && to.kind == TYPE_DATE)
		return &to_date;
	if (from.kind == TYPE_DATE && to.kind == TYPE_TIMESTAMP)
		return &to_timestamp;
	return kernel_interval_cast_find(from, to);
}

/* -- Units -- */

static bool unit_fits(enum time_unit unit, enum type_kind kind, bool extract)
{
	bool of_time = unit <= UNIT_HOUR || unit == UNIT_EPOCH;

	/* A month has no whole number of weeks. */
	if (kind == TYPE_INTERVAL && unit == UNIT_WEEK)
		return false;
	if (!extract)
		return unit <= UNIT_MILLENNIUM;
	switch (kind) {
	case TYPE_INTERVAL: return unit <= UNIT_MILLENNIUM || unit == UNIT_EPOCH;
	case TYPE_DATE: return unit >= UNIT_DAY;
	case TYPE_TIME: return of_time;
	default: return true;
	}
}

static const char *long_type_name(enum type_kind kind)
{
	switch (kind) {
	case TYPE_TIME: return "time without time zone";
	case TYPE_TIMESTAMP: return "timestamp without time zone";
	case TYPE_INTERVAL: return "interval";
	default: return "date";
	}
}

int kernel_prepare_unit(struct site *site, struct error *err)
{
	enum type_kind kind = site->expr->args[1]->type.kind;
	enum time_unit *unit = arena_alloc(site->arena, sizeof(*unit));
	struct text name;

	if (!site->constants[0])
		return error_set(err, ERROR_SQL, "the unit of %s must be a constant",
			function_name(site->expr->function));
	name = site->constants[0]->text[0];
	if (!time_unit_parse(name, unit))
		return error_set(err, ERROR_EVAL, "unit \"%.*s\" not recognized for type %s",
			(int)name.size, name.data, long_type_name(kind));
	if (!unit_fits(*unit, kind, site->expr->function == FN_EXTRACT))
		return error_set(err, ERROR_EVAL, "unit \"%.*s\" not supported for type %s",
			(int)name.size, name.data, long_type_name(kind));
	site->state = unit;
	return 0;
}

/* -- Periods of a month or more -- */

/* The first year of so many, which begin with 1 AD and end with 1 BC, the year 0. */
static int32_t period_year(int32_t year, int32_t length)
{
	int32_t behind = (year - 1) % length;

	return year - (behind < 0 ? behind + length : behind);
}

/* The first day of the period of `unit` in which a date lies. */
static struct civil period_first(enum time_unit unit, struct civil civil)
{
	int32_t year = civil.year;

	switch (unit) {
	case UNIT_QUARTER: return (struct civil){year, (uint8_t)((civil.month - 1) / 3 * 3 + 1), 1};
	case UNIT_YEAR: break;
	case UNIT_DECADE: year -= (year % 10 + 10) % 10; break;
	case UNIT_CENTURY: year = period_year(year, 100); break;
	case UNIT_MILLENNIUM: year = period_year(year, 1000); break;
	default: return (struct civil){year, civil.month, 1};
	}
	return (struct civil){year, 1, 1};
}

/* The first day of the period behind the one that begins with `first`. */
static struct civil period_next(enum time_unit unit, struct civil first)
{
	unsigned months = first.month;

	switch (unit) {
	case UNIT_QUARTER: months += 3; break;
	case UNIT_YEAR: first.year += 1; break;
	case UNIT_DECADE: first.year += 10; break;
	case UNIT_CENTURY: first.year += 100; break;
	case UNIT_MILLENNIUM: first.year += 1000; break;
	default: months += 1; break;
	}
	return (struct civil){first.year + (months > 12), (uint8_t)((months - 1) % 12 + 1), 1};
}

static int64_t civil_day(struct civil civil)
{
	return days_from_civil(civil.year, civil.month, civil.day);
}

/* There is no year 0 in the calendar: 1 BC is -1. */
static int32_t era_year(int32_t year)
{
	return year > 0 ? year : year - 1;
}

/* 1 from the year 1 on, -1 before it. */
static int32_t period_number(int32_t year, int32_t length)
{
	return year > 0 ? (year + length - 1) / length : -((length - year) / length);
}

static int64_t extract_from_civil(enum time_unit unit, struct civil civil)
{
	switch (unit) {
	case UNIT_MONTH: return civil.month;
	case UNIT_QUARTER: return (civil.month - 1) / 3 + 1;
	case UNIT_DECADE: return civil.year >= 0 ? civil.year / 10 : -((9 - civil.year) / 10);
	case UNIT_CENTURY: return period_number(civil.year, 100);
	case UNIT_MILLENNIUM: return period_number(civil.year, 1000);
	default: return era_year(civil.year);
	}
}

/*
 * The period of the last row, in the unit of the column. After many rows of a batch that left the
 * period of the row before, the rows are taken to be in no order, and no period is kept any more.
 */
struct window {
	uint64_t start;
	uint64_t length; /* 0: no row is inside */
	uint32_t misses;
};

#define WINDOW_MISSES_MAX 16

ALWAYS_INLINE bool window_has(const struct window *window, int64_t value)
{
	return (uint64_t)value - window->start < window->length;
}

ALWAYS_INLINE void window_move(
	struct window *window, enum time_unit unit, struct civil civil, uint64_t scale)
{
	struct civil first = period_first(unit, civil);
	int64_t start;

	window->length = 0;
	if (window->misses == WINDOW_MISSES_MAX)
		return;
	window->misses++;
	start = civil_day(first);
	window->start = (uint64_t)start * scale;
	window->length = (uint64_t)(civil_day(period_next(unit, first)) - start) * scale;
}

static int extract_long(struct call *call, struct error *err)
{
	const enum time_unit unit = *(const enum time_unit *)call->state;
	const struct rows rows = call->rows;
	const int64_t *restrict in = call->args[1].i64;
	numeric *restrict out = call->out->num;
	const bool is_date = call->args[1].type.kind == TYPE_DATE;
	struct window window = {0};
	numeric value = 0;

	(void)err;
	FOR_EACH_ROW(&rows, i)
	{
		if (__builtin_expect(!window_has(&window, in[i]), 0)) {
			struct civil civil = civil_from_days(is_date ? in[i] : days_of(in[i]));

			value = numeric_from_i64(extract_from_civil(unit, civil));
			window_move(&window, unit, civil, is_date ? 1 : (uint64_t)MICROS_PER_DAY);
		}
		out[i] = value;
	}
	return 0;
}

/* Writes `value` for every row; false when some row is outside of the window. */
CPU_CLONES
static bool fill_within(const int64_t *restrict in, int64_t *restrict out, uint32_t count,
	struct window window, int64_t value)
{
	/* Signed comparisons are what vectors have. */
	const int64_t least = (int64_t)window.start;
	const int64_t most = (int64_t)(window.start + window.length - 1);
	int64_t outside = 0;

	for (uint32_t i = 0; i < count; i++) {
		outside |= -(int64_t)(in[i] < least) | -(int64_t)(in[i] > most);
		out[i] = value;
	}
	return outside == 0;
}

static int trunc_long(struct call *call, struct error *err)
{
	const enum time_unit unit = *(const enum time_unit *)call->state;
	const struct rows rows = call->rows;
	const int64_t *restrict in = call->args[1].i64;
	int64_t *restrict out = call->out->i64;
	struct window window = {0};
	int64_t value = 0;

	FOR_EACH_ROW(&rows, i)
	{
		if (__builtin_expect(!window_has(&window, in[i]), 0)) {
			int64_t day = days_of(in[i]);
			struct civil civil = civil_from_days(day);
			int64_t first = unit == UNIT_MONTH ? day - civil.day + 1
							   : civil_day(period_first(unit, civil));

			if (first < DATE_DAYS_MIN)
				return error_set(err, ERROR_EVAL, "timestamp out of range");
			value = first * MICROS_PER_DAY;
			window_move(&window, unit, civil, (uint64_t)MICROS_PER_DAY);
			/* Files are often cut by time: most batches lie in one period. */
			if (i == 0 && !rows.sel && fill_within(in, out, rows.count, window, value))
				break;
		}
		out[i] = value;
	}
	return 0;
}

/* -- extract: days -- */

/* Monday is 0. */
static inline int64_t weekday_from_monday(int64_t day)
{
	/* 1970-01-01 was a Thursday; 7 * 400000 days keep the sum above zero. */
	return (int64_t)((uint64_t)(day + 3 + INT64_C(7) * 400000) % 7);
}

static int64_t day_of_year(int64_t day)
{
	return day - days_from_civil(civil_from_days(day).year, 1, 1) + 1;
}

static int64_t extract_day(enum time_unit unit, int64_t day)
{
	/* An ISO week belongs to the year of its Thursday. */
	int64_t thursday = day - weekday_from_monday(day) + 3;

	switch (unit) {
	case UNIT_WEEK: return (day_of_year(thursday) - 1) / 7 + 1;
	case UNIT_ISOYEAR: return era_year(civil_from_days(thursday).year);
	case UNIT_DOW: return (weekday_from_monday(day) + 1) % 7;
	case UNIT_ISODOW: return weekday_from_monday(day) + 1;
	case UNIT_DOY: return day_of_year(day);
	case UNIT_JULIAN: return day + EPOCH_JULIAN;
	case UNIT_EPOCH: return day * 86400;
	default: return civil_from_days(day).day;
	}
}

static int extract_days(struct call *call, struct error *err)
{
	enum time_unit unit = *(const enum time_unit *)call->state;
	const int64_t *in = call->args[1].i64;
	bool is_date = call->args[1].type.kind == TYPE_DATE;
	const struct rows rows = call->rows;
	numeric *restrict out = call->out->num;

	(void)err;
	FOR_EACH_ROW(&rows, i)
	out[i] = numeric_from_i64(extract_day(unit, is_date ? in[i] : days_of(in[i])));
	return 0;
}

/* -- extract: times -- */

static numeric extract_time(enum time_unit unit, int64_t time)
{
	switch (unit) {
	case UNIT_HOUR: return numeric_from_i64(time / MICROS_PER_HOUR);
	case UNIT_MINUTE: return numeric_from_i64(time / MICROS_PER_MINUTE % 60);
	case UNIT_SECOND: return numeric_pack(time % MICROS_PER_MINUTE, 6);
	case UNIT_MILLISECOND: return numeric_pack(time % MICROS_PER_MINUTE, 3);
	default: return numeric_pack(time % MICROS_PER_MINUTE, 0);
	}
}

static int extract_times(struct call *call, struct error *err)
{
	enum time_unit unit = *(const enum time_unit *)call->state;
	const int64_t *in = call->args[1].i64;
	bool is_time = call->args[1].type.kind == TYPE_TIME;
	const struct rows rows = call->rows;
	numeric *restrict out = call->out->num;

	(void)err;
	FOR_EACH_ROW(&rows, i)
	out[i] = extract_time(unit, is_time ? in[i] : time_of(in[i]));
	return 0;
}

/* Of a timestamp or a time: the microseconds, with a point in them. */
static int extract_epoch(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->num[i] = numeric_pack(call->args[1].i64[i], 6);
	return 0;
}

static int extract_julian(struct call *call, struct error *err)
{
	const numeric day_length = numeric_from_i64(MICROS_PER_DAY);

	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t timestamp = call->args[1].i64[i];
		numeric fraction;

		if (!numeric_div(numeric_from_i64(time_of(timestamp)), day_length, &fraction) ||
			!numeric_add(numeric_from_i64(days_of(timestamp) + EPOCH_JULIAN), fraction,
				&call->out->num[i]))
			return error_numeric_range(err);
	}
	return 0;
}

static int extract_finite(struct call *call, struct error *err)
{
	enum type_kind kind = call->args[1].type.kind;
	enum time_unit unit = *(const enum time_unit *)call->state;

	switch (unit) {
	case UNIT_MICROSECOND:
	case UNIT_MILLISECOND:
	case UNIT_SECOND:
	case UNIT_MINUTE:
	case UNIT_HOUR: return extract_times(call, err);
	case UNIT_MONTH:
	case UNIT_QUARTER:
	case UNIT_YEAR:
	case UNIT_DECADE:
	case UNIT_CENTURY:
	case UNIT_MILLENNIUM: return extract_long(call, err);
	case UNIT_EPOCH:
		return kind == TYPE_DATE ? extract_days(call, err) : extract_epoch(call, err);
	case UNIT_JULIAN:
		return kind == TYPE_DATE ? extract_days(call, err) : extract_julian(call, err);
	default: return extract_days(call, err);
	}
}

/* What grows for ever is infinite, what comes again and again is not known. */
static int extract_infinite(struct call *call, uint32_t row, bool positive, struct error *err)
{
	switch (*(const enum time_unit *)call->state) {
	case UNIT_YEAR:
	case UNIT_DECADE:
	case UNIT_CENTURY:
	case UNIT_MILLENNIUM:
	case UNIT_ISOYEAR:
	case UNIT_JULIAN:
	case UNIT_EPOCH:
		call->out->num[row] = positive ? NUMERIC_INFINITY : NUMERIC_MINUS_INFINITY;
		return 0;
	default: return infinite_is_null(call, row, positive, err);
	}
}

static int run_extract(struct call *call, struct error *err)
{
	if (call->args[1].type.kind == TYPE_TIME)
		return extract_finite(call, err);
	return call_over_finite(call, 1, extract_finite, extract_infinite, err);
}

/* -- date_trunc -- */

ALWAYS_INLINE int trunc_short(struct call *call, uint64_t length)
{
	const struct rows rows = call->rows;
	const int64_t *restrict in = call->args[1].i64;
	int64_t *restrict out = call->out->i64;

	FOR_EACH_ROW(&rows, i)
	{
		uint64_t biased = (uint64_t)in[i] + BIAS_MICROS;

		out[i] = (int64_t)(biased - biased % length - BIAS_MICROS);
	}
	return 0;
}

static int trunc_day(struct call *call)
{
	const int64_t *in = call->args[1].i64;

	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = in[i] - time_of(in[i]);
	return 0;
}

static int trunc_week(struct call *call)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t day = days_of(call->args[1].i64[i]);

		call->out->i64[i] = (day - weekday_from_monday(day)) * MICROS_PER_DAY;
	}
	return 0;
}

static int trunc_finite(struct call *call, struct error *err)
{
	switch (*(const enum time_unit *)call->state) {
	case UNIT_MICROSECOND: return trunc_short(call, 1);
	case UNIT_MILLISECOND: return trunc_short(call, 1000);
	case UNIT_SECOND: return trunc_short(call, MICROS_PER_SECOND);
	case UNIT_MINUTE: return trunc_short(call, MICROS_PER_MINUTE);
	case UNIT_HOUR: return trunc_short(call, MICROS_PER_HOUR);
	case UNIT_DAY: return trunc_day(call);
	case UNIT_WEEK: return trunc_week(call);
	default: return trunc_long(call, err);
	}
}

static int run_trunc(struct call *call, struct error *err)
{
	return call_over_finite(call, 1, trunc_finite, infinite_stays, err);
}

/* -- Date arithmetic -- */

static int run_add_days(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t from = arg_i64(&call->args[0], i), day = from;

		if (!time_is_infinite(from)) {
			day += arg_i64(&call->args[1], i);
			if (day < DATE_DAYS_MIN || day > DATE_DAYS_MAX)
				return error_set(err, ERROR_EVAL, "date out of range");
		}
		call->out->i64[i] = day;
	}
	return 0;
}

static int run_date_diff(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t to = arg_i64(&call->args[0], i), from = arg_i64(&call->args[1], i);

		if (time_is_infinite(to) || time_is_infinite(from))
			return error_set(err, ERROR_EVAL, "cannot subtract infinite dates");
		call->out->i64[i] = to - from;
	}
	return 0;
}

/* Day `i` of three integers: year, month, day. */
static int make_day(const struct column *args, uint32_t i, int64_t *day, struct error *err)
{
	int64_t year = arg_i64(&args[0], i);
	int64_t month = arg_i64(&args[1], i);
	int64_t of_month = arg_i64(&args[2], i);

	/* A year below zero is one before Christ. */
	int64_t counted = year < 0 ? year + 1 : year;

	if (year == 0 || month < 1 || month > 12 || of_month < 1 || of_month > 31 ||
		!civil_valid((int32_t)counted, (unsigned)month, (unsigned)of_month))
		return error_set(err, ERROR_EVAL,
			"date field value out of range: %lld-%02lld-%02lld", (long long)year,
			(long long)month, (long long)of_month);
	*day = days_from_civil((int32_t)counted, (unsigned)month, (unsigned)of_month);
	return *day >= DATE_DAYS_MIN ? 0 : error_set(err, ERROR_EVAL, "date out of range");
}

/* A time of day of two integers and a double: hour, minute, seconds. */
static int make_time(const struct column *args, uint32_t i, int64_t *time, struct error *err)
{
	int64_t hour = arg_i64(&args[0], i), minute = arg_i64(&args[1], i);
	double seconds = arg_f64(&args[2], i);
	double micros = rint(seconds * 1e6);

	if (hour < 0 || hour > 24 || minute < 0 || minute > 59 ||
		!(seconds >= 0 && seconds <= 60) || (hour == 24 && (minute > 0 || micros > 0)))
		return error_set(err, ERROR_EVAL, "time field value out of range: %lld:%02lld:%02g",
			(long long)hour, (long long)minute, seconds);
	*time = (hour * 60 + minute) * MICROS_PER_MINUTE + (int64_t)micros;
	return 0;
}

static int run_make_date(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	if (make_day(call->args, i, &call->out->i64[i], err) < 0)
		return -1;
	return 0;
}

static int run_make_time(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	if (make_time(call->args, i, &call->out->i64[i], err) < 0)
		return -1;
	return 0;
}

static int run_make_timestamp(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t day = 0, time = 0;

		if (make_day(call->args, i, &day, err) < 0 ||
			make_time(call->args + 3, i, &time, err) < 0)
			return -1;
		call->out->i64[i] = day * MICROS_PER_DAY + time;
	}
	return 0;
}

/* -- OVERLAPS -- */

/* A stretch of time with what is known of its ends. */
struct stretch {
	bool has_start;
	bool has_end;
	int64_t start;
	int64_t end;
};

/* The earlier of the two ends comes first; a stretch with one known end starts there. */
static struct stretch stretch_of(const struct column *args, uint32_t row)
{
	struct stretch s = {.has_start = !column_is_null(&args[0], row),
		.has_end = !column_is_null(&args[1], row)};

	s.start = s.has_start ? arg_i64(&args[0], row) : 0;
	s.end = s.has_end ? arg_i64(&args[1], row) : 0;
	if (s.has_end && (!s.has_start || s.start > s.end)) {
		int64_t start = s.start;
		bool has_start = s.has_start;

		s.start = s.end;
		s.end = start;
		s.has_end = has_start;
		s.has_start = true;
	}
	return s;
}

/* 1, 0, or -1 for NULL. `a` starts no earlier than `b`, or both at once. */
static int overlap(const struct stretch *a, const struct stretch *b)
{
	if (a->start == b->start)
		return a->has_end && b->has_end ? 1 : -1;
	if (!b->has_end)
		return -1;
	if (a->start < b->end)
		return 1;
	return a->has_end ? 0 : -1;
}

static int run_overlaps(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct stretch a = stretch_of(call->args, i), b = stretch_of(call->args + 2, i);
		int result = -1;

		if (a.has_start && b.has_start)
			result = a.start >= b.start ? overlap(&a, &b) : overlap(&b, &a);
		if (result < 0)
			call_set_null(call, i);
		else
			call->out->u8[i] = result > 0;
	}
	return 0;
}

const struct kernel *kernel_datetime_find(const struct expr *expr)
{
	static const struct kernel extract = {.run = run_extract, .prepare = kernel_prepare_unit};
	static const struct kernel trunc = {.run = run_trunc, .prepare = kernel_prepare_unit};
	static const struct kernel add_days = {.run = run_add_days};
	static const struct kernel diff = {.run = run_date_diff};
	static const struct kernel make_date = {.run = run_make_date};
	static const struct kernel make_time_ = {.run = run_make_time};
	static const struct kernel make_timestamp = {.run = run_make_timestamp};
	static const struct kernel overlaps = {.run = run_overlaps, .flags = KERNEL_SEES_NULLS};

	switch (expr->function) {
	case FN_DATE_ADD_DAYS: return &add_days;
	case FN_DATE_DIFF: return &diff;
	case FN_EXTRACT: return &extract;
	case FN_DATE_TRUNC: return &trunc;
	case FN_MAKE_DATE: return &make_date;
	case FN_MAKE_TIME: return &make_time_;
	case FN_MAKE_TIMESTAMP: return &make_timestamp;
	case FN_OVERLAPS: return &overlaps;
	default: return NULL;
	}
}
