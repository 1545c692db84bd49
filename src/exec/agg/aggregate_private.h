/* What the files of aggregates share: how states of deviations and of sorted values are kept. */
#ifndef EXEC_AGGREGATE_PRIVATE_H
#define EXEC_AGGREGATE_PRIVATE_H

#include "exec/agg/aggregate.h"

/* Marks row `i` of a result of `count` rows as NULL, with something harmless in its slot. */
void aggregate_set_null(struct column *out, uint32_t i, uint32_t count, struct arena *arena);
int aggregate_out_of_range(struct error *err);

/* aggregate_moments.c: variances, deviations, covariances, correlations. */
uint32_t moments_state_words(const struct aggregate *aggregate);
void moments_release(const struct aggregate *aggregate, uint8_t *row);
MUST_CHECK int moments_update(const struct aggregate *aggregate, const struct column *arg,
	const struct column *arg2, const struct aggregate_input *input, struct error *err);
/* Values that a DISTINCT has seen before: they count for nothing but their scale. */
MUST_CHECK int moments_update_scales(const struct aggregate *aggregate, const struct column *arg,
	const struct aggregate_input *input, struct error *err);
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

/* aggregate_ordered.c: string_agg, array_agg, percentiles, mode. */
struct ordered *ordered_new(const struct plan_aggregate *plan);
void ordered_free(struct ordered *ordered);
void ordered_release(const struct aggregate *aggregate, uint8_t *row);
MUST_CHECK int ordered_update(const struct aggregate *aggregate, const struct batch *batch,
	const struct aggregate_input *input, struct error *err);
MUST_CHECK int ordered_read_result(const struct aggregate *aggregate, uint8_t *const *rows,
	uint32_t count, struct column *out, struct arena *arena, struct error *err);

#endif
