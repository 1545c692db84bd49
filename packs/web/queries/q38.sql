-- Where visits come from and go to
SELECT search_engine, advert_engine, CASE WHEN search_engine = 0 AND advert_engine = 0 THEN referrer ELSE '' END AS origin,
       link AS target, count(*) AS views
FROM visits
WHERE site_id BETWEEN 60 AND 500 AND happened_on BETWEEN '2023-07-01' AND '2023-07-31' AND is_refresh = 0
GROUP BY search_engine, advert_engine,
         CASE WHEN search_engine = 0 AND advert_engine = 0 THEN referrer ELSE '' END, link
ORDER BY views DESC, search_engine, advert_engine, origin, target
LIMIT 10 OFFSET 20;
