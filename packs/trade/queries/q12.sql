-- Whether slow carriers keep urgent orders waiting
SELECT l.carrier, sum(CASE WHEN o.urgency IN ('1 now', '2 soon') THEN 1 ELSE 0 END) AS urgent,
       sum(CASE WHEN o.urgency NOT IN ('1 now', '2 soon') THEN 1 ELSE 0 END) AS others
FROM orders o JOIN lines l ON l.order_id = o.order_id
WHERE l.carrier IN ('ship', 'barge') AND l.promised_on < l.received_on
  AND l.shipped_on < l.promised_on AND l.received_on >= date '2023-01-01'
  AND l.received_on < date '2023-01-01' + interval '1' year
GROUP BY l.carrier
ORDER BY l.carrier;
