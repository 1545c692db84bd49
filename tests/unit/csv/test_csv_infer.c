#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csv/infer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files are known to have commas: a single column can often be read in several ways. */
static bool commas_are_given;
static char folder[] = "/tmp/test_csv_infer.XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* Infers from up to four files with these texts. */
static int infer(const char *const *texts, uint32_t count, struct arena *arena,
	struct table_schema *table, struct error *err)
{
	static char names[4][64];
	const char *paths[4] = {NULL};
	int status;

	for (uint32_t i = 0; i < count; i++) {
		FILE *out;

		snprintf(names[i], sizeof(names[i]), "%s/%u.csv", folder, i);
		paths[i] = names[i];
		out = fopen(names[i], "wb");
		assert_non_null(out);
		fputs(texts[i], out);
		fclose(out);
	}
	*table = (struct table_schema){
		.name = "t", .dialect = csv_dialect_default(), .format = csv_format_default()};
	table->dialect.given |= commas_are_given ? CSV_GIVEN_DELIMITER : 0;
	status = csv_infer(table, paths, count, arena, err);
	for (uint32_t i = 0; i < count; i++)
		unlink(names[i]);
	return status;
}

/* The type of the only column of a file with these values. */
static enum type_kind kind_of(const char *values)
{
	struct table_schema table;
	struct arena arena;
	struct error err;
	char text[1024];
	const char *texts[] = {text};
	enum type_kind kind;

	snprintf(text, sizeof(text), "x\n%s", values);
	arena_init(&arena, 4096);
	commas_are_given = true;
	assert_int_equal(infer(texts, 1, &arena, &table, &err), 0);
	commas_are_given = false;
	assert_int_equal(table.column_count, 1);
	assert_string_equal(table.columns[0].name, "x");
	kind = table.columns[0].type.kind;
	arena_release(&arena);
	return kind;
}

static void test_types(void **state)
{
	static const struct {
		const char *values;
		enum type_kind kind;
	} cases[] = {
		{"", TYPE_TEXT},
		{"\n\n\n", TYPE_TEXT},
		{"1\n2\n", TYPE_BIGINT},
		{"0\n-5\n\n9223372036854775807\n", TYPE_BIGINT},
		{"9223372036854775808\n", TYPE_NUMERIC},
		{"1\n2.5\n", TYPE_NUMERIC},
		{"17.0\n", TYPE_NUMERIC},
		{"0.5\n-0.25\n", TYPE_NUMERIC},
		{"1\n2.5\n1e10\n", TYPE_DOUBLE},
		{"1\nNaN\n", TYPE_BIGINT},
		{"1\ninf\n", TYPE_DOUBLE},
		{"1\nNA\nn/a\n-\n\\N\nnull\nNULL\n2.5\n", TYPE_NUMERIC},
		{"true\nNA\n", TYPE_TEXT},
		{"NA\n2024-01-01\n", TYPE_DATE},
		{".5\n-.25\n5.\n", TYPE_NUMERIC},
		{" 5\n6 \n", TYPE_BIGINT},
		{"2024-01-01 10:00:00+02:00\n", TYPE_TIMESTAMP},
		{"2024-01-01 10:00:00+02:00\n2024-01-01 10:00:00\n", TYPE_TEXT},
		{"31/12/2024\n01/02/2024\n", TYPE_DATE},
		{"12/31/24\n", TYPE_DATE},
		{"31.12.2024\n1.2.2024\n", TYPE_DATE},
		{"2024/12/31\n", TYPE_DATE},
		{"31/12/2024 10:00\n", TYPE_TIMESTAMP},
		{"01/02/2024\n03/04/2024\n", TYPE_TEXT}, /* which is the month? */
		{"31/12/2024\n12/31/2024\n", TYPE_TEXT},
		{"31/12/2024\n31.12.2024\n", TYPE_TEXT},
		{"10.04.12\n", TYPE_TEXT}, /* a version, perhaps */
		{"1 234\n5\n", TYPE_BIGINT},
		{"1'234.5\n", TYPE_NUMERIC},
		{"NaN\n", TYPE_TEXT},
		{"123456789012345678901234567890123456789012\n", TYPE_DOUBLE},
		{"01234\n", TYPE_TEXT},
		{"1\n01234\n", TYPE_TEXT},
		{"00.5\n", TYPE_TEXT},
		{"+54\n", TYPE_TEXT},
		{"true\nFALSE\n", TYPE_BOOL},
		{"t\nf\n", TYPE_TEXT},
		{"true\n1\n", TYPE_TEXT},
		{"2024-01-01\n", TYPE_DATE},
		{"2024-01-01\n2024-01-01 07:00:00\n", TYPE_TIMESTAMP},
		{"2024-01-01T07:00:00Z\n", TYPE_TIMESTAMP},
		{"2024-02-30\n", TYPE_TEXT},
		{"2024-01-01\n5\n", TYPE_TEXT},
		{"1\ny\n", TYPE_TEXT},
		{"\"1\"\n\"2\"\n\"\"\n", TYPE_BIGINT},
		{"-\n", TYPE_TEXT},
		{".\n", TYPE_TEXT},
		{"07:00:00\n", TYPE_TEXT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (kind_of(cases[i].values) != cases[i].kind)
			fail_msg("%s: %s", cases[i].values,
				type_kind_name(kind_of(cases[i].values)));
	}
}

/* How numbers are written is found for a whole column, and in quotes they may have commas. */
static void test_marks(void **state)
{
	static const struct {
		const char *values;
		enum type_kind kind;
		char decimal, thousands;
	} cases[] = {
		{"\"1.234,50\"\n\"7,25\"\n", TYPE_NUMERIC, ',', '.'},
		{"\"1,234.50\"\n7.25\n", TYPE_NUMERIC, '\0', ','},
		{"\"1,234,567\"\n7\n", TYPE_BIGINT, '\0', ','},
		{"\"7,25\"\n8\n", TYPE_NUMERIC, ',', '\0'},
		{"\"1,234\"\n\"5,678\"\n", TYPE_TEXT, '\0', '\0'}, /* thousands, or fractions */
		{"\"1,23,4\"\n", TYPE_TEXT, '\0', '\0'},
		{"1.234\n5.678\n", TYPE_NUMERIC, '\0', '\0'},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table_schema table;
		struct arena arena;
		struct error err;
		char text[256];
		const char *texts[] = {text};

		snprintf(text, sizeof(text), "n,x\n");
		for (const char *at = cases[i].values; *at;) {
			size_t size = strcspn(at, "\n");

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "1,%.*s\n",
				(int)size, at);
			at += size + 1;
		}
		arena_init(&arena, 4096);
		assert_int_equal(infer(texts, 1, &arena, &table, &err), 0);
		if (table.columns[1].type.kind != cases[i].kind ||
			table.columns[1].reading.decimal != cases[i].decimal ||
			table.columns[1].reading.thousands != cases[i].thousands)
			fail_msg("%s: %s", cases[i].values,
				type_kind_name(table.columns[1].type.kind));
		assert_int_equal(table.columns[1].note != NULL, i == 4);
		arena_release(&arena);
	}
}

