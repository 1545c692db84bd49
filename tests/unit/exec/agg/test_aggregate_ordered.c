#include "unit/exec/agg/aggregate_fixture.h"

#include <math.h>

#define SORT(column_, descending_) \
	.has_sort = true,          \
	.sort = {.column = (column_), .descending = (descending_), .nulls_first = (descending_)}

/* All expected values are PostgreSQL's, where the order says it all. */
static void test_string_agg(void **state)
{
	static const struct spec specs[] = {
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1, SORT(0, false)},
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1, SORT(0, true)},
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1},
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 0},
	};
	static const struct spec by_number[] = {
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1, SORT(2, false)},
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1, SORT(2, true)},
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1, SORT(1, true)},
	};
	static const struct spec distinct[] = {
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1, .distinct = true},
		{.id = AGG_STRING_AGG,
			.type = 't',
			.arg = 0,
			.arg2 = 1,
			.distinct = true,
			SORT(0, true)},
		{.id = AGG_STRING_AGG,
			.type = 't',
			.arg = 0,
			.arg2 = 1,
			.has_filter = true,
			.filter = 2},
	};

	(void)state;
	CHECK_AGGREGATES(
		specs, "tt", "b|,\na|;\nNULL|-\nc|NULL\n|,\n", ";a,bc|c,b;a,|;a,bc|aabbcc\n");
	CHECK_AGGREGATES(specs, "tt", "NULL|,\n", "NULL|NULL|NULL|NULL\n");
	CHECK_AGGREGATES(specs, "tt", "", "NULL|NULL|NULL|NULL\n");
	CHECK_AGGREGATES(specs, "tt", "|,\n", "|||\n");
	/* 1.0 and 1.00 are peers: their texts decide; NULL comes last, or first. */
	CHECK_AGGREGATES(by_number, "ttn", "b|,|1.0\na|,|1.00\nz|,|NULL\nc|,|-5\nd|;|2\n",
		"c,a,b;d,z|z;d,a,b,c|d,a,b,c,z\n");
	/* Two that differ in nothing but the delimiter. */
	CHECK_AGGREGATES(distinct, "ttb", "a|,|t\na|;|f\na|,|t\nb|,|NULL\n", "a;a,b|b,a;a|a,a\n");
}

static void test_array_agg(void **state)
{
	static const struct spec specs[] = {
		{.id = AGG_ARRAY_AGG, .type = 't', .arg = 0, SORT(0, false)},
		{.id = AGG_ARRAY_AGG, .type = 't', .arg = 0, SORT(0, true)},
		{.id = AGG_ARRAY_AGG, .type = 't', .arg = 0, .distinct = true},
		{.id = AGG_ARRAY_AGG, .type = 't', .arg = 0, .has_filter = true, .filter = 1},
		{.id = AGG_ARRAY_AGG, .type = 't', .arg = 0, SORT(2, false)},
	};

	(void)state;
	CHECK_AGGREGATES(specs, "tbd",
		"b|t|1\na|f|0\nNULL|t|-1\nc|NULL|NaN\n|f|NULL\na|f|-0\nNULL|f|7\n",
		"{\"\",a,a,b,c,NULL,NULL}|{NULL,NULL,c,b,a,a,\"\"}|{\"\",a,b,c,NULL}|{b,NULL}"
		"|{NULL,a,a,b,NULL,c,\"\"}\n");
	CHECK_AGGREGATES(specs, "tbd", "", "NULL|NULL|NULL|NULL|NULL\n");
	CHECK_AGGREGATES(specs, "tbd", "NULL|f|0\n", "{NULL}|{NULL}|{NULL}|NULL|{NULL}\n");
}

static void test_percentile_cont(void **state)
{
	static const struct spec specs[] = {
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, false), .fraction = 0.5},
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, true), .fraction = 0.5},
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, false), .fraction = 0.3},
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, true), .fraction = 0.3},
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, false), .fraction = 0},
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, false), .fraction = 1},
	};
	static const struct spec three_quarters[] = {
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, false), .fraction = 0.75},
	};

	(void)state;
	CHECK_AGGREGATES(specs, "d", "1\n2\n10\nNULL\n0\n",
		"1.5|1.5|0.8999999999999999|2.8000000000000007|0|10\n");
	CHECK_AGGREGATES(specs, "d", "5\n", "5|5|5|5|5|5\n");
	CHECK_AGGREGATES(specs, "d", "NULL\n", "NULL|NULL|NULL|NULL|NULL|NULL\n");
	CHECK_AGGREGATES(specs, "d", "", "NULL|NULL|NULL|NULL|NULL|NULL\n");
	CHECK_AGGREGATES(three_quarters, "d", "Infinity\nNaN\n1\n2\n", "NaN\n");
	CHECK_AGGREGATES(three_quarters, "d", "Infinity\n-1\n1\n2\n-2\n", "2\n");
}

