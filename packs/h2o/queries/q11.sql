-- With a table of a few rows
SELECT count(*) AS pairs, sum(events.v1) AS v1, sum(small.v2) AS v2
FROM events
JOIN small ON events.id1 = small.id1;
