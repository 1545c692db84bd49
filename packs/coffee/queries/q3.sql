-- Payments per half year and store, 2024 and 2025, between 06:00 and 23:00
WITH halves AS (
    SELECT extract(year FROM created_at) AS year,
           CASE WHEN extract(month FROM created_at) <= 6 THEN 1 ELSE 2 END AS half,
           store_id, sum(final_amount) AS tpv
    FROM transactions
    WHERE created_at >= '2024-01-01' AND created_at < '2026-01-01'
      AND created_at::time BETWEEN '06:00' AND '23:00'
    GROUP BY 1, 2, 3
)
SELECT year || '-H' || half AS year_half_created_at, store_name, tpv
FROM halves JOIN stores USING (store_id)
ORDER BY year_half_created_at, store_name;
