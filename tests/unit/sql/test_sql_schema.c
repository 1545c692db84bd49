#include "unit/sql/sql_fixture.h"

static void test_schema(void **state)
{
	static const char text[] =
		"-- two tables\n"
		"CREATE TABLE t (a int, b numeric(10,2), c varchar(20), \"D e\" text[], f real)\n"
		"  WITH (files = 't/*.csv', delimiter = ';', quote = '''', header = false, null = "
		"'NA');\n"
		"CREATE TABLE u (x double precision) WITH (files = 'u.csv', delimiter = '\\t', "
		"header);";
	struct catalog catalog;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(sql_schema("s", text, &arena, &catalog, &err), 0);
	assert_int_equal(catalog.table_count, 2);
	assert_string_equal(catalog.tables[0].name, "t");
	assert_string_equal(catalog.tables[0].files, "t/*.csv");
	assert_int_equal(catalog.tables[0].column_count, 5);
	assert_int_equal(catalog.tables[0].columns[0].type.kind, TYPE_INT);
	assert_int_equal(catalog.tables[0].columns[1].type.precision, 10);
	assert_int_equal(catalog.tables[0].columns[1].type.scale, 2);
	assert_int_equal(catalog.tables[0].columns[2].type.kind, TYPE_TEXT);
	assert_string_equal(catalog.tables[0].columns[3].name, "D e");
	assert_int_equal(catalog.tables[0].columns[3].type.kind, TYPE_TEXT_LIST);
	assert_int_equal(catalog.tables[0].columns[4].type.kind, TYPE_REAL);
	assert_int_equal(catalog.tables[0].format.delimiter, ';');
	assert_int_equal(catalog.tables[0].format.quote, '\'');
	assert_int_equal(catalog.tables[0].dialect.given,
		CSV_GIVEN_DELIMITER | CSV_GIVEN_QUOTE | CSV_GIVEN_HEADER | CSV_GIVEN_NULL);
	assert_int_equal(catalog.tables[0].dialect.header_rows, 0);
	assert_int_equal(catalog.tables[0].dialect.null_count, 1);
	assert_string_equal(catalog.tables[0].dialect.nulls[0], "NA");
	assert_int_equal(catalog.tables[1].format.delimiter, '\t');
	assert_int_equal(catalog.tables[1].format.quote, '"');
	assert_int_equal(catalog.tables[1].dialect.header_rows, 1);
	assert_int_equal(catalog.tables[1].dialect.null_count, 0);
	assert_int_equal(sql_schema("s", "", &arena, &catalog, &err), 0);
	assert_int_equal(catalog.table_count, 0);
	arena_release(&arena);
}

struct bad_schema {
	const char *text, *message;
};

