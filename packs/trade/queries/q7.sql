-- Goods that went between Peru and Chile, by year
SELECT seller, buyer, year, sum(volume) AS sold
FROM (SELECT a.country_name AS seller, b.country_name AS buyer,
             extract(year FROM l.shipped_on) AS year, l.price * (1 - l.discount) AS volume
      FROM suppliers s, lines l, orders o, customers c, countries a, countries b
      WHERE s.supplier_id = l.supplier_id AND o.order_id = l.order_id AND c.customer_id = o.customer_id
        AND a.country_id = s.country_id AND b.country_id = c.country_id
        AND ((a.country_name = 'Peru' AND b.country_name = 'Chile')
             OR (a.country_name = 'Chile' AND b.country_name = 'Peru'))
        AND l.shipped_on BETWEEN date '2021-01-01' AND date '2022-12-31') shipping
GROUP BY seller, buyer, year
ORDER BY seller, buyer, year;
