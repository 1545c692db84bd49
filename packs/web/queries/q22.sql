-- Who searched and came to such a link
SELECT search_phrase, min(link) AS link, count(*) AS visits
FROM visits
WHERE link LIKE '%kiwi%' AND search_phrase IS NOT NULL
GROUP BY search_phrase
ORDER BY visits DESC, search_phrase
LIMIT 10;
