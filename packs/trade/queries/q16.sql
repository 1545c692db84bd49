-- How many suppliers without complaints offer goods of these sizes
SELECT p.brand, p.kind, p.size, count(DISTINCT f.supplier_id) AS suppliers
FROM offers f, products p
WHERE p.product_id = f.product_id AND p.brand <> 'Brand 45' AND p.kind NOT LIKE 'PLATED LIGHT%'
  AND p.size IN (3, 9, 14, 19, 23, 36, 45, 49)
  AND f.supplier_id NOT IN (SELECT supplier_id FROM suppliers WHERE remark LIKE '%bad%')
GROUP BY p.brand, p.kind, p.size
ORDER BY suppliers DESC, p.brand, p.kind, p.size;
