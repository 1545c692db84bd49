/*
 * The frame of every row of a partition.
 *
 * ROWS and GROUPS count in units, rows or groups of peers; so does RANGE as long as its bounds have
 * no offset. With one, a bound of RANGE is the place in the sorted keys where key + offset or
 * key - offset would stand. It moves only forwards from one group to the next, as PostgreSQL's
 * does, even where months of different lengths would take it back.
 */
#include "exec/op/window_private.h"

#include <math.h>

/* The first unit of the frame of unit `at`. */
static uint32_t unit_start(const struct plan_frame_bound *bound, uint32_t at, uint32_t count)
{
	uint64_t distance = (uint64_t)bound->offset.i64;

	switch (bound->kind) {
	case FRAME_UNBOUNDED_PRECEDING: break;
	case FRAME_PRECEDING: return distance < at ? at - (uint32_t)distance : 0;
	case FRAME_CURRENT_ROW: return at;
	case FRAME_FOLLOWING: return distance < count - at ? at + (uint32_t)distance : count;
	case FRAME_UNBOUNDED_FOLLOWING: return count;
	}
	return 0;
}

/* The unit after the last one of the frame of unit `at`. */
static uint32_t unit_end(const struct plan_frame_bound *bound, uint32_t at, uint32_t count)
{
	uint64_t distance = (uint64_t)bound->offset.i64;

	switch (bound->kind) {
	case FRAME_UNBOUNDED_PRECEDING: break;
	case FRAME_PRECEDING: return distance <= at ? at + 1 - (uint32_t)distance : 0;
	case FRAME_CURRENT_ROW: return at + 1;
	case FRAME_FOLLOWING: return distance < count - at ? at + 1 + (uint32_t)distance : count;
	case FRAME_UNBOUNDED_FOLLOWING: return count;
	}
	return 0;
}

static uint32_t unit_bound(
	const struct plan_frame_bound *bound, bool is_end, uint32_t at, uint32_t count)
{
	return is_end ? unit_end(bound, at, count) : unit_start(bound, at, count);
}

static void bound_by_rows(const struct plan_frame_bound *bound, bool is_end,
	const struct window_partition *partition, uint32_t *out)
{
	for (uint32_t row = 0; row < partition->rows; row++)
		out[row] = unit_bound(bound, is_end, row, partition->rows);
}

static void fill_group(
	const struct window_partition *partition, uint32_t group, uint32_t *out, uint32_t value)
{
	for (uint32_t row = partition->groups[group]; row < partition->groups[group + 1]; row++)
		out[row] = value;
}

static void bound_by_groups(const struct plan_frame_bound *bound, bool is_end,
	const struct window_partition *partition, uint32_t *out)
{
	uint32_t count = partition->group_count;

	for (uint32_t group = 0; group < count; group++)
		fill_group(partition, group, out,
			partition->groups[unit_bound(bound, is_end, group, count)]);
}

/* A row's key plus or minus the offset of a bound. */
struct range_limit {
	bool is_null;
	bool is_nan;	/* only NaN is as great */
	bool unlimited; /* infinity and back: every value is within it */
	union {
		int128 i128;
		numeric num;
		double f64;
	};
};

/* A key that is not a decimal. Days are counted in microseconds: an interval is added to them.
 */
static int128 integer_of(const struct column *key, uint32_t row)
{
	switch (key->type.kind) {
	case TYPE_DATE: return (int128)key->i64[row] * MICROS_PER_DAY;
	case TYPE_INTERVAL: return interval_span(key->interval[row]);
	default: return key->i64[row];
	}
}

/* 128 bits hold what leaves the type: a limit that no key reaches is not an error. */
static int128 integer_limit(
	const struct column *key, uint32_t row, const struct value *offset, bool subtract)
{
	int128 base = integer_of(key, row), by;

	switch (key->type.kind) {
	case TYPE_DATE:
	case TYPE_TIMESTAMP: return timestamp_shift((int64_t)base, offset->interval, subtract);
	/* Midnight ends the clock, it does not start again. */
	case TYPE_TIME: by = offset->interval.microseconds; break;
	case TYPE_INTERVAL: by = interval_span(offset->interval); break;
	default: by = offset->i64; break;
	}
	return subtract ? base - by : base + by;
}

static int numeric_limit(numeric base, numeric offset, bool subtract, struct arena *arena,
	struct range_limit *out, struct error *err)
{
	enum numeric_fault fault = NUMERIC_FINE;

	if (!(subtract ? numeric_sub(base, offset, &out->num)
		       : numeric_add(base, offset, &out->num)))
		fault = subtract ? numeric_long_sub(base, offset, arena, &out->num)
				 : numeric_long_add(base, offset, arena, &out->num);
	/* Infinity and back, as of doubles. */
	out->unlimited = numeric_is_nan(out->num) && !numeric_is_nan(base);
	return fault == NUMERIC_FINE ? 0
				     : error_set(err, ERROR_EVAL, "%s", numeric_fault_text(fault));
}

static int limit_of(const struct column *key, uint32_t row, const struct value *offset,
	bool subtract, struct arena *arena, struct range_limit *out, struct error *err)
{
	*out = (struct range_limit){.is_null = column_is_null(key, row)};
	if (out->is_null)
		return 0;
	switch (type_physical(key->type.kind)) {
	case PHYSICAL_I64:
	case PHYSICAL_INTERVAL: out->i128 = integer_limit(key, row, offset, subtract); return 0;
	case PHYSICAL_F64: {
		double base = key->f64[row], by = subtract ? -offset->f64 : offset->f64;

		out->is_nan = base != base;
		out->unlimited = isinf(base) && isinf(by) && (base > 0) != (by > 0);
		out->f64 = base + by;
		return 0;
	}
	case PHYSICAL_NUM:
		return numeric_limit(key->num[row], offset->num, subtract, arena, out, err);
	default: break;
	}
	return error_set(err, ERROR_INTERNAL, "a window frame of RANGE has no numbers to compare");
}

