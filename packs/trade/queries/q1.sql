-- What was sold, by whether it came back and whether it is settled
SELECT returned, status, sum(quantity) AS pieces, sum(price) AS gross,
       sum(price * (1 - discount)) AS net, sum(price * (1 - discount) * (1 + tax)) AS billed,
       avg(quantity) AS pieces_a_line, avg(price) AS gross_a_line, avg(discount) AS usual_discount,
       count(*) AS lines
FROM lines
WHERE shipped_on <= date '2024-11-01' - interval '75' day
GROUP BY returned, status
ORDER BY returned, status;
