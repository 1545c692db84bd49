What PostgreSQL does not let a recursive query be either, and those that never end.

-- query: no_union
WITH RECURSIVE x(n) AS (SELECT n FROM x) SELECT * FROM x;

-- query: intersect
WITH RECURSIVE x(n) AS (SELECT 1 INTERSECT SELECT n + 1 FROM x) SELECT * FROM x;

-- query: starts_with_itself
WITH RECURSIVE x(n) AS (SELECT n FROM x UNION ALL SELECT 1) SELECT * FROM x;

-- query: in_a_subquery
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT id FROM logic WHERE id IN (SELECT n FROM x)) SELECT * FROM x;

-- query: optional_side
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT x.n FROM logic LEFT JOIN x ON n = id) SELECT * FROM x;

-- query: optional_side_on_the_left
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT x.n FROM x RIGHT JOIN logic ON n = id) SELECT * FROM x;

-- query: full_join
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT x.n FROM x FULL JOIN logic ON n = id) SELECT * FROM x;

-- query: intersect_all
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (SELECT n + 1 FROM x INTERSECT ALL SELECT id FROM logic)) SELECT * FROM x;

-- query: except_all
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (SELECT id FROM logic EXCEPT ALL SELECT n FROM x)) SELECT * FROM x;

-- query: twice
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT a.n + 1 FROM x a JOIN x b ON a.n = b.n) SELECT * FROM x;

-- query: aggregate
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT max(n) + 1 FROM x) SELECT * FROM x;

-- query: in_its_own_with
WITH RECURSIVE x(n) AS (WITH y AS (SELECT n FROM x) SELECT 0 UNION SELECT n FROM y) SELECT * FROM x;

-- query: order_by
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x ORDER BY 1) SELECT * FROM x;

-- query: limit_
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x LIMIT 10) SELECT * FROM x;

-- query: offset_
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x OFFSET 1) SELECT * FROM x;

-- query: another_type
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1.5 FROM x WHERE n < 4) SELECT * FROM x;

-- query: no_common_type
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT true FROM x WHERE n < 4) SELECT * FROM x;

-- query: another_count
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n, n FROM x WHERE n < 4) SELECT * FROM x;

-- query: mutual
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM y), y(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT * FROM y;

-- query: not_declared_recursive
WITH x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT * FROM x;

-- query: never_ends
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT 1 - n FROM x) SELECT count(*) FROM x;

-- query: grows_for_ever
WITH RECURSIVE x(n) AS (SELECT id FROM logic UNION ALL SELECT n FROM x CROSS JOIN logic) SELECT count(*) FROM x;

-- query: division_by_zero_in_a_round
WITH RECURSIVE x(n) AS (SELECT 2 UNION ALL SELECT 6 / (n - 1) FROM x) SELECT * FROM x;
