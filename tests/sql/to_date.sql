to_date and to_timestamp: texts read by a pattern. PostgreSQL's to_timestamp has a time zone, hence
the casts.

-- query: dates
SELECT emp_id, to_date(to_char(hired, 'DD/MM/YYYY'), 'DD/MM/YYYY') AS a,
       to_date(to_char(hired, 'FMMonth FMDD, YYYY'), 'Month DD, YYYY') AS b,
       to_date(to_char(hired, 'Dy DD Mon YY'), 'DY DD MON YY') AS c,
       to_date(to_char(hired, 'YYYYMMDD'), 'YYYYMMDD') AS d,
       to_date(to_char(hired, 'YYYY.DDD'), 'YYYY.DDD') AS e FROM emp ORDER BY emp_id;

-- query: timestamps
SELECT event_id, to_timestamp(to_char(at, 'MM/DD/YYYY HH12:MI AM'), 'MM/DD/YYYY HH12:MI PM')::timestamp
       AS a, to_timestamp(to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS'), 'YYYY-MM-DD"T"HH24:MI:SS')::timestamp
       AS b FROM events ORDER BY event_id;

-- query: fractions
SELECT sale_id, to_timestamp(to_char(sold_at, 'YYYY-MM-DD HH24:MI:SS.US'),
       'YYYY-MM-DD HH24:MI:SS.US')::timestamp AS us,
       to_timestamp(to_char(sold_at, 'YYYY-MM-DD HH24:MI:SS.MS'), 'YYYY-MM-DD HH24:MI:SS.MS')::timestamp
       AS ms FROM sales WHERE sale_id < 100 ORDER BY sale_id;

-- query: separators
SELECT t, to_date(t, 'YYYY-MM-DD') AS d FROM (VALUES ('2024-01-31'), ('2024/01/31'), ('2024 01 31'),
       ('  2024 - 1 - 3'), ('2024-1-31 and more'), ('2024-00-10'), ('2024-05'), (NULL))
       v(t) ORDER BY t;

-- query: short
SELECT t, to_timestamp(t, 'YYYY-MM-DD HH24:MI:SS.MS')::timestamp AS d FROM (VALUES ('2024'),
       ('2024-02-29'), ('2024-02-29 5'), ('2024-02-29 05:06'), ('2024-02-29 05:06:07.8')) v(t)
ORDER BY t;
