Arithmetic, rounding, the scale of decimals, the printing of doubles.

-- query: integer_arithmetic
SELECT id, x, y, x / y AS quotient, x % y AS rest FROM pairs ORDER BY id;

-- query: integer_add
SELECT id, x + y AS plus, x - y AS minus FROM pairs WHERE id <= 10 ORDER BY id;

-- query: integer_multiply
SELECT id, x * y AS times FROM pairs WHERE id <= 10 ORDER BY id;

-- query: bigint_arithmetic
SELECT id, x::bigint * y AS times, x::bigint * x AS squared, -x::bigint AS negated FROM pairs
ORDER BY id;

-- query: mod_function
SELECT id, mod(x, y) AS m, mod(p, q) AS n FROM pairs ORDER BY id;

-- query: numeric_arithmetic
SELECT id, p, q, p + q AS plus, p - q AS minus, p * q AS times FROM pairs ORDER BY id;

-- query: numeric_division
SELECT id, p / q AS quotient FROM pairs ORDER BY id;

-- query: numeric_modulus
SELECT id, p % q AS rest FROM pairs ORDER BY id;

-- query: numeric_division_constants (any order)
SELECT 1 / 3.0 AS a, 10 / 4.0 AS b, 2.00 / 3 AS c, 1000000 / 7.0 AS d, 0.0001 / 3 AS e, 1.0 / 1.0 AS f,
       123456789 / 0.00001 AS g, -1 / 3.0 AS h, 0 / 3.0 AS i, 99999.99 / 100 AS j;

-- query: numeric_division_small (any order)
SELECT 0.000001 / 3 AS a, 1 / 1000000.0 AS b, 0.5 / 0.000003 AS c, 7 / 9999.0 AS d, 9999 / 7.0 AS e,
       10000 / 7.0 AS f, 1.5 / 1e3 AS g;

-- query: integer_division_constants (any order)
SELECT 7 / 2 AS a, -7 / 2 AS b, 7 / -2 AS c, 7 % 2 AS d, -7 % 2 AS e, 7 % -2 AS f, 1 / 2 * 2.0 AS g;

-- query: mixed_types (any order)
SELECT 1 + 1.50 AS a, 2 * 0.5::double precision AS b, 1.5 + 1::double precision AS c,
       3000000000 + 1 AS d, 1 + 3000000000 AS e, 2147483647::bigint + 1 AS f;

-- query: unary_minus (any order)
SELECT -5 AS a, - -5 AS b, -(-5.50) AS c, +5 AS d, -0.0 AS e, -(1 - 2) AS f;

-- query: precedence (any order)
SELECT 2 + 3 * 4 AS a, (2 + 3) * 4 AS b, 10 - 4 - 3 AS c, 100 / 10 / 5 AS d, 2 + 10 % 4 AS e,
       -2 * -3 AS f;

-- query: null_arithmetic (any order)
SELECT 1 + NULL AS a, NULL * 0 AS b, -(NULL::int) AS c, NULL::numeric / 2 AS d;

-- query: abs_sign
SELECT id, abs(x) AS ax, abs(p) AS ap, sign(p) AS sp, sign(x::double precision) AS sx FROM pairs
WHERE x > -2147483648 OR x IS NULL ORDER BY id;

-- query: round_numeric (any order)
SELECT round(2.5) AS a, round(-2.5) AS b, round(0.5) AS c, round(1.4999) AS d, round(3.5) AS e,
       round(-0.5) AS f, round(78.00) AS g;

-- query: round_to (any order)
SELECT round(2.345, 2) AS a, round(-2.345, 2) AS b, round(1234.5, -2) AS c, round(1250, -2) AS d,
       round(1.1, 5) AS e, round(0.05, 1) AS f, round(99.995, 2) AS g, round(5, -1) AS h;

-- query: round_double (any order)
SELECT round(2.5::double precision) AS a, round(3.5::double precision) AS b,
       round(-2.5::double precision) AS c, round('1e300'::double precision) AS d;

-- query: floor_ceil
SELECT id, floor(p) AS f, ceil(p) AS c, ceiling(q) AS cq FROM pairs ORDER BY id;

