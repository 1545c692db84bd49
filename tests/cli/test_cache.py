"""What a session has read it does not parse again, and no answer shows it."""

import gzip
import os
import random
import zipfile

from harness import FAILED, SQL, answers, check, equal, fails, main, tamiz

PAST = 1_600_000_000


def write(path, text, packed=False):
    """A file that was written long ago: it may be kept at once."""
    data = text.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    os.utime(path, (PAST, PAST))


def rows(count, seed=1):
    rng = random.Random(seed)
    lines = ["id,name,price,day,flag"]
    for i in range(count):
        name = rng.choice(["Oslo", "Łódź", '"a, b"', '"say ""hi"""', "", "x" * rng.randrange(1, 80)])
        price = rng.choice(["", "1.5", "12.25", "7", "-0.125", "12345678901234567890.125", "1e3"])
        lines.append(f"{i},{name},{price},2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02},{rng.choice(['true', 'false', ''])}")
    return "\n".join(lines) + "\n"


QUERIES = [
    "SELECT count(*) FROM {t}",
    "SELECT count(*), sum(price), min(day), max(name) FROM {t}",
    "SELECT name, count(*), sum(price) FROM {t} GROUP BY 1 ORDER BY 2 DESC, 1 NULLS FIRST LIMIT 20",
    "SELECT * FROM {t}",
    "SELECT * FROM {t} WHERE price > 10 ORDER BY id LIMIT 30",
    "SELECT * FROM {t} LIMIT 5",
    "SELECT id FROM {t} LIMIT 3 OFFSET 1500",
    "SELECT flag, avg(price), count(DISTINCT name) FROM {t} GROUP BY flag ORDER BY 1",
    "SELECT _line, _file, id FROM {t} WHERE id % 500 = 3",
    "SELECT a.id, b.name FROM {t} a JOIN {t} b ON a.id = b.id + 1 WHERE a.price < 0 ORDER BY 1 LIMIT 10",
    "SELECT month, count(*) FROM (SELECT date_trunc('month', day) AS month FROM {t}) m GROUP BY 1 ORDER BY 1",
    "SELECT price FROM {t} WHERE name IS NULL ORDER BY id DESC LIMIT 4",
    "SELECT length(name), id FROM {t} ORDER BY 1 DESC NULLS LAST, 2 LIMIT 3",
]


def session(folder, statements, *words, status=0, **options):
    got = tamiz("shell", "-q", "-f", "csv", *words, cwd=folder, stdin=";\n".join(statements).encode() + b";\n", **options)
    equal(got.status, status)
    return got


def scans(text):
    return [line for line in text.splitlines() if line.strip().startswith("scan ")]


def reads_memory(folder, statements, *words):
    """Whether the last statement reads no file."""
    (scan,) = scans(session(folder, [*statements[:-1], "EXPLAIN ANALYZE " + statements[-1]], *words).out)
    return "bytes=" not in scan


def test_answers_are_the_same(folder):
    write(folder / "plain.csv", rows(6000))
    write(folder / "packed.csv.gz", rows(3000, 2), packed=True)
    (folder / "many").mkdir()
    for i in range(5):
        write(folder / "many" / f"part{i}.csv", rows(40 + 700 * i, 10 + i))
    with zipfile.ZipFile(folder / "box.zip", "w") as box:
        box.writestr("inner.csv", rows(2500, 5))
    os.utime(folder / "box.zip", (PAST, PAST))
    rng = random.Random(7)
    for chunk, threads in [("3K", 1), ("40K", 3), ("256K", 2)]:
        for table in ["plain", "packed", "many", "'box.zip/inner.csv'"]:
            chosen = [query.format(t=table) for query in rng.choices(QUERIES, k=16)]
            words = ["--chunk-size", chunk, "--threads", str(threads)]
            expected = session(folder, ["SET cache = off", *chosen], *words)
            for cache in ["SET cache = '2G'", "SET cache = '200K'", "RESET cache"]:
                got = session(folder, [cache, *chosen], *words)
                equal((got.out, got.err), (expected.out, expected.err))


