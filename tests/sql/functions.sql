Functions of texts and numbers beyond the common ones, and regular expressions with places.

-- query: codes
SELECT id, initcap(w) AS i, ascii(w) AS a, bit_length(w) AS b, md5(w) AS m FROM words ORDER BY id;

-- query: chr (any order)
SELECT chr(65) AS a, chr(233) AS b, chr(8364) AS c, chr(128512) AS d, ascii(chr(128512)) AS e,
       to_hex(255) AS f, to_hex(-1) AS g, to_hex(-1::bigint) AS h, to_hex(0) AS i;

-- query: md5_blocks
SELECT n, md5(repeat('x', n)) AS m FROM generate_series(50, 70) AS g(n) ORDER BY n;

-- query: translate
SELECT id, translate(w, 'aeiouñ', 'AEI€') AS a, translate(w, '', 'x') AS b, translate(w, w, '') AS c
FROM words ORDER BY id;

-- query: overlay
SELECT id, overlay(w PLACING 'xyz' FROM 2) AS a, overlay(w PLACING 'é' FROM 3 FOR 5) AS b,
       overlay(w PLACING '' FROM 1 FOR 1) AS c, overlay(w PLACING '-' FROM 2 FOR 0) AS d
FROM words ORDER BY id;

-- query: initcap (any order)
SELECT initcap('hi THOMAS o''neil 2nd élan_x ÑANDÚ') AS a, initcap('') AS b, initcap(NULL) AS c;

-- query: quotes
SELECT id, quote_literal(w) AS l, quote_ident(w) AS i, quote_nullable(w) AS n FROM words ORDER BY id;

-- query: quote_values (any order)
SELECT quote_literal(42.5) AS a, quote_literal('a\b''c') AS b, quote_nullable(NULL) AS c,
       quote_ident('select') AS d, quote_ident('name') AS e, quote_ident('aB') AS f,
       quote_ident('_a1') AS g, quote_ident('1a') AS h, quote_literal(true) AS i;

-- query: unistr (any order)
SELECT unistr('\0064at\+0000E9 \u0061 \U00000062 \\ \D83D\DE00') AS a;

-- query: format
SELECT id, format('%s=%L as %I|%10s|%-10s|%%', id, w, w, w, w) AS f FROM words
WHERE w IS NOT NULL ORDER BY id;

-- query: format_positions (any order)
SELECT format('%2$s %1$s %s', 'a', 'b') AS a, format('%*s|%-*s|', 5, 'x', 4, 'y') AS b,
       format('%1$*2$s|', 'z', -4) AS c, format('Hello') AS d, format(NULL) AS e,
       format('%s %L', NULL, NULL) AS f, format('%s %s %s', true, 1.50, date '2024-01-31') AS g,
       format('%-3s|%3s|', 'é', 'ñ') AS h;

-- query: regexp_instr
SELECT id, regexp_instr(w, '[aeiou]') AS a, regexp_instr(w, '[aeiou]', 2, 2) AS b,
       regexp_instr(w, '([a-z])([aeiou])', 1, 1, 1) AS c,
       regexp_instr(w, '([a-z])([AEIOU])', 1, 1, 0, 'i', 2) AS d,
       regexp_instr(w, 'a', 100) AS e
FROM words ORDER BY id;

-- query: regexp_substr
SELECT id, regexp_substr(w, '[a-z](a|e)') AS a, regexp_substr(w, '[a-z]', 2, 2) AS b,
       regexp_substr(w, '([A-Z])(.)', 1, 1, 'i', 2) AS c, regexp_substr(w, '(.)\1') AS d,
       regexp_substr(w, w) IS NULL AS e
FROM words WHERE w ~ '^\w*$' ORDER BY id;

-- query: regexp_place
SELECT id, regexp_count(w, '.', 3) AS a, regexp_count(w, '[AE]', 1, 'i') AS b,
       regexp_replace(w, '[aeiou]', '<\&>', 2) AS c, regexp_replace(w, '[aeiou]', '_', 1, 2) AS d,
       regexp_replace(w, '[AEIOU]', '_', 1, 0, 'i') AS e, regexp_replace(w, '[aeiou]', '_', 3, 0) AS f
