FULL JOIN: ON, USING, NATURAL, conditions below and above it; CROSS JOIN.

-- query: full_on
SELECT a.k, a.t, b.k AS bk, b.t AS bt FROM keys_a a FULL JOIN keys_b b ON a.k = b.k
ORDER BY a.k, a.t, bk, bt;

-- query: full_using
SELECT k, a.t, b.t AS bt FROM keys_a a FULL JOIN keys_b b USING (k) ORDER BY k, a.t, bt;

-- query: full_using_star
SELECT * FROM keys_a a FULL OUTER JOIN keys_b b USING (k) ORDER BY 1, 2, 3;

-- query: full_using_two
SELECT * FROM keys_a FULL JOIN keys_b USING (k, t) ORDER BY 1, 2;

-- query: full_natural
SELECT * FROM keys_a NATURAL FULL JOIN keys_b ORDER BY 1, 2;

-- query: full_mixed_types
SELECT k, id FROM keys_a FULL JOIN pairs ON keys_a.k = pairs.p ORDER BY k, id;

-- query: full_using_mixed_types
SELECT x FROM (SELECT k AS x FROM keys_a) a FULL JOIN (SELECT p AS x FROM pairs) b USING (x)
ORDER BY x;

-- query: full_residual
SELECT a.k, a.t, b.k AS bk, b.t AS bt FROM keys_a a FULL JOIN keys_b b ON a.k = b.k AND a.t = b.t
AND a.k > 2 ORDER BY a.k, a.t, bk, bt;

-- query: full_one_sided_condition
SELECT a.k, a.t, b.k AS bk FROM keys_a a FULL JOIN keys_b b ON a.k = b.k AND b.t = 'two'
ORDER BY a.k, a.t, bk;

-- query: full_where_left
SELECT a.k, b.t FROM keys_a a FULL JOIN keys_b b ON a.k = b.k WHERE a.k > 1 ORDER BY a.k, b.t;

-- query: full_where_right
SELECT a.t, b.k FROM keys_a a FULL JOIN keys_b b ON a.k = b.k WHERE b.k > 2 ORDER BY a.t, b.k;

-- query: full_where_both
SELECT a.t, b.k FROM keys_a a FULL JOIN keys_b b ON a.k = b.k WHERE b.k > 2 AND a.t LIKE 't%'
ORDER BY a.t, b.k;

-- query: full_where_null
SELECT a.k, b.k AS bk, b.t FROM keys_a a FULL JOIN keys_b b ON a.k = b.k
WHERE a.k IS NULL OR b.k IS NULL ORDER BY a.k, bk, b.t;

-- query: full_where_merged
SELECT k, a.t, b.t AS bt FROM keys_a a FULL JOIN keys_b b USING (k) WHERE k >= 5 ORDER BY k, a.t, bt;

-- query: full_where_coalesce
SELECT a.k, b.k AS bk FROM keys_a a FULL JOIN keys_b b ON a.k = b.k
WHERE coalesce(a.k, 100) + coalesce(b.k, 100) > 100 ORDER BY a.k, bk;

-- query: full_empty
SELECT a, k FROM nothing FULL JOIN keys_a ON a = k ORDER BY k;

-- query: full_chain
SELECT k, a.t, b.t AS bt, l.a AS la FROM keys_a a FULL JOIN keys_b b USING (k) FULL JOIN
(SELECT id AS k, a FROM logic) l USING (k) ORDER BY k, a.t, bt;

-- query: full_then_left
SELECT coalesce(a.k, b.k) AS k, d.name FROM keys_a a FULL JOIN keys_b b ON a.k = b.k
LEFT JOIN dept d ON d.dept_id = b.k * 10 ORDER BY k, d.name;

-- query: full_grouped
SELECT coalesce(d.name, '?') AS name, count(e.emp_id) AS n FROM dept d FULL JOIN emp e
ON e.dept_id = d.dept_id GROUP BY 1 ORDER BY 1;

-- query: full_expression_keys
SELECT a.k, b.k AS bk FROM keys_a a FULL JOIN keys_b b ON a.k + 1 = b.k * 1 ORDER BY a.k, bk;

-- query: full_join_of_groups
SELECT s, x.n, y.n AS m FROM (SELECT shop AS s, count(*) AS n FROM sales WHERE quantity > 3
GROUP BY shop) x FULL JOIN (SELECT product AS s, count(*) AS n FROM sales GROUP BY product) y
USING (s) ORDER BY s;

-- query: cross_join
SELECT l.id, k.k FROM logic l CROSS JOIN (SELECT DISTINCT k FROM keys_b WHERE k < 4) k
ORDER BY l.id, k.k;

-- query: cross_join_empty (any order)
SELECT l.id FROM logic l CROSS JOIN nothing;

-- query: left_where_right
SELECT a.k, b.t FROM keys_a a LEFT JOIN keys_b b ON a.k = b.k WHERE b.t <> 'TWO' ORDER BY a.k, b.t;

-- query: left_where_not_null
SELECT a.k FROM keys_a a LEFT JOIN keys_b b ON a.k = b.k WHERE b.t IS NOT NULL ORDER BY a.k;

-- query: left_where_or
SELECT a.k, b.t FROM keys_a a LEFT JOIN keys_b b ON a.k = b.k WHERE b.t = 'two' OR a.k = 4
ORDER BY a.k, b.t;

-- query: full_of_all_pairs
SELECT a.k, b.k AS bk FROM keys_a a FULL JOIN keys_b b ON true ORDER BY 1, 2, a.t, b.t;

-- query: full_of_no_pairs
SELECT a.k, b.k AS bk FROM keys_a a FULL JOIN keys_b b ON false ORDER BY 1, 2;

-- query: full_natural_without_common_columns
SELECT a.k, d.n FROM keys_a a NATURAL FULL JOIN (SELECT dept_id AS n FROM dept WHERE dept_id < 30) d ORDER BY 1, 2, a.t;

-- query: full_of_all_pairs_counted
SELECT count(*), count(a.k), count(b.k) FROM keys_a a FULL JOIN keys_b b ON true ORDER BY 1;

-- query: full_with_nothing
SELECT a.k, b.k AS bk FROM keys_a a FULL JOIN (SELECT * FROM keys_b WHERE k > 100) b ON true ORDER BY 1, 2, a.t;