def test_what_is_read_again_comes_from_memory(folder):
    write(folder / "t.csv", rows(3000))
    write(folder / "p.csv.gz", rows(3000), packed=True)
    for table in ["t", "p"]:
        total = f"SELECT sum(price) FROM {table}"
        check(not reads_memory(folder, [total]))
        check(reads_memory(folder, [total, total]))
        check(reads_memory(folder, [total, f"SELECT count(*) FROM {table}"]))
        check(not reads_memory(folder, [total, f"SELECT max(name) FROM {table}"]))
        check(reads_memory(folder, [total, f"SELECT max(name), sum(price) FROM {table}", f"SELECT name, sum(price) FROM {table} GROUP BY 1"]))
        check(not reads_memory(folder, ["SET cache = off", total, total]))
        check(not reads_memory(folder, [total, "SET cache = off", "RESET cache", total]))
        # A part of it is nothing.
        check(not reads_memory(folder, [f"SELECT price FROM {table} LIMIT 2", f"SELECT price FROM {table}"], "--chunk-size", "2K", "--threads", "1"))


def test_one_statement_keeps_nothing(folder):
    write(folder / "t.csv", rows(100))
    got = answers("sql", "-f", "csv", "-c", "EXPLAIN ANALYZE SELECT a.id FROM t a JOIN t b ON a.id = b.id", cwd=folder)
    check(scans(got) and all("bytes=" in line for line in scans(got)), got)


def test_no_room(folder):
    write(folder / "t.csv", rows(4000))
    write(folder / "u.csv", rows(4000, 3))
    query = "SELECT max(name), sum(price), max(day) FROM t"
    check(not reads_memory(folder, ["SET cache = '30K'", query, query]))
    # What was not used for long makes room.
    other = query.replace("FROM t", "FROM u")
    check(reads_memory(folder, ["SET cache = '300K'", query, other, other]))
    check(not reads_memory(folder, ["SET cache = '300K'", query, other, query]))


def test_the_file_changes(folder):
    """Appended to, replaced, cut, written over in place with as many bytes, removed: the answer is always that of now."""
    changes = [
        ("printf '90,x,5,2024-01-01,true\\n' >> t.csv", "appended"),
        ("printf 'id,price\\n1,2\\n' > new && mv new t.csv", "replaced"),
        ("truncate -s 200 t.csv", "cut"),
        ("printf 'id,name,price,day,flag\\n7' | dd of=t.csv conv=notrunc status=none", "written over"),
        ("printf 'id,price\\n1,two\\n' > t.csv", "another type"),
        ("cp -p t.csv old && printf 'id,price\\n1,5\\n' > t.csv && touch -r old t.csv", "with the time of before"),
    ]
    query = "SELECT count(*), sum(id), max(price) FROM t"
    for command, what in changes:
        write(folder / "t.csv", rows(300))
        text = f"{query};\n{query};\n\\! {command}\n{query};\n{query};\n"
        got = tamiz("shell", "-q", "-f", "csv", cwd=folder, stdin=text.encode())
        now = answers("sql", "-q", "-f", "csv", "-c", query, cwd=folder)
        results = [f"{head}\n{row}\n" for head, row in zip(*[iter(got.out.splitlines())] * 2)]
        equal((what, got.status, len(results)), (what, 0, 4))
        check(results[0] == results[1] != now, what)
        equal((what, results[2:]), (what, [now, now]))
    write(folder / "t.csv", rows(300))
    got = tamiz("shell", "-q", "-f", "csv", cwd=folder, stdin=f"{query};\n\\! rm t.csv\n{query};\n".encode())
    equal((got.status, len(got.out.splitlines())), (SQL, 2))


