/*
 * The shape of plans: what is pushed where, what is built, what is exchanged.
 */
#include "unit/sql/sql_fixture.h"

static void test_filter_and_sort(void **state)
{
	(void)state;
	check_shape("SELECT transaction_id FROM transactions WHERE final_amount >= 75 ORDER BY "
		    "created_at",
		"  [reduce 1, one instance]\n"
		"    project transaction_id\n"
		"    sort by created_at\n"
		"    -- exchange: single --\n"
		"      [map 0]\n"
		"        project transaction_id, created_at\n"
		"        filter final_amount >= 75\n"
		"        scan transactions: transaction_id, final_amount, created_at\n");
	check_shape(
		"SELECT city FROM stores ORDER BY city DESC, store_id NULLS FIRST LIMIT 3 OFFSET 2",
		"  [reduce 1, one instance]\n"
		"    project city\n"
		"    top 3 after 2 by city desc, store_id nulls first\n"
		"    -- exchange: single --\n"
		"      [map 0]\n"
		"        top 5 by city desc, store_id nulls first\n"
		"        project city, store_id\n"
		"        scan stores: store_id, city\n");
	check_shape("SELECT 1 + 1", "  [reduce 1, one instance]\n"
				    "    all rows\n"
				    "    -- exchange: in order --\n"
				    "      [map 0]\n"
				    "        project 1 + 1 AS ?column?\n"
				    "        one row\n");
}

/* Rows of one table that nobody sorts stay in the order of the input. */
static void test_order_of_the_input(void **state)
{
	(void)state;
	check_shape("SELECT upper(city) AS u FROM stores WHERE store_id > 3 LIMIT 5 OFFSET 2",
		"  [reduce 1, one instance]\n"
		"    first 5 after 2\n"
		"    -- exchange: in order --\n"
		"      [map 0]\n"
		"        first 7\n"
		"        project upper(city) AS u\n"
		"        filter store_id > 3\n"
		"        scan stores: store_id, city\n");
}

static void test_group(void **state)
{
	(void)state;
	check_shape("SELECT count(*) FROM transactions", "  [reduce 1, one instance]\n"
							 "    sort by the full row\n"
							 "    final group: count\n"
							 "    -- exchange: single --\n"
							 "      [map 0]\n"
							 "        partial group: count(*)\n"
							 "        scan transactions\n");
	check_shape(
		"SELECT store_id, count(DISTINCT user_id) AS n FROM transactions GROUP BY store_id",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        final group by store_id: n\n"
		"        -- exchange: hash(store_id) --\n"
		"          [reduce 1]\n"
		"            partial group by store_id: count(user_id)\n"
		"            final group by store_id, user_id\n"
		"            -- exchange: hash(store_id, user_id) --\n"
		"              [map 0]\n"
		"                partial group by store_id, user_id\n"
		"                scan transactions: store_id, user_id\n");
	check_shape(
		"SELECT store_id, count(DISTINCT user_id) AS n, count(*) AS m FROM transactions "
		"GROUP BY store_id",
		"  [reduce 2, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 1]\n"
		"        group by store_id: count(distinct user_id), count(*)\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 0]\n"
		"            scan transactions: store_id, user_id\n");
	/* A condition on a key goes to the scan, one on an aggregate stays. */
	check_shape("SELECT * FROM (SELECT store_id, sum(final_amount) AS s, count(*) AS n FROM "
		    "transactions GROUP BY store_id) x WHERE store_id = 5 AND s > 3",
		"  [reduce 2, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 1]\n"
		"        filter s > 3\n"
		"        final group by store_id: s, n\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 0]\n"
		"            partial group by store_id: sum(final_amount), count(*)\n"
		"            filter store_id = 5\n"
		"            scan transactions: store_id, final_amount\n");
}

