Aggregates over sorted values: string_agg, array_agg, percentiles, mode.

-- query: string_agg_by_name
SELECT dept_id, string_agg(name, ', ' ORDER BY name) FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: string_agg_by_another
SELECT dept_id, string_agg(name, '|' ORDER BY salary DESC NULLS LAST, name DESC) AS names FROM emp
GROUP BY dept_id ORDER BY dept_id;

-- query: string_agg_all
SELECT string_agg(name, '' ORDER BY emp_id) FROM emp ORDER BY 1;

-- query: string_agg_nulls
SELECT string_agg(grade, ',' ORDER BY emp_id), string_agg(NULL, ','), string_agg(grade, NULL ORDER BY emp_id)
FROM emp ORDER BY 1;

-- query: string_agg_of_nothing
SELECT string_agg(t, ','), array_agg(t ORDER BY a), mode() WITHIN GROUP (ORDER BY t),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY a)
FROM nothing ORDER BY 1;

-- query: string_agg_distinct
SELECT string_agg(DISTINCT grade, ',' ORDER BY grade), string_agg(DISTINCT grade, ',' ORDER BY grade DESC)
FROM emp ORDER BY 1;

-- query: string_agg_distinct_groups
SELECT shop, string_agg(DISTINCT product, '/' ORDER BY product) AS products, count(*) FROM sales
GROUP BY shop ORDER BY shop;

-- query: string_agg_delimiter_of_the_row
SELECT dept_id, string_agg(name, grade ORDER BY emp_id) FROM emp WHERE dept_id IN (10, 40)
GROUP BY dept_id ORDER BY dept_id;

-- query: string_agg_cast
SELECT dept_id, string_agg(emp_id::text, '+' ORDER BY emp_id DESC) FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: string_agg_filter
SELECT dept_id, string_agg(name, ',' ORDER BY name) FILTER (WHERE salary > 3000) FROM emp GROUP BY dept_id
ORDER BY dept_id;

-- query: array_agg_keeps_nulls
SELECT dept_id, array_agg(grade ORDER BY emp_id) FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: array_agg_nulls_first
SELECT array_agg(grade ORDER BY grade NULLS FIRST, emp_id) FROM emp ORDER BY 1;

-- query: array_agg_distinct
SELECT array_agg(DISTINCT grade ORDER BY grade DESC) FROM emp ORDER BY 1;

-- query: array_agg_distinct_unordered
SELECT array_agg(DISTINCT grade) FROM emp ORDER BY 1;

-- query: array_agg_expression
SELECT array_agg(upper(name) || '!' ORDER BY length(name), name) FROM emp WHERE dept_id = 20 ORDER BY 1;

-- query: array_agg_used
SELECT dept_id, cardinality(array_agg(name)), 'Juan' = ANY (array_agg(name)) FROM emp GROUP BY dept_id
ORDER BY dept_id;

-- query: percentile_cont_int
SELECT shop, percentile_cont(0.5) WITHIN GROUP (ORDER BY quantity),
       percentile_cont(0.25) WITHIN GROUP (ORDER BY quantity)
FROM sales GROUP BY shop ORDER BY shop;

-- query: percentile_cont_numeric
SELECT dept_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: percentile_cont_ends
SELECT percentile_cont(0) WITHIN GROUP (ORDER BY salary), percentile_cont(1) WITHIN GROUP (ORDER BY salary),
       percentile_cont('0.9') WITHIN GROUP (ORDER BY salary DESC)
FROM emp ORDER BY 1;

-- query: percentile_cont_double
SELECT product, percentile_cont(0.1) WITHIN GROUP (ORDER BY rate),
       percentile_cont(0.75) WITHIN GROUP (ORDER BY rate DESC)
FROM sales GROUP BY product ORDER BY product;

-- query: percentile_disc_types
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY name), percentile_disc(0.5) WITHIN GROUP (ORDER BY hired),
       percentile_disc(0.3) WITHIN GROUP (ORDER BY salary), percentile_disc(0) WITHIN GROUP (ORDER BY emp_id),
       percentile_disc(1) WITHIN GROUP (ORDER BY name DESC)
