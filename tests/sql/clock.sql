The clock stands still in a statement, and chance is even: what is true of both whenever they are asked.

-- query: one_clock (any order)
SELECT now() = current_timestamp AS a, now() = transaction_timestamp() AS b, now()::date = current_date AS c,
    localtimestamp::date = current_date AS d, localtime = localtimestamp::time AS e, now() = statement_timestamp() AS f;

-- query: types (any order)
SELECT pg_typeof(now()) AS a, pg_typeof(current_date) AS b, pg_typeof(localtime) AS c, pg_typeof(localtimestamp) AS d,
    pg_typeof(current_timestamp(2)) AS e, pg_typeof(random()) AS f, pg_typeof(age(timestamp '2020-01-01')) AS g;

-- query: of_a_row (any order)
SELECT count(*) AS n FROM emp WHERE hired < current_date AND hired < now() AND age(hired) > interval '1 day' AND hired IS NOT NULL;

-- query: digits (any order)
SELECT current_timestamp(0) = date_trunc('second', current_timestamp(0)) AS a,
    abs(extract(epoch FROM current_timestamp(3) - now())) < 0.001 AS b;

-- query: chance (any order)
SELECT count(*) AS n, min(r) >= 0 AS a, max(r) < 1 AS b, count(DISTINCT r) AS c FROM (SELECT random() AS r FROM generate_series(1, 100)) s;

-- query: all_or_none (any order)
SELECT count(*) FILTER (WHERE random() < 2) AS a, count(*) FILTER (WHERE random() < 0) AS b FROM emp;
