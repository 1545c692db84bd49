/*
 * What a person reads when a query is wrong: one line with its place and, where we can guess, a way
 * out.
 */
#include "unit/sql/sql_fixture.h"

struct error_case {
	const char *sql;
	const char *message;
};

static void check_cases(const struct error_case *cases, size_t count)
{
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < count; i++) {
		if (fixture_try(&f, cases[i].sql) == 0)
			fail_msg("compiles, but should not: %s", cases[i].sql);
		if (strcmp(f.err.message, cases[i].message) != 0)
			fail_msg("%s\n  expected: %s\n  got:      %s", cases[i].sql,
				cases[i].message, f.err.message);
		assert_int_equal(f.err.code, ERROR_SQL);
	}
	fixture_release(&f);
}

#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_names(void **state)
{
	static const struct error_case cases[] = {
		{"SELECT storename FROM stores",
			"line 1, column 8: column \"storename\" does not exist; did you mean "
			"\"store_name\"?"},
		{"SELECT 1\nFROM stors",
			"line 2, column 6: table \"stors\" does not exist; did you mean "
			"\"stores\"?"},
		{"SELECT s.ciyt FROM stores s",
			"line 1, column 8: column s.ciyt does not exist; did you mean \"city\"?"},
		{"SELECT zzz FROM stores", "line 1, column 8: column \"zzz\" does not exist"},
		{"SELECT stors.city FROM stores", "line 1, column 8: missing FROM-clause entry for "
						  "table \"stors\"; did you mean "
						  "\"stores\"?"},
		{"SELECT store_id FROM stores, transactions",
			"line 1, column 8: column reference \"store_id\" is ambiguous"},
		{"SELECT s FROM stores s", "line 1, column 8: \"s\" is a table: whole rows as "
					   "values are not supported"},
		{"SELECT 1 FROM stores s, users s",
			"line 1, column 25: table name \"s\" specified more than once"},
		{"SELECT 1 FROM stores JOIN users USING (store_id)",
			"line 1, column 27: column \"store_id\" specified in USING clause does not "
			"exist "
			"in right table"},
		{"SELECT 1 FROM other.stores", "line 1, column 15: there is no schema \"other\"; a "
					       "file's name stands in quotes: "
					       "'other.stores'"},
		{"SELECT 1 FROM dir/x.csv",
			"line 1, column 18: syntax error at or near \"/\"; a file's name stands "
			"in quotes: FROM 'dir/file.csv'"},
		{"SELECT 1 FROM users AS u(a, b, c, d, e)",
			"line 1, column 15: table \"u\" has 4 columns available but 5 columns "
			"specified"},
		{"WITH a AS (SELECT 1), a AS (SELECT 2) SELECT 1",
			"line 1, column 23: WITH query name \"a\" specified more than once"},
		/* Columns are counted in characters, not in bytes. */
		{"SELECT 'año', ctiy FROM stores", "line 1, column 15: column \"ctiy\" does not "
						   "exist; did you mean \"city\"?"},
	};

	(void)state;
	CHECK_CASES(cases);
}

