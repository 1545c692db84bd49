-- The ten actors with most movies among those produced in Argentina since 2000
WITH argentine AS (
    SELECT DISTINCT id
    FROM movies_metadata
    WHERE release_date >= '2000-01-01'
      AND 'Argentina' = ANY (py_pluck(production_countries, 'name'))
)
SELECT actor, count(DISTINCT id) AS movies
FROM credits
JOIN argentine USING (id)
CROSS JOIN unnest(py_pluck("cast", 'name')) AS actor
GROUP BY actor
ORDER BY movies DESC, actor
LIMIT 10;
