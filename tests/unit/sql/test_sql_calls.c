/*
 * Aggregates, window functions, patterns and lists: the names and types of what they yield, the
 * plans they become, and what is wrong with them.
 */
#include "unit/sql/sql_fixture.h"

struct text_case {
	const char *sql;
	const char *text;
};

/* The line that explain prints of the result. */
static void check_results(const struct text_case *cases, size_t count)
{
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < count; i++) {
		const char *plan = fixture_compile(&f, cases[i].sql);
		const char *line = strstr(plan, "result: ") + strlen("result: ");
		size_t size = strcspn(line, "\n");

		if (strlen(cases[i].text) != size || strncmp(line, cases[i].text, size) != 0)
			fail_msg("%s\n  expected: %s\n  got:      %.*s", cases[i].sql,
				cases[i].text, (int)size, line);
	}
	fixture_release(&f);
}

/* Some line of the plan. */
static void check_lines(const struct text_case *cases, size_t count)
{
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < count; i++) {
		const char *plan = fixture_compile(&f, cases[i].sql);

		if (!strstr(plan, cases[i].text))
			fail_msg("%s\n  expected: %s\n  got:\n%s", cases[i].sql, cases[i].text,
				plan);
	}
	fixture_release(&f);
}

static void check_errors(const struct text_case *cases, size_t count)
{
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < count; i++) {
		if (fixture_try(&f, cases[i].sql) == 0)
			fail_msg("compiles, but should not: %s", cases[i].sql);
		if (strcmp(f.err.message, cases[i].text) != 0)
			fail_msg("%s\n  expected: %s\n  got:      %s", cases[i].sql, cases[i].text,
				f.err.message);
	}
	fixture_release(&f);
}

#define CHECK_CASES(check, cases) check(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_aggregate_types(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT stddev(quantity), variance(item_id), var_pop(subtotal), stddev_pop(1.5) "
		 "FROM items",
			"stddev numeric, variance numeric, var_pop numeric, stddev_pop numeric"},
		{"SELECT stddev_samp(latitude), var_samp(DISTINCT latitude) FROM stores",
			"stddev_samp double precision, var_samp double precision"},
		{"SELECT corr(quantity, subtotal), covar_samp(item_id, 2.5), covar_pop('1', 2) "
		 "FROM items",
			"corr double precision, covar_samp double precision, covar_pop double "
			"precision"},
		{"SELECT string_agg(city, ', ' ORDER BY store_id), array_agg(city) FROM stores",
			"string_agg text, array_agg text[]"},
		{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY quantity), "
		 "percentile_disc(1) WITHIN GROUP (ORDER BY subtotal), mode() WITHIN GROUP (ORDER "
		 "BY created_at) FROM items",
			"percentile_cont double precision, percentile_disc numeric(10,2), mode "
			"timestamp"},
		{"SELECT sum(quantity ORDER BY item_id DESC) FROM items", "sum bigint"},
	};

	(void)state;
	CHECK_CASES(check_results, cases);
}

static void test_aggregate_plans(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT city, stddev(latitude), corr(latitude, store_id) FROM stores GROUP BY "
		 "city",
			"partial group by city: stddev_samp(latitude), corr(latitude, argument)"},
		/* What is ordered needs the rows themselves, and only the columns that it reads. */
		{"SELECT city, string_agg(DISTINCT store_name, ';' ORDER BY store_name DESC) AS "
		 "names, count(*) FROM stores GROUP BY city",
			"      [reduce 1]\n"
			"        group by city: string_agg(distinct store_name, ';' order by "
			"store_name desc), count(*)\n"
			"        -- exchange: hash(city) --\n"
			"          [map 0]\n"
			"            project store_name, city, ';' AS ';'\n"
			"            scan stores: store_name, city\n"},
		{"SELECT array_agg(city ORDER BY is_open, lower(city), 1) FILTER (WHERE store_id > "
		 "5) FROM stores",
			"group: array_agg(city order by is_open, sort) filter (filter)"},
		{"SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY quantity DESC) FROM items",
			"group: percentile_cont(0.25) within group (order by argument desc)"},
		{"SELECT mode() WITHIN GROUP (ORDER BY city) FROM stores",
			"group: mode() within group (order by city)"},
		/* Equal ones are computed once; another order is another aggregate. */
		{"SELECT array_agg(city ORDER BY store_id), array_agg(city ORDER BY store_id), "
		 "array_agg(city ORDER BY store_id DESC) FROM stores",
			"group: array_agg(city order by store_id), array_agg(city order by "
			"store_id desc)\n"},
		/* The order of a sum means nothing. */
		{"SELECT sum(quantity ORDER BY item_id), sum(quantity) FROM items",
			"partial group: sum(quantity)\n"},
		{"SELECT var_pop(DISTINCT quantity) FROM items",
			"partial group: var_pop(quantity)\n"},
		{"SELECT corr(DISTINCT quantity, item_id) FROM items",
			" group: corr(distinct argument, argument)\n"},
	};

	(void)state;
	CHECK_CASES(check_lines, cases);
}

