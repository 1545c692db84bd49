-- Conditions that follow from others: the answers are the same, the plans are not.

-- query: or_common_join
SELECT e.name, d.name AS dept FROM emp e, dept d WHERE (e.dept_id = d.dept_id AND e.grade = 'A' AND
d.city = 'Lima') OR (d.dept_id = e.dept_id AND e.grade = 'C' AND d.budget > 100)
ORDER BY e.name, d.name;

-- query: or_common_and_nothing_else
SELECT e.name, d.name AS dept FROM emp e, dept d WHERE (e.dept_id = d.dept_id AND e.grade = 'A') OR
e.dept_id = d.dept_id ORDER BY e.name, d.name;

-- query: or_common_nulls
SELECT id FROM logic WHERE (a AND b) OR (a AND NOT b) ORDER BY id;

-- query: or_common_nulls_not
SELECT id FROM logic WHERE NOT ((a AND b) OR (a AND NOT b)) ORDER BY id;

-- query: or_common_in_on
SELECT e.name, d.name AS dept FROM emp e LEFT JOIN dept d ON (e.dept_id = d.dept_id AND e.grade =
'A') OR (e.dept_id = d.dept_id AND d.city = 'Lima' AND e.salary > 5000) ORDER BY e.name, d.name;

-- query: or_common_guards
SELECT p.id, e.emp_id FROM pairs p, emp e WHERE (p.id = e.emp_id AND p.x <> 0 AND 100 / p.x > 10) OR
(p.id = e.emp_id AND p.x <> 0 AND 100 / p.x < -10) ORDER BY p.id;

-- query: or_parts
SELECT e.name, d.name AS dept FROM emp e JOIN dept d ON e.dept_id = d.dept_id WHERE (e.grade = 'A'
AND d.city = 'Lima') OR (e.grade IN ('B', 'C') AND d.city IS NULL) OR (e.grade IS NULL AND
d.budget BETWEEN 1 AND 90000) ORDER BY e.name;

-- query: or_nested
SELECT k FROM keys_a WHERE ((k = 1 AND t = 'one') OR (k = 1 AND t = 'two')) OR (k = 1 AND t IS NULL)
ORDER BY k;

-- query: bound_travels
SELECT a.k, a.t, b.t AS other FROM keys_a a, keys_b b WHERE a.k = b.k AND a.k >= 2 AND b.k IN (2, 3,
4) ORDER BY a.t, b.t;

-- query: bound_travels_on
SELECT e.name, b.name AS boss, c.name AS dept FROM emp e JOIN emp b ON b.emp_id = e.boss_id JOIN
dept c ON c.dept_id = e.dept_id AND c.dept_id = b.dept_id WHERE b.dept_id = 20 ORDER BY e.name;

-- query: bound_travels_left
SELECT a.k, a.t, b.t AS other FROM keys_a a LEFT JOIN keys_b b ON b.k = a.k WHERE a.k <= 3
ORDER BY a.k, a.t, b.t;

-- query: bound_travels_left_on
SELECT a.k, a.t, b.t AS other FROM keys_a a LEFT JOIN keys_b b ON b.k = a.k AND a.k > 2
ORDER BY a.k, a.t, b.t;

-- query: bound_travels_exists
SELECT a.k, a.t, EXISTS (SELECT 1 FROM keys_b b WHERE b.k = a.k) AS found FROM keys_a a
WHERE a.k = 2 OR a.k = 3 ORDER BY a.k, a.t;

-- query: bound_stays_of_not_in
SELECT a.k, a.t, a.k NOT IN (SELECT b.k FROM keys_b b) AS missing FROM keys_a a WHERE a.k > 2
ORDER BY a.k, a.t;

-- query: left_becomes_inner_by_join
SELECT e.name, b.name AS boss, d.name AS dept FROM emp e LEFT JOIN emp b ON b.emp_id = e.boss_id
JOIN dept d ON d.dept_id = b.dept_id ORDER BY e.name;

-- query: left_stays_for_coalesce
SELECT e.name, b.name AS boss, d.name AS dept FROM emp e LEFT JOIN emp b ON b.emp_id = e.boss_id
JOIN dept d ON d.dept_id = coalesce(b.dept_id, 10) ORDER BY e.name;

-- query: left_in_left_becomes_inner
SELECT d.name, x.name AS who, x.boss FROM dept d LEFT JOIN (SELECT e.name, b.name AS boss, b.dept_id
FROM emp e LEFT JOIN emp b ON b.emp_id = e.boss_id) x ON x.dept_id = d.dept_id ORDER BY d.name, who;

-- query: full_by_join
SELECT a.k, b.k AS other, c.k AS third FROM keys_a a FULL JOIN keys_b b ON a.k = b.k JOIN keys_a c
ON c.k = b.k ORDER BY a.k, b.k, a.t, b.t, c.t;

-- query: join_unneeded
SELECT count(*) AS n FROM (SELECT e.name, (SELECT d.name FROM dept d WHERE d.dept_id = e.dept_id),
EXISTS (SELECT 1 FROM dept), e.dept_id IN (SELECT dept_id FROM dept) FROM emp e) x ORDER BY 1;

-- query: join_unneeded_group
SELECT d.name FROM dept d LEFT JOIN (SELECT dept_id, count(*) AS n FROM emp GROUP BY dept_id) e
ON e.dept_id = d.dept_id ORDER BY d.name;

-- query: join_needed
SELECT d.name FROM dept d LEFT JOIN (SELECT dept_id, grade FROM emp GROUP BY dept_id, grade) e
ON e.dept_id = d.dept_id ORDER BY d.name;
