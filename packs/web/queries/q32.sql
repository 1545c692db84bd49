-- Sessions and addresses of those who search
SELECT session_id, address, count(*) AS visits, sum(is_refresh) AS refreshed, avg(screen_width) AS width
FROM visits
WHERE search_phrase IS NOT NULL
GROUP BY session_id, address
ORDER BY visits DESC, session_id, address
LIMIT 10;
