/* Places of nodes, with real processes in them. */
#include "cluster/node_lock.h"
#include "cluster/roster.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NODE "reducer-0"
/* Only what hangs takes so long, on a busy machine too. */
#define WAIT_MS 300000u

static char folder[] = "/tmp/tamiz-lock_fd-XXXXXX";
static char state_folder[128];
static char file[192];

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(state_folder, sizeof(state_folder), "%s/deep/state", folder);
	snprintf(file, sizeof(file), "%s/run/" NODE, state_folder);
	return 0;
}

static int tear_down(void **state)
{
	char path[256];

	(void)state;
	unlink(file);
	for (int i = 0; i < 4; i++) {
		static const char *const parts[] = {"deep/state/run", "deep/state", "deep", ""};

		snprintf(path, sizeof(path), "%s/%s", folder, parts[i]);
		rmdir(path);
	}
	return 0;
}

/* A process in the place; returns when it is there. */
static pid_t live_there(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct error err;
		int fd;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (node_lock_take(state_folder, NODE, &fd, &err))
			_exit(1);
		(void)!write(ends[1], "x", 1);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

/* Somebody who has nothing to do with it. */
static pid_t bystander(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static int ended_by(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void lives_on(pid_t pid)
{
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
}

/* Who is there stays; who comes is told, until the node is let in again. */
static void who_was_drained_stays_out(void **state)
{
	struct error err;
	int fd, again;

	(void)state;
	assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), 0);
	assert_false(node_lock_is_kept_out(state_folder, NODE));
	assert_int_equal(node_lock_keep_out(state_folder, NODE, &err), 0);
	assert_int_equal(node_lock_keep_out(state_folder, NODE, &err), 0);
	assert_true(node_lock_is_kept_out(state_folder, NODE));
	assert_false(node_lock_is_kept_out(state_folder, "collector"));
	assert_int_equal(node_lock_keep(state_folder, NODE, &fd, &err), 0);
	close(fd);
	assert_int_equal(node_lock_take(state_folder, NODE, &again, &err), -1);
	assert_non_null(strstr(err.message, "was drained"));
	assert_false(node_lock_is_taken(state_folder, NODE));
	assert_true(node_lock_let_in(state_folder, NODE));
	assert_false(node_lock_let_in(state_folder, NODE));
	assert_int_equal(node_lock_take(state_folder, NODE, &again, &err), 0);
	close(again);
}

static void forge(const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void nobody_is_there(void)
{
	struct node_lock_holder holder;
	struct error err;

	assert_false(node_lock_look(state_folder, NODE, &holder));
	assert_int_equal(node_lock_signal(state_folder, NODE, SIGKILL), NODE_LOCK_NOBODY);
	assert_int_equal(node_lock_evict(state_folder, NODE, WAIT_MS, &err), 0);
}

static void an_empty_place(void **state)
{
	struct node_lock_holder holder;
	struct error err;
	int fd;

	(void)state;
	nobody_is_there();
	assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), 0);
	assert_true(node_lock_look(state_folder, NODE, &holder));
	assert_int_equal(holder.pid, getpid());
	/* Looking does not cost us the lock. */
	assert_true(node_lock_is_taken(state_folder, NODE));
	close(fd);
	assert_false(node_lock_is_taken(state_folder, NODE));
	nobody_is_there();
}

static void a_deleted_place_is_taken_again(void **state)
{
	char path[PATH_MAX];
	struct error err;
	int fd, other;

	(void)state;
	snprintf(path, sizeof(path), "%s/run/%s", state_folder, NODE);
	assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), 0);
	assert_int_equal(node_lock_keep(state_folder, NODE, &fd, &err), 0);
	assert_int_equal(unlink(path), 0);
	assert_false(node_lock_is_taken(state_folder, NODE));
	assert_int_equal(node_lock_keep(state_folder, NODE, &fd, &err), 0);
	assert_true(node_lock_is_taken(state_folder, NODE));
	/* Another was faster. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(node_lock_take(state_folder, NODE, &other, &err), 0);
	assert_int_equal(node_lock_keep(state_folder, NODE, &fd, &err), -1);
	assert_int_equal(fd, -1);
	/* The cluster was ended. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(node_lock_forbid(state_folder, &err), 0);
	assert_int_equal(node_lock_keep(state_folder, NODE, &other, &err), -1);
	node_lock_permit(state_folder);
	nobody_is_there();
}

static void a_second_process_is_refused(void **state)
{
	struct error err;
	char number[32];
	pid_t pid = live_there();
	int fd;

	(void)state;
	snprintf(number, sizeof(number), "process %ld", (long)pid);
	assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_int_equal(fd, -1);
	assert_non_null(strstr(err.message, number));
	assert_non_null(strstr(err.message, NODE));
	assert_true(node_lock_is_taken(state_folder, NODE));
	assert_int_equal(node_lock_signal(state_folder, NODE, SIGTERM), NODE_LOCK_SENT);
	assert_int_equal(ended_by(pid), SIGTERM);
	assert_false(node_lock_is_taken(state_folder, NODE));
	nobody_is_there();
}

static void who_is_evicted_is_gone(void **state)
{
	struct error err;
	int fd;

	(void)state;
	for (int i = 0; i < 20; i++) {
		pid_t pid = live_there();

		/* A stopped process ends by SIGKILL, too. */
		if (i % 2) {
			assert_int_equal(
				node_lock_signal(state_folder, NODE, SIGSTOP), NODE_LOCK_SENT);
			assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
			assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), -1);
		}
		assert_int_equal(node_lock_evict(state_folder, NODE, WAIT_MS, &err), 0);
		assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), 0);
		close(fd);
		assert_int_equal(ended_by(pid), SIGKILL);
	}
}

