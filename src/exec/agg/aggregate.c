#include "exec/agg/aggregate.h"
#include "base/memory.h"
#include "column/canonical.h"
#include "column/numeric_long.h"
#include "exec/agg/aggregate_private.h"
#include "exec/agg/exact_sum.h"
#include "exec/agg/interval_sum.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_BLOCK   (64u << 10)
#define SCRATCH_BLOCK 4096
/* The least room a text of min or max gets; it doubles when a longer one comes. */
#define TEXT_ROOM_MIN 16

struct double_words {
	struct exact_sum sum;
	int64_t count;
};

int aggregate_out_of_range(struct error *err)
{
	return error_set(err, ERROR_EVAL, "%s", numeric_fault_text(NUMERIC_TOO_LARGE));
}

static enum state_kind kind_of(enum aggregate_id id, enum physical physical)
{
	switch (id) {
	case AGG_SUM:
	case AGG_AVG:
		if (physical == PHYSICAL_INTERVAL)
			return STATE_SUM_INTERVAL;
		return physical == PHYSICAL_F64 ? STATE_SUM_DOUBLE : STATE_SUM;
	case AGG_MIN:
	case AGG_MAX: return STATE_EXTREME;
	case AGG_BOOL_AND:
	case AGG_BOOL_OR: return STATE_BOOL;
	case AGG_BIT_AND:
	case AGG_BIT_OR:
	case AGG_BIT_XOR: return STATE_BITS;
	case AGG_STDDEV_SAMP:
	case AGG_STDDEV_POP:
	case AGG_VAR_SAMP:
	case AGG_VAR_POP: return physical == PHYSICAL_F64 ? STATE_MOMENTS_DOUBLE : STATE_MOMENTS;
	case AGG_COLUMN_SUMMARY: return STATE_SUMMARY;
	case AGG_STRING_AGG:
	case AGG_ARRAY_AGG:
	case AGG_PERCENTILE_CONT:
	case AGG_PERCENTILE_DISC:
	case AGG_MODE: return STATE_ORDERED;
	case AGG_COUNT_STAR:
	case AGG_COUNT:
	default: break;
	}
	return aggregate_is_of_pairs(id) ? STATE_MOMENTS_DOUBLE : STATE_COUNT;
}

static uint32_t state_words(const struct aggregate *aggregate)
{
	uint32_t count = aggregate->id == AGG_AVG;

	switch (aggregate->kind) {
	case STATE_COUNT:
	case STATE_BITS: return 1;
	case STATE_SUM: return 2 + count; /* struct sum_words, or all of it but its count */
	case STATE_SUM_DOUBLE: return sizeof(struct exact_sum) / 8 + count;
	case STATE_SUM_INTERVAL: return sizeof(struct interval_sum) / 8;
	case STATE_EXTREME: return physical_size(aggregate->physical) > 8 ? 2 : 1;
	case STATE_MOMENTS:
	case STATE_MOMENTS_DOUBLE: return moments_state_words(aggregate);
	case STATE_SUMMARY:
	case STATE_ORDERED: return 1;
	case STATE_BOOL: break;
	}
	return 0;
}

static bool has_tag(enum state_kind kind)
{
	return kind == STATE_SUM || kind == STATE_SUM_INTERVAL || kind == STATE_EXTREME ||
	       kind == STATE_BOOL || kind == STATE_BITS;
}

static bool is_on_heap(enum state_kind kind)
{
	return kind == STATE_SUM_DOUBLE || kind == STATE_MOMENTS || kind == STATE_MOMENTS_DOUBLE ||
	       kind == STATE_SUMMARY || kind == STATE_ORDERED;
}

static void init_one(struct aggregate *to, const struct plan_aggregate *from, bool merges)
{
	bool extreme = from->id == AGG_MIN || from->id == AGG_MAX;

	to->id = from->id;
	to->arg = from->arg;
	to->arg2 = !merges && aggregate_has_two_arguments(from->id) ? from->arg2 : PLAN_NONE;
	to->filter = merges ? PLAN_NONE : from->filter;
	to->distinct = from->distinct && !extreme && from->id != AGG_BOOL_AND &&
		       from->id != AGG_BOOL_OR && from->id != AGG_COUNT_STAR;
	to->arg_type = from->arg_type;
	to->physical =
		from->id == AGG_COUNT_STAR ? PHYSICAL_I64 : type_physical(from->arg_type.kind);
	to->type = from->type;
	to->kind = kind_of(from->id, to->physical);
	if (to->kind == STATE_ORDERED)
		to->ordered = ordered_new(from);
	else
		to->state_count = aggregate_state_types(from->id, from->arg_type, to->state_types);
}

