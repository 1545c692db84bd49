WITH RECURSIVE: rounds over tables, other CTEs and subqueries, as often as there are new rows.

-- query: count_up (any order)
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100)
SELECT sum(n), count(*), max(n) FROM t;

-- query: bosses
WITH RECURSIVE chain AS (
    SELECT emp_id, name, boss_id, 1 AS depth, name AS path FROM emp WHERE boss_id IS NULL
    UNION ALL
    SELECT e.emp_id, e.name, e.boss_id, c.depth + 1, c.path || '/' || e.name
    FROM emp e JOIN chain c ON e.boss_id = c.emp_id
)
SELECT * FROM chain ORDER BY path, emp_id;

-- query: bosses_of_bosses
WITH RECURSIVE up(emp_id, above) AS (
    SELECT emp_id, boss_id FROM emp WHERE boss_id IS NOT NULL
    UNION
    SELECT u.emp_id, e.boss_id FROM up u, emp e WHERE e.emp_id = u.above AND e.boss_id IS NOT NULL
)
SELECT e.name, count(*) AS below, sum(s.salary) FROM up u JOIN emp e ON e.emp_id = u.above JOIN emp s ON s.emp_id = u.emp_id
GROUP BY e.name ORDER BY 2 DESC, 1;

-- query: a_cycle_ends
WITH RECURSIVE edges(a, b) AS (VALUES (1, 2), (2, 3), (3, 1), (3, 4), (5, 6)),
reached(n) AS (SELECT 1 UNION SELECT b FROM edges JOIN reached ON a = n)
SELECT n FROM reached ORDER BY n;

-- query: a_path_remembers
WITH RECURSIVE edges(a, b) AS (VALUES (1, 2), (2, 3), (3, 1), (3, 4), (4, 2)),
walk(n, path) AS (
    SELECT 1, '/1/'
    UNION ALL
    SELECT b, path || b::text || '/' FROM walk JOIN edges ON a = n WHERE path NOT LIKE '%/' || b::text || '/%'
)
SELECT n, path FROM walk ORDER BY path;

-- query: stopped_by_a_limit (any order)
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)
SELECT * FROM t LIMIT 10;

-- query: stopped_by_a_limit_inside (any order)
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n * 2 FROM t)
SELECT sum(n) FROM (SELECT n FROM t LIMIT 8 OFFSET 2) s;

-- query: nothing_to_start_with (any order)
WITH RECURSIVE t(n) AS (SELECT a FROM nothing UNION ALL SELECT n + 1 FROM t WHERE n < 5)
SELECT count(*), sum(n) FROM t;

-- query: nulls_are_one_row
WITH RECURSIVE t(a, b) AS (
    SELECT NULL::int, 0
    UNION
    SELECT a, (b + 1) % 3 FROM t
)
SELECT a, b FROM t ORDER BY b;

-- query: decimals_are_one_row
WITH RECURSIVE t(n) AS (
    SELECT 1.0
    UNION
    SELECT CASE WHEN n < 3 THEN n + 1 ELSE n END FROM t
)
SELECT round(n, 2) FROM t ORDER BY 1;

-- query: reads_a_later_one
WITH RECURSIVE doubled AS (SELECT n * 2 AS n FROM t), t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4)
SELECT n FROM doubled ORDER BY n;

-- query: one_over_another
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5),
u(n, m) AS (SELECT n, n FROM t UNION ALL SELECT u.n, u.m + t.n FROM u JOIN t ON u.n = t.n WHERE u.m < 10)
SELECT n, m FROM u ORDER BY n, m;

-- query: not_recursive_after_all
WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT 2), b AS (SELECT n + 10 AS n FROM a)
SELECT * FROM a UNION SELECT * FROM b ORDER BY 1;

-- query: read_twice
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4)
SELECT a.n, b.n FROM t a JOIN t b ON a.n < b.n ORDER BY 1, 2;

-- query: the_round_twice_by_a_with
WITH RECURSIVE x(a) AS (
    (VALUES ('a'), ('b'))
    UNION ALL
    (WITH z AS (SELECT * FROM x)
     SELECT z.a || z1.a FROM z CROSS JOIN z AS z1 WHERE length(z.a || z1.a) < 5)
)
SELECT * FROM x ORDER BY a;

-- query: a_recursion_in_the_term
WITH RECURSIVE t(n) AS (
    SELECT 1
    UNION
    (WITH RECURSIVE s(m) AS (SELECT n FROM t UNION SELECT m + 1 FROM s WHERE m % 4 <> 0)
     SELECT m * 2 FROM s WHERE m < 20)
)
SELECT n FROM t ORDER BY n;

-- query: windows_in_the_term
WITH RECURSIVE t(n, r) AS (
    SELECT y, 0 FROM pairs
    UNION ALL
    SELECT n, r + (rank() OVER (ORDER BY n))::int FROM t WHERE r < 9 AND n > 0
)
SELECT n, r, count(*) FROM t GROUP BY n, r ORDER BY n, r;

-- query: group_in_the_term
WITH RECURSIVE t(k) AS (
    SELECT k FROM keys_a
    UNION ALL
    SELECT DISTINCT b.k FROM t JOIN keys_b b ON b.k > t.k
)
SELECT k, count(*) FROM t GROUP BY k ORDER BY k;

