#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "column/moments.h"
#include "column/numeric_long.h"

static struct arena arena;

static numeric parse(const char *text, size_t size)
{
	numeric value;

	assert_int_equal(numeric_long_parse(text, size, &arena, &value), NUMERIC_FINE);
	return value;
}

/* Of values separated by spaces. */
static struct moments moments_of(const char *values)
{
	struct moments moments = {0};

	while (*values) {
		size_t size = strcspn(values, " ");

		moments_add(&moments, parse(values, size));
		values += size + (values[size] == ' ');
	}
	return moments;
}

static void check_one(const struct moments *moments, bool sample, bool root, const char *expected)
{
	struct buf text;
	numeric out;

	assert_true(moments_variance(moments, sample, root, &arena, &out));
	buf_init(&text, 1000);
	numeric_append(out, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_release(&text);
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

/* What PostgreSQL prints where 128 bits do not hold the result, or 256 the sums. */
static void test_long_results(void **state)
{
	static const struct expectation cases[] = {
		{"12345678901234567.12345 0", "8729713269414647.5206642039",
			"6172839450617283.5617250000",
			"76207893766194174287372438196151.8037699513",
			"38103946883097087143686219098075.9018849756"},
		{"10000000000000000000000000000000000 0", "7071067811865475244008443621048490",
			"5000000000000000000000000000000000",
			"500000000000000000000000000000000000000000000000000000000000000000"
			"00",
			"250000000000000000000000000000000000000000000000000000000000000000"
			"00"},
		{"9223372036854775807 -9223372036854775808 1", "9223372036854775808",
			"7530851732716320752", "85070591730234615856620279821087277057",
			"56713727820156410571080186547391518038"},
		{"0.00000000000000000000000000000000001 0.00000000000000000000000000000000003",
			"0.00000000000000000000000000000000001414213562373095048801688724209"
			"69807856967187537694807",
			"0.00000000000000000000000000000000001000000000000000000000000000000"
			"00000000000000000000000",
			"0.00000000000000000000000000000000000000000000000000000000000000000"
			"00002000000000000000000",
			"0.00000000000000000000000000000000000000000000000000000000000000000"
			"00001000000000000000000"},
		{"99999999999999999999999999999999999 0.0001",
			"70710678118654752440084436210484903.22130610",
			"49999999999999999999999999999999999.49995000",
			"49999999999999999999999999999999998999900000000000000000000000000000"
			"00.50010001",
			"24999999999999999999999999999999999499950000000000000000000000000000"
			"00.25005000"},
		{"NaN 1", "NaN", "NaN", "NaN", "NaN"},
		{"-Infinity 1", "NaN", "NaN", "NaN", "NaN"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct moments moments = moments_of(cases[i].values);

		check_one(&moments, true, true, cases[i].stddev_samp);
		check_one(&moments, false, true, cases[i].stddev_pop);
		check_one(&moments, true, false, cases[i].var_samp);
		check_one(&moments, false, false, cases[i].var_pop);
		moments_release(&moments);
	}
}

static void test_integers_are_decimals(void **state)
{
	static const int64_t values[] = {INT64_MIN, INT64_MAX, -1, 0, 1, 1 << 20};
	struct moments a = {0}, b = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		moments_add_i64(&a, values[i]);
		moments_add(&b, numeric_from_i64(values[i]));
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

/* Any order of values, any tree of merges: the same state, through its bytes too. */
static void check_order(bool long_ones)
{
	enum { COUNT = 200 };
	numeric values[COUNT];
	struct moments whole = {0};
	struct text expected;
	struct rng rng;

	rng_init(&rng, long_ones ? 12 : 11);
	for (int i = 0; i < COUNT; i++) {
		int64_t value = (int64_t)rng_next(&rng) >> rng_below(&rng, 60);

		values[i] = numeric_pack(value, (unsigned)rng_below(&rng, 8));
		if (long_ones && i % 20 == 0)
			assert_int_equal(
				numeric_long_mul(values[i], parse("1e-38", 5), &arena, &values[i]),
				NUMERIC_FINE);
		if (long_ones && i % 20 == 10)
			assert_int_equal(
				numeric_long_mul(values[i], parse("1e77", 4), &arena, &values[i]),
				NUMERIC_FINE);
		moments_add(&whole, values[i]);
	}
	expected = moments_encode(&whole, &arena);
	for (int turn = 0; turn < 20; turn++) {
		struct moments parts[3] = {{0}}, merged = {0};

		for (int i = COUNT - 1; i > 0; i--) {
			uint64_t other = rng_below(&rng, (uint64_t)i + 1);
			numeric swap = values[i];

			values[i] = values[other];
			values[other] = swap;
		}
		for (int i = 0; i < COUNT; i++)
			moments_add(&parts[rng_below(&rng, 3)], values[i]);
		for (int i = 0; i < 3; i++) {
			struct text bytes = moments_encode(&parts[i], &arena);
			struct moments decoded;

			assert_true(moments_decode(&decoded, bytes.data, bytes.size));
			assert_true(moments_merge(&merged, &decoded));
			moments_release(&decoded);
			moments_release(&parts[i]);
		}
		struct text bytes = moments_encode(&merged, &arena);

		assert_int_equal(bytes.size, expected.size);
		assert_memory_equal(bytes.data, expected.data, bytes.size);
		moments_release(&merged);
	}
	moments_release(&whole);
}

static void test_order_does_not_show(void **state)
{
	(void)state;
	check_order(false);
	check_order(true);
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
		struct text bytes = moments_encode(&moments, &arena);

		assert_int_equal(bytes.size, cases[i].size);
		assert_true(moments_decode(&decoded, bytes.data, bytes.size));
		assert_memory_equal(&decoded, &moments, sizeof(decoded));
	}
}

static void test_damaged_bytes(void **state)
{
	struct moments moments = moments_of("1.5 -2.25 300"), decoded;
	struct text encoded = moments_encode(&moments, &arena);
	uint8_t bytes[160] = {0};
	size_t size = encoded.size;
	struct rng rng;
	numeric out;

	(void)state;
	memcpy(bytes, encoded.data, size);
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
		bytes[9] &= 0x7f;
		if (turn % 2) {
			bytes[0] %= NUMERIC_SCALE_MAX + 1;
			bytes[1] %= 33;
			size = 10 + bytes[1] + rng_below(&rng, 33);
		} else {
			bytes[0] = 255;
			bytes[1] %= 2;
			bytes[3] %= 2;
			bytes[11] &= 0x7f;
			memset(bytes + 12, 0, 4);
			bytes[12] = (uint8_t)rng_below(&rng, 60);
			bytes[16] %= 2;
			size = 17 + bytes[12] + rng_below(&rng, 60);
		}
		if (moments_decode(&decoded, bytes, size)) {
			for (int i = 0; i < 4 && decoded.count > 1; i++)
				(void)moments_variance(&decoded, i & 1, i & 2, &arena, &out);
			if (moments_merge(&merged, &decoded))
				(void)moments_variance(&merged, true, true, &arena, &out);
		}
		moments_release(&decoded);
		moments_release(&merged);
		arena_reset(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_postgresql),
		cmocka_unit_test(test_long_results),
		cmocka_unit_test(test_integers_are_decimals),
		cmocka_unit_test(test_order_does_not_show),
		cmocka_unit_test(test_encoding_is_short),
		cmocka_unit_test(test_damaged_bytes),
	};
	int failed;

	arena_init(&arena, 4096);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