void aggregates_init(struct aggregates *aggregates, const struct plan_group *plan)
{
	uint32_t offset = 0;

	memset(aggregates, 0, sizeof(*aggregates));
	aggregates->count = plan->aggregate_count;
	aggregates->items = memory_zalloc((plan->aggregate_count + 1) * sizeof(struct aggregate));
	arena_init(&aggregates->texts, TEXTS_BLOCK);
	arena_init(&aggregates->scratch, SCRATCH_BLOCK);
	for (uint32_t i = 0; i < plan->aggregate_count; i++) {
		struct aggregate *to = &aggregates->items[i];

		init_one(to, &plan->aggregates[i], plan->phase == GROUP_FINAL);
		aggregates->on_heap |= is_on_heap(to->kind);
		aggregates->state_columns += to->state_count;
		to->offset = offset;
		offset += 8 * state_words(to);
	}
	for (uint32_t i = 0; i < plan->aggregate_count; i++) {
		aggregates->items[i].tag_offset = offset;
		offset += has_tag(aggregates->items[i].kind);
	}
	aggregates->state_size = offset;
}

void aggregates_place(struct aggregates *aggregates, uint32_t state_offset)
{
	for (uint32_t i = 0; i < aggregates->count; i++) {
		aggregates->items[i].offset += state_offset;
		aggregates->items[i].tag_offset += state_offset;
	}
}

void aggregates_stop_with(struct aggregates *aggregates, const atomic_bool *stop)
{
	for (uint32_t i = 0; i < aggregates->count; i++)
		if (aggregates->items[i].ordered)
			ordered_stop_with(aggregates->items[i].ordered, stop);
}

void aggregates_release(struct aggregates *aggregates)
{
	for (uint32_t i = 0; i < aggregates->count; i++)
		ordered_free(aggregates->items[i].ordered);
	arena_release(&aggregates->texts);
	arena_release(&aggregates->scratch);
	free(aggregates->items);
	memset(aggregates, 0, sizeof(*aggregates));
}

void aggregates_release_row(const struct aggregates *aggregates, uint8_t *row)
{
	for (uint32_t i = 0; i < aggregates->count; i++) {
		const struct aggregate *aggregate = &aggregates->items[i];
		struct double_words *words = (struct double_words *)(row + aggregate->offset);

		switch (aggregate->kind) {
		case STATE_SUM_DOUBLE: exact_sum_release(&words->sum); break;
		case STATE_MOMENTS:
		case STATE_MOMENTS_DOUBLE: moments_release_row(aggregate, row); break;
		case STATE_SUMMARY: summary_release_row(aggregate, row); break;
		case STATE_ORDERED: ordered_release(aggregate, row); break;
		default: break;
		}
	}
}

void aggregates_clear(struct aggregates *aggregates)
{
	arena_release(&aggregates->texts);
}

/* Sums of products are often wider than 128 bits: digits on the heap. */
#define WIDE_BYTES 80
/* Of a summary of some values. */
#define SUMMARY_BYTES 4096

size_t aggregates_bytes(const struct aggregates *aggregates, uint32_t groups)
{
	size_t bytes = aggregates->texts.held;

	for (uint32_t i = 0; i < aggregates->count; i++) {
		const struct aggregate *aggregate = &aggregates->items[i];

		switch (aggregate->kind) {
		case STATE_MOMENTS_DOUBLE: bytes += (size_t)groups * WIDE_BYTES; break;
		case STATE_SUMMARY: bytes += (size_t)groups * SUMMARY_BYTES; break;
		case STATE_ORDERED: bytes += ordered_bytes(aggregate->ordered); break;
		default: break;
		}
	}
	return bytes;
}

/*
 * Loops over groups keep what they read in locals: a store to a group's state could, for all the
 * compiler knows, change the structs it came from.
 */
static void count_each(uint32_t offset, const struct aggregate_input *input)
{
	uint8_t *const *rows = input->rows;
	uint32_t count = input->count;

	for (uint32_t i = 0; i < count; i++)
		*(int64_t *)(rows[i] + offset) += 1;
}

static void count_rows(const struct aggregate *aggregate, const struct aggregate_input *input)
{
	if (input->one_group && input->count > 0) {
		*(int64_t *)(input->rows[0] + aggregate->offset) += input->count;
		return;
	}
	count_each(aggregate->offset, input);
}

