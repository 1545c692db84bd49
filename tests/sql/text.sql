Functions on text, counted in characters and not in bytes.

-- query: concat_operator
SELECT id, '<' || w || '>' AS v FROM words ORDER BY id;

-- query: concat_numbers (any order)
SELECT 1 || '-H' || 2 AS a, 'n' || 1.50 AS b, 'd' || 0.5::double precision AS c, 'b' || true AS d,
       'e' || date '2024-01-31' AS e, 2024::numeric || '-H1' AS f;

-- query: concat_null
SELECT id, a::text || 'x' AS v FROM logic ORDER BY id;

-- query: concat_function (any order)
SELECT concat('a', NULL, 1, 'b', 2.50, true) AS a, concat(NULL, NULL) AS b, concat('x') AS c;

-- query: lower_upper
SELECT id, lower(w) AS l, upper(w) AS u FROM words WHERE id <> 14 ORDER BY id;

-- query: lower_group
SELECT lower(w) AS w, count(*) AS n FROM words WHERE id IN (1, 2, 12, 13, 30) GROUP BY lower(w)
ORDER BY 1;

-- query: length
SELECT id, length(w) AS chars, octet_length(w) AS bytes, char_length(w) AS same FROM words ORDER BY id;

-- query: substring_from_for
SELECT id, substring(w FROM 2 FOR 3) AS v FROM words ORDER BY id;

-- query: substring_from
SELECT id, substring(w FROM 4) AS v FROM words ORDER BY id;

-- query: substr
SELECT id, substr(w, 1, 2) AS a, substr(w, 3) AS b FROM words ORDER BY id;

-- query: substring_edges (any order)
SELECT substring('hello', 0) AS a, substring('hello', -1, 3) AS b, substring('hello', 2, 0) AS c,
       substring('hello', 10) AS d, substring('hello', 2, 100) AS e, substring('日本語', 2, 1) AS f,
       substring('hello' FROM 0 FOR 2) AS g;

-- query: left_right
SELECT id, left(w, 2) AS l, right(w, 2) AS r, left(w, -2) AS ln, right(w, -2) AS rn FROM words
ORDER BY id;

-- query: position
SELECT id, position('a' IN w) AS a, strpos(w, 'an') AS an, position('' IN w) AS e FROM words ORDER BY id;

-- query: position_wide (any order)
SELECT position('語' IN '日本語') AS a, strpos('añb', 'b') AS b, position('x' IN 'abc') AS c;

-- query: trim
SELECT id, '[' || trim(w) || ']' AS t, '[' || ltrim(w) || ']' AS l, '[' || rtrim(w) || ']' AS r
FROM words ORDER BY id;

-- query: trim_characters (any order)
SELECT trim(BOTH 'x' FROM 'xxbananaxx') AS a, trim(LEADING 'x' FROM 'xxbxx') AS b,
       trim(TRAILING 'x' FROM 'xxbxx') AS c, btrim('abcba', 'ab') AS d, ltrim('abcba', 'ab') AS e,
       rtrim('abcba', 'ba') AS f, trim('  ') AS g, btrim('ñañ', 'ñ') AS h;

-- query: replace
SELECT id, replace(w, 'a', 'AA') AS a, replace(w, '', 'x') AS e, replace(w, 'an', '') AS n FROM words
ORDER BY id;

-- query: split_part
SELECT id, split_part(w, '/', 1) AS a, split_part(w, '/', 4) AS d, split_part(w, '/', 9) AS z,
       split_part(w, '/', -1) AS last
FROM words ORDER BY id;

-- query: split_part_more (any order)
SELECT split_part('a--b--c', '--', 2) AS a, split_part('abc', '', 1) AS b, split_part('', ',', 1) AS c,
       split_part('a,b', ',', -2) AS d, split_part('a,b', ',', -3) AS e;

-- query: starts_with
SELECT id FROM words WHERE starts_with(w, 'a') ORDER BY id;

-- query: reverse
SELECT id, reverse(w) AS r FROM words WHERE id NOT IN (7, 8) ORDER BY id;

-- query: repeat (any order)
SELECT repeat('ab', 3) AS a, repeat('x', 0) AS b, repeat('x', -1) AS c, repeat('ñ', 2) AS d;

-- query: pads (any order)
SELECT lpad('7', 3, '0') AS a, rpad('7', 3, '.') AS b, lpad('12345', 3, '0') AS c, lpad('x', 5) AS d,
       rpad('x', 4, 'ab') AS e, lpad('x', 5, '') AS f, lpad('日', 3, 'ñ') AS g;

-- query: text_nulls (any order)
SELECT lower(NULL) AS a, length(NULL::text) AS b, substring(NULL::text, 1) AS c,
       replace('a', NULL, 'b') AS d, split_part('a', NULL, 1) AS e;

-- query: escape_strings (any order)
SELECT E'tab\there' AS a, E'new\nline' AS b, 'it''s' AS c, E'quote\'s' AS d, $$dollar 'quoted'$$ AS e;

-- query: compare_unicode
SELECT a.id, b.id AS other FROM words a JOIN words b ON lower(a.w) = lower(b.w) AND a.id < b.id
ORDER BY a.id, other;

-- query: long_text
SELECT id, length(repeat(w, 50)) AS n, right(repeat(w, 50), 3) AS tail FROM words WHERE id < 5 ORDER BY id;

-- query: text_of_numbers
SELECT id, length(n::text) AS n, upper(b::text) AS b, substring(ts::text, 1, 7) AS month FROM everything
ORDER BY id;

-- query: like_of_empty_texts (any order)
SELECT '' LIKE '_' AS a, '' LIKE '%' AS b, '' ILIKE '%' AS c, split_part('x', 'a', -2) LIKE '%' AS d,
       '' LIKE '' AS e, '' LIKE '%%' AS f, trim('  ') LIKE '%a%' AS g, '' LIKE '_%' AS h;

-- query: like_of_empty_results
SELECT id, left(w, 0) LIKE '%' AS a, left(w, 0) LIKE '_' AS b, left(w, 0) ILIKE '' AS c FROM words
WHERE id < 5 ORDER BY id;

-- query: variadic_arrays (any order)
SELECT concat(VARIADIC ARRAY[1, 2, NULL, 3]) AS a, concat_ws(',', VARIADIC '{1,2}'::int[]) AS b, concat_ws(',', VARIADIC NULL::int[]) AS c,
       concat(VARIADIC '{}'::int[]) AS d, format('%2$s, %1$s', VARIADIC ARRAY['first', 'second']) AS e,
       format('%s, %s', VARIADIC ARRAY[true, false]) AS f, format('%s', VARIADIC ARRAY[true, false]::text[]) AS g,
       format('Hello', VARIADIC NULL::int[]) AS h, json_build_array(VARIADIC ARRAY['a', 'b']) AS i, num_nulls(VARIADIC ARRAY[1, NULL]) AS j

-- query: variadic_columns (any order)
SELECT concat(VARIADIC string_to_array(name, 'a')) AS a, concat_ws('-', VARIADIC string_to_array(name, 'e')) AS b FROM emp