/* A point may be anything in a table whose fractions have commas. */
static void test_points_among_commas(void **state)
{
	static const char *const texts[] = {"a;b\n1,5;1.234\n2,25;5.678\n"};
	struct table_schema table;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(infer(texts, 1, &arena, &table, &err), 0);
	assert_int_equal(table.columns[0].type.kind, TYPE_NUMERIC);
	assert_int_equal(table.columns[1].type.kind, TYPE_TEXT);
	assert_non_null(strstr(table.columns[1].note, "thousands"));
	arena_release(&arena);
}

static void test_several_files(void **state)
{
	static const char *const texts[] = {
		"id,name,at\n1,a,2024-01-01\n", "at,extra,id,name\n2024-01-02,x,2.5,b\n", ""};
	struct table_schema table;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(infer(texts, 3, &arena, &table, &err), 0);
	assert_int_equal(table.column_count, 4); /* those of all files */
	assert_string_equal(table.columns[0].name, "id");
	assert_int_equal(table.columns[0].type.kind, TYPE_NUMERIC);
	assert_int_equal(table.columns[1].type.kind, TYPE_TEXT);
	assert_string_equal(table.columns[2].name, "at");
	assert_int_equal(table.columns[2].type.kind, TYPE_DATE);
	assert_string_equal(table.columns[3].name, "extra");
	assert_int_equal(table.dialect.columns, CSV_COLUMNS_UNION);
	assert_non_null(strstr(table.note, "has no \"extra\""));
	arena_release(&arena);
}

static void test_names(void **state)
{
	static const char *const texts[] = {"a,,a,a_1, b \n1,2,3,4,5\n"};
	static const char *const names[] = {"a", "column_2", "a_1", "a_1_1", "b"};
	struct table_schema table;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(infer(texts, 1, &arena, &table, &err), 0);
	assert_int_equal(table.column_count, 5);
	for (uint32_t c = 0; c < 5; c++)
		assert_string_equal(table.columns[c].name, names[c]);
	arena_release(&arena);
}

static void check_error(const char *const *texts, uint32_t count, const char *part)
{
	struct table_schema table;
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	assert_int_equal(infer(texts, count, &arena, &table, &err), -1);
	assert_int_equal(err.code, ERROR_DATA);
	assert_non_null(strstr(err.message, part));
	arena_release(&arena);
}

static void test_errors(void **state)
{
	static const char *const empty[] = {"", ""};
	static const char *const two_ways[] = {"x\n1,5\n"}; /* a fraction, or two numbers */
	static const char *const other[] = {"a,b\n1,2\n3,4\n", "5,6\n7,8\n"};

	(void)state;
	check_error(empty, 2, "no header");
	check_error(two_ways, 1, "can be read in two ways");
	check_error(other, 2, "seems to have no header");
}

/* Appends to a text that has room for it. */
static size_t put(char *text, size_t size, const char *more)
{
	memcpy(text + size, more, strlen(more));
	return size + strlen(more);
}

static void test_sample_is_limited(void **state)
{
	size_t room = (CSV_INFER_ROWS + 10000) * 2 + 100;
	char *text = malloc(room);
	const char *texts[] = {text};
	struct table_schema table;
	struct arena arena;
	struct error err;
	size_t size = 0;

	(void)state;
	size = put(text, size, "x\n");
	for (int i = 0; i < CSV_INFER_ROWS + 9000; i++)
		size = put(text, size, "1\n");
	size = put(text, size, "not a number\n");
	text[size] = '\0';
	arena_init(&arena, 4096);
	assert_int_equal(infer(texts, 1, &arena, &table, &err), 0);
	assert_int_equal(table.columns[0].type.kind, TYPE_BIGINT);
	arena_release(&arena);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_points_among_commas),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_sample_is_limited),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
