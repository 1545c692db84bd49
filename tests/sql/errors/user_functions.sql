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
