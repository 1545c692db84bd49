-- Phrases by themselves
SELECT search_phrase
FROM visits
WHERE search_phrase IS NOT NULL
ORDER BY search_phrase
LIMIT 10;
