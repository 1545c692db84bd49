-- With a table of a thousandth of the rows
SELECT count(*) AS pairs, sum(events.v1) AS v1, sum(medium.v2) AS v2
FROM events
JOIN medium ON events.id2 = medium.id2;
