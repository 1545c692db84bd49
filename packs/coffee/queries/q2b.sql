-- For every month of 2024 and 2025, the item that brought the most money
WITH monthly AS (
    SELECT date_trunc('month', created_at) AS month, item_id, sum(subtotal) AS profit_sum
    FROM transaction_items
    WHERE created_at >= '2024-01-01' AND created_at < '2026-01-01'
    GROUP BY month, item_id
),
ranked AS (
    SELECT month, item_id, profit_sum,
           row_number() OVER (PARTITION BY month ORDER BY profit_sum DESC, item_id) AS place
    FROM monthly
)
SELECT to_char(month, 'YYYY-MM') AS year_month_created_at, item_name, profit_sum
FROM ranked JOIN menu_items USING (item_id)
WHERE place = 1
ORDER BY year_month_created_at;
