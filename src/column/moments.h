/*
 * Count, sum and sum of squares of decimals, exactly, and the variance and standard deviation that
 * PostgreSQL prints for them.
 *
 * A zeroed struct is that of no values. What leaves the 256 bits of its sums, long values, NaN and
 * infinities go to a rest on the heap, so that whoever has added a numeric, merged or decoded must
 * release it. Neither results nor encoded states depend on the order of values and merges.
 */
#ifndef COLUMN_MOMENTS_H
#define COLUMN_MOMENTS_H

#include "base/arena.h"
#include "column/numeric.h"

#define MOMENTS_LIMBS 4

/* Least significant limb first. */
struct moments {
	int64_t count;
	uint64_t scale;			 /* of the sum; the squares have twice as much */
	uint64_t sum[MOMENTS_LIMBS];	 /* two's complement */
	uint64_t squares[MOMENTS_LIMBS]; /* unsigned */
	struct moments_rest *rest;	 /* to be added to both; NULL: nothing */
};

void moments_release(struct moments *moments);

/* Only where no value has a scale. */
void moments_add_i64(struct moments *moments, int64_t value);
void moments_add(struct moments *moments, numeric value);
void moments_raise_scale(struct moments *moments, unsigned scale);
/* False when there are more values than can be counted; the state is then of no use. */
bool moments_merge(struct moments *moments, const struct moments *other);

/*
 * As bytes, little-endian, where numbers are as short as they can be: the scale, the size of the
 * sum, the count in 8 bytes, the sum (two's complement) and then the squares. Or, where these do
 * not do: 255, 1 if a value was not finite, the scale in 2 bytes, the count in 8, the size of the
 * sum in 4, 1 if it is below 0, the sum's absolute value, the squares.
 */
struct text moments_encode(const struct moments *moments, struct arena *arena);
/* False when the bytes are not what encode writes for at least one value. */
bool moments_decode(struct moments *moments, const void *bytes, size_t size);

/*
 * The variance, or its square root, of a sample (two values at least) or of all there is (one), in
 * PostgreSQL's digits. False when it is too large.
 */
bool moments_variance(
	const struct moments *moments, bool sample, bool root, struct arena *arena, numeric *out);

#endif
