Correlated subqueries that are more than an equality with the query around.

-- query: count_of_less
SELECT e.name, (SELECT count(*) FROM emp AS r WHERE r.salary > e.salary) AS richer FROM emp AS e
ORDER BY 1, 2;

-- query: distinct_count_filter
SELECT e.name FROM emp AS e
WHERE (SELECT count(DISTINCT r.salary) FROM emp AS r WHERE r.salary >= e.salary) <= 3 ORDER BY 1;

-- query: aggregate_of_both
SELECT d.name, (SELECT sum(e.salary * d.budget) FROM emp AS e WHERE e.dept_id <> d.dept_id) AS s
FROM dept AS d ORDER BY 1;

-- query: limit_of_less
SELECT a.k, (SELECT b.t FROM keys_b AS b WHERE b.k <= a.k ORDER BY b.t DESC LIMIT 1) AS t
FROM keys_a AS a ORDER BY 1, 2;

-- query: limit_and_offset
SELECT e.emp_id, (SELECT r.emp_id FROM emp AS r WHERE r.salary > e.salary
                  ORDER BY r.salary, r.emp_id OFFSET 1 LIMIT 1) AS x
FROM emp AS e ORDER BY 1;

-- query: top_two_below_average
SELECT d.name, (SELECT avg(x.salary) FROM (SELECT salary FROM emp AS e WHERE e.dept_id = d.dept_id
                                           ORDER BY salary DESC LIMIT 2) AS x) AS a
FROM dept AS d ORDER BY 1;

-- query: groups_below_sum
SELECT d.name, (SELECT sum(s) FROM (SELECT sum(salary) AS s FROM emp AS e WHERE e.salary < d.budget
                                    GROUP BY grade) AS x) AS a
FROM dept AS d ORDER BY 1;

-- query: distinct_below_count
SELECT d.name, (SELECT count(*) FROM (SELECT DISTINCT grade FROM emp AS e
                                      WHERE e.salary < d.budget) AS x) AS n
FROM dept AS d ORDER BY 1;

-- query: below_union
SELECT a.k, (SELECT count(*) FROM (SELECT t FROM keys_b AS b WHERE b.k = a.k UNION ALL
                                   SELECT 'n') AS s) AS n
FROM keys_a AS a ORDER BY 1, 2;

-- query: below_union_distinct
SELECT a.k, a.t, (SELECT max(x) FROM (SELECT t AS x FROM keys_b AS b WHERE b.k > a.k UNION
                                      SELECT a.t) AS s) AS m
FROM keys_a AS a ORDER BY 1, 2, 3;

-- query: exists_below_union
SELECT d.name FROM dept AS d WHERE EXISTS (SELECT 1 FROM emp AS e WHERE e.dept_id = d.dept_id
    AND e.grade = 'A' UNION ALL SELECT 1 FROM emp AS e WHERE e.salary > d.budget) ORDER BY 1;

-- query: below_except
SELECT d.name, (SELECT count(*) FROM (SELECT grade FROM emp AS e WHERE e.dept_id = d.dept_id EXCEPT
                                      SELECT grade FROM emp AS e WHERE e.salary > d.budget) AS s) AS n
FROM dept AS d ORDER BY 1;

-- query: optional_side
SELECT d.name, (SELECT count(r.emp_id) FROM emp AS e
                LEFT JOIN (SELECT * FROM emp AS x WHERE x.dept_id = d.dept_id) AS r
                ON r.boss_id = e.emp_id) AS n
FROM dept AS d ORDER BY 1;

-- query: condition_of_outer_join
SELECT a.k, (SELECT count(c.k) FROM keys_b AS b LEFT JOIN keys_b AS c ON c.k = b.k AND c.k < a.k) AS n
FROM keys_a AS a ORDER BY 1, 2;

-- query: full_join_inside
SELECT d.dept_id, (SELECT count(*) FROM (SELECT k FROM keys_a WHERE k < d.dept_id) AS x
                   FULL JOIN (SELECT k FROM keys_b WHERE k * 10 >= d.dept_id) AS y ON x.k = y.k) AS n
