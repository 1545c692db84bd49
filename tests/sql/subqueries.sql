Common table expressions, subqueries in FROM, [NOT] IN (SELECT ...), UNION.

-- query: from_subquery
SELECT s.n FROM (SELECT id AS n FROM logic WHERE a) s ORDER BY s.n;

-- query: nested_subqueries
SELECT n FROM (SELECT n + 1 AS n FROM (SELECT id * 2 AS n FROM logic) a WHERE n > 4) b ORDER BY n;

-- query: subquery_limit
SELECT sum(quantity) AS q FROM (SELECT quantity FROM sales ORDER BY sale_id LIMIT 10) s ORDER BY q;

-- query: subquery_distinct (any order)
SELECT count(*) AS n FROM (SELECT DISTINCT shop, product FROM sales) s;

-- query: subquery_column_aliases
SELECT a, b FROM (SELECT id, w FROM words) AS t(a, b) WHERE a < 3 ORDER BY a;

-- query: cte
WITH t AS (SELECT id FROM logic WHERE id > 5) SELECT * FROM t ORDER BY id;

-- query: cte_columns
WITH t(a, b) AS (SELECT id, w FROM words WHERE id < 4) SELECT b, a FROM t ORDER BY a;

-- query: cte_chain
WITH a AS (SELECT shop, sum(quantity) AS q FROM sales GROUP BY shop),
     b AS (SELECT shop, q FROM a WHERE q > 300)
SELECT * FROM b ORDER BY shop;

-- query: cte_used_twice
WITH t AS (SELECT shop, count(*) AS n FROM sales GROUP BY shop)
SELECT a.shop, b.shop AS other FROM t a JOIN t b ON a.n < b.n ORDER BY a.shop, other;

-- query: cte_unused (any order)
WITH t AS (SELECT id FROM logic) SELECT 1 AS one;

-- query: cte_shadows_table
WITH logic AS (SELECT 1 AS id) SELECT id FROM logic ORDER BY id;

-- query: cte_in_subquery
SELECT n FROM (WITH t AS (SELECT id AS n FROM logic) SELECT n FROM t WHERE n < 3) s ORDER BY n;

-- query: cte_join_table
WITH top AS (SELECT dept_id, max(salary) AS salary FROM emp GROUP BY dept_id)
SELECT e.name, e.salary FROM emp e JOIN top ON top.dept_id = e.dept_id AND top.salary = e.salary
ORDER BY e.emp_id;

-- query: cte_materialized
WITH t AS MATERIALIZED (SELECT id FROM logic WHERE id < 3) SELECT id FROM t ORDER BY id;

-- query: in_select
SELECT k, t FROM keys_a WHERE k IN (SELECT k FROM keys_b WHERE k IS NOT NULL) ORDER BY k, t;

-- query: in_select_with_nulls
SELECT k, t FROM keys_a WHERE k IN (SELECT k FROM keys_b) ORDER BY k, t;

-- query: not_in_select
SELECT k, t FROM keys_a WHERE k NOT IN (SELECT k FROM keys_b WHERE k IS NOT NULL) ORDER BY k, t;

-- query: not_in_select_with_nulls
SELECT k, t FROM keys_a WHERE k NOT IN (SELECT k FROM keys_b) ORDER BY k, t;

-- query: not_in_empty
SELECT k, t FROM keys_a WHERE k NOT IN (SELECT a FROM nothing) ORDER BY k, t;

-- query: in_empty
SELECT k FROM keys_a WHERE k IN (SELECT a FROM nothing) ORDER BY k;

-- query: in_select_as_value
SELECT k, t, k IN (SELECT k FROM keys_b) AS found FROM keys_a ORDER BY k, t;

-- query: in_select_as_value_no_nulls
SELECT k, t, k IN (SELECT k FROM keys_b WHERE k > 0) AS found,
       k NOT IN (SELECT k FROM keys_b WHERE k > 0) AS missing
FROM keys_a ORDER BY k, t;

-- query: in_select_text
SELECT k, t FROM keys_a WHERE t IN (SELECT t FROM keys_b) ORDER BY k, t;

-- query: in_select_or
SELECT k, t FROM keys_a WHERE k IN (SELECT k FROM keys_b) OR t = 'one' ORDER BY k, t;

