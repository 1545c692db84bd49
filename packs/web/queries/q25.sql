-- Phrases by time
SELECT search_phrase
FROM visits
WHERE search_phrase IS NOT NULL
ORDER BY happened_at, visit_id
LIMIT 10;