static void test_aggregate_errors(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT stddev(city) FROM stores",
			"line 1, column 8: function stddev(text) does not exist; try a cast"},
		{"SELECT corr(city, store_id) FROM stores",
			"line 1, column 8: function corr(text, bigint) does not exist; try a cast"},
		{"SELECT corr(store_id) FROM stores", "line 1, column 8: corr takes two arguments"},
		{"SELECT string_agg(store_id, ',') FROM stores",
			"line 1, column 8: function string_agg(bigint, unknown) does not exist; "
			"try a cast"},
		{"SELECT string_agg(city) FROM stores",
			"line 1, column 8: string_agg takes two arguments"},
		{"SELECT array_agg(ARRAY[store_id]) FROM stores",
			"line 1, column 18: array_agg of bigint[] is not supported: arrays have "
			"one dimension"},
		{"SELECT string_agg(DISTINCT city, ',' ORDER BY store_id) FROM stores",
			"line 1, column 47: in an aggregate with DISTINCT, ORDER BY expressions "
			"must appear in argument list"},
		{"SELECT percentile_cont(0.5) FROM stores",
			"line 1, column 8: WITHIN GROUP is required for ordered-set aggregate "
			"percentile_cont"},
		{"SELECT sum(1) WITHIN GROUP (ORDER BY store_id) FROM stores",
			"line 1, column 8: sum is not an ordered-set aggregate, so it cannot have "
			"WITHIN GROUP"},
		{"SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY store_id) FROM stores",
			"line 1, column 24: percentile value 1.5 is not between 0 and 1"},
		{"SELECT percentile_disc(-0.5) WITHIN GROUP (ORDER BY store_id) FROM stores",
			"line 1, column 24: percentile value -0.5 is not between 0 and 1"},
		{"SELECT percentile_disc('NaN') WITHIN GROUP (ORDER BY store_id) FROM stores",
			"line 1, column 24: percentile value nan is not between 0 and 1"},
		{"SELECT percentile_cont(latitude) WITHIN GROUP (ORDER BY store_id) FROM stores",
			"line 1, column 24: the fraction of percentile_cont must be a constant"},
		{"SELECT percentile_cont(NULL) WITHIN GROUP (ORDER BY store_id) FROM stores",
			"line 1, column 24: the fraction of percentile_cont must be a constant"},
		{"SELECT percentile_cont(ARRAY[0.5, latitude]) WITHIN GROUP (ORDER BY store_id) "
		 "FROM "
		 "stores",
			"line 1, column 24: the fraction of percentile_cont must be a constant"},
		{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY city) FROM stores",
			"line 1, column 8: function percentile_cont(text) does not exist; try a "
			"cast"},
		{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY store_id, city) FROM stores",
			"line 1, column 8: percentile_cont takes one ORDER BY expression"},
		{"SELECT mode(city) WITHIN GROUP (ORDER BY city) FROM stores",
			"line 1, column 8: mode takes no argument"},
		{"SELECT rank(5) WITHIN GROUP (ORDER BY city) FROM stores",
			"line 1, column 39: WITHIN GROUP types integer and text cannot be matched; "
			"try a cast"},
		{"SELECT array_agg(count(*) ORDER BY city) FROM stores",
			"line 1, column 18: aggregate function calls cannot be nested"},
		{"SELECT string_agg(city, ',' ORDER BY nothing) FROM stores",
			"line 1, column 38: column \"nothing\" does not exist"},
		{"SELECT lower(city ORDER BY city) FROM stores",
			"line 1, column 8: lower is not an aggregate function: DISTINCT, FILTER, "
			"ORDER BY and * have no meaning in it"},
		{"SELECT max(is_open) FROM stores",
			"line 1, column 8: function max(boolean) does not exist; try a cast"},
		{"SELECT min(tags) FROM stores",
			"line 1, column 8: function min(text[]) does not exist; try a cast"},
	};

	(void)state;
	CHECK_CASES(check_errors, cases);
}

