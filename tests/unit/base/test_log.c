#include "base/log.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder_fixture.h"

static char line[LOG_LINE_MAX];

static void test_fields(void **state)
{
	(void)state;
	assert_string_equal(log_format(line, sizeof(line), LOG_READY,
				    LOG_FIELDS(LOG_ID("incarnation", 0x7f03))),
		"READY incarnation=0000000000007f03");
	assert_string_equal(log_format(line, sizeof(line), LOG_ENDED, NULL), "ENDED");
	assert_string_equal(
		log_format(line, sizeof(line), LOG_FOLLOWS,
			LOG_FIELDS(LOG_NUMBER("leader", 2), LOG_NUMBER("term", UINT64_MAX))),
		"FOLLOWS leader=2 term=18446744073709551615");
}

/* A reader can take a line apart again, whatever a message quotes. */
static void test_quoting(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{"plain", "DISK_TROUBLE reason=plain"},
		{"", "DISK_TROUBLE reason=\"\""},
		{NULL, "DISK_TROUBLE reason=\"\""},
		{"two words", "DISK_TROUBLE reason=\"two words\""},
		{"a=b", "DISK_TROUBLE reason=\"a=b\""},
		{"say \"x\"", "DISK_TROUBLE reason=\"say \\\"x\\\"\""},
		{"back\\slash", "DISK_TROUBLE reason=\"back\\\\slash\""},
		{"a\nb\x7f", "DISK_TROUBLE reason=a?b?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(log_format(line, sizeof(line), LOG_DISK_TROUBLE,
					    LOG_FIELDS(LOG_TEXT("reason", cases[i].text))),
			cases[i].expected);
}

static void test_cut_off(void **state)
{
	char small[20];

	(void)state;
	log_format(small, sizeof(small), LOG_DISK_TROUBLE,
		LOG_FIELDS(LOG_TEXT("reason", "much too long")));
	assert_string_equal(small, "DISK_TROUBLE reason");
}

/* Fields that may be missing: none, each, both in their order. */
static void test_optional_fields(void **state)
{
	(void)state;
	assert_string_equal(log_format(line, sizeof(line), LOG_ENDING, NULL), "ENDING");
	assert_string_equal(
		log_format(line, sizeof(line), LOG_ENDING, LOG_FIELDS(LOG_NUMBER("clients", 3))),
		"ENDING clients=3");
	assert_string_equal(log_format(line, sizeof(line), LOG_ENDING,
				    LOG_FIELDS(LOG_NUMBER("backlog", 1), LOG_NUMBER("clients", 2))),
		"ENDING backlog=1 clients=2");
}

static void test_table(void **state)
{
	(void)state;
	for (int i = 0; i < LOG_EVENT_COUNT; i++) {
		const struct log_event_spec *spec = &log_event_specs[i];

		assert_true(spec->name && *spec->name && *spec->meaning);
		for (int other = 0; other < i; other++)
			assert_string_not_equal(spec->name, log_event_specs[other].name);
	}
}

/* What `text` is on the way to a file, in one write; behind the time. */
static const char *written(enum log_event event, const char *text)
{
	static char out[3 * LOG_LINE_MAX];
	int ends[2], kept = dup(STDERR_FILENO);
	ssize_t size;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	log_write("gateway.0", event, text);
	dup2(kept, STDERR_FILENO);
	size = read(ends[0], out, sizeof(out) - 1);
	close(ends[0]);
	close(ends[1]);
	close(kept);
	assert_true(size > 34);
	out[size] = '\0';
	return out;
}

/* Time, level, component, event and fields. */
static void test_line(void **state)
{
	const char *out = written(LOG_ACCEPT_FAILED, "ACCEPT_FAILED reason=\"too many\"");

	(void)state;
	assert_int_equal(out[10], 'T');
	assert_string_equal(out + 24, " WARN gateway.0 ACCEPT_FAILED reason=\"too many\"\n");
}

