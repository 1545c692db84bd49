-- How urgent the orders of a quarter were of which something came late
SELECT urgency, count(*) AS orders
FROM orders o
WHERE ordered_on >= date '2020-10-01' AND ordered_on < date '2020-10-01' + interval '3' month
  AND EXISTS (SELECT * FROM lines l WHERE l.order_id = o.order_id AND l.received_on > l.promised_on)
GROUP BY urgency
ORDER BY urgency;
