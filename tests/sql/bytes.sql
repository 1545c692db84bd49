bytea and uuid, and columns of arrays.

-- query: columns
SELECT id, u, y, a, n, t FROM documents ORDER BY id;

-- query: columns_as_texts
SELECT id, u::text, y::text, a::text, n::text, t::text FROM documents ORDER BY id;

-- query: uuid_forms
SELECT 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid, '{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}'::uuid, 'a0eebc999c0b4ef8bb6d6bb9bd380a11'::uuid,
       'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11'::uuid ORDER BY 1;

-- query: uuid_comparison
SELECT a.id, b.id FROM documents a JOIN documents b ON a.u = b.u ORDER BY a.id, b.id;

-- query: uuid_order
SELECT u, count(*), min(id) FROM documents GROUP BY u ORDER BY u DESC NULLS LAST;

-- query: uuid_conditions
SELECT id FROM documents WHERE u = 'DE305D54-75B4-431B-ADB2-EB6B9E546014' OR u < 'a0000000-0000-0000-0000-000000000000'::uuid ORDER BY id;

-- query: uuid_in
SELECT id, u IN ('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'), u = ANY (ARRAY[u]) FROM documents ORDER BY id;

-- query: uuid_arrays
SELECT array_agg(u ORDER BY u)::text, array_agg(DISTINCT u ORDER BY u DESC)::text FROM documents ORDER BY 1;

-- query: bytea_forms
SELECT '\xDEADbeef'::bytea, '\x'::bytea, '\x 00 ff'::bytea, 'abc\\\001\377'::bytea, ''::bytea, 'é'::bytea ORDER BY 1;

-- query: bytea_order
SELECT y, count(*) FROM documents GROUP BY y ORDER BY y;

-- query: bytea_functions
SELECT id, length(y), octet_length(y), y || '\x00', substring(y, 2), substring(y, 1, 1), substr(y, 2, 1), position('\xff'::bytea IN y) FROM documents ORDER BY id;

-- query: bytea_conditions
SELECT id FROM documents WHERE y > '\x61' AND y <> 'b' ORDER BY id;

-- query: encode
SELECT encode('\x00ff10deadbeef', 'hex'), encode('\x00ff10deadbeef', 'base64'), encode('a\\b\000\377'::bytea, 'escape'), encode('\x', 'base64'),
       encode('\x01', 'base64'), encode('\x0102', 'base64'), encode(convert_to(repeat('tea for two ', 12), 'UTF8'), 'base64') ORDER BY 1;

-- query: decode
SELECT decode('00FF10', 'hex'), decode('AP8Q', 'base64'), decode('AQ==', 'base64'), decode(E'AQ\nI=', 'base64'), decode('a\\b\001', 'escape'), decode('', 'base64') ORDER BY 1;

-- query: convert
SELECT convert_from('\xc3a9', 'UTF8'), convert_to('é', 'utf8'), get_byte('\x0aff', 1), encode(convert_to(w, 'UTF8'), 'hex') FROM words WHERE id < 4 ORDER BY id;

-- query: bytea_arrays
SELECT ARRAY['\x01'::bytea, 'a']::text, '{"\\x0102",NULL}'::bytea[]::text ORDER BY 1;

-- query: bytea_json
SELECT to_json('\x0aff'::bytea)::text, to_jsonb('de305d54-75b4-431b-adb2-eb6b9e546014'::uuid)::text ORDER BY 1;

-- query: array_columns
SELECT id, a[1], a[2:3], cardinality(a), 3 = ANY (a), a || 9, a @> '{1}', n[1], array_position(t, 'a'), n = '{1.5,NULL,-3}' FROM documents ORDER BY id;

-- query: array_columns_grouped
SELECT n, count(*) FROM documents WHERE id < 6 GROUP BY n ORDER BY n;

-- query: array_columns_joined
SELECT x.id, y.id FROM documents x JOIN documents y ON x.n = y.n ORDER BY x.id, y.id;

-- query: array_columns_unnested
SELECT id, e FROM documents, unnest(a) AS e ORDER BY id, e;

-- query: array_columns_sorted
SELECT id, a FROM documents ORDER BY a DESC NULLS LAST, id;

-- query: bytea_bits (any order)
SELECT set_byte('\x1234567890'::bytea, 4, 64) AS a, get_bit('\x1234567890'::bytea, 43 - 8) AS b,
       set_bit('\x1234567890'::bytea, 39, 0) AS c, bit_count('\x1234567890'::bytea) AS d

-- query: bytea_trimmed (any order)
SELECT btrim('\x007472696d00'::bytea, '\x00'::bytea) AS a, ltrim('\x00aa00'::bytea, '\x00'::bytea) AS b,
       rtrim('\x00aa00'::bytea, '\x00aa'::bytea) AS c, btrim(''::bytea, '\x00'::bytea) AS d, btrim('\x00'::bytea, ''::bytea) AS e

-- query: bytea_overlaid (any order)
SELECT overlay('Th\000omas'::bytea placing 'Th\001omas'::bytea from 2) AS a, overlay('Th\000omas'::bytea placing '\002\003'::bytea from 8) AS b,
       overlay('Th\000omas'::bytea placing '\002\003'::bytea from 5 for 3) AS c

-- query: bytea_digests (any order)
SELECT sha256('abc'::bytea) AS a, sha256(''::bytea) AS b, md5('\x00ff'::bytea) AS c

-- query: floats_as_bytes (any order)
SELECT float8send(v) AS a, float4send(v::real) AS b FROM (VALUES (1.5::float8), (-0.1), ('Infinity'), (0)) AS t (v)
