-- Where customers with money have not ordered anything
SELECT prefix, count(*) AS customers, sum(balance) AS money
FROM (SELECT substring(phone FROM 1 FOR 2) AS prefix, balance
      FROM customers c
      WHERE substring(phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
        AND balance > (SELECT avg(balance) FROM customers
                       WHERE balance > 0.00 AND substring(phone FROM 1 FOR 2)
                             IN ('13', '31', '23', '29', '30', '18', '17'))
        AND NOT EXISTS (SELECT * FROM orders o WHERE o.customer_id = c.customer_id)) idle
GROUP BY prefix
ORDER BY prefix;
