-- What movies with a positive and with a negative overview earned for each dollar of their budget
WITH movies AS (
    SELECT revenue, budget, sentiment(overview) AS score
    FROM movies_metadata
    WHERE budget > 0 AND revenue > 0
)
SELECT CASE WHEN score >= 0 THEN 'POSITIVE' ELSE 'NEGATIVE' END AS sentiment,
       avg(revenue::double precision / budget) AS average_rate
FROM movies
WHERE score IS NOT NULL
GROUP BY 1
ORDER BY sentiment;