FROM emp ORDER BY 1;

-- query: percentile_disc_groups
SELECT shop, percentile_disc(0.5) WITHIN GROUP (ORDER BY sold_at), percentile_disc(0.9) WITHIN GROUP (ORDER BY quantity)
FROM sales GROUP BY shop ORDER BY shop;

-- query: percentile_filter
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FILTER (WHERE dept_id = 20),
       percentile_disc(0.5) WITHIN GROUP (ORDER BY salary) FILTER (WHERE dept_id = 1)
FROM emp ORDER BY 1;

-- query: percentile_of_one
SELECT emp_id, percentile_cont(0.3) WITHIN GROUP (ORDER BY salary), percentile_disc(0.3) WITHIN GROUP (ORDER BY salary)
FROM emp GROUP BY emp_id ORDER BY emp_id;

-- query: mode_text
SELECT mode() WITHIN GROUP (ORDER BY grade), mode() WITHIN GROUP (ORDER BY grade DESC), mode() WITHIN GROUP (ORDER BY name)
FROM emp ORDER BY 1;

-- query: mode_groups
SELECT shop, mode() WITHIN GROUP (ORDER BY product), mode() WITHIN GROUP (ORDER BY quantity)
FROM sales GROUP BY shop ORDER BY shop;

-- query: beside_ordinary
SELECT dept_id, count(*), sum(salary), count(DISTINCT grade), string_agg(name, ',' ORDER BY name),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY salary), stddev(salary)
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: in_having_and_order
SELECT dept_id FROM emp GROUP BY dept_id
HAVING percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) > 3000
ORDER BY string_agg(name, ',' ORDER BY name), dept_id;

-- query: over_a_join
SELECT d.name, string_agg(e.name, ', ' ORDER BY e.hired, e.name) FROM dept d JOIN emp e ON e.dept_id = d.dept_id
GROUP BY d.name ORDER BY d.name;

-- query: grouped_again
SELECT n, string_agg(names, ' / ' ORDER BY names)
FROM (SELECT dept_id, count(*) AS n, string_agg(name, ',' ORDER BY name) AS names FROM emp GROUP BY dept_id) x
GROUP BY n ORDER BY n;

-- query: subquery_in_an_order
SELECT array_agg(name ORDER BY dept_id IN (SELECT dept_id FROM dept WHERE city = 'Lima') DESC NULLS LAST, emp_id)
FROM emp ORDER BY 1;

-- query: in_a_cte
WITH per AS (SELECT dept_id, string_agg(name, ',' ORDER BY name) AS names, percentile_disc(0.5) WITHIN GROUP (ORDER BY salary) AS middle
             FROM emp GROUP BY dept_id)
SELECT a.names, b.middle FROM per a JOIN per b USING (dept_id) ORDER BY a.names;

-- query: unused
SELECT n FROM (SELECT count(*) AS n, string_agg(name, ',' ORDER BY name) AS names FROM emp GROUP BY grade) x ORDER BY n;

-- query: list_of_fractions
SELECT dept_id, percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY salary) AS quartiles
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: list_of_fractions_disc
SELECT grade, percentile_disc(ARRAY[1, 0, NULL, 0.5]) WITHIN GROUP (ORDER BY name) AS names,
percentile_disc('{0.5}'::float8[]) WITHIN GROUP (ORDER BY hired DESC) AS days FROM emp GROUP BY grade ORDER BY grade;

-- query: list_of_fractions_of_nothing
SELECT percentile_cont(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY salary) AS a,
percentile_disc(ARRAY[NULL, 0.9]) WITHIN GROUP (ORDER BY salary) FILTER (WHERE grade = 'A') AS b
FROM emp WHERE salary > 1000000 ORDER BY 1;

-- query: list_of_fractions_filtered
SELECT dept_id, percentile_disc(ARRAY[NULL, 0.9]) WITHIN GROUP (ORDER BY emp_id) FILTER (WHERE grade = 'A') AS ids
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: item_of_a_list_of_fractions
SELECT (percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY salary))[2] AS upper FROM emp ORDER BY 1;
