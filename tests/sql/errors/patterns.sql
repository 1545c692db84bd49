What is wrong with patterns and lists.

-- query: pattern_open
SELECT id FROM words WHERE w ~ 'a(';

-- query: pattern_of_the_row
SELECT id FROM words WHERE 'x' ~ ('(' || w);

-- query: flag_unknown
SELECT regexp_replace(w, 'a', 'b', 'z') FROM words;

-- query: flag_global_match
SELECT regexp_match(w, 'a', 'g') FROM words;

-- query: match_number
SELECT id FROM words WHERE id ~ '1';

-- query: list_literal
SELECT '{a,b'::text[];

-- query: array_of_arrays
SELECT ARRAY[ARRAY[1], ARRAY[2]];

-- query: subscript_of_a_text
SELECT w[1] FROM words;

-- query: append_a_number
SELECT array_append(ARRAY[w], 1) FROM words;

-- query: any_like_of_a_list
SELECT id FROM words WHERE w LIKE ANY (string_to_array(note, ' '));