static void test_types(void **state)
{
	static const struct error_case cases[] = {
		{"SELECT lower(store_id) FROM stores",
			"line 1, column 8: function lower(bigint) does not exist; try a cast"},
		{"SELECT lowr(city) FROM stores", "line 1, column 8: function lowr(text) does not "
						  "exist; did you mean \"lower\"?"},
		{"SELECT now()", "line 1, column 8: when the statement started is not known here"},
		{"SELECT clock_timestamp()",
			"line 1, column 8: clock_timestamp is not supported: now() is when the "
			"statement started, and localtime its time of day"},
		{"SELECT sum(city) FROM stores",
			"line 1, column 8: function sum(text) does not exist; try a cast"},
		{"SELECT max(is_open) FROM stores",
			"line 1, column 8: function max(boolean) does not exist; try a cast"},
		{"SELECT 1 FROM stores WHERE city = 5",
			"line 1, column 33: operator does not exist: text = integer; try a cast"},
		{"SELECT city + 1 FROM stores",
			"line 1, column 13: operator does not exist: text + integer; try a cast"},
		{"SELECT -city FROM stores",
			"line 1, column 8: operator does not exist: - text; try a cast"},
		{"SELECT latitude % 2 FROM stores", "line 1, column 17: operator does not exist: "
						    "double precision % integer; try a "
						    "cast"},
		{"SELECT store_id || store_id FROM stores",
			"line 1, column 17: operator does not exist: bigint || bigint; try a cast"},
		{"SELECT 1 FROM stores WHERE store_id", "line 1, column 28: argument of WHERE must "
							"be type boolean, not type bigint"},
		{"SELECT NOT 5", "line 1, column 12: argument of NOT must be type boolean, not "
				 "type integer"},
		{"SELECT CASE WHEN 1 THEN 2 END", "line 1, column 18: argument of CASE/WHEN must "
						  "be type boolean, not type integer"},
		{"SELECT CASE WHEN true THEN 1 ELSE city END FROM stores",
			"line 1, column 35: CASE types integer and text cannot be matched; try a "
			"cast"},
		{"SELECT coalesce(1, city) FROM stores",
			"line 1, column 20: COALESCE types integer and text cannot be matched; try "
			"a cast"},
		{"SELECT city FROM stores UNION SELECT store_id FROM stores",
			"line 1, column 38: UNION types text and bigint cannot be matched; try a "
			"cast"},
		{"SELECT 1, 2 UNION SELECT 1",
			"line 1, column 26: each UNION query must have the same number of columns"},
		{"SELECT 1 FROM transactions WHERE created_at >= '2024-13-01'",
			"line 1, column 48: value \"2024-13-01\" is out of range for type "
			"timestamp"},
		{"SELECT cast('abc' AS int)",
			"line 1, column 13: invalid input syntax for type integer: \"abc\""},
		{"SELECT '99999999999'::int",
			"line 1, column 8: value \"99999999999\" is out of range for type integer"},
		{"SELECT 99999999999::int", "line 1, column 8: integer out of range"},
		{"SELECT store_id::date FROM stores",
			"line 1, column 16: cannot cast type bigint to date"},
		{"SELECT day::timetz FROM stores",
			"line 1, column 13: type timetz is not supported; use time"},
		{"SELECT city::numeric(1001) FROM stores",
			"line 1, column 14: the precision of numeric must be between 1 and 1000"},
		{"SELECT store_id FROM stores WHERE store_id IN (1, 'x')",
			"line 1, column 51: invalid input syntax for type bigint: \"x\""},
		{"SELECT ARRAY[ARRAY[1]]",
			"line 1, column 8: arrays of more than one dimension are not supported"},
		{"SELECT date_trunc(city, created_at) FROM stores, items",
			"line 1, column 19: the field of date_trunc must be a constant"},
	};

	(void)state;
	CHECK_CASES(cases);
}

