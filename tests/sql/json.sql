json and jsonb.

-- query: columns
SELECT id, j::text, k::text FROM documents ORDER BY id;

-- query: normal_form
SELECT '{"b": 1, "aa": 2, "a": 3, "b": 4}'::jsonb::text, '[1.50, 1e3, -0, 0.000]'::jsonb::text, '"\u00e9\t\"\\\/\b\u001f"'::jsonb::text,
       ' [ true , false , null ] '::jsonb::text, '{}'::jsonb::text, '"\ud83d\ude00"'::jsonb::text, '{"":[]}'::jsonb::text,
       '1e-5'::jsonb::text, '123456789012345678901234567890.10'::jsonb::text ORDER BY 1;

-- query: json_as_written
SELECT ' {"b" : 1,  "a":2, "b":3} '::json::text, '[1.50 ,1e3]'::json::text, '"\u0041"'::json::text ORDER BY 1;

-- query: get
SELECT id, (j -> 'a')::text, (j -> 'b')::text, (j -> 0)::text, (j -> -1)::text, (k -> 'a')::text, (k -> 'z')::text, (k -> 0)::text FROM documents ORDER BY id;

-- query: get_text
SELECT id, j ->> 'a', j ->> 'b', j ->> 1, k ->> 'a', j -> 'c' ->> 'd', j -> 'c' ->> 'e', k ->> 'c', j -> 2 ->> 'a' FROM documents ORDER BY id;

-- query: get_escapes
SELECT '{"a":"x\n\u00e9\"y"}'::json ->> 'a', '{"a":"x\n\u00e9\"y"}'::jsonb ->> 'a', ('["a\u0041"]'::json -> 0)::text, ('["a\u0041"]'::jsonb -> 0)::text ORDER BY 1;

