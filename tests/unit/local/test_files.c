#include "local/files.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct csv_dialect csv_default;

static char folder[64];

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tamiz-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *position)
{
	(void)info;
	(void)flag;
	(void)position;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void matches_plain_and_compressed_in_order(void **state)
{
	struct arena arena;
	struct file_list list;
	struct error err;

	(void)state;
	make_folder("t");
	write_file("t/b.csv", "x\n1\n");
	write_file("t/a.csv.gz", "");
	write_file("t/c.csv.zst", "");
	write_file("t/d.txt", "not a table");
	arena_init(&arena, 4096);
	assert_int_equal(files_match(DATA_PLACE(folder), "t/*.csv", &arena, &list, &err), 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.bytes, 4);
	assert_non_null(strstr(list.paths[0], "a.csv.gz"));
	assert_non_null(strstr(list.paths[1], "b.csv"));
	assert_non_null(strstr(list.paths[2], "c.csv.zst"));
	arena_release(&arena);
}

static void no_match_and_no_folder_say_what_to_do(void **state)
{
	struct arena arena;
	struct file_list list;
	struct error err;

	(void)state;
	write_file("plain", "");
	arena_init(&arena, 4096);
	assert_int_equal(files_match(DATA_PLACE(folder), "t/*.csv", &arena, &list, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_non_null(strstr(err.message, "no file matches"));
	assert_int_equal(
		files_match(DATA_PLACE("/nowhere/at/all"), "*.csv", &arena, &list, &err), -1);
	assert_non_null(strstr(err.message, "No such file"));
	/* A file in place of a folder is what a pattern may match. */
	assert_int_equal(files_match(DATA_PLACE(arena_printf(&arena, "%s/plain", folder)), "pl*",
				 &arena, &list, &err),
		0);
	assert_int_equal(list.count, 1);
	assert_int_equal(files_match(DATA_PLACE(arena_printf(&arena, "%s/plain", folder)), "t/*",
				 &arena, &list, &err),
		-1);
	assert_non_null(strstr(err.message, "no file matches"));
	arena_release(&arena);
}

static void infers_a_table_a_file_and_a_folder(void **state)
{
	struct arena arena;
	struct catalog catalog;
	struct error err;

	(void)state;
	make_folder("orders");
	make_folder("empty");
	write_file("orders/1.csv", "id,price\n1,2.50\n");
	write_file("orders/2.csv", "id,price\n2,3.00\n");
	write_file("odd[name].csv", "day\n2024-01-31\n");
	arena_init(&arena, 4096);
	assert_int_equal(
		files_infer_catalog(DATA_PLACE(folder), &csv_default, NULL, &arena, &catalog, &err),
		0);
	assert_int_equal(catalog.table_count, 2);
	assert_string_equal(catalog.tables[0].name, "odd[name]");
	assert_int_equal(catalog.tables[0].columns[0].type.kind, TYPE_DATE);
	assert_string_equal(catalog.tables[1].name, "orders");
	assert_int_equal(catalog.tables[1].column_count, 2);
	assert_int_equal(catalog.tables[1].columns[0].type.kind, TYPE_BIGINT);
	assert_int_equal(catalog.tables[1].columns[1].type.kind, TYPE_NUMERIC);
	assert_int_equal(catalog.tables[1].bytes, 32);
	arena_release(&arena);
}

static void two_tables_of_one_name_are_refused(void **state)
{
	struct arena arena;
	struct catalog catalog;
	struct error err;

	(void)state;
	make_folder("t");
	write_file("t/1.csv", "id\n1\n");
	write_file("t.csv", "id\n1\n");
	arena_init(&arena, 4096);
	assert_int_equal(
		files_infer_catalog(DATA_PLACE(folder), &csv_default, NULL, &arena, &catalog, &err),
		0);
	assert_int_equal(catalog.table_count, 1);
	assert_int_equal(catalog.tables[0].problem->code, ERROR_USAGE);
	assert_non_null(strstr(catalog.tables[0].problem->message, "two tables named t"));
	arena_release(&arena);
}

/* A query that does not name the bad table is not hindered by it. */
static void a_folder_named_like_a_file_is_a_problem_of_its_own(void **state)
{
	struct arena arena;
	struct catalog catalog;
	struct error err;

	(void)state;
	make_folder("x.csv");
	write_file("y.csv", "id\n1\n");
	arena_init(&arena, 4096);
	assert_int_equal(
		files_infer_catalog(DATA_PLACE(folder), &csv_default, NULL, &arena, &catalog, &err),
		0);
	assert_int_equal(catalog.table_count, 2);
	assert_int_equal(catalog.tables[0].problem->code, ERROR_IO);
	assert_non_null(strstr(catalog.tables[0].problem->message, "folder named like a CSV file"));
	assert_null(catalog.tables[1].problem);
	arena_release(&arena);
}

static void a_folder_without_tables_is_no_error(void **state)
{
	struct arena arena;
	struct catalog catalog;
	struct error err;

	(void)state;
	write_file("notes.md", "nothing to query");
	arena_init(&arena, 4096);
	assert_int_equal(
		files_infer_catalog(DATA_PLACE(folder), &csv_default, NULL, &arena, &catalog, &err),
		0);
	assert_int_equal(catalog.table_count, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			matches_plain_and_compressed_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(
			no_match_and_no_folder_say_what_to_do, setup, teardown),
		cmocka_unit_test_setup_teardown(
			infers_a_table_a_file_and_a_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_folder_without_tables_is_no_error, setup, teardown),
		cmocka_unit_test_setup_teardown(
			two_tables_of_one_name_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_folder_named_like_a_file_is_a_problem_of_its_own, setup, teardown),
	};

	csv_default = csv_dialect_default();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
