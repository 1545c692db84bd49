#!/usr/bin/env python3
"""Files as they are found: what the client saw in them travels with the job, so that a cluster gives the same bytes
as the embedded engine, however the files are written, packed, named and cut."""

import bz2
import gzip
import json
import lzma
import zipfile

from cluster import check, embedded, equal, run_tests

PEOPLE = "id,name,born\n" + "".join(f"{i},José {i},{1950 + i % 50}-01-0{1 + i % 9}\n" for i in range(1, 400))


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def same(cluster, folder, *queries, more=()):
    """Every query, with large and with small chunks."""
    for query in queries:
        want = embedded("sql", "-c", query, "--data", folder, "-f", "csv", *more)
        equal(want.returncode, 0, f"{query}: {want.stderr}")
        for size in ("200", "1M"):
            got = cluster.answer("--sql", query, "--data", folder, "-f", "csv", "--chunk-size", size, *more)
            equal(got, want.stdout, f"{query} in chunks of {size}")


def test_dialects(cluster, folder):
    write(folder / "semicolons.csv", PEOPLE.replace(",", ";"))
    write(folder / "tabs.tsv", PEOPLE.replace(",", "\t"))
    write(folder / "preamble.csv", "People of a town\nas of today\n\n" + PEOPLE.replace(",", ";"))
    write(folder / "footer.csv", PEOPLE + "\nEnd of the report\n")
    write(folder / "returns.csv", PEOPLE.replace("\n", "\r"))
    write(folder / "comments.csv", "# people\n" + PEOPLE.replace("\n5,", "\n# five\n5,"))
    write(folder / "quotes.csv", PEOPLE.replace(",José ", ",'it\\'s, José ").replace(",19", "',19"))
    lines = [f"| {line.replace(',', ' | ')} |" for line in PEOPLE.splitlines()]
    write(folder / "drawn.csv", "\n".join([lines[0], "|---|---|---|", *lines[1:], ""]))
    for table in ("semicolons", "tabs", "preamble", "footer", "returns", "comments", "drawn"):
        same(cluster, folder, f"SELECT count(*), sum(id), max(name), min(born) FROM {table}",
             f"SELECT * FROM {table} WHERE id % 50 = 1 ORDER BY id")
    same(cluster, folder, "SELECT * FROM quotes ORDER BY id", more=("--quote", "'", "--escape", "\\"))
    same(cluster, folder, "SELECT count(*) FROM read_csv('semicolons.csv', delimiter => ';', skip => 3, header => 'none')")


def test_encodings(cluster, folder):
    for name, encoding in (("mark", "utf-8-sig"), ("wide", "utf-16"), ("windows", "cp1252")):
        write(folder / f"{name}.csv", PEOPLE.encode(encoding))
        same(cluster, folder, f"SELECT id, name FROM {name} WHERE name LIKE 'José 1%' ORDER BY id")
    write(folder / "greek.csv", "id,name\n1,αβγ\n2,δ\n".encode("iso-8859-7"))
    same(cluster, folder, "SELECT * FROM greek WHERE name <> 'δ'", more=("--encoding", "ISO-8859-7"))


def test_packed(cluster, folder):
    text = PEOPLE.encode()
    write(folder / "gz.csv.gz", gzip.compress(text))
    write(folder / "bz.csv.bz2", bz2.compress(text))
    write(folder / "xz.csv.xz", lzma.compress(text))
    with zipfile.ZipFile(folder / "zip.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/a.csv", text)
        archive.writestr("in/b.csv", text)
    for table in ("gz", "bz", "xz", "zip"):
        same(cluster, folder, f"SELECT count(*), sum(id), max(name) FROM {table}")
    same(cluster, folder, "SELECT _file, count(*) FROM 'zip.zip/in/*.csv' GROUP BY _file ORDER BY _file")


def test_json_lines(cluster, folder):
    text = "".join(json.dumps({"id": i, "s": f"a\n{i}", **({"n": {"x": [i]}} if i % 3 else {})}) + "\n\n" for i in range(300))
    write(folder / "t" / "a.jsonl", text + "no object\n" + text)
    write(folder / "t" / "b.ndjson.gz", gzip.compress(text.encode()))
    write(folder / "t" / "c.csv", "id;extra\n" + "".join(f"{i};x\n" for i in range(400, 500)))
    same(cluster, folder, "SELECT * FROM t ORDER BY id, s", "SELECT _file, _line, id FROM t ORDER BY _file, _line",
         "SELECT count(*), sum(id), max(n) FROM 't/*.jsonl'")


