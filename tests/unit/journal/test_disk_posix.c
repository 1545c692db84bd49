#include "unit/journal/disk_fixture.h"

#include "journal/disk_posix.h"
#include "journal/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[PATH_MAX];

static void path_in_folder(char path[PATH_MAX], const char *name)
{
	assert_true(snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX);
}

static int make_folder(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/tamiz-disk-XXXXXX", base ? base : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

/* The tests leave nothing but the lock. */
static int remove_folder(void **state)
{
	char lock[PATH_MAX];

	(void)state;
	path_in_folder(lock, ".lock");
	unlink(lock);
	return rmdir(folder);
}

static void test_contract(void **state)
{
	struct disk *disk;
	struct error err;

	(void)state;
	OK(disk_posix_open(&disk, folder, &err));
	check_disk(disk);
	disk_posix_close(disk);
	disk_posix_close(NULL);
}

static void test_makes_its_folder(void **state)
{
	char path[PATH_MAX];
	struct disk *disk;
	struct error err;

	(void)state;
	path_in_folder(path, "deep//er/node-1/");
	OK(disk_posix_open(&disk, path, &err));
	make(disk, "f");
	OK(disk_remove(disk, "f", &err));
	disk_posix_close(disk);
	path_in_folder(path, "deep/er/node-1/.lock/below");
	FAILS(disk_posix_open(&disk, path, &err), ERROR_IO);
	assert_null(disk);
	FAILS(disk_posix_open(&disk, "", &err), ERROR_IO);
	OK(disk_posix_open(&disk, folder, &err));
	OK(disk_remove(disk, "deep", &err));
	disk_posix_close(disk);
}

static void test_one_owner(void **state)
{
	struct disk *disk, *second;
	struct error err;
	char pid[32];
	int status;
	pid_t child;

	(void)state;
	OK(disk_posix_open(&disk, folder, &err));
	snprintf(pid, sizeof(pid), "pid %ld", (long)getpid());
	FAILS(disk_posix_open(&second, folder, &err), ERROR_IO);
	assert_non_null(strstr(err.message, folder));
	assert_non_null(strstr(err.message, pid));
	child = fork();
	if (child == 0) {
		int denied = disk_posix_open(&second, folder, &err);

		_exit(denied == -1 && err.code == ERROR_IO && strstr(err.message, pid) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* The one that was refused has taken nothing away. */
	make(disk, "f");
	OK(disk_remove(disk, "f", &err));
	disk_posix_close(disk);
	OK(disk_posix_open(&disk, folder, &err));
	disk_posix_close(disk);
}

/* A killed owner leaves a lock file that locks nothing. */
static void test_killed_owner(void **state)
{
	struct disk *disk;
	struct error err;
	int pipes[2], status;
	pid_t child;
	char byte;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		if (disk_posix_open(&disk, folder, &err) != 0 || write(pipes[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	close(pipes[0]);
	FAILS(disk_posix_open(&disk, folder, &err), ERROR_IO);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	OK(disk_posix_open(&disk, folder, &err));
	disk_posix_close(disk);
}

static void expect_fenced(struct disk *disk, struct disk_file *file)
{
	struct disk_piece piece = {"x", 1};
	struct disk_file *other;
	struct error err;

	for (int turn = 0; turn < 2; turn++) {
		FAILS(disk_sync(file, &err), ERROR_FENCED);
		assert_non_null(strstr(err.message, folder));
		FAILS(disk_write(file, 0, &piece, 1, &err), ERROR_FENCED);
		FAILS(disk_truncate(file, 0, &err), ERROR_FENCED);
		FAILS(disk_remove(disk, "f", &err), ERROR_FENCED);
		FAILS(disk_open(disk, "g", true, &other, &err), ERROR_FENCED);
	}
	expect(file, "mine", 4);
}

static void test_fencing(void **state)
{
	enum { DELETED, REPLACED, REWRITTEN, WAYS };

	(void)state;
	for (int way = 0; way < WAYS; way++) {
		struct disk *disk, *taker = NULL;
		struct disk_file *file, *theirs;
		char lock[PATH_MAX];
		struct error err;
		int fd;

		path_in_folder(lock, ".lock");
		OK(disk_posix_open(&disk, folder, &err));
		OK(disk_open(disk, "f", true, &file, &err));
		put(file, 0, "mine");
		OK(disk_sync(file, &err));
		if (way == REWRITTEN) {
			fd = open(lock, O_WRONLY);
			assert_true(fd >= 0);
			assert_int_equal(pwrite(fd, "1 abcdef", 8, 0), 8);
			close(fd);
		} else {
			assert_int_equal(unlink(lock), 0);
		}
		if (way == REPLACED)
			OK(disk_posix_open(&taker, folder, &err));
		expect_fenced(disk, file);
		if (taker) {
			OK(disk_open(taker, "f", false, &theirs, &err));
			put(theirs, 0, "thei");
			OK(disk_sync(theirs, &err));
			disk_close(theirs);
			disk_posix_close(taker);
		}
		disk_close(file);
		disk_posix_close(disk);
		OK(disk_posix_open(&disk, folder, &err));
		OK(disk_remove(disk, "f", &err));
		disk_posix_close(disk);
	}
}

/* A file that may not grow: a short write, then an error. The journal goes on when it may again. */
static void test_short_write(void **state)
{
	const size_t size = 100000;
	struct rlimit before, limit;
	char *bytes = malloc(size);
	struct disk_piece pieces[2] = {{bytes, size / 2}, {bytes, size / 2}};
	struct journal *journal;
	journal_position position;
	struct disk_file *file;
	struct disk *disk;
	struct error err;
	struct buf out;
	uint64_t held;

	(void)state;
	memset(bytes, 'x', size);
	buf_init(&out, size);
	OK(disk_posix_open(&disk, folder, &err));
	OK(disk_open(disk, "f", true, &file, &err));
	OK(journal_open(&journal, disk, "journal", NULL, NULL, NULL, &err));
	OK(journal_append(journal, pieces, 1, &position, &err));
	OK(journal_sync(journal, &err));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 70001;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	FAILS(disk_write(file, 0, pieces, 2, &err), ERROR_IO);
	assert_non_null(strstr(err.message, "/f: "));
	assert_non_null(strstr(err.message, strerror(EFBIG)));
	OK(disk_size(file, &held, &err));
	assert_int_equal(held, 70001);
	OK(journal_append(journal, pieces, 1, &position, &err));
	for (int turn = 0; turn < 3; turn++)
		FAILS(journal_sync(journal, &err), ERROR_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	OK(journal_sync(journal, &err));
	journal_close(journal);
	OK(journal_open(&journal, disk, "journal", NULL, NULL, NULL, &err));
	assert_int_equal(journal_records(journal), 2);
	OK(journal_read(journal, position, &out, &err));
	assert_int_equal(out.size, size / 2);
	journal_close(journal);
	disk_close(file);
	OK(journal_remove(disk, "journal", &err));
	OK(disk_remove(disk, "f", &err));
	disk_posix_close(disk);
	buf_release(&out);
	free(bytes);
}

/* What others put into the folder is neither listed nor followed. */
static void test_foreign_files(void **state)
{
	char path[PATH_MAX];
	struct disk_file *file;
	struct disk *disk;
	struct error err;
	int fd;

	(void)state;
	OK(disk_posix_open(&disk, folder, &err));
	make(disk, "d/f");
	path_in_folder(path, "d/a b");
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	path_in_folder(path, "d/link");
	assert_int_equal(symlink("/etc/passwd", path), 0);
	path_in_folder(path, "d/loop");
	assert_int_equal(symlink(folder, path), 0);
	expect_names(disk, "d", "f|link|loop|");
	FAILS(disk_open(disk, "d/link", false, &file, &err), ERROR_IO);
	FAILS(disk_open(disk, "d", true, &file, &err), ERROR_IO);
	FAILS(disk_open(disk, "d/f/g", true, &file, &err), ERROR_IO);
	OK(disk_remove(disk, "d", &err));
	assert_int_equal(access("/etc/passwd", F_OK), 0);
	expect_names(disk, "", "");
	disk_posix_close(disk);
}

static uint32_t open_descriptors(void)
{
	DIR *open = opendir("/proc/self/fd");
	uint32_t count = 0;

	assert_non_null(open);
	while (readdir(open))
		count++;
	closedir(open);
	return count;
}

static void test_no_descriptor_is_lost(void **state)
{
	uint32_t before = open_descriptors();
	struct disk *disk, *second;
	struct disk_file *file;
	struct error err;

	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		OK(disk_posix_open(&disk, folder, &err));
		FAILS(disk_posix_open(&second, folder, &err), ERROR_IO);
		make(disk, "a/b/c");
		expect_names(disk, "a/b", "c|");
		expect_names(disk, "a/x/y", "");
		FAILS(disk_open(disk, "a/b", false, &file, &err), ERROR_IO);
		FAILS(disk_open(disk, "a/b/c/d", true, &file, &err), ERROR_IO);
		FAILS(disk_open(disk, "x/y", false, &file, &err), ERROR_IO);
		OK(disk_remove(disk, "x/y", &err));
		OK(disk_remove(disk, "a", &err));
		disk_posix_close(disk);
	}
	assert_int_equal(open_descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contract),
		cmocka_unit_test(test_makes_its_folder),
		cmocka_unit_test(test_one_owner),
		cmocka_unit_test(test_killed_owner),
		cmocka_unit_test(test_fencing),
		cmocka_unit_test(test_short_write),
		cmocka_unit_test(test_foreign_files),
		cmocka_unit_test(test_no_descriptor_is_lost),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
