#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "exec/agg/exact_product.h"

#include <float.h>
#include <math.h>

/* The sums of a list of pairs. */
struct sums {
	int64_t count;
	struct exact_sum x, y, xy;
};

static void add(struct sums *sums, double x, double y)
{
	sums->count++;
	exact_sum_add(&sums->x, x);
	exact_sum_add(&sums->y, y);
	exact_product_add(&sums->xy, x, y);
}

static double centered(const struct sums *sums)
{
	int exponent;
	double mantissa =
		exact_product_centered(sums->count, &sums->xy, &sums->x, &sums->y, &exponent);

	return ldexp(mantissa, exponent);
}

static void release(struct sums *sums)
{
	exact_sum_release(&sums->x);
	exact_sum_release(&sums->y);
	exact_sum_release(&sums->xy);
	memset(sums, 0, sizeof(*sums));
}

static double centered_of(size_t count, const double (*pairs)[2])
{
	struct sums sums = {0};
	double result;

	for (size_t i = 0; i < count; i++)
		add(&sums, pairs[i][0], pairs[i][1]);
	result = centered(&sums);
	release(&sums);
	return result;
}

#define CENTERED(...)                                                       \
	centered_of(sizeof((double[][2]){__VA_ARGS__}) / sizeof(double[2]), \
		(const double[][2]){__VA_ARGS__})

static void assert_same(double a, double b)
{
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_exact(void **state)
{
	(void)state;
	assert_same(CENTERED({1, 1}, {2, 2}, {3, 3}), 6);
	assert_same(CENTERED({1, 3}, {2, 2}, {3, 1}), -6);
	assert_same(CENTERED({-1, 1}, {-2, 1}), 0);
	assert_same(CENTERED({5, 7}), 0);
	assert_same(centered_of(0, NULL), 0);
	/* Far from zero, and close to each other. */
	assert_same(CENTERED({0x1p52, 0x1p52}, {0x1p52 + 1, 0x1p52 + 1}), 1);
	assert_same(CENTERED({1e15 + 0.125, 1e15}, {1e15, 1e15 + 0.25}), -0.03125);
}

static void test_extreme_values(void **state)
{
	const double huge[] = {DBL_MAX, -DBL_MAX, 1e200, DBL_TRUE_MIN};
	struct sums sums = {0};
	int exponent;
	double mantissa;

	(void)state;
	assert_same(CENTERED({1e200, 1e200}, {1e200, 1e200}), 0);
	assert_same(CENTERED({DBL_MAX, 1}, {-DBL_MAX, 1}), 0);
	/* The squares of the least doubles are 2^-2148: far below any double, but there. */
	add(&sums, DBL_TRUE_MIN, DBL_TRUE_MIN);
	add(&sums, -DBL_TRUE_MIN, -DBL_TRUE_MIN);
	mantissa = exact_product_centered(sums.count, &sums.xy, &sums.x, &sums.y, &exponent);
	assert_same(mantissa, 4);
	assert_int_equal(exponent, -2148);
	release(&sums);
	/* 4 * DBL_MAX^2 */
	add(&sums, DBL_MAX, DBL_MAX);
	add(&sums, -DBL_MAX, -DBL_MAX);
	mantissa = exact_product_centered(sums.count, &sums.xy, &sums.x, &sums.y, &exponent);
	assert_same(ldexp(mantissa, -53), 1 - 0x1p-52);
	assert_int_equal(exponent, 2050 - 53);
	release(&sums);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++)
			add(&sums, huge[i], huge[j]);
	assert_true(exact_sum_is_finite(&sums.xy));
	release(&sums);
}

/* Any order and any merges: the same bytes. */
static void test_order_does_not_show(void **state)
{
	enum { COUNT = 300 };
	uint8_t expected[EXACT_PRODUCT_ENCODED_MAX], bytes[EXACT_PRODUCT_ENCODED_MAX];
	static double values[COUNT][2];
	struct exact_sum whole = {0};
	size_t expected_size;
	struct rng rng;

	(void)state;
	rng_init(&rng, 8);
	for (int i = 0; i < COUNT; i++) {
		for (int j = 0; j < 2; j++)
			values[i][j] = ldexp(
				(double)(int64_t)rng_next(&rng), (int)rng_below(&rng, 2000) - 1074);
		exact_product_add(&whole, values[i][0], values[i][1]);
	}
	expected_size = exact_sum_encode(&whole, expected);
	for (int turn = 0; turn < 20; turn++) {
		struct exact_sum parts[2] = {0};

		for (int i = 0; i < COUNT; i++) {
			int at = turn % 2 ? i : COUNT - 1 - i;

			exact_product_add(&parts[rng_below(&rng, 2)], values[at][1], values[at][0]);
		}
		assert_true(
			exact_product_merge(&parts[0], bytes, exact_sum_encode(&parts[1], bytes)));
		assert_int_equal(exact_sum_encode(&parts[0], bytes), expected_size);
		assert_memory_equal(bytes, expected, expected_size);
		exact_sum_release(&parts[0]);
		exact_sum_release(&parts[1]);
	}
	exact_sum_release(&whole);
}

static void test_rejects_damage(void **state)
{
	uint8_t bytes[EXACT_PRODUCT_ENCODED_MAX + 8];
	struct exact_sum sum = {0}, nothing = {0};

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	bytes[0] = 0;
	bytes[1] = 0;
	assert_false(exact_product_merge(&sum, bytes, 0));
	assert_false(exact_product_merge(&sum, bytes, 5));
	assert_false(exact_product_merge(&sum, bytes, EXACT_PRODUCT_ENCODED_MAX + 4));
	bytes[1] = EXACT_PRODUCT_DIGITS_MAX - 1;
	assert_false(exact_product_merge(&sum, bytes, 10));
	assert_true(exact_sum_is_empty(&sum));
	/* A sum of values is shorter. */
	bytes[1] = 0;
	assert_false(exact_sum_merge(&sum, bytes, EXACT_PRODUCT_ENCODED_MAX));
	assert_true(exact_sum_is_empty(&sum));
	for (int turn = 0; turn < 4; turn++) {
		int exponent;

		assert_true(exact_product_merge(&sum, bytes, EXACT_PRODUCT_ENCODED_MAX));
		(void)exact_product_centered(INT64_MAX, &sum, &nothing, &nothing, &exponent);
		(void)exact_sum_encode(&sum, bytes);
	}
	exact_sum_release(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_extreme_values),
		cmocka_unit_test(test_order_does_not_show),
		cmocka_unit_test(test_rejects_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
