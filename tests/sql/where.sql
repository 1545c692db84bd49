Filters: comparisons, three-valued logic, IN, BETWEEN, LIKE, NULL tests.

-- query: equals
SELECT id FROM everything WHERE i = 42 ORDER BY id;

-- query: not_equals
SELECT id FROM everything WHERE i <> 42 ORDER BY id;

-- query: not_equals_bang
SELECT id FROM everything WHERE i != 13 AND i > 0 ORDER BY id;

-- query: less
SELECT id, l FROM everything WHERE l < 0 ORDER BY id;

-- query: bigint_extremes
SELECT id FROM everything WHERE l = 9223372036854775807 OR l = -9223372036854775808 ORDER BY id;

-- query: int_against_bigint
SELECT id FROM everything WHERE i < l ORDER BY id;

-- query: int_against_numeric
SELECT id FROM everything WHERE i > 12.5 AND i <= 42.0 ORDER BY id;

-- query: int_against_double
SELECT id FROM everything WHERE i = 13.0::double precision ORDER BY id;

-- query: numeric_equal_by_value
SELECT id, n FROM everything WHERE n = 78 ORDER BY id;

-- query: numeric_order
SELECT id, n FROM everything WHERE n > 0 ORDER BY n, id;

-- query: numeric_tiny
SELECT id FROM everything WHERE n > 0 AND n < 0.0000001 ORDER BY id;

-- query: fixed_numeric
SELECT id, m FROM everything WHERE m >= 0.1 AND m < 100 ORDER BY m, id;

-- query: double_compare
SELECT id, d FROM everything WHERE d > 0.1 AND d < 1000 ORDER BY d, id;

-- query: double_against_numeric
SELECT id FROM everything WHERE d = n ORDER BY id;

-- query: text_compare
SELECT id, s FROM everything WHERE s > 'a' ORDER BY s, id;

-- query: text_equals_empty
SELECT id FROM everything WHERE s = '' ORDER BY id;

-- query: text_case
SELECT id FROM everything WHERE s = 'a' ORDER BY id;

-- query: date_compare
SELECT id, dt FROM everything WHERE dt >= '2021-01-01' AND dt < '2025-01-01' ORDER BY dt, id;

-- query: date_literal
SELECT id FROM everything WHERE dt = DATE '2024-02-29' ORDER BY id;

-- query: date_against_timestamp
SELECT id FROM everything WHERE dt = ts ORDER BY id;

-- query: timestamp_compare
SELECT id, ts FROM everything WHERE ts > '1969-12-31 23:59:59' AND ts <= TIMESTAMP '2021-01-03 00:00:00'
ORDER BY ts, id;

-- query: timestamp_against_date_text
SELECT id FROM everything WHERE ts >= '2024-02-29' AND ts < '2024-03-01' ORDER BY id;

-- query: time_of_day
SELECT id, ts FROM everything WHERE ts::time BETWEEN '06:00' AND '12:30' ORDER BY id;

-- query: boolean_column
SELECT id FROM everything WHERE b ORDER BY id;

-- query: boolean_not
SELECT id FROM everything WHERE NOT b ORDER BY id;

-- query: boolean_is
SELECT id, a IS TRUE AS t, a IS NOT TRUE AS nt, a IS FALSE AS f, a IS NOT FALSE AS nf,
       a IS UNKNOWN AS u, a IS NOT UNKNOWN AS nu
FROM logic ORDER BY id;

-- query: boolean_equals
SELECT id FROM logic WHERE a = b ORDER BY id;

-- query: boolean_equals_true
SELECT id FROM logic WHERE a = true ORDER BY id;

-- query: boolean_less
SELECT id FROM logic WHERE a < b ORDER BY id;

-- query: truth_table
SELECT id, a, b, a AND b AS both, a OR b AS either, NOT a AS no FROM logic ORDER BY id;

