-- A sum and a count for each of as many groups as there are rows, or nearly so
SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS v3, count(*) AS readings
FROM readings
GROUP BY id1, id2, id3, id4, id5, id6
ORDER BY id1, id2, id3, id4, id5, id6;
