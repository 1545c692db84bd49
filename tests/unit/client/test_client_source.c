#include "client/source.h"
#include "local/files.h"
#include "sql/compile.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmocka.h>

static char folder[64];
static struct arena arena;
static struct catalog catalog;
static struct plan *plan;

static void path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	path_of(name, path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

static void write_gz(const char *name, const char *text)
{
	char path[256];
	gzFile file;

	path_of(name, path);
	file = gzopen(path, "w");
	assert_non_null(file);
	assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

static int setup(void **state)
{
	struct sql_text query = {.name = "", .title = "", .text = "SELECT sum(n) FROM t"};
	struct error err;

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tamiz-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	arena_init(&arena, 4096);
	if (sql_schema("s", "CREATE TABLE t (id int, n int) WITH (files = '*.csv')", &arena,
		    &catalog, &err))
		return -1;
	return sql_compile(&catalog, &query, 1, &arena, &plan, &err);
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
	arena_release(&arena);
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static struct chunk_source *open_source(size_t chunk_bytes)
{
	struct chunk_source *source;
	struct error err;

	assert_int_equal(source_new(&source, plan, &catalog, DATA_PLACE(folder), &err), 0);
	source_set_chunk_bytes(source, chunk_bytes);
	return source;
}

/* Asks until it does not say LATER. */
static enum session_read read_chunk(
	struct chunk_source *source, uint32_t number, const char **bytes, size_t *size)
{
	static char text[1u << 20];
	struct session_chunk chunk;
	enum session_read status;
	struct error err;

	do {
		status = source_read(source, "t", number, &chunk, &err);
	} while (status == SESSION_READ_LATER);
	if (status != SESSION_READ_CHUNK)
		return status;
	*size = chunk.header.size + chunk.records.size;
	assert_true(*size <= sizeof(text));
	memcpy(text, chunk.header.data, chunk.header.size);
	memcpy(text + chunk.header.size, chunk.records.data, chunk.records.size);
	*bytes = text;
	chunk.loan->done(chunk.loan);
	return status;
}

static void expect(struct chunk_source *source, uint32_t number, const char *text)
{
	const char *bytes;
	size_t size;

	assert_int_equal(read_chunk(source, number, &bytes, &size), SESSION_READ_CHUNK);
	assert_int_equal(size, strlen(text));
	assert_memory_equal(bytes, text, size);
}

static void expect_end(struct chunk_source *source, uint32_t number)
{
	const char *bytes;
	size_t size;

	assert_int_equal(read_chunk(source, number, &bytes, &size), SESSION_READ_END);
}

static void test_files_in_order_with_their_headers(void **state)
{
	struct chunk_source *source;

	(void)state;
	write_file("b.csv", "n,id\n3,4\n");
	write_file("a.csv", "\xef\xbb\xbfid,n\n1,2\n");
	write_file("c.csv", "");
	write_gz("d.csv.gz", "id,\"n\"\n5,6\n");
	write_file("e.csv", "id,n\n");
	source = open_source(4096);
	expect(source, 1, "\"id\",\"n\"\n1,2\n");
	expect(source, 2, "\"n\",\"id\"\n3,4\n");
	expect(source, 3, "\"id\",\"n\"\n5,6\n");
	expect_end(source, 4);
	expect(source, 1, "\"id\",\"n\"\n1,2\n"); /* kept */
	source_acked(source, "t", 1);
	expect(source, 1, "\"id\",\"n\"\n1,2\n"); /* cut again */
	expect(source, 3, "\"id\",\"n\"\n5,6\n");
	source_free(source);
}

static void write_long(void)
{
	char path[256];
	FILE *file;

	path_of("long.csv", path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("id,n\n", file);
	for (int i = 0; i < 3000; i++)
		fprintf(file, i % 7 ? "%d,%d\n" : "%d,\"%d\"\n", i, i * 3);
	fclose(file);
}

/* Whoever begins anywhere gets the same chunks, and all rows are in them once. */
static void test_same_cut_from_anywhere(void **state)
{
	struct chunk_source *whole, *part;
	char *chunks[200];
	uint32_t count = 0;
	uint64_t rows = 0;
	const char *bytes;
	size_t size;

	(void)state;
	write_long();
	whole = open_source(500);
	while (read_chunk(whole, count + 1, &bytes, &size) == SESSION_READ_CHUNK) {
		assert_true(count < 200);
		chunks[count] = calloc(1, size + 1);
		memcpy(chunks[count], bytes, size);
		for (size_t i = 0; i < size; i++)
			rows += bytes[i] == '\n';
		count++;
		source_acked(whole, "t", count);
	}
	assert_true(count > 50);
	assert_int_equal(rows, 3000 + count);
	assert_int_equal(source_bytes_acked(whole), source_bytes_total(whole));
	for (uint32_t first = 1; first <= count; first += 7) {
		part = open_source(500);
		expect(part, first, chunks[first - 1]);
		if (first + 2 <= count)
			expect(part, first + 2, chunks[first + 1]);
		if (first > 1)
			expect(part, first - 1, chunks[first - 2]);
		source_free(part);
	}
	for (uint32_t i = 0; i < count; i++)
		free(chunks[i]);
	source_free(whole);
}

static void test_errors_name_the_file(void **state)
{
	struct chunk_source *source;
	struct session_chunk chunk;
	struct error err;

	(void)state;
	assert_int_equal(source_new(&source, plan, &catalog, DATA_PLACE(folder), &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_non_null(strstr(err.message, "table t: no file matches"));
	write_file("a.csv", "id,n\n1,2\n");
	write_file("b.csv", "id,m\n1,2\n");
	source = open_source(4096);
	expect(source, 1, "\"id\",\"n\"\n1,2\n");
	assert_int_equal(source_read(source, "t", 2, &chunk, &err), SESSION_READ_ERROR);
	assert_int_equal(err.code, ERROR_DATA);
	assert_non_null(strstr(err.message, "b.csv"));
	assert_int_equal(source_read(source, "x", 1, &chunk, &err), SESSION_READ_ERROR);
	source_free(source);
}

/* Bytes that a connection is still sending stay as they are, whoever acknowledged them. */
static void test_lent_chunks_stay(void **state)
{
	struct session_chunk first, again, second;
	struct chunk_source *source;
	struct error err;

	(void)state;
	write_file("a.csv", "id,n\n1,2\n");
	write_file("b.csv", "id,n\n3,4\n");
	write_file("c.csv", "id,n\n5,6\n");
	source = open_source(4096);
	assert_int_equal(source_read(source, "t", 1, &first, &err), SESSION_READ_CHUNK);
	assert_int_equal(source_read(source, "t", 1, &again, &err), SESSION_READ_CHUNK);
	assert_ptr_equal(first.records.data, again.records.data);
	source_acked(source, "t", 1);
	again.loan->done(again.loan);
	assert_int_equal(source_read(source, "t", 2, &second, &err), SESSION_READ_CHUNK);
	assert_ptr_not_equal(first.records.data, second.records.data);
	assert_memory_equal(first.records.data, "1,2\n", 4);
	first.loan->done(first.loan);
	/* Now its memory is free for the next. */
	assert_int_equal(source_read(source, "t", 3, &again, &err), SESSION_READ_CHUNK);
	assert_ptr_equal(first.loan, again.loan);
	assert_memory_equal(again.records.data, "5,6\n", 4);
	again.loan->done(again.loan);
	second.loan->done(second.loan);
	source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_files_in_order_with_their_headers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_cut_from_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors_name_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lent_chunks_stay, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
