#include "base/secret.h"

#include "base/file.h"
#include "folder_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cmocka.h>

static void write_secret(const char *bytes, size_t size)
{
	assert_int_equal(
		file_replace(in_folder("secret"), FILE_ONE_WRITER, 0600, bytes, size, false), 0);
}

static void is_secret(const char *wanted)
{
	struct error err;
	char *found = secret_get("TAMIZ_TEST_X", &err);

	assert_true(secret_is_given("TAMIZ_TEST_X"));
	assert_non_null(found);
	assert_string_equal(found, wanted);
	free(found);
}

static void is_no_secret(const char *why)
{
	struct error err;

	assert_null(secret_get("TAMIZ_TEST_X", &err));
	assert_non_null(strstr(err.message, why));
}

static void variables_and_files(void **state)
{
	char longest[SECRET_BYTES_MAX + 2];

	(void)state;
	assert_false(secret_is_given("TAMIZ_TEST_X"));
	is_no_secret("the environment has no TAMIZ_TEST_X");
	setenv("TAMIZ_TEST_X_FILE", in_folder("secret"), 1);
	is_no_secret("No such file");
	write_secret("hush hush\n", 10);
	is_secret("hush hush");
	write_secret("hush", 4);
	is_secret("hush");
	write_secret("", 0);
	is_secret("");
	write_secret("a\0b", 3);
	is_no_secret("not a text");
	memset(longest, 'a', sizeof(longest));
	write_secret(longest, sizeof(longest));
	is_no_secret("too large");
	setenv("TAMIZ_TEST_X", "nearer", 1);
	is_secret("nearer");
	unsetenv("TAMIZ_TEST_X");
	unsetenv("TAMIZ_TEST_X_FILE");
}

static void words_are_overwritten(void **state)
{
	char word[] = "hush";

	(void)state;
	assert_null(secret_take_argument(NULL));
	assert_string_equal(secret_take_argument(word), "hush");
	assert_string_equal(word, "xxxx");
}

static void a_process_keeps_to_itself(void **state)
{
	struct stat info;
	FILE *file;

	(void)state;
	secret_protect_process();
	assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
	file = fopen(in_folder("new"), "w");
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &info), 0);
	fclose(file);
	assert_int_equal(info.st_mode & 0777, 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(variables_and_files, folder_setup, folder_teardown),
		cmocka_unit_test(words_are_overwritten),
		cmocka_unit_test_setup_teardown(
			a_process_keeps_to_itself, folder_setup, folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
