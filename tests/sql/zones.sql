Timestamps with a time zone, in a session in UTC.

-- query: literals (any order)
SELECT timestamptz '2024-07-01 12:00:00+02' AS a, timestamptz '2024-07-01 12:00 America/New_York' AS b,
       timestamptz '2024-01-15 12:00 europe/berlin' AS c, timestamptz 'Mon Feb 10 17:32:01 1997 PST' AS d,
       timestamptz '2024-07-01' AS e, timestamptz '2024-07-01 12:00:00.5-03:30' AS f, timestamptz 'epoch' AS g,
       '20240701T120000+0530'::timestamptz AS h, timestamptz '2024-07-01 12:00 CEST' AS i,
       timestamptz '2024-07-01 12:00Z' AS j, TIMESTAMP WITH TIME ZONE '2024-07-01 12:00+00:00:30' AS k;

-- query: at_zone
SELECT id, ts, ts AT TIME ZONE 'Europe/Berlin' AS a, ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS b,
       ts::timestamptz AT TIME ZONE 'Asia/Kolkata' AS c, timezone('EST', ts) AS d,
       ts AT TIME ZONE interval '-03:30' AS e
FROM everything WHERE ts IS NOT NULL AND extract(year FROM ts) BETWEEN 2 AND 9998 ORDER BY id;

-- query: hours_of_change
SELECT h, timestamptz '2024-03-30 22:00Z' + h * interval '1 hour' AS t,
       (timestamptz '2024-03-30 22:00Z' + h * interval '1 hour') AT TIME ZONE 'Europe/Berlin' AS spring,
       (timestamptz '2024-10-26 22:00Z' + h * interval '1 hour') AT TIME ZONE 'Europe/Berlin' AS autumn,
       (timestamp '2024-03-31 00:00' + h * interval '30 min') AT TIME ZONE 'Europe/Berlin' AS back_spring,
       (timestamp '2024-10-27 00:00' + h * interval '30 min') AT TIME ZONE 'Europe/Berlin' AS back_autumn
FROM generate_series(0, 8) AS g(h) ORDER BY h;

-- query: years
SELECT y, make_timestamptz(y, 7, 1, 12, 0, 0, 'Europe/Berlin') AS a, make_timestamptz(y, 1, 1, 12, 0, 0, 'Australia/Sydney') AS b,
       make_timestamp(y, 7, 1, 12, 0, 0) AT TIME ZONE 'America/Sao_Paulo' AS c,
       make_timestamptz(y, 3, 31, 12, 0, 0) AT TIME ZONE 'Europe/Dublin' AS d,
       make_timestamptz(y, 3, 31, 12, 0, 0) AT TIME ZONE 'Africa/Casablanca' AS e
FROM generate_series(1850, 2500, 13) AS g(y) ORDER BY y;

-- query: arithmetic (any order)
SELECT timestamptz '2024-01-31 12:00Z' + interval '1 month' AS a, timestamptz '2024-03-31 12:00Z' - interval '1 mon 1 day 1:00' AS b,
       timestamptz '2024-03-31 12:00Z' - timestamptz '2024-03-01 13:30+02' AS c, timestamptz '2024-03-31 12:00Z' - date '2024-03-01' AS d,
       timestamptz '2024-03-31 12:00Z' > timestamp '2024-03-31 11:59' AS e, timestamptz '2024-03-31 00:00Z' = date '2024-03-31' AS f,
       age(timestamptz '2024-03-31 12:00Z', timestamptz '2023-01-01 00:00Z') AS g,
       interval '1 day' + timestamptz '2024-03-31 12:00Z' AS h;

