/* What the files of aggregates share: how states of deviations and of sorted values are kept. */
#ifndef EXEC_AGGREGATE_PRIVATE_H
#define EXEC_AGGREGATE_PRIVATE_H

#include "exec/agg/aggregate.h"

#include <stdatomic.h>

/* Marks row `i` of a result of `count` rows as NULL, with something harmless in its slot. */
void aggregate_set_null(struct column *out, uint32_t i, uint32_t count, struct arena *arena);
int aggregate_out_of_range(struct error *err);

/* aggregate_sum.c: sums and averages of integers and decimals. */
#define SUM_COUNT_OFFSET 16 /* of an average's count, in its words */
void sum_i64(const struct aggregate *aggregate, const int64_t *values,
	const struct aggregate_input *input);
/* Below 0 when a sum is too large. */
MUST_CHECK int sum_numeric(struct aggregates *aggregates, const struct aggregate *aggregate,
	const numeric *values, const struct aggregate_input *input);
MUST_CHECK int sum_read(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err);
MUST_CHECK int sum_read_integers(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);
MUST_CHECK int sum_read_averages(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);
/* A copy of `value` in the arena; in the room of `old`, which was made here, where it fits. */
numeric aggregate_keep_numeric(struct arena *arena, numeric value, numeric old);

/* aggregate_moments.c: variances, deviations, covariances, correlations. */
uint32_t moments_state_words(const struct aggregate *aggregate);
void moments_release_row(const struct aggregate *aggregate, uint8_t *row);
void moments_update(const struct aggregate *aggregate, const struct column *arg,
	const struct column *arg2, const struct aggregate_input *input);
/* Values that a DISTINCT has seen before: they count for nothing but their scale. */
void moments_update_scales(const struct aggregate *aggregate, const struct column *arg,
	const struct aggregate_input *input);
/* Checks the bytes: ERROR_DATA when they are not a state. */
MUST_CHECK int moments_merge_states(const struct aggregate *aggregate, const struct column *states,
	const struct aggregate_input *input, struct error *err);
void moments_read_states(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena);
MUST_CHECK int moments_read_result(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);
/* As aggregate_pass; `taken` has a byte for each row, or is NULL when all rows count. */
void moments_pass(const struct aggregate *aggregate, const struct batch *batch,
	const uint8_t *taken, struct column *out, struct arena *arena);

/* aggregate_summary.c: SUMMARIZE. */
#define SUMMARY_ITEMS \
	6 /* different values, three quartiles, the most frequent, whether all of it is exact */
void summary_release_row(const struct aggregate *aggregate, uint8_t *row);
void summary_update(const struct aggregate *aggregate, const struct column *column,
	const struct aggregate_input *input);
MUST_CHECK int summary_merge_states(const struct aggregate *aggregate, const struct text *states,
	const struct aggregate_input *input, struct error *err);
void summary_read_states(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena);
void summary_read_result(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena);
/* As aggregate_pass; `taken` has a byte for each row, or is NULL when all rows count. */
void summary_pass(const struct aggregate *aggregate, const struct batch *batch,
	const uint8_t *taken, struct column *out, struct arena *arena);

/* aggregate_ordered.c: string_agg, array_agg, percentiles, mode. */
struct ordered *ordered_new(const struct plan_aggregate *plan);
void ordered_free(struct ordered *ordered);
void ordered_release(const struct aggregate *aggregate, uint8_t *row);
/* When *stop is set, reading of results ends soon with ERROR_INTERRUPTED; NULL: nobody will. */
void ordered_stop_with(struct ordered *ordered, const atomic_bool *stop);
/* Of the values of all groups. */
size_t ordered_bytes(const struct ordered *ordered);
MUST_CHECK int ordered_update(const struct aggregate *aggregate, const struct batch *batch,
	const struct aggregate_input *input, struct error *err);
MUST_CHECK int ordered_read_result(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);

#endif
