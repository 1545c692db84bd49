Rows as values, and ARRAY(SELECT ...).

-- query: in_list
SELECT dept_id, grade, name FROM emp WHERE (dept_id, grade) IN ((10, 'A'), (20, 'C'), (30, NULL))
ORDER BY 1, 2, 3;

-- query: in_list_value
SELECT emp_id, (dept_id, grade) IN ((10, 'A'), (20, 'C'), (30, NULL)) AS q,
       (dept_id, grade) NOT IN ((10, 'A'), (20, 'C'), (30, NULL)) AS n
FROM emp ORDER BY 1;

-- query: comparisons
SELECT emp_id, (dept_id, grade) < (20, 'B') AS lt, (dept_id, grade) <= (20, 'C') AS le,
       (dept_id, grade) > (20, 'B') AS gt, (dept_id, grade) >= (30, 'D') AS ge,
       (dept_id, grade) = (10, 'A') AS eq, ROW (dept_id, grade) <> ROW (10, 'B') AS ne
FROM emp ORDER BY 1;

-- query: nested
SELECT id, (x, (y, 1)) < (0, (3, 2)) AS q FROM pairs ORDER BY 1;

-- query: nulls
SELECT emp_id, (boss_id, grade) IS NULL AS n, (boss_id, grade) IS NOT NULL AS nn FROM emp ORDER BY 1;

-- query: distinct_from
SELECT emp_id, (boss_id, grade) IS DISTINCT FROM (NULL, 'A') AS d,
       (boss_id, grade) IS NOT DISTINCT FROM (1, 'B') AS s
FROM emp ORDER BY 1;

-- query: in_select
SELECT name FROM emp WHERE (dept_id, salary) IN (SELECT dept_id, max(salary) FROM emp GROUP BY dept_id)
ORDER BY 1;

-- query: in_select_value
SELECT k, t, (k, t) IN (SELECT k, t FROM keys_b) AS q, (k, t) NOT IN (SELECT k, t FROM keys_b) AS n
FROM keys_a ORDER BY 1, 2, 3;

-- query: in_select_correlated
SELECT a.k FROM keys_a AS a WHERE (a.k, 'x') IN (SELECT b.k, 'x' FROM keys_b AS b WHERE b.t <= a.t)
ORDER BY 1;

-- query: differs_from_any
SELECT k, (k, t) <> ANY (SELECT k, t FROM keys_b WHERE k = 2) AS q FROM keys_a ORDER BY 1, 2;

-- query: join_by_rows
SELECT a.k, a.t FROM keys_a AS a JOIN keys_b AS b ON (a.k, a.t) = (b.k, b.t) ORDER BY 1, 2;

-- query: array_of_select
SELECT ARRAY(SELECT name FROM emp WHERE dept_id = 10 ORDER BY salary DESC, name) AS names ORDER BY 1;

-- query: array_of_nothing
SELECT ARRAY(SELECT name FROM emp WHERE dept_id < 0) AS names ORDER BY 1;

-- query: array_correlated
SELECT d.dept_id, ARRAY(SELECT e.name FROM emp AS e WHERE e.dept_id = d.dept_id ORDER BY e.name DESC)
AS names FROM dept AS d ORDER BY 1;

-- query: array_correlated_limit
SELECT d.dept_id, ARRAY(SELECT e.name FROM emp AS e WHERE e.salary < d.budget
                        ORDER BY e.salary DESC, e.name LIMIT 3) AS names
FROM dept AS d ORDER BY 1;

-- query: same_column_twice
SELECT x, y, count(*) FROM (SELECT dept_id AS x, dept_id AS y FROM emp) AS s GROUP BY x, y ORDER BY 1;

-- query: grouping_of_a_query_around
SELECT dept_id, (SELECT grouping(dept_id)) AS g FROM emp GROUP BY ROLLUP (dept_id) ORDER BY 2, 1;
