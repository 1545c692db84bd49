#include "unit/exec/agg/aggregate_fixture.h"

#include <math.h>
#include <stdio.h>

#define ALL(letter, column)                                                \
	{.id = AGG_STDDEV_SAMP, .type = (letter), .arg = (column)},        \
		{.id = AGG_STDDEV_POP, .type = (letter), .arg = (column)}, \
		{.id = AGG_VAR_SAMP, .type = (letter), .arg = (column)},   \
	{                                                                  \
		.id = AGG_VAR_POP, .type = (letter), .arg = (column)       \
	}

static const struct spec of_int[] = {ALL('i', 0)};
static const struct spec of_bigint[] = {ALL('l', 0)};
static const struct spec of_numeric[] = {ALL('n', 0)};
static const struct spec of_double[] = {ALL('d', 0)};
static const struct spec of_pairs[] = {
	{.id = AGG_CORR, .type = 'd', .arg = 0, .arg2 = 1},
	{.id = AGG_COVAR_POP, .type = 'd', .arg = 0, .arg2 = 1},
	{.id = AGG_COVAR_SAMP, .type = 'd', .arg = 0, .arg2 = 1},
};

/* All expected values are PostgreSQL's. */
static void test_decimals(void **state)
{
	(void)state;
	CHECK_AGGREGATES(of_int, "i", "1\n2\nNULL\n3\n4\n",
		"1.2909944487358056|1.1180339887498948|1.6666666666666667|1.2500000000000000\n");
	CHECK_AGGREGATES(of_bigint, "l", "7\n7\n7\n", "0|0|0|0\n");
	CHECK_AGGREGATES(of_numeric, "n", "19.99\n5.5\n100\n",
		"50.8950066312993027|41.5555989007498242|2590.3017000000000000"
		"|1726.8678000000000000\n");
	CHECK_AGGREGATES(of_numeric, "n", "7.5\nNULL\n", "NULL|0|NULL|0\n");
	CHECK_AGGREGATES(of_int, "i", "NULL\n", "NULL|NULL|NULL|NULL\n");
	CHECK_AGGREGATES(of_int, "i", "", "NULL|NULL|NULL|NULL\n");
}

static void test_doubles(void **state)
{
	(void)state;
	CHECK_AGGREGATES(of_double, "d", "1\n2\n3\n4\n",
		"1.2909944487358056|1.118033988749895|1.6666666666666667|1.25\n");
	CHECK_AGGREGATES(of_double, "d", "1e200\n1e200\n", "0|0|0|0\n");
	CHECK_AGGREGATES(of_double, "d", "3\n", "NULL|0|NULL|0\n");
	CHECK_AGGREGATES(of_double, "d", "Infinity\n", "NULL|NaN|NULL|NaN\n");
	CHECK_AGGREGATES(of_double, "d", "NaN\n1\n", "NaN|NaN|NaN|NaN\n");
	CHECK_AGGREGATES(of_double, "d", "-Infinity\n1\nInfinity\n", "NaN|NaN|NaN|NaN\n");
	CHECK_AGGREGATES(of_double, "d", "", "NULL|NULL|NULL|NULL\n");
	/* A sum of squares in plain doubles would have lost all digits. */
	CHECK_AGGREGATES(of_double, "d", "1000000000000001\n1000000000000002\n1000000000000003\n",
		"1|0.816496580927726|1|0.6666666666666666\n");
}

static void test_pairs(void **state)
{
	(void)state;
	CHECK_AGGREGATES(of_pairs, "dd", "1|2\n2|4\n3|7\nNULL|1\n5|NULL\n",
		"0.9933992677987828|1.6666666666666667|2.5\n");
	CHECK_AGGREGATES(of_pairs, "dd", "1|3\n2|2\n3|1\n", "-1|-0.6666666666666666|-1\n");
	CHECK_AGGREGATES(of_pairs, "dd", "1|2\n", "NULL|0|NULL\n");
	CHECK_AGGREGATES(of_pairs, "dd", "1|2\n1|3\n", "NULL|0|0\n");
	CHECK_AGGREGATES(of_pairs, "dd", "Infinity|2\n2|4\n3|7\n", "NaN|NaN|NaN\n");
	CHECK_AGGREGATES(of_pairs, "dd", "Infinity|2\n2|2\n3|2\n", "NULL|NaN|NaN\n");
	CHECK_AGGREGATES(of_pairs, "dd", "1|NaN\n1|2\n1|3\n", "NULL|NaN|NaN\n");
	CHECK_AGGREGATES(of_pairs, "dd", "NULL|1\n", "NULL|NULL|NULL\n");
	CHECK_AGGREGATES(of_pairs, "dd", "", "NULL|NULL|NULL\n");
	/* The product of the variances leaves the range of a double, the correlation does not. */
	CHECK_AGGREGATES(of_pairs, "dd", "1e150|1e100\n2e150|2e100\n3e150|3e100\n",
		"1|6.666666666666666e+249|1e+250\n");
}

