#include "exec/agg/exact_product.h"
#include "exec/agg/exact_sum_private.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* Of the lowest bit of a product, in powers of two. */
#define UNIT_EXPONENT (-2 * 1074)

/* The mantissa of a finite double; *position is that of its lowest bit above 2^-1074. */
static uint64_t mantissa_of(double value, uint32_t *position, bool *negative)
{
	uint64_t bits, mantissa;
	uint32_t exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (uint32_t)(bits >> 52) & 0x7ff;
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	*position = exponent > 0 ? exponent - 1 : 0;
	*negative = bits >> 63;
	return exponent > 0 ? mantissa | UINT64_C(1) << 52 : mantissa;
}

void exact_product_add(struct exact_sum *sum, double x, double y)
{
	uint32_t x_position, y_position;
	bool x_negative, y_negative;
	uint128 product = (uint128)mantissa_of(x, &x_position, &x_negative) *
			  mantissa_of(y, &y_position, &y_negative);

	exact_sum_take(sum, product, x_position + y_position, x_negative != y_negative,
		EXACT_PRODUCT_DIGITS_MAX);
}

bool exact_product_merge(struct exact_sum *sum, const void *bytes, size_t size)
{
	return exact_sum_merge_within(sum, bytes, size, EXACT_PRODUCT_DIGITS_MAX);
}

static void trim(struct magnitude *m)
{
	while (m->end > m->first && m->digits[m->end - 1] == 0)
		m->end--;
	while (m->first < m->end && m->digits[m->first] == 0)
		m->first++;
}

static void set_zero(struct magnitude *m)
{
	memset(m, 0, sizeof(*m));
}

static void multiply_by_count(struct magnitude *m, uint64_t count)
{
	uint128 carry = 0;

	for (uint32_t i = m->first; i < m->end; i++) {
		carry += (uint128)m->digits[i] * count;
		m->digits[i] = (uint32_t)carry;
		carry >>= DIGIT_BITS;
	}
	for (; carry > 0 && m->end < MAGNITUDE_DIGITS_MAX; carry >>= DIGIT_BITS)
		m->digits[m->end++] = (uint32_t)carry;
	trim(m);
}

static void multiply(const struct magnitude *x, const struct magnitude *y, struct magnitude *out)
{
	set_zero(out);
	out->negative = x->negative != y->negative;
	if (x->first == x->end || y->first == y->end)
		return;
	out->first = x->first + y->first;
	out->end = x->end + y->end;
	for (uint32_t i = x->first; i < x->end; i++) {
		uint64_t carry = 0;

		for (uint32_t j = y->first; j < y->end; j++) {
			carry += (uint64_t)x->digits[i] * y->digits[j] + out->digits[i + j];
			out->digits[i + j] = (uint32_t)carry;
			carry >>= DIGIT_BITS;
		}
		out->digits[i + y->end] = (uint32_t)carry;
	}
	trim(out);
}

/* By size alone. */
static int compare(const struct magnitude *a, const struct magnitude *b)
{
	uint32_t end = a->end > b->end ? a->end : b->end;
	uint32_t first = a->first < b->first ? a->first : b->first;

	for (uint32_t i = end; i-- > first;)
		if (a->digits[i] != b->digits[i])
			return a->digits[i] < b->digits[i] ? -1 : 1;
	return 0;
}

/* a += sign * b, where b is not the greater when the sign is -1. */
static void combine(struct magnitude *a, const struct magnitude *b, int sign)
{
	uint32_t end = a->end > b->end ? a->end : b->end;
	int64_t over = 0;

	a->first = a->first < b->first ? a->first : b->first;
	for (uint32_t i = a->first; i < end; i++) {
		over += (int64_t)a->digits[i] + sign * (int64_t)b->digits[i];
		a->digits[i] = (uint32_t)over;
		over >>= DIGIT_BITS;
	}
	if (over > 0 && end < MAGNITUDE_DIGITS_MAX)
		a->digits[end++] = (uint32_t)over;
	a->end = end;
	trim(a);
}

double exact_product_centered(int64_t count, const struct exact_sum *products,
	const struct exact_sum *x, const struct exact_sum *y, int *exponent)
{
	struct magnitude scaled, a, b, product;
	double result;

	assert(count >= 0);
	set_zero(&scaled);
	set_zero(&a);
	set_zero(&b);
	exact_sum_magnitude(products, &scaled, EXACT_PRODUCT_DIGITS_MAX);
	multiply_by_count(&scaled, (uint64_t)count);
	exact_sum_magnitude(x, &a, EXACT_SUM_DIGITS_MAX);
	exact_sum_magnitude(y, &b, EXACT_SUM_DIGITS_MAX);
	multiply(&a, &b, &product);
	product.negative = !product.negative;
	if (scaled.negative == product.negative) {
		combine(&scaled, &product, 1);
	} else if (compare(&scaled, &product) >= 0) {
		combine(&scaled, &product, -1);
	} else {
		combine(&product, &scaled, -1);
		scaled = product;
	}
	result = magnitude_round(&scaled, exponent);
	*exponent += UNIT_EXPONENT;
	return result;
}