FROM dept AS d ORDER BY 1;

-- query: two_levels_exists
SELECT d.name FROM dept AS d WHERE EXISTS (SELECT 1 FROM emp AS e WHERE e.grade = 'B' AND EXISTS
    (SELECT 1 FROM emp AS r WHERE r.boss_id = e.emp_id AND r.dept_id = d.dept_id)) ORDER BY 1;

-- query: two_levels_aggregate
SELECT d.name, (SELECT count(*) FROM emp AS e WHERE e.salary =
                (SELECT max(r.salary) FROM emp AS r WHERE r.dept_id = d.dept_id
                 AND r.grade = e.grade)) AS n
FROM dept AS d ORDER BY 1;

-- query: two_levels_inequalities
SELECT d.name, (SELECT count(*) FROM emp AS e WHERE e.salary <
                (SELECT max(r.salary) FROM emp AS r WHERE r.salary <= d.budget + e.salary)) AS n
FROM dept AS d ORDER BY 1;

-- query: two_levels_in
SELECT d.name, (SELECT count(*) FROM emp AS e WHERE e.boss_id IN
                (SELECT r.emp_id FROM emp AS r WHERE r.dept_id = d.dept_id)) AS n
FROM dept AS d ORDER BY 1;

-- query: window_of_less
SELECT d.name, (SELECT w.r FROM (SELECT e.emp_id, rank() OVER (ORDER BY e.salary DESC) AS r
                                 FROM emp AS e WHERE e.salary < d.budget) AS w
                ORDER BY w.r DESC, w.emp_id LIMIT 1) AS last_rank
FROM dept AS d ORDER BY 1;

-- query: rows_of_the_outer_row
SELECT k, (SELECT sum(g) FROM generate_series(1, a.k) AS g) AS s FROM keys_a AS a ORDER BY 1, 2;

-- query: values_of_the_outer_row
SELECT id, (SELECT max(v.x) FROM (VALUES (p.x), (p.y), (2)) AS v(x)) AS m FROM pairs AS p ORDER BY 1;

-- query: list_of_the_outer_row
SELECT id, (SELECT count(*) FROM unnest(string_to_array(w.w, 'a')) AS x WHERE x <> '') AS n
FROM words AS w ORDER BY 1;

-- query: cte_inside
SELECT d.name, (WITH q AS (SELECT salary FROM emp AS e WHERE e.salary < d.budget)
                SELECT count(*) FROM q AS a, q AS b WHERE a.salary < b.salary) AS n
FROM dept AS d ORDER BY 1;

-- query: cte_outside
WITH w AS (SELECT dept_id, sum(salary) AS s FROM emp GROUP BY dept_id)
SELECT w.dept_id, (SELECT count(*) FROM w AS o WHERE o.s <= w.s) AS n FROM w ORDER BY 1;

-- query: lateral_limit
SELECT d.name, s.name AS e FROM dept AS d LEFT JOIN LATERAL
    (SELECT e.name FROM emp AS e WHERE e.salary < d.budget ORDER BY e.salary DESC, e.name LIMIT 2) AS s
    ON true ORDER BY 1, 2;

-- query: lateral_union
SELECT a.k, s.x FROM keys_a AS a CROSS JOIN LATERAL
    (SELECT b.t AS x FROM keys_b AS b WHERE b.k = a.k UNION SELECT 'k' || a.k) AS s ORDER BY 1, 2;

-- query: lateral_function_under_condition
SELECT a.k, g FROM keys_a AS a LEFT JOIN generate_series(1, a.k) AS g ON g > 1 ORDER BY 1, 2;

-- query: left_join_exists
SELECT d.name, e.name AS e FROM dept AS d LEFT JOIN emp AS e ON e.dept_id = d.dept_id AND EXISTS
    (SELECT 1 FROM emp AS r WHERE r.boss_id = e.emp_id AND r.salary < d.budget) ORDER BY 1, 2;