-- query: truth_with_constants
SELECT id, a AND true AS t1, a AND false AS t2, a AND NULL AS t3, a OR true AS t4, a OR false AS t5,
       a OR NULL AS t6
FROM logic WHERE b ORDER BY id;

-- query: and_null_filter
SELECT id FROM logic WHERE a AND b ORDER BY id;

-- query: or_null_filter
SELECT id FROM logic WHERE a OR b ORDER BY id;

-- query: not_and_filter
SELECT id FROM logic WHERE NOT (a AND b) ORDER BY id;

-- query: not_or_filter
SELECT id FROM logic WHERE NOT (a OR b) ORDER BY id;

-- query: where_null
SELECT id FROM logic WHERE NULL ORDER BY id;

-- query: where_true
SELECT id FROM logic WHERE true ORDER BY id;

-- query: compare_with_null
SELECT id FROM everything WHERE i = NULL OR i <> NULL ORDER BY id;

-- query: is_null
SELECT id FROM everything WHERE s IS NULL ORDER BY id;

-- query: is_not_null
SELECT id FROM everything WHERE n IS NOT NULL AND d IS NULL OR i IS NULL ORDER BY id;

-- query: isnull_short
SELECT id FROM everything WHERE l ISNULL OR dt ISNULL ORDER BY id;

-- query: is_distinct_from
SELECT id, a IS DISTINCT FROM b AS differs, a IS NOT DISTINCT FROM b AS same FROM logic ORDER BY id;

-- query: is_distinct_from_null
SELECT id FROM everything WHERE s IS DISTINCT FROM NULL AND i IS NOT DISTINCT FROM 13 ORDER BY id;

-- query: is_distinct_from_value
SELECT id FROM everything WHERE i IS DISTINCT FROM 42 ORDER BY id;

-- query: in_list
SELECT id FROM everything WHERE i IN (5, 13, 999) ORDER BY id;

-- query: not_in_list
SELECT id FROM everything WHERE i NOT IN (5, 13, 42) ORDER BY id;

-- query: in_list_with_null
SELECT id, i IN (5, NULL) AS found FROM everything ORDER BY id;

-- query: not_in_list_with_null
SELECT id FROM everything WHERE i NOT IN (5, NULL) ORDER BY id;

-- query: in_text
SELECT id FROM everything WHERE s IN ('a', 'A', 'ñandú', '') ORDER BY id;

-- query: in_dates
SELECT id FROM everything WHERE dt IN ('2021-01-03', '2024-02-29') ORDER BY id;

-- query: in_mixed_numbers
SELECT id FROM everything WHERE n IN (1, 78, 2.5) ORDER BY id;

-- query: in_expressions
SELECT id FROM pairs WHERE x IN (y, y + 4, 100) ORDER BY id;

-- query: in_row_of_doubles
SELECT id FROM everything WHERE d IN (0.1, 2.5) ORDER BY id;

-- query: between
SELECT id FROM everything WHERE i BETWEEN 5 AND 17 ORDER BY id;

-- query: between_reversed
SELECT id FROM everything WHERE i BETWEEN 17 AND 5 ORDER BY id;

-- query: between_symmetric
SELECT id FROM everything WHERE i BETWEEN SYMMETRIC 17 AND 5 ORDER BY id;

-- query: not_between
SELECT id FROM everything WHERE i NOT BETWEEN -10 AND 1000 ORDER BY id;

-- query: between_null
SELECT id FROM logic WHERE id BETWEEN 3 AND NULL ORDER BY id;

-- query: between_text
SELECT id, w FROM words WHERE w BETWEEN 'a' AND 'b' ORDER BY id;

-- query: like_prefix
SELECT id, w FROM words WHERE w LIKE 'a%' ORDER BY id;

-- query: like_suffix
SELECT id, w FROM words WHERE w LIKE '%e' ORDER BY id;

-- query: like_middle
SELECT id, w FROM words WHERE w LIKE '%an%' ORDER BY id;

