-- Sites whose links are long
SELECT site_id, avg(length(link)) AS length, count(*) AS visits
FROM visits
WHERE link IS NOT NULL
GROUP BY site_id
HAVING count(*) > 100
ORDER BY length DESC, site_id
LIMIT 25;