-- query: left_join_in
SELECT a.k, b.t FROM keys_a AS a LEFT JOIN keys_b AS b ON a.k = b.k AND b.t IN
    (SELECT t FROM keys_a) ORDER BY 1, 2;

-- query: right_join_scalar
SELECT a.k AS ak, b.k AS bk FROM keys_b AS b RIGHT JOIN keys_a AS a
ON a.k = (SELECT min(c.k) FROM keys_b AS c WHERE c.k >= b.k) ORDER BY 1, 2;

-- query: left_join_of_one_group
SELECT a.k, s.n FROM keys_a AS a LEFT JOIN (SELECT count(*) AS n FROM keys_b) AS s
ON a.k > (SELECT min(k) FROM keys_b) ORDER BY 1, 2;

-- query: any_of_less
SELECT k FROM keys_a AS a WHERE k > ANY (SELECT b.k FROM keys_b AS b WHERE b.t <> a.t) ORDER BY 1;

-- query: all_with_null
SELECT k, k >= ALL (SELECT b.k FROM keys_b AS b WHERE b.t <= a.t) AS q FROM keys_a AS a ORDER BY 1, 2;

-- query: null_parameters
SELECT e.emp_id, (SELECT count(*) FROM emp AS r WHERE r.boss_id IS NOT DISTINCT FROM e.boss_id
                  AND r.emp_id >= e.emp_id) AS n
FROM emp AS e ORDER BY 1;

-- query: of_groups
SELECT dept_id, count(*), (SELECT count(*) FROM emp AS r WHERE r.salary < max(e.salary)) AS n
FROM emp AS e GROUP BY dept_id ORDER BY 1;

-- query: aggregate_of_outer_columns
SELECT (SELECT sum(d.budget)) AS s, (SELECT count(d.city) FROM emp WHERE emp_id = 1) AS n
FROM dept AS d ORDER BY 1;

-- query: aggregate_of_outer_columns_by_group
SELECT dept_id, (SELECT max(e.salary) FROM dept LIMIT 1) AS m FROM emp AS e GROUP BY dept_id
ORDER BY 1;

-- query: inside_an_aggregate
SELECT sum((SELECT count(*) FROM keys_b AS b WHERE b.k < a.k)) AS s FROM keys_a AS a ORDER BY 1;

-- query: in_order_by
SELECT k FROM keys_a AS a ORDER BY (SELECT count(*) FROM keys_b AS b WHERE b.k >= a.k), k;

-- query: not_needed
SELECT d.name, CASE WHEN d.dept_id < 0 THEN (SELECT e.name FROM emp AS e WHERE e.salary < d.budget)
               END AS x
FROM dept AS d ORDER BY 1;

-- query: having_of_less
SELECT d.name, (SELECT count(*) FROM emp AS e WHERE e.salary < d.budget HAVING count(*) > 10) AS n
FROM dept AS d ORDER BY 1;

-- query: aggregate_of_a_subquery_of_outer_columns
SELECT (SELECT max((SELECT e.salary FROM emp AS e WHERE e.emp_id = d.dept_id))) AS m FROM dept AS d ORDER BY 1;

-- query: aggregate_of_outer_columns_with_a_filter
SELECT (SELECT sum((SELECT e.salary FROM emp AS e WHERE e.emp_id = d.dept_id)) FILTER (WHERE d.budget > 0)) AS s
FROM dept AS d ORDER BY 1;

-- query: outer_aggregate_inside_an_inner_one
SELECT (SELECT max(b.k + a.n) FROM keys_b AS b) AS m FROM (SELECT count(*) AS n FROM keys_a) AS a ORDER BY 1;

-- query: outer_aggregate_as_a_value_of_an_inner_one
SELECT dept_id, (SELECT max(d.budget + min(e.salary)) FROM dept AS d) AS m FROM emp AS e GROUP BY dept_id ORDER BY 1;

-- query: aggregate_over_two_levels
SELECT d.dept_id, (SELECT (SELECT count(e.emp_id + d.dept_id)) FROM emp AS e) AS n FROM dept AS d ORDER BY 1;
