#include "cluster/users.h"

#include "../base/folder_fixture.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct user *find(const struct users *users, const char *token)
{
	struct sha256 hash = sha256(token, strlen(token));

	return users_find(users, &hash);
}

static void write_text(const char *text)
{
	assert_int_equal(
		file_replace(in_folder("users"), FILE_ONE_WRITER, 0600, text, strlen(text), false),
		0);
}

static void added_and_removed(void **state)
{
	char ana[USER_TOKEN_TEXT], bob[USER_TOKEN_TEXT], again[USER_TOKEN_TEXT];
	char path[256];
	struct users *users;
	struct stat info;
	struct error err;

	(void)state;
	snprintf(path, sizeof(path), "%s", in_folder("users"));
	users = users_new(path);
	assert_int_equal(users_add(users, "ana", USER_SUBMIT, 3, ana, &err), 0);
	assert_int_equal(users_add(users, "bob@x.org", USER_ADMIN, 0, bob, &err), 0);
	assert_string_not_equal(ana, bob);
	assert_int_equal(strlen(ana), USER_TOKEN_TEXT - 1);
	assert_int_equal(users_add(users, "ana", USER_READ, 0, again, &err), -1);
	assert_non_null(strstr(err.message, "already"));
	assert_int_equal(users_add(users, "two words", USER_READ, 0, again, &err), -1);
	assert_int_equal(users_add(users, "", USER_READ, 0, again, &err), -1);
	assert_int_equal(users_save(users, &err), 0);
	users_free(users);

	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
	assert_int_equal(users_open(&users, path, &err), 0);
	assert_string_equal(find(users, ana)->name, "ana");
	assert_int_equal(find(users, ana)->jobs_max, 3);
	assert_int_equal(find(users, bob)->role, USER_ADMIN);
	assert_int_not_equal(find(users, ana)->id, find(users, bob)->id);
	ana[20] = ana[20] == '0' ? '1' : '0';
	assert_null(find(users, ana));
	assert_null(find(users, ""));
	assert_int_equal(users_remove(users, "ana", &err), 0);
	assert_int_equal(users_remove(users, "ana", &err), -1);
	assert_string_equal(users_get(users, 0)->name, "bob@x.org");
	assert_null(users_get(users, 1));
	users_free(users);
}

static void the_token_is_not_kept(void **state)
{
	char token[USER_TOKEN_TEXT], path[256], *text;
	struct users *users;
	struct error err;

	(void)state;
	snprintf(path, sizeof(path), "%s", in_folder("users"));
	users = users_new(path);
	assert_int_equal(users_add(users, "ana", USER_SUBMIT, 0, token, &err), 0);
	assert_int_equal(users_save(users, &err), 0);
	text = file_read(path, 10000, NULL);
	assert_non_null(strstr(text, "ana submit "));
	assert_null(strstr(text, token));
	free(text);
	users_free(users);
}

static void wrong_files(void **state)
{
	static const char *const wrong[] = {"ana\n", "ana submit\n", "ana submit 12\n",
		"ana boss "
		"0000000000000000000000000000000000000000000000000000000000000000\n",
		"ana submit "
		"000000000000000000000000000000000000000000000000000000000000000g\n",
		"ana submit "
		"0000000000000000000000000000000000000000000000000000000000000000 jobs=x\n",
		"ana submit "
		"0000000000000000000000000000000000000000000000000000000000000000 more\n"};
	struct users *users;
	struct error err;

	(void)state;
	assert_int_equal(users_open(&users, in_folder("none"), &err), -1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char text[256];

		snprintf(text, sizeof(text), "# all\n\n%s", wrong[i]);
		write_text(text);
		assert_int_equal(users_open(&users, in_folder("users"), &err), -1);
		assert_non_null(strstr(err.message, "users:3:"));
	}
}

static void changes_are_seen(void **state)
{
	static const char hash[] =
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"; /* test */
	char path[256], text[256];
	struct users *users;
	struct error err;
	bool changed;

	(void)state;
	snprintf(path, sizeof(path), "%s", in_folder("users"));
	write_text("");
	assert_int_equal(users_open(&users, path, &err), 0);
	assert_null(find(users, "test"));
	snprintf(text, sizeof(text), "ana submit %s\n", hash);
	write_text(text);
	assert_int_equal(users_refresh(users, 5000, &changed, &err), 0);
	assert_true(changed);
	assert_string_equal(find(users, "test")->name, "ana");
	/* A wrong file changes nothing and is told once. */
	write_text("nonsense\n");
	assert_int_equal(users_refresh(users, 5999, &changed, &err), 0);
	assert_int_equal(users_refresh(users, 6000, &changed, &err), -1);
	assert_int_equal(users_refresh(users, 8000, &changed, &err), 0);
	assert_non_null(find(users, "test"));
	/* Neither does one that is gone. */
	assert_int_equal(remove(path), 0);
	assert_int_equal(users_refresh(users, 10000, &changed, &err), -1);
	assert_non_null(find(users, "test"));
	write_text("");
	assert_int_equal(users_refresh(users, 12000, &changed, &err), 0);
	assert_true(changed);
	assert_null(find(users, "test"));
	users_free(users);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(added_and_removed, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(
			the_token_is_not_kept, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(wrong_files, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(changes_are_seen, folder_setup, folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
