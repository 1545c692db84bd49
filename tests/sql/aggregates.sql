GROUP BY, HAVING, and the aggregate functions.

-- query: count_star (any order)
SELECT count(*) AS n FROM everything;

-- query: count_column (any order)
SELECT count(b) AS b, count(i) AS i, count(l) AS l, count(n) AS n, count(m) AS m, count(d) AS d,
       count(s) AS s, count(dt) AS dt, count(ts) AS ts
FROM everything;

-- query: count_distinct (any order)
SELECT count(DISTINCT i) AS i, count(DISTINCT n) AS n, count(DISTINCT s) AS s, count(DISTINCT b) AS b,
       count(DISTINCT dt) AS dt, count(DISTINCT d) AS d
FROM everything;

-- query: count_distinct_by_group
SELECT shop, count(DISTINCT product) AS products, count(DISTINCT quantity) AS quantities,
       count(DISTINCT amount) AS amounts
FROM sales GROUP BY shop ORDER BY shop;

-- query: sum_distinct (any order)
SELECT sum(DISTINCT quantity) AS q, avg(DISTINCT quantity) AS a FROM sales;

-- query: count_distinct_and_plain
SELECT product, count(*) AS n, count(DISTINCT shop) AS shops, sum(quantity) AS q FROM sales
GROUP BY product ORDER BY product;

-- query: sums (any order)
SELECT sum(quantity) AS q, sum(amount) AS a, sum(rate) AS r, sum(sale_id) AS s FROM sales;

-- query: sum_int_is_bigint (any order)
SELECT sum(i) AS i FROM everything WHERE id <> 4;

-- query: sum_bigint_is_numeric (any order)
SELECT sum(l) AS l FROM everything WHERE id IN (4, 7, 8);

-- query: sum_big_numerics (any order)
SELECT sum(n) AS n FROM everything WHERE id <> 12 AND id <> 5 AND id <> 4;

-- query: sum_scale (any order)
SELECT sum(n) AS n FROM everything WHERE id IN (7, 8, 10);

-- query: averages (any order)
SELECT avg(quantity) AS q, avg(amount) AS a, avg(sale_id) AS s, avg(rate) AS r FROM sales;

-- query: average_scales
SELECT id, avg(p) AS p, avg(q) AS q, avg(x) AS x FROM pairs GROUP BY id ORDER BY id;

-- query: average_of_few (any order)
SELECT avg(x) AS x, avg(y) AS y FROM pairs WHERE id <= 3;

-- query: average_small (any order)
SELECT avg(p) AS p FROM pairs WHERE id IN (6, 7, 12);

-- query: average_double (any order)
SELECT avg(d) AS d FROM everything WHERE d BETWEEN -10 AND 10 AND id IN (1, 2, 3, 18, 19);

-- query: min_max (any order)
SELECT min(i) AS i0, max(i) AS i1, min(l) AS l0, max(l) AS l1, min(n) AS n0, max(n) AS n1,
       min(m) AS m0, max(m) AS m1, min(d) AS d0, max(d) AS d1
FROM everything;

-- query: min_max_text (any order)
SELECT min(s) AS s0, max(s) AS s1, min(dt) AS d0, max(dt) AS d1, min(ts) AS t0, max(ts) AS t1
FROM everything;

-- query: min_max_by_group
SELECT product, min(shop) AS first, max(shop) AS last, min(sold_at) AS since, max(sold_at) AS until
FROM sales GROUP BY product ORDER BY product;

-- query: min_max_words (any order)
SELECT min(w) AS first, max(w) AS last FROM words WHERE w <> '';

-- query: min_max_time (any order)
SELECT min(ts::time) AS first, max(ts::time) AS last FROM everything;

-- query: bool_aggregates
SELECT a, bool_and(b) AS every, bool_or(b) AS some FROM logic GROUP BY a ORDER BY a;

-- query: bool_aggregates_null (any order)
SELECT bool_and(b) AS every, bool_or(b) AS some FROM logic WHERE b IS NULL;

-- query: empty_input (any order)
SELECT count(*) AS n, count(a) AS c, sum(a) AS s, avg(a) AS v, min(a) AS lo, max(t) AS hi FROM nothing;

