#!/usr/bin/env python3
"""Rows that nobody sorts come in the order of the input, whoever reads what, and as soon as they are ready."""

import gzip
import json
import random
import resource
import subprocess

from harness import DATA, PIPE_CLOSED, SANITIZED, TAMIZ, answers, check, equal, fails, main, tamiz, write

WAYS = ([], ["--threads", "1"], ["--threads", "4", "--chunk-size", "64"], ["--threads", "3", "--chunk-size", "1K"])
MEGABYTE = 1 << 20


def csv(folder, query, *options):
    return answers("sql", "--data", folder, "-c", query, "-f", "csv", "-q", *options)


def files(folder, count=5, rows=400):
    """A table of several files whose rows are in no order of their values; returns them in that of the input."""
    chance = random.Random(1)
    table = []
    for number in range(count):
        own = [(chance.randrange(1000), chance.choice(["é", 'a "b"', "x\ny", ""]) * chance.randrange(9))
               for _ in range(rows if number != 2 else 3)]
        text = "n,t\n" + "".join(f'{n},"{t.replace(chr(34), chr(34) * 2)}"\n' for n, t in own)
        if number % 2:
            path = folder / "t" / f"{number}.csv.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(text.encode()))
        else:
            write(folder / "t" / f"{number}.csv", text)
        table += own
    return table


def as_objects(rows):
    return [{"n": n, "t": t} for n, t in rows]


def test_order_of_the_input(folder):
    table = files(folder)
    few = [row for row in table if row[0] > 900]
    for way in WAYS:
        for query, rows in (("SELECT n, t FROM t", table), ("SELECT n, t FROM t WHERE n > 900", few),
                            ("SELECT n, t FROM t WHERE n > 900 LIMIT 7 OFFSET 3", few[3:10]),
                            ("SELECT n, t FROM t LIMIT 1 OFFSET 1300", table[1300:1301]),
                            ("SELECT n, t FROM t OFFSET 1000", table[1000:]), ("SELECT n, t FROM t LIMIT 0", [])):
            got = answers("sql", "--data", folder, "-c", query, "-f", "json", *way)
            equal(json.loads(got), as_objects(rows), repr((query, way)))
            lines = answers("sql", "--data", folder, "-c", query, "-f", "jsonl", *way)
            equal([json.loads(line) for line in lines.splitlines()], as_objects(rows), repr((query, way)))
        equal(csv(folder, "SELECT n FROM t WHERE n < 300", *way),
              "n\n" + "".join(f"{n}\n" for n, _ in table if n < 300))
        table_form = answers("sql", "--data", folder, "-c", "SELECT n AS number FROM t LIMIT 900", *way)
        equal([int(line.strip("│ ")) for line in table_form.splitlines()[3:-2]], [n for n, _ in table[:900]])


