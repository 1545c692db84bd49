Regular expressions.

-- query: match
SELECT id FROM words WHERE w ~ 'an' ORDER BY id;

-- query: match_any_case
SELECT id, w ~ '^a', w ~* '^a', w !~ '^a', w !~* '^a' FROM words ORDER BY id;

-- query: match_anchors
SELECT id FROM words WHERE w ~ '^a{3,4}$' ORDER BY id;

-- query: match_classes
SELECT id, w ~ '[[:digit:]]', w ~ '\d%$', w ~ '[^a-z ]', w ~ '\s', w ~ '\w+_\w+' FROM words ORDER BY id;

-- query: match_alternatives
SELECT id FROM words WHERE w ~ '^(apple|banana|it''s)$' ORDER BY id;

-- query: match_letters_of_many_bytes
SELECT id, w ~ '^.{5}$', w ~ 'á', w ~ '^Ω', w ~ '[ñáó]', w ~ '😀' FROM words ORDER BY id;

-- query: match_pattern_of_the_row
SELECT id, w ~ w FROM words WHERE id IN (1, 2, 3, 4, 17, 21, 31) ORDER BY id;

-- query: match_null
SELECT id, w ~ NULL, NULL ~ w FROM words WHERE id = 1 ORDER BY id;

-- query: match_empty_pattern
SELECT id, w ~ '' FROM words ORDER BY id;

-- query: regexp_like_flags
SELECT id, regexp_like(w, 'APPLE', 'i'), regexp_like(w, 'APPLE'), regexp_like(w, '^lines', 'n') FROM words ORDER BY id;

-- query: like_operators
SELECT id, w ~~ 'a%', w !~~ 'a%', w ~~* 'A%', w !~~* 'A%', w ^@ 'a' FROM words ORDER BY id;

-- query: like_any
SELECT id, w LIKE ANY (ARRAY['a%', '%e']), w NOT LIKE ALL ('{a%,b%}'), w ILIKE ANY (ARRAY['APP%']),
       w LIKE ALL (ARRAY['%a%', '%n%'])
FROM words ORDER BY id;

-- query: match_any
SELECT id FROM words WHERE w ~ ANY (ARRAY['^x', 'e$']) ORDER BY id;

-- query: replace_first
SELECT id, regexp_replace(w, 'a', 'X') FROM words ORDER BY id;

-- query: replace_all
SELECT id, regexp_replace(w, '[aeiou]', '<\&>', 'g') FROM words ORDER BY id;

-- query: replace_groups
SELECT id, regexp_replace(w, '(\w+)=(\w+)', '\2=\1'), regexp_replace(w, '(.)(.)', '\2\1', 'g') FROM words ORDER BY id;

-- query: replace_any_case
SELECT id, regexp_replace(w, 'A', '', 'gi') FROM words ORDER BY id;

-- query: replace_with_nothing
SELECT id, regexp_replace(w, '\s+', '', 'g'), regexp_replace(w, '[^[:alpha:]]', '', 'g') FROM words WHERE id < 20
ORDER BY id;

-- query: match_groups
SELECT id, regexp_match(w, '(\w)(\w)'), regexp_match(w, 'an'), regexp_match(w, 'A(P*)', 'i') FROM words ORDER BY id;

-- query: match_first_group
SELECT id, (regexp_match(w, '^([^=]*)=(.*)$'))[2] AS value FROM words WHERE w ~ '=' ORDER BY id;

-- query: optional_group
SELECT id, regexp_match(w, '(a)|(b)') FROM words WHERE id IN (1, 2, 17, 23) ORDER BY id;

-- query: split
SELECT id, regexp_split_to_array(w, '[/_ ,]'), regexp_split_to_array(w, '\s*,\s*') FROM words ORDER BY id;

-- query: split_into_characters
SELECT id, regexp_split_to_array(w, '') FROM words WHERE id IN (1, 3, 12, 15) ORDER BY id;

-- query: split_flags
SELECT id, regexp_split_to_array(w, 'A', 'i') FROM words WHERE id < 24 ORDER BY id;

-- query: count_matches
SELECT id, regexp_count(w, 'a'), regexp_count(w, 'a.'), regexp_count(w, '') FROM words ORDER BY id;

-- query: substring_from
SELECT id, substring(w FROM 'a.'), substring(w, 'a(.)'), substring(w FROM '^.{3}'), substring(w FROM 2) FROM words
ORDER BY id;

-- query: substring_of_a_number
SELECT id, substring(w FROM '\d+')::int AS number FROM words WHERE w ~ '\d' ORDER BY id;

-- query: substr_whole_match
SELECT id, regexp_substr(w, 'a(.)'), regexp_substr(w, '(an)+'), regexp_substr(w, '[(a]([^)]*)n') FROM words ORDER BY id;

-- query: grouped_by_a_match
SELECT substring(w FROM '^[[:alpha:]]') AS first, count(*) FROM words GROUP BY 1 ORDER BY first;

-- query: sum_of_matches
SELECT count(*) FILTER (WHERE w ~* 'a'), sum(regexp_count(w, 'a')) FROM words ORDER BY 1;
