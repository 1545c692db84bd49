-- Users by their number and others near it
SELECT user_id, user_id - 1 AS one_less, user_id - 2 AS two_less, user_id - 3 AS three_less, count(*) AS visits
FROM visits
GROUP BY user_id, user_id - 1, user_id - 2, user_id - 3
ORDER BY visits DESC, user_id
LIMIT 10;
