-- A sum and a mean for each of many texts
SELECT id3, sum(v1) AS v1, avg(v3) AS v3
FROM readings
GROUP BY id3
ORDER BY id3;
