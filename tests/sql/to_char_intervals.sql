to_char of intervals.

-- query: parts
SELECT n, to_char(i, 'YYYY-MM-DD HH24:MI:SS') AS a, to_char(i, 'HH12:MI:SS.MS AM') AS b, to_char(i, 'FMHH24"h" FMMI"m"') AS c,
       to_char(i, 'Y,YYY YYY YY Y CC DDD SSSS US') AS d, to_char(i, 'FF3 FF6 p.m.') AS e, to_char(i, 'HH24TH DDth') AS f
FROM (VALUES (1, interval '1 year 2 mons 3 days 04:05:06.789'), (2, interval '00:00:00'), (3, interval '15h 2m 12s'),
             (4, interval '100:59:59.999999'), (5, interval '13 years 45 days'), (6, interval '1234 years 11 mons'),
             (7, interval '12:30')) v(n, i)
ORDER BY n;

-- query: negative
SELECT n, to_char(i, 'YYYY-MM-DD HH24:MI:SS') AS a, to_char(i, 'HH24 MI') AS b
FROM (VALUES (1, interval '-1 year -2 mons -3 days -04:05:06'), (2, interval '-15h -2m -12s'), (3, interval '-1 day')) v(n, i)
ORDER BY n;

-- query: romans
SELECT i, to_char(i * interval '1 month', 'rm RM FMRM|') AS v FROM generate_series(-25, 25) AS g(i) ORDER BY i;

-- query: durations
SELECT id, to_char(ts - timestamp '2000-01-01', 'DDD HH24:MI:SS') AS v FROM everything
WHERE ts >= timestamp '2000-01-01' ORDER BY id;
