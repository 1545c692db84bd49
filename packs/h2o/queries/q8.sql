-- The two largest values for each of many numbers
SELECT id6, v3
FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS place FROM readings) AS ranked
WHERE place <= 2
ORDER BY id6, v3;