static void test_window(void **state)
{
	(void)state;
	check_shape(
		"SELECT store_id, user_id FROM (SELECT *, row_number() OVER (PARTITION BY store_id "
		"ORDER BY created_at DESC) AS rn FROM transactions) x WHERE rn < 3 AND store_id > "
		"7",
		"  [reduce 2, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 1]\n"
		"        project store_id, user_id\n"
		"        filter rn < 3\n"
		"        window row_number() AS rn over (partition by store_id order by created_at "
		"desc)\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 0]\n"
		"            top 2 per store_id by created_at desc\n"
		"            filter store_id > 7\n"
		"            scan transactions: store_id, user_id, created_at\n");
	/* Ties share a rank: no prefilter. A condition on another column must not pass either. */
	check_shape(
		"SELECT rk FROM (SELECT city, rank() OVER (ORDER BY store_id) AS rk FROM stores) x "
		"WHERE rk <= 3 AND city = 'a'",
		"  [reduce 1, one instance]\n"
		"    sort by the full row\n"
		"    project rk\n"
		"    filter rk <= 3 AND city = 'a'\n"
		"    window rank() AS rk over (order by store_id)\n"
		"    -- exchange: single --\n"
		"      [map 0]\n"
		"        scan stores: store_id, city\n");
}

static void test_join(void **state)
{
	(void)state;
	/* The small side is built; conditions go to their tables; the comma is a join. */
	check_shape("SELECT s.city FROM stores s, transactions t WHERE s.store_id = t.store_id AND "
		    "s.city <> 'x' AND t.user_id = 5 AND s.store_id + t.user_id > 3",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project city\n"
		"        filter store_id + user_id > 3\n"
		"        inner join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              filter city <> 'x'\n"
		"              scan stores: store_id, city\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            filter user_id = 5\n"
		"            scan transactions: store_id, user_id\n");
	/* Two large sides meet by hash. */
	check_shape("SELECT 1 FROM transactions t JOIN items i USING (transaction_id)",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project 1 AS ?column?\n"
		"        inner join on transaction_id = build.transaction_id; build:\n"
		"          -- exchange: hash(transaction_id) --\n"
		"            [map 0]\n"
		"              scan transactions: transaction_id\n"
		"        -- exchange: hash(transaction_id) --\n"
		"          [map 1]\n"
		"            scan items: transaction_id\n");
	/* An outer join keeps its left side, whatever the sizes; keys of mixed types are cast. */
	check_shape("SELECT s.city, i.quantity FROM stores s LEFT JOIN items i ON i.quantity = "
		    "s.store_id "
		    "AND i.item_id = 3 AND s.city = 'a' WHERE s.is_open",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project city, quantity\n"
		"        left join on store_id = build.key if city = 'a'; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project quantity, quantity::bigint AS key\n"
		"              filter item_id = 3\n"
		"              scan items: item_id, quantity\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            project store_id, city\n"
		"            filter is_open\n"
		"            scan stores: store_id, city, is_open\n");
}

/* What every branch of an OR asks for joins; what each says about one table filters it. */
static void test_conditions_follow(void **state)
{
	(void)state;
	check_shape(
		"SELECT user_id FROM transactions t, stores s WHERE (t.store_id = s.store_id AND "
		"city = 'a' AND user_id = 1) OR (s.store_id = t.store_id AND city = 'b' AND "
		"user_id = 2)",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project user_id\n"
		"        filter city = 'a' AND user_id = 1 OR city = 'b' AND user_id = 2\n"
		"        inner join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              filter city = 'a' OR city = 'b'\n"
		"              scan stores: store_id, city\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            filter user_id = 1 OR user_id = 2\n"
		"            scan transactions: store_id, user_id\n");
	check_shape("SELECT user_id FROM transactions t LEFT JOIN stores s ON s.store_id = "
		    "t.store_id AND city = 'a' WHERE t.store_id = 7",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project user_id\n"
		"        left join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project store_id\n"
		"              filter city = 'a' AND store_id = 7\n"
		"              scan stores: store_id, city\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            filter store_id = 7\n"
		"            scan transactions: store_id, user_id\n");
	/* Nobody wants anything of the subqueries. */
	check_shape(
		"SELECT user_id FROM (SELECT user_id, (SELECT city FROM stores s WHERE "
		"s.store_id = t.store_id), EXISTS (SELECT 1 FROM stores) FROM transactions t) x",
		"  [reduce 1, one instance]\n"
		"    all rows\n"
		"    -- exchange: in order --\n"
		"      [map 0]\n"
		"        scan transactions: user_id\n");
}

