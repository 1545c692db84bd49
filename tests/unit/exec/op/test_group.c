#include "unit/exec/exec_fixture.h"

#include "base/rng.h"
#include "exec/agg/aggregate.h"
#include "exec/agg/exact_sum.h"
#include "exec/table/group_table.h"

struct spec {
	enum aggregate_id id;
	char type;
	uint32_t arg;
	uint32_t filter;
	bool distinct;
};

#define NO_FILTER PLAN_NONE

static struct plan_op *group_op(struct fixture *f, enum group_phase phase, const char *out_types,
	uint32_t key_count, const uint32_t *keys, uint32_t count, const struct spec *specs)
{
	struct plan_op *op = fixture_op(f, PLAN_GROUP, out_types);
	struct plan_group *group = &op->group;

	group->phase = phase;
	group->key_count = key_count;
	group->keys = memcpy(
		arena_alloc(&f->arena, key_count * sizeof(*keys)), keys, key_count * sizeof(*keys));
	group->aggregate_count = count;
	group->aggregates = arena_zalloc(&f->arena, (count + 1) * sizeof(*group->aggregates));
	for (uint32_t i = 0; i < count; i++) {
		struct plan_aggregate *to = &group->aggregates[i];

		to->id = specs[i].id;
		to->arg = specs[i].id == AGG_COUNT_STAR && phase != GROUP_FINAL ? PLAN_NONE
										: specs[i].arg;
		to->filter = specs[i].filter;
		to->distinct = specs[i].distinct;
		to->arg_type = specs[i].id == AGG_COUNT_STAR ? type_of(TYPE_UNKNOWN)
							     : fixture_type(specs[i].type);
		assert_true(aggregate_result_type(to->id, to->arg_type, &to->type));
	}
	return op;
}

static const uint32_t first_two[] = {0, 1};

static void test_counts_and_sums(void **state)
{
	static const struct spec specs[] = {
		{AGG_COUNT_STAR, 0, 0, NO_FILTER, false},
		{AGG_COUNT, 'i', 1, NO_FILTER, false},
		{AGG_SUM, 'i', 1, NO_FILTER, false},
		{AGG_SUM, 'l', 2, NO_FILTER, false},
		{AGG_SUM, 'n', 3, NO_FILTER, false},
		{AGG_AVG, 'i', 1, NO_FILTER, false},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "tlllnnn", 1, first_two, 6, specs);
	fixture_start(&f);
	fixture_push(&f, "tiln",
		"a|1|9223372036854775807|1.5\n"
		"b|NULL|2|NULL\n"
		"a|2|9223372036854775807|0.25\n"
		"NULL|5|5|5\n");
	fixture_push(&f, "tiln", "a|4|1|10\nb|NULL|-2|NULL\nNULL|7|5|0.0\n");
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
		"NULL|2|2|12|10|5.0|6.0000000000000000\n"
		"a|3|3|7|18446744073709551615|11.75|2.3333333333333333\n"
		"b|2|0|NULL|0|NULL|NULL\n");
	fixture_release(&f);
}

static void test_no_keys_over_nothing(void **state)
{
	static const struct spec specs[] = {
		{AGG_COUNT_STAR, 0, 0, NO_FILTER, false},
		{AGG_SUM, 'd', 0, NO_FILTER, false},
		{AGG_MIN, 't', 1, NO_FILTER, false},
		{AGG_BOOL_AND, 'b', 2, NO_FILTER, false},
	};
	static const struct spec merged[] = {
		{AGG_COUNT_STAR, 0, 0, NO_FILTER, false},
		{AGG_AVG, 'd', 1, NO_FILTER, false},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "ldtb", 0, first_two, 4, specs);
	fixture_start(&f);
	assert_string_equal(fixture_finish(&f), "0|NULL|NULL|NULL\n");
	fixture_release(&f);

	fixture_init(&f);
	group_op(&f, GROUP_FINAL, "ld", 0, first_two, 2, merged);
	fixture_start(&f);
	assert_string_equal(fixture_finish(&f), "0|NULL\n");
	fixture_release(&f);

	fixture_init(&f);
	group_op(&f, GROUP_PARTIAL, "ldtb", 0, first_two, 4, specs);
	fixture_start(&f);
	fixture_finish(&f);
	assert_int_equal(f.rows, 0);
	fixture_release(&f);

	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "l", 1, first_two, 0, specs);
	fixture_start(&f);
	fixture_finish(&f);
	assert_int_equal(f.rows, 0);
	fixture_release(&f);
}

