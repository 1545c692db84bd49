-- The five countries that invested most in movies which they produced alone
WITH movies AS (
    SELECT budget, py_pluck(production_countries, 'name') AS countries
    FROM movies_metadata
)
SELECT countries[1] AS country, sum(budget) AS invested
FROM movies
WHERE cardinality(countries) = 1
GROUP BY country
ORDER BY invested DESC, country
LIMIT 5;