-- query: path
SELECT id, (j #> '{c,e}')::text, j #>> '{b,2}', k #>> '{a,b,1,c}', (k #> '{a,1}')::text, (j #> '{}')::text, j #>> '{b,-1}', j #>> '{b,x}', j #>> '{c,NULL}'
FROM documents ORDER BY id;

-- query: extract_path
SELECT id, jsonb_extract_path(j, 'c', 'e')::text, jsonb_extract_path_text(j, 'b', '2'), json_extract_path_text(k, 'a', 'b', '0'),
       json_extract_path(k, 'a')::text FROM documents ORDER BY id;

-- query: typeof
SELECT id, jsonb_typeof(j), json_typeof(k), jsonb_typeof(j -> 'b'), json_typeof(k -> 'a') FROM documents ORDER BY id;

-- query: contains
SELECT id, j @> '{"a": 1}', j @> '{"b": [2.5]}', '{"a": 1.00, "z": 0, "b": 3, "longer": {}}' @> j, j @> '[3]', j @> '"text"', j <@ '[null]', j @> '[]', j @> '{}'
FROM documents ORDER BY id;

-- query: contains_scalars_in_arrays
SELECT '["a", "b"]'::jsonb @> '"a"', '"a"'::jsonb @> '["a"]', '[1, [2, 3]]'::jsonb @> '[[3]]', '[1, 2]'::jsonb @> '[2, 2, 1]', '{"a":[1,{"b":2}]}'::jsonb @> '{"a":[{"b":2}]}',
       '[1]'::jsonb @> '{}', '1'::jsonb @> '1.0', '{"a":{}}'::jsonb @> '{"a":[]}' ORDER BY 1;

-- query: exists
SELECT id, j ? 'a', j ? 'text', j ? 'q', j ?| ARRAY['zz', 'b'], j ?& ARRAY['a', 'b'], j ?| '{}', j ?& '{}' FROM documents ORDER BY id;

-- query: concatenation
SELECT ('{"a":1,"b":2}'::jsonb || '{"b":3,"c":4}')::text, ('[1]'::jsonb || '[2]')::text, ('[1]'::jsonb || '2')::text, ('1'::jsonb || '2')::text,
       ('{"a":1}'::jsonb || '[1]')::text, ('[1]'::jsonb || '{"a":1}')::text, ('{}'::jsonb || '{}')::text, ('{"a":1}'::jsonb || '"x"')::text ORDER BY 1;

-- query: deletion
SELECT ('{"a":1,"b":2}'::jsonb - 'a')::text, ('["a","b","a"]'::jsonb - 'a')::text, ('[1,2,3]'::jsonb - 1)::text, ('[1,2,3]'::jsonb - -1)::text, ('[1]'::jsonb - 5)::text,
       ('{"a":1,"b":2,"c":3}'::jsonb - '{a,c}'::text[])::text, ('{"a":{"b":1,"c":2}}'::jsonb #- '{a,b}')::text, ('[1,[2,3]]'::jsonb #- '{1,0}')::text,
       ('{"a":1}'::jsonb #- '{}')::text, ('{"a":1}'::jsonb #- '{x,y}')::text ORDER BY 1;

-- query: set
SELECT jsonb_set('{"a":[1,2]}', '{a,0}', '9')::text, jsonb_set('{"a":1}', '{b}', '2')::text, jsonb_set('{"a":1}', '{b}', '2', false)::text,
       jsonb_set('[1,2]', '{5}', '3')::text, jsonb_set('[1,2]', '{-5}', '0')::text, jsonb_set('[1,2]', '{-1}', '0')::text, jsonb_set('{"a":{"b":1}}', '{a,b,c}', '1')::text,
       jsonb_set('{"a":1}', '{x,y}', '1')::text, jsonb_set('{"a":1}', '{}', '1')::text ORDER BY 1;

-- query: insert
SELECT jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"n"')::text, jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"n"', true)::text, jsonb_insert('[1]', '{9}', '2')::text,
       jsonb_insert('[1]', '{-9}', '0')::text, jsonb_insert('[1,2]', '{-1}', '0')::text, jsonb_insert('[1,2]', '{-1}', '0', true)::text, jsonb_insert('{"a":1}', '{b}', '2')::text ORDER BY 1;

-- query: strip_nulls
SELECT json_strip_nulls('{"a":1, "b":null, "c":[null, {"d":null}], "e":"x"}')::text, jsonb_strip_nulls('{"a":1,"b":null,"c":[2,null,{"d":null}]}')::text,
       json_strip_nulls('null')::text, json_strip_nulls(' [1, 2.50 ] ')::text ORDER BY 1;

-- query: pretty
SELECT jsonb_pretty('{"a":[1,{"b":[]}],"c":{},"d":"x"}'), jsonb_pretty('[]'), jsonb_pretty('1') ORDER BY 1;

-- query: array_length
SELECT jsonb_array_length('[1,[2,3],4]'), json_array_length('[]'), json_array_length(' [ 1 , 2 ] ') ORDER BY 1;

-- query: elements
SELECT e.value::text, f.value FROM jsonb_array_elements('[1,"a",{"b":[2]},null]') WITH ORDINALITY AS e(value, n)
JOIN json_array_elements_text('[1,"a",{"b": [2]},null]') WITH ORDINALITY AS f(value, n) ON e.n = f.n ORDER BY e.n;

-- query: elements_of_rows
SELECT id, e.value::text FROM documents, jsonb_array_elements(j) AS e WHERE id IN (2, 8) ORDER BY id, 2;

-- query: elements_in_a_select
SELECT id, json_array_elements(k -> 'a')::text FROM documents WHERE id = 1 ORDER BY id, 2;

-- query: each
SELECT id, e.key, e.value::text FROM documents, jsonb_each(j) AS e WHERE id IN (1, 7) ORDER BY id, key;

-- query: each_text
SELECT key, value FROM json_each_text('{"b":"x","a":null,"c":{"d":1},"b":2}') ORDER BY key, value;

-- query: object_keys
SELECT k FROM jsonb_object_keys('{"bb":1,"a":2,"c":{"d":1}}') AS k ORDER BY k;

-- query: build
SELECT json_build_array(1, 'a', NULL, true, 1.50, ARRAY[1, NULL], date '2024-01-31', timestamp '2024-01-31 10:00:00.5')::text,
       json_build_object('a', 1, 'b c', ARRAY['x', NULL], 3, NULL)::text, jsonb_build_array(1, 'a', NULL, false, 2.50)::text,
       jsonb_build_object('b', 1, 'a', '{"x": 1}'::jsonb, 'c', '[1, 2]'::json)::text, json_build_array()::text, jsonb_build_object()::text,
       json_build_object('j', '{"x" : 1}'::json, 'd', 'NaN'::double precision, 'e', 1e300::double precision)::text ORDER BY 1;

-- query: to_json
SELECT to_json(1.50)::text, to_json('a"b'::text)::text, to_json(ARRAY[1, NULL])::text, to_json(timestamp '2024-01-31 10:00')::text, to_json(true)::text,
       to_jsonb(ARRAY[1.50, NULL])::text, to_jsonb('{"b":1, "a":2}'::json)::text, to_json('Infinity'::double precision)::text, to_json(interval '1 day')::text,
       to_jsonb('x'::text)::text, to_json(0.1::real)::text, to_json('{"a"  : 1}'::json)::text ORDER BY 1;

-- query: object_of_texts
SELECT json_object('{a,1,b,NULL}')::text, json_object('{a,b}', '{1,"x y"}')::text, jsonb_object('{b,1,a,2,b,3}')::text, json_object('{}')::text ORDER BY 1;

-- query: aggregates
SELECT dept_id, json_agg(name ORDER BY emp_id)::text, jsonb_agg(salary ORDER BY emp_id)::text, json_object_agg(emp_id, grade ORDER BY emp_id)::text,
       jsonb_object_agg(name, hired ORDER BY emp_id)::text FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: aggregates_of_little
SELECT json_agg(id)::text, jsonb_agg(id)::text, json_object_agg(id, id)::text, jsonb_object_agg(id, id)::text FROM logic WHERE id < 0 ORDER BY 1;

-- query: aggregates_of_json
SELECT jsonb_agg(j ORDER BY id)::text, json_agg(k ORDER BY id) FILTER (WHERE id < 5)::text AS f FROM documents ORDER BY 1;

-- query: aggregates_distinct
SELECT jsonb_agg(DISTINCT y ORDER BY y)::text, json_agg(DISTINCT y ORDER BY y DESC)::text FROM pairs ORDER BY 1;

-- query: order
SELECT v, v::jsonb > '1' FROM (VALUES ('[]'), ('null'), ('"a"'), ('"b"'), ('""'), ('1'), ('-1.5'), ('10'), ('false'), ('true'), ('[1]'), ('[0, 1]'), ('[2]'),
  ('{}'), ('{"a":1}'), ('{"b":0}'), ('{"a":1,"b":2}'), ('[[]]'), ('[null]'), ('{"aa":1}'), ('1e100'), ('{"a":[]}')) t(v) ORDER BY v::jsonb;

-- query: grouped
SELECT j::text AS t, count(*) FROM (SELECT (j -> 'b') AS j FROM documents) x GROUP BY j ORDER BY j;

-- query: equality
SELECT a.id, b.id FROM documents a JOIN documents b ON a.j = b.j ORDER BY a.id, b.id;

-- query: compared
SELECT id, j = '17.1', j <> '[]', j > '{"a": 1}', j IN ('[]', '"text"'), j IS NOT DISTINCT FROM 'null' FROM documents ORDER BY id;

-- query: casts
SELECT ('17.5'::jsonb)::int, ('17.5'::jsonb)::numeric, ('true'::jsonb)::boolean, ('3'::jsonb)::bigint, ('1.5'::jsonb)::double precision,
       ('{"b":1,"a":[1.50]}'::json)::jsonb::text, ('{"b":1,"a":[1.50]}'::jsonb)::json::text, ('"x"'::text)::jsonb::text, '{"a": 1}'::jsonb || ('{"b":' || '2}')::jsonb ORDER BY 1;

-- query: numbers_from_text
SELECT id, (j ->> 'a')::numeric + 1, coalesce((j -> 'b' ->> 1)::numeric, 0) FROM documents WHERE jsonb_typeof(j) = 'object' ORDER BY id;

-- query: arrays_of_jsonb
SELECT ARRAY['1'::jsonb, '{"a": 1.0}']::text, ('{1,"[2]",NULL}'::jsonb[])[2]::text, array_agg(j ORDER BY j)::text, ARRAY['{"a":1}'::json]::text FROM documents ORDER BY 1;

-- query: in_conditions
SELECT id FROM documents WHERE j @> '{"longer": {}}' AND (j -> 'a')::numeric = 1 ORDER BY id;

-- query: case_and_coalesce
SELECT id, coalesce(j, '"none"')::text, CASE WHEN id < 3 THEN j ELSE 'null' END::text FROM documents ORDER BY id;

-- query: subscripts
SELECT id, j['a']::text, j['b'][1]::text, j['c']['e']::text, j[0]::text, j[-1]::text, j['nope']['x']::text, j[NULL::text]::text FROM documents ORDER BY id;

-- query: operators_by_name
SELECT jsonb_contains('{"a":1,"b":2}', '{"a":1}'), jsonb_contained('{"a":1}', '{"a":1,"b":2}'), jsonb_exists('{"a":1}', 'a'), jsonb_exists_any('["a"]', '{b,a}'),
       jsonb_exists_all('["a"]', '{b,a}'), jsonb_concat('[1]', '[2]')::text, jsonb_delete('{"a":1}'::jsonb, 'a')::text, jsonb_delete_path('{"a":{"b":1}}', '{a,b}')::text
ORDER BY 1;

-- query: timestamps
SELECT to_json(timestamptz '2024-01-02 03:04:05.5+00')::text, to_json(ARRAY[timestamptz '2024-01-02 03:04:05+05:30', NULL])::text, to_json(timestamp '0001-01-01')::text,
       jsonb_build_array(timestamptz '2024-06-30 23:59:59-08')::text, to_json(date '2024-01-02')::text, to_json(time '10:00')::text ORDER BY 1;

-- query: whole_rows
SELECT row_to_json(d) AS a, to_jsonb(d.*) AS b, to_json((d.dept_id, d.name)) AS c, row_to_json(row(d.*, row(1, 'x'))) AS d
FROM dept d ORDER BY dept_id;

-- query: rows_aggregated
SELECT dept_id, json_agg(e ORDER BY e.emp_id) AS a, jsonb_agg(e.* ORDER BY e.emp_id DESC) AS b, count(e) AS n
FROM (SELECT emp_id, dept_id, name FROM emp) e GROUP BY dept_id ORDER BY dept_id;

-- query: rows_of_a_sorted_subquery
SELECT json_agg(s) AS a, json_build_object('all', jsonb_agg(s)) AS b FROM (SELECT dept_id, name FROM dept ORDER BY name DESC) s ORDER BY 1::text;

-- query: rows_of_an_optional_side
SELECT t.a, row_to_json(u) AS u, to_jsonb(t) AS t, count(u) OVER () AS n, count(t) OVER () AS m
FROM (VALUES (1), (2), (3)) t(a) FULL JOIN (VALUES (1, NULL), (4, 'z')) u(a, c) ON u.a = t.a ORDER BY 1, 2::text;

-- query: records
SELECT * FROM json_to_recordset('[{"a":1,"b":{"d":"foo"},"c":true,"l":[1,null,3]},{"a":"2","c":false,"b":null,"x":5},{}]')
AS x(a int, b json, c boolean, l int[], t text) ORDER BY a;

-- query: records_of_rows
SELECT d.dept_id, x.* FROM dept d, jsonb_to_record(to_jsonb(d)) AS x(name text, dept_id numeric, nothing date) ORDER BY d.dept_id;

-- query: records_by_a_null_record
SELECT * FROM json_populate_recordset(null::record, '[{"x": 776, "d": "2024-02-29"}, {"x": null}]') AS (x int, d date) ORDER BY x;

-- query: arrays_as_json
SELECT array_to_json(ARRAY[1, NULL, 3]) AS a, array_to_json(ARRAY['a"b', 'c']) AS b, (SELECT count(*) FROM json_to_record(NULL) AS x(a int)) AS n ORDER BY 1::text;
