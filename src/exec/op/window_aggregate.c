/*
 * Aggregates over frames, with the results that a group of the frame's rows would have.
 *
 * Counts, sums, averages and the boolean ones follow the frame: rows that enter are added, rows
 * that leave are removed, which is exact because every sum is: integers and decimals in 128 bits,
 * intervals part by part, doubles in an exact_sum, with NaN and infinities counted apart. min and
 * max have a file of their own. All others (sums that leave 128 bits, deviations, correlations, other types) use the states
 * of groups, which only grow: they are linear for frames that start or end where the partition does
 * and fold the whole frame anew for every row otherwise.
 */
#include "base/memory.h"
#include "column/canonical.h"
#include "exec/agg/aggregate.h"
#include "exec/agg/exact_sum.h"
#include "exec/agg/interval_sum.h"
#include "exec/op/window_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK 4096

enum follow {
	FOLLOW_MOVING,	/* add and remove */
	FOLLOW_EXTREME, /* window_extreme.c */
	FOLLOW_STATE,	/* the state of a group */
};

/* Of the frame's values; all zeros when there are none. */
struct moving {
	int64_t count;
	int64_t trues;
	int128 sum;
	unsigned scale; /* of the sum: the greatest of the values' */
	uint32_t scale_counts[NUMERIC_SCALE_MAX + 1];
	struct exact_sum doubles; /* of the finite values */
	int64_t nans;
	int64_t plus_infinities;
	int64_t minus_infinities;
	struct interval_sum intervals;
};

struct window_aggregate {
	const struct plan_aggregate *plan;
	enum follow follow;
	enum physical physical; /* of the argument */
	struct moving moving;
	/* FOLLOW_STATE: one group. */
	struct plan_group group;
	struct aggregates aggregates;
	uint8_t *state;
	struct column *views; /* by column of the input: only the arguments */
	struct arena arena;
};

static uint32_t views_wanted(const struct plan_aggregate *plan)
{
	uint32_t last = plan->arg == PLAN_NONE ? 0 : plan->arg;

	if (plan->arg2 != PLAN_NONE && plan->arg2 > last)
		last = plan->arg2;
	for (uint32_t i = 0; i < plan->sort_count; i++)
		last = plan->sort[i].column > last ? plan->sort[i].column : last;
	return last + 1;
}

static enum follow follow_of(enum aggregate_id id, enum physical physical)
{
	bool number = physical == PHYSICAL_I64 || physical == PHYSICAL_F64 ||
		      physical == PHYSICAL_NUM || physical == PHYSICAL_INTERVAL;

	switch (id) {
	case AGG_COUNT_STAR:
	case AGG_COUNT:
	case AGG_BOOL_AND:
	case AGG_BOOL_OR: return FOLLOW_MOVING;
	case AGG_SUM:
	case AGG_AVG: return number ? FOLLOW_MOVING : FOLLOW_STATE;
	case AGG_MIN:
	case AGG_MAX: return number || physical == PHYSICAL_TEXT ? FOLLOW_EXTREME : FOLLOW_STATE;
	default: return FOLLOW_STATE;
	}
}

struct window_aggregate *window_aggregate_new(const struct plan_aggregate *plan)
{
	struct window_aggregate *aggregate = memory_zalloc(sizeof(*aggregate));

	aggregate->plan = plan;
	aggregate->physical =
		plan->arg == PLAN_NONE ? PHYSICAL_I64 : type_physical(plan->arg_type.kind);
	aggregate->follow = follow_of(plan->id, aggregate->physical);
	aggregate->group = (struct plan_group){
		.phase = GROUP_COMPLETE,
		.aggregate_count = 1,
		.aggregates = (struct plan_aggregate *)plan,
	};
	aggregates_init(&aggregate->aggregates, &aggregate->group);
	aggregate->state = memory_zalloc(aggregate->aggregates.state_size + 1);
	aggregate->views = memory_zalloc(views_wanted(plan) * sizeof(*aggregate->views));
	arena_init(&aggregate->arena, ARENA_BLOCK);
	return aggregate;
}

static void moving_clear(struct moving *moving)
{
	exact_sum_release(&moving->doubles);
	memset(moving, 0, sizeof(*moving));
}

static void state_clear(struct window_aggregate *aggregate)
{
	aggregates_release_row(&aggregate->aggregates, aggregate->state);
	aggregates_clear(&aggregate->aggregates);
	memset(aggregate->state, 0, aggregate->aggregates.state_size);
}