static void check_bad(size_t count, const struct bad_schema *cases)
{
	struct catalog catalog;
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(sql_schema("s", cases[i].text, &arena, &catalog, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		assert_int_equal(err.code, ERROR_USAGE);
	}
	arena_release(&arena);
}

static void test_function_errors(void **state)
{
	static const struct bad_schema cases[] = {
		{"CREATE FUNCTION f(a int) RETURNS int LANGUAGE c AS 'x'",
			"s: line 1, column 38: functions in another language than SQL are not "
			"supported"},
		{"CREATE FUNCTION f(VARIADIC a int[]) RETURNS int LANGUAGE sql AS 'SELECT 1'",
			"s: line 1, column 1: VARIADIC parameters are not supported"},
		{"CREATE PROCEDURE f(a int) LANGUAGE sql AS 'SELECT 1'",
			"s: line 1, column 1: procedures, and functions that return nothing, are "
			"not supported"},
		{"CREATE FUNCTION f(a int, OUT b nothing) LANGUAGE sql AS 'SELECT 1'",
			"s: line 1, column 32: type \"nothing\" does not exist"},
		{"CREATE FUNCTION upper(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
			"s: line 1, column 1: there is a function \"upper\" already"},
		{"CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT 1 +'",
			"function f: line 1, column 11: syntax error at end of input"},
		{"CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT 1';"
		 "CREATE FUNCTION f(b int) RETURNS int LANGUAGE sql AS 'SELECT 2'",
			"s: line 1, column 65: function \"f\" with 1 parameters is defined twice"},
	};

	(void)state;
	check_bad(sizeof(cases) / sizeof(cases[0]), cases);
}

static void test_schema_errors(void **state)
{
	static const struct bad_schema cases[] = {
		{"CREATE TABLE t (a int)",
			"s: line 1, column 14: table \"t\" needs WITH (files = '...')"},
		{"CREATE TABLE t (a foo) WITH (files = 'x')",
			"s: line 1, column 19: type \"foo\" does not exist"},
		{"CREATE TABLE t (a timetz) WITH (files = 'x')",
			"s: line 1, column 19: type timetz is not supported; use time"},
		{"SET search_path = x",
			"s: line 1, column 1: only CREATE TABLE, CREATE FUNCTION, SET TIME "
			"ZONE 'name', SET now = 'time' and SET seed = 'number' are supported in a "
			"schema"},
		{"CREATE TABLE t (a int[][]) WITH (files = 'x')",
			"s: line 1, column 19: arrays of arrays are not supported"},
		{"CREATE TABLE t (a numeric(3,1001)) WITH (files = 'x')",
			"s: line 1, column 19: the scale of numeric must be between -1000 and "
			"1000"},
		{"CREATE TABLE t (a int,\n  a int) WITH (files = 'x')",
			"s: line 2, column 3: column \"a\" specified more than once"},
		{"CREATE TABLE t (a int) WITH (file = 'x')",
			"s: line 1, column 30: unknown option \"file\"; did you mean \"files\"?"},
		{"CREATE TABLE t (a int) WITH (files = 'x', delimiter = '123456789')",
			"s: line 1, column 43: delimiter must be a text of up to 8 bytes without a "
			"line end, not \"123456789\""},
		{"CREATE TABLE t (a int) WITH (files = 'x', header = maybe)",
			"s: line 1, column 43: header must be auto, none or a number of rows up to "
			"16, not \"maybe\""},
		{"CREATE TABLE t (a int) WITH (files = 'x', quote = ',', delimiter = ',')",
			"s: line 1, column 14: table \"t\": delimiter and quote must differ"},
		{"CREATE TABLE t (a int) WITH (files = 'x', decimal = ';')",
			"s: line 1, column 43: decimal must be a point or a comma, not \";\""},
		{"CREATE TABLE t (a date) WITH (files = 'x', date_format = 'DD/DD')",
			"s: line 1, column 44: date_format must be made of YYYY or YY, MM and DD "
			"with "
			"marks between them, as DD/MM/YYYY is, not \"DD/DD\""},
		{"CREATE TABLE t (a int OPTIONS (skip '1')) WITH (files = 'x')",
			"s: line 1, column 32: unknown option \"skip\""},
		{"CREATE TABLE t (a int NOT NULL) WITH (files = 'x')",
			"s: line 1, column 17: constraints on a CSV column are not supported"},
		{"CREATE TABLE t (a int, PRIMARY KEY (a)) WITH (files = 'x')",
			"s: line 1, column 24: constraints on a CSV file are not supported"},
		{"CREATE TABLE t (a int) WITH (files = 'x'); CREATE TABLE t (b int) WITH (files = "
		 "'y')",
			"s: line 1, column 57: table \"t\" is defined twice"},
		{"SET now = 'noon'",
			"s: now is a time such as \"2024-05-31 18:00:00+02\", without an "
			"offset in UTC, and not \"noon\""},
		{"SELECT 1", "s: line 1, column 1: only CREATE TABLE, CREATE FUNCTION, SET TIME "
			     "ZONE 'name', SET now = 'time' and SET seed = 'number' are supported "
			     "in a schema"},
		{"CREATE TABLE t (a int", "s: line 1, column 22: syntax error at end of input"},
	};

	(void)state;
	check_bad(sizeof(cases) / sizeof(cases[0]), cases);
}

/* What is written is read back the same, whatever the names are. */
static void test_schema_write(void **state)
{
	static const char text[] =
		"CREATE TABLE t (\"a \"\"b\"\"\" int, c numeric(10,2), d numeric, \"E\" text[], "
		"f timestamp) WITH (files = 'it''s/*.csv', delimiter = ';', quote = '''', "
		"header = false, null = '\\N');\n"
		"CREATE TABLE skipped (x int) WITH (files = 'x.csv');\n"
		"CREATE TABLE \"User\" (id bigint, ok boolean) WITH (files = 'u.csv');\n";
	const bool wanted[] = {true, false, true}, all[] = {true, true};
	struct catalog first, second;
	struct buf once, twice;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&once, 65536);
	buf_init(&twice, 65536);
	assert_int_equal(sql_schema("s", text, &arena, &first, &err), 0);
	sql_schema_write(&first, wanted, true, &once);
	buf_append_char(&once, '\0');
	assert_int_equal(sql_schema("s", once.data, &arena, &second, &err), 0);
	assert_int_equal(second.table_count, 2);
	assert_string_equal(second.tables[0].columns[0].name, "a \"b\"");
	assert_string_equal(second.tables[0].files, "it's/*.csv");
	assert_string_equal(second.tables[0].dialect.nulls[0], "\\N");
	assert_int_equal(second.tables[0].format.delimiter, ';');
	assert_int_equal(second.tables[0].format.quote, '\'');
	for (uint32_t c = 0; c < 5; c++)
		assert_true(type_equal(
			first.tables[0].columns[c].type, second.tables[0].columns[c].type));
	assert_string_equal(second.tables[1].name, "User");
	sql_schema_write(&second, all, true, &twice);
	buf_append_char(&twice, '\0');
	assert_string_equal(once.data, twice.data);
	buf_release(&once);
	buf_release(&twice);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_schema_errors),
		cmocka_unit_test(test_function_errors),
		cmocka_unit_test(test_schema_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
