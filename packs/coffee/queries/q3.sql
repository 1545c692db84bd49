-- Payments per half year and store, 2024 and 2025, between 06:00 and 23:00
WITH quarters AS (
    -- Rows are many and quarters few: only a plain key is computed for every row.
    SELECT date_trunc('quarter', created_at) AS quarter, store_id, sum(final_amount) AS paid
    FROM transactions
    WHERE created_at >= '2024-01-01' AND created_at < '2026-01-01'
      AND created_at::time BETWEEN '06:00' AND '23:00'
    GROUP BY quarter, store_id
)
SELECT to_char(quarter, 'YYYY"-H"') || CASE WHEN extract(month FROM quarter) <= 6 THEN 1 ELSE 2 END
           AS year_half_created_at,
       store_name, sum(paid) AS tpv
FROM quarters JOIN stores USING (store_id)
GROUP BY year_half_created_at, store_id, store_name
ORDER BY year_half_created_at, store_name;
