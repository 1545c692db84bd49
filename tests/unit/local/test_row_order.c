/* Rows in the order of the input: behind a write that failed nothing is printed. */
#include "base/memory.h"
#include "local/files.h"
#include "local/run.h"
#include "sql/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Enough bytes for several threads. */
#define ROWS 1000000
/* Its rows are one batch: a thread that is at one does not look up before it is done. */
#define CHUNK_BYTES 4096
#define CHUNK_ROWS  1000
/* What the thread that failed does until the others know is short: they get several chances. */
#define ROUNDS	10
#define POLL_US 100

/* Fails the first time that it prints, while another thread is at the chunk behind. */
struct failing_sink {
	struct result_sink sink;
	atomic_bool is_behind;
	atomic_bool failed;
	atomic_uint printed_after;
};

static int refuse_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	(void)sink, (void)query, (void)batch;
	return error_set(err, ERROR_INTERNAL, "the rows of this query are formatted by threads");
}

static int accept_end(struct result_sink *sink, uint32_t query, struct error *err)
{
	(void)sink, (void)query, (void)err;
	return 0;
}

static void format(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct buf *out)
{
	struct failing_sink *failing = (struct failing_sink *)sink;
	const struct column *ids = &batch->columns[0];
	int64_t first = ids->i64[column_index(ids, batch_row(batch, 0))];

	(void)query;
	if (first > CHUNK_ROWS)
		atomic_store(&failing->is_behind, true);
	while (first > CHUNK_ROWS && !atomic_load(&failing->failed))
		usleep(POLL_US);
	buf_append_text(out, "row");
}

static int fail_once(
	struct result_sink *sink, uint32_t query, const struct buf *bytes, struct error *err)
{
	struct failing_sink *failing = (struct failing_sink *)sink;

	(void)query, (void)bytes;
	while (!atomic_load(&failing->is_behind))
		usleep(POLL_US);
	if (!atomic_exchange(&failing->failed, true))
		return error_set(err, ERROR_IO, "there was no room");
	atomic_fetch_add(&failing->printed_after, 1);
	return 0;
}

static void write_rows(const char *path)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs("id\n", file);
	for (int i = 0; i < ROWS; i++)
		fprintf(file, "%d\n", i);
	assert_int_equal(fclose(file), 0);
}

static void fail_over(const char *folder, struct arena *arena)
{
	static const struct sql_text text = {.name = "", .title = "", .text = "SELECT id FROM s"};
	struct failing_sink failing = {
		.sink = {.rows = refuse_rows,
			.done = accept_end,
			.format = format,
			.formatted = fail_once},
	};
	const struct local_options options = {.threads = 4, .chunk_bytes = CHUNK_BYTES};
	struct local_report report = {0};
	struct catalog catalog;
	struct plan *plan;
	struct error err = {0};

	assert_int_equal(sql_schema("schema", "CREATE TABLE s (id bigint) WITH (files = 's.csv');",
				 arena, &catalog, &err),
		0);
	assert_int_equal(sql_compile(&catalog, &text, 1, arena, &plan, &err), 0);
	assert_int_equal(local_run(plan, &catalog, DATA_PLACE(folder), &options, &failing.sink,
				 &report, &err),
		-1);
	assert_int_equal(err.code, ERROR_IO);
	assert_string_equal(err.message, "there was no room");
	assert_int_equal(atomic_load(&failing.printed_after), 0);
	local_report_release(&report);
}

static void test_nothing_behind_a_failure(void **state)
{
	char folder[] = "/tmp/tamiz-row-order-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s.csv", folder);
	write_rows(path);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena arena;

		arena_init(&arena, 4096);
		fail_over(folder, &arena);
		arena_release(&arena);
	}
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_behind_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
