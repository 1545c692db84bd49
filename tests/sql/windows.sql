row_number, rank and dense_rank; ORDER BY with NULLS FIRST and LAST.

-- query: row_number_all
SELECT emp_id, row_number() OVER (ORDER BY salary DESC NULLS LAST, emp_id) AS place FROM emp
ORDER BY place;

-- query: row_number_partition
SELECT dept_id, emp_id, row_number() OVER (PARTITION BY dept_id ORDER BY salary DESC, emp_id) AS place
FROM emp ORDER BY dept_id, place;

-- query: rank
SELECT emp_id, salary, rank() OVER (ORDER BY salary) AS r, dense_rank() OVER (ORDER BY salary) AS d
FROM emp ORDER BY emp_id;

-- query: rank_partition
SELECT emp_id, rank() OVER (PARTITION BY dept_id ORDER BY salary DESC) AS r,
       dense_rank() OVER (PARTITION BY dept_id ORDER BY salary DESC) AS d
FROM emp ORDER BY emp_id;

-- query: rank_without_order (any order)
SELECT DISTINCT rank() OVER (PARTITION BY dept_id) AS r FROM emp;

-- query: different_windows
SELECT emp_id, row_number() OVER (ORDER BY hired, emp_id) AS by_date,
       rank() OVER (PARTITION BY grade ORDER BY salary) AS in_grade,
       dense_rank() OVER (ORDER BY grade) AS grade_no
FROM emp ORDER BY emp_id;

-- query: named_window
SELECT emp_id, rank() OVER w AS r, dense_rank() OVER w AS d FROM emp
WINDOW w AS (PARTITION BY dept_id ORDER BY salary) ORDER BY emp_id;

-- query: top_per_group
SELECT dept_id, emp_id FROM (
    SELECT dept_id, emp_id, row_number() OVER (PARTITION BY dept_id ORDER BY salary DESC NULLS LAST, emp_id) AS place
    FROM emp) s
WHERE place <= 2 ORDER BY dept_id, place;

-- query: top_one
SELECT shop, product, q FROM (
    SELECT shop, product, q, row_number() OVER (PARTITION BY shop ORDER BY q DESC, product) AS place
    FROM (SELECT shop, product, sum(quantity) AS q FROM sales GROUP BY shop, product) a) b
WHERE place = 1 ORDER BY shop;

-- query: top_rank
SELECT emp_id, dept_id FROM (
    SELECT emp_id, dept_id, rank() OVER (PARTITION BY dept_id ORDER BY salary) AS r FROM emp) s
WHERE r = 1 ORDER BY emp_id;

-- query: top_with_place
WITH ranked AS (
    SELECT product, shop, row_number() OVER (PARTITION BY product ORDER BY count(*) DESC, shop) AS place
    FROM sales GROUP BY product, shop)
SELECT product, place, shop FROM ranked WHERE place < 3 ORDER BY product, place;

-- query: middle_places
SELECT emp_id, place FROM (SELECT emp_id, row_number() OVER (ORDER BY emp_id) AS place FROM emp) s
WHERE place BETWEEN 4 AND 6 ORDER BY place;

-- query: place_not_first
SELECT emp_id FROM (SELECT emp_id, row_number() OVER (PARTITION BY dept_id ORDER BY emp_id) AS p FROM emp) s
WHERE p > 1 AND emp_id < 10 ORDER BY emp_id;

-- query: window_over_aggregate
SELECT shop, sum(amount) AS a, rank() OVER (ORDER BY sum(amount) DESC) AS r FROM sales GROUP BY shop
ORDER BY r, shop;

-- query: window_over_expression
SELECT id, row_number() OVER (PARTITION BY id % 3 ORDER BY -id) AS n FROM logic ORDER BY id;

-- query: window_and_filter
SELECT emp_id, row_number() OVER (ORDER BY emp_id) AS n FROM emp WHERE dept_id = 20 ORDER BY emp_id;