static void test_distinct_and_filter(void **state)
{
	static const struct spec specs[] = {
		{.id = AGG_VAR_SAMP, .type = 'n', .arg = 0, .distinct = true},
		{.id = AGG_STDDEV_POP, .type = 'n', .arg = 0, .distinct = true},
		{.id = AGG_VAR_POP, .type = 'n', .has_filter = true, .filter = 3},
		{.id = AGG_VAR_POP, .type = 'd', .arg = 1, .distinct = true},
		{.id = AGG_CORR, .type = 'd', .arg = 1, .arg2 = 2, .distinct = true},
		{.id = AGG_COVAR_POP, .type = 'd', .arg = 1, .arg2 = 2, .distinct = true},
		{.id = AGG_COVAR_SAMP, .type = 'd', .arg = 1, .arg2 = 2},
		{.id = AGG_COVAR_SAMP,
			.type = 'd',
			.arg = 1,
			.arg2 = 2,
			.has_filter = true,
			.filter = 3},
	};

	(void)state;
	CHECK_AGGREGATES(specs, "nddb", "1.0|1|3|t\n1.00|1|3|t\n2|2|2|NULL\n2.000|3|5|f\n",
		"0.50000000000000000000|0.50000000000000000000|0|0.6666666666666666"
		"|0.6546536707079772|0.6666666666666666|0.75|0\n");
}

static void test_errors(void **state)
{
	static const struct spec doubles[] = {{.id = AGG_STDDEV_POP, .type = 'd'}};
	struct batch batch;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "d", "1e200\n2e200\n");
	check_error(1, doubles, GROUP_COMPLETE, &batch, ERROR_EVAL,
		"double precision value out of range");
	fixture_release(&f);
}

static void check_damaged(const struct spec *spec, const char *bytes, size_t size)
{
	struct column column;
	struct batch batch = {.rows = 1, .selected = 1, .column_count = 1, .columns = &column};
	char message[80];
	struct arena arena;

	arena_init(&arena, 4096);
	column_init(&column, type_of(TYPE_TEXT), 1, &arena);
	column.text[0] = text_from(bytes, size);
	snprintf(message, sizeof(message), "a partial state of %s is damaged",
		aggregate_name(spec->id));
	check_error(1, spec, GROUP_FINAL, &batch, ERROR_DATA, message);
	arena_release(&arena);
}

static void test_damaged_states(void **state)
{
	/* count 1, a sum of nothing, a sum of nothing */
	static const char good[] = "\1\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0";
	static const struct spec decimals = {.id = AGG_VAR_POP, .type = 'l'};
	static const struct spec doubles = {.id = AGG_VAR_POP, .type = 'd'};
	static const struct spec pairs = {.id = AGG_CORR, .type = 'd', .arg2 = 1};
	char bytes[sizeof(good)];

	(void)state;
	check_damaged(&decimals, "what is this?", 13);
	check_damaged(&decimals, "", 0);
	for (size_t size = 0; size < 16; size++)
		check_damaged(&doubles, good, size);
	check_damaged(&doubles, good, 17);
	check_damaged(&pairs, good, 16);
	memcpy(bytes, good, sizeof(good));
	bytes[0] = 0; /* no values */
	check_damaged(&doubles, bytes, 16);
	bytes[7] = (char)0x80; /* fewer than none */
	check_damaged(&doubles, bytes, 16);
	memcpy(bytes, good, sizeof(good));
	bytes[8] = 3; /* sizes that do not add up */
	check_damaged(&doubles, bytes, 16);
	bytes[9] = (char)0xff;
	check_damaged(&doubles, bytes, 16);
	memcpy(bytes, good, sizeof(good));
	bytes[10] = 16; /* no such flag */
	check_damaged(&doubles, bytes, 16);
}

