unnest in FROM and in the select list.

-- query: constant
SELECT * FROM unnest(ARRAY['a', 'b', NULL, 'a']) ORDER BY 1;

-- query: constant_alias
SELECT x FROM unnest(ARRAY['a', 'b']) AS x ORDER BY x;

-- query: constant_column_alias
SELECT t.x, t.x || '!' AS y FROM unnest(ARRAY['a', 'b']) AS t(x) ORDER BY x;

-- query: ordinality
SELECT * FROM unnest(ARRAY['b', 'a']) WITH ORDINALITY ORDER BY ordinality;

-- query: ordinality_alias
SELECT t.v, t.n FROM unnest(ARRAY['b', 'a']) WITH ORDINALITY AS t(v, n) ORDER BY n;

-- query: ordinality_one_alias
SELECT v, ordinality FROM unnest(ARRAY['b', 'a']) WITH ORDINALITY AS v ORDER BY ordinality;

-- query: two_lists
SELECT a, b FROM unnest(ARRAY['a', 'b', 'c'], ARRAY['x']) AS t(a, b) ORDER BY a;

-- query: two_lists_ordinality
SELECT * FROM unnest(ARRAY['a'], ARRAY['x', 'y']) WITH ORDINALITY AS t(a, b, n) ORDER BY n;

-- query: rows_from
SELECT * FROM ROWS FROM (unnest(ARRAY['a', 'b']), unnest(ARRAY['x'])) AS t(a, b) ORDER BY a;

-- query: comma
SELECT w.id, u.x FROM words w, unnest(ARRAY[w.w, w.note]) AS u(x) WHERE w.id < 5 ORDER BY w.id, x;

-- query: cross_join
SELECT id, x FROM words CROSS JOIN unnest(ARRAY[w, note]) AS x WHERE id < 5 ORDER BY id, x;

-- query: cross_join_lateral
SELECT id, x, n FROM words w CROSS JOIN LATERAL unnest(string_to_array(w.w, ' ')) WITH ORDINALITY
AS u(x, n) WHERE id < 12 ORDER BY id, n;

-- query: inner_join_on
SELECT id, x FROM words JOIN LATERAL unnest(ARRAY[w, note]) AS x ON x <> w WHERE id < 8
ORDER BY id, x;

-- query: left_join
SELECT id, x, n FROM words w LEFT JOIN LATERAL unnest(string_to_array(w.w, ' ')) WITH ORDINALITY
AS u(x, n) ON true WHERE id < 12 ORDER BY id, n;

-- query: left_join_filter
SELECT id, x FROM words w LEFT JOIN unnest(string_to_array(w.w, ' ')) AS x ON true
WHERE id < 12 AND x > 'd' ORDER BY id, x;

-- query: left_join_is_null
SELECT id FROM words w LEFT JOIN unnest(string_to_array(w.w, ' ')) AS x ON true WHERE x IS NULL
ORDER BY id;

-- query: filter_on_item
SELECT id FROM words, unnest(ARRAY[w, note]) AS x WHERE x = 'plain' OR x = 'aaa' ORDER BY id;

-- query: group_by_item
SELECT x, count(*) AS n FROM words, unnest(string_to_array(w, ' ')) AS x GROUP BY x
HAVING count(*) > 1 ORDER BY x;

-- query: join_below
SELECT e.name, x FROM emp e JOIN dept d ON d.dept_id = e.dept_id,
unnest(string_to_array(d.name, 'a')) AS x WHERE e.emp_id < 6 ORDER BY e.emp_id, x;

-- query: join_by_item
SELECT w.id, k.k FROM words w CROSS JOIN unnest(ARRAY[w.w, 'two']) AS x JOIN keys_b k ON k.t = x
WHERE w.id < 3 ORDER BY w.id, k.k;

-- query: join_after_comma
SELECT w.id, k.k FROM words w, unnest(ARRAY[w.w, 'six']) AS x JOIN keys_b k ON k.t = x
WHERE w.id < 3 ORDER BY w.id, k.k;

-- query: two_unnests
SELECT id, a, b FROM words, unnest(ARRAY['1', '2']) AS a, unnest(ARRAY[w, note]) AS b
WHERE id < 3 ORDER BY id, a, b;

-- query: unnest_of_item
SELECT id, x, y FROM words, unnest(ARRAY[w, 'b c']) AS x, unnest(string_to_array(x, ' ')) AS y
WHERE id IN (1, 5) ORDER BY id, x, y;