void window_aggregate_free(struct window_aggregate *aggregate)
{
	if (!aggregate)
		return;
	moving_clear(&aggregate->moving);
	state_clear(aggregate);
	aggregates_release(&aggregate->aggregates);
	arena_release(&aggregate->arena);
	free(aggregate->state);
	free(aggregate->views);
	free(aggregate);
}

/*
 * Brings the sum to the value's scale where that is greater, then adds or removes the value. False
 * where 128 bits do not do.
 */
static bool move_numeric(struct moving *moving, numeric value, int sign)
{
	unsigned scale = numeric_scale(value);
	int128 mantissa = sign * numeric_mantissa(value);

	if (!numeric_is_plain(value))
		return false;
	if (scale > moving->scale) {
		if (__builtin_mul_overflow(
			    moving->sum, numeric_power10[scale - moving->scale], &moving->sum))
			return false;
		moving->scale = scale;
	} else if (scale < moving->scale &&
		   __builtin_mul_overflow(
			   mantissa, numeric_power10[moving->scale - scale], &mantissa)) {
		return false;
	}
	if (__builtin_add_overflow(moving->sum, mantissa, &moving->sum))
		return false;
	moving->scale_counts[scale] += (uint32_t)sign;
	/* What is left has fewer digits after the point: the division leaves nothing over. */
	while (moving->scale > 0 && moving->scale_counts[moving->scale] == 0) {
		moving->sum /= 10;
		moving->scale--;
	}
	return true;
}

static void move_double(struct moving *moving, double value, int sign)
{
	if (value != value)
		moving->nans += sign;
	else if (isinf(value) && value > 0)
		moving->plus_infinities += sign;
	else if (isinf(value))
		moving->minus_infinities += sign;
	else
		exact_sum_add(&moving->doubles, sign * value);
}

/* Adds the row's value (sign 1) or removes it (-1). False where its sum leaves 128 bits. */
static bool move_row(struct window_aggregate *aggregate, const struct window_partition *partition,
	uint32_t row, int sign)
{
	const struct plan_aggregate *plan = aggregate->plan;
	struct moving *moving = &aggregate->moving;
	const struct column *arg;

	if (!window_takes_row(plan, partition, row))
		return true;
	moving->count += sign;
	if (plan->id == AGG_COUNT_STAR || plan->id == AGG_COUNT)
		return true;
	arg = &partition->columns[plan->arg];
	switch (aggregate->physical) {
	case PHYSICAL_U8: moving->trues += arg->u8[row] ? sign : 0; break;
	/* Cannot overflow: 2^32 rows of 2^64 fit. */
	case PHYSICAL_I64: moving->sum += (int128)sign * arg->i64[row]; break;
	case PHYSICAL_F64: move_double(moving, arg->f64[row], sign); break;
	case PHYSICAL_NUM: return move_numeric(moving, arg->num[row], sign);
	case PHYSICAL_INTERVAL:
		interval_sum_move(&moving->intervals, arg->interval[row], sign);
		break;
	default: break; /* follows by its state */
	}
	return true;
}

static int double_sum(const struct moving *moving, double *out, struct error *err)
{
	bool plus = moving->plus_infinities > 0, minus = moving->minus_infinities > 0;

	if (moving->nans > 0 || (plus && minus)) {
		*out = (double)NAN;
	} else if (plus || minus) {
		*out = plus ? (double)INFINITY : -(double)INFINITY;
	} else {
		*out = exact_sum_round(&moving->doubles);
		if (isinf(*out))
			return error_set(err, ERROR_EVAL, "double precision value out of range");
	}
	return 0;
}

static int read_sum(const struct window_aggregate *aggregate, struct column *out, uint32_t row,
	struct arena *arena, struct error *err)
{
	const struct moving *moving = &aggregate->moving;
	bool average = aggregate->plan->id == AGG_AVG;

	switch (type_physical(out->type.kind)) {
	case PHYSICAL_I64:
		if (moving->sum < INT64_MIN || moving->sum > INT64_MAX)
			return error_set(err, ERROR_EVAL, "bigint out of range");
		out->i64[row] = (int64_t)moving->sum;
		return 0;
	case PHYSICAL_F64:
		if (double_sum(moving, &out->f64[row], err) < 0)
			return -1;
		if (average)
			out->f64[row] /= (double)moving->count;
		if (out->type.kind == TYPE_REAL)
			out->f64[row] = (double)(float)out->f64[row];
		return 0;
	case PHYSICAL_INTERVAL:
		if (interval_sum_result(
			    aggregate->plan->id, &moving->intervals, &out->interval[row]))
			return 0;
		return error_set(err, ERROR_EVAL, "interval out of range");
	default: break;
	}
	if (average ? numeric_average(moving->sum, moving->scale, moving->count, &out->num[row])
		    : numeric_make(moving->sum, moving->scale, &out->num[row]))
		return 0;
	out->num[row] = numeric_long_from_i128(moving->sum, moving->scale, arena);
	if (average)
		(void)numeric_long_div(
			out->num[row], numeric_from_i64(moving->count), arena, &out->num[row]);
	return 0;
}

