#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct values {
	const char *data;
	const char *format;
	struct option_list queries;
	uint64_t threads;
	uint64_t size;
	bool strict;
};

static const char *const formats[] = {"table", "csv", NULL};

static const struct option_spec options_table[] = {
	{.name = "data",
		.letter = 'd',
		.argument = "DIR",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct values, data),
		.help = "a folder"},
	{.name = "format",
		.argument = "FORMAT",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct values, format),
		.choices = formats,
		.help = "one of two"},
	{.name = "query",
		.argument = "NAME",
		.kind = OPTION_LIST,
		.offset = offsetof(struct values, queries),
		.help = "may be\nrepeated"},
	{.name = "threads",
		.letter = 't',
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct values, threads),
		.min = 1,
		.max = 256,
		.help = "how many"},
	{.name = "size",
		.argument = "SIZE",
		.kind = OPTION_SIZE,
		.offset = offsetof(struct values, size),
		.max = UINT64_MAX,
		.help = "how much"},
	{.name = "strict",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct values, strict),
		.help = "a flag"},
};

static const struct command_spec spec = {
	.name = "tamiz test",
	.operands = "PACK",
	.summary = "Tests.",
	.operands_min = 1,
	.operands_max = 2,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static struct values values;
static struct operands operands;
static struct error err;

/* Parses words that end with NULL. */
static enum options_status parse(char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(&values, 0, sizeof(values));
	memset(&err, 0, sizeof(err));
	return options_parse(&spec, argc, argv, &values, &operands, &err);
}

#define PARSE(...) parse((char *[]){__VA_ARGS__, NULL})

static void assert_fails(enum options_status status, const char *part)
{
	assert_int_equal(status, OPTIONS_ERROR);
	assert_int_equal(err.code, ERROR_USAGE);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" does not contain \"%s\"", err.message, part);
}

static void test_all_forms(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--data", "a", "coffee", "--threads=4", "-t8", "--strict"), 0);
	assert_string_equal(values.data, "a");
	assert_int_equal(values.threads, 8);
	assert_true(values.strict);
	assert_int_equal(operands.count, 1);
	assert_string_equal(operands.items[0], "coffee");

	assert_int_equal(PARSE("-d", "b", "x", "--", "--strict"), 0);
	assert_string_equal(values.data, "b");
	assert_false(values.strict);
	assert_int_equal(operands.count, 2);
	assert_string_equal(operands.items[1], "--strict");

	/* A lone dash is an operand: the standard input. */
	assert_int_equal(PARSE("-"), 0);
	assert_string_equal(operands.items[0], "-");

	/* A value may look like an option, and a long one may hold an equals sign. */
	assert_int_equal(PARSE("x", "--data=a=b", "--query", "--strict"), 0);
	assert_string_equal(values.data, "a=b");
	assert_string_equal(values.queries.items[0], "--strict");
	assert_false(values.strict);
}

static void test_lists_and_choices(void **state)
{
	char *many[2 * OPTION_LIST_MAX + 4];
	int count = 0;

	(void)state;
	assert_int_equal(PARSE("x", "--query", "q1", "--query=q2", "--format", "csv"), 0);
	assert_int_equal(values.queries.count, 2);
	assert_string_equal(values.queries.items[0], "q1");
	assert_string_equal(values.queries.items[1], "q2");
	assert_string_equal(values.format, "csv");
	assert_fails(PARSE("x", "--format", "xml"), "table, csv");

	many[count++] = "x";
	for (int i = 0; i <= OPTION_LIST_MAX; i++) {
		many[count++] = "--query";
		many[count++] = "q";
	}
	many[count] = NULL;
	assert_fails(parse(many), "more than 64 times");
}

static void test_mistakes(void **state)
{
	(void)state;
	assert_fails(PARSE("x", "--thread", "4"), "did you mean --threads?");
	assert_fails(PARSE("x", "--treads=4"), "did you mean --threads?");
	assert_fails(PARSE("x", "--zzz"), "see tamiz test --help");
	assert_fails(PARSE("x", "-z"), "unknown option -z");
	assert_fails(PARSE("x", "--data"), "--data needs a value: --data DIR");
	assert_fails(PARSE("x", "--data", ""), "not empty");
	assert_fails(PARSE("x", "--strict=yes"), "takes no value");
	assert_fails(PARSE("--strict"), "needs PACK");
	assert_fails(PARSE("x", "y", "z"), "unexpected \"z\"");
	assert_fails(PARSE("x", "--threads", "0"), "between 1 and 256");
	assert_fails(PARSE("x", "--threads", "257"), "between 1 and 256");
	assert_fails(PARSE("x", "--threads", "-1"), "whole number");
	assert_fails(PARSE("x", "--threads", "4x"), "whole number");
	assert_fails(PARSE("x", "--threads", "99999999999999999999"), "whole number");
	assert_fails(PARSE("x", "--size", "2Q"), "512K, 20M or 2G");
	assert_fails(
		PARSE("x", "--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"unknown option");
}

static void test_help_wins(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--nonsense", "--help"), OPTIONS_HELP);
	assert_int_equal(PARSE("-h"), OPTIONS_HELP);
	assert_int_equal(PARSE("x", "--", "--help"), OPTIONS_PARSED);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0},
		{"512", 512},
		{"64K", 64 << 10},
		{"64k", 64 << 10},
		{"20M", 20 << 20},
		{"2G", UINT64_C(2) << 30},
		{"2GB", UINT64_C(2) << 30},
		{"2GiB", UINT64_C(2) << 30},
		{"1T", UINT64_C(1) << 40},
		{"1.5G", UINT64_C(3) << 29},
		{"0.5K", 512},
		{"18446744073709551615", UINT64_MAX},
	};
	static const char *const bad[] = {"", "G", "-1", "+1", "1X", "1GG", "1.G", ".5G", "1 G",
		"18446744073709551616", "99999999999T", "1.1234567G", "0x10", "1e3"};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!options_parse_size(good[i].text, &bytes))
			fail_msg("%s is not read", good[i].text);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (options_parse_size(bad[i], &bytes))
			fail_msg("%s is read as a size", bad[i]);
	}
}

static void test_help_text(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, 4096);
	options_help(&spec, &text);
	buf_append_char(&text, 0);
	assert_false(buf_overflowed(&text));
	assert_non_null(strstr(text.data, "usage: tamiz test PACK [OPTION]...\n\nTests.\n"));
	assert_non_null(strstr(text.data, "  -t, --threads N         how many\n"));
	assert_non_null(strstr(text.data, "  --query NAME            may be\n"
					  "                          repeated\n"));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_forms),
		cmocka_unit_test(test_lists_and_choices),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_help_wins),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_help_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