-- query: empty_groups
SELECT t, count(*) AS n FROM nothing GROUP BY t ORDER BY t;

-- query: all_filtered (any order)
SELECT count(*) AS n, sum(amount) AS a FROM sales WHERE sale_id < 0;

-- query: all_null (any order)
SELECT sum(i) AS s, avg(i) AS a, min(i) AS m, count(i) AS c, count(*) AS n FROM everything
WHERE i IS NULL;

-- query: filter_clause
SELECT shop, count(*) AS n, count(*) FILTER (WHERE quantity > 5) AS many,
       sum(amount) FILTER (WHERE product = 'tea') AS tea,
       avg(quantity) FILTER (WHERE product = 'nothing') AS none
FROM sales GROUP BY shop ORDER BY shop;

-- query: filter_null_condition (any order)
SELECT count(*) FILTER (WHERE a) AS t, count(*) FILTER (WHERE NOT a) AS f,
       count(*) FILTER (WHERE a IS NULL) AS n
FROM logic;

-- query: filter_distinct (any order)
SELECT count(DISTINCT shop) FILTER (WHERE quantity > 5) AS n FROM sales;

-- query: sum_of_case
SELECT product, sum(CASE WHEN quantity > 5 THEN 1 ELSE 0 END) AS many,
       sum(CASE WHEN shop = 'Sur' THEN amount END) AS south
FROM sales GROUP BY product ORDER BY product;

-- query: group_by_null
SELECT shop, count(*) AS n, sum(amount) AS a FROM sales GROUP BY shop ORDER BY shop NULLS FIRST;

-- query: group_by_two
SELECT shop, product, count(*) AS n, sum(quantity) AS q FROM sales GROUP BY shop, product
ORDER BY shop, product;

-- query: group_by_position
SELECT product, count(*) AS n FROM sales GROUP BY 1 ORDER BY 1;

-- query: group_by_alias
SELECT extract(year FROM sold_at) AS year, count(*) AS n FROM sales GROUP BY year ORDER BY year;

-- query: group_by_expression
SELECT quantity % 3 AS rest, count(*) AS n FROM sales GROUP BY quantity % 3 ORDER BY rest;

-- query: group_by_expression_reused
SELECT quantity / 2 + 1 AS half, sum(quantity / 2) AS s FROM sales GROUP BY quantity / 2
ORDER BY half;

-- query: group_by_constant (any order)
SELECT count(*) AS n FROM sales GROUP BY 'x'::text;

-- query: group_by_boolean
SELECT quantity > 5 AS many, count(*) AS n FROM sales GROUP BY quantity > 5 ORDER BY many;

-- query: group_by_date
SELECT sold_at::date AS day, count(*) AS n FROM sales WHERE sold_at < '2023-02-01' GROUP BY day
ORDER BY day;

-- query: group_by_double
SELECT rate, count(*) AS n FROM sales WHERE rate < -8 GROUP BY rate ORDER BY rate;

-- query: group_by_numeric_scale (any order)
SELECT count(*) AS groups FROM (SELECT n FROM everything GROUP BY n) s;

-- query: group_by_numeric_value
SELECT round(amount) AS r, count(*) AS n FROM sales WHERE amount < 12 GROUP BY r ORDER BY r;

-- query: group_by_text_of_any_length
SELECT w, count(*) AS n FROM words GROUP BY w ORDER BY w;

-- query: group_without_aggregate
SELECT shop FROM sales GROUP BY shop ORDER BY shop DESC;

-- query: group_by_not_selected
SELECT count(*) AS n FROM sales GROUP BY shop ORDER BY n, count(amount);

-- query: group_by_many_keys
SELECT shop, product, quantity, extract(quarter FROM sold_at) AS q, count(*) AS n
FROM sales GROUP BY 1, 2, 3, 4 HAVING count(*) > 2 ORDER BY 1, 2, 3, 4;

-- query: having
SELECT shop, count(*) AS n FROM sales GROUP BY shop HAVING count(*) > 95 ORDER BY shop;

