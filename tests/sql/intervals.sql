Intervals: how they are read and printed, their arithmetic, and dates and times with them.

-- query: read
SELECT id, kind, span FROM spans ORDER BY id;

-- query: order_by
SELECT span, id FROM spans ORDER BY span, id;

-- query: order_by_descending
SELECT span, id FROM spans ORDER BY span DESC NULLS LAST, id DESC;

-- query: limit_
SELECT id FROM spans ORDER BY span DESC NULLS LAST, id LIMIT 5;

-- query: literals
SELECT interval '1 year 2 mons -3 days 04:05:06.5' AS a, interval '2 hours 30 minutes' AS b,
       interval '1-2' AS c, interval 'P1Y2M3DT4H5M6S' AS d, interval '1.5 days' AS e,
       interval '@ 1 week ago' AS f, '1d2h3m4s'::interval AS g, CAST('-1:30' AS interval) AS h
ORDER BY 1;

-- query: literals_with_fields
SELECT interval '1' day AS a, interval '1' hour AS b, interval '1-2' year to month AS c,
       interval '1 2' day to hour AS d, interval '1:2' minute to second AS e,
       interval '3 years 5 months 2 days' year AS f, interval '1.23456' second(2) AS g,
       interval '1 1:02:03' day to minute AS h, interval(1) '1.25 seconds' AS i
ORDER BY 1;

-- query: fractions
SELECT interval '1.5 years' AS y, interval '1.5 mons' AS m, interval '1.7 weeks' AS w,
       interval '0.3 days' AS d, interval '1.0000005 seconds' AS s, interval '2.5 us' AS u
ORDER BY 1;

-- query: signs
SELECT interval '-1 year 1 mon' AS a, interval '1 year -1 mon' AS b,
       interval '-1 mon 1 day -1 hour' AS c, interval '-1 day 00:00:00.5' AS d,
       interval '1 mon -1 day 1 sec' AS e
ORDER BY 1;

-- query: text
SELECT id, span::text AS t, '<' || span || '>' AS c FROM spans ORDER BY id;

-- query: from_text
SELECT id, (id || ' days ' || id || ' hours')::interval AS v FROM logic ORDER BY id;

-- query: compare
SELECT a.id AS a, b.id AS b, a.span < b.span AS lt, a.span = b.span AS eq,
       a.span IS DISTINCT FROM b.span AS d
FROM spans a JOIN spans b ON a.id < b.id WHERE a.id < 7 AND b.id < 11 ORDER BY 1, 2;

-- query: where_
SELECT id FROM spans WHERE span > '1 day' AND span <= interval '1 year' ORDER BY id;

-- query: between_
SELECT id FROM spans WHERE span BETWEEN '23 hours' AND '30 days' ORDER BY id;

-- query: in_
SELECT id FROM spans WHERE span IN ('1 day', '1 mon', '14 mons') ORDER BY id;

-- query: not_in
SELECT id FROM spans WHERE span NOT IN ('1 day', '1 mon', '14 mons') ORDER BY id;

-- query: in_select
SELECT id FROM spans WHERE span IN (SELECT span FROM spans WHERE kind = 'b') ORDER BY id;

-- query: join_on_interval
SELECT a.id AS a, b.id AS b FROM spans a JOIN spans b ON a.span = b.span WHERE a.id < b.id
ORDER BY 1, 2;

-- query: group_by
SELECT count(*) AS n, min(id) AS first FROM spans GROUP BY span ORDER BY 2;

-- query: group_by_trunc
SELECT date_trunc('year', span) AS y, count(*) AS n FROM spans GROUP BY 1 ORDER BY 1;

-- query: distinct_count
SELECT kind, count(DISTINCT span) AS n FROM spans GROUP BY kind ORDER BY kind;

-- query: distinct_
SELECT count(*) AS n FROM (SELECT DISTINCT span FROM spans) x ORDER BY 1;