FROM words ORDER BY id;

-- query: similar
SELECT id, w SIMILAR TO '%(a|e)%' AS a, w NOT SIMILAR TO '_+' AS b, w SIMILAR TO '[a-z]*' AS c,
       w SIMILAR TO '%x%%' ESCAPE 'x' AS d, w SIMILAR TO '_{2,5}' AS e, w SIMILAR TO NULL AS f
FROM words ORDER BY id;

-- query: similar_substring (any order)
SELECT substring('abcdefg' SIMILAR 'a#"(b_d)#"%' ESCAPE '#') AS a,
       substring('abcdefg' SIMILAR '#"(b_d)#"%' ESCAPE '#') AS b,
       substring('abcdefg' SIMILAR 'a*#"%#"g*' ESCAPE '#') AS c,
       substring('abcdefg' SIMILAR 'a#"%#"x|g' ESCAPE '#') AS d,
       substring('abcdefg' SIMILAR 'a#"%|ab#"g' ESCAPE '#') AS e,
       substring('abcdefg' SIMILAR 'a#"%#"g' ESCAPE '#') AS f,
       substring('abcdefg' SIMILAR '%#"c%' ESCAPE '#') AS g,
       substring('abcabc' FROM '%#"b_#"%' FOR '#') AS h,
       substring('a.c' SIMILAR 'a.c' ESCAPE '') AS i, 'a\b' SIMILAR TO 'a\\b' AS j;

-- query: degrees
SELECT d, sind(d) AS a, cosd(d) AS b,
       CASE WHEN d % 180 <> 90 THEN tand(d) END AS c, CASE WHEN d % 180 <> 0 THEN cotd(d) END AS e
FROM generate_series(-360, 360, 30) AS g(d) ORDER BY d;

-- query: arcs (any order)
SELECT asind(0.5) AS a, acosd(-0.5) AS b, atand(-1) AS c, atan2d(1, -1) AS d, acosd(0) AS e,
       asin(1) AS f, acos(-1) AS g, atan(1) AS h, atan2(-1, 0) AS i, pi() AS j, degrees(pi()) AS k,
       radians(180) AS l, cot(1) AS m, sin(0) AS n, cos(0) AS o, tan('nan') AS p;

-- query: hyperbolic (any order)
SELECT sinh(0) AS a, cosh(0) AS b, tanh('infinity') AS c, asinh('-infinity') AS d, acosh(1) AS e,
       atanh(1) AS f, atanh(-1) AS g, sinh('-inf') AS h, cbrt(27) AS i, cbrt(-0.001) AS j,
       ||/ 8 AS k, |/ 2 AS l, @ -5.5 AS m, @ (-7) AS n;

-- query: bits
SELECT id, x & y AS a, x | y AS b, x # y AS c, ~x AS d, x << 3 AS e, x >> 1 AS f,
       x::bigint << 33 AS g, x::bigint & 255 AS h
FROM pairs WHERE abs(x::bigint) < 1000000 ORDER BY id;

-- query: small_bits (any order)
SELECT 5::smallint & 3::smallint AS a, 1::smallint << 15 AS b, (-8) >> 1 AS c, 1 << 33 AS d, ~5::smallint AS e,
       (1::bigint << 62) >> 60 AS f, '12' & 10 AS g;

-- query: divisors
SELECT id, gcd(x, y) AS a, lcm(x::bigint, y::bigint) AS b, gcd(p, q) AS c, lcm(p, q) AS d
FROM pairs WHERE abs(x::bigint) < 1000000 AND abs(y::bigint) < 1000000 ORDER BY id;

