Intervals in windows: as offsets of RANGE, as keys, as arguments; and in aggregates over sorted values.

-- query: days_before_a_timestamp
SELECT sale_id, sold_at, count(*) OVER w, sum(amount) OVER w FROM sales
WINDOW w AS (ORDER BY sold_at RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) ORDER BY sale_id;

-- query: by_partition
SELECT event_id, count(*) OVER (PARTITION BY kind ORDER BY at RANGE BETWEEN '1 month' PRECEDING AND '1 month' FOLLOWING),
       max(value) OVER (PARTITION BY kind ORDER BY at RANGE BETWEEN '36:30' FOLLOWING AND '1 year' FOLLOWING)
FROM events ORDER BY event_id;

-- query: descending
SELECT event_id, count(*) OVER (ORDER BY at DESC RANGE BETWEEN '10 days' PRECEDING AND CURRENT ROW),
       count(*) OVER (ORDER BY at DESC NULLS LAST RANGE BETWEEN CURRENT ROW AND '10 days' FOLLOWING)
FROM events ORDER BY event_id;

-- query: dates
SELECT emp_id, hired, count(*) OVER (ORDER BY hired RANGE BETWEEN '1 year' PRECEDING AND '12 hours' PRECEDING),
       count(*) OVER (ORDER BY hired RANGE BETWEEN '1 day' PRECEDING AND '23:59' FOLLOWING),
       count(*) OVER (ORDER BY hired DESC NULLS LAST RANGE BETWEEN '2 years' PRECEDING AND UNBOUNDED FOLLOWING)
FROM emp ORDER BY emp_id;

-- query: extremes_of_timestamps
SELECT id, ts, count(*) OVER (ORDER BY ts NULLS FIRST RANGE BETWEEN '4000 years' PRECEDING AND '100 years' FOLLOWING),
       count(*) OVER (ORDER BY dt DESC RANGE BETWEEN '1000 years 1 day' PRECEDING AND '1 us' FOLLOWING)
FROM everything ORDER BY id;

-- query: ends_of_months
SELECT t, count(*) OVER (ORDER BY t RANGE BETWEEN CURRENT ROW AND '1 month' FOLLOWING),
       count(*) OVER (ORDER BY t RANGE BETWEEN '1 month' PRECEDING AND CURRENT ROW),
       count(*) OVER (ORDER BY t DESC RANGE BETWEEN '1 month -1 day' PRECEDING AND '1 month' FOLLOWING)
FROM (VALUES (timestamp '2023-01-29 23:00'), ('2023-01-30 01:00'), ('2023-01-31 12:00'), ('2023-02-28 00:30'),
      ('2023-02-28 01:00'), ('2023-02-28 12:00'), ('2023-02-28 23:00'), ('2023-03-28 12:00'), ('2023-03-31 00:00')) v(t)
ORDER BY t;

-- query: times_of_day
SELECT event_id, at::time AS t, count(*) OVER (ORDER BY at::time RANGE BETWEEN '2 hours' PRECEDING AND '30 minutes' FOLLOWING),
       count(*) OVER (ORDER BY at::time RANGE BETWEEN CURRENT ROW AND '23 hours' FOLLOWING),
       count(*) OVER (ORDER BY at::time DESC RANGE BETWEEN '1 day' PRECEDING AND '-3 mons 1 hour' FOLLOWING)
FROM events ORDER BY event_id;

-- query: interval_keys
SELECT id, count(*) OVER (ORDER BY span RANGE BETWEEN '1 mon' PRECEDING AND CURRENT ROW),
       count(*) OVER (ORDER BY span DESC RANGE BETWEEN '1 day' PRECEDING AND '2 years' FOLLOWING),
       rank() OVER (ORDER BY span), dense_rank() OVER (ORDER BY span DESC NULLS LAST),
       count(*) OVER (PARTITION BY span)
FROM spans WHERE id < 16 OR id > 18 ORDER BY id;

-- query: groups_and_rows
SELECT id, count(*) OVER (ORDER BY span GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING),
       sum(id) OVER (ORDER BY span, id ROWS 2 PRECEDING), count(span) OVER (ORDER BY span GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)
FROM spans ORDER BY id;

-- query: sums
SELECT id, sum(span) OVER (ORDER BY id), avg(span) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING),
       sum(span) OVER (PARTITION BY kind ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING),
       sum(span) FILTER (WHERE id % 2 = 0) OVER (ORDER BY id DESC ROWS 3 PRECEDING), count(span) OVER (ORDER BY id ROWS 1 PRECEDING)
FROM spans WHERE id < 16 OR id > 18 ORDER BY id;