/* count(*) over rows that have no column at all. */
static void test_rows_without_columns(void **state)
{
	static const struct spec specs[] = {{AGG_COUNT_STAR, 0, 0, NO_FILTER, false}};
	struct batch batch = {.rows = 2048, .selected = 2048};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "l", 0, first_two, 1, specs);
	fixture_start(&f);
	fixture_push_batch(&f, &batch);
	fixture_push_batch(&f, &batch);
	assert_string_equal(fixture_finish(&f), "4096\n");
	fixture_release(&f);
}

static void test_extremes_and_bools(void **state)
{
	static const struct spec specs[] = {
		{AGG_MIN, 't', 1, NO_FILTER, false},
		{AGG_MAX, 't', 1, NO_FILTER, false},
		{AGG_MIN, 'n', 2, NO_FILTER, false},
		{AGG_MAX, 'n', 2, NO_FILTER, false},
		{AGG_MIN, 'd', 3, NO_FILTER, false},
		{AGG_MAX, 'd', 3, NO_FILTER, false},
		{AGG_MIN, 'D', 4, NO_FILTER, false},
		{AGG_MAX, 'D', 4, NO_FILTER, false},
		{AGG_BOOL_AND, 'b', 5, NO_FILTER, false},
		{AGG_BOOL_OR, 'b', 5, NO_FILTER, false},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "lttnnddDDbb", 1, first_two, 10, specs);
	fixture_start(&f);
	fixture_push(&f, "ltndDb",
		"1|pear|1.0|NaN|2024-01-02|t\n"
		"1|apple pie of the house, with cream|1.00|-1|2024-01-01|f\n"
		"2|NULL|NULL|NULL|NULL|NULL\n"
		"3|x|-5|0|2000-01-01|t\n");
	fixture_push(&f, "ltndDb",
		"1|zebra, of the savanna and its rivers|1.000|3|1999-12-31|NULL\n"
		"1|a|0.5|2.5|2024-01-01|t\n"
		"1||2|-Infinity|2024-01-01|t\n"
		"3|x|-5.5|-0.5|2000-01-02|t\n");
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
		"1||zebra, of the savanna and its rivers|0.5|2|-Infinity|NaN"
		"|1999-12-31|2024-01-02|f|t\n"
		"2|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"
		"3|x|x|-5.5|-5|-0.5|0|2000-01-01|2000-01-02|t|t\n");
	fixture_release(&f);
}

/* Equal numerics of different scales: one group, which prints the greatest scale it saw. */
static void test_numeric_and_double_keys(void **state)
{
	static const struct spec specs[] = {{AGG_COUNT_STAR, 0, 0, NO_FILTER, false}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "ndl", 2, first_two, 1, specs);
	fixture_start(&f);
	fixture_push(&f, "nd", "1|0\n1.00|-0\n1.0|0\n2024|NaN\n");
	fixture_push(&f, "nd", "2024|NaN\n100|1\n1e2|1\nNULL|0\nNULL|NULL\n0.00|5\n0|5\n");
	fixture_push(&f, "nd",
		"NULL|0\nNULL|NULL\n12345678901234567890.1230|1\n"
		"12345678901234567890.123|1\n");
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
		"0.00|5|2\n"
		"1.00|0|3\n"
		"100|1|2\n"
		"12345678901234567890.1230|1|2\n"
		"2024|NaN|2\n"
		"NULL|0|2\n"
		"NULL|NULL|2\n");
	fixture_release(&f);
}

