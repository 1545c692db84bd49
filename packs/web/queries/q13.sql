-- What is searched most
SELECT search_phrase, count(*) AS visits
FROM visits
WHERE search_phrase IS NOT NULL
GROUP BY search_phrase
ORDER BY visits DESC, search_phrase
LIMIT 10;