#define DISC(letter, column, fraction_, descending)                           \
	{                                                                     \
		.id = AGG_PERCENTILE_DISC, .type = (letter), .arg = (column), \
		SORT(column, descending), .fraction = (fraction_)             \
	}
#define MODE(letter, column, descending)                                                    \
	{                                                                                   \
		.id = AGG_MODE, .type = (letter), .arg = (column), SORT(column, descending) \
	}

static void test_percentile_disc(void **state)
{
	static const struct spec specs[] = {
		DISC('n', 0, 0.5, false),
		DISC('n', 0, 0, false),
		DISC('n', 0, 1, true),
		DISC('t', 1, 0.75, false),
		DISC('t', 1, 0.75, true),
		DISC('D', 2, 0.26, false),
		DISC('i', 3, 0.5, true),
		DISC('d', 4, 1, false),
		DISC('T', 5, 0, true),
	};

	(void)state;
	CHECK_AGGREGATES(specs, "ntDidT",
		"1.0|b|2024-01-02|-5|-0|2024-01-01 00:00:00\n"
		"2.50|a|2023-01-01|7|NaN|2024-01-01 00:00:01\n"
		"10|NULL|2025-01-01|0|1|NULL\n"
		"NULL|c|NULL|3|2|1999-12-31 23:59:59\n"
		"-3|d|2022-01-01|NULL|3|NULL\n",
		"1.0|-3|-3|c|b|2023-01-01|3|NaN|2024-01-01 00:00:01\n");
	CHECK_AGGREGATES(specs, "ntDidT", "", "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n");
}

static void test_mode(void **state)
{
	static const struct spec specs[] = {MODE('t', 0, false), MODE('t', 0, true),
		MODE('n', 1, false), MODE('n', 1, true), MODE('d', 2, false), MODE('d', 2, true),
		MODE('i', 3, false), MODE('i', 3, true)};

	(void)state;
	CHECK_AGGREGATES(specs, "tndi",
		"b|1.0|0|5\na|2|-0|5\nNULL|1.00|NaN|-5\nb|NULL|NaN|-5\na|2.0|NULL|0\nc|0|1|NULL\n",
		"a|b|1.00|2.0|0|NaN|-5|5\n");
	CHECK_AGGREGATES(specs, "tndi", "x|-7.50|-0|9\n", "x|x|-7.50|-7.50|-0|-0|9|9\n");
	CHECK_AGGREGATES(specs, "tndi", "", "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n");
}

/* Many values: what selecting finds is what sorting finds. */
static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void check_many(unsigned spread, uint32_t count, double fraction)
{
	struct spec specs[] = {
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, false), .fraction = fraction},
		{.id = AGG_PERCENTILE_CONT, .type = 'd', SORT(0, true), .fraction = 1 - fraction},
		{.id = AGG_PERCENTILE_DISC, .type = 'd', SORT(0, false), .fraction = fraction},
		{.id = AGG_MODE, .type = 'd', SORT(0, false)},
	};
	double *values = malloc(count * sizeof(*values)), position = fraction * (count - 1);
	double low, high, disc, mode = 0, results[4];
	uint32_t run = 0, best = 0, rank = (uint32_t)position;
	struct fixture f;
	struct rng rng;
	const char *text;
	char *end;

	fixture_init(&f);
	aggregate_op(&f, GROUP_COMPLETE, false, 4, specs);
	fixture_start(&f);
	rng_init(&rng, spread * 1000 + count);
	for (uint32_t first = 0; first < count; first += BATCH_ROWS_MAX) {
		struct column column;
		struct batch batch = {.column_count = 1, .columns = &column};

		batch.rows = batch.selected =
			count - first < BATCH_ROWS_MAX ? count - first : BATCH_ROWS_MAX;
		column_init(&column, type_of(TYPE_DOUBLE), batch.rows, &f.arena);
		for (uint32_t i = 0; i < batch.rows; i++) {
			values[first + i] = ((double)rng_below(&rng, spread) - spread / 3) / 4;
			column.f64[i] = values[first + i];
		}
		fixture_push_batch(&f, &batch);
	}
	qsort(values, count, sizeof(*values), compare_doubles);
	low = values[rank];
	high = values[rank + 1 < count ? rank + 1 : rank];
	disc = values[ceil(fraction * count) < 1 ? 0 : (uint32_t)ceil(fraction * count) - 1];
	for (uint32_t i = 0; i < count; i++) {
		run = i > 0 && values[i] == values[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			mode = values[i];
		}
	}
	text = fixture_finish(&f);
	for (int i = 0; i < 4; i++) {
		results[i] = strtod(text, &end);
		text = end + 1;
	}
	assert_true(results[0] == low + (position - rank) * (high - low));
	assert_true(fabs(results[1] - results[0]) < 1e-6);
	assert_true(results[2] == disc);
	assert_true(results[3] == mode);
	free(values);
	fixture_release(&f);
}

