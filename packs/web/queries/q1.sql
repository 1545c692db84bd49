-- How many visits
SELECT count(*) AS visits
FROM visits;
