-- Sales within a country of Asia, where buyer and seller are neighbours
SELECT n.country_name, sum(l.price * (1 - l.discount)) AS sold
FROM customers c, orders o, lines l, suppliers s, countries n, regions r
WHERE o.customer_id = c.customer_id AND l.order_id = o.order_id AND s.supplier_id = l.supplier_id
  AND s.country_id = c.country_id AND n.country_id = s.country_id AND r.region_id = n.region_id
  AND r.region_name = 'Asia'
  AND o.ordered_on >= date '2022-01-01' AND o.ordered_on < date '2022-01-01' + interval '1' year
GROUP BY n.country_name
ORDER BY sold DESC;
