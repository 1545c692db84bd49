-- Views by minute of two days
SELECT date_trunc('minute', happened_at) AS minute, count(*) AS views
FROM visits
WHERE happened_on BETWEEN '2023-07-14' AND '2023-07-15' AND is_refresh = 0 AND is_hidden = 0
GROUP BY date_trunc('minute', happened_at)
ORDER BY minute
LIMIT 10 OFFSET 1000;