static int read_moving(const struct window_aggregate *aggregate, struct column *out, uint32_t row,
	struct arena *arena, struct error *err)
{
	const struct moving *moving = &aggregate->moving;

	switch (aggregate->plan->id) {
	case AGG_COUNT_STAR:
	case AGG_COUNT: out->i64[row] = moving->count; return 0;
	case AGG_BOOL_AND: out->u8[row] = moving->trues == moving->count; break;
	case AGG_BOOL_OR: out->u8[row] = moving->trues > 0; break;
	default:
		if (moving->count > 0)
			return read_sum(aggregate, out, row, arena, err);
	}
	if (moving->count == 0) {
		struct value null = {.type = out->type, .is_null = true};

		column_set_value(out, row, &null);
	}
	return 0;
}

static bool same_frame(const struct window_bounds *bounds, uint32_t a, uint32_t b)
{
	return bounds->starts[a] == bounds->starts[b] && bounds->ends[a] == bounds->ends[b];
}

static void copy_result(struct column *out, uint32_t to, uint32_t from)
{
	size_t size = physical_size(type_physical(out->type.kind));

	out->valid[to] = out->valid[from];
	memcpy(out->u8 + to * size, out->u8 + from * size, size);
}

/* With *too_long set, and no result, where a sum leaves 128 bits. */
static int run_moving(struct window_aggregate *aggregate, const struct window_partition *partition,
	const struct window_bounds *bounds, struct column *out, struct arena *arena, bool *too_long,
	struct error *err)
{
	uint32_t first = 0, end = 0; /* rows that have been added and not removed */
	bool fits = true;

	moving_clear(&aggregate->moving);
	for (uint32_t i = 0; i < partition->rows; i++) {
		if (i > 0 && same_frame(bounds, i - 1, i)) {
			copy_result(out, i, i - 1);
			continue;
		}
		if (bounds->starts[i] >= end) {
			moving_clear(&aggregate->moving);
			first = end = bounds->starts[i];
		}
		/* First out, then in: the sum is never of more rows than a frame has. */
		for (; fits && first < bounds->starts[i]; first++)
			fits = move_row(aggregate, partition, first, -1);
		for (; fits && end < bounds->ends[i]; end++)
			fits = move_row(aggregate, partition, end, 1);
		*too_long = !fits;
		if (!fits)
			return 0;
		if (i % BATCH_ROWS_MAX == 0 && op_check_stop(partition->op, err))
			return -1;
		if (read_moving(aggregate, out, i, arena, err) < 0)
			return -1;
	}
	return 0;
}

static void view_argument(struct window_aggregate *aggregate,
	const struct window_partition *partition, uint32_t column, uint32_t first)
{
	if (column != PLAN_NONE)
		aggregate->views[column] = column_from(&partition->columns[column], first);
}

/* Folds rows first .. end - 1 into the state. */
static int fold_state(struct window_aggregate *aggregate, const struct window_partition *partition,
	uint32_t first, uint32_t end, struct error *err)
{
	const struct plan_aggregate *plan = aggregate->plan;
	uint16_t index[BATCH_ROWS_MAX];
	uint8_t *states[BATCH_ROWS_MAX];
	struct aggregate_input input = {.rows = states, .index = index, .one_group = true};

	while (first < end) {
		uint32_t rows = end - first < BATCH_ROWS_MAX ? end - first : BATCH_ROWS_MAX;
		struct batch batch = {.rows = rows,
			.column_count = views_wanted(plan),
			.columns = aggregate->views,
			.selected = rows};

		if (op_check_stop(partition->op, err))
			return -1;
		view_argument(aggregate, partition, plan->arg, first);
		view_argument(aggregate, partition, plan->arg2, first);
		for (uint32_t i = 0; i < plan->sort_count; i++)
			view_argument(aggregate, partition, plan->sort[i].column, first);
		input.count = 0;
		for (uint32_t i = 0; i < rows; i++) {
			if (!window_takes_row(plan, partition, first + i))
				continue;
			states[input.count] = aggregate->state;
			index[input.count++] = (uint16_t)i;
		}
		if (aggregate_update_rows(&aggregate->aggregates, &aggregate->aggregates.items[0],
			    &batch, &input, err) < 0)
			return -1;
		first += rows;
	}
	return 0;
}