-- query: union_
SELECT count(*) AS n FROM (SELECT span FROM spans UNION SELECT span FROM spans) x ORDER BY 1;

-- query: sum_and_avg
SELECT kind, sum(span) AS s, avg(span) AS a, count(span) AS n FROM spans WHERE id < 16 GROUP BY kind
ORDER BY kind;

-- query: sum_filter
SELECT sum(span) FILTER (WHERE id < 9) AS s, avg(span) FILTER (WHERE id > 100) AS none FROM spans
ORDER BY 1;

-- query: min_and_max
SELECT kind, min(span) AS least, max(span) AS most FROM spans WHERE id NOT IN (2, 3, 4, 5, 19, 20)
GROUP BY kind ORDER BY kind;

-- query: window_
SELECT id, rank() OVER (PARTITION BY kind ORDER BY span) AS r FROM spans ORDER BY id;

-- query: window_partition
SELECT id, row_number() OVER (PARTITION BY span ORDER BY id) AS r FROM spans ORDER BY id;

-- query: top_of_each
SELECT kind, id FROM (SELECT kind, id, row_number() OVER (PARTITION BY kind ORDER BY span DESC, id)
       AS place FROM spans) x WHERE place <= 2 ORDER BY kind, id;

-- query: conditionals
SELECT id, CASE WHEN span < '0' THEN -span ELSE span END AS magnitude, COALESCE(span, '9 days') AS c,
       NULLIF(span, '1 day') AS n, GREATEST(span, '2 days') AS g, LEAST(span, '1 hour') AS l
FROM spans WHERE id <> 17 ORDER BY id;

-- query: add_and_subtract
SELECT id, span + interval '1 day 01:00' AS plus, span - '1 mon' AS minus, '1 hour' + span AS late
FROM spans WHERE id < 16 ORDER BY id;

-- query: negate
SELECT id, -span AS v FROM spans WHERE id <> 17 ORDER BY id;

-- query: multiply
SELECT id, span * 2 AS a, 1.5 * span AS b, span * -0.3 AS c, span * '3' AS d FROM spans WHERE id < 16
ORDER BY id;

-- query: divide
SELECT id, span / 2 AS a, span / 7 AS b, span / -1.5 AS c FROM spans WHERE id < 16 ORDER BY id;

-- query: multiply_by_column
SELECT emp_id, emp_id * interval '1 mon 1 day' AS v, interval '1 year' / emp_id AS w FROM emp
ORDER BY emp_id;

-- query: parts
SELECT id, extract(year FROM span) AS y, extract(month FROM span) AS mon, extract(day FROM span) AS d,
       extract(hour FROM span) AS h, extract(minute FROM span) AS m, extract(second FROM span) AS s
FROM spans ORDER BY id;

-- query: more_parts
SELECT id, extract(quarter FROM span) AS q, extract(decade FROM span) AS dec,
       extract(century FROM span) AS c, extract(millennium FROM span) AS mil,
       extract(milliseconds FROM span) AS ms, extract(microseconds FROM span) AS us
FROM spans ORDER BY id;

-- query: epoch
SELECT id, extract(epoch FROM span) AS e, date_part('epoch', span) AS p FROM spans ORDER BY id;

-- query: trunc
SELECT id, date_trunc('day', span) AS d, date_trunc('hour', span) AS h,
       date_trunc('quarter', span) AS q, date_trunc('decade', span) AS dec FROM spans ORDER BY id;

-- query: justify
SELECT id, justify_days(span) AS d, justify_hours(span) AS h, justify_interval(span) AS i
FROM spans WHERE id < 16 ORDER BY id;

-- query: make
SELECT id, make_interval(days => id) AS d, make_interval(0, id, 1) AS m,
       make_interval(hours => id, mins => 2 * id, secs => id / 8.0) AS h, make_interval() AS zero
FROM logic ORDER BY id;

