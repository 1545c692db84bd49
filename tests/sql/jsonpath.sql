-- SQL/JSON paths: their texts, what they find, conditions, methods, variables.

-- query: texts (any order)
SELECT p::jsonpath::text AS text FROM unnest(ARRAY['$', 'lax $', 'strict $.a.b', '$.a[*].*', '$[0, 2 to last]', '$.**', '$.**{2}', '$.**{1 to last}.b',
    '$.a + 1', '-$.a * +$.b', '($.a + 2).size()', '1 + ($.a > 2).c', '$.a ? (@.b == 1 || !(@.c < 2.50) && exists (@.d))', '$ ? ((@.a == 1) is unknown)',
    '$ ? (@.s starts with "x" && @.t like_regex "^a.*" flag "imsm")', '$."k e\ty"', '$x.y', '"\u0041\x42\u{43}"', '(1.50).abs().floor().ceiling().double()',
    '$.keyvalue().key.type()', '$.datetime().type()', '0.0010e+2', '.5', '1.', '$.a[$b - 1, last - 2]', 'null', 'true.type()', '$.to.type.size',
    '$ /* a comment */ . a', '$.a <> 1', '(-(+$.a)).b', '$.last[last]']) AS p

-- query: steps (any order)
SELECT p, jsonb_path_query_array('{"a": [1, {"b": 2}, [3, 4]], "c": {"b": {"b": "x"}}, "n": null}', p::jsonpath) AS found
FROM unnest(ARRAY['$', '$.a', '$.a[*]', '$.a[0]', '$.a[last]', '$.a[1 to 2]', '$.a[1 to 9, 0]', '$.*', '$.*.b', '$.c.b.b', '$.**.b', '$.**{1}', '$.**{last}', '$.**{2 to 3}',
    '$.missing', '$.a.b', '$.n', '$.a[1.7]', '$.a[*][0]', '$.c[0]', '$.c[*].b', '$.a[2][*]']) AS p

-- query: strict_paths_silent (any order)
SELECT p, jsonb_path_query_array('{"a": [1, {"b": 2}]}', p::jsonpath, silent => true) AS found, jsonb_path_exists('{"a": [1, {"b": 2}]}', p::jsonpath, silent => true) AS there
FROM unnest(ARRAY['strict $.a', 'strict $.b', 'strict $.a[*].b', 'strict $.a[1].b', 'strict $.a[5]', 'strict $.a[*] ? (@.b == 2)', 'strict $.a.size()', 'lax $.a[5]']) AS p

-- query: conditions (any order)
SELECT p, jsonb_path_query_array('[1, 2, "2", null, true, "abc", [1, 5], {"a": 3}]', p::jsonpath) AS found
FROM unnest(ARRAY['$[*] ? (@ == 2)', '$[*] ? (@ != 2)', '$[*] ? (@ >= 2)', '$[*] ? (@ == null)', '$[*] ? (@ != null)', '$[*] ? (@ == true)', '$[*] ? (@ > "a")',
    '$[*] ? (@ starts with "ab")', '$[*] ? (@ like_regex "B" flag "i")', '$[*] ? (@.a > 1)', '$[*] ? (exists (@.a))', '$[*] ? (!(@ == 2))', '$[*] ? ((@ < 3) is unknown)',
    '$ ? (@[*] == "abc")', '$[*] > 1', '$[0] < 1', '$[*] ? (@ > 1 && @ < 5)', '$[*] ? (@ < 1 || @ == "2")', '$[last] ? (@.a == 3).a']) AS p

-- query: arithmetic (any order)
SELECT p, jsonb_path_query_array('{"a": 7, "b": [2.50], "l": [1, 2, 3]}', p::jsonpath) AS found
FROM unnest(ARRAY['$.a + $.b', '$.a - 1', '$.a * $.b', '$.a / 2', '$.a % 4', '-$.l', '+$.l[1]', '-$.l[*] + 0', '$.a + 2 * 3', '($.a + 2) * 3']) AS p
WHERE p NOT LIKE '-$.l[*]%'

-- query: methods (any order)
SELECT p, jsonb_path_query_array('{"n": -1.5, "s": "12.50", "l": [1, "x", null], "o": {"k": 1, "m": [2]}}', p::jsonpath) AS found
FROM unnest(ARRAY['$.*.type()', '$.l[*].type()', '$.l.size()', '$.n.size()', '$.n.abs()', '$.n.floor()', '$.n.ceiling()', '$.s.double()', '$.n.double()', '$.o.keyvalue()',
    '$.o.keyvalue().key', '$.keyvalue().value.type()', '($.n > 0).type()', '$.keyvalue() ? (@.key == "o").value.keyvalue().id']) AS p

