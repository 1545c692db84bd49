/*
 * Names and types of what a SELECT yields, as PostgreSQL gives them; and where casts are put.
 */
#include "unit/sql/sql_fixture.h"

struct result_case {
	const char *sql;
	const char *result; /* the line that explain prints */
};

static void check_cases(const struct result_case *cases, size_t count)
{
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < count; i++) {
		const char *plan = fixture_compile(&f, cases[i].sql);
		const char *line = strstr(plan, "result: ") + strlen("result: ");
		size_t size = strcspn(line, "\n");

		if (strlen(cases[i].result) != size || strncmp(line, cases[i].result, size) != 0)
			fail_msg("%s\n  expected: %s\n  got:      %.*s", cases[i].sql,
				cases[i].result, (int)size, line);
	}
	fixture_release(&f);
}

#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_literals(void **state)
{
	static const struct result_case cases[] = {
		{"SELECT 1", "?column? integer"},
		{"SELECT 2147483647, 2147483648, -2147483648, 9223372036854775807, "
		 "9223372036854775808",
			"?column? integer, ?column? bigint, ?column? integer, ?column? bigint, "
			"?column? numeric"},
		{"SELECT 1.5, 1e5, 'x', NULL, true", "?column? numeric, ?column? numeric, ?column? "
						     "text, ?column? text, ?column? "
						     "boolean"},
		{"SELECT date '2024-01-01', timestamp '2024-01-01', '10:00'::time, 1::float8",
			"date date, timestamp timestamp, time time, float8 double precision"},
		{"SELECT 1::bigint, '1'::int4, 5::numeric(4,1), 'a'::varchar(3), 1::smallint",
			"int8 bigint, int4 integer, numeric numeric(4,1), varchar text, int2 "
			"smallint"},
		{"VALUES (1, 'a'), (2.5, NULL)", "column1 numeric, column2 text"},
		{"SELECT 1 UNION ALL SELECT NULL", "?column? integer"},
		{"SELECT NULL AS a UNION ALL SELECT date '2024-01-01'", "a date"},
	};

	(void)state;
	CHECK_CASES(cases);
}

static void test_operators(void **state)
{
	static const struct result_case cases[] = {
		{"SELECT quantity + 1, quantity + item_id, item_id * 1.5, subtotal / quantity FROM "
		 "items",
			"?column? integer, ?column? bigint, ?column? numeric, ?column? numeric"},
		{"SELECT latitude * 2, latitude + 1.5, 2 ^ 3, -store_id FROM stores",
			"?column? double precision, ?column? double precision, ?column? double "
			"precision, ?column? bigint"},
		{"SELECT birthdate + 1, 1 + birthdate, birthdate - 7, birthdate - birthdate FROM "
		 "users",
			"?column? date, ?column? date, ?column? date, ?column? integer"},
		{"SELECT '2024-02-01' - birthdate, '5' + user_id FROM users",
			"?column? integer, ?column? bigint"},
		{"SELECT birthdate + interval '1 day', interval '1 day' + birthdate, birthdate - "
		 "interval '1 day', birthdate + time '10:00', interval '1 day' * 2, -interval '1 "
		 "day' FROM users",
			"?column? timestamp, ?column? timestamp, ?column? timestamp, ?column? "
			"timestamp, ?column? interval, ?column? interval"},
		{"SELECT created_at - created_at, created_at - '2024-01-01', created_at + '1 day', "
		 "created_at::time - '10:00', created_at::time + '1 hour' FROM items",
			"?column? interval, ?column? interval, ?column? timestamp, ?column? "
			"interval, ?column? time"},
		{"SELECT interval '1' day, make_interval(days => 1), '1 day'::interval::time",
			"interval interval, make_interval interval, time time"},
		{"SELECT city || store_id, store_id || 'x', 'a' || 'b' FROM stores",
			"?column? text, ?column? text, ?column? text"},
		{"SELECT CASE WHEN true THEN 1 ELSE 2.5 END, coalesce(NULL, birthdate, timestamp "
		 "'2024-01-01') FROM users",
			"case numeric, coalesce timestamp"},
		{"SELECT greatest(1, 2.5), least(NULL, 'a'), nullif(1, 2)",
			"greatest numeric, least text, nullif integer"},
		{"SELECT store_id = 1, city LIKE 'a%', city IN ('a', 'b'), city IS NULL FROM "
		 "stores",
			"?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean"},
	};

	(void)state;
	CHECK_CASES(cases);
}