static void test_window_types(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT percent_rank() OVER w, cume_dist() OVER w, ntile(4) OVER w FROM stores "
		 "WINDOW w AS (ORDER BY city)",
			"percent_rank double precision, cume_dist double precision, ntile integer"},
		{"SELECT lag(quantity) OVER (), lead(quantity, 2, 0.5) OVER (), lag(NULL) OVER (), "
		 "lag('a', 1, NULL) OVER () FROM items",
			"lag integer, lead numeric, lag text, lag text"},
		{"SELECT first_value(city) OVER (), last_value(tags) OVER (), nth_value(latitude, "
		 "3) OVER () FROM stores",
			"first_value text, last_value text[], nth_value double precision"},
		{"SELECT count(*) OVER (), sum(store_id) OVER (), avg(latitude) OVER (), "
		 "stddev(store_id) OVER (), bool_or(is_open) OVER () AS any FROM stores",
			"count bigint, sum numeric, avg double precision, stddev numeric, any "
			"boolean"},
	};

	(void)state;
	CHECK_CASES(check_results, cases);
}

static void test_window_plans(void **state)
{
	static const struct text_case cases[] = {
		/* Frames may differ: one operator. Another order is another one. */
		{"SELECT sum(store_id) OVER (ORDER BY city), count(*) OVER (ORDER BY city ROWS 2 "
		 "PRECEDING), max(city) OVER (ORDER BY store_id) FROM stores",
			"    window max(city) AS max over (order by store_id)\n"
			"    window sum(store_id) AS sum, count(*) rows between 2 preceding and "
			"current row AS count over (order by city)\n"},
		{"SELECT lag(city) OVER w, lag(city, 1) OVER w, lead(city, 2, '-') OVER w FROM "
		 "stores WINDOW w AS (PARTITION BY is_open ORDER BY store_id)",
			"window lag(city) AS lag, lag(city) AS lag, lead(city, 2, '-') AS "
			"lead over (partition by is_open order by store_id)"},
		{"SELECT avg(subtotal) FILTER (WHERE quantity > 1) OVER (ORDER BY item_id RANGE "
		 "BETWEEN 10 PRECEDING AND 5 FOLLOWING) FROM items",
			"window avg(subtotal) filter (filter) range between 10 preceding and 5 "
			"following AS avg over (order by item_id)"},
		{"SELECT first_value(city) OVER (ORDER BY latitude RANGE BETWEEN 1 PRECEDING AND "
		 "UNBOUNDED FOLLOWING) FROM stores",
			"first_value(city) range between 1 preceding and unbounded following AS"},
		{"SELECT sum(1) OVER (ORDER BY city GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) "
		 "FROM stores",
			"sum(1) groups between 1 following and 2 following AS sum"},
		{"SELECT sum(1) OVER (ORDER BY created_at::date RANGE INTERVAL '1 week' PRECEDING) "
		 "FROM items",
			"range between 7 days preceding and current row AS sum"},
		/* Functions that have no frame do not show one. */
		{"SELECT rank() OVER (ORDER BY city ROWS UNBOUNDED PRECEDING) FROM stores",
			"window rank() AS rank over (order by city)"},
		/* Windows of windows. */
		{"SELECT sum(store_id) OVER (w ORDER BY city), count(*) OVER (v ROWS CURRENT ROW) "
		 "FROM stores WINDOW w AS (PARTITION BY is_open), v AS (w ORDER BY city)",
			"window sum(store_id) AS sum, count(*) rows between current row and "
			"current row AS count over (partition by is_open order by city)"},
		/* Over the groups. */
		{"SELECT city, sum(sum(store_id)) OVER (ORDER BY count(*) DESC) FROM stores GROUP "
		 "BY city",
			"window sum(sum) AS sum over (order by count desc)"},
		{"SELECT lag(count(*), 1, 0) OVER (ORDER BY city) FROM stores GROUP BY city",
			"window lag(count, 1, 0) AS lag over (order by city)"},
	};

	(void)state;
	CHECK_CASES(check_lines, cases);
}