-- query: to_time
SELECT id, span::time AS t, (span::time)::interval AS i FROM spans ORDER BY id;

-- query: date_plus_interval
SELECT emp_id, hired + interval '1 mon' AS m, hired - interval '1 year 1 day' AS y,
       interval '90 minutes' + hired AS h FROM emp ORDER BY emp_id;

-- query: month_ends
SELECT id, dt + interval '1 mon' AS a, dt - interval '1 mon' AS b, dt + interval '1 year' AS c,
       dt - interval '4 years' AS d FROM everything WHERE dt BETWEEN '0005-02-01' AND '9998-01-01'
ORDER BY id;

-- query: timestamp_plus_interval
SELECT id, ts + interval '1 mon -1 day 00:00:00.000001' AS a, ts - interval '100 hours' AS b,
       ts + '36 hours' AS c
FROM everything WHERE ts BETWEEN '0005-02-01' AND '9998-01-01' ORDER BY id;

-- query: timestamp_plus_column
SELECT e.event_id, s.id, e.at + s.span AS later, e.at - s.span AS earlier
FROM events e JOIN spans s ON s.id < 15 WHERE e.event_id < 9000000020 ORDER BY 1, 2;

-- query: timestamp_difference
SELECT event_id, at - timestamp '2024-03-15 12:34:56.789' AS d, timestamp '2024-03-15' - at AS e,
       at - date '2024-03-15' AS f, at - '2024-01-01' AS g FROM events ORDER BY event_id;

-- query: age_
SELECT event_id, age(at, timestamp '2024-03-31 12:30') AS a, age(timestamp '2020-02-29', at) AS b
FROM events ORDER BY event_id;

-- query: age_of_dates
SELECT emp_id, age(date '2024-02-29', hired) AS a FROM emp ORDER BY emp_id;

-- query: times
SELECT event_id, at::time + interval '15 hours' AS a, at::time - interval '1 day 90 minutes' AS b,
       at::time - time '12:00' AS c, date '2024-02-29' + at::time AS d, at::time + date '2024-02-29'
       AS e, at - at::time AS f, at::time + '1 hour' AS g FROM events ORDER BY event_id;

-- query: average_gap
SELECT kind, avg(at - timestamp '2024-01-01') AS a, sum(at - timestamp '2024-01-01') AS s,
       min(at - timestamp '2024-01-01') AS least, max(at - timestamp '2024-01-01') AS most
FROM events GROUP BY kind ORDER BY kind;

-- query: group_by_difference
SELECT date_trunc('day', sold_at - timestamp '2023-06-01') AS d, count(*) AS n FROM sales
GROUP BY 1 ORDER BY 1;

-- query: last_month
SELECT count(*) AS n FROM sales
WHERE sold_at >= timestamp '2024-03-31' - interval '1 month' AND sold_at < date '2024-03-31' + 1
ORDER BY 1;

-- query: bins
SELECT date_bin('6 hours', at, timestamp '2024-01-01 01:00') AS bin, count(*) AS n FROM events
GROUP BY 1 ORDER BY 1;

-- query: bins_before_the_origin
SELECT event_id, date_bin('7 days 1 hour', at, timestamp '2030-01-01') AS bin FROM events
ORDER BY event_id;

-- query: epoch_of_all
SELECT id, extract(epoch FROM ts) AS a, extract(epoch FROM dt) AS b, extract(epoch FROM ts::time) AS c,
       extract(epoch FROM ts - timestamp '2000-01-01') AS d FROM everything ORDER BY id;

-- query: names
SELECT interval '1 day', make_interval(days => 1), age(date '2024-01-02', date '2024-01-01'),
       timestamp '2024-01-02' - timestamp '2024-01-01' ORDER BY 1;

-- query: nulls
SELECT id, span + NULL AS a, ts + NULL::interval AS b, NULL * span AS c, age(ts, NULL) AS d
FROM spans JOIN everything USING (id) ORDER BY id;
