EXISTS, subqueries as values, correlated IN: with NULLs and duplicates on both sides.

-- query: exists_correlated
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.k) ORDER BY k, t;

-- query: not_exists_correlated
SELECT k, t FROM keys_a a WHERE NOT EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.k) ORDER BY k, t;

-- query: exists_two_keys
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT * FROM keys_b b WHERE b.k = a.k AND b.t = a.t)
ORDER BY k, t;

-- query: exists_residual
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.k AND b.t <> a.t)
ORDER BY k, t;

-- query: exists_inequality_only
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE b.k > a.k + 3) ORDER BY k, t;

-- query: exists_uncorrelated
SELECT id FROM logic WHERE EXISTS (SELECT 1 FROM keys_a WHERE k = 4) ORDER BY id;

-- query: exists_uncorrelated_empty
SELECT id FROM logic WHERE EXISTS (SELECT 1 FROM nothing) OR id = 3 ORDER BY id;

-- query: exists_as_a_value
SELECT k, t, EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.k) AS there,
       NOT EXISTS (SELECT 1 FROM keys_b b WHERE b.t = a.t) AS other
FROM keys_a a ORDER BY k, t;

-- query: exists_in_case
SELECT emp_id, CASE WHEN EXISTS (SELECT 1 FROM emp e WHERE e.boss_id = emp.emp_id) THEN 'boss'
       ELSE 'worker' END AS kind FROM emp ORDER BY emp_id;

-- query: exists_or
SELECT emp_id FROM emp e WHERE salary > 6000 OR EXISTS (SELECT 1 FROM dept d WHERE
d.dept_id = e.dept_id AND d.city = 'Lima') ORDER BY emp_id;

-- query: exists_outer_condition_alone
SELECT emp_id FROM emp e WHERE EXISTS (SELECT 1 FROM dept WHERE e.salary > 5000) ORDER BY emp_id;

-- query: exists_of_aggregate
SELECT emp_id FROM emp e WHERE emp_id < 4 AND EXISTS (SELECT max(budget) FROM dept d
WHERE d.dept_id = e.dept_id) ORDER BY emp_id;

-- query: exists_having
SELECT dept_id FROM dept d WHERE EXISTS (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id
HAVING count(*) > 3) ORDER BY dept_id;

-- query: exists_having_zero
SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept_id = d.dept_id
HAVING count(*) = 0) ORDER BY name;

-- query: exists_grouped
SELECT name FROM dept d WHERE EXISTS (SELECT grade FROM emp e WHERE e.dept_id = d.dept_id
GROUP BY grade HAVING count(*) > 1) ORDER BY name;

-- query: exists_limit
SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept_id = d.dept_id LIMIT 1)
ORDER BY name;

-- query: exists_offset
SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept_id = d.dept_id
ORDER BY emp_id OFFSET 3) ORDER BY name;

-- query: exists_limit_zero (any order)
SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept_id = d.dept_id LIMIT 0);

-- query: exists_join_inside
SELECT shop, product FROM (SELECT DISTINCT shop, product FROM sales) s
WHERE EXISTS (SELECT 1 FROM sales a JOIN sales b ON a.shop = b.shop AND a.quantity < b.quantity - 8
WHERE a.product = s.product AND b.shop = s.shop) ORDER BY shop, product;

-- query: exists_subquery_in_from
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM (SELECT k + 1 AS j FROM keys_b) b
WHERE b.j = a.k) ORDER BY k, t;

-- query: exists_derived_correlated
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM (SELECT k FROM keys_b b WHERE b.k = a.k) x)
ORDER BY k, t;

-- query: exists_nested
SELECT d.name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept_id = d.dept_id AND EXISTS
(SELECT 1 FROM emp w WHERE w.boss_id = e.emp_id AND w.grade = 'C')) ORDER BY d.name;

-- query: exists_cte
WITH big AS (SELECT shop, sum(quantity) AS q FROM sales GROUP BY shop)
SELECT b.shop FROM big b WHERE NOT EXISTS (SELECT 1 FROM big o WHERE o.q > b.q) ORDER BY b.shop;

-- query: exists_expression_key
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM keys_b b WHERE lower(b.t) = lower(a.t))
ORDER BY k, t;

-- query: exists_mixed_types
SELECT k, t FROM keys_a a WHERE EXISTS (SELECT 1 FROM pairs p WHERE p.p = a.k) ORDER BY k, t;

-- query: exists_group_by_outer
SELECT dept_id, count(*) AS n FROM emp e GROUP BY dept_id
HAVING EXISTS (SELECT 1 FROM dept d WHERE d.dept_id = e.dept_id) ORDER BY dept_id;

-- query: exists_of_values
SELECT id FROM logic l WHERE EXISTS (SELECT 1 FROM (VALUES (1), (3), (NULL)) v(x) WHERE v.x = l.id)
ORDER BY id;

