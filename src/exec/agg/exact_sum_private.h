/* What sums of values and sums of products share. */
#ifndef EXEC_EXACT_SUM_PRIVATE_H
#define EXEC_EXACT_SUM_PRIVATE_H

#include "exec/agg/exact_digits.h"
#include "exec/agg/exact_sum.h"

/* Adds magnitude * 2^position units. `limit`: digits that such a sum may come to have. */
void exact_sum_take(struct exact_sum *sum, unsigned __int128 magnitude, uint32_t position,
	bool negative, uint32_t limit);
bool exact_sum_merge_within(struct exact_sum *sum, const void *bytes, size_t size, uint32_t limit);
void exact_sum_magnitude(const struct exact_sum *sum, struct magnitude *out, uint32_t limit);

#endif
