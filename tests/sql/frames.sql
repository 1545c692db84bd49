Window functions beyond ranks, aggregates over windows, and frames.

-- query: distribution
SELECT emp_id, percent_rank() OVER w, cume_dist() OVER w FROM emp
WINDOW w AS (PARTITION BY dept_id ORDER BY salary) ORDER BY emp_id;

-- query: ntile
SELECT emp_id, ntile(4) OVER (ORDER BY emp_id), ntile(3) OVER (PARTITION BY dept_id ORDER BY emp_id),
       ntile(100) OVER (ORDER BY emp_id DESC)
FROM emp ORDER BY emp_id;

-- query: lag_lead
SELECT emp_id, lag(name) OVER w, lead(name) OVER w, lag(salary, 2) OVER w, lead(salary, 2, 0) OVER w FROM emp
WINDOW w AS (PARTITION BY dept_id ORDER BY emp_id) ORDER BY emp_id;

-- query: lag_default_wider
SELECT emp_id, lag(emp_id, 1, -0.5) OVER (ORDER BY emp_id), lead(emp_id, 0) OVER (ORDER BY emp_id),
       lag(emp_id, -1) OVER (ORDER BY emp_id)
FROM emp ORDER BY emp_id;

-- query: lag_offset_of_the_row
SELECT id, lag(id, x) OVER (ORDER BY id), lead(id, y, -1) OVER (ORDER BY id) FROM pairs
WHERE x BETWEEN -20 AND 20 ORDER BY id;

-- query: lag_difference
SELECT emp_id, salary - lag(salary) OVER (ORDER BY emp_id) AS change FROM emp ORDER BY emp_id;

-- query: first_last_nth
SELECT emp_id, first_value(name) OVER w, last_value(name) OVER w, nth_value(name, 2) OVER w, nth_value(salary, 3) OVER w
FROM emp WINDOW w AS (PARTITION BY dept_id ORDER BY emp_id) ORDER BY emp_id;