-- query: least_and_greatest
SELECT id, extract(epoch FROM min(span) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)),
       extract(epoch FROM max(span) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)),
       extract(epoch FROM max(span) OVER (PARTITION BY kind))
FROM spans ORDER BY id;

-- query: values_of_other_rows
SELECT id, lag(span) OVER (ORDER BY id), lead(span, 2, interval '1 hour') OVER (ORDER BY id),
       lag(span, 1, '-1 day') OVER (PARTITION BY kind ORDER BY id), first_value(span) OVER (PARTITION BY kind ORDER BY id),
       last_value(span) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING),
       nth_value(span, 3) OVER (ORDER BY id)
FROM spans ORDER BY id;

-- query: gaps
SELECT event_id, at - lag(at) OVER (PARTITION BY kind ORDER BY at, event_id) AS gap,
       avg(at - timestamp '2024-01-01') OVER (PARTITION BY kind ORDER BY at, event_id ROWS 3 PRECEDING) AS mean
FROM events ORDER BY event_id;

-- query: percentiles
SELECT kind, percentile_disc(0.5) WITHIN GROUP (ORDER BY at - timestamp '2024-01-01') AS disc,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY at - timestamp '2024-01-01') AS cont,
       percentile_cont(0.15) WITHIN GROUP (ORDER BY at - timestamp '2024-01-01' DESC) AS downwards,
       percentile_cont(0) WITHIN GROUP (ORDER BY at - timestamp '2024-01-01') AS least,
       percentile_cont(1) WITHIN GROUP (ORDER BY at - timestamp '2024-01-01') AS most
FROM events GROUP BY kind ORDER BY kind;

-- query: percentiles_of_all_parts
SELECT kind, percentile_cont(0.4) WITHIN GROUP (ORDER BY span) AS a, percentile_cont(0.7) WITHIN GROUP (ORDER BY span DESC) AS b
FROM spans WHERE kind IN ('b', 'c') AND id <> 20 GROUP BY kind ORDER BY kind;

-- query: modes
SELECT extract(epoch FROM mode() WITHIN GROUP (ORDER BY span)) AS a,
       extract(epoch FROM mode() WITHIN GROUP (ORDER BY span DESC)) AS b,
       mode() WITHIN GROUP (ORDER BY make_interval(days => id % 3)) AS c FROM spans ORDER BY 1;

-- query: listed
SELECT kind, string_agg(span::text, '; ' ORDER BY span, id), array_agg(span::text ORDER BY span DESC, id) FROM spans
GROUP BY kind ORDER BY kind;

-- query: sets
SELECT extract(epoch FROM s) AS e FROM (SELECT span AS s FROM spans WHERE kind = 'a' INTERSECT SELECT span FROM spans WHERE kind = 'b') x
UNION ALL SELECT extract(epoch FROM s) FROM (SELECT span AS s FROM spans EXCEPT SELECT interval '1 day') x ORDER BY e;

-- query: subqueries
SELECT id FROM spans s WHERE span IN (SELECT t.span FROM spans t WHERE t.id > s.id)
   OR span > (SELECT avg(span) FROM spans WHERE kind = 'c') ORDER BY id;

-- query: joins
SELECT s.id, t.id FROM spans s FULL JOIN (SELECT id, span FROM spans WHERE id < 5) t ON s.span = t.span ORDER BY 1, 2;

-- query: distinct_on
SELECT DISTINCT ON (span) id FROM spans ORDER BY span, id DESC;

-- query: any_and_greatest
SELECT id, span = ANY (SELECT span FROM spans WHERE kind = 'a') AS a, greatest(span, interval '1 day') AS b,
       (SELECT max(t.id) FROM spans t WHERE t.span = s.span) AS c FROM spans s ORDER BY id;

-- query: over_moments
SELECT t, count(*) OVER w AS n, first_value(t) OVER w AS first, last_value(t) OVER w AS last
FROM generate_series(timestamptz '2024-02-27', '2024-03-03', interval '7 hours') AS t
WINDOW w AS (ORDER BY t RANGE BETWEEN '1 day' PRECEDING AND interval '2 hours' FOLLOWING) ORDER BY t;

-- query: over_moments_downwards
SELECT t, count(*) OVER (ORDER BY t DESC NULLS LAST RANGE BETWEEN '1 month' PRECEDING AND '1 month' FOLLOWING) AS n
FROM (VALUES (timestamptz '2024-01-31'), ('2024-02-29'), ('2024-03-30'), ('2024-03-31 00:00+01'), (NULL), ('infinity')) x(t) ORDER BY t;
