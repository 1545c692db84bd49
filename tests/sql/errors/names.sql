Names that are not there, types that do not fit, and text that is not SQL.

-- query: no_table
SELECT * FROM nowhere;

-- query: no_table_suggestion
SELECT * FROM word;

-- query: no_column
SELECT id, nope FROM logic;

-- query: no_column_suggestion
SELECT
    id,
    notes
FROM words;

-- query: no_column_of_table
SELECT e.name, e.city FROM emp e;

-- query: no_such_alias
SELECT x.id FROM logic y;

-- query: ambiguous
SELECT name FROM emp JOIN dept USING (dept_id);

-- query: ambiguous_in_where
SELECT emp.name FROM emp JOIN dept ON emp.dept_id = dept.dept_id WHERE dept_id = 1;

-- query: alias_twice
SELECT 1 FROM logic a JOIN words a ON true;

-- query: using_missing
SELECT 1 FROM emp JOIN dept USING (city);

-- query: alias_in_where
SELECT id + 1 AS next FROM logic WHERE next > 3;

-- query: no_function
SELECT frobnicate(id) FROM logic;

-- query: wrong_arguments
SELECT lower(id, 2) FROM logic;

-- query: no_operator
SELECT id + w FROM words;

-- query: text_minus_int
SELECT w - 1 FROM words;

-- query: compare_types
SELECT id FROM words WHERE id = w;

-- query: compare_bool_int
SELECT id FROM logic WHERE a = 1;

-- query: not_boolean
SELECT id FROM logic WHERE id;

-- query: and_not_boolean
SELECT id FROM logic WHERE a AND id;

-- query: bad_literal
SELECT id FROM everything WHERE dt = 'yesterday-ish';

-- query: bad_integer_literal
SELECT id FROM logic WHERE id = 'three';

-- query: no_cast
SELECT a::date FROM logic;

-- query: no_type
SELECT id::frobnicator FROM logic;

-- query: sum_of_text
SELECT sum(w) FROM words;

-- query: not_grouped
SELECT shop, product, count(*) FROM sales GROUP BY shop;

-- query: not_grouped_star
SELECT * FROM logic GROUP BY id;

-- query: aggregate_in_where
SELECT id FROM logic WHERE count(*) > 1;

-- query: nested_aggregate
SELECT sum(count(*)) FROM logic;

-- query: window_in_where
SELECT id FROM logic WHERE row_number() OVER (ORDER BY id) = 1;

-- query: having_not_grouped
SELECT shop FROM sales GROUP BY shop HAVING product = 'tea';

-- query: order_position
SELECT id FROM logic ORDER BY 2;

-- query: group_position
SELECT id FROM logic GROUP BY 3;

-- query: union_columns
SELECT id, a FROM logic UNION ALL SELECT id FROM words;

-- query: union_types
SELECT id FROM logic UNION ALL SELECT w FROM words;

-- query: distinct_order
SELECT DISTINCT w FROM words ORDER BY id;

-- query: in_two_columns
SELECT id FROM logic WHERE id IN (SELECT k, t FROM keys_a);

-- query: case_types
SELECT CASE WHEN a THEN id ELSE 'x' END FROM logic;

-- query: case_types_columns
SELECT CASE WHEN id > 3 THEN id ELSE w END FROM words;

-- query: negative_limit
SELECT id FROM logic LIMIT -1;

-- query: syntax
SELECT id FROM logic WHERE;

-- query: syntax_later
SELECT id
FROM logic
WHERE id = = 3;

-- query: unterminated
SELECT 'abc FROM logic;

-- query: misspelt
SELEC id FROM logic;

-- query: empty
-- nothing but a comment

-- query: cte_twice
WITH t AS (SELECT 1), t AS (SELECT 2) SELECT * FROM t;

-- query: cte_columns_too_many
WITH t(a, b) AS (SELECT 1) SELECT * FROM t;

-- query: extract_field
SELECT extract(fortnight FROM ts) FROM everything;

-- query: date_trunc_field
SELECT date_trunc('fortnight', ts) FROM everything;

-- query: using_twice
SELECT 1 FROM emp JOIN dept USING (dept_id, dept_id);

-- query: group_by_ambiguous_alias
SELECT emp_id AS x, name AS x FROM emp GROUP BY x;

-- query: function_of_no_schema
SELECT noexist.abs(1);

-- query: function_of_no_database
SELECT noexist.pg_catalog.abs(1);
