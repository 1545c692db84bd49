-- Books of the nineties with at least 500 reviews
WITH reviewed AS (
    SELECT "Title", count(*) AS reviews
    FROM "Books_rating"
    GROUP BY "Title"
    HAVING count(*) >= 500
)
SELECT "Title" AS title, py_list(authors) AS authors, reviews
FROM books_data
JOIN reviewed USING ("Title")
WHERE substring("publishedDate" FROM '^[0-9]{4}')::int BETWEEN 1990 AND 1999
ORDER BY title;