-- query: in_select_and
SELECT k, t FROM keys_a WHERE k IN (SELECT k FROM keys_b) AND t LIKE 't%' ORDER BY k, t;

-- query: in_two_selects
SELECT k, t FROM keys_a WHERE k IN (SELECT k FROM keys_b) AND t NOT IN (SELECT note FROM words WHERE note IS NOT NULL)
ORDER BY k, t;

-- query: in_select_grouped
SELECT sale_id, shop FROM sales WHERE shop IN (SELECT shop FROM sales GROUP BY shop HAVING count(*) > 105)
  AND sale_id < 40 ORDER BY sale_id;

-- query: in_select_expression
SELECT id FROM logic WHERE id * 2 IN (SELECT id + 1 FROM logic WHERE a) ORDER BY id;

-- query: in_select_mixed_types
SELECT id FROM everything WHERE l IN (SELECT x FROM pairs) ORDER BY id;

-- query: in_select_case
SELECT k, CASE WHEN k IN (SELECT k FROM keys_b WHERE k > 0) THEN 'both' ELSE 'one' END AS place
FROM keys_a ORDER BY k, t;

-- query: in_select_nested
SELECT emp_id FROM emp WHERE dept_id IN (SELECT dept_id FROM dept WHERE city IN
       (SELECT city FROM dept WHERE name = 'Research')) ORDER BY emp_id;

-- query: in_select_cte
WITH big AS (SELECT shop FROM sales GROUP BY shop HAVING sum(amount) > 9000)
SELECT DISTINCT shop FROM sales WHERE shop IN (SELECT shop FROM big) ORDER BY shop;

-- query: in_select_limit
SELECT id FROM logic WHERE id IN (SELECT id FROM logic ORDER BY id DESC LIMIT 2) ORDER BY id;

-- query: union_all
SELECT k FROM keys_a UNION ALL SELECT k FROM keys_b ORDER BY k;

-- query: union
SELECT k FROM keys_a UNION SELECT k FROM keys_b ORDER BY k;

-- query: union_unordered (any order)
SELECT k, t FROM keys_a UNION SELECT k, t FROM keys_b;

-- query: union_all_unordered (any order)
SELECT k, t FROM keys_a UNION ALL SELECT k, t FROM keys_b;

-- query: union_three
SELECT id FROM logic WHERE id < 3 UNION ALL SELECT k FROM keys_a UNION ALL SELECT 100 ORDER BY 1;

-- query: union_mixed
(SELECT 1 AS v UNION SELECT 1) UNION ALL SELECT 1 ORDER BY v;

-- query: union_mixed_right
SELECT 1 AS v UNION ALL (SELECT 1 UNION SELECT 1) ORDER BY v;

-- query: union_then_distinct
SELECT 1 AS v UNION ALL SELECT 1 UNION SELECT 1 ORDER BY v;

-- query: union_types
SELECT x AS v FROM pairs WHERE id < 3 UNION ALL SELECT p FROM pairs WHERE id < 3 ORDER BY v;

-- query: union_names
SELECT k AS first FROM keys_a UNION SELECT k AS second FROM keys_b ORDER BY first LIMIT 2;

-- query: union_limit
SELECT k FROM keys_a UNION ALL SELECT k FROM keys_b ORDER BY k DESC NULLS LAST LIMIT 3 OFFSET 1;

-- query: union_in_subquery
SELECT k, count(*) AS n FROM (SELECT k FROM keys_a UNION ALL SELECT k FROM keys_b) u GROUP BY k
ORDER BY k;

-- query: union_in_cte
WITH u AS (SELECT t FROM keys_a UNION SELECT t FROM keys_b) SELECT count(*) AS n, count(t) AS t FROM u
ORDER BY n;

-- query: union_parts_ordered
(SELECT id FROM logic ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM logic ORDER BY id DESC LIMIT 2)
ORDER BY id;

-- query: union_grouped
SELECT 'shop' AS what, shop AS name, count(*) AS n FROM sales GROUP BY shop
UNION ALL SELECT 'product', product, count(*) FROM sales GROUP BY product ORDER BY what, name;

-- query: union_numeric_scale (any order)
SELECT count(*) AS n FROM (SELECT 78.0 AS v UNION SELECT 78.00) s;

