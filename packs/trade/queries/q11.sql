-- Products that tie up much of the stock in Kenya
SELECT f.product_id, sum(f.cost * f.stock) AS tied_up
FROM offers f, suppliers s, countries n
WHERE f.supplier_id = s.supplier_id AND s.country_id = n.country_id AND n.country_name = 'Kenya'
GROUP BY f.product_id
HAVING sum(f.cost * f.stock) > (SELECT sum(f.cost * f.stock) * 0.003
                                FROM offers f, suppliers s, countries n
                                WHERE f.supplier_id = s.supplier_id AND s.country_id = n.country_id
                                  AND n.country_name = 'Kenya')
ORDER BY tied_up DESC, f.product_id;
