-- What is lost a year if small lines of a brand are refused
SELECT sum(l.price) / 7.0 AS a_year
FROM lines l, products p
WHERE p.product_id = l.product_id AND p.brand = 'Brand 23' AND p.packing = 'MED BOX'
  AND l.quantity < (SELECT 0.4 * avg(other.quantity) FROM lines other
                    WHERE other.product_id = p.product_id);
