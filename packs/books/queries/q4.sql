-- The ten best rated books of the nineties with at least 500 reviews
WITH reviewed AS (
    SELECT "Title", avg("review/score") AS average_score
    FROM "Books_rating"
    GROUP BY "Title"
    HAVING count(*) >= 500
)
SELECT "Title" AS title, average_score
FROM books_data
JOIN reviewed USING ("Title")
WHERE substring("publishedDate" FROM '^[0-9]{4}')::int BETWEEN 1990 AND 1999
ORDER BY average_score DESC, title
LIMIT 10;
