#include "client/job_key.h"

#include "../base/folder_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ID     0x1122334455667788ull
#define DIGITS "1122334455667788"
#define SECRET "00112233445566778899aabbccddeeff"

static const struct wire_secret zeros;

static int setup(void **state)
{
	return folder_setup(state) || setenv("XDG_STATE_HOME", folder, 1);
}

static void test_text(void **state)
{
	struct wire_secret secret;
	char text[JOB_KEY_TEXT_MAX];
	struct error err;
	uint64_t job;

	(void)state;
	assert_int_equal(job_key_parse(DIGITS "-" SECRET, &job, &secret, &err), 0);
	assert_true(job == ID);
	assert_int_equal(secret.bytes[0], 0x00);
	assert_int_equal(secret.bytes[15], 0xff);
	assert_string_equal(job_key_text(job, &secret, text), DIGITS "-" SECRET);
}

static void test_wrong_text(void **state)
{
	static const char *const wrong[] = {"", "-", "112233445566778", "11223344556677889",
		"0000000000000000", "112233445566778x", "+122334455667788", DIGITS "-",
		DIGITS SECRET, DIGITS "-" SECRET "0", DIGITS "+" SECRET, "-" SECRET,
		"0000000000000000-" SECRET, DIGITS "-x0112233445566778899aabbccddeeff",
		DIGITS "-00112233445566778899aabbccddeef"};
	struct wire_secret secret;
	struct error err;
	uint64_t job;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(job_key_parse(wrong[i], &job, &secret, &err), -1);
		assert_int_equal(err.code, ERROR_USAGE);
	}
}

static void by_id(uint64_t job, struct wire_secret *secret)
{
	char text[32];
	struct error err;
	uint64_t found;

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)job);
	assert_int_equal(job_key_parse(text, &found, secret, &err), 0);
	assert_true(found == job);
}

static void test_own_jobs_are_remembered(void **state)
{
	struct wire_secret first, last, secret;
	uint64_t first_job, last_job;
	struct stat info;
	struct error err;

	(void)state;
	by_id(ID, &secret); /* there is no file */
	assert_memory_equal(&secret, &zeros, sizeof(zeros));
	assert_int_equal(job_key_draw(&first_job, &first, &err), 0);
	assert_int_equal(job_key_draw(&last_job, &last, &err), 0);
	assert_memory_not_equal(&first, &last, sizeof(first));
	by_id(first_job, &secret);
	assert_memory_equal(&secret, &first, sizeof(first));
	by_id(last_job, &secret);
	assert_memory_equal(&secret, &last, sizeof(last));
	by_id(ID, &secret);
	assert_memory_equal(&secret, &zeros, sizeof(zeros));
	assert_int_equal(stat(in_folder("tamiz/job-keys"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	/* The oldest go, and the file does not grow without end. */
	for (uint32_t i = 0; i < 2 * JOB_KEYS_KEPT; i++)
		assert_int_equal(job_key_draw(&last_job, &last, &err), 0);
	by_id(first_job, &secret);
	assert_memory_equal(&secret, &zeros, sizeof(zeros));
	by_id(last_job, &secret);
	assert_memory_equal(&secret, &last, sizeof(last));
	assert_int_equal(stat(in_folder("tamiz/job-keys"), &info), 0);
	assert_true(info.st_size < 2 * (off_t)JOB_KEYS_KEPT * (off_t)JOB_KEY_TEXT_MAX);
}

/* A line that a crash cut off, and others that make no sense, hide nothing. */
static void test_a_damaged_file(void **state)
{
	struct wire_secret first, second, secret;
	uint64_t first_job, second_job;
	struct error err;
	FILE *file;

	(void)state;
	assert_int_equal(job_key_draw(&first_job, &first, &err), 0);
	file = fopen(in_folder("tamiz/job-keys"), "a");
	assert_non_null(file);
	fputs("1122", file);
	fclose(file);
	by_id(first_job, &secret);
	assert_memory_equal(&secret, &first, sizeof(first));
	assert_int_equal(job_key_draw(&second_job, &second, &err), 0);
	by_id(second_job, &secret);
	assert_memory_equal(&secret, &second, sizeof(second));
	by_id(first_job, &secret);
	assert_memory_equal(&secret, &first, sizeof(first));
}

static void test_no_place_to_remember(void **state)
{
	struct wire_secret secret;
	struct error err;
	uint64_t job;

	(void)state;
	setenv("XDG_STATE_HOME", "/dev/null", 1);
	assert_int_equal(job_key_draw(&job, &secret, &err), 0);
	by_id(job, &secret);
	assert_memory_equal(&secret, &zeros, sizeof(zeros));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text),
		TEST(test_wrong_text),
		TEST(test_own_jobs_are_remembered),
		TEST(test_a_damaged_file),
		TEST(test_no_place_to_remember),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
