/*
 * The exact sum of products of two doubles, for variances and correlations: in units of 2^-2148 no
 * product is rounded, none overflows and none is lost, so the difference of two such sums does not
 * suffer either, however close they are.
 *
 * The sums are those of exact_sum.h, which also encodes and releases them, with twice the digits (and room for
 * EXACT_PRODUCT_ENCODED_MAX bytes); the two kinds must not be mixed.
 */
#ifndef EXEC_EXACT_PRODUCT_H
#define EXEC_EXACT_PRODUCT_H

#include "exec/agg/exact_sum.h"

#define EXACT_PRODUCT_DIGITS_MAX  136
#define EXACT_PRODUCT_ENCODED_MAX (2 + 4 * EXACT_PRODUCT_DIGITS_MAX)

/* Both are finite. */
void exact_product_add(struct exact_sum *sum, double x, double y);
/* Adds an encoded sum of products. False, and nothing is added, when the bytes are not one. */
bool exact_product_merge(struct exact_sum *sum, const void *bytes, size_t size);

/*
 * count * products - x * y of a sum of products and two sums of values: count^2 times the
 * covariance. Rounded once, to the result times 2^*exponent. Infinities and NaN in x and y are not looked at. `count` is not negative.
 */
double exact_product_centered(int64_t count, const struct exact_sum *products,
	const struct exact_sum *x, const struct exact_sum *y, int *exponent);

#endif
