-- Those that an advertisement brought
SELECT count(*) AS visits
FROM visits
WHERE advert_engine <> 0;