def test_packed_files_in_order(folder):
    """Files are unpacked by several threads, and their rows come one file after the other; an error when its turn comes."""
    rows = {}
    for number, size in enumerate((40000, 3, 30000, 0, 25000, 35000)):
        rows[number] = [f"{number * 100000 + i},{'x' * (i % 50)}" for i in range(size)]
        write(folder / "t" / f"{number}.csv.gz", gzip.compress("\n".join(["n,t", *rows[number], ""]).encode(), 1))
    wanted = [line for number in sorted(rows) for line in rows[number]]
    for way in (["--threads", "1"], ["--threads", "2"], ["--threads", "7"], ["--threads", "4", "--chunk-size", "4K"]):
        equal(csv(folder, "SELECT * FROM t", *way).splitlines()[1:], wanted, repr(way))
        equal(csv(folder, "SELECT count(*) FROM (SELECT n FROM t LIMIT 70000) s", *way), "count\n70000\n")
    whole = (folder / "t" / "4.csv.gz").read_bytes()
    (folder / "t" / "4.csv.gz").write_bytes(whole[:len(whole) // 2])
    for way in (["--threads", "1"], ["--threads", "7"]):
        result = tamiz("sql", "--data", folder, "-c", "SELECT * FROM t", "-f", "csv", *way)
        equal(result.status, DATA, result.err)
        check("4.csv.gz is damaged: it is cut off" in result.err, result.err)
        got = result.out.splitlines()[1:]
        equal(got, wanted[:len(got)], repr(way))


def test_rows_made_of_rows(folder):
    write(folder / "t.csv", "a,b\n" + "".join(f"{i % 7},{i}\n" for i in range(500)))
    expected = "b,s\n" + "".join(f"{i},{s}\n" for i in range(500) for s in range(i % 7, 0, -1))
    for way in WAYS:
        equal(csv(folder, "SELECT b, generate_series(a, 1, -1) AS s FROM t", *way), expected)
    equal(csv(folder, "SELECT * FROM generate_series(3, 1, -1) AS s LIMIT 2"), "s\n3\n2\n")


def test_several_queries(folder):
    """Some in order and some not, over one scan; those that are not at the front wait."""
    table = files(folder)
    queries = {"a": "-- A\nSELECT count(*) AS n FROM t", "b": "-- B\nSELECT n FROM t WHERE n > 500",
               "c": "-- C\nSELECT n FROM t LIMIT 3", "d": "-- D\nSELECT n FROM t WHERE n < 100"}
    write(folder / "pack" / "schema.sql", "CREATE TABLE t (n int, t text) WITH (files = 't/*.csv');")
    for name, text in queries.items():
        write(folder / "pack" / "queries" / f"{name}.sql", text)
    expected = {"a": [{"n": len(table)}], "b": [{"n": n} for n, _ in table if n > 500],
                "c": [{"n": n} for n, _ in table[:3]], "d": [{"n": n} for n, _ in table if n < 100]}
    for way in WAYS:
        got = answers("run", folder / "pack", "--data", folder, "-q", "-f", "json", *way)
        equal(json.loads(got), expected, repr(way))


def test_a_limit_stops_reading(folder):
    """What is wrong behind the last row that is wanted does not matter, and what is wrong before it does."""
    write(folder / "t" / "1.csv", "n\n" + "".join(f"{i}\n" for i in range(1000)))
    whole = gzip.compress("".join(["n\n"] + [f"{i}\n" for i in range(1000, 2_000_000)]).encode())
    (folder / "t" / "2.csv.gz").write_bytes(whole[:len(whole) // 2])
    schema = write(folder / "s.sql", "CREATE TABLE t (n int) WITH (files = 't/*.csv');")
    source = ["sql", "--data", folder, "--schema", schema, "-f", "csv"]
    for way in WAYS:
        equal(answers(*source, *way, "-c", "SELECT n FROM t LIMIT 2 OFFSET 1000"), "n\n1000\n1001\n")
        equal(answers(*source, *way, "-c", "SELECT 10 / (900000 - n) AS q FROM t LIMIT 2"), "q\n0\n0\n")
        fails(DATA, "2.csv.gz", args=[*source, *way, "-c", "SELECT count(*) FROM t"])
        equal(answers(*source, *way, "-c", "SELECT n FROM t WHERE n % 10 = 5 LIMIT 100"),
              "n\n" + "".join(f"{i}\n" for i in range(5, 1000, 10)))
        got = tamiz(*source, *way, "-c", "SELECT 10 / (500 - n) AS q FROM t LIMIT 2 OFFSET 500")
        equal((got.status, got.out), (4, ""))
        check("division by zero" in got.err, got.err)


def huge(folder, megabytes):
    line = "".join(f"{i},some text that is long enough to fill the file soon,{i * 7919 % 1000}\n" for i in range(9000))
    with open(folder / "huge.csv", "w", encoding="utf-8") as out:
        out.write("id,words,n\n")
        for _ in range(megabytes * MEGABYTE // len(line)):
            out.write(line)


def test_bounded_memory(folder):
    if SANITIZED:
        return
    huge(folder, 96)
    for form in ("csv", "jsonl"):
        answers("sql", "--data", folder, "-q", "-f", form, "--threads", "2", "-o", folder / f"out.{form}",
                "-c", "SELECT * FROM huge WHERE n > 1", preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_DATA, (88 * MEGABYTE, 88 * MEGABYTE)))
        check((folder / f"out.{form}").stat().st_size > 90 * MEGABYTE, "size")


def test_a_reader_that_goes_away(folder):
    huge(folder, 32)
    child = subprocess.Popen([TAMIZ, "sql", "--data", folder, "-f", "csv", "-c", "SELECT * FROM huge"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal(child.stdout.readline(), b"id,words,n\n")
    child.stdout.close()
    equal((child.wait(), child.stderr.read()), (PIPE_CLOSED, b""))
    child.stderr.close()


def late(folder, value):
    """Half a million rows of 5, and one other value where no sample looks."""
    rows = 500_000
    write(folder / "t.csv", "id,x\n" + "".join(f"{i},{value if i == rows - 7 else 5}\n" for i in range(rows)))
    return rows


def test_a_guess_that_is_wrong_after_rows_were_printed(folder):
    rows = late(folder, "6.5")
    for way in WAYS[:2]:
        got = tamiz("sql", "--data", folder, "-f", "csv", "-c", "SELECT id, x + 1 AS y FROM t", *way)
        check("column x of t is numeric" in got.err, got.err)
        lines = got.out.splitlines()
        equal((got.status, len(lines), lines[-8:-5]), (0, rows + 1, [f"{rows - 8},6", f"{rows - 7},7.5", f"{rows - 6},6"]))
        # What was printed would read otherwise.
        query = ["sql", "--data", folder, "-f", "csv", "-c", "SELECT id, x / 2 AS y FROM t"]
        got = tamiz(*query, *way)
        equal(got.status, DATA)
        check("would read otherwise" in got.err and "--output" in got.err, got.err)
        answer = tamiz(*query, *way, "--output", folder / "out.csv.gz")
        equal(answer.status, 0, answer.err)
        lines = gzip.decompress((folder / "out.csv.gz").read_bytes()).decode().splitlines()
        equal((len(lines), lines[1], lines[-7]), (rows + 1, "0,2.5000000000000000", f"{rows - 7},3.2500000000000000"))


def test_samples(folder):
    """A sample is a function of where rows stand, and about as large as it should be."""
    (folder / "t").mkdir()
    for part in range(4):
        rows = "".join(f"{part * 5000 + i}\n" for i in range(5000))
        (folder / "t" / f"{part}.csv").write_text("id\n" + rows)

    def sampled(clause, *options):
        query = f"SELECT id FROM t TABLESAMPLE {clause}"
        return answers("sql", "-q", "-f", "csv", *options, "-c", query, cwd=folder).split()[1:]

    for clause in "BERNOULLI (10)", "BERNOULLI (10) REPEATABLE (3)", "SYSTEM (40)", "BERNOULLI (0.5)":
        rows = sampled(clause, "-t", "1")
        equal(sampled(clause, "-t", "3", "--chunk-size", "1K"), rows, clause)
        equal(len(set(rows)), len(rows), clause)
    ten = sampled("BERNOULLI (10)")
    check(1700 < len(ten) < 2300, f"{len(ten)} of 20000 rows")
    check(ten != sampled("BERNOULLI (10) REPEATABLE (3)"), "another seed is another sample")
    check(set(ten) <= set(sampled("BERNOULLI (30)")), "a larger sample holds the smaller one")
    equal(len(sampled("SYSTEM (100)")), 20000)
    equal(sampled("BERNOULLI (0)"), [])
    stretches = {int(row) // 1000 for row in sampled("SYSTEM (40)")}
    check(0 < len(stretches) < 20, f"{stretches}")


main(globals())