static const char *warning_of(struct fixture *f, const char *sql)
{
	fixture_compile(f, sql);
	return f->plan->queries[0].warning;
}

static void test_products_are_told(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_string_equal(warning_of(&f, "SELECT count(*) FROM transactions, items"),
		"all pairs of about 19,000,000 x 11,000,000 rows: is a join condition missing?");
	assert_non_null(strstr(
		fixture_compile(&f, "SELECT count(*) FROM transactions, items"), "  warning: all"));
	assert_non_null(warning_of(&f,
		"WITH c AS (SELECT t.user_id FROM transactions t JOIN items i ON t.store_id < "
		"i.item_id) SELECT count(*) FROM c a JOIN c b USING (user_id)"));
	assert_null(warning_of(&f, "SELECT count(*) FROM transactions, stores"));
	f.catalog.tables[0].bytes = 0;
	assert_null(warning_of(&f, "SELECT count(*) FROM transactions, items"));
	f.catalog.tables[0].bytes = 700000000;
	assert_null(warning_of(&f, "SELECT count(*) FROM transactions t, (SELECT max(item_id) AS m "
				   "FROM items) i WHERE t.store_id < m"));
	assert_null(warning_of(
		&f, "SELECT count(*) FROM transactions JOIN items USING (transaction_id)"));
	fixture_release(&f);
}

static void test_join_order(void **state)
{
	(void)state;
	/* Connected relations first: no cross join of a and b. */
	check_shape("SELECT count(*) FROM stores a, users b, transactions c WHERE a.store_id = "
		    "c.store_id "
		    "AND b.user_id = c.user_id",
		"  [reduce 5, one instance]\n"
		"    sort by the full row\n"
		"    final group: count\n"
		"    -- exchange: single --\n"
		"      [reduce 4]\n"
		"        partial group: count(*)\n"
		"        inner join on user_id = build.user_id; build:\n"
		"          -- exchange: hash(user_id) --\n"
		"            [map 0]\n"
		"              scan users: user_id\n"
		"        -- exchange: hash(user_id) --\n"
		"          [reduce 3]\n"
		"            project user_id\n"
		"            inner join on store_id = build.store_id; build:\n"
		"              -- exchange: broadcast --\n"
		"                [map 1]\n"
		"                  scan stores: store_id\n"
		"            -- exchange: spread --\n"
		"              [map 2]\n"
		"                scan transactions: store_id, user_id\n");
}

static void test_in_select(void **state)
{
	(void)state;
	check_shape("SELECT store_id FROM stores WHERE store_id NOT IN (SELECT store_id FROM "
		    "transactions "
		    "WHERE final_amount > 9) OR city = 'x'",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project store_id\n"
		"        filter NOT in_subquery OR city = 'x'\n"
		"        mark join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1]\n"
		"              final group by store_id\n"
		"              -- exchange: hash(store_id) --\n"
		"                [map 0]\n"
		"                  partial group by store_id\n"
		"                  filter final_amount > 9\n"
		"                  scan transactions: store_id, final_amount\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan stores: store_id, city\n");
}

static void test_union(void **state)
{
	(void)state;
	check_shape("SELECT * FROM (SELECT city AS a FROM stores UNION ALL SELECT store_name FROM "
		    "stores "
		    "UNION ALL SELECT 'q') x WHERE a <> 'z'",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        -- exchange: spread --\n"
		"          [map 0]\n"
		"            project city\n"
		"            filter city <> 'z'\n"
		"            scan stores: city\n"
		"          [map 1]\n"
		"            project store_name\n"
		"            filter store_name <> 'z'\n"
		"            scan stores: store_name\n"
		"          [map 2]\n"
		"            project 'q' AS a\n"
		"            filter 'q' <> 'z'\n"
		"            one row\n");
}

