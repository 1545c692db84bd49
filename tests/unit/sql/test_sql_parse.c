#include "unit/sql/sql_fixture.h"

#include <sys/resource.h>

#include "sql/parse/ast.h"

static int parse(struct arena *arena, const char *text, struct ast_select **out, struct error *err)
{
	struct sql_source source = {.name = "", .text = text, .code = ERROR_SQL};

	return parse_select(&source, arena, out, NULL, err);
}

/* The one thing that the text selects. */
static const struct ast_expr *parse_target(struct arena *arena, const char *text)
{
	struct ast_select *select;
	struct error err;

	if (parse(arena, text, &select, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	assert_int_equal(select->target_count, 1);
	return select->targets[0].expr;
}

static void test_constants(void **state)
{
	static const struct {
		const char *text;
		enum ast_kind kind;
		const char *value;
	} cases[] = {
		{"SELECT 0", AST_INTEGER, "0"},
		{"SELECT -0", AST_INTEGER, "0"},
		{"SELECT 7", AST_INTEGER, "7"},
		{"SELECT -1", AST_INTEGER, "-1"},
		{"SELECT - -1", AST_INTEGER, "1"},
		{"SELECT - - -1", AST_INTEGER, "-1"},
		{"SELECT - /* 5 */ (3)", AST_INTEGER, "-3"},
		{"SELECT 2147483647", AST_INTEGER, "2147483647"},
		{"SELECT -2147483647", AST_INTEGER, "-2147483647"},
		{"SELECT -2147483648", AST_NUMBER, "-2147483648"},
		{"SELECT -9223372036854775808", AST_NUMBER, "-9223372036854775808"},
		{"SELECT -1.5", AST_NUMBER, "-1.5"},
		{"SELECT - -1.5", AST_NUMBER, "1.5"},
		{"SELECT -1e3", AST_NUMBER, "-1e3"},
		{"SELECT ''", AST_STRING, ""},
		{"SELECT '-1'", AST_STRING, "-1"},
		{"SELECT e'a\"\\\\\\n\\t\\x01'", AST_STRING, "a\"\\\n\t\x01"},
		{"SELECT '\xc3\xbc'", AST_STRING, "\xc3\xbc"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena, 4096);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ast_expr *expr = parse_target(&arena, cases[i].text);

		assert_int_equal(expr->kind, cases[i].kind);
		assert_string_equal(expr->text, cases[i].value);
		assert_int_equal(expr->text_size, strlen(cases[i].value));
		assert_int_equal(expr->location, 7);
	}
	assert_true(parse_target(&arena, "SELECT true")->flag);
	assert_false(parse_target(&arena, "SELECT false")->flag);
	assert_int_equal(parse_target(&arena, "SELECT NULL")->kind, AST_NULL);
	arena_release(&arena);
}

static void test_negative_elsewhere(void **state)
{
	struct ast_select *select;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(
		parse(&arena, "VALUES (-1, a - -2) ORDER BY -3 LIMIT -4 OFFSET -5", &select, &err),
		0);
	assert_string_equal(select->rows[0].values[0]->text, "-1");
	assert_string_equal(select->rows[0].values[1]->text, "-");
	assert_string_equal(select->rows[0].values[1]->args[1]->text, "-2");
	assert_string_equal(select->sort[0].expr->text, "-3");
	assert_string_equal(select->limit->text, "-4");
	assert_string_equal(select->offset->text, "-5");
	assert_int_equal(parse_target(&arena, "SELECT a::numeric(5, -6)")->type->modifiers[1], -6);
	arena_release(&arena);
}

static void test_absent_parts(void **state)
{
	struct ast_select *select;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(parse(&arena, "SELECT DISTINCT count(*) OVER w FROM t", &select, &err), 0);
	assert_true(select->distinct);
	assert_null(select->targets[0].alias);
	assert_string_equal(select->targets[0].expr->call->window->name, "w");
	assert_null(select->targets[0].expr->call->filter);
	assert_string_equal(select->from[0]->name, "t");
	assert_null(select->from[0]->alias);
	assert_int_equal(select->from[0]->column_alias_count, 0);
	assert_null(select->where);
	assert_null(select->limit);
	assert_int_equal(
		parse(&arena, "SELECT sum(x) OVER () AS y FROM t u (x)", &select, &err), 0);
	assert_string_equal(select->targets[0].alias, "y");
	assert_null(select->targets[0].expr->call->window->name);
	assert_string_equal(select->from[0]->alias, "u");
	assert_string_equal(select->from[0]->column_aliases[0], "x");
	arena_release(&arena);
}

/* `count` terms: 1+1+...+1 */
static int parse_sum(struct arena *arena, size_t count, struct error *err)
{
	struct ast_select *select;
	char *text = malloc(sizeof("SELECT ") + 2 * count), *out = stpcpy(text, "SELECT 1");
	int result;

	for (size_t i = 1; i < count; i++)
		out = stpcpy(out, "+1");
	result = parse(arena, text, &select, err);
	free(text);
	return result;
}

/* Below and above the size from which parse.c looks at the depth first. */
static void test_depth(void **state)
{
	static const size_t too_many[] = {SQL_NESTING_MAX, 900, 1100, 2100, 450000};
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	/* The select is a level of its own. */
	assert_int_equal(parse_sum(&arena, SQL_NESTING_MAX - 1, &err), 0);
	for (size_t i = 0; i < sizeof(too_many) / sizeof(too_many[0]); i++) {
		assert_int_equal(parse_sum(&arena, too_many[i], &err), -1);
		assert_int_equal(err.code, ERROR_SQL);
		assert_non_null(strstr(
			err.message, "the query is nested too deeply (more than 500 levels)"));
	}
	arena_release(&arena);
}

/* Wide is not deep, nor are the braces of a string. */
static void test_wide(void **state)
{
	struct ast_select *select;
	struct arena arena;
	struct error err;
	struct buf text;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&text, 1 << 20);
	buf_append_text(&text, "SELECT '");
	for (int i = 0; i < 5000; i++)
		buf_append_text(&text, "{\"[\\");
	buf_append_text(&text, "'");
	for (int i = 0; i < 20000; i++)
		buf_printf(&text, ", %d", -i);
	buf_append_char(&text, '\0');
	assert_int_equal(parse(&arena, text.data, &select, &err), 0);
	assert_int_equal(select->target_count, 20001);
	assert_int_equal(select->targets[0].expr->text_size, 20000);
	assert_string_equal(select->targets[20000].expr->text, "-19999");
	buf_release(&text);
	arena_release(&arena);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "there is no query in the text"},
		{" ; -- nothing\n", "there is no query in the text"},
		{"SELECT 1; SELECT 2", "line 1, column 10: one query is expected, not several"},
		{"DROP TABLE t", "line 1, column 1: only SELECT is supported"},
		{"SELECT 1 +", "line 1, column 11: syntax error at end of input"},
		{"SELECT '\xc3\xbc',\n FROM", "line 2, column 2: syntax error at or near \"FROM\""},
		{"SELECT (a).b", "line 1, column 9: fields of a value are not supported"},
		{"SELECT 1, current_user",
			"line 1, column 11: current_user and the like are not supported"},
	};
	struct ast_select *select;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&arena, cases[i].text, &select, &err), -1);
		assert_string_equal(err.message, cases[i].message);
	}
	arena_release(&arena);
}

