-- Hosts that visitors come from, taken out of their links
SELECT regexp_replace(referrer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS origin, avg(length(referrer)) AS length,
       count(*) AS visits, min(referrer) AS referrer
FROM visits
WHERE referrer IS NOT NULL
GROUP BY regexp_replace(referrer, '^https?://(?:www\.)?([^/]+)/.*$', '\1')
HAVING count(*) > 50
ORDER BY length DESC, origin
LIMIT 25;
