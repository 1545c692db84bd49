INNER, LEFT and CROSS joins; ON and USING; NULL keys, duplicates, several tables.

-- query: inner_on
SELECT e.name, d.name AS dept FROM emp e JOIN dept d ON e.dept_id = d.dept_id ORDER BY e.emp_id;

-- query: inner_using
SELECT dept_id, emp.name, dept.name AS dept FROM emp JOIN dept USING (dept_id) ORDER BY emp_id;

-- query: inner_word
SELECT e.emp_id FROM emp e INNER JOIN dept d ON d.dept_id = e.dept_id WHERE d.city = 'Lima'
ORDER BY e.emp_id;

-- query: using_star
SELECT * FROM keys_a JOIN keys_b USING (k) ORDER BY k, keys_a.t, keys_b.t;

-- query: on_star
SELECT * FROM keys_a a JOIN keys_b b ON a.k = b.k ORDER BY a.k, a.t, b.t;

-- query: left_on
SELECT e.emp_id, e.dept_id, d.name FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id
ORDER BY e.emp_id;

-- query: left_outer_using
SELECT emp_id, dept_id, dept.name FROM emp LEFT OUTER JOIN dept USING (dept_id) ORDER BY emp_id;

-- query: left_unmatched
SELECT e.emp_id FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id WHERE d.dept_id IS NULL
ORDER BY e.emp_id;

-- query: left_condition_in_on
SELECT e.emp_id, d.name FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id AND d.city = 'Lima'
ORDER BY e.emp_id;

-- query: left_condition_in_where
SELECT e.emp_id, d.name FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id WHERE d.city = 'Lima'
ORDER BY e.emp_id;

-- query: left_condition_on_left
SELECT e.emp_id, d.name FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id AND e.salary > 5000
ORDER BY e.emp_id;

-- query: left_other_direction
SELECT d.name, e.name AS emp FROM dept d LEFT JOIN emp e ON e.dept_id = d.dept_id
ORDER BY d.name, e.emp_id;

-- query: left_counts
SELECT d.name, count(e.emp_id) AS n, sum(e.salary) AS s FROM dept d LEFT JOIN emp e USING (dept_id)
GROUP BY d.name ORDER BY d.name;

-- query: left_empty
SELECT l.id, n.a, n.t FROM logic l LEFT JOIN nothing n ON l.id = n.a ORDER BY l.id;

-- query: inner_empty
SELECT l.id FROM logic l JOIN nothing n ON l.id = n.a ORDER BY l.id;

-- query: duplicates
SELECT a.k, a.t, b.t AS u FROM keys_a a JOIN keys_b b ON a.k = b.k ORDER BY a.k, a.t, u;

-- query: text_keys
SELECT a.k, b.k AS other, a.t FROM keys_a a JOIN keys_b b ON a.t = b.t ORDER BY a.k, other;

-- query: two_keys
SELECT a.k, a.t FROM keys_a a JOIN keys_b b ON a.k = b.k AND a.t = b.t ORDER BY a.k;

-- query: using_two
SELECT k, t FROM keys_a JOIN keys_b USING (k, t) ORDER BY k, t;

-- query: left_using_two
SELECT k, t FROM keys_a LEFT JOIN keys_b USING (k, t) ORDER BY k, t;

-- query: self_join
SELECT e.name, b.name AS boss FROM emp e LEFT JOIN emp b ON e.boss_id = b.emp_id ORDER BY e.emp_id;

-- query: self_join_twice
SELECT e.name, b.name AS boss, c.name AS chief FROM emp e JOIN emp b ON e.boss_id = b.emp_id
JOIN emp c ON b.boss_id = c.emp_id ORDER BY e.emp_id;

-- query: three_tables
SELECT e.name, d.name AS dept, b.name AS boss FROM emp e JOIN dept d ON d.dept_id = e.dept_id
LEFT JOIN emp b ON b.emp_id = e.boss_id ORDER BY e.emp_id;

-- query: left_then_inner
SELECT e.emp_id, d.name, a.t FROM emp e LEFT JOIN dept d USING (dept_id) JOIN keys_a a ON a.k = e.emp_id
ORDER BY e.emp_id, a.t;

-- query: inner_then_left
SELECT a.k, b.t, e.name FROM keys_a a JOIN keys_b b ON a.k = b.k LEFT JOIN emp e ON e.emp_id = b.k
ORDER BY a.k, a.t, b.t;

-- query: cross_join
SELECT a.id, b.id AS other FROM logic a CROSS JOIN logic b WHERE a.id + b.id = 10 ORDER BY a.id;

-- query: comma_join
SELECT e.name, d.name AS dept FROM emp e, dept d WHERE e.dept_id = d.dept_id AND d.budget > 1000
ORDER BY e.emp_id;

-- query: cross_count (any order)
SELECT count(*) AS n FROM words a CROSS JOIN words b;