static void test_many_values(void **state)
{
	static const unsigned spreads[] = {1, 3, 1000, 1000000000};
	static const uint32_t counts[] = {2, 24, 25, 26, 500, 30000};
	static const double fractions[] = {0, 0.123, 0.5, 0.999, 1};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 6; j++)
			for (size_t k = 0; k < 5; k++)
				check_many(spreads[i], counts[j], fractions[k]);
}

static const struct spec mixed_specs[] = {
	{.id = AGG_STRING_AGG, .type = 't', .arg = 1, .arg2 = 2},
	{.id = AGG_STRING_AGG, .type = 't', .arg = 1, .arg2 = 2, SORT(3, true)},
	{.id = AGG_STRING_AGG, .type = 't', .arg = 1, .arg2 = 2, .distinct = true},
	{.id = AGG_ARRAY_AGG, .type = 't', .arg = 1, SORT(4, false)},
	{.id = AGG_ARRAY_AGG,
		.type = 't',
		.arg = 1,
		.distinct = true,
		.has_filter = true,
		.filter = 5},
	{.id = AGG_PERCENTILE_CONT, .type = 'd', .arg = 4, SORT(4, false), .fraction = 0.4},
	DISC('n', 3, 0.4, false),
	MODE('n', 3, true),
	MODE('d', 4, false),
	MODE('t', 1, false),
	{.id = AGG_SUM, .type = 'n', .arg = 3},
};
#define MIXED_SPECS (sizeof(mixed_specs) / sizeof(mixed_specs[0]))

static struct batch mixed_batch(struct fixture *f, uint32_t rows)
{
	static const char *const texts[] = {"a", "b", "", "long enough to be no word", "b\1c"};
	struct batch batch = {.rows = rows, .selected = rows, .column_count = 6};
	struct rng rng;

	rng_init(&rng, 77);
	batch.columns = arena_zalloc(&f->arena, 6 * sizeof(struct column));
	for (uint32_t c = 0; c < 6; c++) {
		column_init(&batch.columns[c], fixture_type("lttndb"[c]), rows, &f->arena);
		if (c > 0)
			column_add_validity(&batch.columns[c], rows, &f->arena);
	}
	for (uint32_t row = 0; row < rows; row++) {
		uint64_t x = rng_next(&rng);
		const char *text = texts[x % 5];

		for (uint32_t c = 1; c < 6; c++)
			batch.columns[c].valid[row] = (x >> (40 + 3 * c) & 7) != 0;
		batch.columns[0].i64[row] = (int64_t)rng_below(&rng, 40);
		batch.columns[1].text[row] = text_from(text, strlen(text));
		batch.columns[2].text[row] = text_from(x & 1 ? "," : "; ", x & 1 ? 1 : 2);
		batch.columns[3].num[row] = numeric_pack(x % 3 * 10, x >> 8 & 1);
		batch.columns[4].f64[row] = x % 7 ? (double)(x >> 9 & 7) : -0.0;
		batch.columns[5].u8[row] = x >> 20 & 1;
	}
	return batch;
}

