/*
 * How nodes are started again: by systemctl and docker, of which there are false ones here that
 * write down what they are asked; by commands that do well, fail and hang; and as processes of this
 * program, which notes how it was started when it is called as a node (be_node).
 */
#include "base/clock.h"
#include "base/digits.h"
#include "cluster/node_lock.h"
#include "watch/driver.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Only what hangs takes so long, on a busy machine too. */
#define WAIT_MS	 300000u
#define TEXT_MAX 4096
#define NODE	 7u

static char folder[] = "/tmp/tamiz-driver-XXXXXX";
static char *path_before;

/* --- what it works on ----------------------------------------------------------------------------
 */

struct fixture {
	struct config config;
	struct loop *loop;
	struct driver *driver;
	struct roster_node reducer;
	uint32_t done;
	uint32_t node;
	bool failed;
	char why[256];
};

static void on_done(void *context, uint32_t node, const char *why)
{
	struct fixture *fixture = context;

	fixture->done++;
	fixture->node = node;
	fixture->failed = why != NULL;
	snprintf(fixture->why, sizeof(fixture->why), "%s", why ? why : "");
}

static char *path_of(const char *name)
{
	static char path[4][256];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", folder, name);
	return path[next];
}

static void write_text(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(path_of(name), "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path_of(name), mode), 0);
}

/* Empty when there is no such file. */
static const char *read_text(const char *name)
{
	static char text[TEXT_MAX];
	FILE *file = fopen(path_of(name), "re");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[size] = '\0';
	return text;
}

static void sleep_a_little(void)
{
	nanosleep(&(struct timespec){0, 5 * 1000 * 1000}, NULL);
}

static void wait_for_text(const char *name, const char *end)
{
	uint64_t deadline_ms = clock_monotonic_ms() + WAIT_MS;

	while (!strstr(read_text(name), end)) {
		assert_true(clock_monotonic_ms() < deadline_ms);
		sleep_a_little();
	}
}

static void fixture_open(struct fixture *fixture, const char *watcher)
{
	char text[1024];
	struct error err;

	memset(fixture, 0, sizeof(*fixture));
	snprintf(text, sizeof(text),
		"[cluster]\nstate = state\n[reducer]\nhealth = 10.1.2.3:7300\n[watcher]\n%s\n",
		watcher);
	if (config_parse(&fixture->config, path_of("cluster.ini"), text, &err))
		fail_msg("%s", err.message);
	assert_int_equal(loop_new(&fixture->loop, &err), 0);
	fixture->driver = driver_new(fixture->loop, &fixture->config, folder, on_done, fixture);
	assert_true(roster_find(&fixture->config, "reducer-1", &fixture->reducer));
}

static void fixture_close(struct fixture *fixture)
{
	driver_free(fixture->driver);
	loop_free(fixture->loop);
	config_release(&fixture->config);
}

static void wait_done(struct fixture *fixture, uint32_t count)
{
	uint64_t deadline_ms = clock_monotonic_ms() + WAIT_MS;

	while (fixture->done < count) {
		assert_true(clock_monotonic_ms() < deadline_ms);
		loop_turn(fixture->loop, 50);
	}
}

static void restart(struct fixture *fixture, const char *reason)
{
	fixture->done = 0;
	driver_restart(fixture->driver, NODE, &fixture->reducer, reason);
	wait_done(fixture, 1);
	assert_int_equal(fixture->node, NODE);
}

static bool is_alive(pid_t pid)
{
	char path[64], text[512], state = 'Z';
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	if (size > 0 && strrchr(text, ')'))
		state = strrchr(text, ')')[2];
	return state != 'Z' && state != 'X';
}

static int set_up(void **state)
{
	static const char script[] = "#!/bin/sh\nfor word in \"${0##*/}\" \"$@\"; do "
				     "printf '%s\\n' \"$word\"; done >\"${0%/*}/../asked\"\n";
	char path[TEXT_MAX];

	(void)state;
	if (!mkdtemp(folder) || mkdir(path_of("bin"), 0700) || mkdir(path_of("none"), 0700))
		return -1;
	write_text("bin/systemctl", script, 0700);
	write_text("bin/docker", script, 0700);
	path_before = strdup(getenv("PATH"));
	snprintf(path, sizeof(path), "%s:%s", path_of("bin"), path_before);
	return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
	static const char *const names[] = {"bin/systemctl", "bin/docker", "asked", "pids", "noted",
		"reducer-1.log", "collector.log", "state/run/reducer-1", "state/run", "state",
		"bin", "none"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		remove(path_of(names[i]));
	free(path_before);
	return rmdir(folder);
}

/* --- words ---------------------------------------------------------------------------------------
 */

static void test_fill(void **state)
{
	struct fixture fixture;
	char out[64];

	(void)state;
	fixture_open(&fixture, "");
	assert_true(driver_fill("go {role} {index} at {host} for {node}: {reason}",
		&fixture.reducer, "it hangs", out, sizeof(out)));
	assert_string_equal(out, "go reducer 1 at 10.1.2.3 for reducer-1: it hangs");
	assert_true(driver_fill("{node}{node}", &fixture.reducer, "", out, sizeof(out)));
	assert_string_equal(out, "reducer-1reducer-1");
	/* What is no name of ours stays. */
	assert_true(driver_fill("{ {}{nodes} ${x} {", &fixture.reducer, "", out, sizeof(out)));
	assert_string_equal(out, "{ {}{nodes} ${x} {");
	assert_true(driver_fill("", &fixture.reducer, "", out, sizeof(out)));
	assert_string_equal(out, "");
	fixture_close(&fixture);
}

static void test_fill_is_safe_in_a_shell(void **state)
{
	struct fixture fixture;
	char out[128];

	(void)state;
	fixture_open(&fixture, "");
	assert_true(driver_fill("{reason}", &fixture.reducer,
		"a'b\"c`d$(e);f&g|h>i\nj\\k{node}*?~#!\xc3\xa9", out, sizeof(out)));
	assert_string_equal(out, "a_b_c_d__e__f_g_h_i_j_k_node________");
	fixture_close(&fixture);
}

static void test_fill_knows_its_room(void **state)
{
	struct fixture fixture;
	char out[32];

	(void)state;
	fixture_open(&fixture, "");
	assert_true(driver_fill("12345 {node}", &fixture.reducer, "", out, 17));
	assert_string_equal(out, "12345 reducer-1");
	for (size_t size = 1; size <= 15; size++) {
		memset(out, 'x', sizeof(out));
		assert_false(driver_fill("12345 {node}", &fixture.reducer, "", out, size));
		assert_true(memchr(out, '\0', size) != NULL);
		assert_int_equal(out[size], 'x');
	}
	fixture_close(&fixture);
}

/* --- programs ------------------------------------------------------------------------------------
 */

static void test_systemd(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, "driver = systemd");
	restart(&fixture, "nobody was there");
	assert_string_equal(fixture.why, "");
	assert_false(fixture.failed);
	assert_string_equal(read_text("asked"), "systemctl\nrestart\ntamiz@reducer-1\n");
	fixture_close(&fixture);
	/* A word is a word, whatever is in it: no shell reads it. */
	fixture_open(&fixture, "driver = systemd\nunit = a b$(x)-{role}@{index}.service");
	restart(&fixture, "");
	assert_string_equal(read_text("asked"), "systemctl\nrestart\na b$(x)-reducer@1.service\n");
	assert_false(driver_lives(fixture.driver, &fixture.reducer));
	fixture_close(&fixture);
}

static void test_docker(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, "driver = docker");
	restart(&fixture, "nobody was there");
	assert_false(fixture.failed);
	assert_string_equal(read_text("asked"), "docker\nrestart\n--time\n0\ntamiz-reducer-1\n");
	fixture_close(&fixture);
}

