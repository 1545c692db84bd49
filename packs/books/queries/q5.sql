-- Fiction whose reviews are among the most positive tenth
WITH fiction AS (
    SELECT DISTINCT "Title"
    FROM books_data
    WHERE 'Fiction' = ANY (py_list(categories))
),
scored AS (
    SELECT "Title" AS title, avg(sentiment("review/text")) AS average_sentiment
    FROM "Books_rating"
    JOIN fiction USING ("Title")
    GROUP BY title
)
SELECT title, average_sentiment
FROM scored
WHERE average_sentiment >= (
    SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY average_sentiment) FROM scored
)
ORDER BY average_sentiment DESC, title;