-- query: like_underscore
SELECT id, w FROM words WHERE w LIKE '_____' ORDER BY id;

-- query: like_wide_character
SELECT id, w FROM words WHERE w LIKE '日本_テ%' OR w LIKE '_rbol' ORDER BY id;

-- query: like_escape
SELECT id, w FROM words WHERE w LIKE '%\%' OR w LIKE '%\_%' ORDER BY id;

-- query: like_own_escape
SELECT id, w FROM words WHERE w LIKE '%!_case!_%' ESCAPE '!' ORDER BY id;

-- query: like_backslash
SELECT id, w FROM words WHERE w LIKE '%\\%' ORDER BY id;

-- query: like_newline
SELECT id FROM words WHERE w LIKE 'two%lines' ORDER BY id;

-- query: like_exact
SELECT id FROM words WHERE w LIKE 'apple' ORDER BY id;

-- query: like_empty
SELECT id FROM words WHERE w LIKE '' ORDER BY id;

-- query: like_all
SELECT id FROM words WHERE w LIKE '%' ORDER BY id;

-- query: like_many_wildcards
SELECT id, w FROM words WHERE w LIKE '%a%a%a%' ORDER BY id;

-- query: like_quote
SELECT id, w FROM words WHERE w LIKE '%"%' OR w LIKE '%''%' ORDER BY id;

-- query: not_like
SELECT id FROM words WHERE w NOT LIKE '%a%' ORDER BY id;

-- query: ilike
SELECT id, w FROM words WHERE w ILIKE 'APP%' ORDER BY id;

-- query: ilike_unicode
SELECT 'Ñ' ILIKE 'ñ' AS a, 'ÁRBOL' ILIKE '%árb_l' AS b, 'straße' ILIKE 'STRASSE' AS c, 'Éx' ILIKE '_X' AS d,
       'İ' ILIKE 'i' AS e, 'Ⱥ' ILIKE 'ⱥ' AS f, 'ΑΒΓ' ILIKE '%β%' AS g, 'x' ILIKE 'Éx' ESCAPE 'É' AS h,
       'É%' ILIKE 'éÉ%' ESCAPE 'É' AS i, 'ñ' NOT ILIKE 'Ñ%' AS j, 'ⱥⱥ' ILIKE '%Ⱥ' AS k ORDER BY 1;

-- query: ilike_unicode_rows
SELECT id, w FROM words WHERE w ILIKE 'áRBol' OR w ILIKE lower(w) || '%' AND w ILIKE '%Ñ%' OR w ILIKE '%😀%'
ORDER BY id;

-- query: not_ilike
SELECT id FROM words WHERE w NOT ILIKE '%A%' ORDER BY id;

-- query: like_null
SELECT id, w LIKE NULL AS l FROM words WHERE id < 3 ORDER BY id;

-- query: like_column_pattern
SELECT a.id, b.id AS other FROM words a JOIN words b ON a.w LIKE b.w || '%' WHERE b.id IN (1, 21, 26)
ORDER BY a.id, other;

-- query: precedence
SELECT id FROM logic WHERE id = 1 OR id = 2 AND a IS NULL OR NOT id < 9 ORDER BY id;

-- query: arithmetic_in_filter
SELECT id FROM pairs WHERE x::bigint * 2 - y > 10 ORDER BY id;

-- query: filter_on_expression
SELECT id, w FROM words WHERE length(w) > 10 AND lower(w) <> w ORDER BY id;

-- query: constant_folding
SELECT id FROM logic WHERE 1 + 1 = 2 AND 'a' || 'b' = 'ab' AND id <= 2 ORDER BY id;

-- query: row_comparison_by_parts
SELECT id FROM pairs WHERE (x > y OR x = y) AND p > q ORDER BY id;

-- query: nothing_left
SELECT * FROM everything WHERE id < 0 ORDER BY id;
