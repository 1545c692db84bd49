Arrays whose elements are numbers, booleans, dates, times and intervals.

-- query: literals
SELECT '{1,-2,NULL}'::smallint[], '{1,2147483647}'::int[], '{9223372036854775807}'::bigint[], '{1.50,-0,NaN,1e5}'::numeric[],
       '{1.5,-0,1e300}'::double precision[], '{0.1,3}'::real[], '{t,false,NULL}'::boolean[], '{}'::int[] ORDER BY 1;

-- query: literals_of_times
SELECT '{2024-02-29,0001-01-01}'::date[], '{10:30,23:59:59.5}'::time[], '{1 day,"1 mon 2 days",30 days}'::interval[] ORDER BY 1;

-- query: texts
SELECT ARRAY[1, 2, NULL]::text, '{1.50,2}'::numeric[]::text, '{-0,0.1,1e20,NaN,-Infinity}'::double precision[]::text,
       ARRAY[true, false]::text, ARRAY[timestamp '2024-01-02 03:04:05.6', NULL]::text, ARRAY[date '2024-01-02']::text,
       ARRAY[interval '1 day 2 hours', '1 mon']::text, '{0.1}'::real[]::text, ARRAY[time '10:00']::text ORDER BY 1;

-- query: common_types
SELECT ARRAY[1, 2.5], ARRAY[1, 2147483648], ARRAY[1, 2.5::double precision], ARRAY[NULL, 3], ARRAY[id, NULL], ARRAY['x', NULL],
       ARRAY[i, l] FROM everything ORDER BY id;

-- query: of_columns
SELECT id, ARRAY[i, id], ARRAY[l], ARRAY[n, m], ARRAY[d], ARRAY[b], ARRAY[dt, NULL], ARRAY[ts]::text FROM everything ORDER BY id;

-- query: subscripts
SELECT id, (ARRAY[i, id])[2], (ARRAY[n, m])[1], (ARRAY[dt])[1], (ARRAY[b])[1], (ARRAY[ts])[1], (ARRAY[d])[1], (ARRAY[d])[0]
FROM everything ORDER BY id;

-- query: slices
SELECT (ARRAY[1, 2, 3])[2:3], (ARRAY[1, 2, 3])[:2], (ARRAY[1, 2, 3])[2:], (ARRAY[1, 2, 3])[:], (ARRAY[1, 2, 3])[3:2],
       (ARRAY[1, 2, 3])[-5:9], (ARRAY[1, 2, 3])[NULL:2], (ARRAY['a', 'b'])[2:2], ('{}'::int[])[1:2] ORDER BY 1;

-- query: slices_of_the_row
SELECT id, (string_to_array('a,b,c,d', ','))[id:id + 1] FROM words WHERE id < 7 ORDER BY id;

-- query: concatenation
SELECT ARRAY[1, 2] || ARRAY[3], ARRAY[1] || 2, 0 || ARRAY[1], ARRAY[1] || '{5,6}', ARRAY[1.50] || 2, 1 || ARRAY[2.5], ARRAY[1] || NULL,
       NULL || ARRAY[1], ARRAY[1] || NULL::int, '{}'::numeric[] || 1.0, ARRAY[date '2024-01-01'] || date '2024-01-02' ORDER BY 1;

-- query: contains
SELECT ARRAY[1, 2, 3] @> ARRAY[3, 1], ARRAY[1, 2] @> ARRAY[4], ARRAY[1.0, 2.00] @> ARRAY[1.00], ARRAY[1] <@ ARRAY[1, 2],
       ARRAY[1, 2] && ARRAY[2, 3], ARRAY[1, 2] && '{7,8}', ARRAY[1, NULL] @> ARRAY[NULL]::int[], '{}'::int[] <@ ARRAY[1],
       ARRAY[interval '1 mon'] @> ARRAY[interval '30 days'] ORDER BY 1;

-- query: comparison
SELECT ARRAY[1, 2] < ARRAY[1, 3], ARRAY[1, 2] < ARRAY[1], ARRAY[1, NULL] > ARRAY[1, 2], ARRAY[1.0] = ARRAY[1.00], ARRAY[-1] < ARRAY[0],
       ARRAY[0::double precision] = ARRAY['-0'::double precision], ARRAY['NaN'::double precision] > ARRAY['Infinity'::double precision],
       ARRAY[interval '1 mon'] = ARRAY[interval '30 days'], ARRAY[NULL]::int[] = ARRAY[NULL]::int[], '{}'::int[] < ARRAY[0],
       ARRAY[1] IS DISTINCT FROM NULL, ARRAY[false] < ARRAY[true], ARRAY[-10.5, 3] < ARRAY[-9.0, 1], ARRAY[100] > ARRAY[9] ORDER BY 1;

