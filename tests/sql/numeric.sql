Decimals of any length, NaN and infinities: what does not fit 128 bits.

-- query: thirds (any order)
SELECT 100.0 / 3 * (100.0 / 3) AS a, 1 / 3.0 * 1 / 3.0 * 1 / 3.0 AS b, (2 / 3.0) * (2 / 3.0) * (2 / 3.0) AS c;

-- query: product_of_averages (any order)
SELECT avg(p) * avg(p) AS square, avg(p) * avg(q) AS product, avg(p * p) - avg(p) * avg(p) AS spread
FROM pairs;

-- query: squared_differences (any order)
SELECT sum((p - mean) * (p - mean)) AS total, sum(power(p - mean, 2)) AS powers
FROM pairs, (SELECT avg(p) AS mean FROM pairs) m;

-- query: powers_by_row
SELECT id, power(p, 3) AS cube, p ^ 5 AS fifth, power(abs(p) + 1, q / 10) AS any FROM pairs WHERE abs(q) < 100 ORDER BY id;

-- query: long_arithmetic
SELECT id, n + 1e40 AS plus, n - 1e-40 AS minus, n * 1e40 AS times, n / 7e40 AS quotient, n % 1e-40 AS rest
FROM everything ORDER BY id;

-- query: long_products
SELECT id, n * n AS squared, n * n * n AS cubed, -(n * n * n) AS negated, abs(n * n * n) AS absolute
FROM everything ORDER BY id;

-- query: long_rounding
SELECT id, round(n * n / 3, 5) AS r, trunc(n * n / 3, 30) AS t, ceil(n * n / 3) AS c, floor(-n * n / 3) AS f,
       sign(-n * n * n) AS s
FROM everything ORDER BY id;

-- query: long_constants (any order)
SELECT 12345678901234567890123456789012345678901234567890 + 1 AS a, 1e-50 * 1e-50 AS b, 0e-40 AS c,
       -99999999999999999999999999999999999 - 1 AS d,
       99999999999999999999999999999999999 * 99999999999999999999999999999999999 AS e,
       12345678901234567890123456789012345678901234567890.5 / 3.7 AS f;

-- query: whole_quotients
SELECT id, div(p, q) AS a, div(p * 1e40, 7) AS b FROM pairs WHERE q <> 0 ORDER BY id;

-- query: special_values (any order)
SELECT 'NaN'::numeric + 1 AS a, 'Infinity'::numeric - 'inf' AS b, '-Infinity'::numeric * 0 AS c,
       5 / 'Infinity'::numeric AS d, 'Infinity'::numeric % 5 AS e, 5 % 'Infinity'::numeric AS f,
       'NaN'::numeric / 0 AS g, -'Infinity'::numeric AS h, sign('NaN'::numeric) AS i,
       round('Infinity'::numeric, 2) AS j, floor('-Infinity'::numeric) AS k, sqrt('Infinity'::numeric) AS l;

-- query: special_comparisons (any order)
SELECT 'NaN'::numeric = 'NaN' AS a, 'NaN'::numeric > 'Infinity' AS b, 'Infinity'::numeric > 1e100 AS c,
       '-Infinity'::numeric < -1e100 AS d, 1e40 = 1.0e40 AS e, 1e40 < 1e41 AS f, 1e40 BETWEEN 1 AND 1e41 AS g,
       1.0000000000000000000000000000000000000000 = 1 AS h, 1e40 IN (1, 1e40) AS i, greatest(1e40, 2) AS j,
       least(1e-40, 2) AS k;

-- query: roots (any order)
SELECT sqrt(2.0) AS a, sqrt(1e40) AS b, sqrt(0.0) AS c, sqrt(0.000001) AS d, sqrt(123456789.123456789) AS e;

-- query: exponentials (any order)
SELECT exp(1.0) AS a, exp(0.0) AS b, exp(-1.5) AS c, exp(100.0) AS d, exp(-100.0) AS e, exp(0.001) AS f;

-- query: logarithms (any order)
SELECT ln(2.0) AS a, ln(0.5) AS b, ln(1.0) AS c, ln(1.0001) AS d, ln(0.99999999) AS e, ln(1e100) AS f,
       log(100.0) AS g, log(2.0, 64.0) AS h, log(3.0, 5.5) AS i, log(0.5, 2.0) AS j, log(1.5) AS k,
       log10(0.001) AS l;

-- query: logarithms_by_row
SELECT id, ln(abs(p) + 1) AS l, log(abs(q) + 2) AS t, sqrt(abs(p)) AS r, exp(p / 1000) AS e FROM pairs
WHERE abs(p) < 10000 ORDER BY id;

-- query: powers (any order)
SELECT power(2.0, 3) AS a, power(2.0, 0.5) AS b, power(2.0, -3) AS c, power(1.1, 100) AS d, power(0.1, 20) AS e,
       power(1.0000001, 1000000) AS f, power(-2.0, 3) AS g, 2.5 ^ 2.5 AS h, 0.0 ^ 0 AS i, 10.0 ^ -5 AS j,
       99.9 ^ 9.9 AS k, 2 ^ 10 AS l, power(0.5, 17) AS m;

-- query: double_powers_stay_doubles (any order)
SELECT sqrt(2) AS a, power(2, 0.5::double precision) AS b, exp(1) AS c, ln(2) AS d, log(1000) AS e;