/* The file names a process that is not the one that signed it. */
static void a_recycled_number_is_nobody(void **state)
{
	struct node_lock_holder holder;
	struct error err;
	pid_t other = bystander(), locker;
	char text[64];

	(void)state;
	/* Nobody has the lock. */
	snprintf(text, sizeof(text), "%ld 1\n", (long)other);
	forge(text);
	nobody_is_there();
	lives_on(other);
	/* Somebody has, and the file is not about him. */
	locker = fork();
	assert_true(locker >= 0);
	if (locker == 0) {
		int fd = open(file, O_RDWR);
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fcntl(fd, F_OFD_SETLK, &lock))
			_exit(1);
		for (;;)
			pause();
	}
	while (!node_lock_is_taken(state_folder, NODE))
		lives_on(locker);
	assert_false(node_lock_look(state_folder, NODE, &holder));
	assert_int_equal(node_lock_signal(state_folder, NODE, SIGKILL), NODE_LOCK_NOBODY);
	assert_int_equal(node_lock_evict(state_folder, NODE, 20, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	lives_on(locker);
	kill(locker, SIGKILL);
	assert_int_equal(ended_by(locker), SIGKILL);
	lives_on(other);
	kill(other, SIGKILL);
	assert_int_equal(ended_by(other), SIGKILL);
}

static void nonsense_in_the_file_is_nobody(void **state)
{
	static const char *const texts[] = {"", "\n", "x", "-1 5\n", "0 5\n", "1 5\n", "12",
		"12 \n", "99999999999999999999 1\n", "12 x\n", "12 5 7\n", "12 5"};
	struct error err;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		pid_t pid = live_there();
		struct node_lock_holder holder;

		forge(texts[i]);
		assert_false(node_lock_look(state_folder, NODE, &holder));
		assert_int_equal(node_lock_signal(state_folder, NODE, SIGKILL), NODE_LOCK_NOBODY);
		lives_on(pid);
		/* The lock counts, whatever is written there. */
		assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), -1);
		kill(pid, SIGKILL);
		assert_int_equal(ended_by(pid), SIGKILL);
		assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), 0);
		close(fd);
	}
}

/* Many at once: one gets it. */
static void only_one_of_many_gets_it(void **state)
{
	enum { MANY = 16 };
	int ends[2], won = 0;
	pid_t pids[MANY];
	char answer;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < MANY; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			struct error err;
			int fd;
			bool mine = node_lock_take(state_folder, NODE, &fd, &err) == 0;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			(void)!write(ends[1], mine ? "y" : "n", 1);
			for (;;)
				pause();
		}
	}
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(read(ends[0], &answer, 1), 1);
		won += answer == 'y';
	}
	assert_int_equal(won, 1);
	for (int i = 0; i < MANY; i++) {
		kill(pids[i], SIGKILL);
		assert_int_equal(ended_by(pids[i]), SIGKILL);
	}
	close(ends[0]);
	close(ends[1]);
}

static void the_roster_has_every_node(void **state)
{
	static struct roster_node nodes[ROSTER_NODES_MAX];
	struct roster_node node;
	struct roster_words words;
	struct config config;
	struct error err;

	(void)state;
	assert_int_equal(config_parse(&config, "c.ini", "[filter]\nreplicas = 1\n", &err), 0);
	assert_int_equal(roster_list(&config, nodes, ROSTER_NODES_MAX), 2 + 1 + 1 + 2 + 1 + 3);
	assert_int_equal(roster_list(&config, nodes, 1), 10);
	assert_string_equal(nodes[0].name, "reducer-0");
	assert_string_equal(nodes[2].name, "collector");
	assert_string_equal(nodes[9].name, "watcher-2");
	assert_int_equal(nodes[9].health.port, 7702);
	assert_true(roster_find(&config, "gateway-1", &node));
	roster_arguments(&node, "c.ini", &words);
	assert_string_equal(words.items[0], "gateway");
	assert_string_equal(words.items[2], "c.ini");
	assert_string_equal(words.items[4], "1");
	assert_null(words.items[5]);
	assert_true(roster_find(&config, "collector", &node));
	roster_arguments(&node, "c.ini", &words);
	assert_null(words.items[3]);
	assert_false(roster_find(&config, "gateway-2", &node));
	assert_false(roster_find(&config, "collector-0", &node));
	config_release(&config);
}

/* Who was started before the cluster was ended, and gets to its place afterwards. */
static void nobody_comes_after_the_end(void **state)
{
	pid_t early = live_there();
	struct error err;
	int fd;

	(void)state;
	assert_int_equal(node_lock_forbid(state_folder, &err), 0);
	assert_int_equal(node_lock_forbid(state_folder, &err), 0);
	lives_on(early);
	assert_int_equal(node_lock_evict(state_folder, NODE, WAIT_MS, &err), 0);
	assert_int_equal(ended_by(early), SIGKILL);
	assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), -1);
	assert_non_null(strstr(err.message, "was ended"));
	assert_false(node_lock_is_taken(state_folder, NODE));
	node_lock_permit(state_folder);
	assert_int_equal(node_lock_take(state_folder, NODE, &fd, &err), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_place),
		cmocka_unit_test(who_was_drained_stays_out),
		cmocka_unit_test(a_deleted_place_is_taken_again),
		cmocka_unit_test(a_second_process_is_refused),
		cmocka_unit_test(who_is_evicted_is_gone),
		cmocka_unit_test(a_recycled_number_is_nobody),
		cmocka_unit_test(nonsense_in_the_file_is_nobody),
		cmocka_unit_test(only_one_of_many_gets_it),
		cmocka_unit_test(nobody_comes_after_the_end),
		cmocka_unit_test(the_roster_has_every_node),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
