#include "base/file.h"

#include "folder_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_contents(const char *path, const char *expected)
{
	size_t size;
	char *text = file_read(path, 1 << 20, &size);

	assert_non_null(text);
	assert_int_equal(size, strlen(expected));
	assert_string_equal(text, expected);
	free(text);
}

static uint32_t count_of_entries(void)
{
	DIR *dir = opendir(folder);
	uint32_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2; /* "." and ".." */
}

static uint32_t count_of_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint32_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void test_read(void **state)
{
	const char *path = in_folder("text");
	size_t size = 1;
	char *text;

	(void)state;
	assert_null(file_read(path, 10, NULL));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(file_replace(path, FILE_ONE_WRITER, 0600, "", 0, false), 0);
	text = file_read(path, 0, &size);
	assert_non_null(text);
	assert_string_equal(text, "");
	assert_int_equal(size, 0);
	free(text);
	assert_int_equal(file_replace(path, FILE_ONE_WRITER, 0600, "0123456789", 10, false), 0);
	assert_contents(path, "0123456789");
	text = file_read(path, 10, &size);
	assert_non_null(text);
	assert_int_equal(size, 10);
	free(text);
	assert_null(file_read(path, 9, NULL));
	assert_int_equal(errno, EFBIG);
	assert_null(file_read(folder, 100, NULL));
	assert_int_equal(errno, EISDIR);
}

static void test_replace(void **state)
{
	static const enum file_writers all[] = {FILE_ONE_WRITER, FILE_MANY_WRITERS};
	struct stat info;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *path = in_folder("name.csv");

		assert_int_equal(file_replace(path, all[i], 0600, "first", 5, true), 0);
		assert_contents(path, "first");
		/* A file that may not be written is replaced all the same. */
		assert_int_equal(file_replace(path, all[i], 0400, "second", 6, false), 0);
		assert_contents(path, "second");
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0400);
		assert_int_equal(count_of_entries(), 1);
	}
	assert_int_equal(
		file_replace(in_folder("none/name"), FILE_ONE_WRITER, 0600, "", 0, false), -1);
	assert_int_equal(errno, ENOENT);
}

/* What a killed process left is in nobody's way, not even when it is a link elsewhere. */
static void test_leftovers(void **state)
{
	const char *elsewhere = in_folder("elsewhere");
	const char *path = in_folder("name");

	(void)state;
	assert_int_equal(file_replace(elsewhere, FILE_ONE_WRITER, 0400, "kept", 4, false), 0);
	assert_int_equal(symlink(elsewhere, in_folder("name.partial")), 0);
	assert_int_equal(file_replace(path, FILE_ONE_WRITER, 0600, "new", 3, false), 0);
	assert_contents(path, "new");
	assert_contents(elsewhere, "kept");
	assert_int_equal(count_of_entries(), 2);
}

static void test_release_alone(void **state)
{
	struct file_replacement replacement;
	const char *path = in_folder("name");
	uint32_t descriptors = count_of_descriptors();

	(void)state;
	assert_int_equal(file_replace(path, FILE_ONE_WRITER, 0600, "old", 3, false), 0);
	assert_int_equal(file_replacement_open(&replacement, path, FILE_MANY_WRITERS, 0600), 0);
	assert_int_equal(file_write_all(replacement.fd, "new", 3), 0);
	assert_int_equal(count_of_entries(), 2);
	assert_contents(path, "old");
	errno = 77;
	file_replacement_release(&replacement);
	file_replacement_release(&replacement);
	assert_int_equal(errno, 77);
	assert_contents(path, "old");
	assert_int_equal(count_of_entries(), 1);
	replacement = (struct file_replacement){0};
	file_replacement_release(&replacement);
	assert_int_equal(count_of_descriptors(), descriptors);
}

/* A write that fails leaves the old file, no partial one, and no open descriptor. */
static void test_failing_write(void **state)
{
	const char *path = in_folder("name");
	struct rlimit before, small;
	uint32_t descriptors;
	int status, number;

	(void)state;
	assert_int_equal(file_replace(path, FILE_ONE_WRITER, 0600, "old", 3, false), 0);
	descriptors = count_of_descriptors();
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 2;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	status = file_replace(path, FILE_ONE_WRITER, 0600, "longer", 6, false);
	number = errno;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(status, -1);
	assert_int_equal(number, EFBIG);
	assert_contents(path, "old");
	assert_int_equal(count_of_entries(), 1);
	assert_int_equal(count_of_descriptors(), descriptors);
}

static void test_rename_fails(void **state)
{
	struct file_replacement replacement;
	const char *path = in_folder("name");

	(void)state;
	assert_int_equal(file_replacement_open(&replacement, path, FILE_ONE_WRITER, 0600), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(file_replacement_commit(&replacement, true), -1);
	assert_int_equal(errno, EISDIR);
	assert_string_equal(replacement.path, path);
	file_replacement_release(&replacement);
	assert_int_equal(count_of_entries(), 1);
}

static void test_folders(void **state)
{
	static char deep[PATH_MAX + 16];
	struct stat info;
	struct error err;

	(void)state;
	for (int durable = 0; durable < 2; durable++) {
		assert_int_equal(folder_make(in_folder("a/b//c/"), 0700, durable, &err), 0);
		assert_int_equal(stat(in_folder("a/b/c"), &info), 0);
		assert_true(S_ISDIR(info.st_mode));
	}
	assert_int_equal(folder_make("/", 0700, false, &err), 0);
	assert_int_equal(folder_make_above(in_folder("d/e/file"), 0700, &err), 0);
	assert_int_equal(stat(in_folder("d/e"), &info), 0);
	assert_int_equal(stat(in_folder("d/e/file"), &info), -1);
	assert_int_equal(folder_make_above("file", 0700, &err), 0);
	assert_int_equal(folder_make_above("/file", 0700, &err), 0);

	assert_int_equal(folder_make("", 0700, false, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	memset(deep, 'x', sizeof(deep) - 1);
	assert_int_equal(folder_make(deep, 0700, false, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(file_replace(in_folder("f"), FILE_ONE_WRITER, 0600, "", 0, false), 0);
	assert_int_equal(folder_make(in_folder("f/g"), 0700, false, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_int_equal(errno, ENOTDIR);
	assert_non_null(strstr(err.message, "/f is a file"));
	assert_int_equal(folder_make("/proc/none/x", 0700, false, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	assert_non_null(strstr(err.message, "cannot make the folder /proc/none: "));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_read),
		IN_FOLDER(test_replace),
		IN_FOLDER(test_leftovers),
		IN_FOLDER(test_release_alone),
		IN_FOLDER(test_failing_write),
		IN_FOLDER(test_rename_fails),
		IN_FOLDER(test_folders),
	};

	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