/* A share may drop rows only when no function of the window could miss them. */
static void test_prefilter(void **state)
{
	static const struct {
		const char *call;
		bool prefilter;
	} cases[] = {
		{"rank()", true},
		{"dense_rank()", true},
		{"percent_rank()", false},
		{"lead(city)", false},
		{"count(*)", false},
		{"last_value(city)", false},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *plan;
		char sql[512];

		snprintf(sql, sizeof(sql),
			"SELECT * FROM (SELECT city, row_number() OVER w AS rn, %s OVER w AS x "
			"FROM stores WINDOW w AS (PARTITION BY is_open ORDER BY store_id)) y "
			"WHERE rn <= 2",
			cases[i].call);
		plan = fixture_compile(&f, sql);
		if ((strstr(plan, "top 2 per is_open") != NULL) != cases[i].prefilter)
			fail_msg("%s\n%s", sql, plan);
	}
	fixture_release(&f);
}

static void test_window_errors(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT sum(rank() OVER ()) OVER () FROM stores",
			"line 1, column 12: window function calls cannot be nested"},
		{"SELECT sum(rank() OVER ()) FROM stores",
			"line 1, column 12: aggregate function calls cannot contain window "
			"function calls"},
		{"SELECT sum(store_id) OVER (ORDER BY rank() OVER ()) FROM stores",
			"line 1, column 37: window functions are not allowed in a window "
			"definition"},
		{"SELECT 1 FROM stores WHERE sum(store_id) OVER () > 1",
			"line 1, column 28: window functions are not allowed in WHERE"},
		{"SELECT count(DISTINCT city) OVER () FROM stores",
			"line 1, column 8: DISTINCT is not implemented for window functions"},
		{"SELECT sum(store_id ORDER BY city) OVER () FROM stores",
			"line 1, column 8: ORDER BY among the arguments is not implemented for "
			"window functions"},
		{"SELECT rank() FILTER (WHERE true) OVER () FROM stores",
			"line 1, column 8: FILTER is not implemented for non-aggregate window "
			"functions"},
		{"SELECT mode() WITHIN GROUP (ORDER BY city) OVER () FROM stores",
			"line 1, column 8: mode with WITHIN GROUP is not supported as a window "
			"function"},
		{"SELECT lower(city) OVER () FROM stores",
			"line 1, column 8: lower is not supported as a window function"},
		{"SELECT rank(1) OVER () FROM stores", "line 1, column 8: rank takes no arguments"},
		{"SELECT lag() OVER () FROM stores",
			"line 1, column 8: lag takes 1 to 3 arguments"},
		{"SELECT nth_value(city) OVER () FROM stores",
			"line 1, column 8: nth_value takes 2 arguments"},
		{"SELECT ntile() OVER () FROM stores", "line 1, column 8: ntile takes 1 argument"},
		{"SELECT lag(city, store_id) OVER () FROM stores",
			"line 1, column 8: function lag(text, bigint) does not exist; try a cast"},
		{"SELECT lag(city, 1, store_id) OVER () FROM stores",
			"line 1, column 21: lag types text and bigint cannot be matched; try a "
			"cast"},
		{"SELECT ntile(1.5) OVER () FROM stores",
			"line 1, column 8: function ntile(numeric) does not exist; try a cast"},
		{"SELECT city, sum(store_id) OVER () FROM stores GROUP BY city",
			"line 1, column 18: column \"store_id\" must appear in the GROUP BY clause "
			"or be used in an aggregate function"},
	};

	(void)state;
	CHECK_CASES(check_errors, cases);
}