static void test_grouping(void **state)
{
	static const struct error_case cases[] = {
		{"SELECT 1 FROM stores WHERE count(*) > 1",
			"line 1, column 28: aggregate functions are not allowed in WHERE"},
		{"SELECT 1 FROM stores a JOIN stores b ON sum(a.store_id) = 1",
			"line 1, column 41: aggregate functions are not allowed in JOIN "
			"conditions"},
		{"SELECT count(*) AS n FROM stores GROUP BY n",
			"line 1, column 43: aggregate functions are not allowed in GROUP BY"},
		{"SELECT sum(count(*)) FROM stores",
			"line 1, column 12: aggregate function calls cannot be nested"},
		{"SELECT count(*) FILTER (WHERE max(city) = 'x') FROM stores",
			"line 1, column 31: aggregate functions are not allowed in FILTER"},
		{"SELECT city, count(*) FROM stores", "line 1, column 8: column \"city\" must "
						      "appear in the GROUP BY clause or be used "
						      "in an aggregate function"},
		{"SELECT store_id + 1 FROM stores GROUP BY store_id + 2",
			"line 1, column 8: column \"store_id\" must appear in the GROUP BY clause "
			"or be "
			"used in an aggregate function"},
		{"SELECT count(*) FROM stores GROUP BY city HAVING store_name = 'x'",
			"line 1, column 50: column \"store_name\" must appear in the GROUP BY "
			"clause or be "
			"used in an aggregate function"},
		{"SELECT count(*) FROM stores ORDER BY city",
			"line 1, column 38: column \"city\" must appear in the GROUP BY clause or "
			"be used "
			"in an aggregate function"},
		{"SELECT city FROM stores GROUP BY 2",
			"line 1, column 34: GROUP BY position 2 is not in select list"},
		{"SELECT city FROM stores ORDER BY 0",
			"line 1, column 34: ORDER BY position 0 is not in select list"},
		{"SELECT city FROM stores ORDER BY 'x'",
			"line 1, column 34: non-integer constant in ORDER BY"},
		{"SELECT 1 AS a, 2 AS a ORDER BY a",
			"line 1, column 32: ORDER BY \"a\" is ambiguous"},
		{"SELECT DISTINCT city FROM stores ORDER BY store_id",
			"line 1, column 43: for SELECT DISTINCT, ORDER BY expressions must appear "
			"in "
			"select list"},
		{"SELECT 1 UNION SELECT 2 ORDER BY 1 + 1",
			"line 1, column 36: ORDER BY on a UNION may only name its output columns"},
		{"SELECT row_number() FROM stores",
			"line 1, column 8: window function row_number requires an OVER clause"},
		{"SELECT 1 FROM stores WHERE rank() OVER () = 1",
			"line 1, column 28: window functions are not allowed in WHERE"},
		{"SELECT rank() OVER w FROM stores",
			"line 1, column 20: window \"w\" does not exist"},
		{"SELECT lower(DISTINCT city) FROM stores",
			"line 1, column 8: lower is not an aggregate function: DISTINCT, FILTER, "
			"ORDER BY and * have no meaning in it"},
		{"SELECT city FROM stores LIMIT -1",
			"line 1, column 31: LIMIT must not be negative"},
		{"SELECT city FROM stores OFFSET 'a'",
			"line 1, column 32: invalid input syntax for type bigint: \"a\""},
	};

	(void)state;
	CHECK_CASES(cases);
}

static void test_unsupported(void **state)
{
	static const struct error_case cases[] = {
		{"WITH RECURSIVE q AS (SELECT * FROM q) SELECT * FROM q",
			"line 1, column 16: recursive query \"q\" does not have the form "
			"non-recursive-term UNION [ALL] recursive-term"},
		{"SELECT (SELECT 1, 2)", "line 1, column 8: subquery must return only one column"},
		{"SELECT 1 FROM stores WHERE store_id IN (SELECT store_id, city FROM stores)",
			"line 1, column 37: subquery has too many columns"},
		{"SELECT lower(x => 'a')", "line 1, column 8: arguments by name are only supported "
					   "for make_interval and jsonb_path functions"},
		{"SELECT (created_at - created_at)::interval day FROM items",
			"line 1, column 33: the fields and the precision of an interval are only "
			"supported for a literal"},
		{"SELECT avg(DISTINCT created_at - created_at) FROM items",
			"line 1, column 8: avg(DISTINCT ...) of intervals is not supported"},
		{"SELECT current_time",
			"line 1, column 8: current_time is not supported: now() is when the "
			"statement started, and localtime its time of day"},
		{"SELECT current_user",
			"line 1, column 8: current_user and the like are not supported"},
		{"SELECT city FROM stores FOR UPDATE",
			"line 1, column 8: FOR UPDATE and FOR SHARE are not supported"},
		{"SELECT (1, 2)", "line 1, column 8: row constructors are not supported here"},
		{"SELECT $1", "line 1, column 8: parameters ($1) are not supported"},
		{"INSERT INTO stores VALUES (1)", "line 1, column 1: only SELECT is supported"},
		{"SELECT 1; SELECT 2", "line 1, column 10: one query is expected, not several"},
		{"", "there is no query in the text"},
		{"SELECT", "a result without columns is not supported"},
		{"SELECT 1 +", "line 1, column 11: syntax error at end of input"},
		{"SELECT 'añ", "line 1, column 8: unterminated quoted string at or near \"'añ\""},
	};

	(void)state;
	CHECK_CASES(cases);
}

