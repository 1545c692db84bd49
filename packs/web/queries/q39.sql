-- Sizes of windows
SELECT window_width - window_width % 100 AS width, window_height - window_height % 100 AS height, count(*) AS views
FROM visits
WHERE happened_on BETWEEN '2023-07-01' AND '2023-07-31' AND is_refresh = 0 AND is_hidden = 0 AND is_mobile <> 0
GROUP BY window_width - window_width % 100, window_height - window_height % 100
ORDER BY views DESC, width, height
LIMIT 10 OFFSET 100;