-- query: exists_in_aggregate
SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM dept d WHERE d.dept_id = e.dept_id)) AS n,
       sum(CASE WHEN NOT EXISTS (SELECT 1 FROM dept d WHERE d.dept_id = e.dept_id)
           THEN 1 ELSE 0 END) AS m FROM emp e ORDER BY n;

-- query: exists_two_outer_tables
SELECT d.name, e.name AS who FROM dept d JOIN emp e ON e.dept_id = d.dept_id WHERE EXISTS
(SELECT 1 FROM emp o WHERE o.dept_id = d.dept_id AND o.salary > e.salary) ORDER BY d.name, e.emp_id;

-- query: value_uncorrelated
SELECT id FROM logic WHERE id = (SELECT max(id) FROM logic) ORDER BY id;

-- query: value_in_select
SELECT emp_id, salary - (SELECT avg(salary) FROM emp WHERE dept_id = 10) AS more FROM emp
ORDER BY emp_id;

-- query: value_no_rows
SELECT id, (SELECT t FROM nothing) AS n FROM logic WHERE id < 3 ORDER BY id;

-- query: value_one_row
SELECT id, (SELECT name FROM dept WHERE dept_id = 20) AS n FROM logic WHERE id < 3 ORDER BY id;

-- query: value_without_from
SELECT id, (SELECT 7) + id AS n, (SELECT id * 2) AS twice FROM logic ORDER BY id;

-- query: value_alone (any order)
SELECT (SELECT count(*) FROM sales) AS n, (SELECT 'a' || 'b') AS s;

-- query: value_limit
SELECT id, (SELECT name FROM emp ORDER BY salary DESC NULLS LAST, emp_id LIMIT 1) AS top
FROM logic WHERE id < 3 ORDER BY id;

-- query: value_correlated_key
SELECT emp_id, (SELECT d.name FROM dept d WHERE d.dept_id = e.dept_id) AS dept FROM emp e
ORDER BY emp_id;

-- query: value_correlated_expression
SELECT emp_id, (SELECT d.name || ' of ' || e.name FROM dept d WHERE d.dept_id = e.dept_id) AS x
FROM emp e ORDER BY emp_id;

-- query: value_outer_column
SELECT emp_id, (SELECT e.name FROM dept d WHERE d.dept_id = e.dept_id) AS x FROM emp e
ORDER BY emp_id;

-- query: value_count
SELECT d.name, (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id) AS n FROM dept d
ORDER BY d.name;

-- query: value_aggregates
SELECT d.name, (SELECT count(*) + 1 FROM emp e WHERE e.dept_id = d.dept_id) AS n,
       (SELECT sum(salary) FROM emp e WHERE e.dept_id = d.dept_id) AS s,
       (SELECT coalesce(max(salary), -1) FROM emp e WHERE e.dept_id = d.dept_id) AS m,
       (SELECT count(grade) * 10 + count(*) FROM emp e WHERE e.dept_id = d.dept_id) AS g
FROM dept d ORDER BY d.name;

-- query: value_aggregate_of_both
SELECT d.name, (SELECT max(salary) * d.dept_id FROM emp e WHERE e.dept_id = d.dept_id) AS m,
       (SELECT count(*) || d.name FROM emp e WHERE e.dept_id = d.dept_id) AS t
FROM dept d ORDER BY d.name;

-- query: value_having
SELECT d.name, (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id HAVING count(*) < 4) AS n
FROM dept d ORDER BY d.name;

-- query: value_where
SELECT emp_id FROM emp e WHERE salary > (SELECT avg(salary) FROM emp o WHERE o.dept_id = e.dept_id)
ORDER BY emp_id;

-- query: value_where_count
SELECT d.name FROM dept d WHERE (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id) = 0
ORDER BY d.name;

-- query: value_outer_condition
SELECT d.name, (SELECT count(*) FROM emp WHERE d.budget > 1000) AS n FROM dept d ORDER BY d.name;

-- query: value_top_of_each
SELECT d.name, (SELECT e.name FROM emp e WHERE e.dept_id = d.dept_id
ORDER BY e.salary DESC NULLS LAST, e.emp_id LIMIT 1) AS best FROM dept d ORDER BY d.name;

-- query: value_second_of_each
SELECT d.name, (SELECT e.emp_id FROM emp e WHERE e.dept_id = d.dept_id ORDER BY e.emp_id
LIMIT 1 OFFSET 1) AS second FROM dept d ORDER BY d.name;

-- query: value_distinct
SELECT d.name, (SELECT DISTINCT e.boss_id FROM emp e WHERE e.dept_id = d.dept_id AND e.grade = 'C')
AS boss FROM dept d ORDER BY d.name;

-- query: value_grouped
SELECT d.name, (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id GROUP BY e.dept_id) AS n
FROM dept d ORDER BY d.name;

-- query: value_grouped_outer
SELECT dept_id, count(*) AS n, (SELECT d.name FROM dept d WHERE d.dept_id = e.dept_id) AS name
FROM emp e GROUP BY dept_id ORDER BY dept_id;