-- query: sorted
SELECT a, a::text AS t FROM (VALUES (ARRAY[1.0, 2]), (ARRAY[1.00, 2]), (ARRAY[-5]), (NULL), ('{}'), (ARRAY[1.0]), (ARRAY[NULL]::numeric[]),
  (ARRAY[1e30]), (ARRAY['NaN'::numeric]), (ARRAY[1.0, NULL])) v(a) ORDER BY 1, 2;

-- query: sorted_descending
SELECT a FROM (VALUES (ARRAY[0.5]), (ARRAY[-1.5, 2]), (ARRAY[-1.5]), ('{}'), (ARRAY[7e100]), (NULL)) t(a) ORDER BY a DESC;

-- query: grouped
SELECT ARRAY[y, 1] AS k, count(*), sum(id) FROM pairs GROUP BY 1 ORDER BY 1;

-- query: distinct_arrays
SELECT DISTINCT ARRAY[x > 0, y > 0] FROM pairs ORDER BY 1;

-- query: joined
SELECT a.id, b.id FROM pairs a JOIN pairs b ON ARRAY[a.x, a.y] = ARRAY[b.x, b.y] WHERE a.id < 20 ORDER BY a.id, b.id;

-- query: any_of_numbers
SELECT id, x = ANY ('{1,2,3}'::int[]), x < ANY (ARRAY[y, 2]), x <> ALL (ARRAY[y, NULL]), x >= ALL ('{-100,-50}'::bigint[]), x > ANY ('{}')
FROM pairs WHERE id < 20 ORDER BY id;

-- query: any_of_a_column
SELECT e.id FROM everything e WHERE e.id = ANY (ARRAY[e.i, 3, 5]) ORDER BY e.id;

-- query: any_of_other_types
SELECT 2 = ANY (ARRAY[1.5, 2.00]), 2.5 = ANY ('{1,2}'::int[]), date '2024-01-01' < ANY (ARRAY[timestamp '2024-01-01 00:01']),
       NULL = ANY (ARRAY[1]), 1 = ANY (NULL::int[]), 1 = ANY (ARRAY[NULL, 1]), 1 <> ALL (ARRAY[NULL, 2]) ORDER BY 1;

-- query: unnested
SELECT x, y, z, w FROM unnest(ARRAY[1, NULL, 3], '{1.50,2}'::numeric[], ARRAY[date '2024-01-01'], '{t,f}'::bool[]) AS u(x, y, z, w)
ORDER BY x, y;

-- query: unnested_of_the_row
SELECT id, v FROM everything, unnest(ARRAY[i::numeric, n, m]) AS v WHERE id < 8 ORDER BY id, v, v::text;

-- query: unnested_in_a_select
SELECT id, unnest(ARRAY[ts, NULL]) AS t FROM everything WHERE id < 4 ORDER BY id, t;

-- query: with_ordinality
SELECT v, n FROM unnest('{0.5,NULL,-3}'::double precision[]) WITH ORDINALITY AS u(v, n) ORDER BY n;

-- query: aggregated
SELECT dept_id, array_agg(salary ORDER BY salary DESC NULLS LAST, emp_id) AS s, array_agg(emp_id ORDER BY emp_id) FILTER (WHERE salary > 3000) AS f,
       array_agg(DISTINCT grade ORDER BY grade DESC) AS g, array_agg(hired ORDER BY emp_id) AS h
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: aggregated_distinct
SELECT array_agg(DISTINCT y), array_agg(DISTINCT x > 0), array_agg(DISTINCT y ORDER BY y DESC) FROM pairs ORDER BY 1;

-- query: aggregated_scales
SELECT array_agg(v ORDER BY v, v::text) FROM (VALUES (1.0), (1.00), (NULL), (0.5), (-0.50)) t(v) ORDER BY 1;

-- query: aggregated_none
SELECT array_agg(id), array_agg(p) FROM pairs WHERE id < 0 ORDER BY 1;

-- query: array_of_a_select
SELECT ARRAY(SELECT y FROM pairs WHERE id < 6 ORDER BY id), ARRAY(SELECT p FROM pairs WHERE id < 0), ARRAY(SELECT hired FROM emp ORDER BY 1 LIMIT 2)
ORDER BY 1;

-- query: array_of_a_correlated_select
SELECT d.dept_id, ARRAY(SELECT e.salary FROM emp e WHERE e.dept_id = d.dept_id ORDER BY e.salary) FROM dept d ORDER BY d.dept_id;

-- query: lengths
SELECT cardinality(ARRAY[1, 2]), array_length(ARRAY[1, 2], 1), array_length(ARRAY[1], 2), array_lower(ARRAY[1.5], 1), array_upper(ARRAY[true], 1),
       array_lower('{}'::int[], 1), array_ndims(ARRAY[1]), array_ndims('{}'::int[]), array_dims(ARRAY[1, 2, 3]), array_dims('{}'::int[]) ORDER BY 1;

