Time zones that are none, and what has no answer.

-- query: unknown
SELECT ts AT TIME ZONE 'Europe/Atlantis' FROM everything;

-- query: unknown_in_literal
SELECT timestamptz '2024-01-01 12:00 Europe/Atlantis';

-- query: path
SELECT ts AT TIME ZONE '../../../etc/passwd' FROM everything;

-- query: of_the_row
SELECT ts AT TIME ZONE s FROM everything;

-- query: abbreviation_in_a_pattern
SELECT to_char(timestamptz '2014-01-01 12:00Z', 'TZ');

-- query: interval_with_days
SELECT ts AT TIME ZONE interval '1 day' FROM everything;

-- query: name_in_text
SELECT (s || ' 2024-01-01 12:00 Europe/Berlin')::timestamptz FROM everything WHERE s = '' OR id = 1;

-- query: bad_text
SELECT timestamptz '2024-13-01';

-- query: too_late
SELECT timestamptz '294246-12-31 23:00-05';

-- query: unit
SELECT date_trunc('fortnight', ts::timestamptz) FROM everything;
