-- Sessions and addresses of all
SELECT session_id, address, count(*) AS visits, sum(is_refresh) AS refreshed, avg(screen_width) AS width
FROM visits
GROUP BY session_id, address
ORDER BY visits DESC, session_id, address
LIMIT 10;