static void test_json(void **state)
{
	static const struct {
		const char *text;
		const char *fields;
	} cases[] = {
		{"ACCEPT_FAILED", ""},
		{"ACCEPT_FAILED reason=plain", ",\"reason\":\"plain\""},
		{"ACCEPT_FAILED reason=\"\"", ",\"reason\":\"\""},
		{"ACCEPT_FAILED reason=\"two \\\"words\\\" \\\\\" n=12 id=0012",
			",\"reason\":\"two \\\"words\\\" \\\\\",\"n\":12,\"id\":\"0012\""},
		{"ACCEPT_FAILED n=0 m=18446744073709551615",
			",\"n\":0,\"m\":\"18446744073709551615\""},
		/* Lines that were cut off. */
		{"ACCEPT_FAILED reason", ",\"reason\":\"\""},
		{"ACCEPT_FAILED reason=\"too", ",\"reason\":\"too\""},
		{"ACCEPT_FAILED reason=\"too\\", ",\"reason\":\"too\""},
	};
	char expected[256];

	(void)state;
	log_use_json(true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *out = written(LOG_ACCEPT_FAILED, cases[i].text);

		assert_memory_equal(out, "{\"time\":\"", 9);
		snprintf(expected, sizeof(expected),
			"Z\",\"level\":\"WARN\",\"process\":\"gateway.0\",\"event\":\"ACCEPT_"
			"FAILED\"%"
			"s}\n",
			cases[i].fields);
		assert_string_equal(strchr(out, 'Z'), expected);
	}
	log_use_json(false);
}

/* The longest line is still a whole object. */
static void test_long_json(void **state)
{
	char text[LOG_LINE_MAX];
	const char *out;

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "ACCEPT_FAILED reason=", 21);
	text[sizeof(text) - 1] = '\0';
	log_use_json(true);
	out = written(LOG_ACCEPT_FAILED, text);
	log_use_json(false);
	assert_string_equal(out + strlen(out) - 4, "a\"}\n");
}

/* A file that was renamed is left behind; one that cannot be made again is kept. */
static void test_reopen(void **state)
{
	const char *path = in_folder("node.log"), *old = in_folder("node.log.1");
	int kept = dup(STDERR_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	struct stat info;

	(void)state;
	assert_true(fd >= 0);
	dup2(fd, STDERR_FILENO);
	close(fd);
	log_keep_file("node.0");
	assert_true(log_has_file());
	assert_int_equal(rename(path, old), 0);
	log_reopen();
	log_event("node.0", LOG_ENDED, NULL);
	/* Where a file cannot be: the log goes on in the one before. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	log_reopen();
	assert_int_equal(fstat(STDERR_FILENO, &info), 0);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_true(info.st_size > 0 && info.st_nlink == 0);
	assert_int_equal(stat(old, &info), 0);
	assert_int_equal(info.st_size, 0);
}

static int listen_as_journal(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void test_journal(void **state)
{
	const char *path = in_folder("journal");
	int fd = listen_as_journal(path);
	char got[4 * LOG_LINE_MAX], text[LOG_LINE_MAX];
	ssize_t size;

	(void)state;
	assert_false(log_use_journal(in_folder("none")));
	assert_true(log_use_journal(path));
	log_event("gateway.0", LOG_CLIENT_TURNED_AWAY,
		LOG_FIELDS(LOG_ID("connection", 7),
			LOG_TEXT("reason", "it said \"no\\\" = no\nPRIORITY=0")));
	size = recv(fd, got, sizeof(got) - 1, 0);
	assert_true(size > 0);
	got[size] = '\0';
	assert_string_equal(got,
		"SYSLOG_IDENTIFIER=tamiz\nPRIORITY=6\nTAMIZ_PROCESS=gateway.0\n"
		"TAMIZ_EVENT=CLIENT_TURNED_AWAY\nMESSAGE=gateway.0 CLIENT_TURNED_AWAY "
		"connection=0000000000000007 "
		"reason=\"it said \\\"no\\\\\\\" = no?PRIORITY=0\"\n"
		"TAMIZ_CONNECTION=0000000000000007\n"
		"TAMIZ_REASON=it said \"no\\\" = no?PRIORITY=0\n");
	/* The longest line has whole fields alone. */
	memset(text, 'a', sizeof(text));
	memcpy(text, "ACCEPT_FAILED reason=", 21);
	text[sizeof(text) - 1] = '\0';
	log_write("gateway.0", LOG_ACCEPT_FAILED, text);
	size = recv(fd, got, sizeof(got), 0);
	assert_true(size > LOG_LINE_MAX && got[size - 1] == '\n');
	/* Nobody listens any more: stderr has it. */
	close(fd);
	assert_string_equal(written(LOG_ENDED, "ENDED") + 24, " INFO gateway.0 ENDED\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_quoting),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_optional_fields),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_long_json),
		cmocka_unit_test_setup_teardown(test_reopen, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_journal, folder_setup, folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
