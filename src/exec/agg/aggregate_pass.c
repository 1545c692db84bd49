/*
 * Rows as partial states of their own: what a partial group emits when grouping its rows would not
 * make them fewer.
 */
#include "exec/agg/aggregate_private.h"
#include "exec/agg/exact_sum.h"
#include "exec/agg/interval_sum.h"

#include <string.h>

/* By row: 1 where the row counts, 0 where an argument is NULL or its FILTER is not true. */
static uint8_t *taken_rows(
	const struct aggregate *aggregate, const struct batch *batch, struct arena *arena)
{
	const struct column *arg =
		aggregate->arg == PLAN_NONE ? NULL : &batch->columns[aggregate->arg];
	const struct column *filter =
		aggregate->filter == PLAN_NONE ? NULL : &batch->columns[aggregate->filter];
	const struct column *arg2 =
		aggregate->arg2 == PLAN_NONE ? NULL : &batch->columns[aggregate->arg2];
	uint8_t *taken;

	if (!filter && (!arg || !arg->valid) && (!arg2 || !arg2->valid))
		return NULL;
	taken = arena_zalloc(arena, batch->rows);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		taken[row] = (!arg || !column_is_null(arg, row)) &&
			     (!arg2 || !column_is_null(arg2, row)) &&
			     (!filter || (!column_is_null(filter, row) &&
						 filter->u8[column_index(filter, row)]));
	}
	return taken;
}

static void pass_count(
	const struct batch *batch, const uint8_t *taken, struct column *out, struct arena *arena)
{
	column_init(out, type_of(TYPE_BIGINT), taken ? batch->rows : 1, arena);
	out->constant = !taken;
	out->i64[0] = 1;
	for (uint32_t k = 0; taken && k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		out->i64[row] = taken[row];
	}
}

static void pass_i64(const struct batch *batch, const struct column *arg, struct column *out)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		out->num[row] = numeric_from_i64(arg->i64[column_index(arg, row)]);
	}
}

static void pass_double(const struct batch *batch, const struct column *arg, const uint8_t *taken,
	struct column *out, struct arena *arena)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);
		uint8_t bytes[EXACT_SUM_ENCODED_MAX];
		struct exact_sum sum = {0};
		size_t size = 0;

		if (!taken || taken[row]) {
			exact_sum_add(&sum, arg->f64[column_index(arg, row)]);
			size = exact_sum_encode(&sum, bytes);
			exact_sum_release(&sum);
		}
		out->text[row] = text_from(arena_copy(arena, bytes, size), size);
	}
}

static void pass_interval(const struct batch *batch, const struct column *arg, struct column *out,
	struct arena *arena)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		out->text[row] =
			interval_sum_encode_one(arg->interval[column_index(arg, row)], arena);
	}
}

/* The argument is its own state; a constant is spread out when rows differ in being taken. */
static void pass_value(const struct batch *batch, const struct column *arg, uint8_t *taken,
	struct column *out, struct arena *arena)
{
	size_t size = physical_size(type_physical(arg->type.kind));

	*out = *arg;
	out->valid = taken;
	if (!taken || !arg->constant)
		return;
	column_init(out, arg->type, batch->rows, arena);
	out->valid = taken;
	for (uint32_t row = 0; row < batch->rows; row++)
		memcpy((char *)out->values + row * size, arg->values, size);
}

void aggregate_pass(const struct aggregate *aggregate, const struct batch *batch,
	struct column *out, struct arena *arena)
{
	uint8_t *taken = taken_rows(aggregate, batch, arena);
	const struct column *arg =
		aggregate->arg == PLAN_NONE ? NULL : &batch->columns[aggregate->arg];

	if (aggregate->kind == STATE_COUNT) {
		pass_count(batch, taken, out, arena);
		return;
	}
	if (aggregate->id == AGG_AVG)
		pass_count(batch, taken, &out[1], arena);
	if (aggregate->kind == STATE_SUM_DOUBLE || aggregate->kind == STATE_SUM_INTERVAL ||
		(aggregate->kind == STATE_SUM && aggregate->physical == PHYSICAL_I64)) {
		column_init(&out[0], aggregate->state_types[0], batch->rows, arena);
		out[0].valid = taken;
		if (aggregate->kind == STATE_SUM)
			pass_i64(batch, arg, &out[0]);
		else if (aggregate->kind == STATE_SUM_INTERVAL)
			pass_interval(batch, arg, &out[0], arena);
		else
			pass_double(batch, arg, taken, &out[0], arena);
		return;
	}
	if (aggregate->kind == STATE_MOMENTS || aggregate->kind == STATE_MOMENTS_DOUBLE) {
		column_init(&out[0], aggregate->state_types[0], batch->rows, arena);
		out[0].valid = taken;
		moments_pass(aggregate, batch, taken, &out[0], arena);
		return;
	}
	if (aggregate->kind == STATE_SUMMARY) {
		column_init(&out[0], aggregate->state_types[0], batch->rows, arena);
		out[0].valid = taken;
		summary_pass(aggregate, batch, taken, &out[0], arena);
		return;
	}
	pass_value(batch, arg, taken, &out[0], arena);
	out[0].type = aggregate->state_types[0];
}
