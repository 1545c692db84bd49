-- Titles of a site's pages in two weeks
SELECT title, count(*) AS views
FROM visits
WHERE site_id BETWEEN 60 AND 90 AND happened_on BETWEEN '2023-07-01' AND '2023-07-14' AND is_hidden = 0
      AND is_refresh = 0 AND title IS NOT NULL
GROUP BY title
ORDER BY views DESC, title
LIMIT 10;