-- query: inequality_join
SELECT a.emp_id, b.emp_id AS other FROM emp a JOIN emp b ON a.salary > b.salary AND a.dept_id = b.dept_id
ORDER BY a.emp_id, other;

-- query: only_inequality (any order)
SELECT count(*) AS n FROM emp a JOIN emp b ON a.hired < b.hired;

-- query: left_only_inequality
SELECT a.emp_id, b.emp_id AS other FROM emp a LEFT JOIN emp b ON a.salary > b.salary + 3000
ORDER BY a.emp_id, other;

-- query: expression_keys
SELECT a.id, b.id AS other FROM logic a JOIN logic b ON a.id + 1 = b.id * 2 ORDER BY a.id;

-- query: mixed_type_keys
SELECT e.id, l.id AS other FROM everything e JOIN logic l ON e.n = l.id ORDER BY e.id, other;

-- query: int_bigint_keys
SELECT e.id, l.id AS other FROM everything e JOIN logic l ON e.l = l.id ORDER BY e.id, other;

-- query: numeric_keys_scale
SELECT a.id, b.id AS other FROM everything a JOIN everything b ON a.n = b.n AND a.id < b.id
ORDER BY a.id, other;

-- query: date_timestamp_keys
SELECT a.id, b.id AS other FROM everything a JOIN everything b ON a.dt = b.ts ORDER BY a.id, other;

-- query: condition_true
SELECT a.k, b.k AS other FROM keys_a a JOIN keys_b b ON true WHERE a.k = 1 ORDER BY other;

-- query: join_subquery
SELECT d.name, t.n, t.top FROM dept d
JOIN (SELECT dept_id, count(*) AS n, max(salary) AS top FROM emp GROUP BY dept_id) t USING (dept_id)
ORDER BY d.name;

-- query: join_two_subqueries
SELECT a.shop, a.q, b.n FROM (SELECT shop, sum(quantity) AS q FROM sales GROUP BY shop) a
LEFT JOIN (SELECT shop, count(*) AS n FROM sales WHERE product = 'tea' GROUP BY shop) b ON a.shop = b.shop
ORDER BY a.shop;

-- query: group_over_join
SELECT d.city, count(*) AS n, avg(e.salary) AS mean FROM emp e JOIN dept d USING (dept_id)
GROUP BY d.city ORDER BY d.city;

-- query: join_filter_both
SELECT e.emp_id FROM emp e JOIN dept d USING (dept_id) WHERE e.grade < 'C' AND d.name > 'L'
ORDER BY e.emp_id;

-- query: join_or_condition
SELECT e.emp_id, d.dept_id FROM emp e JOIN dept d ON e.dept_id = d.dept_id
WHERE e.salary > 6000 OR d.city IS NULL ORDER BY e.emp_id;

-- query: using_with_alias
SELECT d.dept_id, e.dept_id AS other FROM dept d LEFT JOIN emp e USING (dept_id) ORDER BY 1, 2, e.emp_id;

-- query: same_table_three_times (any order)
SELECT count(*) AS n FROM logic a JOIN logic b ON a.a = b.a JOIN logic c ON b.b = c.b;

-- query: join_on_is_not_distinct (any order)
SELECT count(*) AS n FROM keys_a a JOIN keys_b b ON a.k IS NOT DISTINCT FROM b.k;

-- query: parenthesised_join
SELECT e.emp_id, d.name FROM (emp e JOIN dept d ON e.dept_id = d.dept_id) ORDER BY e.emp_id LIMIT 3;

-- query: left_chain
SELECT a.k, b.t AS bt, c.t AS ct FROM keys_a a LEFT JOIN keys_b b ON a.k = b.k AND b.t = 'TWO'
LEFT JOIN keys_b c ON c.k = b.k ORDER BY a.k, a.t, bt, ct;

-- query: coalesce_over_left
SELECT e.emp_id, coalesce(d.name, 'none') AS dept FROM emp e LEFT JOIN dept d USING (dept_id)
ORDER BY e.emp_id;

-- query: case_over_left
SELECT e.emp_id, CASE WHEN d.dept_id IS NULL THEN 'out' ELSE 'in' END AS place
FROM emp e LEFT JOIN dept d ON d.dept_id = e.dept_id ORDER BY e.emp_id;

-- query: right_on
SELECT e.emp_id, d.dept_id, d.name FROM emp e RIGHT JOIN dept d ON e.dept_id = d.dept_id
ORDER BY d.name, e.emp_id;

-- query: right_using
SELECT dept_id, emp.emp_id, dept.name FROM emp RIGHT JOIN dept USING (dept_id)
ORDER BY dept.name, emp_id;

-- query: right_filter
SELECT e.emp_id, d.name FROM emp e RIGHT JOIN dept d ON e.dept_id = d.dept_id AND e.salary > 5000
WHERE d.city = 'Lima' ORDER BY d.name, e.emp_id;

-- query: right_star
SELECT * FROM keys_a a RIGHT JOIN keys_b b USING (k) ORDER BY k, a.t, b.t;

