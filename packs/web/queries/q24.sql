-- All columns of the earliest visits with a word in the link
SELECT *
FROM visits
WHERE link LIKE '%kiwi%'
ORDER BY happened_at, visit_id
LIMIT 10;