static void test_keys_of_every_type(void **state)
{
	static const uint32_t keys[] = {0, 1, 2, 3, 4, 5};
	static const struct spec specs[] = {{AGG_COUNT_STAR, 0, 0, NO_FILTER, false}};
	static const uint16_t sel[] = {0, 2, 3, 5, 6};
	struct batch batch;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "btaldDl", 6, keys, 1, specs);
	fixture_start(&f);
	batch = fixture_batch(&f, "btaldD",
		"t|x|{a,b}|1|1.5|2024-01-01\n"
		"t|dropped|{a,b}|1|1.5|2024-01-01\n"
		"t|x|{a,b}|1|1.5|2024-01-01\n"
		"t|x|{a}|1|1.5|2024-01-01\n"
		"t|x|{a}|1|1.5|2024-01-01\n"
		"f||{}|0|0|1970-01-01\n"
		"NULL|NULL|NULL|NULL|NULL|NULL\n");
	fixture_select(&f, &batch, 5, sel);
	fixture_push_batch(&f, &batch);
	fixture_push(&f, "btaldD", "NULL|NULL|NULL|NULL|NULL|NULL\nf||{}|0|0|1970-01-01\n");
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
		"NULL|NULL|NULL|NULL|NULL|NULL|2\n"
		"f||{}|0|0|1970-01-01|2\n"
		"t|x|{a,b}|1|1.5|2024-01-01|2\n"
		"t|x|{a}|1|1.5|2024-01-01|1\n");
	fixture_release(&f);
}

/* One text key, in many groups, before and after the first NULL. */
static void test_text_keys(void **state)
{
	enum { ROWS = 2000, BATCHES = 30, GROUPS = 20000 };
	static const struct spec specs[] = {{AGG_COUNT_STAR, 0, 0, NO_FILTER, false}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "tl", 1, first_two, 1, specs);
	fixture_start(&f);
	for (unsigned b = 0; b < BATCHES; b++) {
		struct column column;
		struct batch batch = {.rows = ROWS, .selected = ROWS, .column_count = 1};

		batch.columns = &column;
		column_init(&column, type_of(TYPE_TEXT), ROWS, &f.arena);
		for (unsigned row = 0; row < ROWS; row++) {
			char *text = arena_printf(&f.arena, "key %u", (b * ROWS + row) % GROUPS);

			column.text[row] = text_from(text, strlen(text));
		}
		if (b == BATCHES / 2) {
			column_add_validity(&column, ROWS, &f.arena);
			column.valid[7] = 0;
		}
		fixture_push_batch(&f, &batch);
	}
	fixture_finish(&f);
	assert_int_equal(f.rows, GROUPS + 1);
	assert_non_null(strstr(f.out.data, "\nkey 12345|3\n"));
	assert_non_null(strstr(f.out.data, "\nkey 10007|2\n"));
	assert_non_null(strstr(f.out.data, "\nNULL|1\n"));
	fixture_release(&f);
}

static void test_constant_columns(void **state)
{
	static const struct spec specs[] = {
		{AGG_SUM, 'l', 1, NO_FILTER, false},
		{AGG_SUM, 'l', 0, NO_FILTER, false},
	};
	struct batch batch;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "lnn", 1, first_two, 2, specs);
	fixture_start(&f);
	batch = fixture_batch(&f, "ll", "7|1\n0|2\n0|3\n");
	batch.columns[0].constant = true;
	fixture_push_batch(&f, &batch);
	batch = fixture_batch(&f, "ll", "7|1\n8|0\n9|0\n");
	batch.columns[1].constant = true;
	fixture_push_batch(&f, &batch);
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)), "7|7|28\n8|1|8\n9|1|9\n");
	fixture_release(&f);
}

