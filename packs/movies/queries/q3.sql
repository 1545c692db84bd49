-- The best and the worst rated of the movies produced in Argentina since 2000
WITH argentine AS (
    SELECT id, min(title) AS title
    FROM movies_metadata
    WHERE release_date >= '2000-01-01'
      AND 'Argentina' = ANY (py_pluck(production_countries, 'name'))
    GROUP BY id
),
rated AS (
    SELECT id, title, avg(rating) AS average_rating
    FROM ratings
    JOIN argentine ON id = "movieId"
    GROUP BY id, title
),
ranked AS (
    SELECT title, average_rating,
           row_number() OVER (ORDER BY average_rating DESC, id) AS from_best,
           row_number() OVER (ORDER BY average_rating, id) AS from_worst
    FROM rated
)
SELECT extreme, title, average_rating
FROM ranked
JOIN (VALUES ('best'), ('worst')) AS extremes (extreme)
  ON (extreme = 'best' AND from_best = 1) OR (extreme = 'worst' AND from_worst = 1)
ORDER BY extreme;
