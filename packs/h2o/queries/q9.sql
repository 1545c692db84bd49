-- How far two values go together for each of ten thousand pairs
SELECT id2, id4, CAST(power(corr(v1, v2), 2) AS numeric(18, 9)) AS r2
FROM readings
GROUP BY id2, id4
HAVING min(v1) < max(v1) AND min(v2) < max(v2)
ORDER BY id2, id4;
