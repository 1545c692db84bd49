What other databases write and PostgreSQL's grammar has not: refused, with the way to say it.

-- query: from_first
FROM emp;

-- query: group_by_all
SELECT dept_id, count(*) FROM emp GROUP BY ALL;

-- query: order_by_all
SELECT id FROM emp ORDER BY ALL;

-- query: qualify
SELECT id FROM emp QUALIFY row_number() OVER (ORDER BY id) = 1;

-- query: qualify_behind_where
SELECT id FROM emp WHERE id > 1 QUALIFY row_number() OVER (ORDER BY id) = 1;

-- query: star_exclude
SELECT * EXCLUDE (id) FROM emp;

-- query: star_except
SELECT * EXCEPT (id) FROM emp;

-- query: star_replace
SELECT * REPLACE (1 AS id) FROM emp;

-- query: top
SELECT TOP 3 id FROM emp;

-- query: backticks
SELECT `id` FROM emp;

-- query: brackets
SELECT [id] FROM emp;

-- query: pragma
PRAGMA table_info('emp');

-- query: transaction
BEGIN;

-- query: delete
DELETE FROM emp;

-- query: nothing_to_do_with_it
SELECT id FRM emp;