/* Counts of states that came from elsewhere may be anything: they wrap. */
static void add_counts(uint32_t offset, const int64_t *values, const struct aggregate_input *input)
{
	uint8_t *const *rows = input->rows;
	const uint16_t *index = input->index;
	uint32_t count = input->count;

	for (uint32_t i = 0; i < count; i++)
		*(uint64_t *)(rows[i] + offset) += (uint64_t)values[index[i]];
}

static void sum_double(const struct aggregate *aggregate, const double *values,
	const struct aggregate_input *input)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct double_words *words =
			(struct double_words *)(input->rows[i] + aggregate->offset);

		exact_sum_add(&words->sum, values[input->index[i]]);
	}
}

static int merge_double(const struct aggregate *aggregate, const struct text *values,
	const struct aggregate_input *input, struct error *err)
{
	for (uint32_t i = 0; i < input->count; i++) {
		struct double_words *words =
			(struct double_words *)(input->rows[i] + aggregate->offset);
		struct text bytes = values[input->index[i]];

		if (!exact_sum_merge(&words->sum, bytes.data, bytes.size))
			return error_set(err, ERROR_DATA, "a partial sum of doubles is damaged");
	}
	return 0;
}

static void extreme_i64(const struct aggregate *aggregate, const int64_t *values,
	const struct aggregate_input *input)
{
	bool least = aggregate->id == AGG_MIN;

	for (uint32_t i = 0; i < input->count; i++) {
		int64_t *kept = (int64_t *)(input->rows[i] + aggregate->offset);
		int64_t value = values[input->index[i]];
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;

		if (!*tag || (least ? value < *kept : value > *kept))
			*kept = value;
		*tag = 1;
	}
}

