-- The span of values for each of many texts
SELECT id3, max(v1) - min(v2) AS span
FROM readings
GROUP BY id3
ORDER BY id3;