static void test_functions(void **state)
{
	static const struct result_case cases[] = {
		{"SELECT count(*), count(city), min(city), max(store_id), avg(store_id) FROM "
		 "stores",
			"count bigint, count bigint, min text, max bigint, avg numeric"},
		{"SELECT sum(quantity), sum(item_id), sum(subtotal), avg(quantity) FROM items",
			"sum bigint, sum numeric, sum numeric, avg numeric"},
		{"SELECT sum(latitude), avg(latitude), every(is_open) FROM stores",
			"sum double precision, avg double precision, every boolean"},
		{"SELECT extract(year FROM created_at), date_part('year', created_at), "
		 "date_trunc('month', created_at) FROM items",
			"extract numeric, date_part double precision, date_trunc timestamp"},
		{"SELECT to_char(created_at, 'YYYY'), to_char(quantity, '999') FROM items",
			"to_char text, to_char text"},
		{"SELECT round(5), round(5.5), round(5.55, 1), abs(-5), floor(1.5), sqrt(4), "
		 "mod(5, 3)",
			"round double precision, round numeric, round numeric, abs integer, floor "
			"numeric, sqrt double precision, mod integer"},
		{"SELECT trim(both 'x' FROM city), substring(city FROM 2), position('a' IN city) "
		 "FROM "
		 "stores",
			"btrim text, substring text, position integer"},
		{"SELECT ARRAY['a'], cardinality(tags), 'a' = ANY(tags) FROM stores",
			"array text[], cardinality integer, ?column? boolean"},
		{"SELECT row_number() OVER (), rank() OVER (ORDER BY city) FROM stores",
			"row_number bigint, rank bigint"},
		{"SELECT date(created_at), make_date(2024, 1, 1), concat(1, 'a') FROM items",
			"date date, make_date date, concat text"},
	};

	(void)state;
	CHECK_CASES(cases);
}

static void test_output_names(void **state)
{
	static const struct result_case cases[] = {
		{"SELECT city AS c, s.city, lower(city), city::text, 1::int FROM stores s",
			"c text, city text, lower text, city text, int4 integer"},
		{"SELECT CASE WHEN true THEN 1 ELSE store_id END, CASE WHEN true THEN 1 END FROM "
		 "stores",
			"store_id bigint, case integer"},
		{"SELECT * FROM users", "user_id bigint, Gender text, birthdate date, wakes time"},
		/* Exact names first, then any case if that is unique. */
		{"SELECT gender, USER_ID, \"Gender\" FROM Users",
			"gender text, user_id bigint, Gender text"},
		{"SELECT u.* FROM users u CROSS JOIN stores",
			"user_id bigint, Gender text, birthdate date, wakes time"},
		{"SELECT * FROM (SELECT 1, 2) AS t(a, b)", "a integer, b integer"},
		{"WITH w(a) AS (SELECT 1, 2) SELECT * FROM w", "a integer, ?column? integer"},
		/* USING: the merged column once and first. */
		{"SELECT * FROM (SELECT 1 AS x, 2 AS id) a JOIN (SELECT 2 AS id, 3 AS y) b USING "
		 "(id)",
			"id integer, x integer, y integer"},
		{"SELECT * FROM (SELECT 1 AS a, 2 AS b) s NATURAL JOIN (SELECT 2 AS b, 3 AS c) t",
			"b integer, a integer, c integer"},
		{"SELECT * FROM (SELECT 1 AS id) a LEFT JOIN (SELECT 2::bigint AS id) b USING (id)",
			"id bigint"},
		{"SELECT city, city FROM stores", "city text, city text"},
	};

	(void)state;
	CHECK_CASES(cases);
}

struct filter_case {
	const char *sql;
	const char *expected; /* somewhere in the plan */
};

/* Constants take the type of the column they meet, so that no row is cast. */
static void test_casts(void **state)
{
	static const struct filter_case cases[] = {
		{"SELECT 1 FROM transactions WHERE final_amount >= 75",
			"filter final_amount >= 75\n"},
		{"SELECT 1 FROM transactions WHERE store_id = 5", "filter store_id = 5\n"},
		{"SELECT 1 FROM items WHERE item_id = 2.0", "filter item_id = 2\n"},
		{"SELECT 1 FROM items WHERE item_id > 2.5", "filter item_id::numeric > 2.5\n"},
		{"SELECT 1 FROM items WHERE subtotal = '1.239'", "filter subtotal = 1.239\n"},
		{"SELECT 1 FROM items WHERE created_at >= '2024-01-01'",
			"filter created_at >= '2024-01-01 00:00:00'::timestamp\n"},
		{"SELECT 1 FROM items WHERE created_at >= date '2024-01-01'",
			"filter created_at >= '2024-01-01 00:00:00'::timestamp\n"},
		{"SELECT 1 FROM items WHERE item_id IN (1, 2, -3, 0)",
			"filter item_id IN (1, 2, -3, 0)\n"},
		{"SELECT 1 FROM items WHERE quantity = -5 OR quantity = - - 7 OR quantity = -(3)",
			"filter quantity = -5 OR quantity = 7 OR quantity = -3\n"},
		{"SELECT 1 FROM items WHERE quantity = - /* - */ 1", "filter quantity = -1\n"},
		{"SELECT 1 FROM users WHERE wakes BETWEEN '06:00' AND '23:00'",
			"filter wakes >= '06:00:00'::time AND wakes <= '23:00:00'::time\n"},
		{"SELECT 1 FROM stores WHERE city = 'it''s'", "filter city = 'it''s'\n"},
		{"SELECT 1 FROM stores WHERE city = E'a\\nb\\\"\\x01'",
			"filter city = 'a\nb\"\x01'\n"},
		{"SELECT 1 FROM stores WHERE is_open", "filter is_open\n"},
		{"SELECT 1 FROM stores WHERE city = ANY(ARRAY['a', 'b'])",
			"filter city IN ('a', 'b')\n"},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *plan = fixture_compile(&f, cases[i].sql);

		if (!strstr(plan, cases[i].expected))
			fail_msg("%s\n  expected: %s  got:\n%s", cases[i].sql, cases[i].expected,
				plan);
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_output_names),
		cmocka_unit_test(test_casts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
