-- Small tables with nasty values: the ground on which tests/sql/*.sql run. The files are made by
-- ./make-data.

-- Every type, with its extremes and with NULLs.
CREATE TABLE everything (
    id int,
    b  boolean,
    i  int,
    l  bigint,
    n  numeric,
    m  numeric(10,2),
    d  double precision,
    s  text,
    dt date,
    ts timestamp
) WITH (files = 'everything.csv');

-- Quotes, newlines, delimiters, blanks and letters of several alphabets. Lines end in CR LF.
CREATE TABLE words (
    id   int,
    w    text,
    note text
) WITH (files = 'words.csv');

-- All nine pairs of true, false and NULL.
CREATE TABLE logic (
    id int,
    a  boolean,
    b  boolean
) WITH (files = 'logic.csv');

-- Integers and decimals of both signs; y and q are never zero.
CREATE TABLE pairs (
    id int,
    x  int,
    y  int,
    p  numeric,
    q  numeric
) WITH (files = 'pairs.csv');

CREATE TABLE floats (
    id int,
    f  double precision
) WITH (files = 'floats.csv');

CREATE TABLE emp (
    emp_id  int,
    name    text,
    dept_id int,
    boss_id int,
    salary  numeric(10,2),
    hired   date,
    grade   text
) WITH (files = 'emp.csv');

CREATE TABLE dept (
    dept_id int,
    name    text,
    budget  numeric,
    city    text
) WITH (files = 'dept.csv');

-- Values that have parts, bytes and identifiers.
CREATE TABLE documents (
    id int,
    j  jsonb,
    k  json,
    u  uuid,
    y  bytea,
    a  int[],
    n  numeric[],
    t  text[]
) WITH (files = 'documents.csv');

-- Intervals as they may be written.
CREATE TABLE spans (
    id   int,
    kind text,
    span interval
) WITH (files = 'spans.csv');

-- Duplicates and NULLs on both sides, for IN and for joins.
CREATE TABLE keys_a (
    k int,
    t text
) WITH (files = 'keys_a.csv');

CREATE TABLE keys_b (
    k int,
    t text
) WITH (files = 'keys_b.csv');

-- Two files: one compressed, one plain.
CREATE TABLE sales (
    sale_id  bigint,
    shop     text,
    product  text,
    quantity int,
    amount   numeric,
    rate     double precision,
    sold_at  timestamp
) WITH (files = 'sales/*.csv');

-- Three files whose headers name the columns in different orders.
CREATE TABLE events (
    event_id bigint,
    kind     text,
    at       timestamp,
    value    numeric
) WITH (files = 'events/*.csv');

-- Another delimiter, another quote, no header, a word for NULL.
CREATE TABLE settings (
    k    text,
    v    int,
    note text
) WITH (files = 'settings.txt', delimiter = ';', quote = '''', header = false, null = 'NULL');

-- A byte order mark in front, no newline at the end, more columns in the file than here.
CREATE TABLE marked (
    code  text,
    label text
) WITH (files = 'marked.csv');

-- A header and nothing else.
CREATE TABLE nothing (
    a int,
    t text
) WITH (files = 'nothing.csv');

-- What queries may call.
CREATE FUNCTION double_of(x int) RETURNS int LANGUAGE sql AS 'SELECT $1 * 2';

CREATE FUNCTION best_paid(d int) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT name FROM emp WHERE dept_id = d ORDER BY salary DESC NULLS LAST, name LIMIT 1;
$$;

CREATE FUNCTION staff(int) RETURNS bigint LANGUAGE sql RETURN (SELECT count(*) FROM emp e WHERE e.dept_id = $1);

CREATE FUNCTION label(t text, n int) RETURNS text LANGUAGE sql STRICT AS 'SELECT t || double_of(n)::text';

CREATE FUNCTION share_of(part numeric, whole numeric) RETURNS numeric LANGUAGE sql IMMUTABLE
RETURN round(100 * part / nullif(whole, 0), 1);

CREATE FUNCTION below(boss int) RETURNS bigint LANGUAGE sql AS $$
    WITH RECURSIVE b AS (
        SELECT emp_id FROM emp WHERE boss_id = boss
        UNION
        SELECT e.emp_id FROM emp e JOIN b ON e.boss_id = b.emp_id
    )
    SELECT count(*) FROM b
$$;

CREATE FUNCTION staff_of(d int) RETURNS TABLE (emp_name text, pay numeric) LANGUAGE sql STABLE AS $$
    SELECT name, salary FROM emp WHERE dept_id = d ORDER BY salary DESC NULLS LAST, name
$$;

CREATE FUNCTION paid_between(lowest numeric, highest numeric DEFAULT 100000, OUT id int, OUT "Name" text)
RETURNS SETOF record LANGUAGE sql AS 'SELECT emp_id, name FROM emp WHERE salary BETWEEN lowest AND $2';

CREATE FUNCTION steps(n int, step int DEFAULT 1) RETURNS SETOF int LANGUAGE sql STRICT
AS 'SELECT generate_series(1, n, step)';

CREATE FUNCTION grades(d int) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT DISTINCT grade FROM emp WHERE dept_id = d ORDER BY grade
$$;

CREATE FUNCTION rows_of_dept(lowest numeric) RETURNS SETOF dept LANGUAGE sql AS 'SELECT * FROM dept WHERE budget >= lowest';

CREATE FUNCTION extremes(d int, OUT lowest numeric, OUT highest numeric) LANGUAGE sql
AS 'SELECT min(salary), max(salary) FROM emp WHERE dept_id = d GROUP BY dept_id';

CREATE FUNCTION any_rows(d int) RETURNS SETOF record LANGUAGE sql AS 'SELECT emp_id, name FROM emp WHERE dept_id = d';

CREATE FUNCTION twice(INOUT x int) LANGUAGE sql AS 'SELECT x * 2';
