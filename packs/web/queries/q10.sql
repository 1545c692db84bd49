-- Regions with most visits, and more about them
SELECT region, sum(advert_engine) AS engines, count(*) AS visits, avg(screen_width) AS width,
       count(DISTINCT user_id) AS users
FROM visits
GROUP BY region
ORDER BY visits DESC, region
LIMIT 10;
