-- What is searched most, and where
SELECT search_engine, search_phrase, count(*) AS visits
FROM visits
WHERE search_phrase IS NOT NULL
GROUP BY search_engine, search_phrase
ORDER BY visits DESC, search_engine, search_phrase
LIMIT 10;
