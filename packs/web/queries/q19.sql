-- The same by minute
SELECT user_id, extract(minute FROM happened_at) AS minute, search_phrase, count(*) AS visits
FROM visits
GROUP BY user_id, extract(minute FROM happened_at), search_phrase
ORDER BY visits DESC, user_id, minute, search_phrase
LIMIT 10;
