-- Sales by plane of three brands, each in packings and amounts of its own
SELECT sum(l.price * (1 - l.discount)) AS sold
FROM lines l, products p
WHERE (p.product_id = l.product_id AND p.brand = 'Brand 12'
       AND p.packing IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
       AND l.quantity BETWEEN 1 AND 11 AND p.size BETWEEN 1 AND 15
       AND l.carrier IN ('air', 'express') AND l.handling = 'in person')
   OR (p.product_id = l.product_id AND p.brand = 'Brand 23'
       AND p.packing IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
       AND l.quantity BETWEEN 10 AND 30 AND p.size BETWEEN 1 AND 20
       AND l.carrier IN ('air', 'express') AND l.handling = 'in person')
   OR (p.product_id = l.product_id AND p.brand = 'Brand 34'
       AND p.packing IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
       AND l.quantity BETWEEN 20 AND 40 AND p.size BETWEEN 1 AND 25
       AND l.carrier IN ('air', 'express') AND l.handling = 'in person');