def test_rejects_are_reported_each_time(folder):
    (folder / "schema.sql").write_text("CREATE TABLE t (id int, price numeric) WITH (files = 't.csv');")
    write(folder / "t.csv", "id,price\n1,2\nx,3\n4\n5,six\n7,8\n")
    query = "SELECT count(*), sum(id) FROM t"
    got = tamiz("shell", "-f", "csv", "--schema", "schema.sql", "--max-rejects", "100%", cwd=folder, stdin=f"{query};\n".encode() * 3)
    equal((got.status, got.out), (0, "count,sum\n3,13\n" * 3))
    once = got.err[: len(got.err) // 3]
    check("t.csv:3: column id" in once and "2 rejected" in once, once)
    equal(got.err, once * 3)
    # Nothing that somebody reads is wrong with this column, but rows are rejected all the same.
    strict = f"SELECT sum(price) FROM t WHERE price < 8;\nSET strict = on;\n{query};\n"
    got = tamiz("shell", "-q", "-f", "csv", "--schema", "schema.sql", "--max-rejects", "100%", cwd=folder, stdin=strict.encode())
    check(got.status != 0 and "t.csv:3" in got.err, got.err)


def test_a_type_that_was_guessed_wrong(folder):
    """Is found out once in a session."""
    write(folder / "t.csv", "id,code\n" + "".join(f"{i},{i}\n" for i in range(11000)) + "11000,1.5\n11001,A1\n")
    query = "SELECT max(code) FROM t;\n"
    got = tamiz("shell", "-f", "csv", cwd=folder, stdin=query.encode() * 3)
    equal((got.status, got.out), (0, "max\nA1\n" * 3))
    equal(got.err.count("sought anew"), 1)
    write(folder / "w.csv", "id,code\n" + "".join(f"{i},{i}{',2' if i == 41237 else ''}\n" for i in range(60000)))
    got = tamiz("shell", "-q", "-f", "csv", cwd=folder, stdin=b"SELECT sum(id) FROM w;\nSELECT count(*), count(column_3) FROM w;\nSELECT max(id) FROM w;\n" * 2)
    equal((got.status, got.out), (0, "sum\n1799970000\ncount,count\n60000,1\nmax\n59999\n" * 2))
    equal(got.err.count("sought anew"), 1)


def test_the_standard_input(folder):
    """Is read once, and queried again."""
    text = rows(3000).encode()
    words = [word for query in QUERIES for word in ("-c", query.format(t="stdin"))]
    got = answers("sql", "-q", "-f", "csv", "-d", "-", *words, cwd=folder, stdin=text)
    expected = "".join(answers("sql", "-q", "-f", "csv", "-d", "-", "-c", query.format(t="stdin"), cwd=folder, stdin=text) for query in QUERIES)
    equal(got, expected)


def test_one_file_in_two_ways(folder):
    write(folder / "t.csv", "a;b\n1,5;2\n3,25;4\n")
    text = """CREATE TABLE x (a text, b int) WITH (files = 't.csv', delimiter = ';');
CREATE TABLE y (a numeric, b text) WITH (files = 't.csv', delimiter = ';', decimal = ',');
CREATE TABLE z (b text, a text) WITH (files = 't.csv', delimiter = ';', header = 'false');
"""
    queries = "SELECT * FROM x; SELECT * FROM y; SELECT * FROM z; SELECT max(a) FROM x; SELECT max(a) FROM y; SELECT max(a) FROM z;"
    got = answers("sql", "-q", "-f", "csv", "-c", text + queries + queries, cwd=folder)
    off = answers("sql", "-q", "-f", "csv", "-c", "SET cache = off;" + text + queries + queries, cwd=folder)
    equal(got, off)


def test_the_setting(folder):
    write(folder / "t.csv", rows(10))
    equal(answers("sql", "-q", "-f", "csv", "-c", "SHOW cache; SET cache = '1G'; SHOW cache; SET cache = off; SHOW cache", cwd=folder), "cache\ndefault\ncache\n1G\ncache\noff\n")
    fails(SQL, "cache is off or a size", args=["sql", "-c", "SET cache = 'much'"], cwd=folder)


main(globals())
