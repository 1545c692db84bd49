-- Computer books from 2000 to 2023 with "distributed" in the title
SELECT "Title" AS title, py_list(authors) AS authors, publisher
FROM books_data
WHERE "Title" ILIKE '%distributed%'
  AND substring("publishedDate" FROM '^[0-9]{4}')::int BETWEEN 2000 AND 2023
  AND 'Computers' = ANY (py_list(categories))
ORDER BY title;
