Subqueries, joins, set operations and lists: what is wrong, and what no join can do.

-- query: scalar_two_columns
SELECT (SELECT k, t FROM keys_a);

-- query: scalar_two_rows
SELECT id, (SELECT k FROM keys_a WHERE k = 2) FROM logic;

-- query: scalar_two_rows_correlated
SELECT k, (SELECT b.t FROM keys_b b WHERE b.k = a.k) FROM keys_a a;

-- query: correlated_not_grouped
SELECT dept_id, (SELECT d.name FROM dept d WHERE d.dept_id = e.emp_id) FROM emp e GROUP BY dept_id;

-- query: using_alias_of_a_table
SELECT 1 FROM keys_a a JOIN keys_b b USING (k) AS a;

-- query: intersect_columns
SELECT k, t FROM keys_a INTERSECT SELECT k FROM keys_b;

-- query: except_types
SELECT k FROM keys_a EXCEPT SELECT a FROM logic;

-- query: distinct_on_order
SELECT DISTINCT ON (dept_id) dept_id, name FROM emp ORDER BY name;

-- query: distinct_on_second
SELECT DISTINCT ON (dept_id, grade) dept_id, name FROM emp ORDER BY dept_id, name, grade;

-- query: unnest_where
SELECT id FROM words WHERE unnest(ARRAY[w]) = 'a';

-- query: unnest_aggregate
SELECT count(unnest(ARRAY[w])) FROM words;

-- query: unnest_text
SELECT * FROM unnest('abc'::text) x;

-- query: unnest_first_of_two
SELECT * FROM words w, unnest(w.nope, ARRAY['a']) x;

-- query: unnest_right_join
SELECT 1 FROM words w RIGHT JOIN unnest(ARRAY[w.w]) x ON true;

-- query: unnest_before_its_table
SELECT 1 FROM unnest(ARRAY[w.w]) x, words w;

-- query: unnest_too_many_aliases
SELECT 1 FROM unnest(ARRAY['a']) AS t(x, y);

-- query: series_in_case
SELECT CASE WHEN k > 1 THEN generate_series(1, 3) END FROM keys_a;

-- query: series_of_texts
SELECT * FROM generate_series('a'::text, 'b');

-- query: series_without_step
SELECT * FROM generate_series(timestamp '2024-01-01', timestamp '2024-01-02');

-- query: matches_flags
SELECT regexp_matches(t, 'a', t) FROM keys_a;

-- query: any_like
SELECT k FROM keys_a WHERE t LIKE ANY (SELECT t FROM keys_b);

-- query: all_match
SELECT k FROM keys_a WHERE t ~ ALL (SELECT t FROM keys_b);

-- query: array_select_of_arrays
SELECT ARRAY(SELECT ARRAY[k] FROM keys_a);

-- query: rows_of_different_length
SELECT (k, t) = (k, t, k) FROM keys_a;

-- query: row_and_value
SELECT (k, t) = k FROM keys_a;

-- query: rows_in_select_columns
SELECT (k, t) IN (SELECT k FROM keys_b) FROM keys_a;

-- query: no_such_outer
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k = c.k);

-- query: no_such_column
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.x);

-- query: full_join_subquery
SELECT 1 FROM keys_a a FULL JOIN keys_b b ON a.k = b.k AND a.k IN (SELECT k FROM keys_b);

-- query: outer_aggregate_in_where
SELECT k FROM keys_a a WHERE k = (SELECT sum(a.k) FROM keys_b);

-- query: outer_aggregate_nested
SELECT sum((SELECT sum(a.k) FROM keys_b)) FROM keys_a a;

-- query: lateral_aggregate
SELECT 1 FROM keys_a a, LATERAL (SELECT sum(a.k)) s;

-- query: aggregate_of_an_outer_aggregate
SELECT (SELECT max(min(e.salary)) FROM dept) FROM emp AS e;

-- query: aggregate_of_a_subquery_of_an_outer_aggregate
SELECT (SELECT sum((SELECT min(e.salary))) FROM dept) FROM emp AS e;

-- query: sample_of_too_much
SELECT id FROM logic TABLESAMPLE BERNOULLI (101);

-- query: sample_of_null
SELECT id FROM logic TABLESAMPLE SYSTEM (50) REPEATABLE (NULL);

-- query: sample_of_a_cte
WITH l AS (SELECT * FROM logic) SELECT id FROM l TABLESAMPLE BERNOULLI (10);

-- query: sample_of_a_column
SELECT id FROM logic TABLESAMPLE BERNOULLI (id);

-- query: many_values_that_are_no_constants
SELECT k FROM keys_a, LATERAL (VALUES (k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k),(k)) AS v (x);
