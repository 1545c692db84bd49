-- For every store, the birthdates of the three users who bought there most often in 2024 and 2025
WITH purchases AS (
    SELECT store_id, user_id, count(*) AS purchases_qty
    FROM transactions
    WHERE user_id IS NOT NULL
      AND created_at >= '2024-01-01' AND created_at < '2026-01-01'
    GROUP BY store_id, user_id
),
ranked AS (
    SELECT store_id, user_id, purchases_qty,
           row_number() OVER (PARTITION BY store_id ORDER BY purchases_qty DESC, user_id) AS place
    FROM purchases
)
SELECT store_name, birthdate, purchases_qty
FROM ranked
JOIN stores USING (store_id)
JOIN users ON users.user_id = ranked.user_id
WHERE place <= 3
ORDER BY store_name, purchases_qty DESC, ranked.user_id;
