#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "exec/agg/exact_sum.h"
#include "exec/agg/exact_sum_private.h"

#include <float.h>
#include <math.h>

static double sum_of(size_t count, const double *values)
{
	struct exact_sum *sum = NULL;
	double result;

	for (size_t i = 0; i < count; i++)
		exact_sum_add(&sum, values[i]);
	result = exact_sum_round(sum);
	exact_sum_free(sum);
	return result;
}

#define SUM(...) \
	sum_of(sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

static void assert_same(double a, double b)
{
	if (isnan(a) && isnan(b))
		return;
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_rounds_once(void **state)
{
	(void)state;
	assert_same(SUM(0.1, 0.2, 0.3), 0.6);
	assert_same(SUM(1e308, 1, -1e308), 1);
	assert_same(SUM(1e16, 1, 1), 1e16 + 2);
	/* A tie goes to the even neighbour; any bit below it breaks the tie. */
	assert_same(SUM(9007199254740992, 1), 9007199254740992);
	assert_same(SUM(9007199254740994, 1), 9007199254740996);
	assert_same(SUM(9007199254740992, 1, DBL_TRUE_MIN), 9007199254740994);
	assert_same(SUM(-9007199254740992, -1, -DBL_TRUE_MIN), -9007199254740994);
	assert_same(SUM(DBL_TRUE_MIN, DBL_TRUE_MIN), 2 * DBL_TRUE_MIN);
	assert_same(SUM(DBL_MIN, -DBL_TRUE_MIN), DBL_MIN - DBL_TRUE_MIN);
	assert_same(SUM(5, -5), 0);
	assert_same(SUM(-0.0), 0);
	assert_same(sum_of(0, NULL), 0);
	assert_same(SUM(DBL_MAX, DBL_MAX, -DBL_MAX), DBL_MAX);
}

/*
 * Carries come once in 2^30 additions, more than a test can do: here the counter of them is set forward,
 * and the sum must be the one of additions that never carried, to the last bit of its encoding.
 */
static void test_carries_change_nothing(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 9);
	for (uint32_t turn = 0; turn < 300; turn++) {
		uint8_t plain_bytes[EXACT_SUM_ENCODED_MAX], carried_bytes[EXACT_SUM_ENCODED_MAX];
		struct exact_sum *plain = NULL, *carried = NULL;
		size_t plain_size, carried_size;

		for (uint32_t i = 0; i < 200; i++) {
			double value = ldexp((double)(int64_t)rng_next(&rng),
				(int)rng_below(&rng, turn % 3 ? 40 : 1800) - (turn % 3 ? 20 : 900));

			exact_sum_add(&plain, value);
			exact_sum_add(&carried, value);
			if (i % (1 + turn % 7) == 0) {
				carried->pending = PENDING_MAX - 1;
				exact_sum_add(&carried, 0);
				assert_int_equal(carried->pending, 1);
				for (uint32_t d = 0; d + 1 < carried->count; d++)
					assert_in_range(carried->digits[d], 0, UINT32_MAX);
			}
		}
		assert_same(exact_sum_round(plain), exact_sum_round(carried));
		plain_size = exact_sum_encode(plain, plain_bytes);
		carried_size = exact_sum_encode(carried, carried_bytes);
		assert_int_equal(plain_size, carried_size);
		assert_memory_equal(plain_bytes, carried_bytes, plain_size);
		exact_sum_free(plain);
		exact_sum_free(carried);
	}
}

/* The last digit grows past 32 bits: a carry makes room for what is above. */
static void test_carry_makes_room(void **state)
{
	struct exact_sum *sum = NULL;
	uint32_t count;

	(void)state;
	for (int sign = 1; sign >= -1; sign -= 2) {
		exact_sum_add(&sum, sign * 1.0);
		count = sum->count;
		sum->digits[count - 1] = sign * (INT64_C(5) << 40);
		sum = exact_sum_carry(sum);
		assert_int_equal(sum->count, count + 1);
		assert_true(exact_sum_round(sum) / sign > 0);
		exact_sum_free(sum);
		sum = NULL;
	}
}

static void test_special_values(void **state)
{
	const double inf = (double)INFINITY;
	struct exact_sum *sum = NULL;

	(void)state;
	assert_same(SUM(1, inf, 2), inf);
	assert_same(SUM(-inf, DBL_MAX), -inf);
	assert_true(isnan(SUM(inf, -inf)));
	assert_true(isnan(SUM(1, (double)NAN, inf)));
	exact_sum_add(&sum, DBL_MAX);
	assert_false(exact_sum_overflowed(sum));
	exact_sum_add(&sum, DBL_MAX);
	assert_true(exact_sum_overflowed(sum));
	assert_same(exact_sum_round(sum), inf);
	exact_sum_add(&sum, inf);
	assert_false(exact_sum_overflowed(sum));
	exact_sum_free(sum);
}

static double random_double(struct rng *rng)
{
	double value = ldexp((double)(int64_t)rng_next(rng), (int)rng_below(rng, 2000) - 1060);

	return isfinite(value) ? value : 1.0;
}

/* Any order, any grouping into parts: the same double, and the same encoded bytes. */
static void test_order_does_not_matter(void **state)
{
	enum { VALUES = 300, PARTS = 7 };
	struct rng rng;
	uint8_t whole_bytes[EXACT_SUM_ENCODED_MAX], merged_bytes[EXACT_SUM_ENCODED_MAX];

	(void)state;
	rng_init(&rng, 42);
	for (int round = 0; round < 50; round++) {
		struct exact_sum *whole = NULL, *merged = NULL, *parts[PARTS] = {NULL};
		size_t whole_size, merged_size;

		for (int i = 0; i < VALUES; i++) {
			double value = random_double(&rng);

			exact_sum_add(&whole, value);
			exact_sum_add(&parts[rng_below(&rng, PARTS)], value);
		}
		for (int p = PARTS; p-- > 0;) {
			uint8_t bytes[EXACT_SUM_ENCODED_MAX];
			size_t size = exact_sum_encode(parts[p], bytes);

			assert_true(exact_sum_merge(&merged, bytes, size));
			exact_sum_free(parts[p]);
		}
		assert_same(exact_sum_round(whole), exact_sum_round(merged));
		whole_size = exact_sum_encode(whole, whole_bytes);
		merged_size = exact_sum_encode(merged, merged_bytes);
		assert_int_equal(whole_size, merged_size);
		assert_memory_equal(whole_bytes, merged_bytes, whole_size);
		exact_sum_free(whole);
		exact_sum_free(merged);
	}
}

static void test_against_long_arithmetic(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (int round = 0; round < 1000; round++) {
		struct exact_sum *sum = NULL;
		__int128 expected = 0;

		for (int i = 0; i < 20; i++) {
			int64_t value = (int64_t)rng_next(&rng) >> 12;

			exact_sum_add(&sum, ldexp((double)value, -30));
			expected += value;
		}
		assert_same(exact_sum_round(sum), ldexp((double)expected, -30));
		exact_sum_free(sum);
	}
}

static void test_encode_one(void **state)
{
	static const double values[] = {0, -0.0, 1, -1.5, 0.1, DBL_MAX, -DBL_MAX, DBL_MIN,
		DBL_TRUE_MIN, -DBL_TRUE_MIN, 4e-320};
	uint8_t one[EXACT_SUM_ENCODED_MAX], bytes[EXACT_SUM_ENCODED_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct exact_sum *sum = NULL;
		size_t size = exact_sum_encode_one(values[i], one);

		exact_sum_add(&sum, values[i]);
		assert_int_equal(exact_sum_encode(sum, bytes), size);
		assert_memory_equal(bytes, one, size);
		exact_sum_free(sum);
		sum = NULL;
		assert_true(exact_sum_merge(&sum, one, size));
		assert_same(exact_sum_round(sum), values[i] == 0 ? 0 : values[i]);
		exact_sum_free(sum);
	}
	assert_int_equal(exact_sum_encode_one((double)NAN, one), 2);
	assert_int_equal(exact_sum_encode_one(-(double)INFINITY, one), 2);
}

static void test_rejects_damage(void **state)
{
	struct exact_sum *sum = NULL;
	uint8_t bytes[EXACT_SUM_ENCODED_MAX + 8] = {0};

	(void)state;
	assert_false(exact_sum_merge(&sum, bytes, 0));
	assert_false(exact_sum_merge(&sum, bytes, 1));
	assert_false(exact_sum_merge(&sum, bytes, 5));
	assert_false(exact_sum_merge(&sum, bytes, sizeof(bytes) - 2));
	bytes[0] = 16;
	assert_false(exact_sum_merge(&sum, bytes, 2));
	bytes[0] = 0;
	bytes[1] = EXACT_SUM_DIGITS_MAX;
	assert_false(exact_sum_merge(&sum, bytes, 6));
	assert_null(sum);
	/* The greatest digits there are: still a number. */
	memset(bytes, 0xff, sizeof(bytes));
	bytes[0] = 8;
	bytes[1] = 0;
	for (int i = 0; i < 100; i++)
		assert_true(exact_sum_merge(&sum, bytes, EXACT_SUM_ENCODED_MAX));
	assert_same(exact_sum_round(sum), -(double)INFINITY);
	exact_sum_encode(sum, bytes);
	exact_sum_free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_once),
		cmocka_unit_test(test_carries_change_nothing),
		cmocka_unit_test(test_carry_makes_room),
		cmocka_unit_test(test_special_values),
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_against_long_arithmetic),
		cmocka_unit_test(test_encode_one),
		cmocka_unit_test(test_rejects_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
