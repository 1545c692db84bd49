#include "exec/agg/value_summary.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUMMARIES 4
#define BYTES_MAX (64u << 20)

static void merge(struct value_summary *to, const struct value_summary *from)
{
	struct buf bytes;

	buf_init(&bytes, BYTES_MAX);
	value_summary_encode(from, &bytes);
	assert_true(value_summary_merge(to, bytes.data, bytes.size));
	buf_release(&bytes);
}

/* `count` values of up to `different` ones, dealt out at random to several summaries, which are merged at random. */
static struct value_summary *summarize(uint64_t seed, uint32_t count, uint32_t different)
{
	struct value_summary *parts[SUMMARIES];
	struct rng order;

	rng_init(&order, seed);
	for (uint32_t i = 0; i < SUMMARIES; i++)
		parts[i] = value_summary_new(false);
	for (uint32_t i = 0; i < count; i++) {
		/* The same values, from the front or from the back. */
		uint64_t at = seed & 1 ? count - 1 - i : i;
		int64_t value = (int64_t)(at * 7919 % different) * 1000 - 500000;

		value_summary_add(parts[rng_below(&order, SUMMARIES)], summary_word_of_i64(value));
	}
	for (uint32_t i = 1; i < SUMMARIES; i++) {
		uint32_t to = (uint32_t)rng_below(&order, SUMMARIES - i + 1), from = SUMMARIES - i;

		if (to == from)
			to = 0;
		merge(parts[to], parts[from]);
		value_summary_free(parts[from]);
	}
	return parts[0];
}

static void few_values_are_exact(void **state)
{
	struct value_summary *summary = value_summary_new(false);
	struct summary_result got;

	(void)state;
	for (int64_t i = 0; i < 1000; i++)
		value_summary_add(summary, summary_word_of_i64(i % 100 - 50));
	value_summary_add(summary, summary_word_of_i64(7));
	value_summary_read(summary, &got);
	assert_true(got.exact);
	assert_int_equal(got.distinct, 100);
	assert_int_equal(summary_i64_of_word(got.quartiles[0]), -25);
	assert_int_equal(summary_i64_of_word(got.quartiles[1]), 0);
	assert_int_equal(summary_i64_of_word(got.quartiles[2]), 24);
	assert_int_equal(summary_i64_of_word(got.most_frequent), 7);
	value_summary_free(summary);
}

static void nothing_has_nothing(void **state)
{
	struct value_summary *words = value_summary_new(false), *texts = value_summary_new(true);
	struct summary_result got;

	(void)state;
	value_summary_read(words, &got);
	assert_true(got.exact && !got.has_quartiles && !got.has_most_frequent);
	value_summary_read(texts, &got);
	assert_true(got.exact && !got.has_quartiles && !got.has_most_frequent);
	value_summary_free(words);
	value_summary_free(texts);
}

static void the_order_does_not_show(void **state)
{
	static const uint32_t different[] = {1, 500, 32768, 32769, 200000};

	(void)state;
	for (size_t d = 0; d < sizeof(different) / sizeof(different[0]); d++) {
		struct summary_result first, got;
		uint32_t count = 300000;

		for (uint64_t seed = 0; seed < 4; seed++) {
			struct value_summary *summary = summarize(seed, count, different[d]);

			value_summary_read(summary, &got);
			if (seed == 0)
				first = got;
			assert_memory_equal(got.quartiles, first.quartiles, sizeof(got.quartiles));
			assert_int_equal(got.distinct, first.distinct);
			assert_int_equal(got.exact, different[d] <= SUMMARY_VALUES_MAX);
			value_summary_free(summary);
		}
		if (got.exact)
			assert_int_equal(got.distinct, different[d]);
		/* A median is not far from its place. */
		assert_true(
			fabs((double)summary_i64_of_word(got.quartiles[1]) + 500000 -
				1000.0 * different[d] / 2) < 1000.0 * different[d] / 100 + 1000);
		assert_true(fabs((double)got.distinct / different[d] - 1) < 0.04);
	}
}

/* A value far away does not take the others' room. */
static void outliers_do_not_matter(void **state)
{
	struct value_summary *summary = value_summary_new(false);
	struct summary_result got;

	(void)state;
	value_summary_add(summary, summary_word_of_double(1e300));
	value_summary_add(summary, summary_word_of_double(-INFINITY));
	for (uint32_t i = 0; i < 100000; i++)
		value_summary_add(summary, summary_word_of_double(100 + i / 1000.0));
	value_summary_read(summary, &got);
	assert_false(got.exact);
	assert_true(fabs(summary_double_of_word(got.quartiles[1]) - 150) < 0.1);
	value_summary_free(summary);
}

