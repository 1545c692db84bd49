Subqueries, joins, set operations and lists: what is wrong, and what no join can do.

-- query: scalar_two_columns
SELECT (SELECT k, t FROM keys_a);

-- query: scalar_two_rows
SELECT id, (SELECT k FROM keys_a WHERE k = 2) FROM logic;

-- query: scalar_two_rows_correlated
SELECT k, (SELECT b.t FROM keys_b b WHERE b.k = a.k) FROM keys_a a;

-- query: subquery_in_on
SELECT 1 FROM keys_a a LEFT JOIN keys_b b ON EXISTS (SELECT 1 FROM logic WHERE id = a.k);

-- query: correlated_union
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM logic WHERE id = a.k UNION SELECT 1);

-- query: correlated_below_outer_join
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM logic l LEFT JOIN keys_b b ON b.k = a.k);

-- query: correlated_aggregate_of_outer
SELECT k, (SELECT sum(b.k * a.k) FROM keys_b b WHERE b.t = a.t) FROM keys_a a;

-- query: correlated_group_inequality
SELECT k, (SELECT count(*) FROM keys_b b WHERE b.k < a.k) FROM keys_a a;

-- query: correlated_limit_inequality
SELECT k, (SELECT b.t FROM keys_b b WHERE b.k < a.k ORDER BY b.k LIMIT 1) FROM keys_a a;

-- query: correlated_two_levels
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE EXISTS
(SELECT 1 FROM logic l WHERE l.id = b.k AND l.id = a.k));

-- query: correlated_unnest
SELECT id FROM words w WHERE EXISTS (SELECT 1 FROM unnest(ARRAY[w.w, w.note]) x WHERE x = 'aaa');

-- query: correlated_not_grouped
SELECT dept_id, (SELECT d.name FROM dept d WHERE d.dept_id = e.emp_id) FROM emp e GROUP BY dept_id;

-- query: full_join_inequality
SELECT 1 FROM keys_a a FULL JOIN keys_b b ON a.k < b.k;

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

-- query: unnest_nested
SELECT unnest(string_to_array(unnest(ARRAY[w]), ' ')) FROM words;

-- query: unnest_text
SELECT * FROM unnest('abc'::text) x;

-- query: unnest_first_of_two
SELECT * FROM words w, unnest(w.nope, ARRAY['a']) x;

-- query: unnest_right_join
SELECT 1 FROM words w RIGHT JOIN unnest(ARRAY[w.w]) x ON true;

-- query: unnest_left_join_on
SELECT 1 FROM words w LEFT JOIN unnest(ARRAY[w.w]) x ON x <> '';

-- query: unnest_before_its_table
SELECT 1 FROM unnest(ARRAY[w.w]) x, words w;

-- query: unnest_too_many_aliases
SELECT 1 FROM unnest(ARRAY['a']) AS t(x, y);

-- query: other_function_in_from
SELECT * FROM generate_series(1, 3);

-- query: any_like
SELECT k FROM keys_a WHERE t LIKE ANY (SELECT t FROM keys_b);

-- query: all_match
SELECT k FROM keys_a WHERE t ~ ALL (SELECT t FROM keys_b);

-- query: array_select
SELECT ARRAY(SELECT t FROM keys_a);

-- query: no_such_outer
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k = c.k);

-- query: no_such_column
SELECT k FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.x);