/* NaN is the greatest, -0 stands before 0: a total order, so that ties cannot depend on arrival. */
static int64_t double_order(double value)
{
	int64_t bits = (int64_t)CANONICAL_NAN;

	if (value == value)
		memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static void extreme_double(const struct aggregate *aggregate, const double *values,
	const struct aggregate_input *input)
{
	bool least = aggregate->id == AGG_MIN;

	for (uint32_t i = 0; i < input->count; i++) {
		double *kept = (double *)(input->rows[i] + aggregate->offset);
		double value = values[input->index[i]];
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;

		if (!*tag || (least ? double_order(value) < double_order(*kept)
				    : double_order(value) > double_order(*kept)))
			*kept = value;
		*tag = 1;
	}
}

/* Of equal values the one with the greater scale is kept, whatever came first. */
static void extreme_numeric(struct arena *arena, const struct aggregate *aggregate,
	const numeric *values, const struct aggregate_input *input)
{
	bool least = aggregate->id == AGG_MIN;

	for (uint32_t i = 0; i < input->count; i++) {
		uint8_t *slot = input->rows[i] + aggregate->offset;
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;
		numeric value = values[input->index[i]], kept;
		int order;

		memcpy(&kept, slot, sizeof(kept));
		order = *tag ? numeric_compare(value, kept) : -1;
		if (*tag && order == 0)
			order = numeric_display_scale(value) > numeric_display_scale(kept) ? -1 : 1;
		else if (*tag && !least)
			order = -order;
		if (order < 0) {
			value = aggregate_keep_numeric(arena, value, *tag ? kept : 0);
			memcpy(slot, &value, sizeof(value));
		}
		*tag = 1;
	}
}

/* Overwrites the text's own room where it fits: the room's size stands in front of it. */
static void keep_text(struct arena *arena, struct text *kept, struct text text)
{
	uint32_t room = 0;
	char *bytes;

	if (kept->data)
		memcpy(&room, kept->data - sizeof(room), sizeof(room));
	bytes = (char *)kept->data;
	if (text.size > room || !bytes) {
		room = room ? room : TEXT_ROOM_MIN;
		while (room < text.size)
			room *= 2;
		bytes = arena_alloc_bytes(arena, sizeof(room) + room);
		memcpy(bytes, &room, sizeof(room));
		bytes += sizeof(room);
	}
	if (text.size > 0)
		memcpy(bytes, text.data, text.size);
	*kept = text_from(bytes, text.size);
}

static void extreme_text(struct arena *arena, const struct aggregate *aggregate,
	const struct text *values, const struct aggregate_input *input)
{
	bool least = aggregate->id == AGG_MIN;

	for (uint32_t i = 0; i < input->count; i++) {
		struct text *kept = (struct text *)(input->rows[i] + aggregate->offset);
		struct text value = values[input->index[i]];
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;
		int order = *tag ? text_compare(value, *kept) : 0;

		if (!*tag || (least ? order < 0 : order > 0))
			keep_text(arena, kept, value);
		*tag = 1;
	}
}

/* Equal intervals in the order of their parts: what is kept cannot depend on arrival. */
static void extreme_interval(const struct aggregate *aggregate, const struct interval *values,
	const struct aggregate_input *input)
{
	bool least = aggregate->id == AGG_MIN;

	for (uint32_t i = 0; i < input->count; i++) {
		struct interval *kept = (struct interval *)(input->rows[i] + aggregate->offset);
		struct interval value = values[input->index[i]];
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;
		int order = interval_order(value, *kept);

		if (!*tag || (least ? order < 0 : order > 0))
			*kept = value;
		*tag = 1;
	}
}

static void extreme(struct aggregates *aggregates, const struct aggregate *aggregate,
	const struct column *column, const struct aggregate_input *input)
{
	switch (aggregate->physical) {
	case PHYSICAL_I64: extreme_i64(aggregate, column->i64, input); break;
	case PHYSICAL_F64: extreme_double(aggregate, column->f64, input); break;
	case PHYSICAL_NUM:
		extreme_numeric(&aggregates->texts, aggregate, column->num, input);
		break;
	case PHYSICAL_TEXT: extreme_text(&aggregates->texts, aggregate, column->text, input); break;
	case PHYSICAL_INTERVAL: extreme_interval(aggregate, column->interval, input); break;
	case PHYSICAL_U8:
	case PHYSICAL_LIST: break; /* the binder has no such min and max */
	}
}

static void bool_fold(const struct aggregate *aggregate, const uint8_t *values,
	const struct aggregate_input *input)
{
	uint8_t decisive = aggregate->id == AGG_BOOL_AND ? 1 : 2;

	for (uint32_t i = 0; i < input->count; i++) {
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;

		if (*tag != decisive)
			*tag = values[input->index[i]] ? 2 : 1;
	}
}

static void bits_fold(const struct aggregate *aggregate, const int64_t *values,
	const struct aggregate_input *input)
{
	for (uint32_t i = 0; i < input->count; i++) {
		int64_t *kept = (int64_t *)(input->rows[i] + aggregate->offset);
		int64_t value = values[input->index[i]];
		uint8_t *tag = input->rows[i] + aggregate->tag_offset;

		if (!*tag)
			*kept = value;
		else if (aggregate->id == AGG_BIT_AND)
			*kept &= value;
		else if (aggregate->id == AGG_BIT_OR)
			*kept |= value;
		else
			*kept ^= value;
		*tag = 1;
	}
}

/* Where an average counts its values. */
static uint32_t count_offset(const struct aggregate *aggregate)
{
	switch (aggregate->kind) {
	case STATE_SUM: return aggregate->offset + SUM_COUNT_OFFSET;
	case STATE_SUM_INTERVAL: return aggregate->offset + offsetof(struct interval_sum, count);
	default: return aggregate->offset + offsetof(struct double_words, count);
	}
}

/* A constant column has all its values at index 0. */
static struct aggregate_input input_of(
	const struct aggregate_input *input, const struct column *column)
{
	static const uint16_t zeros[BATCH_ROWS_MAX];
	struct aggregate_input result = *input;

	if (column && column->constant)
		result.index = zeros;
	return result;
}

/*
 * Folds values of `column` (NULL for count(*)), which are not NULL. Overflows are ERROR_EVAL. Only
 * for aggregates of one argument that are not ordered.
 */
static int aggregate_update(struct aggregates *aggregates, const struct aggregate *aggregate,
	const struct column *column, const struct aggregate_input *rows, struct error *err)
{
	struct aggregate_input of_column = input_of(rows, column);
	const struct aggregate_input *input = &of_column;
	int status = 0;

	switch (aggregate->kind) {
	case STATE_COUNT: count_rows(aggregate, input); break;
	case STATE_SUM:
		if (aggregate->physical == PHYSICAL_NUM)
			status = sum_numeric(aggregates, aggregate, column->num, input);
		else
			sum_i64(aggregate, column->i64, input);
		break;
	case STATE_SUM_DOUBLE: sum_double(aggregate, column->f64, input); break;
	case STATE_SUM_INTERVAL: interval_sum_update(aggregate, column->interval, input); break;
	case STATE_EXTREME: extreme(aggregates, aggregate, column, input); break;
	case STATE_BOOL: bool_fold(aggregate, column->u8, input); break;
	case STATE_BITS: bits_fold(aggregate, column->i64, input); break;
	case STATE_MOMENTS:
	case STATE_MOMENTS_DOUBLE: moments_update(aggregate, column, NULL, rows); break;
	case STATE_SUMMARY: summary_update(aggregate, column, input); break;
	case STATE_ORDERED: assert(!"an aggregate of single values");
	}
	if (aggregate->id == AGG_AVG)
		count_each(count_offset(aggregate), input);
	return status < 0 ? aggregate_out_of_range(err) : 0;
}

int aggregate_update_rows(struct aggregates *aggregates, const struct aggregate *aggregate,
	const struct batch *batch, const struct aggregate_input *input, struct error *err)
{
	const struct column *arg =
		aggregate->arg == PLAN_NONE ? NULL : &batch->columns[aggregate->arg];

	if (aggregate->kind == STATE_ORDERED)
		return ordered_update(aggregate, batch, input, err);
	if (aggregate->arg2 != PLAN_NONE) {
		moments_update(aggregate, arg, &batch->columns[aggregate->arg2], input);
		return 0;
	}
	return aggregate_update(aggregates, aggregate, arg, input, err);
}

int aggregate_update_repeated(struct aggregates *aggregates, const struct aggregate *aggregate,
	const struct column *column, const struct aggregate_input *input, struct arena *arena,
	struct error *err)
{
	struct aggregate sum = *aggregate;
	struct column zeros;

	if (aggregate->kind == STATE_MOMENTS)
		moments_update_scales(aggregate, column, input);
	if (aggregate->kind != STATE_SUM || aggregate->physical != PHYSICAL_NUM)
		return 0;
	sum.id = AGG_SUM; /* an average must not count it */
	column_init(&zeros, aggregate->arg_type, BATCH_ROWS_MAX, arena);
	for (uint32_t i = 0; i < input->count; i++) {
		uint32_t row = input->index[i];
		numeric value = column->num[column_index(column, row)];

		zeros.num[row] = numeric_long_from_i128(0, numeric_display_scale(value), arena);
	}
	return aggregate_update(aggregates, &sum, &zeros, input, err);
}

int aggregate_merge(struct aggregates *aggregates, const struct aggregate *aggregate,
	const struct column *states, const struct aggregate_input *rows, struct error *err)
{
	struct aggregate_input of_value = input_of(rows, &states[0]);
	const struct aggregate_input *input = &of_value;

	if (aggregate->id == AGG_AVG) {
		struct aggregate_input of_count = input_of(rows, &states[1]);

		add_counts(count_offset(aggregate), states[1].i64, &of_count);
	}
	switch (aggregate->kind) {
	case STATE_COUNT: add_counts(aggregate->offset, states[0].i64, input); break;
	case STATE_SUM:
		return sum_numeric(aggregates, aggregate, states[0].num, input) < 0
			       ? aggregate_out_of_range(err)
			       : 0;
	case STATE_SUM_DOUBLE: return merge_double(aggregate, states[0].text, input, err);
	case STATE_SUM_INTERVAL: return interval_sum_merge(aggregate, states[0].text, input, err);
	case STATE_EXTREME: extreme(aggregates, aggregate, &states[0], input); break;
	case STATE_BOOL: bool_fold(aggregate, states[0].u8, input); break;
	case STATE_BITS: bits_fold(aggregate, states[0].i64, input); break;
	case STATE_MOMENTS:
	case STATE_MOMENTS_DOUBLE: return moments_merge_states(aggregate, states, rows, err);
	case STATE_SUMMARY: return summary_merge_states(aggregate, states[0].text, input, err);
	case STATE_ORDERED: assert(!"an aggregate with partial states");
	}
	return 0;
}

void aggregate_set_null(struct column *out, uint32_t i, uint32_t count, struct arena *arena)
{
	size_t size = physical_size(type_physical(out->type.kind));

	column_add_validity(out, count, arena);
	out->valid[i] = 0;
	memset((char *)out->values + i * size, 0, size);
}

static void read_counts(uint32_t offset, uint8_t *const *rows, uint32_t count, struct column *out)
{
	for (uint32_t i = 0; i < count; i++)
		out->i64[i] = *(const int64_t *)(rows[i] + offset);
}

/* Sums and averages. */
static int read_doubles(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct double_words *words =
			(const struct double_words *)(rows[i] + aggregate->offset);

		if (exact_sum_is_empty(&words->sum)) {
			aggregate_set_null(out, i, count, arena);
			continue;
		}
		if (exact_sum_overflowed(&words->sum))
			return error_set(err, ERROR_EVAL, "double precision value out of range");
		out->f64[i] = exact_sum_round(&words->sum);
		if (aggregate->id == AGG_AVG)
			out->f64[i] /= (double)words->count;
		if (out->type.kind == TYPE_REAL) {
			bool finite = isfinite(out->f64[i]);

			out->f64[i] = (double)(float)out->f64[i];
			if (finite && isinf(out->f64[i]))
				return error_set(err, ERROR_EVAL, "real value out of range");
		}
	}
	return 0;
}

