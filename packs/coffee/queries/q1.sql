-- Transactions of 2024 and 2025 between 06:00 and 23:00 with a final amount of at least 75
SELECT transaction_id, final_amount
FROM transactions
WHERE created_at >= '2024-01-01' AND created_at < '2026-01-01'
  AND created_at::time BETWEEN '06:00' AND '23:00'
  AND final_amount >= 75
ORDER BY transaction_id;