-- query: having_other_aggregate
SELECT product FROM sales GROUP BY product HAVING sum(amount) > 9000 AND min(quantity) < 0
ORDER BY product;

-- query: having_key
SELECT product, count(*) AS n FROM sales GROUP BY product HAVING product LIKE '%e%' ORDER BY product;

-- query: having_without_group (any order)
SELECT count(*) AS n FROM sales HAVING count(*) > 5;

-- query: having_without_group_false (any order)
SELECT count(*) AS n FROM sales HAVING count(*) < 5;

-- query: order_by_aggregate
SELECT product FROM sales GROUP BY product ORDER BY sum(quantity) DESC, product;

-- query: aggregate_expressions
SELECT product, sum(amount) / count(*) AS mean, max(quantity) - min(quantity) AS spread,
       sum(quantity * 2) + 1 AS twice, -sum(quantity) AS minus
FROM sales GROUP BY product ORDER BY product;

-- query: aggregate_of_expression (any order)
SELECT sum(quantity * amount) AS total, avg(quantity * amount) AS mean, max(length(shop)) AS longest
FROM sales;

-- query: same_aggregate_twice (any order)
SELECT sum(quantity) AS a, sum(quantity) AS b, sum(quantity) + sum(quantity) AS c FROM sales;

-- query: nested_aggregation (any order)
SELECT max(n) AS most, avg(n) AS mean, count(*) AS groups
FROM (SELECT shop, product, count(*) AS n FROM sales GROUP BY shop, product) s;

-- query: top_groups
SELECT shop, product, sum(quantity) AS q FROM sales WHERE shop IS NOT NULL GROUP BY shop, product
ORDER BY q DESC, shop, product LIMIT 5;

-- query: group_limit_offset
SELECT product, count(*) AS n FROM sales GROUP BY product ORDER BY product LIMIT 2 OFFSET 1;

-- query: coalesce_group
SELECT coalesce(shop, 'unknown') AS shop, count(*) AS n FROM sales GROUP BY coalesce(shop, 'unknown')
ORDER BY 1;

-- query: events_by_kind
SELECT kind, count(*) AS n, sum(value) AS total, avg(value) AS mean FROM events GROUP BY kind
ORDER BY kind;

-- query: many_groups (any order)
SELECT sale_id, quantity, amount, count(*) AS n FROM sales GROUP BY sale_id, quantity, amount;

-- query: sum_doubles_by_group
SELECT shop, sum(rate) AS s, avg(rate) AS a FROM sales GROUP BY shop ORDER BY shop;

-- query: infinity_sums (any order)
SELECT sum(f) AS s, max(f) AS x, min(f) AS n FROM floats
WHERE f >= 'Infinity' OR f BETWEEN 0 AND 1;

-- query: filter_guards_argument
SELECT sum(100 / (id - 7)) FILTER (WHERE id <> 7) AS s, count(DISTINCT 10 / (id - 7)) FILTER (WHERE
id <> 7) AS n, min(100 / (id - 7)) FILTER (WHERE id > 7) AS least,
string_agg((100 / (id - 7))::text, ',' ORDER BY 100 / (id - 7), id) FILTER (WHERE id <> 7) AS list,
string_agg(id::text, ',' ORDER BY 100 / (id - 7), id) FILTER (WHERE id > 7) AS sorted,
sum(DISTINCT 10 / (id - 7)) FILTER (WHERE id <> 7 AND x <> 0) AS d,
percentile_disc(0.5) WITHIN GROUP (ORDER BY 100 / (id - 7)) FILTER (WHERE id <> 7) AS middle
FROM pairs ORDER BY 1;

-- query: filter_guards_argument_by_group
SELECT y > 0 AS positive, sum(100 / x) FILTER (WHERE x <> 0) AS s, count(*) FILTER (WHERE x <> 0)
FROM pairs GROUP BY y > 0 ORDER BY 1;

-- query: filter_guards_argument_over
SELECT id, sum(100 / (id - 7)) FILTER (WHERE id <> 7) OVER (ORDER BY id) AS s,
       count(100 / x) FILTER (WHERE x <> 0) OVER (PARTITION BY y > 0) AS n
FROM pairs ORDER BY id;