-- query: window_in_expression
SELECT id, 10 * row_number() OVER (ORDER BY id DESC) + 1 AS n FROM logic ORDER BY id;

-- query: window_null_partition
SELECT shop, min(place) AS lo, max(place) AS hi FROM (
    SELECT shop, row_number() OVER (PARTITION BY shop ORDER BY sale_id) AS place FROM sales) s
GROUP BY shop ORDER BY shop;

-- query: window_desc_nulls
SELECT id, rank() OVER (ORDER BY i DESC) AS r, rank() OVER (ORDER BY i DESC NULLS LAST) AS rl,
       rank() OVER (ORDER BY i NULLS FIRST) AS rf
FROM everything ORDER BY id;

-- query: window_text_order
SELECT id, dense_rank() OVER (ORDER BY w) AS d FROM words ORDER BY id;

-- query: window_limit
SELECT emp_id, row_number() OVER (ORDER BY emp_id DESC) AS n FROM emp ORDER BY emp_id LIMIT 3;

-- query: order_nulls_default
SELECT id, i FROM everything ORDER BY i, id;

-- query: order_nulls_default_desc
SELECT id, i FROM everything ORDER BY i DESC, id;

-- query: order_nulls_first
SELECT id, s FROM everything ORDER BY s NULLS FIRST, id;

-- query: order_nulls_last_desc
SELECT id, dt FROM everything ORDER BY dt DESC NULLS LAST, id;

-- query: order_two_directions
SELECT shop, product, sale_id FROM sales WHERE sale_id < 60 ORDER BY shop DESC NULLS LAST, product, sale_id DESC;

-- query: order_booleans
SELECT id, b FROM everything ORDER BY b, id;

-- query: order_booleans_desc
SELECT id, a, b FROM logic ORDER BY a DESC, b NULLS FIRST;

-- query: order_numerics
SELECT id, n FROM everything ORDER BY n DESC NULLS LAST, id;

-- query: order_doubles
SELECT id, d FROM everything ORDER BY d, id;

-- query: order_timestamps
SELECT id, ts FROM everything ORDER BY ts DESC NULLS LAST, id LIMIT 5;

-- query: order_by_hidden
SELECT w FROM words WHERE w IS NOT NULL ORDER BY length(w), w, id LIMIT 10;

-- query: order_by_case
SELECT id FROM logic ORDER BY CASE WHEN a IS NULL THEN 0 WHEN a THEN 1 ELSE 2 END, id;

-- query: order_limit_ties
SELECT quantity, sale_id FROM sales ORDER BY quantity DESC NULLS LAST, sale_id LIMIT 12;

-- query: order_large_limit
SELECT sale_id, amount FROM sales ORDER BY amount, sale_id LIMIT 300 OFFSET 250;

-- query: order_using_null_column
SELECT k, t FROM keys_a ORDER BY t DESC, k DESC;

-- query: string_agg_over
SELECT emp_id, string_agg(name, ',') OVER (PARTITION BY dept_id ORDER BY emp_id) AS so_far,
    string_agg(name, '/') OVER (ORDER BY emp_id DESC ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS around
FROM emp ORDER BY emp_id;

-- query: array_agg_over
SELECT emp_id, array_to_string(array_agg(grade) OVER (PARTITION BY boss_id ORDER BY emp_id), ',', '?') AS grades
FROM emp ORDER BY emp_id;

-- query: string_agg_over_filter
SELECT emp_id, string_agg(name, ',') FILTER (WHERE salary > 3000) OVER (ORDER BY hired, emp_id RANGE UNBOUNDED PRECEDING) AS names
FROM emp WHERE hired IS NOT NULL ORDER BY hired, emp_id;

-- query: string_agg_over_without_delimiter
SELECT emp_id, string_agg(name, NULL) OVER (ORDER BY emp_id ROWS 2 PRECEDING) AS names FROM emp ORDER BY emp_id;
