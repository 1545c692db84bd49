-- Models of devices with most users
SELECT device_model, count(DISTINCT user_id) AS users
FROM visits
WHERE device_model IS NOT NULL
GROUP BY device_model
ORDER BY users DESC, device_model
LIMIT 10;