static int compare_rows(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Rows arrive in any order, in batches of any size: the bytes are the same. */
static void test_order_does_not_show(void **state)
{
	enum { ROWS = 1500, TURNS = 6 };
	static uint16_t order[ROWS];
	char *expected = NULL;
	struct rng rng;

	(void)state;
	rng_init(&rng, 4);
	for (uint32_t i = 0; i < ROWS; i++)
		order[i] = (uint16_t)i;
	for (int turn = 0; turn < TURNS; turn++) {
		struct fixture f;
		struct batch batch;
		const char *text;

		fixture_init(&f);
		aggregate_op(&f, GROUP_COMPLETE, true, MIXED_SPECS, mixed_specs);
		fixture_start(&f);
		batch = mixed_batch(&f, ROWS);
		for (uint32_t first = 0; first < ROWS;) {
			uint32_t size = 1 + (uint32_t)rng_below(&rng, turn ? 100 : ROWS);

			size = size < ROWS - first ? size : ROWS - first;
			qsort(order + first, size, sizeof(*order), compare_rows);
			batch.sel = order + first;
			batch.selected = size;
			fixture_push_batch(&f, &batch);
			first += size;
		}
		text = fixture_sorted(&f, fixture_finish(&f));
		if (expected)
			assert_string_equal(text, expected);
		else
			expected = strdup(text);
		fixture_release(&f);
		for (uint32_t i = ROWS - 1; i > 0; i--) {
			uint32_t other = (uint32_t)rng_below(&rng, i + 1);
			uint16_t swap = order[i];

			order[i] = order[other];
			order[other] = swap;
		}
	}
	free(expected);
}

/* Constant columns, as literals arrive: a delimiter, and an argument. */
static void test_constant_columns(void **state)
{
	static const struct spec specs[] = {
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1},
		{.id = AGG_ARRAY_AGG, .type = 't', .arg = 1, .distinct = true},
		{.id = AGG_MODE, .type = 't', .arg = 1},
	};
	struct fixture f;
	struct batch batch;

	(void)state;
	fixture_init(&f);
	aggregate_op(&f, GROUP_COMPLETE, false, 3, specs);
	fixture_start(&f);
	batch = fixture_batch(&f, "tt", "b|+\na|x\nc|y\n");
	batch.columns[1].constant = true;
	fixture_push_batch(&f, &batch);
	assert_string_equal(fixture_finish(&f), "a+b+c|{+}|+\n");
	fixture_release(&f);
}

/* A result that is too long, and groups that are dropped half-way. */
static void test_too_long(void **state)
{
	static const struct spec strings[] = {
		{.id = AGG_STRING_AGG, .type = 't', .arg = 0, .arg2 = 1}};
	static const struct spec lists[] = {{.id = AGG_ARRAY_AGG, .type = 't', .arg = 0}};
	size_t size = TEXT_SIZE_MAX / 3 + 1;
	char *bytes = malloc(size);
	struct batch batch;
	struct fixture f;

	(void)state;
	memset(bytes, 'x', size);
	fixture_init(&f);
	batch = fixture_batch(&f, "tt", "a|,\nb|,\nc|,\n");
	for (int i = 0; i < 3; i++)
		batch.columns[0].text[i] = text_from(bytes, size);
	check_error(1, strings, GROUP_COMPLETE, &batch, ERROR_LIMIT,
		"string_agg makes a text of more than 67108864 bytes");
	check_error(1, lists, GROUP_COMPLETE, &batch, ERROR_LIMIT,
		"array_agg makes a list of more than 67108864 bytes");
	fixture_release(&f);
	free(bytes);

	fixture_init(&f);
	aggregate_op(&f, GROUP_COMPLETE, true, MIXED_SPECS, mixed_specs);
	fixture_start(&f);
	batch = mixed_batch(&f, 100);
	fixture_push_batch(&f, &batch);
	fixture_release(&f);
}

/* More groups than are emitted at once, whose values come in turns. */
static void test_many_small_groups(void **state)
{
	enum { GROUPS = 20000 };
	static const struct spec specs[] = {
		{.id = AGG_PERCENTILE_CONT, .type = 'd', .arg = 1, .fraction = 0.5},
		{.id = AGG_STRING_AGG, .type = 't', .arg = 2, .arg2 = 2},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	aggregate_op(&f, GROUP_COMPLETE, true, 2, specs);
	fixture_start(&f);
	for (int64_t turn = 0; turn < 3; turn++) {
		for (int64_t first = 0; first < GROUPS; first += 2000) {
			struct column columns[3];
			struct batch batch = {.rows = 2000, .selected = 2000, .column_count = 3};

			batch.columns = columns;
			for (int c = 0; c < 3; c++)
				column_init(&columns[c], fixture_type("ldt"[c]), 2000, &f.arena);
			for (int64_t i = 0; i < 2000; i++) {
				columns[0].i64[i] = first + i;
				columns[1].f64[i] = (double)(first + i + 1 - turn);
				columns[2].text[i] = text_from(&"cab"[turn], 1);
			}
			fixture_push_batch(&f, &batch);
		}
	}
	fixture_finish(&f);
	assert_int_equal(f.rows, GROUPS);
	assert_non_null(strstr(f.out.data, "\n19999|19999|abbcc\n"));
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_string_agg),
		cmocka_unit_test(test_array_agg),
		cmocka_unit_test(test_percentile_cont),
		cmocka_unit_test(test_percentile_disc),
		cmocka_unit_test(test_mode),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_order_does_not_show),
		cmocka_unit_test(test_constant_columns),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_many_small_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
