Values that break a rule while a query runs. The message says where in the query.

-- query: division_by_zero
SELECT id, 10 / (id - 3) AS v FROM logic;

-- query: division_by_zero_second_line
SELECT id,
       x / (y - y) AS v
FROM pairs;

-- query: numeric_division_by_zero
SELECT p / (q - q) AS v FROM pairs;

-- query: double_division_by_zero
SELECT f / 0 AS v FROM floats;

-- query: modulus_by_zero
SELECT 5 % (id - id) AS v FROM logic;

-- query: constant_division_by_zero
SELECT 1 / 0 AS v;

-- query: int_overflow
SELECT i + 1 AS v FROM everything;

-- query: int_multiply_overflow
SELECT i * 2 AS v FROM everything;

-- query: bigint_overflow
SELECT l + 1 AS v FROM everything;

-- query: negation_overflow
SELECT -i AS v FROM everything WHERE id = 5;

-- query: abs_overflow
SELECT abs(l) AS v FROM everything;

-- query: bigint_to_int_overflow
SELECT l::int AS v FROM everything;

-- query: numeric_overflow
SELECT power(n + 1e131071, 2) AS v FROM everything;

-- query: numeric_logarithm_of_zero
SELECT ln(n - n) AS v FROM everything;

-- query: numeric_nan_to_integer
SELECT (n + 'NaN')::int AS v FROM everything;

-- query: numeric_beyond_double
SELECT (n + 1e400)::double precision AS v FROM everything;

-- query: numeric_field_overflow
SELECT m::numeric(4,2) AS v FROM everything;

-- query: double_overflow
SELECT d * 10 AS v FROM everything;

-- query: text_not_an_integer
SELECT w::int AS v FROM words;

-- query: text_not_a_date
SELECT w::date AS v FROM words;

-- query: text_not_a_boolean
SELECT w::boolean AS v FROM words;

-- query: sqrt_of_negative
SELECT sqrt(f) AS v FROM floats;

-- query: ln_of_zero
SELECT ln(f) AS v FROM floats WHERE f = 0;

-- query: negative_substring
SELECT substring(w, 1, -1) AS v FROM words;

-- query: split_part_zero
SELECT split_part(w, ',', 0) AS v FROM words;

-- query: bad_date
SELECT make_date(2023, 2, id + 25) AS v FROM logic;

-- query: error_in_where
SELECT id FROM logic WHERE 10 / (id - 5) > 1;

-- query: error_in_join
SELECT a.id FROM logic a JOIN logic b ON a.id = 10 / (b.id - 5);

-- query: error_in_group
SELECT 10 / (id - 5) AS v, count(*) FROM logic GROUP BY 1;

-- query: error_in_aggregate
SELECT sum(10 / (id - 5)) AS v FROM logic;

-- query: error_after_group
SELECT a, 1 / (count(*) - 3) AS v FROM logic GROUP BY a;

-- query: error_in_having
SELECT a FROM logic GROUP BY a HAVING 1 / (count(*) - 3) > 0;

-- query: error_in_order
SELECT id FROM logic ORDER BY 1 / (id - 2);

-- query: sum_int_overflow
SELECT sum(l)::bigint AS v FROM everything WHERE l > 0;

-- query: interval_add_overflow
SELECT span + interval '1 year' AS v FROM spans;

-- query: interval_negate_overflow
SELECT -span AS v FROM spans;

-- query: interval_multiply_overflow
SELECT span * 2 AS v FROM spans;

-- query: interval_division_by_zero
SELECT span / (id - id) AS v FROM spans;

-- query: interval_text
SELECT w::interval AS v FROM words;

-- query: interval_text_range
SELECT (id || '000000000000 days')::interval AS v FROM logic;

-- query: interval_literal
SELECT interval '1 fortnight';

-- query: interval_literal_range
SELECT interval '3000000000 days';

-- query: interval_literal_fields
SELECT interval 'x' day;

-- query: interval_unit
SELECT extract(week FROM span) FROM spans;

-- query: interval_trunc_unit
SELECT date_trunc('week', span) FROM spans;

-- query: interval_make_range
SELECT make_interval(years => 200000000);

-- query: interval_make_name
SELECT make_interval(day => 1);

-- query: interval_operator
SELECT span * span FROM spans;

-- query: date_plus_literal
SELECT hired + '1 day' FROM emp;

-- query: timestamp_plus_interval_range
SELECT ts + interval '300000 years' AS v FROM everything;

-- query: timestamp_minus_interval_range
SELECT hired - interval '9000 years' AS v FROM emp;

-- query: date_bin_months
SELECT date_bin('1 month', at, timestamp '2024-01-01') FROM events;

-- query: date_bin_zero
SELECT date_bin('0 days', at, timestamp '2024-01-01') FROM events;

-- query: interval_sum_range
SELECT sum(span) FROM spans CROSS JOIN logic WHERE spans.id = 16;

-- query: to_date_text
SELECT to_date(name, 'YYYY-MM-DD') FROM emp;

-- query: to_date_range
SELECT to_date('2023-02-29', 'YYYY-MM-DD');

-- query: to_timestamp_hour
SELECT to_timestamp('2024-01-01 13', 'YYYY-MM-DD HH12');

-- query: smallint_sum
SELECT (id + 32766)::smallint + 10::smallint AS v FROM pairs WHERE id = 1;

-- query: smallint_cast
SELECT (id + 40000)::smallint AS v FROM pairs WHERE id = 1;

-- query: smallint_text
SELECT (id::text || '0000')::smallint AS v FROM pairs WHERE id = 7;

-- query: real_overflow
SELECT (id * 1e38)::real * 10::real AS v FROM pairs WHERE id = 1;

-- query: real_cast_overflow
SELECT (id * 1e39)::double precision::real AS v FROM pairs WHERE id = 1;

-- query: series_from_nan
SELECT * FROM generate_series('nan'::numeric, 100, 10);

-- query: series_with_an_infinite_step
SELECT * FROM generate_series(0::numeric, 42, '-inf'::numeric);

-- query: byte_outside
SELECT set_byte('\x12'::bytea, 1, 0);

-- query: bit_outside
SELECT get_bit('\x12'::bytea, 8);

-- query: infinite_dates_apart
SELECT date 'infinity' - date '2024-01-01';

-- query: infinite_timestamps_apart
SELECT timestamp 'infinity' - timestamp '2024-01-01';

-- query: bins_from_infinity
SELECT date_bin('1 day', timestamp '2024-01-01', timestamp 'infinity');