-- query: limit_in_the_term
WITH RECURSIVE t(name, salary) AS (
    SELECT name, salary FROM emp WHERE salary IS NOT NULL AND emp_id = 1
    UNION ALL
    (SELECT e.name, e.salary FROM t, emp e WHERE e.salary < t.salary ORDER BY e.salary DESC, e.name LIMIT 1)
)
SELECT * FROM t ORDER BY salary DESC;

-- query: outer_join_that_keeps_the_round
WITH RECURSIVE t(id, name) AS (
    SELECT 1, 'start'
    UNION ALL
    SELECT t.id + 1, coalesce(d.name, 'none') FROM t LEFT JOIN dept d ON d.dept_id = t.id * 10 WHERE t.id < 6
)
SELECT * FROM t ORDER BY id;

-- query: subqueries_beside_the_round
WITH RECURSIVE t(n) AS (
    SELECT 1
    UNION ALL
    SELECT n + 1 FROM t WHERE n < (SELECT count(*) FROM dept) AND EXISTS (SELECT 1 FROM keys_a WHERE k = 1) AND n NOT IN (SELECT k FROM keys_b WHERE k > 100)
)
SELECT n FROM t ORDER BY n;

-- query: correlated_subquery_in_the_term
WITH RECURSIVE t(n, s) AS (
    SELECT 1, 0::bigint
    UNION ALL
    SELECT n + 1, (SELECT count(*) FROM emp WHERE emp_id <= n) FROM t WHERE n < 6
)
SELECT n, s FROM t ORDER BY n;

-- query: lateral_in_the_term
WITH RECURSIVE t(n) AS (
    SELECT 1
    UNION
    SELECT m FROM t, LATERAL (SELECT generate_series(t.n, t.n + 2)) g(m) WHERE m < 8
)
SELECT n FROM t ORDER BY n;

-- query: for_every_outer_row
SELECT p.id, (WITH RECURSIVE t(n) AS (SELECT p.id UNION ALL SELECT n + 1 FROM t WHERE n < p.id + 3) SELECT sum(n) FROM t) AS s
FROM pairs p WHERE p.id < 6 ORDER BY 1;

-- query: for_every_outer_row_distinct
SELECT k, (WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT (n * 3) % 7 FROM t WHERE n <> a.k) SELECT string_agg(n::text, ',' ORDER BY n) FROM t) AS s
FROM keys_a a ORDER BY 1, 2;

-- query: below_a_reporting_tree
SELECT d.name, s.depth, s.n
FROM dept d, LATERAL (
    WITH RECURSIVE below AS (
        SELECT emp_id, 0 AS depth FROM emp WHERE dept_id = d.dept_id AND boss_id IS NULL
        UNION ALL
        SELECT e.emp_id, b.depth + 1 FROM emp e JOIN below b ON e.boss_id = b.emp_id
    )
    SELECT depth, count(*) AS n FROM below GROUP BY depth
) s
ORDER BY 1, 2;

-- query: union_of_a_start
WITH RECURSIVE t(n) AS (
    SELECT 1 UNION ALL SELECT 100 UNION ALL SELECT n + 1 FROM t WHERE n % 100 < 4
)
SELECT n FROM t ORDER BY n;

-- query: lists_and_texts
WITH RECURSIVE t(n, items) AS (
    SELECT 1, ARRAY['1']
    UNION ALL
    SELECT n + 1, items || (n + 1)::text FROM t WHERE n < 5
)
SELECT n, array_to_string(items, '-') FROM t ORDER BY n;

-- query: fibonacci
WITH RECURSIVE f(i, a, b) AS (
    SELECT 0, 0::numeric, 1::numeric
    UNION ALL
    SELECT i + 1, b, a + b FROM f WHERE i < 150
)
SELECT i, a FROM f WHERE i % 30 = 0 ORDER BY i;

-- query: in_a_subquery
SELECT name FROM emp WHERE emp_id IN (WITH RECURSIVE t(n) AS (SELECT 2 UNION ALL SELECT n * 2 FROM t WHERE n < 16) SELECT n FROM t) ORDER BY 1;

-- query: full_join_in_the_term
WITH RECURSIVE t(n, m) AS (
    SELECT 1, 1
    UNION ALL
    SELECT t.n + 1, s.k FROM t CROSS JOIN (SELECT coalesce(a.k, b.k) AS k FROM keys_a a FULL JOIN keys_b b ON a.k = b.k) s WHERE t.n < 3 AND s.k > t.m
)
SELECT n, m, count(*) FROM t GROUP BY n, m ORDER BY n, m;

-- query: endless_inside_of_an_endless_one (any order)
WITH RECURSIVE q AS (
    SELECT 1 AS id
    UNION ALL
    (WITH RECURSIVE x AS (SELECT 1 AS id UNION ALL (SELECT * FROM q UNION ALL SELECT * FROM x)) SELECT * FROM x)
)
SELECT id FROM q LIMIT 32;

-- query: endless_in_a_branch (any order)
SELECT count(*) FROM (
    (WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t)
    UNION ALL
    SELECT dept_id FROM dept
    LIMIT 1000
) AS s;
