#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "csv/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS 60000

static char path[] = "/tmp/test_csv_sample.XXXXXX";
static const bool all[] = {true, true, true, true, true, true};

static struct table_column columns[] = {
	{.name = "id", .type = {TYPE_BIGINT, NUMERIC_ANY, NUMERIC_ANY}},
	{.name = "parent",
		.type = {TYPE_BIGINT, NUMERIC_ANY, NUMERIC_ANY}}, /* 5 rows each, together */
	{.name = "colour", .type = {TYPE_TEXT, NUMERIC_ANY, NUMERIC_ANY}},
	{.name = "other", .type = {TYPE_INT, NUMERIC_ANY, NUMERIC_ANY}}, /* one of 2000 */
	{.name = "price", .type = {TYPE_NUMERIC, NUMERIC_ANY, NUMERIC_ANY}},
	{.name = "list", .type = {TYPE_TEXT_LIST, NUMERIC_ANY, NUMERIC_ANY}},
};

static struct table_schema table(void)
{
	struct table_schema table = {.name = "t",
		.files = "t.csv",
		.column_count = 6,
		.columns = columns,
		.dialect = csv_dialect_default(),
		.format = csv_format_default()};
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	table.bytes = (uint64_t)info.st_size;
	return table;
}

static int setup(void **state)
{
	int file = mkstemp(path);
	FILE *out = file < 0 ? NULL : fdopen(file, "w");
	struct rng rng;

	(void)state;
	if (!out)
		return -1;
	rng_init(&rng, 1);
	fprintf(out, "id,parent,colour,other,price,list\n");
	for (int i = 0; i < ROWS; i++)
		fprintf(out, "%d,%d,%s,%u,%s,\"{a,\"\"b\nc\"\"}\"\n", i, i / 5,
			i % 10 ? "red" : (i % 20 ? "green" : "blue"),
			(unsigned)rng_below(&rng, 2000), i % 4 ? "" : "1.50");
	return fclose(out);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void check_near(double got, double expected)
{
	if (got < expected / 1.5 || got > expected * 1.5)
		fail_msg("%g instead of about %g", got, expected);
}

static void check_statistics(const struct table_statistics *found)
{
	struct value red = {.type = type_of(TYPE_TEXT), .text = text_from("red", 3)};
	struct value black = {.type = type_of(TYPE_TEXT), .text = text_from("black", 5)};

	check_near(found->rows, ROWS);
	check_near(found->columns[0].distinct, ROWS);
	check_near(found->columns[1].distinct, ROWS / 5.0);
	check_near(found->columns[2].distinct, 3);
	check_near(found->columns[3].distinct, 2000);
	check_near(found->columns[4].distinct, 1);
	check_near(found->columns[4].nulls, 0.75);
	check_near(statistics_equal(&found->columns[2], statistics_key(&red)), 0.9);
	assert_true(statistics_equal(&found->columns[2], statistics_key(&black)) < 0.01);
	/* The ids ascend: a sample of the beginning would know the first ones alone. */
	check_near(statistics_between(&found->columns[0], 0, ROWS / 2.0), 0.5);
	check_near(statistics_between(&found->columns[3], 500, 1500), 0.5);
	assert_true(found->columns[5].distinct == 0);
}

static void test_pieces_of_a_file(void **state)
{
	struct table_schema t = table();
	const char *paths[] = {path};
	struct table_statistics *found;
	struct arena arena;

	(void)state;
	arena_init(&arena, 4096);
	found = csv_sample(&t, paths, 1, all, &arena);
	assert_non_null(found);
	check_statistics(found);
	arena_release(&arena);
}

/* Nothing that can be read once is looked at, and nothing that is not there is an error. */
static void test_what_is_no_file(void **state)
{
	static const char *const nowhere[] = {"/dev/stdin", "/nowhere/at/all.csv", "/"};
	struct table_schema t = table();
	struct arena arena;

	(void)state;
	arena_init(&arena, 4096);
	for (int i = 0; i < 3; i++)
		assert_null(csv_sample(&t, &nowhere[i], 1, all, &arena));
	arena_release(&arena);
}

static void test_small_file_is_known_exactly(void **state)
{
	static const bool wanted[] = {true, false, true, false, false, false};
	const char *paths[] = {path};
	struct table_statistics *found;
	struct table_schema t;
	struct arena arena;

	(void)state;
	assert_int_equal(truncate(path, 2000), 0);
	t = table();
	arena_init(&arena, 4096);
	found = csv_sample(&t, paths, 1, wanted, &arena);
	assert_non_null(found);
	assert_true(found->columns[0].distinct >= 60 && found->columns[0].distinct <= found->rows);
	assert_true(found->columns[2].distinct == 3);
	assert_true(found->columns[1].distinct == 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_of_a_file),
		cmocka_unit_test(test_what_is_no_file),
		cmocka_unit_test(test_small_file_is_known_exactly),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
