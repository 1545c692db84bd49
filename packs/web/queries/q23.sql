-- Two conditions on texts, and three things about every phrase
SELECT search_phrase, min(link) AS link, min(title) AS title, count(*) AS visits, count(DISTINCT user_id) AS users
FROM visits
WHERE title LIKE '%winter%' AND link NOT LIKE '%.example/%' AND search_phrase IS NOT NULL
GROUP BY search_phrase
ORDER BY visits DESC, search_phrase
LIMIT 10;
