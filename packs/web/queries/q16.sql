-- Users with most visits
SELECT user_id, count(*) AS visits
FROM visits
GROUP BY user_id
ORDER BY visits DESC, user_id
LIMIT 10;
