-- The median and the deviation for each of ten thousand pairs of numbers
SELECT id4, id5, percentile_cont(0.5) WITHIN GROUP (ORDER BY v3) AS median, stddev(v3) AS deviation
FROM readings
GROUP BY id4, id5
ORDER BY id4, id5;
