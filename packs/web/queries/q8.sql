-- Visits by engine of advertisements
SELECT advert_engine, count(*) AS visits
FROM visits
WHERE advert_engine <> 0
GROUP BY advert_engine
ORDER BY visits DESC, advert_engine;
