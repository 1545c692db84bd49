ROLLUP, CUBE, GROUPING SETS and GROUPING().

-- query: rollup_two
SELECT dept_id, grade, count(*), sum(salary) FROM emp GROUP BY ROLLUP (dept_id, grade)
ORDER BY grouping(dept_id, grade), 1, 2, 3;

-- query: cube_two
SELECT dept_id, grade, count(*), min(name) FROM emp GROUP BY CUBE (dept_id, grade)
ORDER BY grouping(dept_id, grade), 1, 2, 3;

-- query: sets_and_grouping
SELECT dept_id, grade, count(*), grouping(dept_id, grade), grouping(grade) AS g FROM emp
GROUP BY GROUPING SETS ((dept_id, grade), (dept_id), (), ()) ORDER BY 4, 1, 2, 3;

-- query: no_rows
SELECT dept_id, count(*), sum(salary), grouping(dept_id) FROM emp WHERE emp_id < 0
GROUP BY ROLLUP (dept_id) ORDER BY 1;

-- query: no_rows_two_empty_sets
SELECT dept_id, count(*), count(name), array_agg(name), string_agg(name, ',' ORDER BY name),
       count(DISTINCT grade), bool_and(salary > 0), stddev(salary)
FROM emp WHERE emp_id < 0 GROUP BY GROUPING SETS (dept_id, (), ()) ORDER BY 1;

-- query: no_rows_no_empty_set
SELECT dept_id, grade, count(*) FROM emp WHERE emp_id < 0
GROUP BY GROUPING SETS (dept_id, grade) ORDER BY 1;

-- query: empty_set_alone
SELECT count(*) FROM emp GROUP BY () ORDER BY 1;

-- query: empty_set_constant
SELECT 'x' AS x FROM emp WHERE emp_id < 0 GROUP BY () ORDER BY 1;

-- query: product_of_items
SELECT dept_id, grade, boss_id, count(*) FROM emp GROUP BY dept_id, ROLLUP (grade, boss_id)
ORDER BY grouping(grade, boss_id), 1, 2, 3;

-- query: product_of_rollups
SELECT dept_id, grade, count(*) FROM emp GROUP BY ROLLUP (dept_id), ROLLUP (grade)
ORDER BY grouping(dept_id, grade), 1, 2;

-- query: several_in_parentheses
SELECT dept_id, grade, boss_id, count(*) FROM emp GROUP BY ROLLUP (dept_id, (grade, boss_id))
ORDER BY grouping(dept_id, grade), 1, 2, 3;

-- query: parentheses_alone
SELECT dept_id, grade, count(*) FROM emp GROUP BY (dept_id, grade) ORDER BY 1, 2;

-- query: nested_sets (any order)
SELECT dept_id, grade, boss_id, count(*) FROM emp
GROUP BY GROUPING SETS (ROLLUP (dept_id, grade), CUBE (grade, boss_id), (dept_id, boss_id))
ORDER BY 1, 2, 3;

-- query: equal_sets
SELECT dept_id, count(*) FROM emp GROUP BY ROLLUP (dept_id), ROLLUP (dept_id) ORDER BY 1, 2;

-- query: equal_sets_once
SELECT dept_id, count(*) FROM emp GROUP BY DISTINCT ROLLUP (dept_id), ROLLUP (dept_id)
ORDER BY 1, 2;

-- query: aggregate_of_a_key
SELECT dept_id, sum(dept_id), count(dept_id), count(*) FROM emp GROUP BY ROLLUP (dept_id)
ORDER BY grouping(dept_id), 1;

-- query: key_is_null_and_not_grouped
SELECT boss_id, count(*), grouping(boss_id) FROM emp GROUP BY CUBE (boss_id) ORDER BY 3, 1;

-- query: alias_and_position
SELECT dept_id AS d, grade, count(*) FROM emp GROUP BY ROLLUP (d, 2)
ORDER BY grouping(dept_id, grade), 1, 2;

-- query: expression_key
SELECT upper(grade) AS g, length(upper(grade)) AS l, count(*) FROM emp
GROUP BY CUBE (upper(grade)) ORDER BY grouping(upper(grade)), 1;