-- query: divisors_numeric (any order)
SELECT gcd(330.3, 462) AS a, lcm(330.3, 462) AS b, gcd(0.0, 0.00) AS c, lcm(0, 5.50) AS d,
       gcd('nan', 3::numeric) AS e, lcm('inf'::numeric, 3) AS f,
       gcd(123456789012345678901234567890, 9876543210987654321098765432100) AS g,
       gcd((-2147483648)::bigint, 6) AS h, gcd(0, -5) AS i;

-- query: factorial
SELECT n, factorial(n) AS f FROM generate_series(0, 40) AS g(n) ORDER BY n;

-- query: scales
SELECT id, n, scale(n) AS a, min_scale(n) AS b, trim_scale(n) AS c FROM everything ORDER BY id;

-- query: scales_long (any order)
SELECT trim_scale(1.10::numeric(60, 50)) AS a, min_scale(100.000) AS b, scale('nan'::numeric) AS c,
       trim_scale('inf'::numeric) AS d, trim_scale(120.00) AS e;

-- query: width_bucket
SELECT id, width_bucket(x, -10, 10, 5) AS a, width_bucket(p, 5.5, -5.5, 4) AS b,
       width_bucket(p::double precision, 0.1, 0.9, 3) AS c
FROM pairs ORDER BY id;

-- query: width_bucket_edges (any order)
SELECT width_bucket(10.0, 0, 10, 5) AS a, width_bucket(0.0, 0, 10, 5) AS b, width_bucket(9.99, 0, 10, 5) AS c,
       width_bucket('inf'::numeric, 0, 10, 5) AS d, width_bucket('-inf'::double precision, 0, 10, 5) AS e,
       width_bucket(0::numeric, 10, 0, 5) AS f, width_bucket(10::double precision, 10, 0, 5) AS g;

-- query: to_number (any order)
SELECT to_number('-34,338,492', '99G999G999') AS a, to_number('-34,338,492.654,878', '99G999G999D999G999') AS b,
       to_number('<564646.654564>', '999999.999999PR') AS c, to_number('0.00001-', '9.999999S') AS d,
       to_number('5.01-', 'FM9.999999S') AS e, to_number('5.01-', 'FM9.999999MI') AS f,
       to_number('5 4 4 4 4 8 . 7 8', '9 9 9 9 9 9 . 9 9') AS g, to_number('.01', 'FM9.99') AS h,
       to_number('.0', '99999999.99999999') AS i, to_number('0', '99.99') AS j,
       to_number('.-01', 'S99.99') AS k, to_number('.01-', '99.99S') AS l,
       to_number(' . 0 1-', ' 9 9 . 9 9 S') AS m, to_number('34,50', '999,99') AS n,
       to_number('123,000', '999G') AS o, to_number('$1234.56', 'L9,999.99') AS p,
       to_number('42nd', '99th') AS q, to_number('123456', '99999V99') AS r, to_number('x', '') AS s;

-- query: to_char_marks (any order)
SELECT to_char(1234.5678, '9.99EEEE') AS a, to_char(-0.000123, '9.9EEEE') AS b, to_char(0, '9.99EEEE') AS c,
       to_char(1234567::bigint, '9.999EEEE') AS d, to_char(9.996e10::double precision, '9.99EEEE') AS e,
       to_char(1, '9TH') AS f, to_char(12, '99th') AS g, to_char(22, 'FM99th') AS h, to_char(-3, '9th') AS i,
       to_char(485, 'RN') AS j, to_char(1999, 'FMrn') AS k, to_char(4000, 'RN') AS l, to_char(3.7, 'FMRN') AS m,
       to_char(12.45, '99V9') AS n, to_char(12, '99V999') AS o, to_char(3.5, 'L9.9') AS p,
       to_char(12.4::real, '999.99999999') AS q, to_char('nan'::numeric, '9.99EEEE') AS r,
       to_char(9.995, '9.99EEEE') AS s;

-- query: null_counts
SELECT id, num_nulls(a, b) AS n, num_nonnulls(a, b, id) AS m FROM logic ORDER BY id;

