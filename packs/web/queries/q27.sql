-- Phrases by both
SELECT search_phrase
FROM visits
WHERE search_phrase IS NOT NULL
ORDER BY happened_at, search_phrase
LIMIT 10;
