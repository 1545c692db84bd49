What is wrong with window functions, frames and ordered aggregates.

-- query: frame_negative
SELECT sum(id) OVER (ORDER BY id ROWS -1 PRECEDING) FROM logic;

-- query: frame_backwards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM logic;

-- query: range_of_two_keys
SELECT sum(id) OVER (ORDER BY id, a RANGE 1 PRECEDING) FROM logic;

-- query: range_of_a_text
SELECT count(*) OVER (ORDER BY w RANGE 1 PRECEDING) FROM words;

-- query: groups_without_order
SELECT count(*) OVER (GROUPS 1 PRECEDING) FROM words;

-- query: nested
SELECT sum(rank() OVER ()) OVER () FROM logic;

-- query: distinct_
SELECT count(DISTINCT w) OVER () FROM words;

-- query: lag_types
SELECT lag(w, 1, id) OVER (ORDER BY id) FROM words;

-- query: ntile_zero
SELECT ntile(0) OVER (ORDER BY id) FROM logic;

-- query: nth_value_zero
SELECT nth_value(w, 0) OVER (ORDER BY id) FROM words;

-- query: percentile_range
SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY id) FROM logic;

-- query: percentile_text
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY w) FROM words;

-- query: distinct_order
SELECT string_agg(DISTINCT w, ',' ORDER BY id) FROM words;

-- query: string_agg_number
SELECT string_agg(id, ',') FROM words;

-- query: range_of_a_date_by_days
SELECT count(*) OVER (ORDER BY hired RANGE 7 PRECEDING) FROM emp;

-- query: range_by_a_negative_interval
SELECT count(*) OVER (ORDER BY hired RANGE INTERVAL '-1 day' PRECEDING) FROM emp;

-- query: sum_of_intervals_over_a_frame
SELECT sum(span) OVER (ORDER BY id ROWS 1 PRECEDING) FROM spans;

-- query: window_name_twice
SELECT count(*) OVER w FROM emp WINDOW w AS (ORDER BY emp_id), w AS (PARTITION BY dept_id);
