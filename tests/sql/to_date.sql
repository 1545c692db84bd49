to_date and to_timestamp: texts read by a pattern.

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

-- query: all_fields (any order)
SELECT t, p, to_date(t, p) AS d FROM (VALUES ('2005 52 7', 'IYYY IW ID'), ('2005363', 'IYYYIDDD'), ('05527', 'IYIWID'), ('2000 366', 'YYYY DDD'), ('2011 12  18', 'YYYY MM DD'),
    ('3 4 21 01', 'W MM CC YY'), ('20 19 5', 'CC YY MM'), ('2458872', 'J'), ('2016-XII-03', 'YYYY-RM-DD'), ('1,999 02', 'Y,YYY MM'), ('995-01', 'YYY-MM'), ('5-01', 'Y-MM'),
    ('44-02-01 BC', 'YYYY-MM-DD BC'), ('44-02-01 b.c.', 'YYYY-MM-DD A.D.'), ('2nd of May 2020', 'DDTH "of" Month YYYY'), ('2020 Q3', 'YYYY "Q"Q'), ('2001-01-09', 'FXYYYY-MM-DD'),
    ('  20240131', 'YYYYMMDD'), ('2024#01?31', 'YYYY-MM-DD'), ('20000-1130', 'YYYY-MMDD'), ('9-1130', 'Y-MMDD'), ('21', 'CC'), ('7 BC', 'CC BC'),
    ('monday 05 mar 2018', 'DAY DD MON YYYY'), ('2018 10', 'YYYY WW')) AS v (t, p)

-- query: zones_in_texts (any order)
SELECT t, p, to_timestamp(t, p) AS s FROM (VALUES ('2011-12-18 11:38 -05', 'YYYY-MM-DD HH12:MI TZH'), ('2011-12-18 11:38 +05:20', 'YYYY-MM-DD HH12:MI TZH:TZM'),
    ('2011-12-18 11:38 20', 'YYYY-MM-DD HH12:MI TZM'), ('2011-12-18 23:38:15', 'YYYY-MM-DD HH24:MI:SS'), ('2018-11-02 12:34:56.123456', 'YYYY-MM-DD HH24:MI:SS.FF3'),
    ('2018-11-02 12:34:56.1', 'YYYY-MM-DD HH24:MI:SS.US'), ('2018-11-02 45296', 'YYYY-MM-DD SSSSS'), ('15:16', 'HH24:MI'), ('2000 + JUN', 'YYYY  MON'), ('2000 -10', 'YYYY TZH')) AS v (t, p)
