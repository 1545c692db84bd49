-- The same by a text
SELECT count(*) AS pairs, sum(events.v1) AS v1, sum(medium.v2) AS v2
FROM events
JOIN medium ON events.id5 = medium.id5;
