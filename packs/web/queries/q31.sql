-- Where and from which address is searched
SELECT search_engine, address, count(*) AS visits, sum(is_refresh) AS refreshed, avg(screen_width) AS width
FROM visits
WHERE search_phrase IS NOT NULL
GROUP BY search_engine, address
ORDER BY visits DESC, search_engine, address
LIMIT 10;