static void read_double_states(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		struct double_words *words = (struct double_words *)(rows[i] + aggregate->offset);
		uint8_t bytes[EXACT_SUM_ENCODED_MAX];
		size_t size;

		if (exact_sum_is_empty(&words->sum)) {
			aggregate_set_null(out, i, count, arena);
			continue;
		}
		size = exact_sum_encode(&words->sum, bytes);
		out->text[i] = text_from(arena_copy(arena, bytes, size), size);
	}
}

static void read_extremes(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena)
{
	size_t size = physical_size(aggregate->physical);

	for (uint32_t i = 0; i < count; i++) {
		if (rows[i][aggregate->tag_offset] == 0)
			aggregate_set_null(out, i, count, arena);
		else
			memcpy((char *)out->values + i * size, rows[i] + aggregate->offset, size);
	}
}

static void read_bools(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t tag = rows[i][aggregate->tag_offset];

		out->u8[i] = tag == 2;
		if (tag == 0)
			aggregate_set_null(out, i, count, arena);
	}
}

int aggregate_read_states(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t s = 0; s < aggregate->state_count; s++)
		column_init(&out[s], aggregate->state_types[s], count, arena);
	if (aggregate->id == AGG_AVG)
		read_counts(count_offset(aggregate), rows, count, &out[1]);
	switch (aggregate->kind) {
	case STATE_COUNT: read_counts(aggregate->offset, rows, count, out); break;
	case STATE_SUM: return sum_read(aggregate, rows, count, out, arena, err);
	case STATE_SUM_DOUBLE: read_double_states(aggregate, rows, count, out, arena); break;
	case STATE_SUM_INTERVAL:
		interval_sum_read_states(aggregate, rows, count, out, arena);
		break;
	case STATE_EXTREME:
	case STATE_BITS: read_extremes(aggregate, rows, count, out, arena); break;
	case STATE_BOOL: read_bools(aggregate, rows, count, out, arena); break;
	case STATE_MOMENTS:
	case STATE_MOMENTS_DOUBLE: moments_read_states(aggregate, rows, count, out, arena); break;
	case STATE_SUMMARY: summary_read_states(aggregate, rows, count, out, arena); break;
	case STATE_ORDERED: assert(!"an aggregate with partial states");
	}
	return 0;
}

