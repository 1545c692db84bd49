-- The Movies Dataset: one file a table.
--
-- Lists are Python literals: [{'id': 18, 'name': 'Drama'}]. They stay text here, and the queries
-- take out what they need with py_pluck. A few records of movies_metadata are broken in two lines:
-- both halves have too few fields and are rejects.

CREATE TABLE movies_metadata (
    adult                 text,
    belongs_to_collection text,
    budget                bigint,
    genres                text,
    homepage              text,
    id                    bigint,
    imdb_id               text,
    original_language     text,
    original_title        text,
    overview              text,
    popularity            double precision,
    poster_path           text,
    production_companies  text,
    production_countries  text,
    release_date          date,
    revenue               bigint,
    runtime               numeric,
    spoken_languages      text,
    status                text,
    tagline               text,
    title                 text,
    video                 text,
    vote_average          numeric,
    vote_count            bigint
) WITH (files = 'movies_metadata.csv');

CREATE TABLE ratings (
    "userId"    bigint,
    "movieId"   bigint,
    rating      numeric,
    "timestamp" bigint
) WITH (files = 'ratings.csv');

CREATE TABLE credits (
    "cast" text,
    crew   text,
    id     bigint
) WITH (files = 'credits.csv');
