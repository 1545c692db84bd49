-- One row of all
SELECT user_id, visit_id
FROM visits
WHERE visit_id = 4242;