/* The error names its query. */
static void test_query_name(void **state)
{
	struct sql_text queries[2] = {
		{.name = "q1", .title = "", .text = "SELECT 1"},
		{.name = "q2", .title = "", .text = "SELECT\n  nope\nFROM stores"},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(sql_compile(&f.catalog, queries, 2, &f.arena, &f.plan, &f.err), -1);
	assert_string_equal(f.err.message, "q2: line 2, column 3: column \"nope\" does not exist");
	fixture_release(&f);
}

/* `prefix`, `count` times `unit`, `middle`, `count` times `end`. */
static char *nested(
	const char *prefix, const char *unit, const char *middle, const char *end, size_t count)
{
	size_t size = strlen(prefix) + strlen(middle) + count * (strlen(unit) + strlen(end)) + 1;
	char *text = malloc(size), *out = text;

	out = stpcpy(out, prefix);
	for (size_t i = 0; i < count; i++)
		out = stpcpy(out, unit);
	out = stpcpy(out, middle);
	for (size_t i = 0; i < count; i++)
		out = stpcpy(out, end);
	return text;
}

static void test_nesting(void **state)
{
	static const struct {
		const char *prefix, *unit, *middle, *end;
		size_t count;
	} cases[] = {
		{"SELECT ", "(", "1", ")", 10000},
		{"SELECT ", "NOT ", "true", "", 10000},
		{"SELECT ", "lower(", "'x'", ")", 2000},
		{"SELECT 1", "+1", "", "", 500000},
		{"SELECT 1", "::int", "", "", 100000},
		{"SELECT 1", " UNION SELECT 1", "", "", 60000},
		{"SELECT 1 FROM stores", " CROSS JOIN stores", "", "", 50000},
		{"SELECT 1 FROM ", "(SELECT 1 FROM ", "stores", ") x", 1000},
		{"SELECT ", "CASE WHEN true THEN ", "1", " END", 1000},
		/* These use an operand twice: 2^100 nodes, if nobody counted. */
		{"SELECT ", "nullif(", "'b'", ", 'a')", 100},
		{"SELECT ", "(", "true", " BETWEEN true AND false)", 100},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = nested(cases[i].prefix, cases[i].unit, cases[i].middle, cases[i].end,
			cases[i].count);

		assert_int_equal(fixture_try(&f, text), -1);
		if (!strstr(f.err.message, "nested too deeply") &&
			!strstr(f.err.message, "too large"))
			fail_msg("%.60s...: %s", text, f.err.message);
		free(text);
	}
	fixture_release(&f);
}

/* Two references each: 2^20 scans, if what is referred to were not shared. */
static void test_cte_explosion(void **state)
{
	struct fixture f;
	struct buf text;

	(void)state;
	fixture_init(&f);
	buf_init(&text, 1 << 20);
	buf_append_text(&text, "WITH c0 AS (SELECT * FROM stores)");
	for (int i = 1; i <= 20; i++)
		buf_printf(&text, ", c%d AS (SELECT a.* FROM c%d a, c%d b)", i, i - 1, i - 1);
	buf_append_text(&text, " SELECT * FROM c20");
	buf_append_char(&text, '\0');
	assert_int_equal(fixture_try(&f, text.data), 0);
	assert_true(f.plan->fragment_count < 200);
	buf_release(&text);
	fixture_release(&f);
}

static void test_too_long(void **state)
{
	char *text = malloc(SQL_TEXT_MAX + 2);
	struct fixture f;

	(void)state;
	fixture_init(&f);
	memset(text, ' ', SQL_TEXT_MAX + 1);
	text[SQL_TEXT_MAX + 1] = '\0';
	assert_int_equal(fixture_try(&f, text), -1);
	assert_string_equal(f.err.message, "the text is longer than 1048576 bytes");
	free(text);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_grouping),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_query_name),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_cte_explosion),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
