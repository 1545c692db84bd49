Where a row would stand that is not there: rank() and the like WITHIN GROUP.

-- query: all_of_them (any order)
SELECT rank(3000) WITHIN GROUP (ORDER BY salary), dense_rank(3000) WITHIN GROUP (ORDER BY salary),
    percent_rank(3000) WITHIN GROUP (ORDER BY salary), cume_dist(3000) WITHIN GROUP (ORDER BY salary) FROM emp;

-- query: among_peers
SELECT dept_id, rank(3100.25) WITHIN GROUP (ORDER BY salary DESC), dense_rank(2800) WITHIN GROUP (ORDER BY salary DESC),
    round(percent_rank(3100.25) WITHIN GROUP (ORDER BY salary)::numeric, 12), round(cume_dist(2800) WITHIN GROUP (ORDER BY salary)::numeric, 12)
FROM emp GROUP BY dept_id ORDER BY dept_id;

-- query: nulls (any order)
SELECT rank(NULL) WITHIN GROUP (ORDER BY salary), rank(NULL) WITHIN GROUP (ORDER BY salary DESC),
    rank(0) WITHIN GROUP (ORDER BY salary NULLS FIRST), dense_rank(0) WITHIN GROUP (ORDER BY salary NULLS FIRST),
    dense_rank(1e6) WITHIN GROUP (ORDER BY salary), dense_rank(NULL) WITHIN GROUP (ORDER BY salary),
    cume_dist(NULL) WITHIN GROUP (ORDER BY salary NULLS FIRST)
FROM emp;

-- query: several_keys (any order)
SELECT rank(30, 2800) WITHIN GROUP (ORDER BY dept_id, salary), rank(30, 2800) WITHIN GROUP (ORDER BY dept_id, salary DESC),
    cume_dist(30, 2800) WITHIN GROUP (ORDER BY dept_id DESC NULLS LAST, salary),
    percent_rank(10, 0) WITHIN GROUP (ORDER BY dept_id, salary)
FROM emp;

-- query: of_nothing (any order)
SELECT rank(1) WITHIN GROUP (ORDER BY a), dense_rank(1) WITHIN GROUP (ORDER BY a), percent_rank(1) WITHIN GROUP (ORDER BY a),
    cume_dist(1) WITHIN GROUP (ORDER BY a) FROM nothing;

-- query: filtered_and_of_texts (any order)
SELECT rank('D') WITHIN GROUP (ORDER BY name), rank('D') WITHIN GROUP (ORDER BY name) FILTER (WHERE salary > 3000),
    dense_rank('E') WITHIN GROUP (ORDER BY grade DESC), cume_dist('2019-01-01') WITHIN GROUP (ORDER BY hired) FROM emp;

-- query: in_having
SELECT dept_id, count(*) FROM emp GROUP BY dept_id HAVING rank(4000) WITHIN GROUP (ORDER BY salary) > 2 ORDER BY 1;
