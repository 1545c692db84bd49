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
	struct exact_sum sum = {0};
	double result;

	for (size_t i = 0; i < count; i++)
		exact_sum_add(&sum, values[i]);
	result = exact_sum_round(&sum);
	exact_sum_release(&sum);
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

/* To the digits alone, whether or not 128 bits would do. */
static void add_wide(struct exact_sum *sum, double value)
{
	uint8_t bytes[EXACT_SUM_ENCODED_MAX];
	struct exact_sum one = {0};
	size_t size;

	exact_sum_add(&one, value);
	size = exact_sum_encode(&one, bytes);
	exact_digits_merge(&sum->wide, bytes, (uint32_t)(size - 2) / 4, EXACT_SUM_DIGITS_MAX);
	exact_sum_release(&one);
}

/* Whatever stands in 128 bits, in digits, or in both, and however often digits were carried. */
static void test_forms_are_one(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 9);
	for (uint32_t turn = 0; turn < 300; turn++) {
		uint8_t plain_bytes[EXACT_SUM_ENCODED_MAX], wide_bytes[EXACT_SUM_ENCODED_MAX];
		struct exact_sum plain = {0}, wide = {0};
		size_t plain_size, wide_size;

		for (uint32_t i = 0; i < 200; i++) {
			double value = ldexp((double)(int64_t)rng_next(&rng),
				(int)rng_below(&rng, turn % 3 ? 40 : 1800) - (turn % 3 ? 20 : 900));

			exact_sum_add(&plain, value);
			add_wide(&wide, value);
			if (i % (1 + turn % 7) == 0) {
				wide.wide->pending = PENDING_MAX - 1;
				add_wide(&wide, 0);
				assert_int_equal(wide.wide->pending, 1);
				for (uint32_t d = 0; d + 1 < wide.wide->count; d++)
					assert_in_range(wide.wide->digits[d], 0, UINT32_MAX);
			}
			if (turn % 5 == 0)
				exact_sum_add(&wide, value);
			if (turn % 5 == 0)
				exact_sum_add(&plain, value);
		}
		assert_same(exact_sum_round(&plain), exact_sum_round(&wide));
		plain_size = exact_sum_encode(&plain, plain_bytes);
		wide_size = exact_sum_encode(&wide, wide_bytes);
		assert_int_equal(plain_size, wide_size);
		assert_memory_equal(plain_bytes, wide_bytes, plain_size);
		exact_sum_release(&plain);
		exact_sum_release(&wide);
	}
}

/* What cancels leaves nothing, and what comes then may be of any size. */
static void test_cancelled(void **state)
{
	static const double values[] = {1e300, -1e300, 1e-300, 3, -3, -1e-300, DBL_TRUE_MIN};
	struct exact_sum sum = {0};
	uint8_t bytes[EXACT_SUM_ENCODED_MAX];

	(void)state;
	assert_true(exact_sum_is_empty(&sum));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		exact_sum_add(&sum, values[i]);
	assert_same(exact_sum_round(&sum), DBL_TRUE_MIN);
	exact_sum_add(&sum, -DBL_TRUE_MIN);
	assert_false(exact_sum_is_empty(&sum));
	assert_int_equal(exact_sum_encode(&sum, bytes), 2);
	assert_int_equal(bytes[0] | bytes[1], 0);
	exact_sum_release(&sum);
}

/* 128 bits that are full go on in digits. */
static void test_full(void **state)
{
	const __int128 most = (__int128)(~(unsigned __int128)0 >> 1);
	struct exact_sum sum = {0};

	(void)state;
	for (int sign = 1; sign >= -1; sign -= 2) {
		exact_sum_add(&sum, sign * 1.0);
		exact_sum_set_small(&sum, sign * ((__int128)1 << 126));
		for (int i = 0; i < 4; i++)
			exact_sum_add(&sum, sign * ldexp(1, 72));
		exact_sum_set_small(&sum, sign < 0 ? -most : most);
		exact_sum_add(&sum, sign * 8.0);
		assert_non_null(sum.wide);
		assert_same(exact_sum_round(&sum), sign * ldexp(1, 127));
		exact_sum_release(&sum);
	}
}

