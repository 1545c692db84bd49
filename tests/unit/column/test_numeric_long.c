#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "column/numeric_long.h"

static struct arena arena;

static numeric parse(const char *text)
{
	numeric value = 0;

	assert_int_equal(numeric_long_parse(text, strlen(text), &arena, &value), NUMERIC_FINE);
	return value;
}

static const char *format(numeric value)
{
	struct buf text;
	char *copy;

	buf_init(&text, 200000);
	numeric_append(value, &text);
	copy = arena_strndup(&arena, text.data, text.size);
	buf_release(&text);
	return copy;
}

typedef enum numeric_fault (*binary_fn)(numeric a, numeric b, struct arena *arena, numeric *out);

static void check(binary_fn function, const char *a, const char *b, const char *expected)
{
	numeric out = 0;
	enum numeric_fault fault = function(parse(a), parse(b), &arena, &out);

	assert_string_equal(fault ? numeric_fault_text(fault) : format(out), expected);
	if (fault == NUMERIC_FINE && numeric_is_long(out))
		assert_true(numeric_long_is_legal(out));
}

/* What PostgreSQL answers. */
static void test_arithmetic(void **state)
{
	(void)state;
	check(numeric_long_add, "99999999999999999999999999999999999", "0.01",
		"99999999999999999999999999999999999.01");
	check(numeric_long_sub, "1e40", "1e40", "0");
	check(numeric_long_mul, "33.3333333333333333", "33.3333333333333333",
		"1111.11111111111110888888888888888889");
	check(numeric_long_div, "12345678901234567890123456789012345678901234567890.5", "3.7",
		"3336669973306639970303636970003336669973306639970.4");
	check(numeric_long_mod, "-12345678901234567890123456789012345678901234567890.123456", "7",
		"-1.123456");
	check(numeric_long_div, "1", "0.0", "division by zero");
	check(numeric_long_add, "Infinity", "-Infinity", "NaN");
	check(numeric_long_mul, "Infinity", "-2", "-Infinity");
	check(numeric_long_mul, "Infinity", "0", "NaN");
	check(numeric_long_div, "5", "Infinity", "0");
	check(numeric_long_mod, "5", "Infinity", "5");
	check(numeric_long_mul, "1e131071", "10", "value overflows numeric format");
	check(numeric_power, "2", "0.5", "1.4142135623730950");
	check(numeric_power, "1.1", "100", "13780.6123398222701841");
	check(numeric_power, "-2", "0.5",
		"a negative number raised to a non-integer power yields a complex result");
	check(numeric_log, "2.0", "64.0", "6.0000000000000000");
	check(numeric_log, "1", "64.0", "division by zero");
}

/* Plain wherever that is possible: one value, one form. */
static void test_shortest_form(void **state)
{
	numeric out;

	(void)state;
	assert_true(numeric_is_plain(parse("99999999999999999999999999999999999")));
	assert_true(numeric_is_long(parse("100000000000000000000000000000000000")));
	assert_true(numeric_is_long(parse("0.000000000000000000000000000000000000")));
	assert_int_equal(numeric_sign(parse("0e-40")), 0);
	assert_int_equal(numeric_long_sub(parse("1e40"),
				 parse("9999999999999999999999999999999999999999"), &arena, &out),
		NUMERIC_FINE);
	assert_true(out == numeric_from_i64(1));
	assert_true(numeric_normalize(parse("1.000000000000000000000000000000000000000")) ==
		    numeric_from_i64(1));
}

static numeric random_number(struct rng *rng)
{
	char text[128], *at = text;
	uint64_t digits = 1 + rng_below(rng, 90), point = rng_below(rng, digits + 1);

	if (rng_below(rng, 20) == 0)
		return rng_below(rng, 2) ? NUMERIC_NAN : NUMERIC_MINUS_INFINITY;
	if (rng_below(rng, 2))
		*at++ = '-';
	for (uint64_t i = 0; i < digits; i++) {
		if (i == point)
			*at++ = '.';
		*at++ = (char)('0' + (rng_below(rng, 3) ? rng_below(rng, 10) : 0));
	}
	*at = '\0';
	return parse(text);
}