static void test_frame_errors(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT sum(1) OVER (ROWS -1 PRECEDING) FROM stores",
			"line 1, column 26: frame starting offset must not be negative"},
		{"SELECT sum(1) OVER (ROWS BETWEEN 1 PRECEDING AND -1 FOLLOWING) FROM stores",
			"line 1, column 50: frame ending offset must not be negative"},
		{"SELECT sum(1) OVER (ROWS NULL PRECEDING) FROM stores",
			"line 1, column 26: frame starting offset must not be null"},
		{"SELECT sum(1) OVER (ORDER BY store_id RANGE -1 PRECEDING) FROM stores",
			"line 1, column 45: invalid preceding or following size in window "
			"function"},
		{"SELECT sum(1) OVER (ORDER BY latitude RANGE 'NaN' PRECEDING) FROM stores",
			"line 1, column 45: invalid preceding or following size in window "
			"function"},
		{"SELECT sum(1) OVER (ROWS store_id PRECEDING) FROM stores",
			"line 1, column 26: argument of ROWS must not contain variables"},
		{"SELECT sum(1) OVER (ROWS 1.5 PRECEDING) FROM stores",
			"line 1, column 26: argument of ROWS must be type bigint, not type "
			"numeric"},
		{"SELECT sum(1) OVER (ROWS 1 + 1 PRECEDING) FROM stores",
			"line 1, column 28: the starting offset of a window frame must be a "
			"constant"},
		{"SELECT sum(1) OVER (ORDER BY store_id, city RANGE 1 PRECEDING) FROM stores",
			"line 1, column 20: RANGE with offset PRECEDING/FOLLOWING requires exactly "
			"one ORDER BY column"},
		{"SELECT sum(1) OVER (RANGE 1 PRECEDING) FROM stores",
			"line 1, column 20: RANGE with offset PRECEDING/FOLLOWING requires exactly "
			"one ORDER BY column"},
		{"SELECT sum(1) OVER (ORDER BY city RANGE 1 PRECEDING) FROM stores",
			"line 1, column 41: RANGE with offset PRECEDING/FOLLOWING is not supported "
			"for column type text"},
		{"SELECT sum(1) OVER (ORDER BY store_id RANGE 1.5 PRECEDING) FROM stores",
			"line 1, column 45: RANGE with offset PRECEDING/FOLLOWING is not supported "
			"for column type bigint and offset type numeric"},
		{"SELECT sum(1) OVER (ORDER BY created_at RANGE 1 PRECEDING) FROM items",
			"line 1, column 47: RANGE with offset PRECEDING/FOLLOWING is not supported "
			"for column type timestamp and offset type integer"},
		{"SELECT sum(1) OVER (ORDER BY created_at RANGE '1 day -25:00' PRECEDING) FROM "
		 "items",
			"line 1, column 47: invalid preceding or following size in window "
			"function"},
		{"SELECT sum(1) OVER (ORDER BY created_at::time RANGE '1 day -01:00' PRECEDING) "
		 "FROM items",
			"line 1, column 53: invalid preceding or following size in window "
			"function"},
		{"SELECT sum(1) OVER (GROUPS 1 PRECEDING) FROM stores",
			"line 1, column 20: GROUPS mode requires an ORDER BY clause"},
		{"SELECT sum(1) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM stores",
			"line 1, column 50: frame starting from current row cannot have preceding "
			"rows"},
		{"SELECT sum(1) OVER (ROWS UNBOUNDED FOLLOWING) FROM stores",
			"line 1, column 26: frame start cannot be UNBOUNDED FOLLOWING"},
		{"SELECT sum(1) OVER (w PARTITION BY city) FROM stores WINDOW w AS ()",
			"line 1, column 20: cannot override PARTITION BY clause of window \"w\""},
		{"SELECT sum(1) OVER (w ORDER BY city) FROM stores WINDOW w AS (ORDER BY city)",
			"line 1, column 20: cannot override ORDER BY clause of window \"w\""},
		{"SELECT sum(1) OVER (w) FROM stores WINDOW w AS (ROWS CURRENT ROW)",
			"line 1, column 20: cannot copy window \"w\" because it has a frame "
			"clause"},
		{"SELECT sum(1) OVER v FROM stores WINDOW v AS (w), w AS ()",
			"line 1, column 46: window \"w\" does not exist"},
		{"SELECT sum(1) OVER (w) FROM stores",
			"line 1, column 20: window \"w\" does not exist"},
	};

	(void)state;
	CHECK_CASES(check_errors, cases);
}

