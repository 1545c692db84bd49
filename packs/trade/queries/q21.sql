-- Suppliers who alone kept an order waiting
SELECT s.supplier_name, count(*) AS orders
FROM suppliers s, lines late, orders o, countries n
WHERE s.supplier_id = late.supplier_id AND o.order_id = late.order_id AND o.status = 'F'
  AND late.received_on > late.promised_on
  AND EXISTS (SELECT * FROM lines l
              WHERE l.order_id = late.order_id AND l.supplier_id <> late.supplier_id)
  AND NOT EXISTS (SELECT * FROM lines l
                  WHERE l.order_id = late.order_id AND l.supplier_id <> late.supplier_id
                    AND l.received_on > l.promised_on)
  AND s.country_id = n.country_id AND n.country_name = 'Egypt'
GROUP BY s.supplier_name
ORDER BY orders DESC, s.supplier_name
LIMIT 100;
