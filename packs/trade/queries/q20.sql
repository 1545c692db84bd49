-- Suppliers in Canada with too much of the forest goods in stock
SELECT s.supplier_name, s.street
FROM suppliers s, countries n
WHERE s.supplier_id IN (SELECT f.supplier_id FROM offers f
                        WHERE f.product_id IN (SELECT product_id FROM products
                                               WHERE product_name LIKE 'forest%')
                          AND f.stock > (SELECT 0.5 * sum(l.quantity) FROM lines l
                                         WHERE l.product_id = f.product_id
                                           AND l.supplier_id = f.supplier_id
                                           AND l.shipped_on >= date '2021-01-01'
                                           AND l.shipped_on < date '2022-01-01'))
  AND s.country_id = n.country_id AND n.country_name = 'Canada'
ORDER BY s.supplier_name;