-- query: times (any order)
SELECT p, jsonb_path_query_array('["2017-03-10", "2017-03-10 12:34:56", "2017-03-10T12:34:56.7+03:30", "12:34:56", "12:34:56-5", "x"]', p::jsonpath) AS found
FROM unnest(ARRAY['$[0 to 4].datetime()', '$[0 to 4].datetime().type()', '$[0].datetime() < $[1].datetime()', '$[3].datetime() == $[3].datetime()', '$[4].datetime() == $[4].datetime()',
    '$[0].datetime() == $[3].datetime()', '$[2].datetime() >= $[2].datetime()']) AS p

-- query: times_across_zones (any order)
SELECT jsonb_path_query_array_tz('["2017-03-10", "2017-03-10 00:00:00", "2017-03-10 03:00:00+03", "2017-03-10 01:02:03+04"]', '$[*].datetime() ? (@ == $[0].datetime())') AS a,
       jsonb_path_exists_tz('["2017-03-10", "2017-03-09 23:00:00-01"]', '$ ? (@[0].datetime() == @[1].datetime())') AS b,
       jsonb_path_match_tz('["12:00:00", "12:00:00+00"]', '$[0].datetime() == $[1].datetime()') AS c

-- query: variables (any order)
SELECT jsonb_path_query_array('[1, 2, 3]', '$[*] ? (@ >= $low && @ <= $x.high)', '{"low": 2, "x": {"high": 2}}') AS a,
       jsonb_path_query_first('{"a": "abc"}', '$.a ? (@ starts with $"s t")', vars => '{"s t": "ab"}') AS b,
       jsonb_path_exists('[1, 2, 3]', '$[$i]', '{"i": 2}') AS c, jsonb_path_match(target => '{"a": 5}', path => '$.a > $min', vars => '{"min": 4}') AS d

-- query: operators (any order)
SELECT p, jsonb '{"a": [1, 2, {"b": true}]}' @? p::jsonpath AS there, jsonb '{"a": [1, 2, {"b": true}]}' @@ p::jsonpath AS holds
FROM unnest(ARRAY['$.a', '$.b', '$.a[*] > 1', '$.a[*] > 5', 'strict $.b', '$.a[*].b', '$.a[0]', '$.a == 1', '$.a[0] == "1"']) AS p

-- query: rows_in_from (any order)
SELECT d.id, f FROM (VALUES (1, jsonb '{"a": [1, 2]}'), (2, '{"a": []}'), (3, '{"a": 5}')) AS d (id, j), jsonb_path_query(j, '$.a[*]') AS f

-- query: rows_in_a_select_list (any order)
SELECT id, jsonb_path_query(j, '$.a[*] ? (@ > $1)', '{"1": 1}') AS f FROM (VALUES (1, jsonb '{"a": [1, 2, 3]}'), (2, '{"a": []}')) AS d (id, j)

-- query: paths_of_rows (any order)
SELECT p, jsonb_path_query_first(j, p) AS found FROM (VALUES (jsonb '{"a": 1, "b": 2}', jsonpath '$.a'), ('{"a": 1, "b": 2}', '$.b'), ('[7]', '$[0]'), (NULL, '$'), ('1', NULL)) AS t (j, p)

-- query: errors_inside (any order)
SELECT jsonb_path_query_array('[1, 2, 0]', '$[*] ? (6 / @ > 2)') AS a, jsonb_path_query_array('[1, "x"]', '$[*] + 1', silent => true) AS b,
       jsonb_path_match('1', '$', silent => true) AS c, jsonb_path_match('null', '$') AS d, jsonb_path_query_first('"a"', '-$', silent => true) AS e

-- query: times_by_patterns (any order)
SELECT p, jsonb_path_query_array('["10-03-2017 12:34 +05:20", "10-03-2017", "12:34:56.789", "12:34 -05"]', p::jsonpath) AS found
FROM unnest(ARRAY['$[0].datetime("dd-mm-yyyy HH24:MI TZH:TZM")', '$[1].datetime("dd-mm-yyyy").type()', '$[2].datetime("HH24:MI:SS.FF2")', '$[3].datetime("HH24:MI TZH")',
    '$[*] ? (@.datetime("dd-mm-yyyy") < "2020-01-01".datetime())', '$[1].datetime("dd\"-\"mm-yyyy")']) AS p
