CTEs that several places read: computed once, and read as if each had its own.

-- query: sum_and_greatest
WITH s AS (SELECT shop, sum(amount) AS total FROM sales GROUP BY shop),
     best AS (SELECT max(total) AS total FROM s)
SELECT s.shop, s.total FROM s JOIN best ON s.total = best.total ORDER BY 1;

-- query: joined_with_itself
WITH s AS (SELECT shop, product, count(*) AS n FROM sales GROUP BY shop, product)
SELECT a.shop, b.shop, a.product, a.n, b.n
FROM s a JOIN s b ON a.product = b.product AND a.shop < b.shop
ORDER BY a.shop, b.shop, a.product LIMIT 12;

-- query: different_filters
WITH s AS (SELECT shop, product, count(*) AS n, sum(quantity) AS q FROM sales GROUP BY shop, product)
SELECT 'many', shop, n FROM s WHERE n > 15
UNION ALL
SELECT 'few', product, q FROM s WHERE n < 8
ORDER BY 1, 2, 3;

-- query: chain
WITH a AS (SELECT shop, count(*) AS n FROM sales GROUP BY shop),
     b AS (SELECT x.shop, x.n + y.n AS n FROM a x JOIN a y USING (shop)),
     c AS (SELECT x.shop, x.n + y.n AS n FROM b x JOIN b y USING (shop))
SELECT shop, n FROM c ORDER BY shop;

-- query: row_counts (any order)
WITH s AS (SELECT DISTINCT shop, product FROM sales)
SELECT x.n, y.n FROM (SELECT count(*) AS n FROM s) x, (SELECT count(*) AS n FROM s WHERE shop > 'N') y;

-- query: in_a_list
WITH top AS (SELECT product, sum(amount) AS total FROM sales GROUP BY product ORDER BY 2 DESC LIMIT 2)
SELECT product, count(*) FROM sales
WHERE product IN (SELECT product FROM top)
GROUP BY product
UNION ALL
SELECT product, -1 FROM top
ORDER BY 1, 2;

-- query: column_twice
WITH s(a, b, c) AS (SELECT shop, shop, max(amount) FROM sales GROUP BY shop)
SELECT x.a, y.b, x.c FROM s x JOIN s y ON x.a = y.b ORDER BY 1;

-- query: cheap (any order)
WITH big AS (SELECT * FROM sales WHERE amount > 40)
SELECT x.n, y.n FROM (SELECT count(*) AS n FROM big WHERE shop = 'Norte') x,
                     (SELECT count(*) AS n FROM big WHERE shop = 'Sur') y;
