-- Customers who sent most of a quarter back
SELECT c.customer_id, c.customer_name, sum(l.price * (1 - l.discount)) AS lost, c.balance,
       n.country_name, c.street, c.phone, c.remark
FROM customers c, orders o, lines l, countries n
WHERE c.customer_id = o.customer_id AND l.order_id = o.order_id AND n.country_id = c.country_id
  AND o.ordered_on >= date '2021-04-01' AND o.ordered_on < date '2021-04-01' + interval '3' month
  AND l.returned = 'Y'
GROUP BY c.customer_id, c.customer_name, c.balance, c.phone, n.country_name, c.street, c.remark
ORDER BY lost DESC, c.customer_id
LIMIT 20;
