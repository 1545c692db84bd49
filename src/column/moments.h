/*
 * Count, sum and sum of squares of decimals, exactly, and the variance and standard deviation that
 * PostgreSQL prints for them.
 *
 * A zeroed struct is that of no values. The state does not depend on the order of values and
 * merges, and neither does the failure to hold it: the sum of the squares, at the greatest scale
 * that was seen, must stay below 2^256 (8 million values of 35 digits).
 */
#ifndef COLUMN_MOMENTS_H
#define COLUMN_MOMENTS_H

#include "column/numeric.h"

#define MOMENTS_LIMBS 4

/* Least significant limb first. */
struct moments {
	int64_t count;
	uint64_t scale;			 /* of the sum; the squares have twice as much */
	uint64_t sum[MOMENTS_LIMBS];	 /* two's complement */
	uint64_t squares[MOMENTS_LIMBS]; /* unsigned */
};

/* Only where no value has a scale. */
void moments_add_i64(struct moments *moments, int64_t value);
/* These return false when the sum of squares is too great; the state is then of no use. */
bool moments_add(struct moments *moments, numeric value);
bool moments_raise_scale(struct moments *moments, unsigned scale);
bool moments_merge(struct moments *moments, const struct moments *other);

/*
 * As bytes: the scale, the size of the sum, the count in 8 bytes, the sum (two's complement) and
 * then the squares, all little-endian and as short as they can be.
 */
#define MOMENTS_ENCODED_MAX (10 + 2 * 8 * MOMENTS_LIMBS)
size_t moments_encode(const struct moments *moments, uint8_t bytes[MOMENTS_ENCODED_MAX]);
/* False when the bytes are not what encode writes for at least one value. */
bool moments_decode(struct moments *moments, const void *bytes, size_t size);

/*
 * The variance, or its square root, of a sample (two values at least) or of all there is (one).
 * PostgreSQL's digits, rounded where there are more of them than a numeric holds; false when more
 * than NUMERIC_DIGITS_MAX stand before the point.
 */
bool moments_variance(const struct moments *moments, bool sample, bool root, numeric *out);

#endif
