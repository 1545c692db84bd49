-- Links with most visits
SELECT link, count(*) AS visits
FROM visits
GROUP BY link
ORDER BY visits DESC, link
LIMIT 10;
