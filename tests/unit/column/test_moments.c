#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "column/big_private.h"
#include "column/moments.h"

static numeric parse(const char *text, size_t size)
{
	numeric value;

	assert_true(numeric_parse(text, size, &value));
	return value;
}

/* Of values separated by spaces. */
static struct moments moments_of(const char *values)
{
	struct moments moments = {0};

	while (*values) {
		size_t size = strcspn(values, " ");

		assert_true(moments_add(&moments, parse(values, size)));
		values += size + (values[size] == ' ');
	}
	return moments;
}

static void check_one(const struct moments *moments, bool sample, bool root, const char *expected)
{
	char text[NUMERIC_TEXT_MAX];
	numeric out;

	if (!moments_variance(moments, sample, root, &out)) {
		assert_string_equal("out of range", expected);
		return;
	}
	numeric_format(out, text);
	assert_string_equal(text, expected);
}

struct expectation {
	const char *values;
	const char *stddev_samp, *stddev_pop, *var_samp, *var_pop;
};

/* What PostgreSQL prints. */
static void test_as_postgresql(void **state)
{
	static const struct expectation cases[] = {
		{"1 2 3 4", "1.2909944487358056", "1.1180339887498948", "1.6666666666666667",
			"1.2500000000000000"},
		{"7 7 7", "0", "0", "0", "0"},
		{"7.00 7.0", "0", "0", "0", "0"},
		{"19.99 5.5 100", "50.8950066312993027", "41.5555989007498242",
			"2590.3017000000000000", "1726.8678000000000000"},
		{"-19.99 -5.5 -100", "50.8950066312993027", "41.5555989007498242",
			"2590.3017000000000000", "1726.8678000000000000"},
		{"0.0000001 0.0000003", "0.00000014142135623730950488016887",
			"0.00000010000000000000000000000000", "0.00000000000002000000000000000000",
			"0.00000000000001000000000000000000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct moments moments = moments_of(cases[i].values);

		check_one(&moments, true, true, cases[i].stddev_samp);
		check_one(&moments, false, true, cases[i].stddev_pop);
		check_one(&moments, true, false, cases[i].var_samp);
		check_one(&moments, false, false, cases[i].var_pop);
	}
}

/* PostgreSQL prints more digits than a numeric has here: those of it that fit, rounded. */
static void test_rounds_to_fit(void **state)
{
	static const struct expectation cases[] = {
		{"12345678901234567.12345 0", "8729713269414647.5206642039",
			"6172839450617283.5617250000", "76207893766194174287372438196151.804",
			"38103946883097087143686219098075.902"},
		{"12345678901234567890.12345 0", "8729713269414648062.7841993891",
			"6172839450617283945.0617250000", "out of range", "out of range"},
		{"10000000000000000000000000000000000 0", "7071067811865475244008443621048490",
			"5000000000000000000000000000000000", "out of range", "out of range"},
		{"9223372036854775807 -9223372036854775808 1", "9223372036854775808",
			"7530851732716320752", "out of range", "out of range"},
		/* 2e-70 and 1e-70, and roots of 1.41e-35 and 1e-35. */
		{"0.00000000000000000000000000000000001 0.00000000000000000000000000000000003",
			"0.00000000000000000000000000000000001",
			"0.00000000000000000000000000000000001",
			"0.00000000000000000000000000000000000",
			"0.00000000000000000000000000000000000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct moments moments = moments_of(cases[i].values);

		check_one(&moments, true, true, cases[i].stddev_samp);
		check_one(&moments, false, true, cases[i].stddev_pop);
		check_one(&moments, true, false, cases[i].var_samp);
		check_one(&moments, false, false, cases[i].var_pop);
	}
}

static void test_integers_are_decimals(void **state)
{
	static const int64_t values[] = {INT64_MIN, INT64_MAX, -1, 0, 1, 1 << 20};
	struct moments a = {0}, b = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		moments_add_i64(&a, values[i]);
		assert_true(moments_add(&b, numeric_from_i64(values[i])));
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

/* Any order of values, any tree of merges: the same state, through its bytes too. */
static void test_order_does_not_show(void **state)
{
	enum { COUNT = 200 };
	numeric values[COUNT];
	struct moments whole = {0};
	struct rng rng;

	(void)state;
	rng_init(&rng, 11);
	for (int i = 0; i < COUNT; i++) {
		int64_t value = (int64_t)rng_next(&rng) >> rng_below(&rng, 60);

		values[i] = numeric_pack(value, (unsigned)rng_below(&rng, 8));
		assert_true(moments_add(&whole, values[i]));
	}
	for (int turn = 0; turn < 20; turn++) {
		struct moments parts[3] = {{0}}, merged = {0};

		for (int i = COUNT - 1; i > 0; i--) {
			uint64_t other = rng_below(&rng, (uint64_t)i + 1);
			numeric swap = values[i];

			values[i] = values[other];
			values[other] = swap;
		}
		for (int i = 0; i < COUNT; i++)
			assert_true(moments_add(&parts[rng_below(&rng, 3)], values[i]));
		for (int i = 0; i < 3; i++) {
			uint8_t bytes[MOMENTS_ENCODED_MAX];
			size_t size = moments_encode(&parts[i], bytes);
			struct moments decoded;

			assert_true(moments_decode(&decoded, bytes, size));
			assert_memory_equal(&decoded, &parts[i], sizeof(decoded));
			assert_true(moments_merge(&merged, &decoded));
		}
		assert_memory_equal(&merged, &whole, sizeof(merged));
	}
}

static void test_encoding_is_short(void **state)
{
	static const struct {
		const char *values;
		size_t size;
	} cases[] = {{"0", 10}, {"1", 12}, {"-1", 12}, {"127", 13}, {"128", 14}, {"-128", 13},
		{"-129", 14}, {"5 -5", 11}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct moments moments = moments_of(cases[i].values), decoded;
		uint8_t bytes[MOMENTS_ENCODED_MAX];

		assert_int_equal(moments_encode(&moments, bytes), cases[i].size);
		assert_true(moments_decode(&decoded, bytes, cases[i].size));
		assert_memory_equal(&decoded, &moments, sizeof(decoded));
	}
}

static void test_damaged_bytes(void **state)
{
	struct moments moments = moments_of("1.5 -2.25 300"), decoded;
	uint8_t bytes[MOMENTS_ENCODED_MAX + 80] = {0};
	size_t size = moments_encode(&moments, bytes);
	struct rng rng;
	numeric out;

	(void)state;
	assert_false(moments_decode(&decoded, bytes, 0));
	assert_false(moments_decode(&decoded, bytes, 9));
	assert_false(moments_decode(&decoded, bytes, size + 33));
	bytes[0] = NUMERIC_SCALE_MAX + 1;
	assert_false(moments_decode(&decoded, bytes, size));
	bytes[0] = 2;
	bytes[1] = 33;
	assert_false(moments_decode(&decoded, bytes, sizeof(bytes)));
	memset(bytes + 2, 0, 8);
	assert_false(moments_decode(&decoded, bytes, size));
	memset(bytes + 2, 0xff, 8);
	assert_false(moments_decode(&decoded, bytes, size));

	/* What passes for a state is one, however absurd: it merges and has some variance. */
	rng_init(&rng, 5);
	for (int turn = 0; turn < 20000; turn++) {
		struct moments merged = moments;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(rng_below(&rng, 4) ? rng_next(&rng) : 0xff);
		bytes[0] %= NUMERIC_SCALE_MAX + 1;
		bytes[1] %= 33;
		bytes[9] &= 0x7f;
		size = 10 + bytes[1] + rng_below(&rng, 33);
		if (!moments_decode(&decoded, bytes, size))
			continue;
		for (int i = 0; i < 4 && decoded.count > 1; i++)
			(void)moments_variance(&decoded, i & 1, i & 2, &out);
		if (moments_merge(&merged, &decoded))
			(void)moments_variance(&merged, true, true, &out);
	}
}

/* 2^256 is the end, for any order. */
static void test_limit(void **state)
{
	struct moments a = {0}, b = {0};
	numeric great = parse("99999999999999999999999999999999999", 35);
	numeric fine = parse("0.0001", 6);

	(void)state;
	assert_true(moments_add(&a, great));
	assert_false(moments_add(&a, fine));
	assert_true(moments_add(&b, fine));
	assert_false(moments_add(&b, great));
	assert_true(moments_raise_scale(&b, 2));
	assert_int_equal(b.scale, 4);

	memset(&a, 0, sizeof(a));
	for (int i = 0; i < 1000; i++)
		assert_true(moments_add(&a, great));
	check_one(&a, true, true, "0");
	assert_true(moments_add(&a, numeric_pack(-numeric_mantissa(great), 0)));
	check_one(&a, true, true, "6321395412410139688932325990969227");
}

/* r^2 <= v < (r + 1)^2, for values of all lengths, squares and their neighbours among them. */
static void test_roots(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 9);
	for (int turn = 0; turn < 20000; turn++) {
		uint32_t bits = 1 + (uint32_t)rng_below(&rng, 318);
		uint64_t limbs[5] = {0};
		struct big value, root, square;

		for (uint32_t i = 0; i <= (bits - 1) / 64; i++)
			limbs[i] = turn % 3 ? rng_next(&rng) : UINT64_MAX;
		limbs[(bits - 1) / 64] >>= 63 - (bits - 1) % 64;
		big_set(&value, limbs, 5);
		if (turn & 1) {
			big_square(&value);
			if (turn & 2)
				big_increase(&value, 1);
		}
		root = value;
		big_root(&root);
		square = root;
		big_square(&square);
		assert_true(big_compare(&square, &value) <= 0);
		if (root.count == 0)
			root.limb[0] = 0;
		big_increase(&root, 1);
		big_square(&root);
		assert_true(big_compare(&root, &value) > 0);
	}
}

static void test_big_numbers(void **state)
{
	static const uint64_t ones[BIG_LIMBS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	static const uint64_t two[] = {2, 0, 0};
	char digits[BIG_DIGITS_MAX];
	struct big a, b;
	struct rng rng;

	(void)state;
	/* 2^320 - 1 squared is just below 2^640. */
	big_set(&a, ones, 5);
	big_square(&a);
	assert_int_equal(a.count, 10);
	big_root(&a);
	big_set(&b, ones, 5);
	assert_int_equal(big_compare(&a, &b), 0);
	big_set(&a, ones, 10);
	assert_int_equal(big_digits(&a, digits), 193);
	assert_memory_equal(digits, "4562440617622195218641171605700291324893228", 43);
	big_root(&a);
	assert_int_equal(big_compare(&a, &b), 0);

	big_set(&a, two, 3);
	assert_int_equal(a.count, 1);
	big_multiply_power10(&a, 100);
	big_root(&a);
	assert_int_equal(big_digits(&a, digits), 51);
	assert_memory_equal(digits, "141421356237309504880168872420969807856967187537694", 51);
	a.count = 0;
	big_root(&a);
	assert_int_equal(big_digits(&a, digits), 1);
	assert_int_equal(digits[0], '0');

	/* (x * d + r) / d is x for any r below d. */
	rng_init(&rng, 3);
	for (int turn = 0; turn < 2000; turn++) {
		unsigned __int128 divisor = (unsigned __int128)(rng_next(&rng) >> turn % 64) << 64 |
					    (rng_next(&rng) | 1);
		uint64_t limbs[5], low[2] = {(uint64_t)divisor, (uint64_t)(divisor >> 64)};
		struct big product, x;
		uint64_t sum[8] = {0};

		for (int i = 0; i < 5; i++)
			limbs[i] = rng_next(&rng);
		big_set(&x, limbs, 5);
		for (int j = 0; j < 2; j++) {
			uint64_t carry = 0;

			for (int i = 0; i < 5; i++) {
				unsigned __int128 part =
					(unsigned __int128)limbs[i] * low[j] + sum[i + j] + carry;

				sum[i + j] = (uint64_t)part;
				carry = (uint64_t)(part >> 64);
			}
			sum[5 + j] += carry;
		}
		big_set(&product, sum, 7);
		big_increase(&product, low[1] ? low[0] : low[0] - 1);
		big_divide(&product, divisor);
		assert_int_equal(big_compare(&product, &x), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_postgresql),
		cmocka_unit_test(test_rounds_to_fit),
		cmocka_unit_test(test_integers_are_decimals),
		cmocka_unit_test(test_order_does_not_show),
		cmocka_unit_test(test_encoding_is_short),
		cmocka_unit_test(test_damaged_bytes),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_big_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
