Functions that the schema defines: each call becomes the body.

-- query: expressions
SELECT emp_id, double_of(emp_id), double_of(double_of(emp_id) + 1), share_of(salary, 9000), share_of(1, 0) FROM emp ORDER BY emp_id;

-- query: queries
SELECT name, best_paid(dept_id), staff(dept_id), staff(NULL) FROM emp ORDER BY emp_id;

-- query: strict
SELECT emp_id, label(grade, emp_id), label(NULL, 1), label(name, NULL) FROM emp ORDER BY emp_id;

-- query: conditions_and_keys
SELECT double_of(dept_id) AS d, count(*), sum(double_of(emp_id)) FROM emp WHERE double_of(emp_id) > 6 GROUP BY double_of(dept_id)
HAVING sum(double_of(emp_id)) > 10 ORDER BY d;

-- query: over_an_aggregate
SELECT dept_id, double_of(count(*)::int), best_paid(max(dept_id)) FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: recursion_inside
SELECT name, below(emp_id) FROM emp ORDER BY emp_id;

-- query: names_of_its_own
WITH emp AS (SELECT 1 AS dept_id, 'nobody' AS name) SELECT name, staff(10), best_paid(20) FROM emp ORDER BY 1;

-- query: in_a_correlated_subquery
SELECT d.name, (SELECT double_of(count(*)::int) FROM emp e WHERE e.dept_id = d.dept_id) AS n FROM dept d ORDER BY 1, 2;

-- query: in_from_and_order
SELECT n FROM generate_series(1, double_of(3)) AS g(n) ORDER BY double_of(-n);