static void test_a_program_that_is_missing(void **state)
{
	struct fixture fixture;
	char *before = strdup(getenv("PATH"));

	(void)state;
	assert_int_equal(setenv("PATH", path_of("none"), 1), 0);
	fixture_open(&fixture, "driver = systemd");
	restart(&fixture, "");
	assert_true(fixture.failed);
	assert_non_null(strstr(fixture.why, "status 127"));
	fixture_close(&fixture);
	assert_int_equal(setenv("PATH", before, 1), 0);
	free(before);
}

/* --- commands ------------------------------------------------------------------------------------
 */

static void open_command(struct fixture *fixture, const char *command, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), "driver = command\ncommand = %s\n%s", command, more);
	fixture_open(fixture, text);
}

static void test_command(void **state)
{
	struct fixture fixture;
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "echo {node} {host} {reason} >%s", path_of("asked"));
	open_command(&fixture, command, "");
	restart(&fixture, "it's $(gone)");
	assert_false(fixture.failed);
	assert_string_equal(read_text("asked"), "reducer-1 10.1.2.3 it_s __gone_\n");
	fixture_close(&fixture);
}

static void test_command_that_fails(void **state)
{
	struct fixture fixture;

	(void)state;
	open_command(&fixture, "exit 3", "");
	restart(&fixture, "");
	assert_string_equal(fixture.why, "the restart command ended with status 3");
	/* It can be tried again. */
	restart(&fixture, "");
	assert_string_equal(fixture.why, "the restart command ended with status 3");
	fixture_close(&fixture);
	open_command(&fixture, "kill -TERM $$", "");
	restart(&fixture, "");
	assert_string_equal(fixture.why, "the restart command was killed by signal 15");
	fixture_close(&fixture);
}

