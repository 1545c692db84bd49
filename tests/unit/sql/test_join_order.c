/*
 * Joins by statistics: what is known of values decides what is joined first and what is built.
 */
#include "unit/sql/sql_fixture.h"

/* A wholesaler's: sales of orders of buyers, who live where sellers do, in countries of regions. */
static const char wholesale[] =
	"CREATE TABLE regions (region bigint, name text) WITH (files = 'r', statistics = "
	"'rows 5 bytes 80; 0 distinct 5 nulls 0 common bounds 0 4; 1 distinct 5 nulls 0 common "
	"bounds');"
	"CREATE TABLE countries (country bigint, region bigint, name text) WITH (files = 'c', "
	"statistics = 'rows 25 bytes 90; 0 distinct 25 nulls 0 common bounds 0 24; 1 distinct 5 "
	"nulls 0 "
	"common bounds 0 4');"
	"CREATE TABLE sellers (seller bigint, country bigint) WITH (files = 's', statistics = "
	"'rows 1e4 bytes 140; 0 distinct 1e4 nulls 0 common bounds 1 1e4; 1 distinct 25 nulls 0 "
	"common "
	"bounds 0 24');"
	"CREATE TABLE buyers (buyer bigint, country bigint) WITH (files = 'b', statistics = "
	"'rows 15e4 bytes 160; 0 distinct 15e4 nulls 0 common bounds 1 15e4; 1 distinct 25 nulls 0 "
	"common bounds 0 24');"
	"CREATE TABLE orders (number bigint, buyer bigint, day date) WITH (files = 'o', statistics "
	"= "
	"'rows 15e5 bytes 110; 0 distinct 15e5 nulls 0 common bounds 1 6e6; 1 distinct 1e5 nulls 0 "
	"common bounds 1 15e4; 2 distinct 2400 nulls 0 common bounds 8000 10400');"
	"CREATE TABLE sales (number bigint, seller bigint, amount numeric) WITH (files = 'l', "
	"statistics = 'rows 6e6 bytes 120; 0 distinct 15e5 nulls 0 common bounds 1 6e6; 1 distinct "
	"1e4 "
	"nulls 0 common bounds 1 1e4');";

static void check_wholesale(const char *sql, const char *expected)
{
	struct fixture f;
	const char *plan;

	fixture_init(&f);
	if (sql_schema("schema", wholesale, &f.arena, &f.catalog, &f.err) < 0)
		fail_msg("%s", f.err.message);
	plan = strchr(fixture_compile(&f, sql), '[');
	while (plan[-1] == ' ')
		plan--;
	if (strcmp(plan, expected) != 0)
		fail_msg("%s\nexpected:\n%sgot:\n%s", sql, expected, plan);
	fixture_release(&f);
}

/*
 * Buyers and sellers are of one country, which is no way to join them: each pair of a country would be
 * made. And the equality of three countries is used between those two of them that the text has not
 * compared.
 */
static void test_a_trap(void **state)
{
	(void)state;
	check_wholesale(
		"SELECT sum(amount) FROM buyers b, orders o, sales l, sellers s, countries c, "
		"regions r WHERE b.buyer = o.buyer AND l.number = o.number AND l.seller = "
		"s.seller AND b.country = s.country AND s.country = c.country AND c.region = "
		"r.region AND r.name = 'Asia' AND o.day >= date '1994-01-01' AND o.day < date "
		"'1995-01-01'",
		"  [reduce 10, one instance]\n"
		"    sort by the full row\n"
		"    final group: sum\n"
		"    -- exchange: single --\n"
		"      [reduce 9]\n"
		"        partial group: sum(amount)\n"
		"        inner join on seller = build.seller AND country = build.country; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              scan sellers: seller, country\n"
		"        inner join on number = build.number; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 7]\n"
		"              project number, country\n"
		"              inner join on buyer = build.buyer; build:\n"
		"                -- exchange: broadcast --\n"
		"                  [reduce 5]\n"
		"                    project buyer, country\n"
		"                    inner join on country = build.country; build:\n"
		"                      -- exchange: broadcast --\n"
		"                        [reduce 3]\n"
		"                          project country\n"
		"                          inner join on region = build.region; build:\n"
		"                            -- exchange: broadcast --\n"
		"                              [map 1]\n"
		"                                project region\n"
		"                                filter name = 'Asia'\n"
		"                                scan regions: region, name\n"
		"                          -- exchange: spread --\n"
		"                            [map 2]\n"
		"                              scan countries: country, region\n"
		"                    -- exchange: spread --\n"
		"                      [map 4]\n"
		"                        scan buyers: buyer, country\n"
		"              -- exchange: spread --\n"
		"                [map 6]\n"
		"                  project number, buyer\n"
		"                  filter day >= '1994-01-01'::date AND day < '1995-01-01'::date\n"
		"                  scan orders: number, buyer, day\n"
		"        -- exchange: spread --\n"
		"          [map 8]\n"
		"            scan sales: number, seller, amount\n");
}

