Dates and timestamps: EXTRACT, date_trunc, to_char, arithmetic on days.

-- query: extract_date
SELECT id, extract(year FROM dt) AS y, extract(month FROM dt) AS m, extract(day FROM dt) AS d
FROM everything ORDER BY id;

-- query: extract_time
SELECT id, extract(hour FROM ts) AS h, extract(minute FROM ts) AS m, extract(second FROM ts) AS s
FROM everything ORDER BY id;

-- query: extract_weeks
SELECT id, extract(dow FROM dt) AS dow, extract(isodow FROM dt) AS isodow, extract(week FROM dt) AS week,
       extract(isoyear FROM dt) AS isoyear, extract(doy FROM dt) AS doy
FROM everything ORDER BY id;

-- query: extract_quarter
SELECT id, extract(quarter FROM ts) AS q, extract(epoch FROM ts) AS e FROM everything ORDER BY id;

-- query: extract_epoch_date
SELECT id, extract(epoch FROM dt) AS e FROM everything ORDER BY id;

-- query: extract_large
SELECT id, extract(decade FROM ts) AS decade, extract(century FROM ts) AS century,
       extract(millennium FROM ts) AS millennium
FROM everything ORDER BY id;

-- query: extract_small
SELECT id, extract(milliseconds FROM ts) AS ms, extract(microseconds FROM ts) AS us FROM everything
ORDER BY id;

-- query: extract_time_of_day
SELECT id, extract(hour FROM ts::time) AS h, extract(second FROM ts::time) AS s FROM everything
ORDER BY id;

-- query: date_part
SELECT id, date_part('year', ts) AS y, date_part('month', dt) AS m FROM everything ORDER BY id;

-- query: extract_group
SELECT extract(year FROM sold_at) AS year, extract(month FROM sold_at) AS month, count(*) AS n
FROM sales GROUP BY 1, 2 ORDER BY 1, 2;

-- query: extract_concat
SELECT extract(year FROM sold_at) || '-H' || CASE WHEN extract(month FROM sold_at) <= 6 THEN 1 ELSE 2 END AS half,
       sum(amount) AS a
FROM sales GROUP BY 1 ORDER BY 1;

-- query: date_trunc
SELECT id, date_trunc('year', ts) AS y, date_trunc('month', ts) AS m, date_trunc('day', ts) AS d,
       date_trunc('hour', ts) AS h
FROM everything ORDER BY id;

-- query: date_trunc_small
SELECT id, date_trunc('minute', ts) AS m, date_trunc('second', ts) AS s FROM everything ORDER BY id;

-- query: date_trunc_weeks
SELECT id, date_trunc('week', ts) AS w, date_trunc('quarter', ts) AS q FROM everything WHERE id <> 5
ORDER BY id;

-- query: date_trunc_group
SELECT date_trunc('month', sold_at) AS month, count(*) AS n, sum(quantity) AS q FROM sales GROUP BY month
ORDER BY month;

-- query: date_trunc_to_date
SELECT date_trunc('quarter', sold_at)::date AS quarter, count(*) AS n FROM sales GROUP BY 1 ORDER BY 1;

-- query: to_char_date
SELECT id, to_char(ts, 'YYYY-MM-DD') AS d, to_char(ts, 'YYYY-MM') AS m, to_char(ts, 'YYYY') AS y
FROM everything ORDER BY id;

-- query: to_char_time
SELECT id, to_char(ts, 'HH24:MI:SS') AS t, to_char(ts, 'HH12:MI AM') AS h, to_char(ts, 'HH') AS hh
FROM everything ORDER BY id;

-- query: to_char_names
SELECT id, to_char(ts, 'Mon') AS a, to_char(ts, 'Month') AS b, to_char(ts, 'FMMonth') AS c,
       to_char(ts, 'Dy') AS d, to_char(ts, 'FMDay') AS e, to_char(ts, 'MON') AS f, to_char(ts, 'day') AS g
FROM everything ORDER BY id;

-- query: to_char_numbers
SELECT id, to_char(ts, 'YY') AS yy, to_char(ts, 'Q') AS q, to_char(ts, 'DDD') AS ddd, to_char(ts, 'D') AS d,
       to_char(ts, 'FMMM/FMDD') AS fm
