/*
 * The shape of plans for subqueries, full joins, set operations and lists.
 */
#include "unit/sql/sql_fixture.h"

static void test_exists(void **state)
{
	(void)state;
	/* Keys of a large build side lose their duplicates where they are read. */
	check_shape("SELECT city FROM stores s WHERE EXISTS (SELECT 1 FROM transactions t WHERE "
		    "t.store_id = s.store_id AND t.final_amount > 5)",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project city\n"
		"        filter exists\n"
		"        exists join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1]\n"
		"              final group by store_id\n"
		"              -- exchange: hash(store_id) --\n"
		"                [map 0]\n"
		"                  partial group by store_id\n"
		"                  filter final_amount > 5\n"
		"                  scan transactions: store_id, final_amount\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan stores: store_id, city\n");
	/* What is no equality stays as a condition of pairs; without correlation one row is enough.
	 */
	check_shape(
		"SELECT user_id FROM users u WHERE EXISTS (SELECT 1 FROM stores s WHERE s.store_id "
		"= u.user_id AND s.city <> u.\"Gender\") AND EXISTS (SELECT 1 FROM stores)",
		"  [reduce 5, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 4]\n"
		"        project user_id\n"
		"        filter exists\n"
		"        exists join of all pairs; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1, one instance]\n"
		"              project true AS row\n"
		"              top 1 by the full row\n"
		"              -- exchange: single --\n"
		"                [map 0]\n"
		"                  top 1 by the full row\n"
		"                  project true AS row\n"
		"                  scan stores\n"
		"        filter exists\n"
		"        exists join on user_id = build.store_id if city <> Gender; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 2]\n"
		"              scan stores: store_id, city\n"
		"        -- exchange: spread --\n"
		"          [map 3]\n"
		"            scan users: user_id, Gender\n");
	/* What cannot lose its duplicates is hashed when it is large. */
	check_shape(
		"SELECT transaction_id FROM transactions t WHERE NOT EXISTS (SELECT 1 FROM items i "
		"WHERE i.transaction_id = t.transaction_id AND i.created_at > t.created_at)",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project transaction_id\n"
		"        filter NOT exists\n"
		"        exists join on transaction_id = build.transaction_id if created_at > "
		"created_at; build:\n"
		"          -- exchange: hash(transaction_id) --\n"
		"            [map 0]\n"
		"              scan items: transaction_id, created_at\n"
		"        -- exchange: hash(transaction_id) --\n"
		"          [map 1]\n"
		"            scan transactions: transaction_id, created_at\n");
}

static void test_subquery_value(void **state)
{
	(void)state;
	/* One row, brought to everyone. */
	check_shape("SELECT user_id FROM users WHERE user_id > (SELECT avg(store_id) FROM stores)",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project user_id\n"
		"        filter user_id::numeric > avg\n"
		"        inner join of all pairs; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1, one instance]\n"
		"              final group: avg\n"
		"              -- exchange: single --\n"
		"                [map 0]\n"
		"                  partial group: avg(store_id)\n"
		"                  scan stores: store_id\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan users: user_id\n");
	/* A correlated aggregate is a group by the key; a filter that NULL cannot pass makes the
	 * join an inner one. */
	check_shape("SELECT t.transaction_id FROM transactions t WHERE t.final_amount > (SELECT "
		    "avg(u.user_id) FROM users u WHERE u.user_id = t.user_id)",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project transaction_id\n"
		"        filter final_amount > avg\n"
		"        inner join on user_id = build.user_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1]\n"
		"              final group by user_id: avg\n"
		"              -- exchange: hash(user_id) --\n"
		"                [map 0]\n"
		"                  partial group by user_id: avg(user_id)\n"
		"                  scan users: user_id\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan transactions: transaction_id, user_id, final_amount\n");
}