static void test_filter(void **state)
{
	static const struct spec specs[] = {
		{AGG_COUNT_STAR, 0, 0, 2, false},
		{AGG_SUM, 'l', 1, 2, false},
		{AGG_COUNT, 'l', 1, NO_FILTER, true},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "llnl", 1, first_two, 3, specs);
	fixture_start(&f);
	fixture_push(&f, "llb", "1|5|t\n1|6|f\n1|7|NULL\n2|8|f\n1|NULL|t\n1|5|t\n");
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)), "1|3|10|3\n2|0|NULL|1\n");
	fixture_release(&f);
}

static void test_distinct(void **state)
{
	static const struct spec specs[] = {
		{AGG_COUNT, 't', 1, NO_FILTER, true},
		{AGG_SUM, 'n', 2, NO_FILTER, true},
		{AGG_AVG, 'n', 2, NO_FILTER, true},
		{AGG_COUNT, 'n', 2, 3, true},
		{AGG_MAX, 'n', 2, NO_FILTER, true},
		{AGG_SUM, 'n', 2, NO_FILTER, false},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "llnnlnn", 1, first_two, 6, specs);
	fixture_start(&f);
	fixture_push(&f, "ltnb", "1|a|1.5|t\n1|a|1.50|f\n1|b|2|t\n2|a|1.5|f\n");
	fixture_push(&f, "ltnb", "1|a|1.500|t\n1||2|t\n1|NULL|NULL|t\n2|a|NULL|t\n");
	assert_string_equal(fixture_sorted(&f, fixture_finish(&f)),
		"1|3|3.500|1.7500000000000000|2|2|8.500\n"
		"2|1|1.5|1.50000000000000000000|0|1.5|1.5\n");
	fixture_release(&f);
}

/* Whatever a partial group does inside, a final one makes the results of a complete one of it. */
static const struct spec partial_specs[] = {
	{AGG_COUNT_STAR, 0, 0, 5, false},
	{AGG_SUM, 'l', 1, NO_FILTER, false},
	{AGG_AVG, 'l', 1, 5, false},
	{AGG_SUM, 'd', 2, NO_FILTER, false},
	{AGG_AVG, 'd', 2, 5, false},
	{AGG_MIN, 't', 3, 5, false},
	{AGG_MAX, 'n', 4, NO_FILTER, false},
	{AGG_BOOL_OR, 'b', 5, NO_FILTER, false},
	{AGG_COUNT, 't', 3, NO_FILTER, false},
	{AGG_SUM, 'n', 4, 5, false},
};
#define PARTIAL_SPECS (sizeof(partial_specs) / sizeof(partial_specs[0]))

static void push_random(struct fixture *f, uint64_t seed, uint32_t batches, uint64_t groups)
{
	struct rng rng;
	struct arena outer = f->arena;

	rng_init(&rng, seed);
	arena_init(&f->arena, 1u << 20);
	for (uint32_t b = 0; b < batches; b++) {
		struct batch batch = {.rows = 2000, .selected = 2000, .column_count = 6};

		arena_reset(&f->arena);
		batch.columns = arena_zalloc(&f->arena, 6 * sizeof(struct column));
		for (uint32_t c = 0; c < 6; c++) {
			column_init(&batch.columns[c], fixture_type("lldtnb"[c]), 2000, &f->arena);
			if (c > 0)
				column_add_validity(&batch.columns[c], 2000, &f->arena);
		}
		for (uint32_t row = 0; row < 2000; row++) {
			uint64_t x = rng_next(&rng);

			for (uint32_t c = 1; c < 6; c++)
				batch.columns[c].valid[row] = (x >> (40 + 3 * c) & 7) != 0;
			batch.columns[0].i64[row] = (int64_t)rng_below(&rng, groups);
			batch.columns[1].i64[row] = (int64_t)(x % 1000) - 500;
			batch.columns[2].f64[row] = (double)(int64_t)x * 1e-7;
			batch.columns[3].text[row] = text_from(
				arena_printf(&f->arena, "%05u", (unsigned)(x % 90000)), 5);
			batch.columns[4].num[row] = numeric_pack((int64_t)(x % 9999), x % 4);
			batch.columns[5].u8[row] = x >> 20 & 1;
		}
		fixture_push_batch(f, &batch);
	}
	arena_release(&f->arena);
	f->arena = outer;
}

