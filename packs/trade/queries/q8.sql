-- The share of Peru in what America bought of one kind of goods
SELECT year, sum(CASE WHEN country_name = 'Peru' THEN volume ELSE 0 END) / sum(volume) AS share
FROM (SELECT extract(year FROM o.ordered_on) AS year, l.price * (1 - l.discount) AS volume,
             theirs.country_name
      FROM products p, suppliers s, lines l, orders o, customers c, countries ours, countries theirs,
           regions r
      WHERE p.product_id = l.product_id AND s.supplier_id = l.supplier_id AND l.order_id = o.order_id
        AND o.customer_id = c.customer_id AND c.country_id = ours.country_id
        AND ours.region_id = r.region_id AND r.region_name = 'America'
        AND s.country_id = theirs.country_id
        AND o.ordered_on BETWEEN date '2021-01-01' AND date '2022-12-31'
        AND p.kind = 'PLATED HEAVY COPPER') bought
GROUP BY year
ORDER BY year;
