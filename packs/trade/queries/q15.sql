-- The supplier, or suppliers, who sold most in a quarter
WITH sold AS (
    SELECT supplier_id, sum(price * (1 - discount)) AS total
    FROM lines
    WHERE shipped_on >= date '2023-01-01' AND shipped_on < date '2023-01-01' + interval '3' month
    GROUP BY supplier_id
)
SELECT s.supplier_id, s.supplier_name, s.street, s.phone, sold.total
FROM suppliers s JOIN sold ON sold.supplier_id = s.supplier_id
WHERE sold.total = (SELECT max(total) FROM sold)
ORDER BY s.supplier_id;
