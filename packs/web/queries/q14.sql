-- What most users search
SELECT search_phrase, count(DISTINCT user_id) AS users
FROM visits
WHERE search_phrase IS NOT NULL
GROUP BY search_phrase
ORDER BY users DESC, search_phrase
LIMIT 10;
