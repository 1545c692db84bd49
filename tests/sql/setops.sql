INTERSECT and EXCEPT, with and without ALL, NULLs, precedence; DISTINCT ON.

-- query: intersect_one
SELECT k FROM keys_a INTERSECT SELECT k FROM keys_b ORDER BY k;

-- query: intersect_all
SELECT k FROM keys_a INTERSECT ALL SELECT k FROM keys_b ORDER BY k;

-- query: except_one
SELECT k FROM keys_a EXCEPT SELECT k FROM keys_b ORDER BY k;

-- query: except_all
SELECT k FROM keys_a EXCEPT ALL SELECT k FROM keys_b ORDER BY k;

-- query: two_columns
SELECT k, t FROM keys_a INTERSECT SELECT k, t FROM keys_b ORDER BY k, t;

-- query: two_columns_except
SELECT k, t FROM keys_a EXCEPT SELECT k, t FROM keys_b ORDER BY k, t;

-- query: except_all_copies
SELECT dept_id, grade FROM emp EXCEPT ALL SELECT dept_id, grade FROM emp WHERE salary > 3000
ORDER BY 1, 2;

-- query: intersect_all_copies
SELECT grade FROM emp WHERE dept_id < 30 INTERSECT ALL SELECT grade FROM emp WHERE dept_id >= 20
ORDER BY grade;

-- query: precedence
SELECT k FROM keys_a UNION SELECT id FROM logic INTERSECT SELECT k FROM keys_b ORDER BY k;

-- query: parentheses
(SELECT k FROM keys_a UNION SELECT id FROM logic) INTERSECT SELECT k FROM keys_b ORDER BY k;

-- query: left_to_right
SELECT id FROM logic EXCEPT SELECT k FROM keys_a UNION ALL SELECT k FROM keys_b ORDER BY id;

-- query: nested_right
SELECT id FROM logic EXCEPT (SELECT k FROM keys_a EXCEPT SELECT k FROM keys_b) ORDER BY id;

-- query: limit_inside
(SELECT id FROM logic ORDER BY id DESC LIMIT 4) EXCEPT (SELECT id FROM logic ORDER BY id LIMIT 6)
ORDER BY id;

-- query: limit_outside
SELECT id FROM logic EXCEPT SELECT k FROM keys_b ORDER BY id DESC LIMIT 2 OFFSET 1;

-- query: mixed_types
SELECT k FROM keys_a INTERSECT SELECT f FROM floats ORDER BY k;

-- query: literals
SELECT 'one' AS t INTERSECT SELECT t FROM keys_a ORDER BY t;

-- query: null_literals
SELECT NULL AS x, k FROM keys_a EXCEPT SELECT NULL, k FROM keys_b ORDER BY k;

-- query: in_from
SELECT count(*) AS n FROM (SELECT k FROM keys_a EXCEPT SELECT k FROM keys_b) x ORDER BY n;

-- query: in_from_filtered
SELECT k FROM (SELECT k, t FROM keys_a INTERSECT ALL SELECT k, t FROM keys_b) x WHERE k > 2
ORDER BY k;

-- query: in_cte
WITH x AS (SELECT id FROM logic INTERSECT SELECT k FROM keys_a) SELECT l.id, a FROM logic l JOIN x
ON x.id = l.id ORDER BY l.id;

-- query: in_subquery
SELECT k, t FROM keys_a WHERE k IN (SELECT k FROM keys_b EXCEPT SELECT id FROM logic WHERE id < 3)
ORDER BY k, t;

-- query: grouped_sides
SELECT shop, count(*) AS n FROM sales GROUP BY shop EXCEPT SELECT shop, count(*) FROM sales
WHERE quantity > 1 GROUP BY shop ORDER BY shop;

-- query: empty_sides
SELECT a FROM nothing EXCEPT SELECT k FROM keys_a ORDER BY a;

-- query: except_empty
SELECT k FROM keys_a EXCEPT SELECT a FROM nothing ORDER BY k;

-- query: distinct_on
SELECT DISTINCT ON (dept_id) dept_id, name, salary FROM emp ORDER BY dept_id, salary DESC NULLS LAST,
emp_id;

-- query: distinct_on_two
SELECT DISTINCT ON (dept_id, grade) dept_id, grade, emp_id FROM emp
ORDER BY grade DESC, dept_id, emp_id DESC;

-- query: distinct_on_expression
SELECT DISTINCT ON (length(name)) name, emp_id FROM emp ORDER BY length(name), emp_id;

-- query: distinct_on_position
SELECT DISTINCT ON (1) grade, emp_id FROM emp ORDER BY 1, 2;

-- query: distinct_on_limit
SELECT DISTINCT ON (dept_id) dept_id, emp_id FROM emp ORDER BY dept_id DESC, emp_id LIMIT 3;

-- query: distinct_on_grouped
SELECT DISTINCT ON (shop) shop, product, sum(quantity) AS q FROM sales GROUP BY shop, product
ORDER BY shop, q DESC, product;

-- query: distinct_on_subquery
SELECT * FROM (SELECT DISTINCT ON (dept_id) dept_id, name FROM emp ORDER BY dept_id, emp_id) x
WHERE dept_id > 15 ORDER BY dept_id;
