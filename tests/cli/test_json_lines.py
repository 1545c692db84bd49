"""JSON lines: keys are columns, each line is a record, and everything else is as with CSV."""

import bz2
import gzip
import json
import lzma
import zipfile

from harness import DATA, FAILED, answers, check, equal, fails, main, tamiz, write


def sql(folder, query, *more):
    return ["sql", "--data", folder, "-f", "csv", "-c", query, *more]


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_values(folder):
    """Strings, numbers, booleans, null, nested values as they are written, keys that are missing."""
    text = '{"id": 1, "s": "a\\n\\"b\\" \\u00e9\\ud83d\\ude00\\/", "n": {"x": [1, 2]}, "t": true}\n'
    text += '\n  {"t":false,"id":2,"s":"","l":[ ],"day":"2024-02-01"}  \r\n{"id":3.5,"s":null}\n{}'
    write(folder / "t.jsonl", text)
    equal(answers(*sql(folder, "SELECT * FROM t ORDER BY id")),
          'id,s,n,t,l,day\n1,"a\n""b"" é😀/","{""x"": [1, 2]}",true,,\n2,"",,false,[ ],2024-02-01\n3.5,,,,,\n,,,,,\n')
    equal(answers(*sql(folder, "SELECT id * 2 AS x, day + 1 AS next FROM t WHERE t IS NOT NULL ORDER BY id")),
          "x,next\n2,\n4.0,2024-02-02\n".replace("4.0", "4"))


def test_every_packing(folder):
    text = lines(*({"id": i, "name": f"José {i}"} for i in range(2000))).encode()
    write(folder / "a.jsonl", text)
    write(folder / "b.NDJSON", text)
    write(folder / "c.jsonl.gz", gzip.compress(text))
    write(folder / "d.ndjson.bz2", bz2.compress(text))
    write(folder / "e.jsonl.xz", lzma.compress(text))
    with zipfile.ZipFile(folder / "f.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.jsonl", text)
    write(folder / "g.json", text)
    for table in ("a", "b", "c", "d", "e", "f", "'g.json'", "'a.jsonl'", "'f.zip/*.jsonl'"):
        for way in (("--threads", "1"), ("--threads", "2", "--chunk-size", "100")):
            equal(answers(*sql(folder, f"SELECT count(*) AS n, sum(id) AS s, max(name) AS m FROM {table}", *way)),
                  "n,s,m\n2000,1999000,José 999\n", table)


def test_encodings(folder):
    """Text is UTF-8 inside, whatever the file is."""
    text = '{"id":1,"name":"José"}\n{"id":2,"naïve":"x"}\n'
    for name, encoding in (("mark", "utf-8-sig"), ("wide", "utf-16"), ("windows", "cp1252")):
        write(folder / f"{name}.jsonl", text.encode(encoding))
        result = tamiz(*sql(folder, f'SELECT id, "naïve" FROM {name} WHERE name = \'José\''))
        equal((result.status, result.out), (0, "id,naïve\n1,\n"), result.err)


