Functions that make rows: in FROM, beside tables, and in the select list.

-- query: series
SELECT * FROM generate_series(1, 3) ORDER BY 1;

-- query: series_down
SELECT x FROM generate_series(3, 1, -1) AS g(x) ORDER BY x DESC;

-- query: series_empty
SELECT * FROM generate_series(1, 0) ORDER BY 1;

-- query: series_null
SELECT * FROM generate_series(1, NULL) ORDER BY 1;

-- query: series_bigint_ordinality
SELECT * FROM generate_series(1::bigint, 10, 4) WITH ORDINALITY AS g(x, n) ORDER BY n;

-- query: series_to_the_end
SELECT generate_series(9223372036854775806, 9223372036854775807) AS l,
       generate_series(2147483646, 2147483647) AS i ORDER BY 1;

-- query: series_numeric
SELECT * FROM generate_series(1.0, 2.0, 0.25) AS x ORDER BY x;

-- query: series_numeric_mixed
SELECT * FROM generate_series(1, 3.5) AS x ORDER BY x;

-- query: series_numeric_down
SELECT * FROM generate_series(2.5, 1, -0.5) AS x ORDER BY x;

-- query: series_numeric_wrong_way
SELECT * FROM generate_series(1.5, 0, 0.5) AS x ORDER BY x;

-- query: series_of_months
SELECT * FROM generate_series('2024-01-31'::timestamp, '2024-06-01', '1 month') AS t ORDER BY t;

-- query: series_of_hours_back
SELECT * FROM generate_series(timestamp '2024-01-03', timestamp '2024-01-01', '-12 hours') AS t
ORDER BY t;

-- query: series_of_days_grouped
SELECT extract(month FROM d) AS m, count(*) FROM
    generate_series(timestamp '2024-01-01', timestamp '2024-03-15', interval '1 day') AS d
GROUP BY 1 ORDER BY 1;

-- query: large_series
SELECT count(*), sum(x) FROM generate_series(1, 100000) AS x ORDER BY 1;

-- query: of_the_left_table
SELECT p.id, g FROM pairs AS p, generate_series(p.x, p.x + 2) AS g WHERE p.id < 5 ORDER BY 1, 2;

-- query: left_join_lateral
SELECT d.dept_id, g FROM dept AS d LEFT JOIN LATERAL generate_series(11, d.dept_id, 10) AS g ON true
ORDER BY 1, 2;

-- query: joined
SELECT g.x, d.name FROM generate_series(10, 50, 10) AS g(x) LEFT JOIN dept AS d ON d.dept_id = g.x
ORDER BY 1, 2;

-- query: full_joined
SELECT g.x, k.k FROM generate_series(1, 4) AS g(x) FULL JOIN keys_a AS k ON k.k = g.x ORDER BY 1, 2;

-- query: rows_from_ordinality
SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(ARRAY['x']), upper('q')) WITH ORDINALITY
ORDER BY ordinality;

-- query: rows_from_names
SELECT a, b FROM ROWS FROM (generate_series(1, 3), generate_series(7, 8)) AS r(a, b) ORDER BY a;

-- query: scalar_function
SELECT x, y FROM upper('abc') AS x, lower('DEF') AS y ORDER BY 1;

-- query: scalar_function_of_the_left
SELECT w.id, u FROM words AS w, upper(w.w) AS u ORDER BY 1, 2;

-- query: name_of_the_function
SELECT generate_series FROM generate_series(1, 2) ORDER BY 1;

-- query: regexp_split_to_table_
SELECT * FROM regexp_split_to_table('a1b22c', '[0-9]') WITH ORDINALITY AS t(x, n) ORDER BY n;

-- query: string_to_table_
SELECT * FROM string_to_table('a,b,,c', ',') WITH ORDINALITY AS t(x, n) ORDER BY n;

-- query: string_to_table_null
SELECT * FROM string_to_table('a,b,,c', ',', '') WITH ORDINALITY AS t(x, n) ORDER BY n;

-- query: regexp_matches_all
SELECT * FROM regexp_matches('foobarbequebaz', 'b[^b]+', 'g') WITH ORDINALITY AS t(x, n) ORDER BY n;

-- query: regexp_matches_first
SELECT regexp_matches('foobarbequebaz', '(ba.)(.*)') AS m ORDER BY 1;

-- query: regexp_matches_none
SELECT regexp_matches('foobarbequebaz', 'xyz', 'g') AS m ORDER BY 1;

-- query: regexp_matches_of_rows
SELECT w.id, m[1] AS a, m[2] AS b FROM words AS w, regexp_matches(w.w, '([a-z])([a-z])', 'gi') AS m
ORDER BY 1, 2, 3;

-- query: generate_subscripts_
SELECT generate_subscripts(ARRAY['a', 'b', 'c'], 1) AS n, generate_subscripts(ARRAY['a', 'b'], 1, true)
AS back ORDER BY 1;

-- query: select_list
SELECT k, generate_series(1, k) AS g FROM keys_a ORDER BY 1, 2;

-- query: select_list_in_step
SELECT generate_series(1, 3) AS a, generate_series(1, 2) AS b, unnest(ARRAY['x', 'y']) AS c ORDER BY 1;

-- query: select_list_nested
SELECT generate_series(1, generate_series(1, 3)) AS a, generate_series(2, 4) AS b ORDER BY 2, 1;

-- query: select_list_expression
SELECT generate_series(1, 3) + 10 AS x, k FROM keys_a WHERE k < 3 ORDER BY 1, 2;

-- query: select_list_numeric
SELECT k, generate_series(k, k + 1, 0.5) AS x FROM keys_a WHERE k < 3 ORDER BY 1, 2;

-- query: above_aggregates
SELECT count(*), generate_series(1, 2) AS g FROM keys_a ORDER BY 2;

-- query: of_an_aggregate
SELECT generate_series(1, count(*)) AS g FROM dept ORDER BY 1;

-- query: as_a_key
SELECT generate_series(1, 3) AS x, count(*) FROM keys_a GROUP BY 1 ORDER BY 1;

-- query: beside_a_window
SELECT generate_series(1, 2) AS a, row_number() OVER (ORDER BY k, t) AS r FROM keys_b ORDER BY 2, 1;

-- query: distinct_
SELECT DISTINCT generate_series(1, k) AS g FROM keys_a ORDER BY 1;

-- query: limit_
SELECT generate_series(1, 5) AS g ORDER BY g DESC LIMIT 2;

-- query: in_subquery
SELECT k FROM keys_a WHERE k IN (SELECT generate_series(2, 5)) ORDER BY 1;

-- query: matches_as_rows
SELECT k, unnest(regexp_matches('ab' || k, '([a-z])', 'g')) AS c FROM keys_a ORDER BY 1, 2;