/* What IN (SELECT ...) asks of one relation is asked before the joins when it leaves few rows of it. */
static void test_in_goes_down(void **state)
{
	(void)state;
	check_wholesale(
		"SELECT b.buyer, l.amount FROM buyers b JOIN orders o USING (buyer) JOIN sales "
		"l USING (number) WHERE o.number IN (SELECT number FROM sales GROUP BY number "
		"HAVING sum(amount) > 300)",
		"  [reduce 7, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 6]\n"
		"        project buyer, amount\n"
		"        inner join on number = build.number; build:\n"
		"          -- exchange: broadcast --\n"
		"            [reduce 4]\n"
		"              project number, buyer\n"
		"              inner join on buyer = build.buyer; build:\n"
		"                -- exchange: broadcast --\n"
		"                  [map 0]\n"
		"                    scan buyers: buyer\n"
		"              filter in_subquery\n"
		"              mark join on number = build.number; build:\n"
		"                -- exchange: broadcast --\n"
		"                  [reduce 2]\n"
		"                    project number\n"
		"                    filter sum > 300\n"
		"                    final group by number: sum\n"
		"                    -- exchange: hash(number) --\n"
		"                      [map 1]\n"
		"                        partial group by number: sum(amount)\n"
		"                        scan sales: number, amount\n"
		"              -- exchange: spread --\n"
		"                [map 3]\n"
		"                  scan orders: number, buyer\n"
		"        -- exchange: spread --\n"
		"          [map 5]\n"
		"            scan sales: number, amount\n");
}

/* A condition on both sides of a large table: none is built that is larger than what meets it. */
static void test_small_sides_are_built(void **state)
{
	(void)state;
	check_wholesale(
		"SELECT count(*) FROM sales l, orders o WHERE l.number = o.number AND o.day = "
		"date '1994-01-01'",
		"  [reduce 3, one instance]\n"
		"    sort by the full row\n"
		"    final group: count\n"
		"    -- exchange: single --\n"
		"      [reduce 2]\n"
		"        partial group: count(*)\n"
		"        inner join on number = build.number; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project number\n"
		"              filter day = '1994-01-01'::date\n"
		"              scan orders: number, day\n"
		"        -- exchange: spread --\n"
		"          [map 1]\n"
		"            scan sales: number\n");
}

/* Groups that a join asks for are the only ones that are made. */
static void test_keys_before_groups(void **state)
{
	(void)state;
	check_wholesale(
		"SELECT o.number, s.total FROM orders o JOIN (SELECT number, sum(amount) AS "
		"total FROM sales GROUP BY number) s USING (number) WHERE o.day = date "
		"'1994-01-01'",
		"  [reduce 5, one instance]\n"
		"    sort by the full row\n"
		"    -- exchange: single --\n"
		"      [reduce 4]\n"
		"        project number, total\n"
		"        inner join on number = build.number; build:\n"
		"          -- exchange: broadcast --\n"
		"            [map 0]\n"
		"              project number\n"
		"              filter day = '1994-01-01'::date\n"
		"              scan orders: number, day\n"
		"        final group by number: total\n"
		"        -- exchange: hash(number) --\n"
		"          [reduce 3]\n"
		"            partial group by number: sum(amount)\n"
		"            filter asked\n"
		"            exists join on number = build.number; build:\n"
		"              -- exchange: broadcast --\n"
		"                [map 1]\n"
		"                  project number\n"
		"                  filter day = '1994-01-01'::date\n"
		"                  scan orders: number, day\n"
		"            -- exchange: spread --\n"
		"              [map 2]\n"
		"                scan sales: number, amount\n");
}

/* More relations than are looked at exhaustively, and some that nothing connects. */
static void test_many_relations(void **state)
{
	struct fixture f;
	struct buf text;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_append_text(&text, "SELECT count(*) FROM regions r, countries c");
	for (int i = 0; i < 40; i++)
		buf_printf(&text, ", sellers s%d", i);
	buf_append_text(&text, " WHERE true");
	for (int i = 1; i < 40; i++)
		buf_printf(&text, " AND s%d.seller = s%d.seller", i - 1, i);
	buf_append_char(&text, '\0');
	fixture_init(&f);
	assert_int_equal(sql_schema("schema", wholesale, &f.arena, &f.catalog, &f.err), 0);
	(void)fixture_compile(&f, text.data);
	assert_non_null(strstr(f.text.data, "scan regions"));
	fixture_release(&f);
	buf_release(&text);
}

static void check_says(const struct fixture *f, const char *text)
{
	if (!strstr(f->text.data, text))
		fail_msg("no \"%s\" in\n%s", text, f->text.data);
}

/* Guesses are shown where they come from statistics, and nowhere else. */
static void test_guesses_are_shown(void **state)
{
	static const char sql[] =
		"SELECT o.day, count(*) FROM sales l JOIN orders o USING (number) WHERE o.day >= "
		"date '1994-01-01' AND o.day < date '1995-01-01' GROUP BY o.day";
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(sql_schema("schema", wholesale, &f.arena, &f.catalog, &f.err), 0);
	f.catalog.explains = true;
	(void)fixture_compile(&f, sql);
	check_says(&f, "scan sales: number  (about 6,000,000 rows)\n");
	check_says(&f, "filter day >= '1994-01-01'::date AND day < '1995-01-01'::date  (about "
		       "230,000 rows)\n");
	check_says(&f, "inner join on number = build.number  (about 910,000 rows); build:\n");
	check_says(&f, "final group by day: count  (about 2,400 rows)\n");
	f.catalog.tables[5].statistics = NULL;
	(void)fixture_compile(&f, sql);
	check_says(&f, "scan sales: number\n");
	check_says(&f, "inner join on number = build.number; build:\n");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trap),
		cmocka_unit_test(test_in_goes_down),
		cmocka_unit_test(test_small_sides_are_built),
		cmocka_unit_test(test_keys_before_groups),
		cmocka_unit_test(test_many_relations),
		cmocka_unit_test(test_guesses_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
