-- Users and what they search
SELECT user_id, search_phrase, count(*) AS visits
FROM visits
GROUP BY user_id, search_phrase
ORDER BY visits DESC, user_id, search_phrase
LIMIT 10;