static void test_list_types(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT tags[1], (tags || 'x'::text)[2], tags[store_id::int] AS t FROM stores",
			"tags text, ?column? text, t text"},
		{"SELECT tags || tags, tags || city, city || tags, tags || '{a}' FROM stores",
			"?column? text[], ?column? text[], ?column? text[], ?column? text[]"},
		{"SELECT tags @> ARRAY['a'], '{a,b}' <@ tags, tags && '{x}' FROM stores",
			"?column? boolean, ?column? boolean, ?column? boolean"},
		{"SELECT tags < tags, tags >= '{a}', greatest(tags, '{}') FROM stores",
			"?column? boolean, ?column? boolean, greatest text[]"},
		{"SELECT array_length(tags, 1), array_position(tags, 'x'), array_to_string(tags, "
		 "','), array_to_string(tags, ',', '?') FROM stores",
			"array_length integer, array_position integer, array_to_string text, "
			"array_to_string text"},
		{"SELECT string_to_array(city, NULL), array_cat(tags, '{x}'), array_append(tags, "
		 "city), array_prepend('a', tags) FROM stores",
			"string_to_array text[], array_cat text[], array_append text[], "
			"array_prepend text[]"},
		{"SELECT '{a,NULL,\"b c\"}'::text[], ARRAY[city]::text[] FROM stores",
			"text text[], array text[]"},
		{"SELECT py_list(city), py_pluck(city, 'name'), sentiment(city), "
		 "(py_list(city))[1] "
		 "FROM stores",
			"py_list text[], py_pluck text[], sentiment numeric, py_list text"},
		{"SELECT concat_ws(',', city, store_id, is_open, NULL) FROM stores",
			"concat_ws text"},
	};

	(void)state;
	CHECK_CASES(check_results, cases);
}

static void test_pattern_types(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT city ~ 'a', city ~* 'a', city !~ 'a', city !~* store_name FROM stores",
			"?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean"},
		{"SELECT regexp_like(city, 'a'), regexp_replace(city, 'a', 'b', 'g'), "
		 "regexp_match(city, 'a', 'i'), regexp_split_to_array(city, ' '), "
		 "regexp_count(city, 'a'), regexp_substr(city, 'a') FROM stores",
			"regexp_like boolean, regexp_replace text, regexp_match text[], "
			"regexp_split_to_array text[], regexp_count integer, regexp_substr text"},
		{"SELECT substring(city FROM 'a.'), substring(city, 'b'), substring(city FROM 2), "
		 "substring(city, 1, 2) FROM stores",
			"substring text, substring text, substring text, substring text"},
		{"SELECT city ^@ 'a', city LIKE ANY (ARRAY['a%', 'b%']), city ~ ALL ('{a,b}') FROM "
		 "stores",
			"?column? boolean, ?column? boolean, ?column? boolean"},
	};

	(void)state;
	CHECK_CASES(check_results, cases);
}

/* How expressions read in a plan. */
static void test_formats(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT 1 FROM stores WHERE city ~ 'a' AND city !~* ('b' || 'c')",
			"filter city ~ 'a' AND NOT city ~* ('b' || 'c')\n"},
		{"SELECT 1 FROM stores WHERE regexp_like(city, 'a', 'n')",
			"filter regexp_like(city, 'a', 'n')\n"},
		{"SELECT 1 FROM stores WHERE tags[1] = 'a' AND tags @> '{b}' AND '{c}' <@ (tags || "
		 "city)",
			"filter tags[1] = 'a' AND tags @> '{b}'::text[] AND array_append(tags, "
			"city) @> "
			"'{c}'::text[]\n"},
		{"SELECT 1 FROM stores WHERE city LIKE ANY ('{a%,b%}')",
			"filter city LIKE 'a%' OR city LIKE 'b%'\n"},
		{"SELECT 1 FROM stores WHERE city NOT ILIKE ALL (ARRAY['a%', NULL])",
			"filter city NOT ILIKE 'a%' AND city NOT ILIKE NULL\n"},
		{"SELECT 1 FROM stores WHERE store_id < ANY (ARRAY[1, 2])",
			"filter store_id < 1 OR store_id < 2\n"},
		{"SELECT 1 FROM stores WHERE store_id <> ALL (ARRAY[1, 2])",
			"filter store_id NOT IN (1, 2)\n"},
		{"SELECT 1 FROM stores WHERE city <> ALL (tags)", "filter NOT city = ANY (tags)\n"},
		{"SELECT substring(city FROM 'a(.)') AS s FROM stores",
			"project substring(city, 'a(.)', '') AS s\n"},
		{"SELECT substring(city FROM 'a#\"b#\"c' FOR '#') AS s FROM stores",
			"project substring(city, similar_to_escape('a#\"b#\"c', '#'), '') AS s\n"},
		{"SELECT 1 FROM stores WHERE city NOT SIMILAR TO 'x'",
			"filter NOT city ~ similar_to_escape('x', '\\')\n"},
		{"SELECT regexp_substr(city, 'a', 2) AS s FROM stores",
			"project regexp_substr(city, 'a', 2, 1, 0, '') AS s\n"},
		{"SELECT regexp_instr(city, 'a', 2, 3, 1, 'i', 4) AS s FROM stores",
			"project regexp_instr(city, 'a', 2, 3, 1, 4, 'i') AS s\n"},
		{"SELECT regexp_replace(city, 'a', 'b', 2) AS s FROM stores",
			"project regexp_replace(city, 'a', 'b', 2, 1, '') AS s\n"},
	};

	(void)state;
	CHECK_CASES(check_lines, cases);
}

