-- The same, and with what has no partner
SELECT count(*) AS pairs, count(medium.v2) AS partners, sum(events.v1) AS v1, sum(medium.v2) AS v2
FROM events
LEFT JOIN medium ON events.id2 = medium.id2;