-- query: last_value_of_all
SELECT emp_id, last_value(name) OVER (PARTITION BY dept_id ORDER BY emp_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
FROM emp ORDER BY emp_id;

-- query: running_sum
SELECT emp_id, sum(salary) OVER (ORDER BY emp_id), count(salary) OVER (ORDER BY emp_id), avg(salary) OVER (ORDER BY emp_id)
FROM emp ORDER BY emp_id;

-- query: running_peers
SELECT emp_id, sum(salary) OVER (ORDER BY grade), count(*) OVER (ORDER BY grade),
       sum(salary) OVER (ORDER BY grade NULLS FIRST)
FROM emp ORDER BY emp_id;

-- query: whole_partition
SELECT emp_id, salary, sum(salary) OVER (PARTITION BY dept_id), count(*) OVER (PARTITION BY dept_id),
       max(salary) OVER (), min(name) OVER (PARTITION BY grade)
FROM emp ORDER BY emp_id;

-- query: share_of_total
SELECT emp_id, round(100 * salary / sum(salary) OVER (PARTITION BY dept_id), 2) AS percent FROM emp
WHERE dept_id IN (10, 20, 30) ORDER BY emp_id;

-- query: rows_moving
SELECT emp_id, avg(salary) OVER (ORDER BY emp_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW),
       sum(emp_id) OVER (ORDER BY emp_id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING),
       min(emp_id) OVER (ORDER BY emp_id ROWS BETWEEN 3 FOLLOWING AND 5 FOLLOWING),
       max(emp_id) OVER (ORDER BY emp_id ROWS BETWEEN 5 PRECEDING AND 3 PRECEDING)
FROM emp ORDER BY emp_id;

-- query: rows_short_form
SELECT emp_id, count(*) OVER (ORDER BY emp_id ROWS 3 PRECEDING), count(*) OVER (ORDER BY emp_id ROWS UNBOUNDED PRECEDING),
       count(*) OVER (ORDER BY emp_id ROWS CURRENT ROW)
FROM emp ORDER BY emp_id;

-- query: rows_to_the_end
SELECT emp_id, sum(salary) OVER (PARTITION BY dept_id ORDER BY emp_id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
FROM emp ORDER BY emp_id;

-- query: rows_empty
SELECT emp_id, sum(salary) OVER (ORDER BY emp_id ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING),
       count(*) OVER (ORDER BY emp_id ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING)
FROM emp ORDER BY emp_id;

-- query: range_int
SELECT emp_id, dept_id, sum(emp_id) OVER (ORDER BY dept_id RANGE BETWEEN 10 PRECEDING AND CURRENT ROW),
       count(*) OVER (ORDER BY dept_id RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING),
       count(*) OVER (ORDER BY dept_id DESC RANGE BETWEEN 10 PRECEDING AND CURRENT ROW)
FROM emp ORDER BY emp_id;

-- query: range_numeric
SELECT emp_id, salary, count(*) OVER (ORDER BY salary RANGE BETWEEN 500 PRECEDING AND 100.5 FOLLOWING),
       sum(salary) OVER (ORDER BY salary RANGE 0 PRECEDING)
FROM emp ORDER BY emp_id;

-- query: range_double
SELECT id, f, count(*) OVER (ORDER BY f RANGE BETWEEN 1 PRECEDING AND 0.5 FOLLOWING) FROM floats ORDER BY id;

-- query: range_unbounded
SELECT emp_id, count(*) OVER (ORDER BY grade RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
       count(*) OVER (ORDER BY grade RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
       count(*) OVER (ORDER BY grade, dept_id RANGE CURRENT ROW)
FROM emp ORDER BY emp_id;

-- query: groups
SELECT emp_id, count(*) OVER (ORDER BY dept_id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW),
       sum(emp_id) OVER (ORDER BY dept_id GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING),
       max(emp_id) OVER (ORDER BY dept_id GROUPS 2 PRECEDING)
FROM emp ORDER BY emp_id;

-- query: values_in_frames
SELECT emp_id, first_value(emp_id) OVER (ORDER BY emp_id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING),
       last_value(emp_id) OVER (ORDER BY emp_id ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING),
       nth_value(emp_id, 2) OVER (ORDER BY emp_id ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING)
FROM emp ORDER BY emp_id;

-- query: several_frames_of_one_window
SELECT emp_id, row_number() OVER w, sum(salary) OVER w, sum(salary) OVER (w ROWS 1 PRECEDING), lead(name) OVER w
FROM emp WINDOW w AS (PARTITION BY dept_id ORDER BY emp_id) ORDER BY emp_id;

-- query: inherited_windows
SELECT emp_id, count(*) OVER p, count(*) OVER q, sum(emp_id) OVER (q ROWS 1 PRECEDING) FROM emp
WINDOW p AS (PARTITION BY dept_id), q AS (p ORDER BY emp_id DESC) ORDER BY emp_id;

-- query: filters
SELECT emp_id, count(*) FILTER (WHERE grade = 'B') OVER (ORDER BY emp_id),
       sum(salary) FILTER (WHERE salary > 3000) OVER (PARTITION BY dept_id)
FROM emp ORDER BY emp_id;

-- query: booleans
SELECT id, bool_and(a) OVER (ORDER BY id), bool_or(b) OVER (ORDER BY id ROWS 1 PRECEDING), every(a) OVER () FROM logic
ORDER BY id;

-- query: deviations
SELECT emp_id, stddev(salary) OVER (PARTITION BY dept_id), var_pop(salary) OVER (ORDER BY emp_id ROWS 3 PRECEDING)
FROM emp ORDER BY emp_id;

-- query: texts_and_dates
SELECT emp_id, min(name) OVER (ORDER BY emp_id DESC), max(hired) OVER (PARTITION BY grade ORDER BY emp_id),
       lag(hired) OVER (PARTITION BY grade ORDER BY emp_id)
FROM emp ORDER BY emp_id;

-- query: over_groups
SELECT dept_id, sum(salary), sum(sum(salary)) OVER (ORDER BY dept_id), rank() OVER (ORDER BY sum(salary) DESC),
       lag(count(*)) OVER (ORDER BY dept_id)
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: month_over_month
SELECT month, total, lag(total) OVER (ORDER BY month) AS before,
       round(100 * (total - lag(total) OVER (ORDER BY month)) / lag(total) OVER (ORDER BY month), 1) AS percent
FROM (SELECT date_trunc('month', sold_at) AS month, sum(amount) AS total FROM sales GROUP BY 1) m
ORDER BY month;

-- query: moving_average_per_shop
SELECT sale_id, shop, avg(amount) OVER (PARTITION BY shop ORDER BY sale_id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)
FROM sales ORDER BY sale_id;

-- query: double_sum_per_product
SELECT sale_id, sum(rate) OVER (PARTITION BY product ORDER BY sale_id),
       max(rate) OVER (PARTITION BY product ORDER BY sale_id ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING)
FROM sales ORDER BY sale_id;

-- query: ranked_beside_sums
SELECT shop, sale_id, amount, total FROM (
    SELECT shop, sale_id, amount, row_number() OVER (PARTITION BY shop ORDER BY amount DESC NULLS LAST, sale_id) AS place,
           sum(amount) OVER (PARTITION BY shop ORDER BY amount DESC NULLS LAST, sale_id
                             ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS total
    FROM sales) x
WHERE place <= 2 ORDER BY shop, sale_id;

-- query: window_in_order_by
SELECT emp_id FROM emp ORDER BY sum(salary) OVER (PARTITION BY dept_id) DESC NULLS LAST, emp_id;

-- query: nothing_at_all
SELECT a, sum(a) OVER (), lag(a) OVER (ORDER BY a) FROM nothing ORDER BY a;

-- query: subquery_in_an_argument
SELECT emp_id, count(*) FILTER (WHERE dept_id IN (SELECT dept_id FROM dept WHERE city = 'Lima')) OVER (ORDER BY emp_id),
       sum(CASE WHEN boss_id IN (SELECT boss_id FROM emp WHERE grade = 'C') THEN 1 ELSE 0 END) OVER (PARTITION BY grade)
FROM emp ORDER BY emp_id;

-- query: windows_of_windows
SELECT emp_id, total, rank() OVER (ORDER BY total DESC NULLS LAST) FROM (
    SELECT emp_id, sum(salary) OVER (PARTITION BY dept_id ORDER BY emp_id) AS total FROM emp) x
ORDER BY emp_id;

-- query: computed_keys_and_arguments
SELECT emp_id, sum(salary * 2) OVER (PARTITION BY coalesce(dept_id, 0) / 20 ORDER BY lower(name)),
       lag(upper(name) || '!', 1, 'none') OVER (ORDER BY -emp_id)
FROM emp ORDER BY emp_id;

-- query: filtered_partitions
SELECT * FROM (SELECT dept_id, emp_id, sum(salary) OVER (PARTITION BY dept_id ORDER BY emp_id) AS s,
                      lead(emp_id) OVER (PARTITION BY dept_id ORDER BY emp_id) AS next
               FROM emp) x
WHERE dept_id = 20 AND next IS NOT NULL ORDER BY emp_id;

-- query: unused_windows
SELECT emp_id, r FROM (SELECT emp_id, sum(salary) OVER (ORDER BY emp_id) AS s, rank() OVER (ORDER BY grade) AS r FROM emp) x
ORDER BY emp_id;

-- query: groups_without_a_window_key
SELECT count(*) OVER (), grade, count(*) FROM emp GROUP BY grade ORDER BY grade;

-- query: correlations
SELECT sale_id, round(corr(amount, rate) OVER (PARTITION BY shop)::numeric, 8),
       round(covar_pop(quantity, rate) OVER (PARTITION BY shop ORDER BY sale_id ROWS 5 PRECEDING)::numeric, 8)
FROM sales ORDER BY sale_id;

-- query: rows_exclude_current_row
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) ORDER BY id;

-- query: rows_exclude_group
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP) ORDER BY id;

-- query: rows_exclude_ties
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) ORDER BY id;

-- query: rows_exclude_no_others
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE NO OTHERS) ORDER BY id;

-- query: range_exclude_current_row
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW) ORDER BY id;

