-- What more would have been earned without small discounts on small lines
SELECT sum(price * discount) AS given_away
FROM lines
WHERE shipped_on >= date '2022-01-01' AND shipped_on < date '2023-01-01'
  AND discount BETWEEN 0.03 AND 0.05 AND quantity < 25;
