-- The share of goods on offer in a month
SELECT 100.00 * sum(CASE WHEN p.kind LIKE 'SALE%' THEN l.price * (1 - l.discount) ELSE 0 END)
       / sum(l.price * (1 - l.discount)) AS percent
FROM lines l, products p
WHERE l.product_id = p.product_id
  AND l.shipped_on >= date '2023-09-01' AND l.shipped_on < date '2023-09-01' + interval '1' month;
