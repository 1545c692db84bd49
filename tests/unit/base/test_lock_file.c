#include "base/lock_file.h"

#include "folder_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define THREADS 4
#define TURNS	5000

static void test_take_and_ask(void **state)
{
	const char *path = in_folder("lock");
	int ours, other;

	(void)state;
	assert_int_equal(lock_file_take(AT_FDCWD, path, &ours), LOCK_FILE_TAKEN);
	assert_int_equal(lock_file_take(AT_FDCWD, path, &other), LOCK_FILE_BUSY);
	assert_true(lock_file_is_held(other));
	/* Who has it does not count. */
	assert_false(lock_file_is_held(ours));
	close(ours);
	assert_false(lock_file_is_held(other));
	/* To look is not to take. */
	assert_int_equal(lock_file_take(AT_FDCWD, path, &ours), LOCK_FILE_TAKEN);
	close(ours);
	close(other);
}

static void test_ends_with_the_process(void **state)
{
	const char *path = in_folder("lock");
	int fd, status;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(lock_file_take(AT_FDCWD, path, &fd) == LOCK_FILE_TAKEN ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(lock_file_take(AT_FDCWD, path, &fd), LOCK_FILE_TAKEN);
	close(fd);
}

static void test_failures(void **state)
{
	int at = open(folder, O_RDONLY | O_DIRECTORY);
	int fd = 0;

	(void)state;
	assert_int_equal(lock_file_take(AT_FDCWD, in_folder("none/lock"), &fd), LOCK_FILE_FAILED);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(fd, -1);
	assert_int_equal(symlink("elsewhere", in_folder("link")), 0);
	assert_int_equal(lock_file_take(at, "link", &fd), LOCK_FILE_FAILED);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(lock_file_take(at, "lock", &fd), LOCK_FILE_TAKEN);
	lock_file_remove(at, "lock", fd);
	assert_int_equal(access(in_folder("lock"), F_OK), -1);
	close(at);
}

static _Atomic int holders;
static _Atomic int holders_most;
static _Atomic int taken_count;

static void *take_and_remove(void *context)
{
	const char *path = context;

	for (int i = 0; i < TURNS; i++) {
		int fd, now, most = atomic_load(&holders_most);
		enum lock_file_status status = lock_file_take(AT_FDCWD, path, &fd);

		if (status == LOCK_FILE_BUSY)
			close(fd);
		if (status != LOCK_FILE_TAKEN)
			continue;
		now = atomic_fetch_add(&holders, 1) + 1;
		while (now > most && !atomic_compare_exchange_weak(&holders_most, &most, now))
			;
		atomic_fetch_add(&taken_count, 1);
		sched_yield();
		atomic_fetch_sub(&holders, 1);
		lock_file_remove(AT_FDCWD, path, fd);
	}
	return NULL;
}

/* The file is removed all the time, and still there is one holder at most. */
static void test_removed_while_others_come(void **state)
{
	pthread_t threads[THREADS];
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", in_folder("lock"));
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_remove, path), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(taken_count > 0);
	assert_int_equal(holders_most, 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_take_and_ask),
		IN_FOLDER(test_ends_with_the_process),
		IN_FOLDER(test_failures),
		IN_FOLDER(test_removed_while_others_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
