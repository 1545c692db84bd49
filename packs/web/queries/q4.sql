-- A mean of large ones
SELECT avg(user_id) AS mean
FROM visits;
