/* The forms of results, byte by byte, and the files they are written to. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/format/format.h"
#include "cli/print/human.h"
#include "cli/print/output.h"
#include "cli/print/results.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COLUMNS 4
#define ROWS	3

static const char *names[COLUMNS] = {"n", "some \"text\"", "ok", "list"};
static struct type types[COLUMNS];
static struct plan_query query = {
	.name = "q1", .title = "A title", .column_count = COLUMNS, .names = names, .types = types};

static struct arena arena;
static struct column columns[COLUMNS];
static struct batch batch;

static void set_texts(uint32_t row, const char *text, bool ok)
{
	static const struct text items[] = {
		{.data = "a,b", .size = 3}, {.size = TEXT_LIST_NULL_SIZE}};
	struct value value = {.type = types[1], .text = text_from(text, strlen(text))};

	column_set_value(&columns[1], row, &value);
	value = (struct value){.type = types[2], .boolean = ok};
	column_set_value(&columns[2], row, &value);
	value = (struct value){.type = types[3], .list = {items, 2}};
	column_set_value(&columns[3], row, &value);
}

/* (78.0, x, t, list), (-1.25, "", f, list), (NULL, NULL, NULL, NULL) */
static int setup(void **state)
{
	static const enum type_kind kinds[COLUMNS] = {
		TYPE_NUMERIC, TYPE_TEXT, TYPE_BOOL, TYPE_TEXT_LIST};
	struct value number = {.type = type_of(TYPE_NUMERIC)};

	(void)state;
	arena_init(&arena, 65536);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		types[c] = type_of(kinds[c]);
		column_init(&columns[c], types[c], ROWS, &arena);
		column_add_validity(&columns[c], ROWS, &arena);
		columns[c].valid[2] = 0;
	}
	number.num = numeric_pack(780, 1);
	column_set_value(&columns[0], 0, &number);
	number.num = numeric_pack(-125, 2);
	column_set_value(&columns[0], 1, &number);
	set_texts(0, "x", true);
	set_texts(1, "", false);
	batch = (struct batch){
		.rows = ROWS, .column_count = COLUMNS, .columns = columns, .selected = ROWS};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct format_style usual;

/* What a form makes of the batch; terminated; freed by the caller. */
static char *render(const struct format_ops *ops, bool with_rows)
{
	struct format *format = ops->new (&query, &usual);
	struct output output;
	struct error err;
	char *text;

	output_init_spool(&output);
	if (with_rows)
		assert_int_equal(ops->rows(format, &batch, &output, &err), 0);
	assert_int_equal(ops->end(format, &output, &err), 0);
	buf_append_char(&output.buf, 0);
	text = memory_strdup(output.buf.data);
	output_release(&output);
	ops->free(format);
	return text;
}

static void assert_renders(const struct format_ops *ops, bool with_rows, const char *expected)
{
	char *text = render(ops, with_rows);

	assert_string_equal(text, expected);
	free(text);
}

static void test_csv(void **state)
{
	(void)state;
	assert_renders(&format_csv, true,
		"n,\"some \"\"text\"\"\",ok,list\n"
		"78.0,x,t,\"[\"\"a,b\"\",null]\"\n"
		"-1.25,\"\",f,\"[\"\"a,b\"\",null]\"\n"
		",,,\n");
	assert_renders(&format_csv, false, "n,\"some \"\"text\"\"\",ok,list\n");
}