static const struct spec mixed_specs[] = {
	ALL('l', 1),
	ALL('d', 2),
	{.id = AGG_STDDEV_SAMP, .type = 'n', .arg = 3, .has_filter = true, .filter = 4},
	{.id = AGG_VAR_POP, .type = 'n', .arg = 3},
	{.id = AGG_CORR, .type = 'd', .arg = 2, .arg2 = 5},
	{.id = AGG_COVAR_SAMP, .type = 'd', .arg = 5, .arg2 = 2, .has_filter = true, .filter = 4},
	{.id = AGG_COVAR_POP, .type = 'd', .arg = 2, .arg2 = 5},
};
#define MIXED_SPECS (sizeof(mixed_specs) / sizeof(mixed_specs[0]))

static struct batch random_batch(struct fixture *f, struct rng *rng, uint64_t groups, uint32_t rows)
{
	struct batch batch = {.rows = rows, .selected = rows, .column_count = 6};

	batch.columns = arena_zalloc(&f->arena, 6 * sizeof(struct column));
	for (uint32_t c = 0; c < 6; c++) {
		column_init(&batch.columns[c], fixture_type("lldnbd"[c]), rows, &f->arena);
		if (c > 0)
			column_add_validity(&batch.columns[c], rows, &f->arena);
	}
	for (uint32_t row = 0; row < rows; row++) {
		uint64_t x = rng_next(rng);

		for (uint32_t c = 1; c < 6; c++)
			batch.columns[c].valid[row] = (x >> (40 + 3 * c) & 7) != 0;
		batch.columns[0].i64[row] = (int64_t)rng_below(rng, groups);
		batch.columns[1].i64[row] = (int64_t)x >> (8 + x % 56);
		batch.columns[2].f64[row] = (double)(int64_t)x * 1e-7;
		batch.columns[3].num[row] = numeric_pack((int64_t)(x % 9999) - 5000, x % 4);
		batch.columns[4].u8[row] = x >> 20 & 1;
		batch.columns[5].f64[row] =
			x % 1000 == 0 ? (double)INFINITY : 1e6 + (double)(x % 97) / 7;
	}
	return batch;
}

enum { MIXED_BATCHES = 12, MIXED_ROWS = 2000 };

/* Rows in an order of their own, by the same seed always the same rows. */
static char *run_mixed(bool partial, uint64_t groups, bool backwards)
{
	struct fixture f;
	struct rng rng;
	struct batch batches[MIXED_BATCHES];
	char *text;

	fixture_init(&f);
	rng_init(&rng, groups);
	if (partial) {
		aggregate_op(&f, GROUP_PARTIAL, true, MIXED_SPECS, mixed_specs);
		aggregate_op(&f, GROUP_FINAL, true, MIXED_SPECS, mixed_specs);
	} else {
		aggregate_op(&f, GROUP_COMPLETE, true, MIXED_SPECS, mixed_specs);
	}
	fixture_start(&f);
	for (int b = 0; b < MIXED_BATCHES; b++)
		batches[b] = random_batch(&f, &rng, groups, MIXED_ROWS);
	for (int b = 0; b < MIXED_BATCHES; b++)
		fixture_push_batch(&f, &batches[backwards ? MIXED_BATCHES - 1 - b : b]);
	text = strdup(fixture_sorted(&f, fixture_finish(&f)));
	assert_true(f.rows > 0);
	fixture_release(&f);
	return text;
}

/* Few groups merge in the partial table; of very many, rows pass as states of their own. */
static void test_partial_then_final(void **state)
{
	static const uint64_t groups[] = {2, 700, 1000000000};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		char *complete = run_mixed(false, groups[i], false);
		char *merged = run_mixed(true, groups[i], false);
		char *backwards = run_mixed(true, groups[i], true);

		assert_string_equal(complete, merged);
		assert_string_equal(complete, backwards);
		free(complete);
		free(merged);
		free(backwards);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_distinct_and_filter),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_damaged_states),
		cmocka_unit_test(test_partial_then_final),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
