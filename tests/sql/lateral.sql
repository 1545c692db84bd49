-- Subqueries in FROM that read what stands to their left.

-- query: left_outer_column
SELECT d.name, x.k FROM dept d LEFT JOIN LATERAL (SELECT d.city AS k FROM emp e WHERE
e.dept_id = d.dept_id) x ON true ORDER BY d.name, x.k;

-- query: left_outer_star
SELECT d.name, x.*, x.salary > 4000 AS much FROM dept d LEFT JOIN LATERAL (SELECT d.*, e.salary,
7 AS seven FROM emp e WHERE e.dept_id = d.dept_id AND e.grade = 'C') x ON true
ORDER BY d.name, x.salary;

-- query: left_outer_limit
SELECT d.name, x.budget, x.who FROM dept d LEFT JOIN LATERAL (SELECT d.budget, e.name AS who FROM
emp e WHERE e.dept_id = d.dept_id ORDER BY d.name, e.emp_id DESC LIMIT 1) x ON true ORDER BY d.name;

-- query: left_outer_group
SELECT d.name, x.city, x.n FROM dept d LEFT JOIN LATERAL (SELECT d.city, count(*) AS n FROM emp e
WHERE e.dept_id = d.dept_id GROUP BY d.city) x ON true ORDER BY d.name;

-- query: left_outer_group_expression
SELECT d.name, x.b, x.grade, x.n FROM dept d LEFT JOIN LATERAL (SELECT d.budget + 1 AS b, e.grade,
count(*) AS n FROM emp e WHERE e.dept_id = d.dept_id GROUP BY d.budget + 1, e.grade
HAVING d.budget + 1 > 1) x ON true ORDER BY d.name, x.grade;

-- query: left_outer_distinct
SELECT d.name, x.city, x.b FROM dept d LEFT JOIN LATERAL (SELECT DISTINCT d.city, d.budget * 2 AS b
FROM emp e WHERE e.dept_id = d.dept_id) x ON true ORDER BY d.name;

-- query: left_outer_distinct_of_all
SELECT d.name, x.city, x.none FROM dept d LEFT JOIN LATERAL (SELECT DISTINCT d.city, d.name AS none
FROM emp) x ON d.budget > 1 ORDER BY d.name;

-- query: left_outer_distinct_of_nothing
SELECT d.name, x.city FROM dept d LEFT JOIN LATERAL (SELECT DISTINCT d.city FROM nothing) x ON true
ORDER BY d.name;

-- query: left_outer_on_left
SELECT d.name, x.budget FROM dept d LEFT JOIN LATERAL (SELECT d.budget FROM emp e WHERE
e.dept_id = d.dept_id) x ON d.dept_id > 10 ORDER BY d.name, x.budget;

-- query: left_outer_on_computed
SELECT d.name, x.twice, x.who FROM dept d LEFT JOIN LATERAL (SELECT d.budget * 2 AS twice,
e.name AS who FROM emp e WHERE e.dept_id = d.dept_id) x ON x.twice > 200000 AND x.who > 'B'
ORDER BY d.name, x.who;

-- query: left_without_from
SELECT d.name, x.twice FROM dept d LEFT JOIN LATERAL (SELECT d.budget * 2 AS twice) x
ON x.twice > 2 ORDER BY d.name;

-- query: left_aggregate_on
SELECT d.name, x.n, x.s, x.city FROM dept d LEFT JOIN LATERAL (SELECT count(*) AS n,
sum(e.salary) AS s, d.city FROM emp e WHERE e.dept_id = d.dept_id) x ON x.n <> 1 ORDER BY d.name;

-- query: left_aggregate_having
SELECT d.name, x.n, x.city FROM dept d LEFT JOIN LATERAL (SELECT count(*) AS n, d.city
FROM emp e WHERE e.dept_id = d.dept_id HAVING count(*) > 1) x ON d.budget IS NOT NULL
ORDER BY d.name;

