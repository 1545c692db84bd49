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

-- query: rows_of_a_function
SELECT * FROM staff_of(20) ORDER BY 1, 2;

-- query: rows_with_names
SELECT s.n, s.pay * 2 AS twice FROM staff_of(double_of(5)) AS s (n) WHERE s.pay > 100 ORDER BY 1, 2;

-- query: rows_for_every_row
SELECT d.name, s.emp_name, s.pay FROM dept d, staff_of(d.dept_id) AS s ORDER BY 1, 2, 3;

-- query: rows_or_none
SELECT d.name, s.emp_name FROM dept d LEFT JOIN staff_of(d.dept_id) AS s ON s.pay > 3000 ORDER BY 1, 2;

-- query: rows_limited
SELECT d.name, best.emp_name FROM dept d CROSS JOIN LATERAL (SELECT * FROM staff_of(d.dept_id) LIMIT 1) AS best ORDER BY 1, 2;

-- query: rows_grouped
SELECT d.city, count(*), sum(s.pay) FROM dept d JOIN staff_of(d.dept_id) AS s ON true GROUP BY d.city ORDER BY 1;

-- query: out_parameters
SELECT id, "Name" FROM paid_between(3000) ORDER BY 1;

-- query: out_parameters_all_given
SELECT p.* FROM paid_between(3000, 5000) AS p (i, n) ORDER BY i;

-- query: set_of_values
SELECT s, s + 1 AS next FROM steps(4) AS s ORDER BY 1;

-- query: set_of_values_for_every_row
SELECT k, steps FROM keys_a, steps(k, 2) ORDER BY 1, 2, t;

-- query: set_of_texts
SELECT d.dept_id, g FROM dept d, grades(d.dept_id) AS g ORDER BY 1, 2;

-- query: set_in_the_select_list
SELECT dept_id, grades(dept_id) AS g FROM dept ORDER BY 1, 2;

-- query: rows_of_a_table
SELECT r.name, r.budget FROM rows_of_dept(100) AS r ORDER BY 1;

-- query: one_row_of_a_function
SELECT lowest, highest FROM extremes(20) ORDER BY 1;

-- query: one_row_of_nothing
SELECT d.dept_id, e.lowest, e.highest FROM dept d, extremes(d.dept_id) AS e ORDER BY 1;

-- query: columns_of_the_call
SELECT a.i, a.n FROM any_rows(10) AS a (i int, n text) ORDER BY 1;

-- query: inout
SELECT twice(emp_id) AS t FROM emp WHERE twice(emp_id) > 10 ORDER BY 1;

-- query: functions_joined
SELECT a.emp_name, b.emp_name AS other FROM staff_of(10) a JOIN staff_of(10) b ON a.pay < b.pay ORDER BY 1, 2;

-- query: exists_over_a_function
SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM staff_of(d.dept_id) s WHERE s.pay > 4000) ORDER BY 1;

-- query: in_over_a_function
SELECT name FROM emp WHERE grade IN (SELECT grades(10)) ORDER BY 1;
