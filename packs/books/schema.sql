-- Amazon Books Reviews: the books, and what readers wrote about them; they join on the title.
--
-- authors and categories are Python lists of strings. publishedDate is 1996, 2005-01, 2005-01-01,
-- 1963* or 199?: text, from which the queries take four leading digits as the year.

CREATE TABLE books_data (
    "Title"         text,
    description     text,
    authors         text,
    image           text,
    "previewLink"   text,
    publisher       text,
    "publishedDate" text,
    "infoLink"      text,
    categories      text,
    "ratingsCount"  numeric
) WITH (files = 'books_data.csv');

CREATE TABLE "Books_rating" (
    "Id"                 text,
    "Title"              text,
    "Price"              numeric,
    "User_id"            text,
    "profileName"        text,
    "review/helpfulness" text,
    "review/score"       numeric,
    "review/time"        bigint,
    "review/summary"     text,
    "review/text"        text
) WITH (files = 'Books_rating.csv');