/* Whether the row's key, which is not NULL, is on this side of the limit or at it. */
static bool within(
	const struct column *key, uint32_t row, const struct range_limit *limit, bool below)
{
	int order;

	switch (type_physical(key->type.kind)) {
	case PHYSICAL_I64:
	case PHYSICAL_INTERVAL:
		return below ? integer_of(key, row) <= limit->i128
			     : integer_of(key, row) >= limit->i128;
	case PHYSICAL_F64:
		/* NaN sorts behind all other values. */
		if (key->f64[row] != key->f64[row])
			return limit->is_nan || !below;
		if (limit->is_nan)
			return below;
		return limit->unlimited ||
		       (below ? key->f64[row] <= limit->f64 : key->f64[row] >= limit->f64);
	default:
		if (limit->unlimited)
			return !numeric_is_nan(key->num[row]) || !below;
		order = numeric_compare(key->num[row], limit->num);
		return below ? order <= 0 : order >= 0;
	}
}

/* Whether the first row of a group, looked at as the frame's start, stands before it. */
static bool is_before_start(const struct column *key, const struct plan_sort_key *sort,
	uint32_t row, const struct range_limit *limit)
{
	bool is_null = column_is_null(key, row);

	if (is_null || limit->is_null)
		return sort->nulls_first ? is_null && !limit->is_null : !is_null && limit->is_null;
	return !within(key, row, limit, sort->descending);
}

static bool is_before_end(const struct column *key, const struct plan_sort_key *sort, uint32_t row,
	const struct range_limit *limit)
{
	bool is_null = column_is_null(key, row);

	if (is_null || limit->is_null)
		return sort->nulls_first ? is_null : limit->is_null;
	return within(key, row, limit, !sort->descending);
}

static int bound_by_range(const struct plan_frame_bound *bound, bool is_end,
	const struct plan_sort_key *sort, const struct window_partition *partition, uint32_t *out,
	struct error *err)
{
	const struct column *key = &partition->columns[sort->column];
	bool subtract = (bound->kind == FRAME_PRECEDING) != sort->descending;
	struct arena arena;
	uint32_t at = 0;
	int status = 0;

	arena_init(&arena, 256);
	for (uint32_t group = 0; status == 0 && group < partition->group_count; group++) {
		struct range_limit limit;

		arena_reset(&arena);
		status = limit_of(key, partition->groups[group], &bound->offset, subtract, &arena,
			&limit, err);
		if (status < 0)
			break;
		while (at < partition->group_count) {
			uint32_t row = partition->groups[at];

			if (!(is_end ? is_before_end(key, sort, row, &limit)
				     : is_before_start(key, sort, row, &limit)))
				break;
			at++;
		}
		fill_group(partition, group, out, partition->groups[at]);
	}
	arena_release(&arena);
	return status;
}

static int make_bound(enum frame_mode mode, const struct plan_frame_bound *bound, bool is_end,
	const struct plan_sort_key *sort, const struct window_partition *partition, uint32_t *out,
	struct error *err)
{
	if (mode == FRAME_RANGE && frame_bound_has_offset(bound->kind))
		return bound_by_range(bound, is_end, sort, partition, out, err);
	if (mode == FRAME_ROWS)
		bound_by_rows(bound, is_end, partition, out);
	else
		bound_by_groups(bound, is_end, partition, out);
	return 0;
}

static void make_gaps(const struct window_partition *partition, struct window_bounds *bounds)
{
	for (uint32_t group = 0; group < partition->group_count; group++) {
		uint32_t first = partition->groups[group], end = partition->groups[group + 1];

		for (uint32_t row = first; row < end; row++) {
			bool alone = bounds->exclude == FRAME_EXCLUDE_CURRENT_ROW;

			bounds->gap_starts[row] = alone ? row : first;
			bounds->gap_ends[row] = alone ? row + 1 : end;
		}
	}
}

static void add_piece(struct window_piece *pieces, uint32_t *count, uint32_t first, uint32_t end)
{
	if (first < end)
		pieces[(*count)++] = (struct window_piece){first, end};
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t greatest(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

uint32_t window_frame_pieces(
	const struct window_bounds *bounds, uint32_t row, struct window_piece *pieces)
{
	uint32_t start = bounds->starts[row], end = bounds->ends[row], count = 0;

	if (bounds->exclude == FRAME_EXCLUDE_NOTHING) {
		add_piece(pieces, &count, start, end);
		return count;
	}
	add_piece(pieces, &count, start, least(end, bounds->gap_starts[row]));
	if (bounds->exclude == FRAME_EXCLUDE_TIES && row >= start && row < end)
		add_piece(pieces, &count, row, row + 1);
	add_piece(pieces, &count, greatest(start, bounds->gap_ends[row]), end);
	return count;
}

int window_frame_bounds(const struct plan_frame *frame, const struct plan_sort_key *sort,
	const struct window_partition *partition, struct window_bounds *bounds, struct error *err)
{
	if (make_bound(frame->mode, &frame->start, false, sort, partition, bounds->starts, err) <
			0 ||
		make_bound(frame->mode, &frame->end, true, sort, partition, bounds->ends, err) < 0)
		return -1;
	for (uint32_t row = 0; row < partition->rows; row++) {
		if (bounds->ends[row] < bounds->starts[row])
			bounds->ends[row] = bounds->starts[row];
	}
	bounds->exclude = frame->exclude;
	if (frame->exclude != FRAME_EXCLUDE_NOTHING)
		make_gaps(partition, bounds);
	return 0;
}