static void test_laws(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 77);
	for (int i = 0; i < 5000; i++) {
		numeric a = random_number(&rng), b = random_number(&rng), sum, back, wide;
		unsigned scale = numeric_display_scale(a);

		arena_reset(&arena);
		a = numeric_keep(a, &arena);
		b = numeric_keep(b, &arena);
		assert_true(numeric_identical(parse(format(a)), a));
		assert_int_equal(numeric_compare(a, b), -numeric_compare(b, a));
		assert_int_equal(numeric_compare(a, numeric_normalize(a)), 0);
		if (numeric_is_special(a) || numeric_is_special(b))
			continue;
		assert_int_equal(numeric_long_add(a, b, &arena, &sum), NUMERIC_FINE);
		assert_int_equal(numeric_long_sub(sum, b, &arena, &back), NUMERIC_FINE);
		assert_int_equal(numeric_compare(back, a), 0);
		assert_int_equal(numeric_compare(sum, a), numeric_sign(b));
		assert_int_equal(numeric_long_mul(a, b, &arena, &sum), NUMERIC_FINE);
		assert_int_equal(numeric_sign(sum), numeric_sign(a) * numeric_sign(b));
		wide = numeric_long_at_scale(a, scale + 50, &arena);
		assert_int_equal(numeric_compare(wide, a), 0);
		if (numeric_is_long(numeric_normalize(a)))
			assert_true(numeric_long_hash(wide) == numeric_long_hash(a));
		else
			assert_true(numeric_normalize(wide) == numeric_normalize(a));
		assert_int_equal(numeric_long_trunc(wide, (int)scale, &arena, &back), NUMERIC_FINE);
		assert_true(numeric_identical(back, a));
	}
}

static void check_text(const char *text, enum numeric_fault fault)
{
	numeric value;

	assert_int_equal(numeric_long_parse(text, strlen(text), &arena, &value), fault);
}

static void test_texts(void **state)
{
	(void)state;
	check_text("", NUMERIC_NOT_A_NUMBER);
	check_text("-", NUMERIC_NOT_A_NUMBER);
	check_text("1e", NUMERIC_NOT_A_NUMBER);
	check_text("-nan", NUMERIC_NOT_A_NUMBER);
	check_text("1e131072", NUMERIC_TOO_LARGE);
	check_text("1e-16384", NUMERIC_TOO_LARGE);
	check_text("1e99999999999999999999", NUMERIC_TOO_LARGE);
	check_text("0e99999999999999999999", NUMERIC_FINE);
	check_text("1e131071", NUMERIC_FINE);
	check_text("+inf", NUMERIC_FINE);
	assert_string_equal(format(parse("-1e-37")), "-0.0000000000000000000000000000000000001");
	assert_string_equal(format(parse("-INFINITY")), "-Infinity");
}

static void test_bits_from_elsewhere(void **state)
{
	static const uint64_t small[] = {5, 0}, large[] = {1, 2, 3};

	(void)state;
	assert_false(numeric_long_is_legal(numeric_long_make(small, 1, false, 2)));
	assert_false(numeric_long_is_legal(numeric_long_make(small, 2, false, 40)));
	assert_false(numeric_long_is_legal(numeric_long_make(small, 0, true, 40)));
	assert_false(numeric_long_is_legal(numeric_long_make(large, 3, true, 20000)));
	assert_true(numeric_long_is_legal(numeric_long_make(small, 1, false, 40)));
	assert_true(numeric_long_is_legal(numeric_long_make(large, 3, true, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_shortest_form),
		cmocka_unit_test(test_laws),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_bits_from_elsewhere),
	};
	int failed;

	arena_init(&arena, 4096);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
