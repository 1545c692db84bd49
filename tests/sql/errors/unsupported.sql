SQL that PostgreSQL has and tamiz does not: a clear error with its position, never a wrong answer.

-- query: insert
INSERT INTO logic VALUES (1, true, true);

-- query: search
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SEARCH DEPTH FIRST BY n SET o SELECT * FROM t;

-- query: percentile_list
SELECT percentile_cont(ARRAY[0.25, id]) WITHIN GROUP (ORDER BY id) FROM logic;

-- query: array_agg_of_arrays
SELECT array_agg(ARRAY[id]) FROM logic;

-- query: interval_fields_of_a_column
SELECT span::interval day FROM spans;

-- query: interval_sum_distinct
SELECT sum(DISTINCT span) FROM spans;

-- query: named_arguments
SELECT make_date(year => 2024, month => 1, day => 1);

-- query: current_time_
SELECT current_time;

-- query: clock_timestamp_
SELECT clock_timestamp() - now();

-- query: random_of_groups
SELECT dept_id, random() FROM emp GROUP BY dept_id;

-- query: random_of_a_round
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5 AND random() < 2) SELECT * FROM t;

-- query: random_in_on
SELECT 1 FROM emp a JOIN emp b ON random() < 0.5;

-- query: for_update
SELECT id FROM logic FOR UPDATE;

-- query: tablesample_
SELECT id FROM logic TABLESAMPLE halves (10);

-- query: select_into
SELECT id INTO t FROM logic;

-- query: parameter
SELECT id FROM logic WHERE id = $1;

-- query: collate_
SELECT w FROM words ORDER BY w COLLATE "en_US";

-- query: union_without_columns
SELECT count(*) FROM (SELECT FROM logic UNION SELECT FROM logic) t;

-- query: result_without_columns
SELECT FROM logic;

-- query: ordered_set_over
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) OVER () FROM logic;

-- query: distinct_over
SELECT string_agg(DISTINCT w, ',') OVER () FROM words;

-- query: hypothetical_of_a_column
SELECT rank(id) WITHIN GROUP (ORDER BY id) FROM logic;

-- query: hypothetical_arguments
SELECT rank(1, 2) WITHIN GROUP (ORDER BY id) FROM logic;

-- query: order_using_another
SELECT id FROM logic ORDER BY id USING <>;

-- query: ties_without_order
SELECT id FROM logic FETCH FIRST 2 ROWS WITH TIES;

-- query: limit_expression
SELECT id FROM logic ORDER BY id LIMIT 1 + 2;

-- query: limit_of_a_subquery
SELECT id FROM logic ORDER BY id LIMIT (SELECT 2);

-- query: limit_of_a_column
SELECT id FROM logic ORDER BY id LIMIT id;