-- query: in_subquery
SELECT x FROM (SELECT DISTINCT x FROM words, unnest(string_to_array(note, ' ')) AS x) s
WHERE x LIKE '%a%' ORDER BY x;

-- query: in_exists
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM unnest(ARRAY['two', 'five']) AS x
WHERE x = a.t) ORDER BY k;

-- query: in_select
SELECT k, t FROM keys_a WHERE t IN (SELECT x FROM unnest(ARRAY['two', 'five']) AS x) ORDER BY k;

-- query: union_of_items
SELECT x FROM unnest(ARRAY['a', 'b']) AS x EXCEPT SELECT y FROM unnest(ARRAY['b']) AS y ORDER BY x;

-- query: select_list
SELECT id, unnest(ARRAY[w, note]) AS x FROM words WHERE id < 5 ORDER BY id, x;

-- query: select_list_name
SELECT unnest(ARRAY['a', 'b']) ORDER BY 1;

-- query: select_list_two
SELECT id, unnest(ARRAY[w, note, 'z']) AS x, unnest(ARRAY['1', '2']) AS y FROM words WHERE id < 4
ORDER BY id, x, y;

-- query: select_list_nested
SELECT id, lower(unnest(ARRAY[w, note])) || '!' AS x FROM words WHERE id < 5 ORDER BY id, x;

-- query: select_list_empty
SELECT id, unnest(string_to_array(w, ' ')) AS x FROM words WHERE id IN (2, 3, 4) ORDER BY id;

-- query: select_list_group_after
SELECT id % 2 AS odd, unnest(ARRAY[min(w), max(w)]) AS x FROM words WHERE id < 9 GROUP BY id % 2
ORDER BY 1, 2;

-- query: select_list_group_by
SELECT unnest(string_to_array(w, ' ')) AS x, count(*) AS n FROM words GROUP BY x HAVING count(*) > 1
ORDER BY x;

-- query: select_list_group_by_position
SELECT lower(unnest(ARRAY[w, note])) AS x, count(*) AS n FROM words GROUP BY 1
ORDER BY n DESC, x LIMIT 3;

-- query: select_list_group_by_expression
SELECT unnest(ARRAY[w, 'q']) AS x, count(*) AS n FROM words WHERE id < 4
GROUP BY unnest(ARRAY[w, 'q']) ORDER BY x;

-- query: select_list_distinct
SELECT DISTINCT unnest(ARRAY['b', 'a', 'b']) AS x FROM logic ORDER BY x;

-- query: select_list_limit
SELECT id, unnest(ARRAY['b', 'a']) AS x FROM logic ORDER BY id, x LIMIT 3;

-- query: select_list_order_by_item
SELECT id, unnest(ARRAY[w, note]) AS x FROM words WHERE id < 4 ORDER BY x DESC, id;

-- query: select_list_window
SELECT id, row_number() OVER (ORDER BY id DESC) AS r, unnest(ARRAY['a', 'b']) AS x FROM logic
WHERE id < 4 ORDER BY id, x;

-- query: select_list_subquery
SELECT x, count(*) AS n FROM (SELECT id, unnest(ARRAY[w, note]) AS x FROM words) s GROUP BY x
HAVING count(*) > 1 ORDER BY x;

-- query: cardinality_of_rows
SELECT count(*) AS n, count(x) AS m FROM words, unnest(string_to_array(note, ' ')) AS x ORDER BY n;

-- query: distinct_on_before_rows_of_the_select_list
SELECT DISTINCT ON (a) a, b, generate_series(1, 3) AS g
FROM (VALUES (3, 2), (3, 1), (1, 1), (1, 4), (5, 3), (5, 1)) AS t(a, b) ORDER BY a, b DESC;

-- query: distinct_on_of_rows_of_the_select_list
SELECT DISTINCT ON (a) a, b, generate_series(1, 3) AS g
FROM (VALUES (3, 2), (3, 1), (1, 1), (1, 4), (5, 3), (5, 1)) AS t(a, b) ORDER BY a, b DESC, g DESC;

-- query: distinct_on_groups_before_rows
SELECT DISTINCT ON (a) a, sum(b) AS s, unnest(ARRAY[10, 20]) AS u, (SELECT max(id) FROM words w WHERE w.id < t.a) AS m
FROM (VALUES (3, 2), (3, 1), (1, 1), (1, 4), (5, 3), (5, 1)) AS t(a, b) GROUP BY a, b ORDER BY a, b DESC LIMIT 5;
