-- Profit on green goods, by country and year
SELECT country_name, year, sum(profit) AS profit
FROM (SELECT n.country_name, extract(year FROM o.ordered_on) AS year,
             l.price * (1 - l.discount) - f.cost * l.quantity AS profit
      FROM products p, suppliers s, lines l, offers f, orders o, countries n
      WHERE s.supplier_id = l.supplier_id AND f.supplier_id = l.supplier_id
        AND f.product_id = l.product_id AND p.product_id = l.product_id AND o.order_id = l.order_id
        AND n.country_id = s.country_id AND p.product_name LIKE '%green%') earned
GROUP BY country_name, year
ORDER BY country_name, year DESC;
