-- With a table of as many rows
SELECT count(*) AS pairs, sum(events.v1) AS v1, sum(large.v2) AS v2
FROM events
JOIN large ON events.id3 = large.id3;
