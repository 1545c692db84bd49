Calls of functions that the schema defines.

-- query: another_type
SELECT double_of('x'::text);

-- query: another_count
SELECT double_of(1, 2);

-- query: sees_nothing_of_the_caller
SELECT staff(emp_id), x FROM emp;

-- query: parameter_outside
SELECT $1;

-- query: no_aggregate
SELECT double_of(DISTINCT id) FROM logic;

-- query: rows_as_a_value
SELECT staff_of(10);

-- query: record_without_columns
SELECT * FROM any_rows(10);

-- query: columns_of_what_has_some
SELECT * FROM generate_series(1, 2) AS g (x int);

-- query: record_with_other_columns
SELECT * FROM any_rows(10) AS a (i int);

-- query: record_of_other_types
SELECT * FROM any_rows(10) AS a (i date, n text);

-- query: too_few_arguments
SELECT * FROM paid_between();

-- query: too_many_names
SELECT * FROM staff_of(10) AS s (a, b, c);
