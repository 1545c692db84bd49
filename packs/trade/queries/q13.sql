-- How many customers have how many orders
SELECT orders, count(*) AS customers
FROM (SELECT c.customer_id, count(o.order_id) AS orders
      FROM customers c
      LEFT JOIN orders o ON o.customer_id = c.customer_id AND o.remark NOT LIKE '%good%great%'
      GROUP BY c.customer_id) counted
GROUP BY orders
ORDER BY customers DESC, orders DESC;