static void texts_that_are_too_many(void **state)
{
	struct value_summary *some = value_summary_new(true), *many = value_summary_new(true);
	struct summary_result got;

	(void)state;
	for (uint32_t i = 0; i < 60000; i++) {
		char text[16];
		int size = snprintf(text, sizeof(text), "t%u", i % 1000);

		value_summary_add_text(some, text_from(text, (size_t)size));
		size = snprintf(text, sizeof(text), "u%u", i);
		value_summary_add_text(many, text_from(text, (size_t)size));
	}
	value_summary_add_text(some, text_from("t77", 3));
	value_summary_read(some, &got);
	assert_true(got.exact && got.has_most_frequent);
	assert_int_equal(got.distinct, 1000);
	assert_int_equal(got.most_frequent_text.size, 3);
	assert_memory_equal(got.most_frequent_text.data, "t77", 3);
	merge(some, many);
	value_summary_read(some, &got);
	assert_true(!got.exact && !got.has_most_frequent);
	assert_true(fabs((double)got.distinct / 61000 - 1) < 0.03);
	value_summary_free(some);
	value_summary_free(many);
}

/* Long texts are too many before others. */
static void texts_that_are_too_long(void **state)
{
	struct value_summary *summary = value_summary_new(true);
	char *text = calloc(1, SUMMARY_TEXTS_MAX);
	struct summary_result got;

	(void)state;
	value_summary_add_text(summary, text_from(text, SUMMARY_TEXTS_MAX));
	value_summary_add_text(summary, text_from("", 0));
	value_summary_read(summary, &got);
	assert_true(got.exact);
	text[0] = 'x';
	value_summary_add_text(summary, text_from(text, SUMMARY_TEXTS_MAX));
	value_summary_read(summary, &got);
	assert_false(got.exact);
	assert_int_equal(got.distinct, 3);
	free(text);
	value_summary_free(summary);
}

static void words_order_as_doubles_do(void **state)
{
	static const double values[] = {
		-INFINITY, -1e300, -1, -1e-300, 0, 1e-300, 1, 1e300, INFINITY};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		assert_true(summary_double_of_word(summary_word_of_double(values[i])) == values[i]);
		if (i > 0)
			assert_true(summary_word_of_double(values[i - 1]) <
				    summary_word_of_double(values[i]));
	}
	assert_true(summary_word_of_double(-0.0) == summary_word_of_double(0.0));
	assert_true(summary_word_of_double(NAN) > summary_word_of_double(INFINITY));
}

/* Whatever is cut off or changed is refused, or read as something. */
static void damaged_bytes_are_refused(void **state)
{
	struct value_summary *many = summarize(3, 100000, 100000), *texts = value_summary_new(true);
	struct buf bytes;
	struct rng rng;

	(void)state;
	buf_init(&bytes, BYTES_MAX);
	value_summary_encode(many, &bytes);
	rng_init(&rng, 11);
	assert_false(value_summary_merge(texts, bytes.data, bytes.size));
	for (uint32_t i = 0; i < 50; i++) {
		struct value_summary *to = value_summary_new(false);

		assert_false(value_summary_merge(to, bytes.data, rng_below(&rng, bytes.size)));
		value_summary_free(to);
	}
	for (uint32_t i = 0; i < 50; i++) {
		struct value_summary *to = value_summary_new(false);
		struct summary_result got;

		bytes.data[rng_below(&rng, bytes.size)] ^= (char)(1 + rng_below(&rng, 255));
		(void)!value_summary_merge(to, bytes.data, bytes.size);
		value_summary_read(to, &got);
		value_summary_free(to);
	}
	buf_release(&bytes);
	value_summary_free(many);
	value_summary_free(texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_values_are_exact),
		cmocka_unit_test(nothing_has_nothing),
		cmocka_unit_test(the_order_does_not_show),
		cmocka_unit_test(outliers_do_not_matter),
		cmocka_unit_test(texts_that_are_too_many),
		cmocka_unit_test(texts_that_are_too_long),
		cmocka_unit_test(words_order_as_doubles_do),
		cmocka_unit_test(damaged_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