-- query: floor_ceil_double
SELECT id, floor(f) AS f, ceil(f) AS c, trunc(f) AS t FROM floats WHERE abs(f) < 1e10 AND f <> 0
ORDER BY id;

-- query: floor_of_integers (any order)
SELECT floor(5) AS a, ceil(-5) AS b, round(7) AS c;

-- query: trunc_numeric (any order)
SELECT trunc(2.99) AS a, trunc(-2.99) AS b, trunc(2.999, 2) AS c, trunc(1299, -2) AS d,
       trunc(0.1, 3) AS e;

-- query: sqrt_power (any order)
SELECT sqrt(2::double precision) AS a, power(2::double precision, 10::double precision) AS b,
       sqrt(0::double precision) AS c, power(2::double precision, 0.5::double precision) AS d;

-- query: power_operator
SELECT 2 ^ 10 AS a, 2::double precision ^ -1 AS b, (-2)::double precision ^ 3 AS c ORDER BY 1;

-- query: greatest_least
SELECT id, greatest(x, y) AS g, least(x, y) AS l, greatest(p, q, 0) AS gn, least(1, NULL, x) AS ln
FROM pairs ORDER BY id;

-- query: greatest_text (any order)
SELECT greatest('b', 'a', 'C') AS a, least('b', 'a', 'C') AS b, greatest(NULL::text, NULL) AS c;

-- query: double_printing
SELECT id, f FROM floats ORDER BY id;

-- query: double_order
SELECT id, f FROM floats ORDER BY f DESC, id;

-- query: double_nan_compare
SELECT id FROM floats WHERE f >= 'Infinity' ORDER BY id;

-- query: double_nan_equal
SELECT a.id, b.id AS other FROM floats a JOIN floats b ON a.f = b.f WHERE a.id <> b.id OR a.id = 26
ORDER BY a.id, other;

-- query: double_distinct
SELECT count(DISTINCT f) AS n FROM floats ORDER BY n;

-- query: double_arithmetic
SELECT id, f + 1 AS plus, f * 3 AS times, f / 3 AS quotient FROM floats
WHERE abs(f) < '1e100' AND (f = 0 OR abs(f) > '1e-100') ORDER BY id;

-- query: double_sums (any order)
SELECT 0.1::double precision + 0.2::double precision AS a, 1e16::double precision + 1 AS b,
       1::double precision / 3 AS c, 100::double precision * 1.1 AS d, 1e20::double precision AS e,
       1e-7::double precision AS f, 123456789.123456789::double precision AS g;

-- query: sums_of_numerics (any order)
SELECT sum(p) AS p, sum(q) AS q, sum(x) AS x, sum(y) AS y FROM pairs;

-- query: scale_of_sum (any order)
SELECT 1.0 + 1.00 AS a, 1.0 * 1.00 AS b, 1.10 - 1.1 AS c, 78.0 * 1 AS d, 1e2 + 0.5 AS e;

-- query: large_numerics (any order)
SELECT 12345678901234567890 + 1 AS a, 99999999999999999999 * 9 AS b,
       12345678901234567.89 - 0.01 AS c, 9223372036854775807 + 1.0 AS d;

-- query: large_literals (any order)
SELECT 9223372036854775807 AS a, 9223372036854775808 AS b, -9223372036854775808 AS c,
       2147483648 AS d, 0.000000000000000000000000000001 AS e, 1e10 AS f, 1.5e-3 AS g;

-- query: money
SELECT id, m * 1.21 AS with_tax, round(m * 1.21, 2) AS rounded, m / 3 AS third FROM everything
WHERE abs(m) < 1000 ORDER BY id;

-- query: percent (any order)
SELECT round(100.0 * count(*) FILTER (WHERE quantity > 5) / count(*), 2) AS percent FROM sales;

-- query: numeric_by_integer
SELECT id, p * 3 AS a, 3 * p AS b, p / 2 AS c, p + x AS d FROM pairs ORDER BY id;

-- query: exp_ln (any order)
SELECT round(exp(1::double precision)::numeric, 10) AS e, round(ln(10::double precision)::numeric, 10) AS l;