-- query: append_and_prepend
SELECT array_append(ARRAY[1], 2), array_append(ARRAY[1], NULL), array_append(NULL, 3), array_prepend(1, ARRAY[2.5]), array_append(ARRAY[1.0], 2),
       array_cat(ARRAY[1], '{2,3}'), array_cat(NULL, ARRAY[1]) ORDER BY 1;

-- query: positions
SELECT array_position(ARRAY[3, 1, 3], 3), array_position(ARRAY[3, 1, 3], 3, 2), array_position(ARRAY[1.0, 2], 1.00), array_positions(ARRAY[3, 1, 3], 3),
       array_positions(ARRAY[1, NULL], NULL), array_positions(ARRAY[1], 7), array_position(ARRAY[1], 9), array_position('{}'::int[], 1),
       array_position(ARRAY[1, 2], 1, -3), array_position(ARRAY[1, 2], 1, 9) ORDER BY 1;

-- query: remove_and_replace
SELECT array_remove(ARRAY[1, 2, 1], 1), array_remove(ARRAY[1, NULL], NULL), array_remove(ARRAY[1.0, 1.00, 2], 1), array_remove('{}'::int[], 1),
       array_remove(NULL::int[], 1), array_replace(ARRAY[1, 2, 1], 1, 9), array_replace(ARRAY[1, NULL], NULL, 0), array_replace(ARRAY[1, 2], 2, NULL)
ORDER BY 1;

-- query: fill_and_trim
SELECT array_fill(7, ARRAY[3]), array_fill(NULL::numeric, ARRAY[2]), array_fill('x'::text, '{0}'), trim_array(ARRAY[1, 2, 3], 2), trim_array(ARRAY[1], 1)
ORDER BY 1;

-- query: joined_to_text
SELECT array_to_string(ARRAY[1, NULL, 3], ','), array_to_string(ARRAY[1.50, NULL], ',', '?'), array_to_string(ARRAY[true, false], ''),
       array_to_string(ARRAY[date '2024-01-01'], '-'), array_to_string('{}'::int[], ','), array_to_string('{0.1,-0}'::double precision[], ' ') ORDER BY 1;

-- query: subscripts_in_a_series
SELECT i, (ARRAY[10, 20, 30])[i] FROM generate_subscripts(ARRAY[10, 20, 30], 1) AS i ORDER BY i;

-- query: casts
SELECT ARRAY[1, 2]::bigint[], ARRAY[1, 2]::text[], ARRAY['1', '2.50']::numeric[], ARRAY[1.5, 2.5, -1.5]::int[], ARRAY[1.005, 2]::numeric(10,2)[],
       ARRAY[true]::text[], ARRAY['2024-01-01', NULL]::date[], ARRAY[timestamp '2024-01-01 10:00']::date[], ARRAY[1, 0]::boolean[], ARRAY[]::date[],
       '{1.239}'::numeric(5,1)[], ARRAY[0.1]::real[]::double precision[] ORDER BY 1;

-- query: casts_of_columns
SELECT id, ARRAY[n, m]::double precision[], ARRAY[i, l]::numeric[], ARRAY[i]::text[], ('{' || id || ',7}')::int[] FROM everything ORDER BY id;

-- query: in_case_and_coalesce
SELECT id, CASE WHEN x > 0 THEN ARRAY[x] ELSE '{}' END, coalesce(NULL, ARRAY[y, x]), nullif(ARRAY[x], ARRAY[0]), greatest(ARRAY[x], ARRAY[y])
FROM pairs WHERE id < 12 ORDER BY id;

-- query: in_a_union
SELECT ARRAY[1, 2] AS a UNION SELECT ARRAY[1.5, 2] UNION ALL SELECT '{9}' ORDER BY 1;

-- query: in_a_list
SELECT ARRAY[1, 2] IN (ARRAY[2], ARRAY[1, 2]), ARRAY[1] NOT IN ('{2}', '{3}') ORDER BY 1;

-- query: in_a_select
SELECT id FROM pairs WHERE x IN (SELECT unnest(ARRAY[1, 2, 3])) ORDER BY id;

-- query: window
SELECT id, lag(ARRAY[x, y]) OVER (ORDER BY id), first_value(ARRAY[p]) OVER (ORDER BY id) FROM pairs WHERE id < 6 ORDER BY id;

-- query: long_numerics
SELECT ARRAY[1e40, -1e-40, 123456789012345678901234567890123456789.5], (ARRAY[1e40 + 0.25])[1], ARRAY[1e40] = ARRAY[1e40::numeric(60,5)],
       array_agg(v ORDER BY v)::text FROM (VALUES (1e50), (-1e50), (2.5)) t(v) ORDER BY 1;
