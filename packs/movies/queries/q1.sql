-- Movies of 2000 to 2009 that were produced in Argentina and Spain, with their genres
SELECT DISTINCT title, py_pluck(genres, 'name') AS genres
FROM movies_metadata
WHERE release_date >= '2000-01-01' AND release_date < '2010-01-01'
  AND py_pluck(production_countries, 'name') @> ARRAY['Argentina', 'Spain']
ORDER BY title, genres;