static void test_subquery_of_select_list(void **state)
{
	(void)state;
	/* count() is 0 where nothing meets, so the join stays an outer one. */
	check_shape("SELECT city, (SELECT count(*) FROM users u WHERE u.user_id = s.store_id) AS n "
		    "FROM stores s",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project city, coalesce(count, 0) AS n\n"
		"        left join on store_id = build.user_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1]\n"
		"              final group by user_id: count\n"
		"              -- exchange: hash(user_id) --\n"
		"                [map 0]\n"
		"                  partial group by user_id: count(*)\n"
		"                  scan users: user_id\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan stores: store_id, city\n");
	/* The first row of each: a top for every key. */
	check_shape("SELECT city, (SELECT wakes FROM users u WHERE u.user_id = s.store_id ORDER BY "
		    "birthdate LIMIT 1) AS w FROM stores s",
		"  [reduce 4, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 3]\n"
		"        project city, wakes\n"
		"        left join on store_id = build.user_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 1]\n"
		"              project user_id, wakes\n"
		"              top 1 per user_id by birthdate\n"
		"              -- exchange: hash(user_id) --\n"
		"                [map 0]\n"
		"                  top 1 per user_id by birthdate\n"
		"                  scan users: user_id, birthdate, wakes\n"
		"        -- exchange: spread --\n"
		"          [map 2]\n"
		"            scan stores: store_id, city\n");
}

static void test_full_join(void **state)
{
	(void)state;
	/* Both sides by hash, nothing below. */
	check_shape("SELECT s.city, u.wakes FROM stores s FULL JOIN users u ON u.user_id = "
		    "s.store_id AND s.is_open WHERE coalesce(s.city, 'x') = 'x'",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project city, wakes\n"
		"        filter coalesce(city, 'x') = 'x'\n"
		"        full join on store_id = build.user_id if is_open; build:\n"
		"          -- exchange: hash(user_id) --\n"
		"            [map 0]\n"
		"              scan users: user_id, wakes\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 1]\n"
		"            scan stores: store_id, city, is_open\n");
	/* A filter that drops rows without a left side, then one that drops those without either.
	 */
	check_shape("SELECT u.wakes FROM stores s FULL JOIN users u ON u.user_id = s.store_id "
		    "WHERE s.city = 'x'",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project wakes\n"
		"        left join on store_id = build.user_id; build:\n"
		"          -- exchange: hash(user_id) --\n"
		"            [map 0]\n"
		"              scan users: user_id, wakes\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 1]\n"
		"            project store_id\n"
		"            filter city = 'x'\n"
		"            scan stores: store_id, city\n");
	check_shape("SELECT 1 AS one FROM stores s FULL JOIN users u ON u.user_id = s.store_id "
		    "WHERE s.city = 'x' AND u.wakes > '06:00'",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project 1 AS one\n"
		"        inner join on user_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project store_id\n"
		"              filter city = 'x'\n"
		"              scan stores: store_id, city\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            project user_id\n"
		"            filter wakes > '06:00:00'::time\n"
		"            scan users: user_id, wakes\n");
}

static void test_set_operations(void **state)
{
	(void)state;
	/* A filter goes to both sides. */
	check_shape("SELECT * FROM (SELECT store_id FROM stores INTERSECT SELECT user_id FROM "
		    "users) x WHERE store_id > 3",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project store_id\n"
		"        filter in_second AND NOT only_second\n"
		"        final group by store_id: in_second, only_second\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 0]\n"
		"            partial group by store_id: bool_or(second), bool_and(second)\n"
		"            project store_id, false AS second\n"
		"            filter store_id > 3\n"
		"            scan stores: store_id\n"
		"          [map 1]\n"
		"            partial group by user_id: bool_or(second), bool_and(second)\n"
		"            project user_id, true AS second\n"
		"            filter user_id > 3\n"
		"            scan users: user_id\n");
	check_shape("SELECT city FROM stores EXCEPT ALL SELECT \"Gender\" FROM users",
		"  [reduce 5, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 4]\n"
		"        project city\n"
		"        filter NOT in_second\n"
		"        final group by city, copy: in_second\n"
		"        -- exchange: hash(city, copy) --\n"
		"          [reduce 1]\n"
		"            partial group by city, copy: bool_or(second)\n"
		"            project city, copy, false AS second\n"
		"            window row_number() AS copy over (partition by city)\n"
		"            -- exchange: hash(city) --\n"
		"              [map 0]\n"
		"                scan stores: city\n"
		"          [reduce 3]\n"
		"            partial group by Gender, copy: bool_or(second)\n"
		"            project Gender, copy, true AS second\n"
		"            window row_number() AS copy over (partition by Gender)\n"
		"            -- exchange: hash(Gender) --\n"
		"              [map 2]\n"
		"                scan users: Gender\n");
}

