-- The first day and the last
SELECT min(happened_on) AS first, max(happened_on) AS last
FROM visits;
