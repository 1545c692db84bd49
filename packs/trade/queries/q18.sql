-- Customers with the largest orders
SELECT c.customer_name, c.customer_id, o.order_id, o.ordered_on, o.total, sum(l.quantity) AS pieces
FROM customers c, orders o, lines l
WHERE o.order_id IN (SELECT order_id FROM lines GROUP BY order_id HAVING sum(quantity) > 270)
  AND c.customer_id = o.customer_id AND o.order_id = l.order_id
GROUP BY c.customer_name, c.customer_id, o.order_id, o.ordered_on, o.total
ORDER BY o.total DESC, o.ordered_on, o.order_id
LIMIT 100;
