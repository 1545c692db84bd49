#include "base/crc32c.h"
#include "client/state.h"

#include <fcntl.h>
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

#define SECRET "sixteen letters!"

static char folder[64];
static char state_path[128];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tamiz-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(state_path, sizeof(state_path), "%s/job", folder);
	return 0;
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

static void write_data(const char *name, const char *text, char path[256])
{
	FILE *file;

	snprintf(path, 256, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A state with something of everything, saved. */
static void make_state(struct state *state)
{
	struct session_table *table;
	char path[256];
	struct error err;
	bool found;

	assert_int_equal(state_open(state, state_path, &found, &err), 0);
	assert_false(found);
	state->job = 0x1122334455667788u;
	memcpy(state->secret.bytes, SECRET, WIRE_SECRET_SIZE);
	snprintf(state->server, sizeof(state->server), "a:1,b:2");
	state->chunk_bytes = 4096;
	state->request = 77;
	state->start =
		(struct statement_start){.known = true, .now = INT64_C(-5), .seed = UINT64_MAX};
	state->session.opened = true;
	session_state_table(&state->session, "plain");
	session_state_table(&state->session, "with \\ and\nline");
	for (uint32_t n = 1; n <= 9; n++)
		if (n != 4)
			interval_set_add(&state->session.tables[1].acked, n);
	table = &state->session.tables[1];
	table->total_known = true;
	table->total = 12;
	table->rows = 100;
	table->rejects = 3;
	table->uncounted = 1;
	write_data("x.csv", "a\n1\n", path);
	assert_int_equal(state_add_file(state, path, &err), 0);
	write_data("odd\nname.csv", "a\n1\n", path);
	assert_int_equal(state_add_file(state, path, &err), 0);
	assert_int_equal(state_save(state, true, &err), 0);
}

static void test_comes_back(void **unused)
{
	struct state first, second;
	const struct session_table *table;
	struct error err;
	bool found;

	(void)unused;
	make_state(&first);
	state_close(&first, false);
	assert_int_equal(state_open(&second, state_path, &found, &err), 0);
	assert_true(found);
	assert_int_equal(second.job, 0x1122334455667788u);
	assert_memory_equal(second.secret.bytes, SECRET, WIRE_SECRET_SIZE);
	assert_string_equal(second.server, "a:1,b:2");
	assert_int_equal(second.chunk_bytes, 4096);
	assert_int_equal(second.request, 77);
	assert_true(second.start.known);
	assert_int_equal(second.start.now, -5);
	assert_int_equal(second.start.seed, UINT64_MAX);
	assert_true(second.session.opened);
	assert_int_equal(second.file_count, 2);
	assert_int_equal(second.files[0].size, 4);
	assert_non_null(strstr(second.files[1].path, "odd\nname.csv"));
	assert_int_equal(second.session.table_count, 2);
	assert_int_equal(second.session.tables[0].acked.count, 0);
	assert_false(second.session.tables[0].total_known);
	table = &second.session.tables[1];
	assert_string_equal(table->name, "with \\ and\nline");
	assert_int_equal(table->acked.count, 2);
	assert_int_equal(table->acked.ranges[0].last, 3);
	assert_int_equal(table->acked.ranges[1].first, 5);
	assert_int_equal(table->acked.ranges[1].last, 9);
	assert_int_equal(table->total, 12);
	assert_int_equal(table->rows, 100);
	assert_int_equal(table->rejects, 3);
	assert_int_equal(table->uncounted, 1);
	state_close(&second, true);
	assert_int_equal(access(state_path, F_OK), -1);
}

static void test_one_at_a_time(void **unused)
{
	struct state first, second;
	struct error err;
	bool found;

	(void)unused;
	make_state(&first);
	assert_int_equal(state_open(&second, state_path, &found, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	state_close(&second, false);
	state_close(&first, false);
}

/* Every byte of the file changed, and every length cut: noticed each time. */
static void test_damage_is_noticed(void **unused)
{
	struct state state;
	char text[4096];
	struct error err;
	size_t size;
	bool found;
	FILE *file;

	(void)unused;
	make_state(&state);
	state_close(&state, false);
	file = fopen(state_path, "r");
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	assert_true(size > 200);
	for (size_t i = 0; i < 2 * size; i++) {
		file = fopen(state_path, "w");
		if (i < size)
			text[i] ^= 1;
		fwrite(text, 1, i < size ? size : i - size, file);
		if (i < size)
			text[i] ^= 1;
		fclose(file);
		assert_int_equal(state_open(&state, state_path, &found, &err), -1);
		assert_int_equal(err.code, ERROR_DATA);
		assert_non_null(strstr(err.message, "--restart"));
		state_close(&state, false);
	}
}

/* The lines that everything else stands on, then `line`, with a checksum that is right. */
static int open_with_line(const char *line, struct error *err)
{
	struct state state;
	char text[1024];
	bool found;
	FILE *file;
	int status;

	snprintf(text, sizeof(text),
		"tamiz-job 3\njob 00000000000000ab 00112233445566778899aabbccddeeff opened "
		"1\nserver here:1\nchunk-size "
		"65536\nstart 00062f0000000001 7\n%s\n",
		line);
	file = fopen(state_path, "w");
	assert_non_null(file);
	fprintf(file, "%scrc32c %08x\n", text, crc32c(0, text, strlen(text)));
	fclose(file);
	status = state_open(&state, state_path, &found, err);
	state_close(&state, status == 0);
	return status;
}

static void test_lines_that_mean_nothing(void **unused)
{
	static const char *const bad[] = {"", "unknown 1", "request ", "request 0x12", "request 1 ",
		"request 10000000000000000", "chunk-size -1", "chunk-size 18446744073709551616",
		"job 0 00112233445566778899aabbccddeeff opened 1",
		"job ab 00112233445566778899aabbccddeeff opened 2",
		"job ab 00112233445566778899aabbccddeeff closed 1", "job ab", "job ab opened 1",
		"job ab 00112233445566778899aabbccddeeff0 opened 1",
		"job ab 00112233445566778899aabbccddeeff", "file 1 2 ab", "file 1 -2 ab path",
		"file 18446744073709551616 2 ab path", "file 1 2 xy path", "table - 0 1 2",
		"table - 0 1 2 3 4-5", "table x 0 1 2 3 4-5 name",
		"table 4294967296 0 1 2 3 4-5 name", "table - 2 1 2 3 - name",
		"table - 0 1 2 3 0-5 name", "table - 0 1 2 3 5-4 name", "table - 0 1 2 3 1-2, name",
		"table - 0 1 2 3 1:2 name", "table - 0 1 2 3 1-4294967296 name"};
	static const char *const good[] = {"request 12", "chunk-size 1",
		"job ab 00112233445566778899aabbccddeeff opened 0", "file 1 2 ab a path",
		"table 7 1 1 2 3 1-2,4-7 name", "table - 0 1 2 3 - name"};
	struct error err;

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(open_with_line(bad[i], &err), -1);
		assert_int_equal(err.code, ERROR_DATA);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_int_equal(open_with_line(good[i], &err), 0);
}

/* A command that fails before it opened its state closes it all the same. */
static void test_never_opened(void **unused)
{
	struct state state = {.lock_fd = -1};

	(void)unused;
	state_close(&state, false);
	state_close(&state, true);
	assert_null(state.path);
	assert_int_equal(state.lock_fd, -1);
}

static void expect_difference(const struct state *then, const char *path, const char *what)
{
	struct state now = {.lock_fd = -1};
	char other[256];
	struct error err;

	snprintf(other, sizeof(other), "%s/odd\nname.csv", folder);
	assert_int_equal(state_add_file(&now, path, &err), 0);
	assert_int_equal(state_add_file(&now, other, &err), 0);
	assert_int_equal(state_compare(then, &now, &err), what ? -1 : 0);
	if (what) {
		assert_int_equal(err.code, ERROR_DATA);
		assert_non_null(strstr(err.message, path));
		assert_non_null(strstr(err.message, what));
	}
	state_reset(&now);
}

static void test_changes_are_noticed(void **unused)
{
	struct timespec times[2];
	struct state then;
	struct stat info;
	char path[256], more[256];

	(void)unused;
	make_state(&then);
	snprintf(path, sizeof(path), "%s/x.csv", folder);
	expect_difference(&then, path, NULL);
	assert_int_equal(stat(path, &info), 0);
	times[0] = info.st_atim;
	times[1] = info.st_mtim;
	write_data("x.csv", "a\n2\n", path);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	expect_difference(&then, path, "has other contents");
	write_data("x.csv", "a\n1\n", path);
	times[1].tv_sec++;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	expect_difference(&then, path, "was written to");
	write_data("x.csv", "a\n1\n2\n", path);
	expect_difference(&then, path, "has another size");
	write_data("another.csv", "a\n1\n", more);
	expect_difference(&then, more, "is new");
	state_close(&then, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_at_a_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage_is_noticed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines_that_mean_nothing, setup, teardown),
		cmocka_unit_test(test_never_opened),
		cmocka_unit_test_setup_teardown(test_changes_are_noticed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