static char *run_grouping(bool partial, uint64_t groups)
{
	static const char *const results = "llnndd"
					   "tnbln";
	struct spec merged[PARTIAL_SPECS];
	struct fixture f;
	uint32_t column = 1;
	char *text;

	fixture_init(&f);
	if (partial) {
		group_op(&f, GROUP_PARTIAL, "llnnltltnbln", 1, first_two, PARTIAL_SPECS,
			partial_specs);
		for (uint32_t i = 0; i < PARTIAL_SPECS; i++) {
			merged[i] = partial_specs[i];
			merged[i].arg = column;
			column += merged[i].id == AGG_AVG ? 2 : 1;
		}
		group_op(&f, GROUP_FINAL, results, 1, first_two, PARTIAL_SPECS, merged);
	} else {
		group_op(&f, GROUP_COMPLETE, results, 1, first_two, PARTIAL_SPECS, partial_specs);
	}
	fixture_start(&f);
	push_random(&f, groups, 40, groups);
	text = strdup(fixture_sorted(&f, fixture_finish(&f)));
	assert_true(f.rows > 0);
	fixture_release(&f);
	return text;
}

static void test_partial_then_final(void **state)
{
	static const uint64_t groups[] = {3, 5000, 30000, 1000000000};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		char *complete = run_grouping(false, groups[i]);
		char *merged = run_grouping(true, groups[i]);

		assert_string_equal(complete, merged);
		free(complete);
		free(merged);
	}
}

/* Distinct keys: it passes rows on, with the batch's own key column and selection. */
static void test_partial_passes(void **state)
{
	static const struct spec specs[] = {{AGG_COUNT_STAR, 0, 0, NO_FILTER, false}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_PARTIAL, "ll", 1, first_two, 1, specs);
	fixture_start(&f);
	for (int64_t b = 0; b < 20; b++) {
		struct batch batch = {.rows = 2048, .selected = 2048, .column_count = 1};
		struct column column;

		column_init(&column, type_of(TYPE_BIGINT), 2048, &f.arena);
		for (int64_t row = 0; row < 2048; row++)
			column.i64[row] = b * 2048 + row;
		batch.columns = &column;
		fixture_push_batch(&f, &batch);
	}
	/* All of them have left already. */
	assert_int_equal(f.rows, 20 * 2048);
	fixture_finish(&f);
	assert_int_equal(f.rows, 20 * 2048);
	fixture_release(&f);
}

/* A final group of more groups than a cache holds, every key in two states, then some NULLs. */
static void test_final_of_many_groups(void **state)
{
	enum { ROWS = 2000, BATCHES = 100 };
	static const struct spec specs[] = {
		{AGG_COUNT_STAR, 0, 2, NO_FILTER, false},
		{AGG_SUM, 'n', 3, NO_FILTER, false},
	};

	(void)state;
	for (int with_nulls = 0; with_nulls < 2; with_nulls++) {
		struct fixture f;
		uint64_t right = 0;

		fixture_init(&f);
		group_op(&f, GROUP_FINAL, "llln", 2, first_two, 2, specs);
		fixture_start(&f);
		for (int64_t b = 0; b < 2 * BATCHES; b++) {
			struct column columns[4];
			struct batch batch = {.rows = ROWS, .selected = ROWS, .column_count = 4};

			batch.columns = columns;
			for (int c = 0; c < 4; c++)
				column_init(&columns[c], fixture_type("llln"[c]), ROWS, &f.arena);
			for (int64_t row = 0; row < ROWS; row++) {
				columns[0].i64[row] = row % 10;
				columns[1].i64[row] = (b % BATCHES) * ROWS + row;
				columns[2].i64[row] = 1;
				columns[3].num[row] = numeric_pack(25, 1);
			}
			fixture_push_batch(&f, &batch);
		}
		if (with_nulls)
			fixture_push(&f, "llln", "0|NULL|1|5.0\n0|NULL|1|NULL\n");
		fixture_finish(&f);
		assert_int_equal(f.rows, ROWS * BATCHES + with_nulls);
		for (const char *line = f.out.data; line < f.out.data + f.out.size;) {
			const char *end =
				memchr(line, '\n', (size_t)(f.out.data + f.out.size - line));

			right += end - line > 6 && memcmp(end - 6, "|2|5.0", 6) == 0;
			line = end + 1;
		}
		assert_int_equal(right, f.rows);
		fixture_release(&f);
	}
}

