#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
