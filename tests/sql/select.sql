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

-- query: many_values
SELECT n, count(*), sum(i) AS s, max(d) AS d, bool_or(f) AS f FROM (VALUES
(0, NULL, 0.0, NULL), (1, 'n1', 1.1, true), (2, 'n2', 2.2, false), (3, 'n3', 3.0, true), (4, 'n4', 4.1, false),
(5, 'n5', 5.2, NULL), (6, 'n6', 6.0, false), (7, 'n0', 7.1, true), (8, 'n1', 8.2, false), (9, 'n2', 9.0, true),
(10, 'n3', 10.1, NULL), (11, NULL, 11.2, true), (12, 'n5', 12.0, false), (13, 'n6', 13.1, true), (14, 'n0', 14.2, false),
(15, 'n1', 15.0, NULL), (16, 'n2', 16.1, false), (17, 'n3', 17.2, true), (18, 'n4', 18.0, false), (19, 'n5', 19.1, true),
(20, 'n6', 20.2, NULL), (21, 'n0', 21.0, true), (22, NULL, 22.1, false), (23, 'n2', 23.2, true), (24, 'n3', 24.0, false),
(25, 'n4', 25.1, NULL), (26, 'n5', 26.2, false), (27, 'n6', 27.0, true), (28, 'n0', 28.1, false), (29, 'n1', 29.2, true),
(30, 'n2', 30.0, NULL), (31, 'n3', 31.1, true), (32, 'n4', 32.2, false), (33, NULL, 33.0, true), (34, 'n6', 34.1, false),
(35, 'n0', 35.2, NULL), (36, 'n1', 36.0, false), (37, 'n2', 37.1, true), (38, 'n3', 38.2, false), (39, 'n4', 39.0, true),
(40, 'n5', 40.1, NULL), (41, 'n6', 41.2, true), (42, 'n0', 42.0, false), (43, 'n1', 43.1, true), (44, NULL, 44.2, false),
(45, 'n3', 45.0, NULL), (46, 'n4', 46.1, false), (47, 'n5', 47.2, true), (48, 'n6', 48.0, false), (49, 'n0', 49.1, true),
(50, 'n1', 50.2, NULL), (51, 'n2', 51.0, true), (52, 'n3', 52.1, false), (53, 'n4', 53.2, true), (54, 'n5', 54.0, false),
(55, NULL, 55.1, NULL), (56, 'n0', 56.2, false), (57, 'n1', 57.0, true), (58, 'n2', 58.1, false), (59, 'n3', 59.2, true),
(60, 'n4', 60.0, NULL), (61, 'n5', 61.1, true), (62, 'n6', 62.2, false), (63, 'n0', 63.0, true), (64, 'n1', 64.1, false),
(65, 'n2', 65.2, NULL), (66, NULL, 66.0, false), (67, 'n4', 67.1, true), (68, 'n5', 68.2, false), (69, 'n6', 69.0, true),
(70, 'n0', 70.1, NULL), (71, 'n1', 71.2, true), (72, 'n2', 72.0, false), (73, 'n3', 73.1, true), (74, 'n4', 74.2, false),
(75, 'n5', 75.0, NULL), (76, 'n6', 76.1, false), (77, NULL, 77.2, true), (78, 'n1', 78.0, false), (79, 'n2', 79.1, true),
(80, 'n3', 80.2, NULL), (81, 'n4', 81.0, true), (82, 'n5', 82.1, false), (83, 'n6', 83.2, true), (84, 'n0', 84.0, false),
(85, 'n1', 85.1, NULL), (86, 'n2', 86.2, false), (87, 'n3', 87.0, true), (88, NULL, 88.1, false), (89, 'n5', 89.2, true),
(90, 'n6', 90.0, NULL), (91, 'n0', 91.1, true), (92, 'n1', 92.2, false), (93, 'n2', 93.0, true), (94, 'n3', 94.1, false),
(95, 'n4', 95.2, NULL), (96, 'n5', 96.0, false), (97, 'n6', 97.1, true), (98, 'n0', 98.2, false), (99, NULL, 99.0, true),
(100, 'n2', 100.1, NULL), (101, 'n3', 101.2, true), (102, 'n4', 102.0, false)
) AS v (i, n, d, f) GROUP BY n ORDER BY n;