-- query: value_in_having
SELECT shop, sum(quantity) AS q FROM sales GROUP BY shop
HAVING sum(quantity) > (SELECT avg(q) FROM (SELECT sum(quantity) AS q FROM sales GROUP BY shop) s)
ORDER BY shop;

-- query: value_in_order_by
SELECT d.name FROM dept d ORDER BY (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id) DESC,
d.name;

-- query: value_nested
SELECT d.name, (SELECT count(*) FROM emp e WHERE e.dept_id = d.dept_id AND e.salary >
(SELECT avg(salary) FROM emp)) AS n FROM dept d ORDER BY d.name;

-- query: value_window_inside
SELECT d.name, (SELECT n FROM (SELECT e.name AS n, e.dept_id AS i, row_number() OVER
(PARTITION BY e.dept_id ORDER BY e.emp_id DESC) AS r FROM emp e) x WHERE x.i = d.dept_id AND r = 2)
AS last_but_one FROM dept d ORDER BY d.name;

-- query: value_window_correlated
SELECT d.name, (SELECT max(r) FROM (SELECT rank() OVER (ORDER BY e.salary) AS r FROM emp e
WHERE e.dept_id = d.dept_id) x) AS ranks FROM dept d ORDER BY d.name;

-- query: value_in_case
SELECT emp_id, CASE WHEN dept_id IS NULL THEN (SELECT count(*) FROM dept) ELSE emp_id END AS n
FROM emp ORDER BY emp_id;

-- query: value_max_date
SELECT d.name, (SELECT max(hired) FROM emp e WHERE e.dept_id = d.dept_id) AS last FROM dept d
ORDER BY d.name;

-- query: in_correlated
SELECT k, t FROM keys_a a WHERE t IN (SELECT t FROM keys_b b WHERE b.k = a.k) ORDER BY k, t;

-- query: not_in_correlated
SELECT k, t FROM keys_a a WHERE t NOT IN (SELECT t FROM keys_b b WHERE b.k = a.k) ORDER BY k, t;

-- query: in_correlated_value
SELECT k, t, t IN (SELECT t FROM keys_b b WHERE b.k = a.k) AS there FROM keys_a a ORDER BY k, t;

-- query: in_correlated_inequality
SELECT k, t, k IN (SELECT k FROM keys_b b WHERE b.t > a.t) AS there FROM keys_a a ORDER BY k, t;

-- query: in_correlated_or
SELECT k, t FROM keys_a a WHERE k = 4 OR t IN (SELECT t FROM keys_b b WHERE b.k = a.k)
ORDER BY k, t;

-- query: in_correlated_aggregate
SELECT emp_id FROM emp e WHERE salary IN (SELECT max(salary) FROM emp o WHERE
o.dept_id = e.dept_id) ORDER BY emp_id;

-- query: any_and_all
SELECT k, t FROM keys_a WHERE k = ANY (SELECT k FROM keys_b) AND t <> ALL (SELECT t FROM keys_b
WHERE t IS NOT NULL AND k = 2) ORDER BY k, t;

-- query: all_with_null (any order)
SELECT k FROM keys_a WHERE k <> ALL (SELECT k FROM keys_b);

-- query: lateral_top
SELECT d.name, x.name AS who, x.salary FROM dept d, LATERAL (SELECT e.name, e.salary FROM emp e
WHERE e.dept_id = d.dept_id ORDER BY e.salary DESC NULLS LAST, e.emp_id LIMIT 2) x
ORDER BY d.name, x.salary DESC, who;

-- query: lateral_aggregate
SELECT d.name, x.n, x.s FROM dept d CROSS JOIN LATERAL (SELECT count(*) AS n, sum(salary) AS s
FROM emp e WHERE e.dept_id = d.dept_id) x ORDER BY d.name;

-- query: lateral_left
SELECT d.name, x.name AS who FROM dept d LEFT JOIN LATERAL (SELECT e.name FROM emp e WHERE
e.dept_id = d.dept_id AND e.grade = 'C') x ON true ORDER BY d.name, who;

-- query: lateral_expression
SELECT e.emp_id, x.twice FROM emp e, LATERAL (SELECT e.emp_id * 2 AS twice) x ORDER BY e.emp_id;

-- query: lateral_where
SELECT d.name, x.n FROM dept d, LATERAL (SELECT count(*) AS n FROM emp e WHERE
e.dept_id = d.dept_id) x WHERE x.n = 0 OR x.n > 3 ORDER BY d.name;

-- query: names_of_subqueries
SELECT EXISTS (SELECT 1), (SELECT 1), (SELECT 2 AS two), (SELECT max(k) FROM keys_a),
       (SELECT coalesce(max(k), 0) FROM keys_a), (SELECT k FROM keys_a WHERE k = 1)::text,
       (VALUES (4)), (SELECT 1 AS a UNION SELECT 1 AS b), 1 IN (SELECT 1) ORDER BY 1;
