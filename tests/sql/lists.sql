Lists of text: ARRAY, ANY, cardinality, how they are printed, compared and grouped.

-- query: any_constant
SELECT id FROM words WHERE w = ANY (ARRAY['apple', 'aaa', 'nothing']) ORDER BY id;

-- query: any_with_null
SELECT id, w = ANY (ARRAY['apple', NULL]) AS found FROM words WHERE id < 5 ORDER BY id;

-- query: any_column
SELECT id FROM words WHERE 'apple' = ANY (ARRAY[w, note]) ORDER BY id;

-- query: cardinality
SELECT id, cardinality(ARRAY[w, note]) AS n FROM words WHERE id < 4 ORDER BY id;

-- query: output
SELECT id, ARRAY[w, note] AS l, ARRAY[w, note]::text AS t FROM words ORDER BY id;

-- query: output_escapes
SELECT ARRAY['a"b', 'back\slash', E'tab\tnewline\nreturn\r\b\f\x01', 'é€', '', NULL, '{x,y}'] AS l,
	ARRAY['only']::text[] AS l, 1 AS l ORDER BY 3;

-- query: read_and_write
SELECT '{a,"b c",NULL,"NULL",""}'::text[] AS l, '{}'::text[] AS none,
	'{a,"b c",NULL,"NULL",""}'::text[]::text AS t ORDER BY 3;

-- query: equal
SELECT id, ARRAY[w, note] = ARRAY['apple', NULL] AS eq, ARRAY[w] <> ARRAY['apple'] AS ne FROM words ORDER BY id;

-- query: order_of_lists
SELECT id, ARRAY[w, note] AS l FROM words ORDER BY ARRAY[w, note], id;

-- query: order_of_lists_descending
SELECT id, ARRAY[note, w] AS l FROM words ORDER BY 2 DESC, id;

-- query: grouped
SELECT ARRAY[note, NULL] AS l, count(*) AS n FROM words GROUP BY 1 ORDER BY 1;

-- query: distinct_lists
SELECT DISTINCT CASE WHEN id % 3 = 0 THEN '{}'::text[] WHEN id % 3 = 1 THEN ARRAY[note] END AS l
FROM words ORDER BY 1;

-- query: joined
SELECT a.id, b.id AS other FROM words a JOIN words b ON ARRAY[a.note, NULL] = ARRAY[b.note, NULL]
WHERE a.id < 10 ORDER BY 1, 2;

-- query: in_lists
SELECT id FROM words WHERE ARRAY[w, note] IN (ARRAY['apple', NULL], ARRAY['b', 'c'], '{}'::text[])
ORDER BY id;