-- query: natural
SELECT k, t FROM keys_a NATURAL JOIN keys_b ORDER BY k, t;

-- query: natural_left
SELECT * FROM keys_a NATURAL LEFT JOIN keys_b ORDER BY k, t;

-- query: subquery_in_on
SELECT e.name, d.name AS dept FROM emp e JOIN dept d ON e.dept_id = d.dept_id AND e.emp_id IN (SELECT
boss_id FROM emp) ORDER BY e.name;

-- query: subquery_in_on_correlated
SELECT e.name, d.name AS dept FROM emp e JOIN dept d ON e.dept_id = d.dept_id AND e.salary = (SELECT
max(x.salary) FROM emp x WHERE x.dept_id = d.dept_id) LEFT JOIN keys_a k ON k.k = e.emp_id
ORDER BY e.name, d.name, k.t;

-- query: subquery_in_on_exists
SELECT a.k, b.t FROM keys_a a JOIN keys_b b ON EXISTS (SELECT 1 FROM emp e WHERE e.emp_id = a.k AND
e.dept_id > b.k) JOIN dept d ON d.dept_id = 10 ORDER BY a.k, b.t;

-- query: bound_through_two_left_joins
SELECT e.emp_id, d.name, k.t FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id LEFT JOIN keys_a k
ON k.k = d.dept_id WHERE e.dept_id = 10 ORDER BY e.emp_id, k.t;

-- query: bound_of_optional_side_stays_there
SELECT a.k, x.k AS x, b.t FROM keys_a a LEFT JOIN (SELECT k FROM keys_b WHERE k = 2) x ON a.k = x.k LEFT
JOIN keys_b b ON b.k = a.k ORDER BY a.k, x.k, b.t;

-- query: bound_through_group
SELECT x.dept_id, x.n, d.name FROM (SELECT dept_id, count(*) AS n FROM emp WHERE dept_id < 30 GROUP BY
dept_id) x JOIN dept d ON d.dept_id = x.dept_id ORDER BY x.dept_id;

-- query: bound_through_inner_into_left
SELECT e.emp_id, d.name, k.t FROM emp e JOIN dept d ON e.dept_id = d.dept_id LEFT JOIN keys_a k ON k.k =
d.dept_id WHERE e.dept_id <= 20 ORDER BY e.emp_id, k.t;

-- query: left_without_partner
SELECT e.emp_id, d.dept_id, d.name, coalesce(d.city, 'none') AS city FROM emp e LEFT JOIN dept d ON
e.dept_id = d.dept_id AND d.budget > 100 WHERE d.dept_id IS NULL AND e.salary > 1000 ORDER BY e.emp_id;

-- query: left_without_partner_or_null
SELECT e.emp_id, d.name FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id WHERE d.city IS NULL
ORDER BY e.emp_id;

-- query: left_without_partner_grouped
SELECT d.city, count(*), count(d.name) FROM emp e LEFT JOIN dept d ON e.dept_id = d.dept_id WHERE
d.dept_id IS NULL GROUP BY d.city ORDER BY d.city;

-- query: left_without_partner_not_distinct
SELECT e.emp_id FROM emp e LEFT JOIN dept d ON e.dept_id IS NOT DISTINCT FROM d.dept_id WHERE d.dept_id
IS NULL ORDER BY e.emp_id;

-- query: left_without_partner_joined
SELECT a.k, a.t, d.name, b.k AS bk FROM keys_a a LEFT JOIN keys_b b ON a.k = b.k JOIN dept d ON d.dept_id
= a.k * 10 WHERE b.k IS NULL ORDER BY a.k, a.t;

-- query: name_of_a_join
SELECT j.k, j.x, j.y FROM (keys_a a JOIN keys_b b ON a.k = b.k) AS j (k, x, other, y) ORDER BY 1, 2, 3;

-- query: name_of_a_join_star
SELECT j.* FROM (keys_a a LEFT JOIN keys_b b USING (k)) AS j ORDER BY 1, 2, 3;

-- query: name_of_a_join_of_joins
SELECT j.name, j.budget FROM ((emp e JOIN (SELECT dept_id, budget FROM dept) d USING (dept_id)) AS j
LEFT JOIN keys_a a ON a.k = j.emp_id) ORDER BY 1, 2;

-- query: name_of_a_join_twice
SELECT j.k, l.k AS lk FROM (keys_a a CROSS JOIN keys_b b) AS j (k, t, l, u), (keys_a a JOIN keys_b b USING (k)) AS l (k, v, w)
WHERE j.k = l.k ORDER BY 1, 2, j.t, j.u, l.v, l.w;

-- query: name_of_using
SELECT a.t, u.k, b.t AS bt FROM keys_a a JOIN keys_b b USING (k) AS u WHERE u.k > 1 ORDER BY 1, 2, 3;

-- query: name_of_using_star
SELECT u.* FROM keys_a a FULL JOIN keys_b b USING (k) AS u ORDER BY 1;
