Casts between all types, explicit and implied.

-- query: int_to_others (any order)
SELECT 42::bigint AS a, 42::numeric AS b, 42::numeric(10,2) AS c, 42::double precision AS d,
       42::text AS e, 1::boolean AS f, 0::boolean AS g;

-- query: numeric_to_int (any order)
SELECT 2.5::int AS a, 3.5::int AS b, -2.5::int AS c, 2.4999::int AS d, 0.5::bigint AS e, -0.4::int AS f;

-- query: double_to_int (any order)
SELECT 2.5::double precision::int AS a, 3.5::double precision::int AS b,
       (-2.5)::double precision::int AS c, 1e15::double precision::bigint AS d;

-- query: double_to_numeric
SELECT id, f::numeric AS n FROM floats WHERE abs(f) < 1e16 AND (abs(f) > 1e-10 OR f = 0) ORDER BY id;

-- query: double_to_text
SELECT id, f::text AS t FROM floats ORDER BY id;

-- query: numeric_to_double
SELECT id, n::double precision AS d FROM everything ORDER BY id;

-- query: numeric_to_scale (any order)
SELECT 1.005::numeric(10,2) AS a, 1.004::numeric(10,2) AS b, -1.005::numeric(10,2) AS c,
       5::numeric(4,3) AS d, 1.5::numeric(3,0) AS e, 1.5::numeric(5) AS f, 12.3456::decimal(8,3) AS g;

-- query: numeric_to_text
SELECT id, n::text AS n, m::text AS m FROM everything ORDER BY id;

-- query: text_to_numbers (any order)
SELECT '42'::int AS a, '-42'::bigint AS b, '1.50'::numeric AS c, '1e3'::numeric AS d,
       '2.5'::double precision AS e, ' 7 '::int AS f, '1.005'::numeric(10,2) AS g;

-- query: text_column_to_number
SELECT id, (id::text || '.50')::numeric AS n FROM logic ORDER BY id;

-- query: text_to_boolean (any order)
SELECT 'true'::boolean AS a, 'f'::boolean AS b, 'YES'::boolean AS c, '0'::boolean AS d, 'on'::boolean AS e;

-- query: boolean_to_others (any order)
SELECT true::int AS a, false::int AS b, true::text AS c, false::text AS d;

-- query: boolean_column_to_text
SELECT id, a::text AS t, a::int AS i FROM logic ORDER BY id;

-- query: text_to_dates (any order)
SELECT '2024-02-29'::date AS a, '2024-02-29 12:34:56'::timestamp AS b, '12:34'::time AS c,
       '2024-02-29'::timestamp AS d, '2024-02-29T01:02:03.5'::timestamp AS e;

-- query: dates_to_text
SELECT id, dt::text AS d, ts::text AS t, ts::time::text AS h FROM everything ORDER BY id;

-- query: timestamp_to_date
SELECT id, ts::date AS d, dt::timestamp AS t, ts::time AS h FROM everything ORDER BY id;

-- query: cast_syntax (any order)
SELECT CAST('7' AS int) AS a, CAST(7.6 AS integer) AS b, int '5' AS c, numeric '1.10' AS d,
       date '2024-01-01' AS e, int8 '9' AS f, float8 '1.5' AS g, bool 't' AS h;

-- query: type_aliases (any order)
SELECT 1::int4 AS a, 1::int8 AS b, 1::integer AS c, 1::decimal AS d, 1::float8 AS e, 1::float AS f,
       'x'::varchar AS g, 'x'::text AS h, true::bool AS i;

-- query: null_casts (any order)
SELECT NULL::int AS a, NULL::text AS b, NULL::date AS c, NULL::numeric(10,2) AS d, NULL::boolean AS e;

-- query: implied_by_literal
SELECT id FROM everything WHERE i = '42' AND n > '70' AND dt > '1960-01-01' ORDER BY id;

-- query: implied_in_case (any order)
SELECT CASE WHEN true THEN 1 ELSE 2.5 END AS a, CASE WHEN false THEN 1 ELSE 2.5 END AS b,
       coalesce(NULL, 1, 2.50) AS c, coalesce(NULL, 'x') AS d;

-- query: implied_in_union
SELECT 1 AS v UNION ALL SELECT 2.50 UNION ALL SELECT NULL ORDER BY v;

-- query: cast_in_group
SELECT amount::int AS whole, count(*) AS n FROM sales WHERE amount < 10 GROUP BY amount::int
ORDER BY whole;

-- query: bigint_to_int
SELECT id, l::int AS i FROM everything WHERE l BETWEEN -100 AND 100 ORDER BY id;

-- query: int_to_text_and_back
SELECT id, x::text::int = x AS same FROM pairs ORDER BY id;

-- query: times_with_a_precision (any order)
SELECT '2024-01-01 00:00:00.125'::timestamp(2) AS a, '1999-12-31 23:59:59.985'::timestamp(2) AS b, '1999-12-31 23:59:59.5'::timestamp(0) AS c,
       time(3) '10:00:00.12345' AS d, CAST('2024-01-31 23:59:59.999999' AS timestamp(5)) AS e, timestamp(6) '2024-01-01 00:00:00.123456' AS f

-- query: type_names_as_functions (any order)
SELECT float8(1) AS a, int4('12') AS b, text(5) AS c, bool('yes') AS e, date('2024-01-31 10:00'::timestamp) AS f, 'abc'::name AS g

-- query: fixed_characters
SELECT length(x::char(3)) AS a, x::char(3) || '|' AS b, x::char(3) = 'ab' AS c, upper(x::char(10)) || '.' AS d, CAST(x AS char) || '' AS e,
       (x::char(4))::text AS f, count(*) AS n
FROM (VALUES ('ab'), ('ab   '), ('abcdef'), ('  x '), (''), (NULL)) t(x) GROUP BY x ORDER BY x;
