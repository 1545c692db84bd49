CASE, COALESCE, NULLIF.

-- query: case_searched
SELECT id, CASE WHEN i < 0 THEN 'negative' WHEN i = 0 THEN 'zero' WHEN i > 0 THEN 'positive' END AS sign
FROM everything ORDER BY id;

-- query: case_else
SELECT id, CASE WHEN i > 10 THEN i ELSE -1 END AS v FROM everything ORDER BY id;

-- query: case_simple
SELECT id, CASE i WHEN 42 THEN 'answer' WHEN 13 THEN 'luck' ELSE 'other' END AS word FROM everything
ORDER BY id;

-- query: case_simple_null
SELECT id, CASE a WHEN true THEN 1 WHEN NULL THEN 2 ELSE 3 END AS v FROM logic ORDER BY id;

-- query: case_first_wins (any order)
SELECT CASE WHEN true THEN 'a' WHEN true THEN 'b' END AS v;

-- query: case_guards_division
SELECT id, CASE WHEN id % 2 = 0 THEN 100 / (id % 2 + 1) ELSE 100 / (id % 2) END AS v FROM logic
ORDER BY id;

-- query: case_guards_zero
SELECT id, CASE WHEN x = 0 THEN NULL ELSE y / x END AS v FROM pairs ORDER BY id;

-- query: case_nested
SELECT id, CASE WHEN a THEN CASE WHEN b THEN 'both' ELSE 'first' END ELSE 'none' END AS v FROM logic
ORDER BY id;

-- query: case_types
SELECT id, CASE WHEN id = 1 THEN n WHEN id = 2 THEN i ELSE l END AS v FROM everything WHERE id < 5
ORDER BY id;

-- query: case_null_branch
SELECT id, CASE WHEN id > 3 THEN NULL ELSE id END AS v FROM logic ORDER BY id;

-- query: case_boolean
SELECT id FROM logic WHERE CASE WHEN a IS NULL THEN b ELSE a END ORDER BY id;

-- query: case_in_group
SELECT CASE WHEN amount < 50 THEN 'low' WHEN amount < 150 THEN 'mid' ELSE 'high' END AS band,
       count(*) AS n
FROM sales GROUP BY 1 ORDER BY 1;

-- query: case_dates
SELECT id, CASE WHEN dt < '2000-01-01' THEN dt ELSE '2000-01-01' END AS d FROM everything ORDER BY id;

-- query: coalesce
SELECT id, coalesce(i, l, -1) AS v, coalesce(s, 'none') AS s FROM everything ORDER BY id;

-- query: coalesce_types (any order)
SELECT coalesce(1, 2.5) AS a, coalesce(NULL, NULL, 3) AS b, coalesce(NULL::text, 'x') AS c,
       coalesce(NULL::int, NULL) AS d;

-- query: coalesce_lazy
SELECT id, coalesce(x, 100 / (id - 13 + CASE WHEN id = 13 THEN 1 ELSE 0 END)) AS v FROM pairs
WHERE id IN (1, 13, 15) ORDER BY id;

-- query: coalesce_dates
SELECT id, coalesce(ts, dt, '1999-09-09') AS t FROM everything ORDER BY id;

-- query: nullif
SELECT id, nullif(i, 42) AS v, nullif(s, '') AS s, nullif(n, 78) AS n FROM everything ORDER BY id;

-- query: nullif_guards_zero
SELECT id, y / nullif(x, 0) AS v FROM pairs ORDER BY id;

-- query: nullif_null (any order)
SELECT nullif(NULL::int, 1) AS a, nullif(1, NULL) AS b, nullif('a', 'a') AS c;

-- query: and_guards_division
SELECT id FROM pairs WHERE CASE WHEN x <> 0 THEN y / x > 0 ELSE false END ORDER BY id;

-- query: boolean_expressions
SELECT id, x > y AS gt, x = y AS eq, x > 0 AND y > 0 AS both, NOT (x > 0) AS no FROM pairs ORDER BY id;

-- query: in_as_value
SELECT id, x IN (7, 10) AS found, x BETWEEN 0 AND 10 AS inside, p LIKE NULL AS nothing FROM
(SELECT id, x, p::text AS p FROM pairs) s ORDER BY id;