/* The last digit grows past 32 bits: a carry makes room for what is above. */
static void test_carry_makes_room(void **state)
{
	(void)state;
	for (int sign = 1; sign >= -1; sign -= 2) {
		struct exact_sum sum = {0};
		uint32_t count;

		add_wide(&sum, sign * 1.0);
		count = sum.wide->count;
		sum.wide->digits[count - 1] = sign * (INT64_C(5) << 40);
		sum.wide = exact_digits_carry(sum.wide);
		assert_int_equal(sum.wide->count, count + 1);
		assert_true(exact_sum_round(&sum) / sign > 0);
		exact_sum_release(&sum);
	}
}

static void test_special_values(void **state)
{
	const double inf = (double)INFINITY;
	struct exact_sum sum = {0};

	(void)state;
	assert_same(SUM(1, inf, 2), inf);
	assert_same(SUM(-inf, DBL_MAX), -inf);
	assert_true(isnan(SUM(inf, -inf)));
	assert_true(isnan(SUM(1, (double)NAN, inf)));
	exact_sum_add(&sum, DBL_MAX);
	assert_false(exact_sum_overflowed(&sum));
	exact_sum_add(&sum, DBL_MAX);
	assert_true(exact_sum_overflowed(&sum));
	assert_same(exact_sum_round(&sum), inf);
	exact_sum_add(&sum, inf);
	assert_false(exact_sum_overflowed(&sum));
	exact_sum_release(&sum);
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
		struct exact_sum whole = {0}, merged = {0}, parts[PARTS] = {0};
		size_t whole_size, merged_size;

		for (int i = 0; i < VALUES; i++) {
			double value = random_double(&rng);

			exact_sum_add(&whole, value);
			exact_sum_add(&parts[rng_below(&rng, PARTS)], value);
		}
		for (int p = PARTS; p-- > 0;) {
			uint8_t bytes[EXACT_SUM_ENCODED_MAX];
			size_t size = exact_sum_encode(&parts[p], bytes);

			assert_true(exact_sum_merge(&merged, bytes, size));
			exact_sum_release(&parts[p]);
		}
		assert_same(exact_sum_round(&whole), exact_sum_round(&merged));
		whole_size = exact_sum_encode(&whole, whole_bytes);
		merged_size = exact_sum_encode(&merged, merged_bytes);
		assert_int_equal(whole_size, merged_size);
		assert_memory_equal(whole_bytes, merged_bytes, whole_size);
		exact_sum_release(&whole);
		exact_sum_release(&merged);
	}
}

static void test_against_long_arithmetic(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (int round = 0; round < 1000; round++) {
		struct exact_sum sum = {0};
		__int128 expected = 0;

		for (int i = 0; i < 20; i++) {
			int64_t value = (int64_t)rng_next(&rng) >> 12;

			exact_sum_add(&sum, ldexp((double)value, -30));
			expected += value;
		}
		assert_same(exact_sum_round(&sum), ldexp((double)expected, -30));
		exact_sum_release(&sum);
	}
}

static void test_one_value(void **state)
{
	static const double values[] = {0, -0.0, 1, -1.5, 0.1, DBL_MAX, -DBL_MAX, DBL_MIN,
		DBL_TRUE_MIN, -DBL_TRUE_MIN, 4e-320};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct exact_sum one = {0}, merged = {0};
		uint8_t bytes[EXACT_SUM_ENCODED_MAX], again[EXACT_SUM_ENCODED_MAX];
		size_t size;

		exact_sum_add(&one, values[i]);
		size = exact_sum_encode(&one, bytes);
		assert_true(exact_sum_merge(&merged, bytes, size));
		assert_same(exact_sum_round(&merged), values[i] == 0 ? 0 : values[i]);
		assert_int_equal(exact_sum_encode(&merged, again), size);
		assert_memory_equal(bytes, again, size);
		exact_sum_release(&one);
		exact_sum_release(&merged);
	}
}

static void test_rejects_damage(void **state)
{
	struct exact_sum sum = {0};
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
	assert_true(exact_sum_is_empty(&sum));
	/* The greatest digits there are: still a number. */
	memset(bytes, 0xff, sizeof(bytes));
	bytes[0] = 8;
	bytes[1] = 0;
	for (int i = 0; i < 100; i++)
		assert_true(exact_sum_merge(&sum, bytes, EXACT_SUM_ENCODED_MAX));
	assert_same(exact_sum_round(&sum), -(double)INFINITY);
	exact_sum_encode(&sum, bytes);
	exact_sum_release(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_once),
		cmocka_unit_test(test_forms_are_one),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_carry_makes_room),
		cmocka_unit_test(test_special_values),
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_against_long_arithmetic),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_rejects_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
