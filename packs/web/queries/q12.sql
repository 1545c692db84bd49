-- The same with their makers
SELECT device_maker, device_model, count(DISTINCT user_id) AS users
FROM visits
WHERE device_model IS NOT NULL AND device_maker IS NOT NULL
GROUP BY device_maker, device_model
ORDER BY users DESC, device_maker, device_model
LIMIT 10;