static void test_command_that_is_too_long(void **state)
{
	struct fixture fixture;
	char *reason = malloc(5000);

	(void)state;
	memset(reason, 'x', 4999);
	reason[4999] = '\0';
	open_command(&fixture, "true {reason}", "");
	restart(&fixture, reason);
	assert_string_equal(fixture.why, "the restart command is too long");
	fixture_close(&fixture);
	free(reason);
}

/* It ends with all that it has started, and says why. */
static void test_command_that_hangs(void **state)
{
	struct fixture fixture;
	uint64_t shell = 0, child = 0;
	char command[256], line[64], why[128];
	const char *pids;
	uint64_t deadline_ms = clock_monotonic_ms() + WAIT_MS;

	(void)state;
	snprintf(command, sizeof(command), "sleep 1000 & echo $$ $! >%s && wait", path_of("pids"));
	/* It has more time on a machine that is too busy to get as far. */
	for (unsigned seconds = 1; shell == 0; seconds *= 4) {
		assert_true(seconds <= 64);
		snprintf(line, sizeof(line), "command_timeout = %us", seconds);
		open_command(&fixture, command, line);
		driver_restart(fixture.driver, NODE, &fixture.reducer, "");
		wait_done(&fixture, 1);
		snprintf(why, sizeof(why),
			"the restart command took longer than %u ms and was killed",
			seconds * 1000);
		assert_string_equal(fixture.why, why);
		fixture_close(&fixture);
		pids = read_text("pids");
		if (!digits_take(&pids, 10, INT_MAX, &shell) || *pids++ != ' ' ||
			!digits_take(&pids, 10, INT_MAX, &child))
			shell = 0;
	}
	while (is_alive((pid_t)shell) || is_alive((pid_t)child)) {
		assert_true(clock_monotonic_ms() < deadline_ms);
		sleep_a_little();
	}
}

static void test_commands_side_by_side(void **state)
{
	struct fixture fixture;
	struct roster_node other;
	char command[256];

	(void)state;
	/* Each waits for the other one's file. */
	snprintf(command, sizeof(command),
		"cd %s/none && touch {index} && until [ -e 0 -a -e 1 ]; do sleep 0.01; done",
		folder);
	/* Not by way of a file, where " ;" begins a comment. */
	open_command(&fixture, "true", "");
	fixture.config.watcher.command = command;
	assert_true(roster_find(&fixture.config, "reducer-0", &other));
	driver_restart(fixture.driver, NODE, &fixture.reducer, "");
	driver_restart(fixture.driver, NODE + 1, &other, "");
	wait_done(&fixture, 2);
	assert_false(fixture.failed);
	remove(path_of("none/0"));
	remove(path_of("none/1"));
	fixture_close(&fixture);
}

/* A watcher that ends does not undo what it has begun. */
static void test_command_outlives_the_driver(void **state)
{
	struct fixture fixture;
	char command[256];

	(void)state;
	remove(path_of("asked"));
	snprintf(command, sizeof(command),
		"until [ -e %s/none/go ] && echo x >%s; do sleep 0.01; done", folder,
		path_of("asked"));
	open_command(&fixture, "true", "");
	fixture.config.watcher.command = command;
	driver_restart(fixture.driver, NODE, &fixture.reducer, "");
	assert_int_equal(fixture.done, 0);
	fixture_close(&fixture);
	write_text("none/go", "", 0600);
	wait_for_text("asked", "x\n");
	remove(path_of("none/go"));
}