#define LONG_NAME "a name of more than sixty-three bytes, as the headers of CSV files have them"

/* What PostgreSQL would cut off stays whole, in queries and in schemas. */
static void test_long_names(void **state)
{
	const char *text = "CREATE TABLE \"" LONG_NAME " t\" (\"" LONG_NAME "\" text)";
	struct sql_source source = {.name = "", .text = text, .code = ERROR_USAGE};
	struct ast_schema schema;
	const struct ast_expr *expr;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	expr = parse_target(&arena, "SELECT \"" LONG_NAME "\" FROM t");
	assert_string_equal(expr->names[0], LONG_NAME);
	expr = parse_target(&arena, "SELECT \"" LONG_NAME " \"\"x\"\"\".\"" LONG_NAME "\" FROM t");
	assert_string_equal(expr->names[0], LONG_NAME " \"x\"");
	assert_string_equal(expr->names[1], LONG_NAME);
	expr = parse_target(&arena,
		"SELECT "
		"An_unquoted_name_of_more_than_sixty_three_bytes_is_read_in_small_letters_A");
	assert_string_equal(expr->names[0],
		"an_unquoted_name_of_more_than_sixty_three_bytes_is_read_in_small_letters_a");
	assert_int_equal(parse_schema(&source, &arena, &schema, &err), 0);
	assert_string_equal(schema.tables[0].name, LONG_NAME " t");
	assert_string_equal(schema.tables[0].columns[0].name, LONG_NAME);
	arena_release(&arena);
}