int aggregate_read_result(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	column_init(out, aggregate->type, count, arena);
	switch (aggregate->kind) {
	case STATE_COUNT: read_counts(aggregate->offset, rows, count, out); break;
	case STATE_SUM:
		if (aggregate->id == AGG_AVG)
			return sum_read_averages(aggregate, rows, count, out, arena, err);
		if (type_physical(aggregate->type.kind) == PHYSICAL_I64)
			return sum_read_integers(aggregate, rows, count, out, arena, err);
		return sum_read(aggregate, rows, count, out, arena, err);
	case STATE_SUM_DOUBLE: return read_doubles(aggregate, rows, count, out, arena, err);
	case STATE_SUM_INTERVAL:
		return interval_sum_read_results(aggregate, rows, count, out, arena, err);
	case STATE_EXTREME:
	case STATE_BITS: read_extremes(aggregate, rows, count, out, arena); break;
	case STATE_BOOL: read_bools(aggregate, rows, count, out, arena); break;
	case STATE_MOMENTS:
	case STATE_MOMENTS_DOUBLE:
		return moments_read_result(aggregate, rows, count, out, arena, err);
	case STATE_SUMMARY: summary_read_result(aggregate, rows, count, out, arena); break;
	case STATE_ORDERED: return ordered_read_result(aggregate, rows, count, out, arena, err);
	}
	return 0;
}