def test_bad_lines(folder):
    """Rejects, with their lines, although strings before them hold line feeds."""
    good = [json.dumps({"id": i, "t": "a\nb\nc"}) for i in range(100)]
    bad = ['{"id":1', '{"id":1,"id":2}', "[1]", "7", '{"id":01}', '{"id":"\\ud83d"}', '{"id":1} x', '{"id" 1}', "{'id':1}"]
    rows = []
    for i, row in enumerate(good):
        rows += [row, ""] + bad[i // 10 : i // 10 + 1 if i % 10 == 0 else 0]
    write(folder / "t.jsonl", "\n".join(rows) + "\n")
    want = [rows.index(row) + 1 for row in bad]
    for way in (("--threads", "1"), ("--threads", "2", "--chunk-size", "100")):
        result = tamiz(*sql(folder, "SELECT count(*) AS n, sum(id) AS s FROM t", "--rejects", folder / "rejects.csv", *way))
        equal((result.status, result.out), (0, "n,s\n100,4950\n"), result.err)
        text = (folder / "rejects.csv").read_text()
        for row, line in zip(bad, want):
            check(f't.jsonl",{line},' in text, f"line {line}, {row}: {text}")
        check("t: 109 rows read = 100 used + 9 rejected" in result.err, result.err)
        result = tamiz(*sql(folder, "SELECT id, _line FROM t ORDER BY id", *way))
        numbers = [rows.index(row) + 1 for row in good]
        equal(result.out, "id,_line\n" + "".join(f"{i},{line}\n" for i, line in enumerate(numbers)))
    fails(DATA, "none of its lines is a JSON object", args=sql(write(folder / "x" / "u.jsonl", "a,b\n1,2\n").parent, "SELECT * FROM u"))
    for text in ('[{"a":1},\n{"a":2}]\n', '{\n"a": 1\n}\n'):
        write(folder / "v.json", text)
        fails(DATA, "none of its lines is a JSON object", "jq -c", args=sql(folder, "SELECT * FROM 'v.json'"))


def test_tables_of_both_kinds(folder):
    """Files of JSON and of CSV are one table; a schema's columns are looked for among the keys."""
    write(folder / "t" / "a.jsonl", lines({"id": 1, "x": "a"}, {"id": 2, "y": 5}))
    write(folder / "t" / "b.csv", "y;id\n6;3\n7;4\n")
    result = tamiz(*sql(folder, "SELECT * FROM t ORDER BY id"))
    equal((result.status, result.out), (0, "id,x,y\n1,a,\n2,,5\n3,,6\n4,,7\n"), result.err)
    write(folder / "s.sql", "CREATE TABLE s (y int, none text, id numeric(5, 2)) WITH (files = 't/a.jsonl');")
    equal(answers(*sql(folder, "SELECT * FROM s ORDER BY id", "--schema", folder / "s.sql")), "y,none,id\n,,1.00\n5,,2.00\n")
    write(folder / "p" / "year=2024" / "x.jsonl", lines({"_line": "own"}))
    equal(answers(*sql(folder, "SELECT *, _file FROM p")), f"_line,year,_file\nown,2024,{folder}/p/year=2024/x.jsonl\n")


def test_nulls(folder):
    """null is NULL, whatever else is."""
    write(folder / "t.jsonl", lines({"id": 1, "s": "NA"}, {"id": 2, "s": None}, {"id": 3, "s": "x"}, {"id": 4}))
    equal(answers(*sql(folder, "SELECT id FROM t WHERE s IS NULL ORDER BY id", "--null", "NA")), "id\n2\n4\n")


def test_wide_and_empty(folder):
    write(folder / "wide.jsonl", lines(*({f"k{i}": i, "id": i} for i in range(900)), {}))
    result = tamiz(*sql(folder, "SELECT count(*) AS n, sum(id) AS s, sum(k899) AS k, sum(k0) AS z FROM wide"))
    equal((result.status, result.out), (0, "n,s,k,z\n901,404550,899,0\n"), result.err)
    fails(FAILED, "more than 1024 keys", args=sql(write(folder / "x" / "many.jsonl", lines(*({f"k{i}": i} for i in range(2000)))).parent,
                                            "SELECT 1 FROM many"))
    write(folder / "empty.jsonl", "\n\n")
    fails(DATA, "no header line", args=sql(folder, "SELECT * FROM empty"))
    deep = "[" * 200 + "]" * 200
    write(folder / "deep.jsonl", '{"id":1}\n' * 20 + '{"id":%s}\n' % deep)
    result = tamiz(*sql(folder, "SELECT id FROM deep"))
    check("1 rejected" in result.err, result.err)


def test_sniff(folder):
    write(folder / "t.jsonl", lines({"id": 1, "day": "2024-01-02"}, {"id": 2, "day": "2024-01-03"}))
    out = answers("sniff", folder / "t.jsonl")
    check('"id" bigint' in out and '"day" date' in out and "-- 2 | 2024-01-03" in out, out)


main(globals())