-- query: union_nulls (any order)
SELECT NULL AS v UNION SELECT NULL;

-- query: union_in_in
SELECT id FROM logic WHERE id IN (SELECT k FROM keys_a UNION SELECT k FROM keys_b) ORDER BY id;

-- query: join_of_unions
SELECT a.k, count(*) AS n FROM (SELECT k FROM keys_a UNION SELECT 100) a
JOIN (SELECT k FROM keys_b UNION ALL SELECT 100) b ON a.k = b.k GROUP BY a.k ORDER BY a.k;

-- query: filter_through_union
SELECT v FROM (SELECT id AS v, 'l' AS src FROM logic UNION ALL SELECT k, 'k' FROM keys_a) u
WHERE v > 2 AND src = 'k' ORDER BY v;

-- query: aggregates_of_ctes
WITH s AS (SELECT shop, sum(amount) AS a FROM sales GROUP BY shop),
     t AS (SELECT max(a) AS top FROM s)
SELECT s.shop, s.a FROM s JOIN t ON s.a = t.top ORDER BY s.shop;

-- query: values_from
SELECT a, b FROM (VALUES (1, 'one'), (2, 'two'), (3, NULL)) AS v(a, b) ORDER BY a;

-- query: values_join
SELECT v.name, count(*) AS n FROM (VALUES ('tea', 'leaf'), ('latte', 'bean')) AS v(product, name)
JOIN sales ON sales.product = v.product GROUP BY v.name ORDER BY v.name;

-- query: values_types
SELECT a FROM (VALUES (1), (2.50), (NULL)) AS v(a) ORDER BY a;

-- query: values_default_names
SELECT column1, column2 FROM (VALUES (1, 'x')) AS v ORDER BY column1;

-- query: scalar_not_asked_for
SELECT coalesce(1, (SELECT k FROM keys_a)) AS one, CASE WHEN 1 > 2 THEN (SELECT k FROM keys_a) END
AS none ORDER BY 1;

-- query: scalar_not_asked_for_by_rows
SELECT e.emp_id, coalesce(e.emp_id, (SELECT k FROM keys_a)) AS id, CASE WHEN e.dept_id = 99 THEN
(SELECT x.emp_id FROM emp x WHERE x.dept_id = e.dept_id AND x.emp_id > 0) ELSE 0 END AS only_one
FROM emp e ORDER BY e.emp_id;

-- query: scalar_unused
SELECT count(*) AS n FROM (SELECT e.name, (SELECT k FROM keys_a) AS many FROM emp e) x ORDER BY 1;

-- query: scalar_unused_in_exists
SELECT d.name FROM dept d WHERE EXISTS (SELECT (SELECT k FROM keys_a) FROM emp e WHERE e.dept_id =
d.dept_id) ORDER BY d.name;

-- query: scalar_aggregate_not_asked_for
SELECT d.name, CASE WHEN d.dept_id < 40 THEN (SELECT 100 / count(*) FROM emp e WHERE e.dept_id =
d.dept_id) END AS share FROM dept d ORDER BY d.name;

-- query: scalar_in_group_key
SELECT (SELECT d.city FROM dept d WHERE d.dept_id = e.dept_id) AS city, count(*) AS n FROM emp e
GROUP BY 1 ORDER BY 1, 2;

-- query: scalar_over_group
SELECT e.dept_id, (SELECT d.name FROM dept d WHERE d.dept_id = e.dept_id) AS name, count(*) AS n,
sum((SELECT k FROM keys_a WHERE k = 5)) AS fives FROM emp e GROUP BY e.dept_id ORDER BY 1;

-- query: scalar_outer_value
SELECT e.emp_id, (SELECT e.salary * 2 FROM dept d WHERE d.dept_id = e.dept_id) AS twice FROM emp e
WHERE (SELECT e.emp_id + 1 FROM dept d WHERE d.dept_id = e.dept_id) > 3 ORDER BY 1;

-- query: scalar_in_window
SELECT emp_id, sum((SELECT d.budget FROM dept d WHERE d.dept_id = e.dept_id)) OVER (ORDER BY emp_id)
AS s FROM emp e ORDER BY emp_id;