static void test_files(void **state)
{
	static const struct {
		const char *text;
		const char *name;
		const char *alias;
	} cases[] = {
		{"SELECT 1 FROM 'a/b.csv'", "a/b.csv", NULL},
		{"SELECT 1 FROM /* x */ 'it''s \"b\".csv' AS t", "it's \"b\".csv", "t"},
		{"SELECT 1 FROM '-' t (x, y)", "-", "t"},
		{"SELECT extract(year FROM '2024-01-01') FROM '\xc3\xb1.csv'", "\xc3\xb1.csv",
			NULL},
		{"SELECT 1 FROM '" LONG_NAME LONG_NAME "'", LONG_NAME LONG_NAME, NULL},
	};
	struct ast_select *select;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (parse(&arena, cases[i].text, &select, &err) < 0)
			fail_msg("%s: %s", cases[i].text, err.message);
		assert_int_equal(select->from_count, 1);
		assert_true(select->from[0]->is_file);
		assert_string_equal(select->from[0]->name, cases[i].name);
		if (cases[i].alias)
			assert_string_equal(select->from[0]->alias, cases[i].alias);
		else
			assert_null(select->from[0]->alias);
	}
	assert_int_equal(parse(&arena, "SELECT 1 FROM 'a', b JOIN ('c' CROSS JOIN 'd') ON true",
				 &select, &err),
		0);
	assert_true(select->from[0]->is_file);
	assert_false(select->from[1]->left->is_file);
	assert_string_equal(select->from[1]->right->right->name, "d");
	arena_release(&arena);
}

/* Errors have their places behind the name of a file, and what is no file stays an error. */
static void test_file_errors(void **state)
{
	static const char *const cases[][2] = {
		{"SELECT 1 FROM '\xc3\xb1.csv' WHERE )",
			"line 1, column 29: syntax error at or near \")\""},
		{"SELECT 1 FROM 'a' 'b'", "line 1, column 19: syntax error at or near \"'b'\""},
		{"SELECT 1 FROM t AS z (a, 'x')",
			"line 1, column 26: syntax error at or near \"'x'\""},
		{"SELECT 1 FROM ''", "line 1, column 15: syntax error at or near \"''\""},
		{"SELECT 1 WHERE 'a' 'b'", "line 1, column 20: syntax error at or near \"'b'\""},
		{"SELECT \"" LONG_NAME "\" \"" LONG_NAME "\" 1",
			"line 1, column 166: syntax error at or near \"1\""},
	};
	struct ast_select *select;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&arena, cases[i][0], &select, &err), -1);
		assert_string_equal(err.message, cases[i][1]);
	}
	arena_release(&arena);
}

static rlim_t data_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long kilobytes = 0;
	char line[128];

	assert_non_null(file);
	while (kilobytes == 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, "VmData:", 7) == 0)
			kilobytes = strtoul(line + 7, NULL, 10);
	fclose(file);
	assert_int_not_equal(kilobytes, 0);
	return (rlim_t)kilobytes << 10;
}

/* Nothing of the parser's stack is left when it is done, however long the next text is. */
static void test_little_memory(void **state)
{
	static char text[1 << 16];
	struct rlimit usual, little;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(getrlimit(RLIMIT_DATA, &usual), 0);
	little = usual;
	little.rlim_cur = data_bytes() + ((rlim_t)32 << 20);
	assert_int_equal(setrlimit(RLIMIT_DATA, &little), 0);
	for (int spaces = 1; spaces < 40000; spaces += 2000) {
		snprintf(text, sizeof(text), "SELECT%*s1 FROM stores", spaces, "");
		if (fixture_try(&f, text))
			fail_msg("%d spaces: %s", spaces, f.err.message);
	}
	assert_int_equal(setrlimit(RLIMIT_DATA, &usual), 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_negative_elsewhere),
		cmocka_unit_test(test_absent_parts),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_file_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
