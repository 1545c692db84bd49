-- Different users
SELECT count(DISTINCT user_id) AS users
FROM visits;