static void test_list_errors(void **state)
{
	static const struct text_case cases[] = {
		{"SELECT city[1] FROM stores", "line 1, column 8: cannot subscript type text "
					       "because it does not support subscripting"},
		{"SELECT tags[1][2] FROM stores", "line 1, column 8: cannot subscript type text "
						  "because it does not support subscripting"},
		{"SELECT tags['a'] FROM stores",
			"line 1, column 13: invalid input syntax for type integer: \"a\""},
		{"SELECT tags[1.5] FROM stores",
			"line 1, column 13: array subscript must have type integer"},
		{"SELECT tags[1:'x'] FROM stores",
			"line 1, column 15: invalid input syntax for type integer: \"x\""},
		{"SELECT tags || 1 FROM stores",
			"line 1, column 13: operator does not exist: text[] || integer; try a "
			"cast"},
		{"SELECT tags || 'x' FROM stores",
			"line 1, column 16: invalid input syntax for type text[]: \"x\""},
		{"SELECT city @> 'x' FROM stores", "line 1, column 13: operator does not exist: "
						   "text @> unknown; try a cast"},
		{"SELECT tags && city FROM stores", "line 1, column 13: operator does not exist: "
						    "text[] && text; try a cast"},
		{"SELECT store_id ~ 'x' FROM stores", "line 1, column 17: operator does not exist: "
						      "bigint ~ unknown; try a cast"},
		{"SELECT regexp_substr(city, 'a', 1, 1, '', 0, 1) FROM stores",
			"line 1, column 8: function regexp_substr(text, unknown, integer, integer, "
			"unknown, integer, integer) does not exist; try a cast"},
		{"SELECT array_append(tags, 1) FROM stores",
			"line 1, column 8: function array_append(text[], integer) does not exist; "
			"try a cast"},
		{"SELECT array_length(city, 1) FROM stores",
			"line 1, column 8: function array_length(text, integer) does not exist; "
			"try a cast"},
		{"SELECT py_list(tags) FROM stores",
			"line 1, column 8: function py_list(text[]) does not exist; try a cast"},
		{"SELECT py_pluck(city) FROM stores",
			"line 1, column 8: function py_pluck(text) does not exist; try a cast"},
		{"SELECT sentiment(store_id) FROM stores",
			"line 1, column 8: function sentiment(bigint) does not exist; try a cast"},
		{"SELECT city LIKE ANY (tags) FROM stores",
			"line 1, column 13: LIKE ANY over a list that is not constant is not "
			"supported"},
		{"SELECT store_id + ANY (ARRAY[1]) FROM stores",
			"line 1, column 17: op ANY/ALL (array) requires operator to yield "
			"boolean"},
		{"SELECT concat_ws(',') ", "line 1, column 8: function concat_ws(unknown) does not "
					   "exist; try a cast"},
		{"SELECT arry_length(tags, 1) FROM stores",
			"line 1, column 8: function arry_length(text[], integer) does not exist; "
			"did you mean \"array_length\"?"},
	};

	(void)state;
	CHECK_CASES(check_errors, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aggregate_types),
		cmocka_unit_test(test_aggregate_plans),
		cmocka_unit_test(test_aggregate_errors),
		cmocka_unit_test(test_window_types),
		cmocka_unit_test(test_window_plans),
		cmocka_unit_test(test_prefilter),
		cmocka_unit_test(test_window_errors),
		cmocka_unit_test(test_frame_errors),
		cmocka_unit_test(test_list_types),
		cmocka_unit_test(test_pattern_types),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_list_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