static int read_state(struct window_aggregate *aggregate, struct column *out, uint32_t row,
	struct arena *arena, struct error *err)
{
	struct column result;
	struct value value;

	arena_reset(&aggregate->arena);
	if (aggregate_read_result(&aggregate->aggregates.items[0], &aggregate->state, 1, &result,
		    &aggregate->arena, err) < 0)
		return -1;
	value = column_value(&result, 0);
	if (!value.is_null && type_physical(value.type.kind) == PHYSICAL_NUM)
		value.num = numeric_keep(value.num, arena);
	if (!value.is_null && type_physical(value.type.kind) == PHYSICAL_TEXT)
		value.text = text_copy(value.text, arena);
	if (!value.is_null && type_physical(value.type.kind) == PHYSICAL_LIST)
		value.list = list_copy(value.list, arena);
	column_set_value(out, row, &value);
	return 0;
}

/* From the last row to the first: all frames end with the partition. */
static int run_backwards(struct window_aggregate *aggregate,
	const struct window_partition *partition, const struct window_bounds *bounds,
	struct column *out, struct arena *arena, struct error *err)
{
	uint32_t rows = partition->rows, start = rows;

	state_clear(aggregate);
	for (uint32_t i = rows; i-- > 0;) {
		if (i + 1 < rows && same_frame(bounds, i + 1, i)) {
			copy_result(out, i, i + 1);
			continue;
		}
		if (fold_state(aggregate, partition, bounds->starts[i], start, err) < 0 ||
			read_state(aggregate, out, i, arena, err) < 0)
			return -1;
		start = bounds->starts[i];
	}
	return 0;
}

static int run_state(struct window_aggregate *aggregate, const struct window_partition *partition,
	const struct window_bounds *bounds, struct column *out, struct arena *arena,
	struct error *err)
{
	uint32_t rows = partition->rows, first = 0, end = 0; /* rows in the state */

	if (bounds->starts[0] != bounds->starts[rows - 1] && bounds->ends[0] == rows)
		return run_backwards(aggregate, partition, bounds, out, arena, err);
	state_clear(aggregate);
	for (uint32_t i = 0; i < rows; i++) {
		if (i > 0 && same_frame(bounds, i - 1, i)) {
			copy_result(out, i, i - 1);
			continue;
		}
		if (bounds->starts[i] != first) {
			state_clear(aggregate);
			first = end = bounds->starts[i];
		}
		if (fold_state(aggregate, partition, end, bounds->ends[i], err) < 0 ||
			read_state(aggregate, out, i, arena, err) < 0)
			return -1;
		end = bounds->ends[i];
	}
	return 0;
}

/* Every frame anew, piece by piece: rows are missing from its middle. */
static int run_pieces(struct window_aggregate *aggregate, const struct window_partition *partition,
	const struct window_bounds *bounds, struct column *out, struct arena *arena,
	struct error *err)
{
	for (uint32_t row = 0; row < partition->rows; row++) {
		struct window_piece pieces[WINDOW_PIECES_MAX];
		uint32_t count = window_frame_pieces(bounds, row, pieces);

		state_clear(aggregate);
		for (uint32_t i = 0; i < count; i++)
			if (fold_state(aggregate, partition, pieces[i].first, pieces[i].end, err) <
				0)
				return -1;
		if (read_state(aggregate, out, row, arena, err) < 0)
			return -1;
	}
	return 0;
}

int window_aggregate_run(struct window_aggregate *aggregate,
	const struct window_partition *partition, const struct window_bounds *bounds,
	uint32_t *scratch, struct column *out, struct arena *arena, struct error *err)
{
	uint32_t *rows = scratch + partition->rows;
	bool too_long = false;

	if (bounds->exclude != FRAME_EXCLUDE_NOTHING)
		return run_pieces(aggregate, partition, bounds, out, arena, err);
	switch (aggregate->follow) {
	case FOLLOW_MOVING:
		if (run_moving(aggregate, partition, bounds, out, arena, &too_long, err) < 0)
			return -1;
		if (!too_long)
			return 0;
		return run_state(aggregate, partition, bounds, out, arena, err);
	case FOLLOW_STATE: return run_state(aggregate, partition, bounds, out, arena, err);
	case FOLLOW_EXTREME: break;
	}
	window_extreme(aggregate->plan, partition, bounds, scratch, rows);
	window_gather(out, &partition->columns[aggregate->plan->arg], rows, partition->rows);
	return 0;
}
