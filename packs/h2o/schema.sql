-- Readings with keys of few and of many values, and three tables of other sizes that share keys with `events`:
-- what data frames are measured with, a group or a join at a time.

CREATE TABLE readings (
    id1 text,
    id2 text,
    id3 text,
    id4 bigint,
    id5 bigint,
    id6 bigint,
    v1  bigint,
    v2  bigint,
    v3  double precision
) WITH (files = 'readings.csv');

CREATE TABLE events (
    id1 bigint,
    id2 bigint,
    id3 bigint,
    id4 text,
    id5 text,
    id6 text,
    v1  double precision
) WITH (files = 'events.csv');

CREATE TABLE small (
    id1 bigint,
    id4 text,
    v2  double precision
) WITH (files = 'small.csv');

CREATE TABLE medium (
    id1 bigint,
    id2 bigint,
    id4 text,
    id5 text,
    v2  double precision
) WITH (files = 'medium.csv');

CREATE TABLE large (
    id1 bigint,
    id2 bigint,
    id3 bigint,
    id4 text,
    id5 text,
    id6 text,
    v2  double precision
) WITH (files = 'large.csv');
