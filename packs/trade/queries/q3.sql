-- Orders of builders that wait for the most valuable goods
SELECT l.order_id, sum(l.price * (1 - l.discount)) AS waiting, o.ordered_on, o.urgency
FROM customers c
JOIN orders o ON o.customer_id = c.customer_id
JOIN lines l ON l.order_id = o.order_id
WHERE c.segment = 'BUILDING' AND o.ordered_on < date '2021-04-10' AND l.shipped_on > date '2021-04-10'
GROUP BY l.order_id, o.ordered_on, o.urgency
ORDER BY waiting DESC, o.ordered_on, l.order_id
LIMIT 10;