static void test_csv_quoting(void **state)
{
	static const struct {
		const char *text;
		const char *field;
	} cases[] = {
		{"a\nb", "\"a\nb\""},
		{"a\rb", "\"a\rb\""},
		{"\"", "\"\"\"\""},
		{"\"a\"\"b\"", "\"\"\"a\"\"\"\"b\"\"\""},
		{" a ", " a "},
		{"a;b", "a;b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char expected[128];
		char *text;

		set_texts(0, cases[i].text, true);
		text = render(&format_csv, true);
		snprintf(expected, sizeof(expected), "\n78.0,%s,t,", cases[i].field);
		if (!strstr(text, expected))
			fail_msg("%s is not in %s", expected, text);
		free(text);
	}
	set_texts(0, "x", true);
}

static void test_json(void **state)
{
	(void)state;
	assert_renders(&format_json, true,
		"[\n"
		"{\"n\": 78.0, \"some \\\"text\\\"\": \"x\", \"ok\": true, \"list\": "
		"[\"a,b\",null]},\n"
		"{\"n\": -1.25, \"some \\\"text\\\"\": \"\", \"ok\": false, \"list\": "
		"[\"a,b\",null]},\n"
		"{\"n\": null, \"some \\\"text\\\"\": null, \"ok\": null, \"list\": null}\n"
		"]\n");
	assert_renders(&format_json, false, "[]\n");
}

static void test_json_escapes(void **state)
{
	char *text;

	(void)state;
	set_texts(0, "\\ \n\t\r\x01\x7f caf\xc3\xa9 \xff\xc3", true);
	text = render(&format_json, true);
	assert_non_null(strstr(text, "\"\\\\ \\n\\t\\r\\u0001\\u007f caf\xc3\xa9 "
				     "\xef\xbf\xbd\xef\xbf\xbd\""));
	free(text);
	set_texts(0, "x", true);
}

static void test_json_doubles(void **state)
{
	static const char *double_name[] = {"d"};
	static struct type double_type[1];
	struct plan_query doubles = {.name = "q",
		.title = "",
		.column_count = 1,
		.names = double_name,
		.types = double_type};
	double values[] = {1.5, NAN, -INFINITY};
	struct column column = {.type = type_of(TYPE_DOUBLE), .f64 = values};
	struct batch rows = {.rows = 3, .column_count = 1, .columns = &column, .selected = 3};
	struct format *format;
	struct output output;
	struct error err;

	(void)state;
	double_type[0] = type_of(TYPE_DOUBLE);
	format = format_json.new(&doubles, &usual);
	output_init_spool(&output);
	assert_int_equal(format_json.rows(format, &rows, &output, &err), 0);
	assert_int_equal(format_json.end(format, &output, &err), 0);
	buf_append_char(&output.buf, 0);
	assert_string_equal(output.buf.data,
		"[\n{\"d\": 1.5},\n{\"d\": \"NaN\"},\n{\"d\": \"-Infinity\"}\n]\n");
	output_release(&output);
	format_json.free(format);
}

static void test_md(void **state)
{
	(void)state;
	assert_renders(&format_md, true,
		"| n | some \"text\" | ok | list |\n"
		"|---:|---|---|---|\n"
		"| 78.0 | x | t | [\"a,b\",null] |\n"
		"| -1.25 |  | f | [\"a,b\",null] |\n"
		"|  |  |  |  |\n");
}

static void test_table(void **state)
{
	(void)state;
	assert_renders(&format_table, true,
		"┌───────┬─────────────┬──────┬──────────────┐\n"
		"│     n │ some \"text\" │ ok   │ list         │\n"
		"├───────┼─────────────┼──────┼──────────────┤\n"
		"│  78.0 │ x           │ t    │ [\"a,b\",null] │\n"
		"│ -1.25 │             │ f    │ [\"a,b\",null] │\n"
		"│  NULL │ NULL        │ NULL │ NULL         │\n"
		"└───────┴─────────────┴──────┴──────────────┘\n"
		"3 rows\n");
}

static void test_ascii(void **state)
{
	(void)state;
	assert_renders(&format_ascii, true,
		"+-------+-------------+------+--------------+\n"
		"|     n | some \"text\" | ok   | list         |\n"
		"+-------+-------------+------+--------------+\n"
		"|  78.0 | x           | t    | [\"a,b\",null] |\n"
		"| -1.25 |             | f    | [\"a,b\",null] |\n"
		"|  NULL | NULL        | NULL | NULL         |\n"
		"+-------+-------------+------+--------------+\n"
		"3 rows\n");
}

static void test_table_that_is_cut(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8"); /* as main() does */
	set_texts(0, "\xe6\x9d\xb1\xe4\xba\xac east of everything", true);
	usual = (struct format_style){.width = 41, .rows_max = 2, .null = "-"};
	assert_renders(&format_table, true,
		"┌──────┬────────────┬────┬──────────────┐\n"
		"│    n │ some \"tex… │ ok │ list         │\n"
		"├──────┼────────────┼────┼──────────────┤\n"
		"│ 78.0 │ 東京 east… │ t  │ [\"a,b\",null] │\n"
		"│ …    │ …          │ …  │ …            │\n"
		"│    - │ -          │ -  │ -            │\n"
		"└──────┴────────────┴────┴──────────────┘\n"
		"3 rows (2 shown)\n");
	usual = (struct format_style){.width = 30, .rows_max = 1, .without_names = true};
	assert_renders(&format_ascii, true,
		"+------+-----+--------------+\n"
		"| 78.0 | ... | [\"a,b\",null] |\n"
		"| ...  | ... | ...          |\n"
		"+------+-----+--------------+\n");
	usual = (struct format_style){.width = 30, .expanded = FORMAT_EXPANDED_AUTO, .rows_max = 1};
	assert_renders(&format_table, true,
		"-[ row 1 ]------------------------------\n"
		"n           | 78.0\n"
		"some \"text\" | 東京 east of everything\n"
		"ok          | t\n"
		"list        | [\"a,b\",null]\n"
		"3 rows (1 shown)\n");
	usual = (struct format_style){0};
	set_texts(0, "x", true);
}

static void test_vertical(void **state)
{
	char *text;

	(void)state;
	text = render(&format_vertical, true);
	assert_non_null(strstr(text, "-[ row 2 ]------------------------------\n"
				     "n           | -1.25\n"
				     "some \"text\" | \n"));
	free(text);
	assert_renders(&format_vertical, false, "0 rows\n");
}

static void test_markup(void **state)
{
	char *text;

	(void)state;
	set_texts(0, "<b> & 5% of_$", true);
	text = render(&format_html, true);
	assert_non_null(strstr(text, "<tr><th>n</th><th>some &quot;text&quot;</th>"));
	assert_non_null(
		strstr(text, "<tr><td align=\"right\">78.0</td><td>&lt;b&gt; &amp; 5% of_$</td>"));
	free(text);
	text = render(&format_latex, true);
	assert_non_null(strstr(text, "\\begin{tabular}{rlll}\n\\hline\nn & some"));
	assert_non_null(strstr(text, "78.0 & <b> \\& 5\\% of\\_\\$ & t"));
	free(text);
	set_texts(0, "x", true);
}

static void test_table_shows_control_characters(void **state)
{
	char *text;

	(void)state;
	set_texts(0, "a\n\x1b[31m\xff", true);
	text = render(&format_table, true);
	assert_non_null(strstr(text, "│ a\\n\\x1b[31m\\xff │"));
	free(text);
	set_texts(0, "x", true);
}

static void test_selection(void **state)
{
	static const uint16_t sel[] = {1};
	struct batch all = batch;

	(void)state;
	batch.sel = sel;
	batch.selected = 1;
	assert_renders(&format_csv, true,
		"n,\"some \"\"text\"\"\",ok,list\n-1.25,\"\",f,\"[\"\"a,b\"\",null]\"\n");
	batch = all;
}

static void test_utf8(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t character;
		size_t length;
	} cases[] = {
		{"a", 'a', 1},
		{"\xc3\xa9", 0xe9, 2},
		{"\xe2\x82\xac", 0x20ac, 3},
		{"\xf0\x9f\x98\x80", 0x1f600, 4},
		{"\xc0\x80", UTF8_INVALID, 1},	       /* overlong */
		{"\xe0\x80\x80", UTF8_INVALID, 1},     /* overlong */
		{"\xed\xa0\x80", UTF8_INVALID, 1},     /* a surrogate */
		{"\xf4\x90\x80\x80", UTF8_INVALID, 1}, /* above 10FFFF */
		{"\xf5\x80\x80\x80", UTF8_INVALID, 1},
		{"\xe2\x82", UTF8_INVALID, 1}, /* cut short */
		{"\x80", UTF8_INVALID, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t length;
		uint32_t c = utf8_decode(cases[i].bytes, strlen(cases[i].bytes), &length);

		assert_int_equal(c, cases[i].character);
		assert_int_equal(length, cases[i].length);
	}
}

static void test_file_appears_when_complete(void **state)
{
	char folder[] = "/tmp/tamiz-test-format-XXXXXX";
	char path[128];
	struct output output;
	struct error err;
	struct stat info;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/q1.csv", folder);

	assert_int_equal(output_init_file(&output, path, &err), 0);
	buf_append_text(&output.buf, "half");
	assert_int_equal(stat(path, &info), -1);
	output_release(&output);
	assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
	assert_int_equal(mkdir(folder, 0700), 0);

	assert_int_equal(output_init_file(&output, path, &err), 0);
	buf_append_text(&output.buf, "whole");
	assert_int_equal(output_commit(&output, &err), 0);
	output_release(&output);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, 5);
	assert_int_equal(unlink(path), 0);

	assert_int_equal(output_init_file(&output, folder, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(output_init_file(&output, path, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
}

static void test_queries_come_in_order(void **state)
{
	struct plan_query queries[2] = {query, query};
	struct plan plan = {.query_count = 2, .queries = queries};
	struct progress progress;
	const struct results_form form = {&format_csv, &usual, STDOUT_FILENO};
	struct results results;
	struct error err;
	char got[4096] = "";
	int ends[2];
	int saved = dup(STDOUT_FILENO);
	ssize_t size;

	(void)state;
	queries[1].name = "q2";
	queries[1].title = "";
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	dup2(ends[1], STDOUT_FILENO);
	progress_init(&progress, false);
	results_init_stream(&results, &plan, &form, true, &progress);
	/* q2 is ready first, and must wait. */
	int failed = results.sink.rows(&results.sink, 1, &batch, &err) ||
		     results.sink.done(&results.sink, 1, &err) ||
		     results.sink.rows(&results.sink, 0, &batch, &err) ||
		     results.sink.done(&results.sink, 0, &err) || results_finish(&results, &err);
	results_release(&results);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(ends[1]);
	size = read(ends[0], got, sizeof(got) - 1);
	close(ends[0]);
	assert_int_equal(failed, 0);
	assert_true(size > 0);
	assert_memory_equal(got, "# q1\nn,", 7);
	assert_non_null(strstr(got, ",,,\n\n# q2\nn,"));
}

static void test_human_numbers(void **state)
{
	char text[HUMAN_TEXT_MAX];

	(void)state;
	assert_string_equal(human_count(0, text), "0");
	assert_string_equal(human_count(999, text), "999");
	assert_string_equal(human_count(1000, text), "1,000");
	assert_string_equal(human_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
	assert_string_equal(human_bytes(812, text), "812 B");
	assert_string_equal(human_bytes(4200000, text), "4.2 MB");
	assert_string_equal(human_bytes(999999, text), "1.0 MB");
	assert_string_equal(human_bytes(UINT64_MAX, text), "18.4 EB");
	assert_string_equal(human_seconds(0.0042, text), "0.004 s");
	assert_string_equal(human_seconds(200, text), "3 min 20 s");
	assert_string_equal(human_seconds(DBL_MAX, text), "a long time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_csv_quoting),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_escapes),
		cmocka_unit_test(test_json_doubles),
		cmocka_unit_test(test_md),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_table_that_is_cut),
		cmocka_unit_test(test_vertical),
		cmocka_unit_test(test_markup),
		cmocka_unit_test(test_table_shows_control_characters),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_file_appears_when_complete),
		cmocka_unit_test(test_queries_come_in_order),
		cmocka_unit_test(test_human_numbers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
