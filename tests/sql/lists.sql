Lists of text: ARRAY, ANY, cardinality.

-- query: any_constant
SELECT id FROM words WHERE w = ANY (ARRAY['apple', 'aaa', 'nothing']) ORDER BY id;

-- query: any_with_null
SELECT id, w = ANY (ARRAY['apple', NULL]) AS found FROM words WHERE id < 5 ORDER BY id;

-- query: any_column
SELECT id FROM words WHERE 'apple' = ANY (ARRAY[w, note]) ORDER BY id;

-- query: cardinality
SELECT id, cardinality(ARRAY[w, note]) AS n FROM words WHERE id < 4 ORDER BY id;
