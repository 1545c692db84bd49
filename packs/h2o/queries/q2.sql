-- A sum for each of ten thousand pairs of texts
SELECT id1, id2, sum(v1) AS v1
FROM readings
GROUP BY id1, id2
ORDER BY id1, id2;