def test_united(cluster, folder):
    """Files of one table that differ in columns, delimiters and encodings, and in how their rows are cut."""
    write(folder / "t" / "a.csv", PEOPLE)
    write(folder / "t" / "b.csv", "town;id\n" + "".join(f"Köln;{i}\n" for i in range(500, 600)))
    write(folder / "t" / "c.csv", ("A title\n\n" + PEOPLE.replace(",", ";")).encode("cp1252"))
    write(folder / "t" / "d.csv", "id,name,town\n" + "".join(f"{i},x\n" if i % 9 else f"{i},x,y\n" for i in range(700, 800)))
    same(cluster, folder, "SELECT * FROM t ORDER BY id, name", "SELECT town, count(*) FROM t GROUP BY town ORDER BY town")
    write(folder / "schema.sql", "CREATE TABLE t (id int, town text) WITH (files = 't/[ab].csv', columns = union);")
    same(cluster, folder, "SELECT town, sum(id) FROM t GROUP BY town ORDER BY town", more=("--schema", folder / "schema.sql"))


def test_partitions(cluster, folder):
    for year in (2022, 2023, 2024):
        for kind in ("a%20b", "__HIVE_DEFAULT_PARTITION__"):
            write(folder / "sales" / f"year={year}" / f"kind={kind}" / "x.csv", "id,n\n" + f"1,{year}\n" * 100)
    same(cluster, folder, "SELECT year, kind, sum(n), count(*) FROM sales GROUP BY year, kind ORDER BY year, kind",
         "SELECT DISTINCT * FROM sales ORDER BY year, kind", "SELECT sum(n) FROM 'sales/*/*/*.csv' WHERE year > 2022")
    write(folder / "schema.sql", "CREATE TABLE s (n int, year numeric(6, 1)) WITH (files = 'sales');")
    same(cluster, folder, "SELECT DISTINCT year FROM s ORDER BY year", more=("--schema", folder / "schema.sql"))


def test_file_and_line(cluster, folder):
    text = "# a report\n\nid,text\n" + "".join(f'{i},"a\nb"\n' if i % 7 == 0 else f"{i},c\n\n" for i in range(300))
    write(folder / "t" / "a.csv", text)
    write(folder / "t" / "b.csv.gz", gzip.compress(text.replace(",", ";").encode()))
    same(cluster, folder, "SELECT _file, _line, id, text FROM t ORDER BY _file, _line", "SELECT sum(_line) FROM t",
         "SELECT max(_file) FROM 't/*.csv' WHERE _line > 500",
         "SELECT id FROM t TABLESAMPLE BERNOULLI (20) REPEATABLE (3) ORDER BY id")


def test_several_places(cluster, folder):
    write(folder / "a" / "t.csv", PEOPLE)
    write(folder / "b" / "t.csv", PEOPLE.replace(",", ";"))
    same(cluster, folder / "a", "SELECT _file, count(*), sum(id) FROM t GROUP BY _file ORDER BY _file",
         more=("--data", folder / "b"))
    done = cluster.submit("--sql", "SELECT count(*) FROM stdin", "--data", "-")
    equal((done.returncode, done.stdout), (2, ""), done.stderr)
    check("the standard input cannot be submitted" in done.stderr, done.stderr)


def test_files_named_in_the_query(cluster, folder):
    write(folder / "x" / "2024-01.csv", PEOPLE)
    write(folder / "x" / "2024-02.csv", PEOPLE.replace(",", ";"))
    same(cluster, folder, "SELECT count(*), sum(id) FROM 'x/2024-*.csv'", 'SELECT count(*) FROM "x/2024-01.csv"',
         "SELECT count(*) FROM read_csv('x/2024-02.csv', delimiter => ';') JOIN 'x/2024-01.csv' AS o USING (id)",
         f"SELECT count(*) FROM '{folder}/x/2024-01.csv'")


run_tests(globals())