static void test_overflow(void **state)
{
	static const struct spec ints[] = {{AGG_SUM, 'i', 0, NO_FILTER, false}};
	struct batch batch;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_COMPLETE, "l", 0, first_two, 1, ints);
	fixture_start(&f);
	batch = fixture_batch(&f, "l", "9223372036854775807\n1\n");
	fixture_push_batch(&f, &batch);
	assert_int_equal(pipeline_finish(f.pipeline, &f.err), -1);
	assert_string_equal(f.err.message, "bigint out of range");
	fixture_release(&f);
}

static void test_damaged_state(void **state)
{
	static const struct spec specs[] = {{AGG_SUM, 'd', 0, NO_FILTER, false}};
	struct batch batch;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	group_op(&f, GROUP_FINAL, "d", 0, first_two, 1, specs);
	fixture_start(&f);
	batch = fixture_batch(&f, "t", "not a sum\n");
	assert_int_equal(pipeline_push(f.pipeline, &batch, &f.err), -1);
	assert_int_equal(f.err.code, ERROR_DATA);
	fixture_release(&f);
}

/* The table itself: growth over many sizes, clear, and what it costs. */
static void test_table_grows(void **state)
{
	enum { ROWS = 200000 };
	static uint8_t *rows[BATCH_ROWS_MAX];
	static uint16_t created[BATCH_ROWS_MAX];
	struct type types[2] = {type_of(TYPE_BIGINT), type_of(TYPE_BIGINT)};
	struct group_table table;
	struct arena arena;
	struct column columns[2];
	struct batch batch = {.column_count = 2, .columns = columns};
	struct error err;
	uint32_t count;

	(void)state;
	arena_init(&arena, 1u << 16);
	group_table_init(&table, 2, types, 8);
	for (int turn = 0; turn < 3; turn++) {
		if (turn == 2)
			group_table_clear(&table);
		for (int64_t first = 0; first < ROWS; first += 1000) {
			arena_reset(&arena);
			batch.rows = batch.selected = 1000;
			column_init(&columns[0], types[0], 1000, &arena);
			column_init(&columns[1], types[1], 1000, &arena);
			for (int64_t i = 0; i < 1000; i++) {
				columns[0].i64[i] = (first + i) % 7;
				columns[1].i64[i] = first + i;
			}
			assert_int_equal(group_table_find(&table, &batch, first_two, rows, created,
						 &count, &err),
				0);
			assert_int_equal(count, turn == 1 ? 0 : 1000);
			for (uint32_t i = 0; i < 1000; i++)
				assert_int_equal(((int64_t *)rows[i])[1], first + i);
		}
		assert_int_equal(table.count, ROWS);
	}
	/* 24 bytes a row, and 22 of index just after it has doubled. */
	assert_true(group_table_bytes(&table) < ROWS * 46 + 65536);
	group_table_release(&table);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_and_sums),
		cmocka_unit_test(test_no_keys_over_nothing),
		cmocka_unit_test(test_rows_without_columns),
		cmocka_unit_test(test_extremes_and_bools),
		cmocka_unit_test(test_numeric_and_double_keys),
		cmocka_unit_test(test_keys_of_every_type),
		cmocka_unit_test(test_text_keys),
		cmocka_unit_test(test_constant_columns),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_distinct),
		cmocka_unit_test(test_partial_then_final),
		cmocka_unit_test(test_partial_passes),
		cmocka_unit_test(test_final_of_many_groups),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_damaged_state),
		cmocka_unit_test(test_table_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