-- query: range_exclude_group
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE GROUP) ORDER BY id;

-- query: range_exclude_ties
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE TIES) ORDER BY id;

-- query: range_exclude_no_others
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE NO OTHERS) ORDER BY id;

-- query: groups_exclude_current_row
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) ORDER BY id;

-- query: groups_exclude_group
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP) ORDER BY id;

-- query: groups_exclude_ties
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) ORDER BY id;

-- query: groups_exclude_no_others
SELECT id, y, sum(x) OVER w, count(*) OVER w, min(x) OVER w, max(y) OVER w, avg(q) OVER w, first_value(y) OVER w, last_value(y) OVER w, nth_value(y, 2) OVER w
FROM pairs WINDOW w AS (ORDER BY y GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE NO OTHERS) ORDER BY id;

-- query: exclude_of_texts_and_filters
SELECT emp_id, min(name) OVER w, max(grade) FILTER (WHERE salary > 3000) OVER w, stddev_pop(salary) OVER w,
    string_agg(name, '+') OVER w, bool_or(salary > 6000) OVER w
FROM emp WINDOW w AS (PARTITION BY dept_id ORDER BY emp_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
ORDER BY emp_id;

-- query: exclude_everything
SELECT id, sum(x) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND CURRENT ROW EXCLUDE CURRENT ROW),
    first_value(x) OVER (ORDER BY id ROWS CURRENT ROW EXCLUDE GROUP), last_value(x) OVER (ORDER BY id ROWS CURRENT ROW EXCLUDE TIES)
FROM pairs ORDER BY id;

-- query: exclude_without_order
SELECT id, sum(x) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW),
    count(*) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES)
FROM pairs ORDER BY id;
