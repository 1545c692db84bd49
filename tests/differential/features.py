"""Parts of SQL that are generated only when the binary knows them.

Each has a probe over the nasty tables: when tamiz answers it, the productions that name
the feature are switched on. `make test` fails when a feature of REQUIRED is off."""

PROBES = {
    "array_types": "SELECT (ARRAY[id, 2])[1] FROM a WHERE ARRAY[id, 1] < ARRAY[id, 2]",
    "array_agg": "SELECT array_agg(s ORDER BY s) FROM a",
    "compare_any": "SELECT id FROM a WHERE k < ANY (SELECT k FROM b) OR k >= ALL (SELECT k FROM b)",
    "correlated": "SELECT id FROM a t WHERE EXISTS (SELECT 1 FROM b u WHERE u.k = t.k)"
                  " AND t.k > (SELECT min(v.id) FROM b v WHERE v.k = t.k)",
    "correlated_any": "SELECT (SELECT count(*) FROM b u WHERE u.k < t.k) FROM a t WHERE 1 ="
                      " (SELECT u.k FROM b u WHERE u.k >= t.k ORDER BY u.k LIMIT 1)",
    "correlation": "SELECT corr(e, e), covar_pop(e, e), covar_samp(e, e) FROM a",
    "deviation": "SELECT stddev(k), stddev_pop(e), variance(n), var_pop(m) FROM a",
    "distinct_on": "SELECT DISTINCT ON (k) k, id FROM a ORDER BY k, id",
    "except": "SELECT k FROM a EXCEPT ALL (SELECT k FROM b INTERSECT SELECT k FROM c)",
    "exists": "SELECT EXISTS (SELECT 1 FROM b WHERE k = 3) FROM a",
    "full_join": "SELECT a.id FROM a FULL JOIN b ON a.k = b.k",
    "grouping_sets": "SELECT k, kt, grouping(k), count(*) FROM a GROUP BY ROLLUP (k, kt)",
    "interval": "SELECT date '2024-01-31' + interval '1 month', extract(epoch FROM ts - ts) FROM a",
    "json": "SELECT jsonb_build_object('k', id) ->> 'k', convert_from(decode('61', 'hex'), 'UTF8') FROM a",
    "lag": "SELECT lag(k, 2, 0) OVER (ORDER BY id), lead(k) OVER (ORDER BY id) FROM a",
    "lateral": "SELECT a.id, u.x FROM a CROSS JOIN LATERAL"
               " (SELECT max(b.n) AS x FROM b WHERE b.k = a.k) u",
    "left_join_any": "SELECT a.id FROM a LEFT JOIN b ON a.k < b.k",
    "list_functions": "SELECT array_to_string(string_to_array(w, '-'), '+', '?') FROM a"
                      " WHERE array_length(ARRAY[w], 1) = 1 AND (ARRAY[w])[1] = w"
                      " AND ARRAY[w] @> ARRAY['red'] AND ARRAY[w] && ARRAY[kt]",
    "ntile": "SELECT ntile(3) OVER (ORDER BY id) FROM a",
    "percentile": "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY k),"
                  " percentile_disc(0.25) WITHIN GROUP (ORDER BY k) FROM a",
    "rank_share": "SELECT percent_rank() OVER (ORDER BY k), cume_dist() OVER (ORDER BY k) FROM a",
    "recursion": "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n % 3 + 1 FROM r) SELECT a.id, r.n"
                 " FROM a JOIN r ON a.k = r.n",
    "regex": "SELECT regexp_replace(w, 'e+', 'X', 'g') FROM a WHERE w ~ '^[a-z]+$'",
    "rows": "SELECT (k, w) < (1, 'red'), (k, w) IN ((1, 'a'), (2, 'b')) FROM a",
    "scalar_subquery": "SELECT id FROM a WHERE k = (SELECT max(k) FROM b)",
    "series": "SELECT a.id, g.n FROM a JOIN generate_series(1, 9, 2) AS g(n) ON a.k = g.n",
    "string_agg": "SELECT string_agg(w, ',' ORDER BY w) FROM a",
    "subquery_in_join": "SELECT a.id FROM a LEFT JOIN b ON a.k = b.k AND a.k IN (SELECT k FROM c)",
    "unnest": "SELECT a.id, u.x FROM a CROSS JOIN unnest(string_to_array(w, '-')) AS u(x)",
    "value_windows": "SELECT first_value(k) OVER (ORDER BY id), last_value(k) OVER (ORDER BY id),"
                     " nth_value(k, 2) OVER (ORDER BY id) FROM a",
    "window_aggregates": "SELECT sum(k) OVER (PARTITION BY kt ORDER BY id"
                         " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM a",
    "window_exclude": "SELECT sum(k) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"
                      " EXCLUDE TIES) FROM a",
    "window_groups": "SELECT count(*) OVER (ORDER BY k GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING)"
                     " FROM a",
    "window_range": "SELECT count(*) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)"
                    " FROM a",
}

# What tamiz has said it does.
REQUIRED = sorted(PROBES)