/* Queries of one plan share the scan: its columns are those that any of them reads. */
static void test_shared_scan(void **state)
{
	struct sql_text queries[] = {
		{.name = "q1", .title = "First", .text = "SELECT city FROM stores"},
		{.name = "q2", .title = "", .text = "SELECT count(*) FROM stores WHERE is_open"},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(sql_compile(&f.catalog, queries, 2, &f.arena, &f.plan, &f.err), 0);
	check_plan(f.plan);
	assert_int_equal(f.plan->table_count, 1);
	assert_int_equal(f.plan->tables[0].source, 2);
	assert_int_equal(f.plan->tables[0].column_count, 2);
	assert_string_equal(f.plan->tables[0].columns[0].name, "city");
	assert_string_equal(f.plan->tables[0].columns[1].name, "is_open");
	assert_int_equal(f.plan->query_count, 2);
	assert_string_equal(f.plan->queries[0].title, "First");
	for (uint32_t i = 0; i < f.plan->fragment_count; i++) {
		const struct plan_fragment *fragment = &f.plan->fragments[i];

		if (!plan_fragment_is_map(fragment))
			continue;
		assert_int_equal(
			fragment->table_columns_used[0] + fragment->table_columns_used[1], 1);
	}
	fixture_release(&f);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	if (!file)
		fail_msg("cannot read %s", path);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

/* The pack as it ships: one scan per query and table, and few rows to build. */
static void test_coffee_pack(void **state)
{
	static const char *const names[] = {"q1", "q2a", "q2b", "q3", "q4"};
	static const uint64_t bytes[] = {700000000, 1200000000, 1000, 1000, 100000000};
	static const char *const expected[] = {
		"top 1 per month by sellings_qty desc, item_id\n",
		"final group by month, item_id: sellings_qty\n",
		"partial group by month, item_id: sum(quantity)\n",
		"partial group by quarter, store_id: sum(final_amount)\n",
		"final group by year_half_created_at, store_id, store_name: tpv\n",
		/* q4: the ranked rows are built, users flow. */
		("        inner join on user_id = build.user_id; build:\n"
		 "          -- exchange: broadcast --\n"),
		"top 3 per store_id by purchases_qty desc, user_id\n",
		"            scan users: user_id, birthdate\n",
	};
	struct sql_text queries[5];
	struct fixture f;
	char *texts[5], *schema = read_file("packs/coffee/schema.sql");

	(void)state;
	fixture_init(&f);
	assert_int_equal(sql_schema("schema.sql", schema, &f.arena, &f.catalog, &f.err), 0);
	for (uint32_t i = 0; i < 5; i++) {
		char path[64];

		snprintf(path, sizeof(path), "packs/coffee/queries/%s.sql", names[i]);
		texts[i] = read_file(path);
		queries[i] = (struct sql_text){.name = names[i], .title = "", .text = texts[i]};
		f.catalog.tables[i].bytes = bytes[i];
	}
	assert_int_equal(sql_compile(&f.catalog, queries, 5, &f.arena, &f.plan, &f.err), 0);
	check_plan(f.plan);
	sql_explain(f.plan, &f.text);
	buf_append_char(&f.text, '\0');
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		if (!strstr(f.text.data, expected[i]))
			fail_msg("missing: %s\nin\n%s", expected[i], f.text.data);
	for (uint32_t i = 0; i < 5; i++)
		free(texts[i]);
	free(schema);
	fixture_release(&f);
}

/* Everything else that should at least make a plan that keeps its promises. */
static void test_plans_hold(void **state)
{
	static const char *const texts[] = {
		"SELECT * FROM stores, users",
		"SELECT 1 FROM stores, users, items LIMIT 5",
		"SELECT count(*) FROM (SELECT count(*) FROM stores) x",
		"SELECT 1 FROM (SELECT count(*) FROM stores) x",
		"SELECT 1 FROM stores HAVING true",
		"SELECT city FROM stores GROUP BY city, store_id HAVING max(latitude) > 3",
		"SELECT DISTINCT city, city FROM stores ORDER BY 2",
		"SELECT city, city, 1 + 1, 1 + 1 FROM stores ORDER BY 3, store_id",
		"SELECT store_id IN (SELECT user_id FROM users) IN (SELECT true) FROM stores",
		"SELECT count(*) FILTER (WHERE city IN (SELECT 'x')) FROM stores",
		"SELECT city IN (SELECT 'a'), count(*) FROM stores GROUP BY 1",
		"SELECT rank() OVER (PARTITION BY city IN (SELECT 'a') ORDER BY count(*)) FROM "
		"stores "
		"GROUP BY city",
		"SELECT row_number() OVER (ORDER BY city), rank() OVER (PARTITION BY city ORDER BY "
		"store_id), dense_rank() OVER (ORDER BY city) FROM stores ORDER BY rank() OVER ()",
		"SELECT sum(DISTINCT store_id), avg(DISTINCT store_id) FROM stores",
		"SELECT count(DISTINCT city) FROM stores GROUP BY city",
		"SELECT count(DISTINCT city), count(DISTINCT store_id), min(DISTINCT city) FROM "
		"stores",
		"SELECT a.city FROM stores a RIGHT JOIN stores b ON a.store_id = b.store_id AND "
		"a.city > "
		"b.city LEFT JOIN users ON b.store_id = user_id AND a.latitude > 5",
		"SELECT * FROM stores LEFT JOIN users ON false",
		"SELECT * FROM (SELECT 1::int AS id) a RIGHT JOIN (SELECT 2::bigint AS id) b USING "
		"(id)",
		"(SELECT city FROM stores LIMIT 3) UNION (SELECT 'a' ORDER BY 1) ORDER BY city "
		"LIMIT 2",
		"SELECT count(*) FROM (SELECT city FROM stores UNION ALL SELECT 'x') u",
		"SELECT * FROM (SELECT city FROM stores ORDER BY store_id OFFSET 2) x WHERE city = "
		"'a'",
		"SELECT x FROM (SELECT city || 'a' AS x FROM stores) s WHERE x LIKE 'b%' GROUP BY "
		"x",
		"WITH a AS (SELECT * FROM stores), b AS (SELECT a.city FROM a JOIN a c USING "
		"(store_id)) "
		"SELECT b.city FROM b WHERE b.city IN (SELECT city FROM a)",
		"VALUES (1, NULL, 'a'), (2.5, 3, NULL) ORDER BY 1 LIMIT 1",
		"SELECT NULL UNION ALL SELECT NULL",
		"SELECT city FROM stores WHERE 'a' = ANY(tags) AND NOT 'b' <> ALL(tags) AND true",
		"SELECT city FROM stores LIMIT 0",
		"SELECT city FROM stores LIMIT 9223372036854775807 OFFSET 9223372036854775807",
		"SELECT NULL AS a, 'x' AS b ORDER BY a, b",
		"SELECT city FROM stores s WHERE NOT (s.is_open IS NOT FALSE) AND (s.is_open IS "
		"UNKNOWN)",
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		fixture_compile(&f, texts[i]);
	fixture_release(&f);
}

/* What bounds a key bounds it wherever it is equal to others, and nothing of what is missing is kept. */
static void test_bounds_travel(void **state)
{
	(void)state;
	check_shape(
		"SELECT s.city, a.city, u.wakes FROM stores s LEFT JOIN stores a ON s.store_id = "
		"a.store_id LEFT JOIN users u ON u.user_id = a.store_id WHERE s.store_id = 5",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project city, city, wakes\n"
		"        left join on store_id = build.user_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              filter user_id = 5\n"
		"              scan users: user_id, wakes\n"
		"        left join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 1]\n"
		"              filter store_id = 5\n"
		"              scan stores: store_id, city\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            filter store_id = 5\n"
		"            scan stores: store_id, city\n");
	check_shape(
		"SELECT s.city, u.wakes FROM stores s LEFT JOIN users u ON u.user_id = s.store_id "
		"WHERE u.user_id IS NULL",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project city, NULL AS wakes\n"
		"        filter NOT met\n"
		"        exists join on store_id = build.user_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1]\n"
		"              final group by user_id\n"
		"              -- exchange: hash(user_id) --\n"
		"                [map 0]\n"
		"                  partial group by user_id\n"
		"                  scan users: user_id\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan stores: store_id, city\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter_and_sort),
		cmocka_unit_test(test_order_of_the_input),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_conditions_follow),
		cmocka_unit_test(test_products_are_told),
		cmocka_unit_test(test_join_order),
		cmocka_unit_test(test_in_select),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_shared_scan),
		cmocka_unit_test(test_coffee_pack),
		cmocka_unit_test(test_plans_hold),
		cmocka_unit_test(test_bounds_travel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