-- query: any_less
SELECT k, k < ANY (SELECT k FROM keys_b) AS less, k <= ANY (SELECT k FROM keys_b WHERE k IS NOT
NULL) AS at_most, k > ANY (SELECT k FROM keys_b) AS more, k >= ANY (SELECT k FROM keys_b WHERE k < 0)
AS none, k <> ANY (SELECT k FROM keys_b) AS other FROM keys_a ORDER BY k, t;

-- query: all_less
SELECT k, k < ALL (SELECT k FROM keys_b) AS less, k <= ALL (SELECT k FROM keys_b WHERE k > 1) AS
at_most, k > ALL (SELECT k FROM keys_b WHERE k < 3) AS more, k >= ALL (SELECT k FROM keys_b WHERE
k < 0) AS none, k = ALL (SELECT k FROM keys_b WHERE k = 2) AS same FROM keys_a ORDER BY k, t;

-- query: all_in_where
SELECT name, salary FROM emp WHERE salary >= ALL (SELECT salary FROM emp WHERE salary IS NOT NULL)
ORDER BY name;

-- query: any_in_where
SELECT name FROM emp e WHERE salary > ANY (SELECT avg(salary) FROM emp GROUP BY dept_id) AND NOT
(salary > ALL (SELECT x.salary FROM emp x WHERE x.dept_id = e.dept_id AND x.emp_id <> e.emp_id))
ORDER BY name;

-- query: any_correlated
SELECT d.name, 5000 < ANY (SELECT e.salary FROM emp e WHERE e.dept_id = d.dept_id) AS some_earn,
5000 > ALL (SELECT e.salary FROM emp e WHERE e.dept_id = d.dept_id) AS none_earns
FROM dept d ORDER BY d.name;

-- query: any_of_other_types
SELECT id, d > ANY (SELECT n FROM everything) AS a, s <= ALL (SELECT w FROM words) AS b,
dt < ANY (SELECT ts FROM everything) AS c FROM everything ORDER BY id;

-- query: two_lists_of_one_column
SELECT count(*) FROM pairs x
WHERE x.id IN (SELECT a.k FROM keys_a a, keys_b b WHERE a.k = b.k) AND x.id = 2 AND x.id IN (SELECT c.k FROM keys_a c, keys_b d WHERE c.k = d.k)
ORDER BY 1;

-- query: order_of_a_subquery
SELECT name FROM (SELECT name FROM dept ORDER BY budget DESC NULLS LAST) AS s;

-- query: order_of_a_subquery_limited
SELECT s.dept_id, s.name || '!' AS loud FROM (SELECT dept_id, name FROM dept ORDER BY budget DESC NULLS LAST) AS s LIMIT 3;

-- query: order_of_a_subquery_filtered
SELECT n FROM (SELECT name AS n FROM dept ORDER BY dept_id DESC NULLS LAST LIMIT 5) AS s WHERE n LIKE '%i%' OFFSET 1;

-- query: order_of_a_subquery_twice
SELECT * FROM (SELECT n FROM (SELECT name AS n, budget FROM dept ORDER BY budget NULLS FIRST, name) AS s) AS t;

-- query: order_of_a_union
SELECT k FROM (SELECT k, t FROM keys_a UNION SELECT k, t FROM keys_b ORDER BY t DESC NULLS LAST, k) AS s;

-- query: order_of_a_subquery_in_lists
SELECT city, string_agg(name, ', ') AS names, array_agg(dept_id) AS ids
FROM (SELECT city, name, dept_id FROM dept ORDER BY budget DESC NULLS LAST) AS s GROUP BY city ORDER BY city;

-- query: order_of_a_subquery_in_one_list
SELECT json_agg(name)::text AS names FROM (SELECT name FROM emp WHERE salary IS NOT NULL ORDER BY salary DESC, emp_id) AS s;

-- query: order_of_a_correlated_subquery
SELECT d.name, (SELECT string_agg(n, ' ') FROM (SELECT e.name AS n FROM emp e WHERE e.dept_id = d.dept_id
ORDER BY e.salary NULLS FIRST, e.emp_id DESC) AS s) AS names FROM dept d ORDER BY d.name;

-- query: order_of_a_subquery_in_an_array
SELECT ARRAY(SELECT n FROM (SELECT name AS n FROM emp ORDER BY salary, emp_id LIMIT 3) AS s) AS least ORDER BY 1;