-- query: parts (any order)
SELECT extract(year FROM t) AS a, extract(hour FROM t) AS b, extract(epoch FROM t) AS c, extract(timezone FROM t) AS d,
       extract(timezone_hour FROM t) AS e, extract(timezone_minute FROM t) AS f, date_part('dow', t) AS g,
       date_trunc('month', t) AS h, date_trunc('hour', t) AS i, date_trunc('day', t, 'Australia/Sydney') AS j,
       date_trunc('minute', t, 'Asia/Kathmandu') AS k, to_char(t, 'YYYY-MM-DD HH24:MI:SS') AS l, t::date AS m, t::time AS n,
       t::timestamp AS o, t::text AS p, pg_typeof(t) AS q
FROM (SELECT timestamptz '2001-02-16 20:38:40.12-05' AS t) v;

-- query: epochs (any order)
SELECT to_timestamp(0) AS a, to_timestamp(1284352323.5) AS b, to_timestamp(-1.25) AS c, to_timestamp(1719835200) AS d;

-- query: groups
SELECT date_trunc('month', ts::timestamptz) AS m, count(*) AS n, min(ts::timestamptz) AS a, max(ts::timestamptz) AS b
FROM everything GROUP BY 1 ORDER BY 1;

-- query: joins
SELECT a.id, b.id AS other FROM everything a JOIN everything b ON a.ts::timestamptz = b.ts AT TIME ZONE 'UTC'
ORDER BY a.id, b.id;

-- query: texts
SELECT t, t::timestamptz AS v
FROM (VALUES ('2024-07-01 12:00+02'), ('July 1, 2024 12:00 PST'), ('2024-07-01'), ('20240701 120000Z'), (NULL)) x(t)
ORDER BY t;

-- query: zones_by_a_rule (any order)
SELECT '2024-07-01 12:00Z'::timestamptz AT TIME ZONE 'UTC-2' AS a, '2024-07-01 12:00Z'::timestamptz AT TIME ZONE '<+10:30>-10:30' AS b,
       '2024-07-01 12:00Z'::timestamptz AT TIME ZONE 'CST6CDT,M3.2.0,M11.1.0' AS c, '1950-01-01 12:00Z'::timestamptz AT TIME ZONE 'CST6CDT,M3.2.0,M11.1.0' AS d,
       timestamp '2024-11-03 01:30' AT TIME ZONE 'CST6CDT,M3.2.0,M11.1.0' AS e, '2024-07-01 12:00Z'::timestamptz AT TIME ZONE '+02:00' AS f

-- query: abbreviations_of_several_offsets
SELECT t, t::timestamptz AT TIME ZONE 'MSK' AS msk, t::timestamptz AT TIME ZONE 'VET' AS vet,
       t::timestamp AT TIME ZONE 'msk' AS back
FROM (VALUES ('2011-03-26 22:59:59'), ('2011-03-26 23:00:00'), ('2011-03-27 02:30:00'), ('2014-10-25 21:59:59'), ('2014-10-25 22:00:00'),
             ('1980-07-01 12:00:00'), ('2030-01-01 00:00:00')) x(t)
ORDER BY t;

-- query: literals_with_msk (any order)
SELECT timestamptz '2011-03-27 03:00:00 MSK' AS a, timestamptz '2014-10-26 01:30 MSK' AS b, timestamptz '2014-10-25 12:00 YEKT' AS c;

-- query: to_char_offsets
SELECT to_char(t, 'OF|TZH:TZM|HH24') AS utc, to_char(t AT TIME ZONE 'Asia/Kolkata', 'OF|TZH') AS plain, to_char(t, p) AS any_pattern
FROM (VALUES (timestamptz '2024-07-01 12:00Z', 'tzh YYYY'), ('2024-01-01 00:00-03:30', 'of DD'), ('infinity', 'OF'), (NULL, 'OF')) x(t, p)
ORDER BY t, p;

-- query: series_of_moments
SELECT g, count(*) OVER () AS n FROM generate_series(timestamptz '2024-01-31', '2024-06-30', interval '1 month') AS g ORDER BY g;

-- query: series_of_moments_by_the_clock
SELECT generate_series(timestamptz '2024-03-10 00:00Z', '2024-03-10 06:30+01', interval '90 min') AS g ORDER BY g;
