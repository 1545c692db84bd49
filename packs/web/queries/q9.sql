-- Regions with most users
SELECT region, count(DISTINCT user_id) AS users
FROM visits
GROUP BY region
ORDER BY users DESC, region
LIMIT 10;