-- query: left_aggregate_is_null
SELECT d.name, x.n FROM dept d LEFT JOIN LATERAL (SELECT count(*) AS n FROM emp e WHERE
e.dept_id = d.dept_id) x ON x.n > 0 WHERE x.n IS NULL ORDER BY d.name;

-- query: left_then_left
SELECT d.name, x.k, e.name AS who FROM dept d LEFT JOIN LATERAL (SELECT d.dept_id AS k FROM emp e
WHERE e.dept_id = d.dept_id AND e.grade = 'A') x ON true LEFT JOIN emp e ON e.dept_id = x.k
ORDER BY d.name, who;

-- query: left_window
SELECT d.name, x.who, x.r FROM dept d LEFT JOIN LATERAL (SELECT e.name AS who, row_number() OVER
(PARTITION BY d.city ORDER BY d.name, e.salary DESC NULLS LAST, e.emp_id) AS r FROM emp e WHERE
e.dept_id = d.dept_id) x ON x.r < 3 ORDER BY d.name, x.r;

-- query: distinct_on_outer
SELECT d.name, x.city, x.who FROM dept d LEFT JOIN LATERAL (SELECT DISTINCT ON (d.city) d.city,
e.name AS who FROM emp e WHERE e.dept_id = d.dept_id ORDER BY d.city, e.name DESC) x ON true
ORDER BY d.name;

-- query: scalar_distinct_on_position
SELECT name, (SELECT DISTINCT ON (1) city) AS c FROM dept ORDER BY name;

-- query: scalar_distinct_on_outer
SELECT d.name, (SELECT DISTINCT ON (d.dept_id) e.name FROM emp e WHERE e.dept_id = d.dept_id
ORDER BY d.dept_id, e.salary DESC NULLS LAST, e.emp_id) AS best FROM dept d ORDER BY d.name;

-- query: scalar_distinct_on_both
SELECT d.name, (SELECT DISTINCT ON (d.city, e.grade) e.name FROM emp e WHERE e.dept_id = d.dept_id
AND e.grade = 'C' ORDER BY d.city, e.grade, e.emp_id) AS first_c FROM dept d ORDER BY d.name;

-- query: scalar_sorted_by_outer
SELECT d.name, (SELECT e.name FROM emp e WHERE e.dept_id = d.dept_id ORDER BY d.city, e.emp_id DESC
LIMIT 1) AS last_one FROM dept d ORDER BY d.name;

-- query: over_a_comma
SELECT a.k, b.k AS bk, s.x FROM keys_a a, keys_b b JOIN LATERAL (SELECT a.k + 1 AS x) s ON b.k = s.x ORDER BY 1, 2, 3;

-- query: over_a_comma_values
SELECT a.k, v.x FROM keys_a a, keys_b b JOIN LATERAL (VALUES (a.k), (-1)) AS v (x) ON b.k = v.x ORDER BY 1, 2;

-- query: over_a_comma_left
SELECT a.k, b.k AS bk, s.x FROM keys_a a, keys_b b LEFT JOIN LATERAL (SELECT e.emp_id AS x FROM emp e WHERE e.emp_id = a.k
AND a.k = b.k) s ON true WHERE a.k < 3 ORDER BY 1, 2, 3, a.t, b.t;

-- query: over_a_comma_function
SELECT a.k, b.k AS bk, g FROM keys_a a, keys_b b JOIN generate_series(1, a.k) AS g ON g = b.k ORDER BY 1, 2, 3, a.t, b.t;

-- query: over_a_comma_using
SELECT a.k, b.t, x FROM keys_a a, keys_b b JOIN LATERAL (VALUES (a.k), (2)) AS v (k) USING (k) JOIN LATERAL (SELECT a.k * 10 + b.k AS x) s ON true
ORDER BY 1, 2, 3;

-- query: over_a_comma_twice
SELECT count(*) FROM emp e, dept d LEFT JOIN LATERAL (SELECT e.dept_id AS x) s ON s.x = d.dept_id, keys_a a WHERE a.k < 3 ORDER BY 1;
