-- A sum, a count and a mean of small numbers
SELECT sum(advert_engine) AS engines, count(*) AS visits, avg(screen_width) AS width
FROM visits;
