/*
 * Exact sums of intervals: wide enough for any number of rows, so that whether a sum is out of
 * range depends on the sum and not on the order in which rows came.
 */
#ifndef EXEC_INTERVAL_SUM_H
#define EXEC_INTERVAL_SUM_H

#include "exec/agg/aggregate.h"

/* In the row of a group: plain words, because rows are aligned for no more. */
struct interval_sum {
	uint64_t low; /* of the microseconds */
	uint64_t high;
	int64_t days;
	int64_t months;
	int64_t count; /* of values; avg only */
};

/* One value per row; see aggregate_update and its like. */
void interval_sum_update(const struct aggregate *aggregate, const struct interval *values,
	const struct aggregate_input *input);
int interval_sum_merge(const struct aggregate *aggregate, const struct text *states,
	const struct aggregate_input *input, struct error *err);
void interval_sum_read_states(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena);
/* Sums and averages. ERROR_EVAL when one is out of range. */
int interval_sum_read_results(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);
/* Adds the value (sign 1) or takes it out again (-1), and counts it. */
void interval_sum_move(struct interval_sum *sum, struct interval value, int sign);
/* The sum, or the average over the count. False when it is out of range. */
bool interval_sum_result(
	enum aggregate_id id, const struct interval_sum *sum, struct interval *out);
/* The state of a single value. */
struct text interval_sum_encode_one(struct interval value, struct arena *arena);

#endif
