#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

/* Time, level, component, event and fields, in one write. */
static void test_line(void **state)
{
	char text[256] = "";
	int ends[2], kept = dup(STDERR_FILENO);
	ssize_t size;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	log_event("gateway.0", LOG_ACCEPT_FAILED, LOG_FIELDS(LOG_TEXT("reason", "too many")));
	dup2(kept, STDERR_FILENO);
	size = read(ends[0], text, sizeof(text) - 1);
	assert_true(size > 25);
	assert_int_equal(text[10], 'T');
	assert_string_equal(text + 24, " WARN gateway.0 ACCEPT_FAILED reason=\"too many\"\n");
	close(ends[0]);
	close(ends[1]);
	close(kept);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