/* --- processes -----------------------------------------------------------------------------------
 */

/* What driver_spawn starts is this program again. */
static int be_node(int argc, char *const *argv)
{
	const char *noted = getenv("TAMIZ_TEST_NOTED");
	FILE *file = noted ? fopen(noted, "ae") : NULL;
	sigset_t mask;

	if (!file)
		return 1;
	printf("said\n");
	fflush(stdout);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int i = 0; i < argc; i++)
		fprintf(file, "%s ", argv[i]);
	/* No descriptor and no blocked signal of who started it, and not in its session. */
	fprintf(file, "sid=%d term=%d fd=%d\n",
		getsid(0) == (pid_t)strtol(getenv("TAMIZ_TEST_SID"), NULL, 10),
		sigismember(&mask, SIGTERM), fcntl(100, F_GETFD) >= 0);
	return fclose(file);
}

static void expect_node(const char *text)
{
	char end[512];

	snprintf(end, sizeof(end), "%s sid=0 term=0 fd=0\n", text);
	wait_for_text("noted", end);
	remove(path_of("noted"));
}

static void test_spawn(void **state)
{
	struct fixture fixture;
	struct roster_node collector;
	struct error err;
	sigset_t term;
	char sid[32], text[512];

	(void)state;
	snprintf(sid, sizeof(sid), "%ld", (long)getsid(0));
	setenv("TAMIZ_TEST_SID", sid, 1);
	setenv("TAMIZ_TEST_NOTED", path_of("noted"), 1);
	assert_int_equal(dup2(STDERR_FILENO, 100), 100);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	fixture_open(&fixture, "");
	/* It ends who is there first. */
	snprintf(text, sizeof(text), "tamiz reducer --file %s --index 1 --replace",
		fixture.config.path);
	assert_int_equal(driver_spawn(&fixture.config, &fixture.reducer, folder, &err), 0);
	expect_node(text);
	assert_string_equal(read_text("reducer-1.log"), "said\n");
	restart(&fixture, "nobody was there");
	assert_false(fixture.failed);
	expect_node(text);
	assert_string_equal(read_text("reducer-1.log"), "said\nsaid\n");
	/* There is one collector. */
	assert_true(roster_find(&fixture.config, "collector", &collector));
	assert_int_equal(driver_spawn(&fixture.config, &collector, folder, &err), 0);
	snprintf(text, sizeof(text), "tamiz collector --file %s --replace", fixture.config.path);
	expect_node(text);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	close(100);
	fixture_close(&fixture);
}

static void test_spawn_without_a_log(void **state)
{
	struct fixture fixture;
	struct error err;

	(void)state;
	fixture_open(&fixture, "");
	/* Below a file there is no room for any. */
	assert_int_equal(
		driver_spawn(&fixture.config, &fixture.reducer, path_of("bin/docker/log"), &err),
		-1);
	assert_int_equal(err.code, ERROR_IO);
	assert_non_null(strstr(err.message, "bin/docker is a file"));
	fixture_close(&fixture);
}

static void test_lives(void **state)
{
	struct fixture fixture;
	struct error err;
	int lock_fd;

	(void)state;
	fixture_open(&fixture, "");
	assert_false(driver_lives(fixture.driver, &fixture.reducer));
	assert_int_equal(
		node_lock_take(fixture.config.cluster.state, "reducer-1", &lock_fd, &err), 0);
	assert_true(driver_lives(fixture.driver, &fixture.reducer));
	close(lock_fd);
	assert_false(driver_lives(fixture.driver, &fixture.reducer));
	fixture_close(&fixture);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_fill_is_safe_in_a_shell),
		cmocka_unit_test(test_fill_knows_its_room),
		cmocka_unit_test(test_systemd),
		cmocka_unit_test(test_docker),
		cmocka_unit_test(test_a_program_that_is_missing),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_command_that_fails),
		cmocka_unit_test(test_command_that_is_too_long),
		cmocka_unit_test(test_command_that_hangs),
		cmocka_unit_test(test_commands_side_by_side),
		cmocka_unit_test(test_command_outlives_the_driver),
		cmocka_unit_test(test_spawn),
		cmocka_unit_test(test_spawn_without_a_log),
		cmocka_unit_test(test_lives),
	};

	if (argc > 1)
		return be_node(argc, argv);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
