-- A later page of a list of links
SELECT link, count(*) AS views
FROM visits
WHERE site_id BETWEEN 60 AND 500 AND happened_on BETWEEN '2023-07-01' AND '2023-07-31' AND is_link <> 0
      AND is_download = 0
GROUP BY link
ORDER BY views DESC, link
LIMIT 10 OFFSET 50;
