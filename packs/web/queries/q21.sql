-- Links with a word in them
SELECT count(*) AS visits
FROM visits
WHERE link LIKE '%kiwi%';
