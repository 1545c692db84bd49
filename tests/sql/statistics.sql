Deviations, variances, covariances and correlations.

-- query: numeric_all
SELECT stddev(salary), stddev_samp(salary), stddev_pop(salary), variance(salary), var_samp(salary),
       var_pop(salary)
FROM emp ORDER BY 1;

-- query: int_all
SELECT stddev(quantity), stddev_pop(quantity), variance(quantity), var_pop(quantity) FROM sales
ORDER BY 1;

-- query: bigint_groups
SELECT shop, count(sale_id), stddev(sale_id), var_pop(sale_id) FROM sales GROUP BY shop ORDER BY shop;

-- query: numeric_groups
SELECT shop, product, stddev(amount), stddev_pop(amount), variance(amount), var_pop(amount)
FROM sales GROUP BY shop, product ORDER BY shop, product;

-- query: double_groups
SELECT shop, round(stddev(rate)::numeric, 8), round(stddev_pop(rate)::numeric, 8),
       round(variance(rate)::numeric, 6), round(var_pop(rate)::numeric, 6)
FROM sales GROUP BY shop ORDER BY shop;

-- query: few_values
SELECT count(x), stddev(x), stddev_pop(x), variance(x), var_pop(x)
FROM (SELECT salary AS x FROM emp WHERE emp_id = 1) one ORDER BY 1;

-- query: no_values
SELECT stddev(a), stddev_pop(a), var_samp(a), var_pop(a), corr(a, a), covar_pop(a, a), covar_samp(a, a)
FROM nothing ORDER BY 1;

-- query: only_nulls
SELECT stddev(salary), var_pop(salary), corr(salary, emp_id) FROM emp WHERE emp_id = 7 ORDER BY 1;

-- query: same_values
SELECT stddev(x), var_pop(x), stddev(d), var_pop(d), corr(d, d), covar_pop(d, d)
FROM (SELECT 5 AS x, 2.5::double precision AS d FROM emp) same ORDER BY 1;

-- query: distinct_values
SELECT dept_id, stddev(DISTINCT salary), var_pop(DISTINCT salary), count(DISTINCT salary)
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: distinct_beside_others
SELECT dept_id, variance(DISTINCT salary), sum(salary), stddev(salary) FROM emp GROUP BY dept_id
ORDER BY dept_id;

-- query: with_filter
SELECT shop, stddev(quantity) FILTER (WHERE product = 'tea'), var_pop(amount) FILTER (WHERE quantity > 5)
FROM sales GROUP BY shop ORDER BY shop;

-- query: correlations
SELECT product, round(corr(amount, rate)::numeric, 10), round(covar_pop(amount, rate)::numeric, 6),
       round(covar_samp(amount, rate)::numeric, 6)
FROM sales GROUP BY product ORDER BY product;

-- query: correlation_of_integers
SELECT round(corr(quantity, sale_id)::numeric, 10), round(covar_samp(quantity, sale_id)::numeric, 6)
FROM sales ORDER BY 1;

-- query: correlation_of_a_line
SELECT corr(x, 2 * x + 1), corr(x, -x), covar_pop(x, x), covar_samp(x, x)
FROM (VALUES (1), (2), (3), (4)) v(x) ORDER BY 1;

-- query: pairs_with_nulls
SELECT corr(x, y), covar_pop(x, y), covar_samp(x, y)
FROM (VALUES (1, 2), (2, NULL), (NULL, 5), (3, 6)) v(x, y) ORDER BY 1;

-- query: distinct_pairs
SELECT covar_pop(DISTINCT x, y), covar_pop(x, y)
FROM (VALUES (1, 2), (1, 2), (1, 2), (3, 6)) v(x, y) ORDER BY 1;

-- query: in_having
SELECT shop, product FROM sales GROUP BY shop, product HAVING stddev(quantity) > 4 ORDER BY shop, product;

-- query: order_inside_a_sum
SELECT dept_id, sum(salary ORDER BY name DESC), max(name ORDER BY salary) FROM emp GROUP BY dept_id
ORDER BY dept_id;