FROM everything ORDER BY id;

-- query: to_char_fractions
SELECT id, to_char(ts, 'SS.MS') AS ms, to_char(ts, 'US') AS us FROM everything ORDER BY id;

-- query: to_char_iso_week
SELECT id, to_char(ts, 'IYYY-"W"IW') AS w, to_char(ts, 'ID') AS d FROM everything ORDER BY id;

-- query: to_char_literals (any order)
SELECT to_char(timestamp '2024-03-05 06:07:08', 'YYYY"-H1"') AS a,
       to_char(timestamp '2024-03-05 06:07:08', 'DD/MM/YYYY HH24hMI') AS b,
       to_char(timestamp '2024-03-05 18:07:08', 'HH12:MI:SS pm') AS c,
       to_char(timestamp '2024-03-05 00:07:08', 'HH:MI a.m.') AS d;

-- query: to_char_of_date
SELECT id, to_char(dt, 'YYYYMMDD') AS d FROM everything ORDER BY id;

-- query: to_char_integer (any order)
SELECT to_char(42, '999') AS a, to_char(42, 'FM999') AS b, to_char(-42, '999') AS c, to_char(7, '000') AS d,
       to_char(7, 'FM000') AS e, to_char(1234567, '9,999,999') AS f, to_char(1234, '999') AS g,
       to_char(0, '9') AS h;

-- query: to_char_numeric (any order)
SELECT to_char(1234.5, '9,999.99') AS a, to_char(1234.5, 'FM9,999.99') AS b, to_char(0.5, '0.00') AS c,
       to_char(0.5, '9.99') AS d, to_char(-1.005, 'FM990.00') AS e, to_char(12.345, '99.9') AS f,
       to_char(1234.567, 'FM999,990.00') AS g;

-- query: date_plus_days
SELECT id, dt + 1 AS next, dt - 1 AS last, 30 + dt AS later FROM everything WHERE id NOT IN (4, 5)
ORDER BY id;

-- query: date_difference
SELECT id, dt - '2024-01-01' AS days, date '2024-03-01' - dt AS back FROM everything ORDER BY id;

-- query: make_date (any order)
SELECT make_date(2024, 2, 29) AS a, make_date(1, 1, 1) AS b, make_date(1999, 12, 31) AS c;

-- query: leap_years (any order)
SELECT date '2024-02-28' + 1 AS a, date '2023-02-28' + 1 AS b, date '1900-02-28' + 1 AS c,
       date '2000-02-28' + 1 AS d;

-- query: before_1970
SELECT id, ts::date AS d, extract(hour FROM ts) AS h, date_trunc('day', ts) AS t, ts::time AS c
FROM everything WHERE ts < '1970-01-01' ORDER BY id;

-- query: hour_histogram
SELECT extract(hour FROM sold_at) AS hour, count(*) AS n FROM sales GROUP BY hour ORDER BY hour;

-- query: time_filter (any order)
SELECT count(*) AS n FROM sales WHERE sold_at::time BETWEEN '06:00' AND '23:00';

-- query: time_filter_seconds (any order)
SELECT count(*) AS n FROM sales WHERE sold_at::time >= '12:30:15' AND sold_at::time < time '18:00:00.5';

-- query: month_of_top
SELECT to_char(month, 'YYYY-MM') AS month, product, q FROM (
    SELECT month, product, q, row_number() OVER (PARTITION BY month ORDER BY q DESC, product) AS place
    FROM (SELECT date_trunc('month', sold_at) AS month, product, sum(quantity) AS q FROM sales
          WHERE sold_at >= '2023-06-01' AND sold_at < '2024-03-01' GROUP BY month, product) a) b
WHERE place = 1 ORDER BY month;

-- query: distinct_days (any order)
SELECT count(DISTINCT sold_at::date) AS days, count(DISTINCT date_trunc('week', sold_at)) AS weeks FROM sales;

-- query: date_compare_columns
SELECT id FROM everything WHERE dt < ts ORDER BY id;
