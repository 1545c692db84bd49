-- Authors with titles in at least ten decades
WITH books AS (
    SELECT authors, substring("publishedDate" FROM '^[0-9]{4}')::int AS year
    FROM books_data
)
SELECT author
FROM books
CROSS JOIN unnest(py_list(authors)) AS author
WHERE year IS NOT NULL AND author IS NOT NULL
GROUP BY author
HAVING count(DISTINCT year - year % 10) >= 10
ORDER BY author;
