Arguments that functions refuse.

-- query: chr_zero
SELECT chr(0) FROM words;

-- query: chr_negative
SELECT chr(-1) FROM words;

-- query: chr_surrogate
SELECT chr(55296) FROM words;

-- query: unistr_half
SELECT unistr('wrong: \D83D') FROM words;

-- query: unistr_escape
SELECT unistr('wrong: \xyz') FROM words;

-- query: overlay_place
SELECT overlay(w PLACING 'x' FROM 0) FROM words;

-- query: format_few
SELECT format('%s %s', w) FROM words;

-- query: format_type
SELECT format('%x', w) FROM words;

-- query: format_end
SELECT format('%', w) FROM words;

-- query: format_null_name
SELECT format('%I', NULL) FROM words;

-- query: instr_start
SELECT regexp_instr(w, 'a', 0) FROM words;

-- query: instr_n
SELECT regexp_instr(w, 'a', 1, 0) FROM words;

-- query: instr_end
SELECT regexp_instr(w, 'a', 1, 1, 2) FROM words;

-- query: instr_arguments
SELECT regexp_instr(w) FROM words;

-- query: similar_escape
SELECT w SIMILAR TO 'a' ESCAPE 'xy' FROM words;

-- query: similar_separators
SELECT substring(w SIMILAR 'a#"b#"c#"d' ESCAPE '#') FROM words;

-- query: asin_range
SELECT asin(2) FROM words;

-- query: sin_infinite
SELECT sin('inf') FROM words;

-- query: lcm_range
SELECT lcm(2147483647, 2) FROM words;

-- query: gcd_range
SELECT gcd((-2147483648)::int, 0) FROM words;

-- query: factorial_negative
SELECT factorial(-1) FROM words;

-- query: factorial_large
SELECT factorial(40000) FROM words;

-- query: bucket_count
SELECT width_bucket(5.0, 1, 10, 0) FROM words;

-- query: bucket_equal
SELECT width_bucket(5.0::double precision, 1, 1, 3) FROM words;

-- query: bits_numeric
SELECT 1.5 & 1 FROM words;

-- query: to_number_exponent
SELECT to_number('1', '9EEEE') FROM words;

-- query: to_number_nothing
SELECT to_number('abc', '999') FROM words;

-- query: shift_and_point
SELECT to_char(1, '9V9.9') FROM words;

-- query: interval_month_name
SELECT to_char(interval '1 month', 'Month') FROM words;

-- query: bit_or_text
SELECT bit_or(w) FROM words;

-- query: make_time_range
SELECT make_time(10, 60, 0) FROM words;

-- query: make_timestamp_day
SELECT make_timestamp(2023, 2, 29, 0, 0, 0) FROM words;

-- query: variadic_without_an_array
SELECT concat(VARIADIC 1);

-- query: variadic_array_of_a_column
SELECT format('%s', VARIADIC string_to_array(name, 'a')) FROM emp;
