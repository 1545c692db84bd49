-- Three means for each of a hundred numbers
SELECT id4, avg(v1) AS v1, avg(v2) AS v2, avg(v3) AS v3
FROM readings
GROUP BY id4
ORDER BY id4;