-- query: having
SELECT dept_id, grade, count(*) FROM emp GROUP BY ROLLUP (dept_id, grade)
HAVING grouping(grade) = 1 OR count(*) > 1 ORDER BY grouping(dept_id, grade), 1, 2;

-- query: having_on_a_key
SELECT dept_id, grade, count(*) FROM emp GROUP BY CUBE (dept_id, grade) HAVING dept_id = 30
ORDER BY 1, 2, grouping(grade);

-- query: filter_above
SELECT * FROM (SELECT dept_id, grade, count(*) AS n FROM emp GROUP BY CUBE (dept_id, grade)) AS x
WHERE dept_id IS NULL ORDER BY 1, 2, 3;

-- query: distinct_and_ordered
SELECT dept_id, grade, count(DISTINCT boss_id), string_agg(name, ',' ORDER BY name DESC)
FROM emp GROUP BY CUBE (dept_id, grade) ORDER BY grouping(dept_id, grade), 1, 2;

-- query: filter_of_aggregate
SELECT dept_id, count(*) FILTER (WHERE grade = 'A'), sum(salary) FILTER (WHERE grade = 'B')
FROM emp GROUP BY ROLLUP (dept_id) ORDER BY grouping(dept_id), dept_id;

-- query: percentile
SELECT dept_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM emp
GROUP BY ROLLUP (dept_id) ORDER BY grouping(dept_id), 1;

-- query: window_over_sets
SELECT dept_id, grade, sum(salary),
       rank() OVER (PARTITION BY grouping(dept_id, grade) ORDER BY sum(salary) DESC, dept_id, grade)
FROM emp GROUP BY ROLLUP (dept_id, grade) ORDER BY grouping(dept_id, grade), 1, 2;

-- query: join_below
SELECT d.city, d.name, count(*), avg(e.salary) FROM emp AS e JOIN dept AS d USING (dept_id)
GROUP BY ROLLUP (d.city, d.name) ORDER BY grouping(d.city, d.name), 1, 2;

-- query: grouping_of_one_set
SELECT dept_id, grouping(dept_id) FROM emp GROUP BY dept_id ORDER BY 1;

-- query: distinct_grouping
SELECT DISTINCT grouping(dept_id, grade) FROM emp GROUP BY CUBE (dept_id, grade) ORDER BY 1;

-- query: label_of_totals
SELECT CASE WHEN grouping(dept_id) = 1 THEN 'all' ELSE dept_id::text END AS dept, count(*)
FROM emp GROUP BY ROLLUP (dept_id) ORDER BY grouping(dept_id), dept_id;

-- query: group_over_union
SELECT k, count(*), count(DISTINCT t), max(t) FROM
    (SELECT k, t FROM keys_a UNION ALL SELECT k, t FROM keys_b UNION ALL SELECT 1, 'x') AS both_
GROUP BY k ORDER BY k;

-- query: one_expression_in_two_places (any order)
SELECT dept_id AS a1, dept_id AS a2, count(*) FROM emp GROUP BY a1, ROLLUP (a2) ORDER BY a2, a1;

-- query: one_expression_twice_by_position (any order)
SELECT dept_id + 1 AS a1, dept_id + 1 AS a2, count(*) FROM emp GROUP BY 1, ROLLUP (2) ORDER BY 2, 1;

-- query: one_expression_twice_in_a_cube (any order)
SELECT salary > 100 AS a1, salary > 100 AS a2, count(*) FROM emp GROUP BY CUBE (a1, a2)
ORDER BY 1, 2, 3;

-- query: one_expression_twice_and_once_more (any order)
SELECT dept_id AS a1, dept_id AS a2, count(*) FROM emp GROUP BY dept_id, a2, ROLLUP (dept_id)
ORDER BY 1, 2, 3;

-- query: one_expression_twice_plain
SELECT dept_id AS a1, dept_id AS a2, count(*) FROM emp GROUP BY a1, a2 ORDER BY 1;
