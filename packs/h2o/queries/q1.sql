-- A sum for each of a hundred texts
SELECT id1, sum(v1) AS v1
FROM readings
GROUP BY id1
ORDER BY id1;
