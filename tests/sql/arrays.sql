Functions and operators of lists.

-- query: literals
SELECT '{a,b}'::text[], '{}'::text[], '{"x y",NULL,"NULL"}'::text[], ARRAY['a', NULL, ''], ARRAY[]::text[] ORDER BY 1;

-- query: literal_escapes
SELECT '{"a\"b","c\\d","e,f"," g "}'::text[] AS l, ('{"a\"b","c\\d"}'::text[])[1] ORDER BY 1;

-- query: subscripts
SELECT id, (ARRAY[w, note])[1], (ARRAY[w, note])[2], (ARRAY[w, note])[0], (ARRAY[w, note])[3], (ARRAY[w, note])[NULL::int]
FROM words WHERE id < 6 ORDER BY id;

-- query: subscript_of_the_row
SELECT id, (string_to_array('a,b,c', ','))[id] AS item FROM words WHERE id < 6 ORDER BY id;

-- query: lengths
SELECT id, array_length(l, 1), array_length(l, 2), array_upper(l, 1), cardinality(l)
FROM (SELECT id, string_to_array(w, '/') AS l FROM words) x ORDER BY id;

-- query: split_and_join
SELECT id, string_to_array(w, 'a'), array_to_string(string_to_array(w, 'a'), '-') FROM words ORDER BY id;

-- query: split_into_characters
SELECT id, string_to_array(w, NULL), string_to_array(w, '') FROM words ORDER BY id;

-- query: join_nulls
SELECT id, array_to_string(ARRAY[w, note, NULL], ','), array_to_string(ARRAY[w, note, NULL], ',', '?') FROM words
ORDER BY id;

-- query: concat_ws
SELECT id, concat_ws(', ', w, note, id, id > 3, NULL), concat_ws(NULL, w, 'x'), concat_ws('', w) FROM words ORDER BY id;

-- query: positions
SELECT id, array_position(ARRAY['apple', w, NULL], w), array_position(ARRAY[w, note], 'runs'),
       array_position(ARRAY['x', NULL], NULL::text)
FROM words ORDER BY id;

-- query: concatenation
SELECT id, ARRAY[w] || ARRAY[note], ARRAY[w] || 'x'::text, w || ARRAY['y'], ARRAY[w] || '{p,q}', array_cat(ARRAY[w], NULL)
FROM words WHERE id < 8 ORDER BY id;

-- query: append_prepend
SELECT id, array_append(ARRAY[w], note), array_prepend(note, ARRAY[w]), array_append(NULL, w), array_append('{}', NULL)
FROM words WHERE id < 8 OR id = 26 ORDER BY id;

-- query: contains
SELECT id, ARRAY[w, note] @> ARRAY['apple'], ARRAY[w, note] @> '{}', ARRAY['apple', 'plain'] <@ ARRAY[w, note, 'z'],
       ARRAY[w, note] @> ARRAY[NULL]::text[]
FROM words ORDER BY id;

-- query: overlaps
SELECT id FROM words WHERE string_to_array(note, ' ') && ARRAY['accents', 'word', 'blank'] ORDER BY id;

-- query: equality
SELECT id, ARRAY[w, note] = ARRAY['apple', 'plain'], ARRAY[w] <> ARRAY[note], ARRAY[w, NULL] = ARRAY[w, NULL] FROM words
ORDER BY id;

-- query: any_of_a_list
SELECT id FROM words WHERE 'accents' = ANY (string_to_array(note, ' ')) ORDER BY id;

-- query: all_of_a_list
SELECT id, 'a' <> ALL (string_to_array(w, NULL)) FROM words ORDER BY id;

-- query: case_and_coalesce
SELECT id, coalesce(string_to_array(note, ' '), '{none}'), CASE WHEN id < 3 THEN ARRAY[w] ELSE '{}' END FROM words ORDER BY id;

-- query: grouped
SELECT string_to_array(note, ' ') AS l, count(*), string_agg(w, ',' ORDER BY id) FROM words GROUP BY 1 ORDER BY 2 DESC, 3, 1;

-- query: distinct_lists
SELECT count(*) FROM (SELECT DISTINCT string_to_array(note, ' ') FROM words) x ORDER BY 1;

-- query: aggregated_and_taken_apart
SELECT dept_id, (array_agg(name ORDER BY salary DESC NULLS LAST, emp_id))[1] AS best,
       array_to_string(array_agg(grade ORDER BY emp_id), '', '?') AS grades
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: cast_to_text
SELECT id, string_to_array(w, ' ')::text, length(ARRAY[w, note]::text) FROM words ORDER BY id;

-- query: cast_from_text
SELECT id, ('{' || id || ',x}')::text[] FROM words WHERE id < 4 ORDER BY id;

-- query: order_of_lists
SELECT id, string_to_array(w, 'a') AS l FROM words ORDER BY l, id;

-- query: comparisons
SELECT id, ARRAY[w] < ARRAY['b'], ARRAY[w, note] >= ARRAY[w], ARRAY[w, NULL] < ARRAY[w, 'x'], greatest(ARRAY[w], '{b}'),
       least(ARRAY[w], NULL)
FROM words ORDER BY id;

-- query: split_null_string
SELECT id, string_to_array(w, ' ', 'NULL'), string_to_array(w, NULL, 'a') FROM words ORDER BY id;
