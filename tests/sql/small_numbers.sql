smallint and real: their ranges, rounding, results and texts.

-- query: real_texts (any order)
SELECT 1.1::real AS a, 100000::real AS b, 1000000::real AS c, 999999::real AS d, 1234567::real AS e, 123456.7::real AS f,
       0.0001::real AS g, 0.00001::real AS h, 1e20::real AS i, 1e-20::real AS j, 3.4028235e38::real AS k,
       -0.1::real AS l, 16777217::real AS m, 'NaN'::real AS n, '-Infinity'::real AS o, 1e-45::real AS p, 0::real AS q,
       1.5::real AS r, 12345.678::real AS s, 0.3::real AS t;

-- query: real_casts (any order)
SELECT 1.1::real::double precision AS a, 0.1::real::numeric AS b, 1234567.8::real::numeric AS c, 1.5::real::int AS d,
       2.5::real::int AS e, 1.1::real::text AS f, '3.14159265358979'::real AS g, 1e10::double precision::real AS h,
       123456789::real::bigint AS i, 16777216.5::numeric::real AS j;

-- query: real_arithmetic (any order)
SELECT 1.1::real + 2.2::real AS a, 1.1::real * 3.3::real AS b, 1::real / 3::real AS c, 1.1::real - 1::real AS d,
       -(1.1::real) AS e, abs(-1.1::real) AS f, 1.1::real + 1 AS g, 1.1::real + 1.1 AS h, 1.1::real * 2::double precision AS i,
       1::smallint + 1.5::real AS j, sqrt(2::real) AS k, round(2.5::real) AS l, ceil(1.1::real) AS m, 2::real ^ 3::real AS n;

-- query: real_comparisons (any order)
SELECT 1.1::real = 1.1 AS a, 1.1::real = 1.1::real AS b, 1.5::real = 1.5 AS c, 1.1::real > 1 AS d, 1.1::real < 1.1 AS e,
       'NaN'::real > 1e38::real AS f, greatest(1.1::real, 2) AS g, least(1.1::real, 2.2::real) AS h,
       coalesce(NULL, 1.1::real, 2) AS i, CASE WHEN true THEN 1.1::real ELSE 2.5 END AS j;

-- query: smallint_arithmetic (any order)
SELECT 7::smallint / 2::smallint AS a, 32767::smallint + 1 AS b, -7::smallint % 2::smallint AS c, 100::smallint * 300::smallint AS d,
       abs(-5::smallint) AS e, 1::smallint + 1::bigint AS f, 7::smallint / 2.0 AS g, mod(7::smallint, 3::smallint) AS h,
       '12'::smallint AS i, 12.5::smallint AS j, 12.5::double precision::smallint AS k, (-32768)::smallint AS l;

-- query: smallint_dates (any order)
SELECT date '2024-01-31' + 1::smallint AS a, 1::smallint + date '2024-01-31' AS b, date '2024-01-31' - 1::smallint AS c;

-- query: aggregates_by_row
SELECT id % 3 AS k, sum(id::smallint) AS s, avg(id::smallint) AS a, min(id::smallint) AS low, max(id::smallint) AS high,
       stddev(id::smallint) AS d, count(DISTINCT id::smallint) AS c
FROM pairs GROUP BY id % 3 ORDER BY k;

-- query: real_aggregates
SELECT id % 3 AS k, sum(id::real / 4) AS s, avg((id / 8.0)::real) AS a, min((id / 10.0)::real) AS low, max((id / 10.0)::real) AS high,
       stddev_pop(id::real) AS d
FROM pairs GROUP BY id % 3 ORDER BY k;

-- query: real_groups
SELECT (id % 4 / 10.0)::real AS k, count(*) AS c FROM pairs GROUP BY (id % 4 / 10.0)::real ORDER BY k DESC;

-- query: real_windows
SELECT id, sum(id::real) OVER (ORDER BY id) AS s, sum(id::smallint) OVER (ORDER BY id) AS t FROM pairs ORDER BY id;

-- query: real_joins
SELECT a.id, b.id AS other FROM pairs a JOIN pairs b ON (a.id / 10.0)::real = (b.id / 10.0)::real WHERE a.id <= 4 ORDER BY a.id;

-- query: union_of_numbers
SELECT 1::smallint AS n UNION ALL SELECT 1.1::real UNION ALL SELECT 70000 ORDER BY n;
