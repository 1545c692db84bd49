-- Different phrases
SELECT count(DISTINCT search_phrase) AS phrases
FROM visits;