-- query: types (any order)
SELECT pg_typeof(1) AS a, pg_typeof(1.5) AS b, pg_typeof('x'::text) AS c, pg_typeof(now) AS d,
       pg_typeof(1::real) AS e, pg_typeof(time '10:00') AS f, pg_typeof(NULL) AS g
FROM (SELECT timestamp '2024-01-31' AS now) t;

-- query: bit_aggregates
SELECT dept_id, bit_and(emp_id) AS a, bit_or(emp_id) AS b, bit_xor(emp_id) AS c,
       bit_or(emp_id::bigint) AS d, bit_xor(DISTINCT emp_id::smallint) AS e, bit_and(boss_id) AS f
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: bit_windows
SELECT emp_id, bit_xor(emp_id) OVER (ORDER BY emp_id ROWS 2 PRECEDING) AS a,
       bit_or(emp_id) FILTER (WHERE emp_id > 2) OVER (ORDER BY emp_id) AS b
FROM emp ORDER BY emp_id;

-- query: regression (any order)
SELECT regr_count(y, x) AS a, regr_sxx(y, x) AS b, regr_syy(y, x) AS c, regr_sxy(y, x) AS d,
       regr_avgx(y, x) AS e, regr_avgy(y, x) AS f, regr_r2(y, x) AS g, regr_slope(y, x) AS h,
       regr_intercept(y, x) AS i
FROM (VALUES (2, 1), (4, 2), (6, 3), (8, 4), (NULL, 5), (9, NULL)) t(y, x);

-- query: regression_edges (any order)
SELECT regr_count(y, x) AS a, regr_slope(y, x) AS b, regr_r2(y, x) AS c, regr_r2(x, y) AS d, regr_sxx(y, x) AS e,
       regr_intercept(x, y) AS f, regr_avgx(y, x) FILTER (WHERE x > 100) AS g
FROM (VALUES (2, 1), (4, 1), (6, 1)) t(y, x);

-- query: regression_infinite (any order)
SELECT regr_sxx(y, x) AS a, regr_avgy(y, x) AS b, regr_slope(y, x) AS c
FROM (VALUES (1.0::double precision, 2.0::double precision), ('inf', 3)) t(y, x);

-- query: time_sums (any order)
SELECT sum(t) AS a, avg(t) AS b FROM (VALUES (time '10:00'), (time '23:59:59.5'), (NULL)) v(t);

-- query: make_times (any order)
SELECT make_time(8, 15, 23.5) AS a, make_timestamp(2013, 7, 15, 8, 15, 23.5) AS b, make_time(24, 0, 0) AS c,
       make_timestamp(2024, 12, 31, 23, 59, 60) AS d;

-- query: overlaps (any order)
SELECT (date '2001-02-16', date '2001-12-21') OVERLAPS (date '2001-10-30', date '2002-10-30') AS a,
       (date '2001-02-16', interval '100 days') OVERLAPS (date '2001-10-30', date '2002-10-30') AS b,
       (date '2001-10-29', date '2001-10-30') OVERLAPS (date '2001-10-30', date '2001-10-31') AS c,
       (date '2001-10-30', date '2001-10-30') OVERLAPS (date '2001-10-30', date '2001-10-31') AS d,
       (time '10:00', time '12:00') OVERLAPS (time '11:00', time '13:00') AS e,
       (timestamp '2000-01-01', NULL) OVERLAPS (timestamp '2000-01-01', timestamp '2000-01-02') AS f,
       (NULL::timestamp, timestamp '2000-01-05') OVERLAPS (timestamp '2000-01-06', timestamp '2000-01-09') AS g,
       (timestamp '2000-01-05', timestamp '2000-01-01') OVERLAPS (timestamp '2000-01-02', timestamp '2000-01-03') AS h;

-- query: to_char_of_infinite_reals
SELECT to_char(x, 'MI99.99') AS a, to_char(x::double precision, 'MI99.99') AS b, to_char(x::numeric, 'MI99.99') AS c
FROM (VALUES ('-Infinity'::real), ('Infinity'), ('NaN'), (4.2e9)) t(x) ORDER BY x;
