-- Three sums for each of many numbers
SELECT id6, sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3
FROM readings
GROUP BY id6
ORDER BY id6;
