What json, jsonb, uuid, bytea and arrays refuse.

-- query: malformed_json
SELECT '{"a": }'::json;

-- query: malformed_jsonb_of_a_column
SELECT w::jsonb FROM words;

-- query: json_is_not_compared
SELECT k = k FROM documents;

-- query: json_each_in_a_select_list
SELECT json_each(k) FROM documents;

-- query: json_agg_over
SELECT json_agg(id) OVER () FROM documents;

-- query: odd_arguments
SELECT json_build_object('a', 1, 'b');

-- query: null_key
SELECT json_build_object(NULL, id) FROM documents;

-- query: length_of_an_object
SELECT jsonb_array_length(j) FROM documents;

-- query: elements_of_a_scalar
SELECT jsonb_array_elements(j) FROM documents WHERE id = 3;

-- query: number_of_a_string
SELECT j::int FROM documents WHERE id = 3;

-- query: int_to_jsonb
SELECT id::jsonb FROM documents;

-- query: delete_from_scalar
SELECT j - 'a' FROM documents WHERE id = 3;

-- query: path_step_is_no_index
SELECT jsonb_set(j, '{x}', '1') FROM documents WHERE id = 2;

-- query: existing_key
SELECT jsonb_insert(j, '{a}', '1') FROM documents WHERE id = 1;

-- query: malformed_uuid
SELECT 'de305d54-75b4'::uuid;

-- query: malformed_bytea
SELECT '\xabc'::bytea;

-- query: unknown_form
SELECT encode(y, 'rot13') FROM documents WHERE id = 1;

-- query: arrays_of_different_types
SELECT ARRAY[1.5] = ARRAY[1];

-- query: element_of_an_array
SELECT '{1,x}'::int[];

-- query: any_of_no_array
SELECT 1 = ANY (id) FROM documents;

-- query: trimmed_too_far
SELECT trim_array(a, 5) FROM documents WHERE id = 1;

-- query: key_that_is_an_array
SELECT json_build_object('{a,b,c}'::text[], 1);

-- query: path_that_does_not_parse
SELECT '$.a ? @'::jsonpath;

-- query: path_with_junk
SELECT jsonb_path_query('1', '1a');

-- query: path_with_last_outside
SELECT jsonb_path_query('1', 'last');

-- query: path_with_a_bad_pattern
SELECT jsonb_path_query('"a"', '$ ? (@ like_regex "(a")');

-- query: path_that_fails
SELECT jsonb_path_query('{"a": 1}', 'strict $.b');

-- query: path_without_its_variable
SELECT jsonb_path_query('1', '$x');

-- query: path_variables_that_are_no_object
SELECT jsonb_path_query('1', '$x', '1');

-- query: path_that_is_no_condition
SELECT jsonb_path_match('1', '$');

-- query: path_across_zones
SELECT jsonb_path_query('["2017-03-10", "2017-03-10 00:00:00+00"]', '$[0].datetime() == $[1].datetime()');

-- query: path_with_a_pattern_that_does_not_fit
SELECT jsonb_path_query('"10.03.2017 x"', '$.datetime("dd.mm.yyyy")');

-- query: path_with_a_pattern_without_a_zone
SELECT jsonb_path_query('"10.03.2017"', '$.datetime("dd.mm.yyyy TZH")');

-- query: path_with_a_year_too_far
SELECT jsonb_path_query('"1000000-01-01"', '$.datetime() > "2020-01-01".datetime()');

-- query: text_of_a_zero
SELECT json '{"a": "null \u0000 escape"}' ->> 'a';

-- query: path_with_a_name_that_is_none
SELECT jsonb_path_query('1', '$', quiet => true);

-- query: paths_compared
SELECT jsonpath '$' = jsonpath '$';

-- query: record_of_a_row
SELECT * FROM json_populate_record(row(1, 2), '{"f1": 0}') AS (f1 int, f2 int);

-- query: records_without_columns
SELECT * FROM json_to_recordset('[]') AS x;

-- query: row_as_a_value
SELECT max(dept) FROM dept;