-- query: long_casts (any order)
SELECT 1e60::double precision AS a, 1e308::double precision::numeric AS b, 1e-300::double precision::numeric AS c,
       'nan'::double precision::numeric AS d, '1e40'::numeric::text AS e, 1.23456::numeric(50,45) AS f,
       12345::numeric(5,-2) AS g, 0.00012345::numeric(3,5) AS h,
       12345678901234567890123456789012345678901.5::numeric(60,3) AS i,
       9223372036854775807.0000000000000000000000000000000000000000001::bigint AS j;

-- query: long_from_text
SELECT id, (id::text || '00000000000000000000000000000000000000.5')::numeric AS n FROM pairs WHERE id <= 3 ORDER BY id;

-- query: long_where
SELECT id, n FROM everything WHERE n * n > 1e30 ORDER BY id;

-- query: long_where_long_constant
SELECT id, n FROM everything WHERE n < 1e40 AND n > -1e40 AND n <> 1e50 ORDER BY id;

-- query: long_case
SELECT id, CASE WHEN n > 0 THEN n * 1e40 WHEN n < 0 THEN n * 1e-40 ELSE 0 END AS c,
       coalesce(n, 1e40) AS d, nullif(n, 1e40) AS e
FROM everything ORDER BY id;

-- query: long_sums
SELECT b, sum(n * 1e40) AS s, avg(n * 1e40) AS a, min(n * 1e40) AS low, max(n * 1e40) AS high
FROM everything GROUP BY b ORDER BY b;

-- query: sums_out_of_128_bits
SELECT b, sum(n * 1e30) AS s, avg(n * 1e30) AS a, sum(n / 3e10) AS t FROM everything GROUP BY b ORDER BY b;

-- query: long_deviations (any order)
SELECT stddev(n * 1e20) AS s, variance(n * 1e20) AS v, stddev_pop(n * 1e-40) AS sp, var_pop(n * 1e-40) AS vp
FROM everything;

-- query: deviations_with_all_digits (any order)
SELECT stddev(p) AS s, variance(p) AS v, stddev_pop(p * q) AS sp, var_pop(p * q) AS vp, variance(n) AS n
FROM pairs, (SELECT n FROM everything WHERE id = 1) e;

-- query: special_aggregates (any order)
SELECT sum(x) AS s, avg(x) AS a, min(x) AS low, max(x) AS high, stddev(x) AS d
FROM (SELECT 'NaN'::numeric AS x UNION ALL SELECT 1.5 UNION ALL SELECT 'Infinity') v;

-- query: infinite_sums (any order)
SELECT sum(x) AS s, avg(x) AS a, variance(x) AS d
FROM (SELECT '-Infinity'::numeric AS x UNION ALL SELECT 1.5 UNION ALL SELECT 'Infinity') v;

-- query: long_groups
SELECT n * 1e40 AS k, count(*) AS c FROM everything WHERE id <> 7 GROUP BY n * 1e40 ORDER BY k;

-- query: long_distinct
SELECT DISTINCT id % 3 + 1e-40 AS k FROM pairs ORDER BY k;

-- query: long_count_distinct (any order)
SELECT count(DISTINCT id % 3 + 1e40) AS c, sum(DISTINCT id % 3 + 1e40) AS s FROM pairs;

-- query: long_order
SELECT id, n * 1e40 AS k FROM everything ORDER BY k DESC NULLS LAST, id;

-- query: long_order_mixed
SELECT x FROM (SELECT 1e40 AS x UNION ALL SELECT -1e40 UNION ALL SELECT 1e-40 UNION ALL SELECT -1e-40
    UNION ALL SELECT 'NaN' UNION ALL SELECT 'Infinity' UNION ALL SELECT '-Infinity' UNION ALL SELECT 0
    UNION ALL SELECT 1.5 UNION ALL SELECT -1.5 UNION ALL SELECT 1e41
    UNION ALL SELECT 12345678901234567890123456789012345678901234567890.5) v
ORDER BY x;

-- query: long_join
SELECT a.id, b.id AS other FROM pairs a JOIN pairs b ON a.id + 1e40 = b.id * 2 + 1.0e40 WHERE b.id <= 5
ORDER BY a.id, b.id;

-- query: long_windows
SELECT id, sum(p * 1e40) OVER (ORDER BY id) AS running, avg(p * 1e40) OVER (ORDER BY id ROWS 2 PRECEDING) AS moving,
       max(p * 1e40) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS high
FROM pairs ORDER BY id;

-- query: long_ranges
SELECT id, count(*) OVER (ORDER BY id * 1e40 RANGE BETWEEN 1e40 PRECEDING AND 2e40 FOLLOWING) AS c FROM pairs
ORDER BY id;

-- query: long_percentiles (any order)
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY p * 1e40) AS middle, mode() WITHIN GROUP (ORDER BY (id % 2) * 1e40) AS often
FROM pairs;

-- query: long_to_char (any order)
SELECT to_char(1e40, 'FM9999999999999999999999999999999999999999999999.00') AS a, to_char(12.5, '999.99') AS b;

-- query: rounding_at_the_limits (any order)
SELECT round(4.4e131071, -131071) = 4e131071 AS a, round(4.5e131071, -131072) AS b, round(5.5e131071, -1000000) AS c,
       round(5e-16383, 1000000) = 5e-16383 AS d, round(5e-16383, 16382) = 1e-16382 AS e, trunc(9.9e131071, -131071) = 9e131071 AS f,
       trunc(9.9e131071, -131073) AS g, trunc(5e-16383, 16383) = 5e-16383 AS h
