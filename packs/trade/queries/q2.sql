-- Who in Europe sells the large steel goods at the best cost
SELECT s.balance, s.supplier_name, c.country_name, p.product_id, p.maker, s.street, s.phone
FROM products p, suppliers s, offers f, countries c, regions r
WHERE p.product_id = f.product_id AND s.supplier_id = f.supplier_id
  AND p.size BETWEEN 30 AND 34 AND p.kind LIKE '% STEEL'
  AND s.country_id = c.country_id AND c.region_id = r.region_id AND r.region_name = 'Europe'
  AND f.cost = (SELECT min(other.cost)
                FROM offers other, suppliers os, countries oc, regions og
                WHERE other.product_id = p.product_id AND os.supplier_id = other.supplier_id
                  AND os.country_id = oc.country_id AND oc.region_id = og.region_id
                  AND og.region_name = 'Europe')
ORDER BY s.balance DESC, c.country_name, s.supplier_name, p.product_id
LIMIT 50;
