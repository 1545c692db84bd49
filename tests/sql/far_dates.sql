-- Infinity, years before Christ and beyond 9999.

-- query: infinite_values (any order)
SELECT d, d::timestamp AS s, isfinite(d) AS f, d + 10 AS p, d - 10 AS m, extract(year FROM d) AS y, extract(day FROM d) AS dd, extract(epoch FROM d) AS e,
       extract(isoyear FROM d) AS i, extract(dow FROM d) AS w, extract(century FROM d) AS c, to_char(d, 'YYYY') AS t, d > '2024-01-01' AS g
FROM (VALUES (date 'infinity'), ('-infinity'), ('2024-02-29'), (NULL)) AS t (d)

-- query: infinite_timestamps (any order)
SELECT s, s::date AS d, s::time AS t, s + interval '1 mon' AS p, s - interval '1 day' AS m, date_trunc('month', s) AS r, date_bin('1 hour', s, timestamp '2000-01-01') AS b,
       extract(hour FROM s) AS h, extract(julian FROM s) AS j, s::timestamptz AS z, s::text AS x, to_json(s)::text AS k, isfinite(s) AS f
FROM (VALUES (timestamp 'infinity'), ('-infinity'), ('2024-02-29 12:30')) AS t (s)

-- query: infinite_zones (any order)
SELECT z, z AT TIME ZONE 'Europe/Berlin' AS l, z + interval '1 day' AS p, date_trunc('day', z) AS r, isfinite(z) AS f
FROM (VALUES (timestamptz 'infinity'), ('-infinity'), ('2024-02-29 12:30+00')) AS t (z)

-- query: infinite_sorted
SELECT s FROM (VALUES (timestamp 'infinity'), ('-infinity'), ('2024-02-29 12:30'), (NULL), ('0044-03-15 BC')) AS t (s) ORDER BY s

-- query: infinite_aggregates (any order)
SELECT min(d) AS a, max(d) AS b, count(DISTINCT d) AS c, array_agg(d ORDER BY d) AS l FROM (VALUES (date 'infinity'), ('-infinity'), ('infinity'), ('0001-01-01 BC')) AS t (d)

-- query: before_christ (any order)
SELECT d, extract(year FROM d) AS y, extract(decade FROM d) AS e, extract(century FROM d) AS c, extract(millennium FROM d) AS m, extract(isoyear FROM d) AS i,
       extract(dow FROM d) AS w, extract(doy FROM d) AS o, extract(julian FROM d) AS j, extract(epoch FROM d) AS s, to_char(d, 'YYYY BC CC Y,YYY IYYY bc b.c. D DDD') AS t
FROM (VALUES (date '0001-01-01 BC'), ('0044-03-15 BC'), ('4714-11-24 BC'), ('0101-12-31 BC'), ('0100-01-01 BC'), ('0001-01-01'), ('J0'), ('0011-02-28 BC')) AS t (d)

-- query: truncated_to (any order)
SELECT date_trunc('millennium', s) AS a, date_trunc('century', s) AS b, date_trunc('decade', s) AS c, date_trunc('year', s) AS d, date_trunc('quarter', s) AS e,
       date_trunc('month', s) AS f, date_trunc('week', s) AS g, date_trunc('hour', s) AS h
FROM (VALUES (timestamp '0055-08-10 15:16:17 BC'), ('0001-01-01 BC'), ('0004-12-25'), ('1000-01-01'), ('1001-01-01'), ('2000-12-31'), ('99999-12-31 23:59:59.5')) AS t (s)

-- query: far_texts (any order)
SELECT date '2040-04-10 BC' AS a, date 'January 8, 99 BC' AS b, timestamp '205000-01-10 17:32:01' AS c, timestamp 'Sun Nov 24 00:00:00 4714 BC' AS d,
       timestamptz '0044-03-15 12:00+00 BC' AS e, make_date(-44, 3, 15) AS f, make_timestamp(-44, 3, 15, 12, 30, 15) AS g, make_date(12345, 1, 2) AS h,
       date '0044-03-15 BC' - date '0044-03-15' AS i, age(timestamp '0010-01-01', timestamp '0010-01-01 BC') AS j, timestamp '0001-01-01 BC' + interval '1 year' AS k,
       timestamp '9999-12-31' + interval '10 years' AS l

-- query: made_with_offsets (any order)
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '+2') AS a, make_timestamptz(1973, 7, 15, 8, 15, 55.33, '-04:30') AS b,
       date_bin('5 min', timestamptz '2020-02-01 01:01:01+00', timestamptz '2020-02-01 00:02:30+00') AS c

-- query: texts_of_the_clock (any order)
SELECT date 'yesterday' - date 'today' AS a, date 'tomorrow' - date 'yesterday' AS b, timestamptz 'now' = now() AS c, date 'now' = current_date AS d,
       timestamp 'tomorrow 12:30' - timestamp 'today' AS e, timestamp 'today' = current_date AS f, timestamp 'now' = localtimestamp AS g, time 'now' = localtime AS h,
       timestamptz 'tomorrow zulu' - timestamptz 'today zulu' AS i, date 'infinity' > 'today' AS j, 'now'::timestamp(0) = localtimestamp(0) AS k