static void test_unnest(void **state)
{
	(void)state;
	/* The join leaves fewer rows than it gets: the lists are made of those alone. */
	check_shape(
		"SELECT i.item_id, x FROM items i, unnest(string_to_array(i.transaction_id, '-')) "
		"AS x, users u WHERE u.user_id = i.item_id AND u.birthdate = '2000-01-01'",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project item_id, x\n"
		"        unnest list AS x\n"
		"        project item_id, string_to_array(transaction_id, '-') AS list\n"
		"        inner join on item_id = build.user_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project user_id\n"
		"              filter birthdate = '2000-01-01'::date\n"
		"              scan users: user_id, birthdate\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            scan items: transaction_id, item_id\n");
	/* The join multiplies: the lists are made before it, and their filter helps it. */
	check_shape("SELECT t.user_id FROM stores s, unnest(s.tags) AS tag, transactions t WHERE "
		    "t.store_id = s.store_id AND tag = 'new' AND s.is_open",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project user_id\n"
		"        inner join on store_id = build.store_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project store_id\n"
		"              filter tag = 'new'\n"
		"              unnest tags AS tag\n"
		"              project store_id, tags\n"
		"              filter is_open\n"
		"              scan stores: store_id, is_open, tags\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            scan transactions: store_id, user_id\n");
}

static void test_unnest_before_join_and_distinct(void **state)
{
	(void)state;
	/* An item that is a key of the join must be there first. Columns that nobody needs stay
	 * below. */
	check_shape("SELECT s.city, n FROM stores s LEFT JOIN unnest(s.tags) WITH ORDINALITY AS "
		    "t(tag, n) ON true JOIN users u ON u.\"Gender\" = tag",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project city, n\n"
		"        inner join on Gender = build.tag; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project city, tag, n\n"
		"              outer unnest tags AS tag with n\n"
		"              project city, tags\n"
		"              scan stores: city, tags\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            scan users: Gender\n");
	/* Behind the groups, before DISTINCT. */
	check_shape("SELECT DISTINCT city, unnest(ARRAY[min(store_name), max(store_name)]) AS name "
		    "FROM stores GROUP BY city",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        final group by city, unnest\n"
		"        -- exchange: hash(city, unnest) --\n"
		"          [reduce 1]\n"
		"            partial group by city, unnest\n"
		"            unnest list AS unnest\n"
		"            project city, ARRAY[min, max] AS list\n"
		"            final group by city: min, max\n"
		"            -- exchange: hash(city) --\n"
		"              [map 0]\n"
		"                partial group by city: min(store_name), max(store_name)\n"
		"                scan stores: store_name, city\n");
}

static void test_distinct_on(void **state)
{
	(void)state;
	check_shape("SELECT DISTINCT ON (store_id) store_id, final_amount FROM transactions ORDER "
		    "BY store_id, final_amount DESC",
		"  [reduce 2, one instance]\n"
		"    sort by store_id, final_amount desc\n"
		"    -- exchange: single --\n"
		"      [reduce 1]\n"
		"        top 1 per store_id by store_id, final_amount desc\n"
		"        -- exchange: hash(store_id) --\n"
		"          [map 0]\n"
		"            top 1 per store_id by store_id, final_amount desc\n"
		"            scan transactions: store_id, final_amount\n");
}

static void test_wide_rows(void **state)
{
	(void)state;
	/* The filtered side is built, however large its table is. */
	check_shape("SELECT i.subtotal, t.created_at FROM items i JOIN transactions t ON "
		    "t.transaction_id = i.transaction_id WHERE t.store_id = 3 AND t.final_amount "
		    "BETWEEN 1 AND 2",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        project subtotal, created_at\n"
		"        inner join on transaction_id = build.transaction_id; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project transaction_id, created_at\n"
		"              filter store_id = 3 AND final_amount >= 1 AND final_amount <= 2\n"
		"              scan transactions: transaction_id, store_id, final_amount, "
		"created_at\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            scan items: transaction_id, subtotal\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exists),
		cmocka_unit_test(test_subquery_value),
		cmocka_unit_test(test_subquery_of_select_list),
		cmocka_unit_test(test_full_join),
		cmocka_unit_test(test_set_operations),
		cmocka_unit_test(test_unnest),
		cmocka_unit_test(test_unnest_before_join_and_distinct),
		cmocka_unit_test(test_distinct_on),
		cmocka_unit_test(test_wide_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
