SELECT lists, DISTINCT, LIMIT and OFFSET, constants, names of columns, and the files themselves.

-- query: all_columns
SELECT * FROM everything ORDER BY id;

-- query: some_columns
SELECT s, id FROM everything ORDER BY id;

-- query: qualified_star
SELECT e.*, e.id AS again FROM everything e WHERE e.id <= 3 ORDER BY e.id;

-- query: repeated_columns
SELECT id, id, id + 0 AS id FROM pairs ORDER BY pairs.id LIMIT 3;

-- query: no_from (any order)
SELECT 1 AS one, 'two' AS two, 3.50 AS three, NULL AS four, true AS five;

-- query: no_from_where (any order)
SELECT 1 AS one WHERE false;

-- query: quoted_names
SELECT id AS "Order", w AS "a ""b"" c", note AS select_ FROM words WHERE id < 3 ORDER BY "Order";

-- query: default_names (any order)
SELECT count(*), sum(x), max(y), lower('A'), 1 + 1, 'a', CASE WHEN true THEN 1 END,
       coalesce(1, 2), 1::bigint, cast(2 AS numeric), nullif(1, 2)
FROM pairs;

-- query: default_names_of_casts
SELECT x::bigint, x::text || '', (x), -x, extract(year FROM date '2024-01-01') FROM pairs WHERE id = 1
ORDER BY 1;

-- query: case_of_names
SELECT ID, W FROM WORDS WHERE Id = 2 ORDER BY iD;

-- query: alias_in_order
SELECT id * -1 AS key, s FROM everything ORDER BY key LIMIT 4;

-- query: position_in_order
SELECT s, id FROM everything WHERE s IS NOT NULL ORDER BY 2 DESC LIMIT 4;

-- query: expression_in_order
SELECT id FROM everything ORDER BY id % 3, -id;

-- query: limit_zero
SELECT id FROM everything ORDER BY id LIMIT 0;

-- query: limit_beyond
SELECT id FROM logic ORDER BY id LIMIT 1000;

-- query: limit_all
SELECT id FROM logic ORDER BY id LIMIT ALL OFFSET 7;

-- query: offset_only
SELECT id FROM logic ORDER BY id OFFSET 6;

-- query: offset_beyond
SELECT id FROM logic ORDER BY id LIMIT 5 OFFSET 100;

-- query: limit_offset
SELECT sale_id FROM sales ORDER BY sale_id LIMIT 7 OFFSET 395;

-- query: fetch_first
SELECT id FROM logic ORDER BY id DESC FETCH FIRST 2 ROWS ONLY;

-- query: limit_without_order (any order)
SELECT count(*) FROM (SELECT 1 AS one FROM sales LIMIT 17) s;

-- query: distinct_one (any order)
SELECT DISTINCT i FROM everything;

-- query: distinct_two
SELECT DISTINCT shop, product FROM sales ORDER BY shop, product;

-- query: distinct_nulls
SELECT DISTINCT a, b FROM logic ORDER BY a, b;

-- query: distinct_numeric_scale (any order)
SELECT count(*) FROM (SELECT DISTINCT n FROM everything WHERE n BETWEEN 70 AND 80) s;

-- query: distinct_expression
SELECT DISTINCT length(w) AS size FROM words ORDER BY size;

-- query: distinct_with_limit
SELECT DISTINCT quantity FROM sales ORDER BY quantity DESC NULLS LAST LIMIT 3;

-- query: distinct_text
SELECT DISTINCT t FROM keys_b ORDER BY t;

-- query: distinct_everything (any order)
SELECT DISTINCT * FROM logic;

-- query: words_as_they_are
SELECT id, w, note FROM words ORDER BY id;

-- query: words_sorted
SELECT w FROM words ORDER BY w, id;

-- query: words_sorted_down
SELECT w, id FROM words ORDER BY w DESC NULLS LAST, id DESC;

-- query: gz_and_plain (any order)
SELECT count(*), min(sale_id), max(sale_id), count(DISTINCT sale_id) FROM sales;

-- query: reordered_headers
SELECT * FROM events ORDER BY event_id;

-- query: other_format
SELECT k, v, note FROM settings ORDER BY k, v;

-- query: other_format_nulls (any order)
SELECT count(*), count(k), count(v), count(note) FROM settings;

-- query: byte_order_mark
SELECT code, label FROM marked ORDER BY code;

-- query: empty_table
SELECT * FROM nothing ORDER BY a;

-- query: empty_table_count (any order)
SELECT count(*) AS n, sum(a) AS s, min(t) AS m FROM nothing;

-- query: no_column_needed (any order)
SELECT count(*) FROM words;

-- query: constants_per_row
SELECT 'x' AS x, 1 AS one FROM logic WHERE id < 4 ORDER BY 2;

-- query: parentheses
(SELECT id FROM logic ORDER BY id DESC LIMIT 2);

-- query: values_of_types
SELECT id, b, i, l FROM everything WHERE id IN (4, 5, 6) ORDER BY id;

-- query: numerics_keep_scale
SELECT id, n, m FROM everything ORDER BY id;

-- query: doubles
SELECT id, d FROM everything ORDER BY id;

-- query: dates
SELECT id, dt, ts FROM everything ORDER BY id;

-- query: with_ties
SELECT salary FROM emp ORDER BY salary DESC NULLS LAST FETCH FIRST 2 ROWS WITH TIES;

-- query: with_ties_offset
SELECT boss_id FROM emp ORDER BY boss_id OFFSET 2 FETCH NEXT 3 ROWS WITH TIES;

-- query: with_ties_inside
SELECT count(*), min(s) FROM (SELECT salary AS s FROM emp ORDER BY salary FETCH FIRST 1 ROW WITH TIES) t ORDER BY 1;

-- query: with_ties_all
SELECT DISTINCT grade FROM emp ORDER BY grade FETCH FIRST 100 ROWS WITH TIES;

-- query: order_using
SELECT id FROM logic ORDER BY a USING >, id USING <;

-- query: limit_with_casts
SELECT id FROM logic ORDER BY id LIMIT 3::smallint OFFSET (2.2)::int;

-- query: limit_of_a_decimal
SELECT id FROM logic ORDER BY id LIMIT 2.5 OFFSET '1';

-- query: limit_null
SELECT id FROM logic ORDER BY id LIMIT NULL::bigint;

-- query: limit_all_offset
SELECT id FROM logic ORDER BY id LIMIT ALL OFFSET 7;

-- query: no_columns_inside
SELECT id, EXISTS (SELECT FROM keys_a WHERE k = id) AS e FROM logic WHERE EXISTS (SELECT) ORDER BY id;

-- query: no_columns_counted
SELECT count(*) FROM (SELECT FROM keys_a UNION ALL SELECT FROM keys_b) t ORDER BY 1;

-- query: table_command
TABLE keys_a ORDER BY k, t;

-- query: values_command
VALUES (1, 'one'), (2, NULL), (3, 'three') ORDER BY 1 DESC;
