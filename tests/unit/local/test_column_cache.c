#include "local/column_cache.h"

#include "base/arena.h"
#include "column/numeric_long.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ROWS 3

static char path[64];
static struct table_schema schema;
static const char *const names[] = {"a", "b"};
static struct type types[2];
static struct csv_layout both, first;

/* A file of one chunk that was written long ago. */
static void write_file(const char *text)
{
	const struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static int setup(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/tamiz-test-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	write_file("a,b\n1,x\n2,y\n3,\n");
	schema = (struct table_schema){.name = "t", .files = "t.csv"};
	schema.dialect = csv_dialect_default();
	types[0] = type_of(TYPE_NUMERIC);
	types[1] = type_of(TYPE_TEXT);
	both = (struct csv_layout){.column_count = 2, .names = names, .types = types};
	first = both;
	first.column_count = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static struct cached_scan *begin(struct column_cache *cache, const struct csv_layout *layout)
{
	struct cached_scan *scan = cached_scan_begin(cache, path, &schema, layout, 1024, false);

	assert_non_null(scan);
	return scan;
}

/* Reads the file as a scan would: one chunk of one batch, made up here; what is borrowed is overwritten behind it. */
static int fill(struct column_cache *cache, const struct csv_layout *layout, bool whole)
{
	struct cached_scan *scan = begin(cache, layout);
	struct arena arena;
	uint64_t limbs[3] = {1, 2, 3};
	numeric numbers[ROWS] = {numeric_from_i64(1), numeric_long_make(limbs, 3, true, 2), 0};
	char bytes[] = "xy";
	struct text texts[ROWS] = {text_from(bytes, 1), text_from(bytes + 1, 1), {NULL, 0, 0}};
	uint8_t valid[ROWS] = {1, 1, 0};
	struct column columns[2] = {{.type = types[0], .num = numbers},
		{.type = types[1], .text = texts, .valid = valid}};
	struct batch batch = {.rows = ROWS,
		.selected = ROWS,
		.column_count = layout->column_count,
		.columns = columns};
	struct cached_chunk *chunk = cached_chunk_new(scan, 0);
	struct csv_chunk read;
	struct csv_file *file;
	struct error err;
	int status;

	arena_init(&arena, 1024);
	assert_int_equal(csv_file_open(&file, path, &schema, NULL, 1024, &err), 0);
	csv_chunk_init(&read);
	assert_int_equal(csv_file_next(file, &read, &err), 1);
	assert_int_equal(csv_file_next(file, &read, &err), 0);
	assert_int_equal(cached_chunk_add(chunk, &batch, false, &err), 0);
	cached_chunk_put(chunk, 1);
	status = cached_scan_end(scan, file, whole, &err);
	memset(limbs, 0, sizeof(limbs));
	memset(bytes, 0, sizeof(bytes));
	csv_chunk_release(&read);
	csv_file_close(file);
	arena_release(&arena);
	return status;
}

static bool is_whole(struct column_cache *cache, const struct csv_layout *layout)
{
	struct cached_scan *scan = begin(cache, layout);
	bool whole = cached_scan_is_whole(scan);
	struct error err;

	assert_int_equal(cached_scan_end(scan, NULL, false, &err), 0);
	return whole;
}

static void what_was_put_comes_back(void **state)
{
	struct column_cache *cache = column_cache_new(1 << 20);
	const uint64_t limbs[3] = {1, 2, 3};
	struct cached_scan *scan;
	struct column columns[2];
	struct batch batch = {.columns = columns, .column_count = 2};
	struct error err;

	(void)state;
	assert_int_equal(fill(cache, &both, true), 0);
	scan = begin(cache, &both);
	assert_true(cached_scan_is_whole(scan));
	assert_int_equal(cached_scan_batches(scan), 1);
	cached_scan_get(scan, 0, &batch);
	assert_int_equal(batch.rows, ROWS);
	assert_int_equal(numeric_compare(columns[0].num[0], numeric_from_i64(1)), 0);
	assert_true(numeric_identical(columns[0].num[1], numeric_long_make(limbs, 3, true, 2)));
	assert_null(columns[0].valid);
	assert_memory_equal(columns[1].text[0].data, "x", 1);
	assert_memory_equal(columns[1].text[1].data, "y", 1);
	assert_memory_equal(columns[1].valid, ((uint8_t[]){1, 1, 0}), ROWS);
	assert_int_equal(cached_scan_end(scan, NULL, true, &err), 0);
	column_cache_free(cache);
}

static void a_missing_column_is_added_to_those_that_are_there(void **state)
{
	struct column_cache *cache = column_cache_new(1 << 20);
	struct csv_layout none = {0};

	(void)state;
	assert_int_equal(fill(cache, &first, true), 0);
	assert_true(is_whole(cache, &first));
	assert_true(is_whole(cache, &none));
	assert_false(is_whole(cache, &both));
	assert_int_equal(fill(cache, &both, true), 0);
	assert_true(is_whole(cache, &both));
	types[0] = type_of(TYPE_DOUBLE);
	assert_false(is_whole(cache, &first));
	types[0] = type_of(TYPE_NUMERIC);
	schema.dialect.delimiter[0] = ';';
	assert_false(is_whole(cache, &first));
	column_cache_free(cache);
}

static void a_part_is_nothing(void **state)
{
	struct column_cache *cache = column_cache_new(1 << 20);
	struct cached_scan *scan;
	struct error err;

	(void)state;
	assert_int_equal(fill(cache, &first, false), 0);
	assert_false(is_whole(cache, &first));
	scan = begin(cache, &first);
	cached_scan_give_up(scan);
	assert_int_equal(cached_scan_end(scan, NULL, true, &err), 0);
	assert_false(is_whole(cache, &first));
	column_cache_free(cache);
}

static void a_file_that_changed_is_another(void **state)
{
	struct column_cache *cache = column_cache_new(1 << 20);
	struct cached_scan *scan;
	struct error err;

	(void)state;
	assert_int_equal(fill(cache, &first, true), 0);
	/* A second column is read while the file becomes another: what is read is not of one time. */
	scan = begin(cache, &both);
	write_file("a,b\n1,x\n2,y\n4,\n");
	assert_int_equal(cached_scan_end(scan, NULL, true, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_false(is_whole(cache, &first));
	/* Of one that is written to right now nothing is kept. */
	assert_int_equal(utimensat(AT_FDCWD, path, NULL, 0), 0);
	assert_null(cached_scan_begin(cache, path, &schema, &first, 1024, false));
	column_cache_free(cache);
}

static void without_room_nothing_is_kept(void **state)
{
	struct column_cache *cache = column_cache_new(64);

	(void)state;
	assert_int_equal(fill(cache, &both, true), 0);
	assert_false(is_whole(cache, &first));
	column_cache_resize(cache, 1 << 20);
	assert_int_equal(fill(cache, &both, true), 0);
	assert_true(is_whole(cache, &both));
	column_cache_resize(cache, 0);
	assert_null(cached_scan_begin(cache, path, &schema, &first, 1024, false));
	column_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_put_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_missing_column_is_added_to_those_that_are_there, setup, teardown),
		cmocka_unit_test_setup_teardown(a_part_is_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_that_changed_is_another, setup, teardown),
		cmocka_unit_test_setup_teardown(without_room_nothing_is_kept, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
