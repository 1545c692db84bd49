"""Formats, files that appear whole or not at all, rejects, closed pipes and interrupts."""

import gzip
import json
import os
import resource
import shutil
import signal
import subprocess

from harness import (DATA, FAILED, INTERRUPTED, PATIENCE_SECONDS, PIPE_CLOSED, SANITIZED, TAMIZ, USAGE, answers,
                     check, equal, fails, main, names, tamiz, wait_for, write)

SCHEMA = "CREATE TABLE t (a bigint, b text, c numeric, d boolean) WITH (files = 't.csv');"
ROWS = 'a,b,c,d\n1,"x, ""y""",1.50,true\n2,"",,false\n,é,-0.001,\n'
INTERRUPTS_MAX = 20
PACK = {"q1": "-- First\nSELECT a FROM t ORDER BY a", "q2": "SELECT count(*) AS n FROM t"}


def table(folder):
    write(folder / "data" / "t.csv", ROWS)
    return ["--data", folder / "data", "--schema", write(folder / "s.sql", SCHEMA)]


def pack(folder, queries=None, data=ROWS):
    write(folder / "pack" / "schema.sql", SCHEMA)
    for name, text in (queries or PACK).items():
        write(folder / "pack" / "queries" / f"{name}.sql", text)
    write(folder / "data" / "t.csv", data)
    return ["run", folder / "pack", "--data", folder / "data"]


def test_more_files_than_may_be_open(folder):
    for number in range(200):
        write(folder / "data" / "t" / f"{number}.csv", f"a\n{number}\n")
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    equal(answers("sql", "--data", folder / "data", "-c", "SELECT count(*) AS n, sum(a) AS s FROM t",
                  "-f", "csv", "--quiet", preexec_fn=few), "n,s\n200,19900\n")


def test_formats_of_a_query(folder):
    query = ["sql", *table(folder), "-c", "SELECT a, b, c, d FROM t ORDER BY a"]
    equal(answers(*query, "-f", "csv"), 'a,b,c,d\n1,"x, ""y""",1.50,t\n2,"",,f\n,é,-0.001,\n')
    equal(json.loads(answers(*query, "-f", "json"), parse_float=str),
          [{"a": 1, "b": 'x, "y"', "c": "1.50", "d": True}, {"a": 2, "b": "", "c": None, "d": False},
           {"a": None, "b": "é", "c": "-0.001", "d": None}])
    equal(answers(*query, "-f", "md"), '| a | b | c | d |\n|---:|---|---:|---|\n| 1 | x, "y" | 1.50 | t |\n'
          "| 2 |  |  | f |\n|  | é | -0.001 |  |\n")
    equal(answers(*query), "┌──────┬────────┬────────┬──────┐\n"
                           "│    a │ b      │      c │ d    │\n"
                           "├──────┼────────┼────────┼──────┤\n"
                           '│    1 │ x, "y" │   1.50 │ t    │\n'
                           "│    2 │        │   NULL │ f    │\n"
                           "│ NULL │ é      │ -0.001 │ NULL │\n"
                           "└──────┴────────┴────────┴──────┘\n3 rows\n")


def test_no_rows(folder):
    query = ["sql", *table(folder), "-c", "SELECT a FROM t WHERE a > 100"]
    equal(answers(*query, "-f", "csv"), "a\n")
    equal(json.loads(answers(*query, "-f", "json")), [])
    check(answers(*query).endswith("0 rows\n"), "row count")


def test_formats_of_a_pack(folder):
    run = pack(folder)
    equal(json.loads(answers(*run, "-q", "-f", "json")), {"q1": [{"a": 1}, {"a": 2}, {"a": None}], "q2": [{"n": 3}]})
    check(answers(*run, "-q", "-f", "md").startswith("## q1: First\n\n| a |\n"), "titles")
    result = tamiz(*run)
    equal(result.status, 0)
    check("2 queries over " in result.err and "3 rows" in result.err, result.err)


def test_output_folder(folder):
    run = pack(folder)
    out = folder / "out"
    answers(*run, "-q", "-o", out)
    equal(names(out), ["q1.csv", "q2.csv"])
    equal((out / "q1.csv").read_text(), "a\n1\n2\n\n")
    equal((out / "q2.csv").read_text(), "n\n3\n")
    answers(*run, "-q", "-o", out, "-f", "json")
    equal(json.loads((out / "q2.json").read_text()), [{"n": 3}])
    fails(USAGE, "not a folder", args=[*run, "-o", folder / "data" / "t.csv"])


def test_output_file(folder):
    query = ["sql", *table(folder), "-c", "SELECT count(*) AS n FROM t"]
    out = folder / "result.csv"
    equal(answers(*query, "-o", out), "")
    equal(out.read_text(), "n\n3\n")
    fails(USAGE, "is a folder", args=[*query, "-o", folder])
    fails(FAILED, "nowhere", args=[*query, "-o", folder / "nowhere" / "x.csv"])


def test_output_pipe(folder):
    """What is no file is written to; it was replaced by a file, /dev/null as well."""
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cat", folder / "pipe"], stdout=subprocess.PIPE) as reader:
        answers("sql", "-c", "SELECT 1 AS a", "-f", "csv", "-o", folder / "pipe")
        equal(reader.communicate(timeout=PATIENCE_SECONDS)[0], b"a\n1\n")
    check((folder / "pipe").is_fifo(), "the pipe is still there")
    equal(sorted(path.name for path in folder.iterdir()), ["pipe"])


def test_formats_by_extension(folder):
    write(folder / "data" / "t.csv", "a,b\n1,x\ty\n2,\n")
    query = ["sql", "--data", folder / "data", "-c", "SELECT a, b FROM t"]
    expected = {
        "csv": "a,b\n1,x\ty\n2,\n", "CSV": "a,b\n1,x\ty\n2,\n",
        "tsv": 'a\tb\n1\t"x\ty"\n2\t\n', "tab": 'a\tb\n1\t"x\ty"\n2\t\n',
        "json": '[\n{"a": 1, "b": "x\\ty"},\n{"a": 2, "b": null}\n]\n',
        "jsonl": '{"a": 1, "b": "x\\ty"}\n{"a": 2, "b": null}\n',
        "ndjson": '{"a": 1, "b": "x\\ty"}\n{"a": 2, "b": null}\n',
        "md": "| a | b |\n|---:|---|\n| 1 | x\ty |\n| 2 |  |\n",
    }
    for extension, text in expected.items():
        out = folder / f"out.{extension}"
        equal(answers(*query, "-o", out), "")
        equal(out.read_text(), text)
        answers(*query, "-o", folder / f"out.{extension}.gz")
        equal(gzip.decompress((folder / f"out.{extension}.gz").read_bytes()).decode(), text)
        answers(*query, "-o", folder / f"out.{extension}.zst")
        equal(subprocess.run(["zstd", "-dcq", folder / f"out.{extension}.zst"], capture_output=True, check=True)
              .stdout.decode(), text)
    equal(answers(*query, "-f", "tsv"), expected["tsv"])
    equal(answers(*query, "-f", "jsonl"), expected["jsonl"])
    answers(*query, "-o", folder / "plain")
    equal((folder / "plain").read_text(), expected["csv"])
    answers(*query, "-o", folder / "notes.txt", "-f", "jsonl")
    equal((folder / "notes.txt").read_text(), expected["jsonl"])


def test_unknown_extension(folder):
    query = ["sql", *table(folder), "-c", "SELECT a FROM t"]
    for name in ("out.parquet", "out.xlsx.gz", "out.csv.bz2"):
        fails(USAGE, "unknown extension", ".csv, .tsv, .json, .jsonl, .md, .html, .tex or .svg", args=[*query, "-o", folder / name])
        check(not (folder / name).exists(), name)
    fails(USAGE, "would be csv, but --format says json", args=[*query, "-o", folder / "out.csv", "-f", "json"])
    fails(USAGE, "would be csv", args=[*query, "-o", folder / "out.csv.gz", "-f", "tsv"])


def test_large_compressed(folder):
    """More than the buffers hold; the same text is the same bytes, however many threads made it."""
    write(folder / "data" / "t.csv", "a,b\n" + "".join(f"{i},{i * 7919 % 1000003} some text\n" for i in range(100000)))
    query = ["sql", "--data", folder / "data", "-c", "SELECT b, a FROM t ORDER BY a"]
    text = answers(*query, "-f", "csv")
    for suffix in ("gz", "zst"):
        packed = set()
        for threads in ("1", "2"):
            out = folder / f"out.csv.{suffix}"
            answers(*query, "-o", out, "--threads", threads)
            packed.add(out.read_bytes())
        equal(len(packed), 1)
        check(len(packed.pop()) < len(text) / 2, "it is smaller")
        command = ["gzip" if suffix == "gz" else "zstd", "-dcq", folder / f"out.csv.{suffix}"]
        equal(subprocess.run(command, capture_output=True, check=True).stdout.decode(), text)


def test_jsonl_of_a_pack(folder):
    equal(answers(*pack(folder), "-q", "-f", "jsonl"),
          '{"query": "q1"}\n{"a": 1}\n{"a": 2}\n{"a": null}\n{"query": "q2"}\n{"n": 3}\n')


def test_failure_leaves_nothing(folder):
    run = pack(folder, {"q1": "SELECT 1 / (a - 2) AS x FROM t"})
    result = tamiz(*run, "-o", folder / "out")
    equal(result.status, 4, result.err)
    check(not (folder / "out").exists(), "the folder is gone again")
    (folder / "out").mkdir()
    write(folder / "out" / "q1.csv", "of yesterday\n")
    equal(tamiz(*run, "-o", folder / "out").status, 4)
    equal(names(folder / "out"), ["q1.csv"])
    equal((folder / "out" / "q1.csv").read_text(), "of yesterday\n")


def limit_file_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_full_disk(folder):
    write(folder / "data" / "t.csv", "a\n" + "".join(f"{i}\n" for i in range(20000)))
    out = folder / "out.csv"
    args = ["sql", "--data", folder / "data", "-c", "SELECT a FROM t", "-o", out]
    fails(FAILED, "out.csv", args=args, preexec_fn=limit_file_size)
    equal(names(folder), ["data", "data/t.csv"])
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TAMIZ, *map(str, args[:-2])], stdout=full, stderr=subprocess.PIPE, check=False)
        equal(done.returncode, FAILED)
        check(b"No space left" in done.stderr, done.stderr)


def test_closed_pipe(folder):
    write(folder / "t.csv", "a\n" + "".join(f"{i}\n" for i in range(200000)))
    process = subprocess.Popen([TAMIZ, "sql", "--data", folder, "-c", "SELECT a FROM t", "-f", "csv"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    equal(process.stderr.read(), b"")
    equal(process.wait(), PIPE_CLOSED)
    process.stderr.close()


BAD = "a,b,c,d\n1,x,1,t\nabc,x,1,t\n3,y,2,f\n4\n5,z,oops,t\n"


def test_rejects(folder):
    run = pack(folder, data=BAD)
    result = tamiz(*run, "-q", "-f", "csv", "--max-rejects", "100%")
    equal(result.status, 0, result.err)
    # What a query answers depends on the columns it reads alone: the row with a bad a counts for q2.
    equal(result.out, "# q1\na\n1\n3\n5\n\n# q2\nn\n4\n")
    check("t: 5 rows read = 3 used + 2 rejected\n" in result.err, result.err)
    path = folder / "data" / "t.csv"
    check(f'  {path}:3: column a: ' in result.err and '"abc"' in result.err, result.err)
    check(f"  {path}:5: " in result.err, result.err)
    check("oops" not in result.err, "nobody reads column c")


def test_rejects_of_queries_that_group_alike(folder):
    """Queries with the same groups are computed together, and yet each has rejects of its own."""
    queries = {"q1": "SELECT b, sum(a) AS s FROM t GROUP BY b ORDER BY b",
               "q2": "SELECT b, count(c) AS n, max(c) AS m FROM t GROUP BY b ORDER BY b",
               "q3": "SELECT b, count(*) AS n, sum(a) AS s FROM t GROUP BY b HAVING count(*) > 1"}
    good = "".join(f"{i},{'xyz'[i % 3]},{i % 7},t\n" for i in range(30000))
    run = pack(folder, queries, data=BAD + good)
    for threads in (1, 3):
        result = tamiz(*run, "-q", "-f", "csv", "--threads", str(threads))
        equal(result.status, 0, result.err)
        sums = [sum(i for i in range(30000) if i % 3 == k) for k in range(3)]
        equal(result.out, "# q1\nb,s\n" +
              f"x,{sums[0] + 1}\ny,{sums[1] + 3}\nz,{sums[2] + 5}\n\n" +
              "# q2\nb,n,m\nx,10002,6\ny,10001,6\nz,10000,6\n\n" +
              f"# q3\nb,n,s\nx,10001,{sums[0] + 1}\ny,10001,{sums[1] + 3}\nz,10001,{sums[2] + 5}\n")
    explained = tamiz("explain", *run[1:])
    check("grouped together with map" in explained.out, explained.out)


def test_two_arguments_of_queries_that_group_alike(folder):
    queries = {"q1": "SELECT b, covar_pop(a, c::float8) AS v FROM t GROUP BY b ORDER BY b",
               "q2": "SELECT b, sum(c) AS s, covar_pop(a, a) AS v FROM t GROUP BY b ORDER BY b"}
    data = "a,b,c,d\n1,x,10,t\n2,x,5,t\n3,x,0,t\n"
    equal(answers(*pack(folder, queries, data), "-f", "csv", "--quiet", "--query", "q1"),
          "b,v\nx,-3.3333333333333335\n")
    equal(answers(*pack(folder, queries, data), "-f", "csv", "--quiet"),
          "# q1\nb,v\nx,-3.3333333333333335\n\n# q2\nb,s,v\nx,15,0.6666666666666666\n")


def test_rejects_file(folder):
    run = pack(folder, {"q1": "SELECT a, c FROM t ORDER BY a"}, data=BAD)
    rejects = folder / "rejects.csv"
    equal(tamiz(*run, "-q", "--rejects", rejects, "--max-rejects", "3").status, 0)
    lines = rejects.read_text().splitlines()
    equal(lines[0], "file,line,column,reason,sample")
    path = folder / "data" / "t.csv"
    equal([line.split(",")[1] for line in lines[1:]], ["3", "5", "6"])
    check(lines[1].startswith(f'"{path}",3,"a",') and lines[1].endswith(',"abc"'), lines[1])
    check(lines[2].startswith(f'"{path}",5,,'), lines[2])
    equal([name for name in names(folder) if "partial" in name], [])


def test_share_of_rejects(folder):
    """More than a tenth is an error that says what most have in common."""
    def rows(bad, other, good):
        return "a,b,c,d\n" + f"{bad},x,1,t\n" * other + "1,x,1,t\n" * good
    queries = {"q1": "SELECT sum(a) FROM t"}
    equal(tamiz(*pack(folder, queries, rows("x", 10, 90)), "-q").status, 0)
    run = pack(folder, queries, rows("x", 11, 89) + "2\n")
    fails(DATA, "table t: 12 of 101 rows could not be read", "most as in ", "t.csv:2: column a: not an integer", '"x"',
          "--max-rejects", args=run)
    for option, status in (("12", 0), ("11", DATA), ("12%", 0), ("11%", DATA), ("100%", 0), ("0", DATA)):
        equal(tamiz(*run, "-q", "--max-rejects", option).status, status, option)
    for option in ("-1", "101%", "x", "5 rows"):
        fails(USAGE, "--max-rejects must be", args=[*run, "--max-rejects", option])
    fails(DATA, "date_format says", args=dates(folder))
    rejects = folder / "rejects.csv"
    equal(tamiz(*run, "-q", "--rejects", rejects).status, DATA)
    equal(len(rejects.read_text().splitlines()), 13)


def dates(folder):
    """A declared date that is written in another way."""
    write(folder / "days" / "t.csv", "day\n31/12/2024\n")
    schema = write(folder / "days" / "s.sql", "CREATE TABLE t (day date) WITH (files = 't.csv')")
    return ["sql", "--data", folder / "days", "--schema", schema, "-c", "SELECT max(day) FROM t"]


def test_strict(folder):
    run = pack(folder, data=BAD)
    fails(DATA, "t.csv", args=[*run, "--strict", "-o", folder / "out"])
    check(not (folder / "out").exists(), "no output")
    run = pack(folder)
    equal(tamiz(*run, "--strict", "-q").status, 0)


def interrupted(folder, number, made, *args):
    """Status and output of a command that is interrupted while it makes the folder `made`."""
    for _ in range(INTERRUPTS_MAX):
        process = subprocess.Popen([TAMIZ, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # The temporary files are there once the run has begun.
        wait_for("a temporary file", lambda: process.poll() is not None or any("partial" in n for n in names(folder)), 0)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        if process.returncode != 0:
            return process.returncode, out, err
        # It was done before we could tell it.
        shutil.rmtree(made)
    raise AssertionError("it is too quick to be interrupted")


def test_interrupt(folder):
    answers("gen", "coffee", "--out", folder / "data", "--size", "20M" if SANITIZED else "300M", "-q")
    for number in (signal.SIGINT, signal.SIGTERM):
        status, out, err = interrupted(folder, number, folder / "out", "run", "coffee", "--data", folder / "data",
                                       "-o", folder / "out", "--threads", "1")
        equal((status, out, err), (INTERRUPTED, b"", b"tamiz: interrupted\n"))
        check(not (folder / "out").exists(), "nothing is left")


def test_product_is_told_and_ends(folder):
    for name in ("t", "u"):
        write(folder / f"{name}.csv", "a,b\n" + "".join(f"{i},{'x' * 60}\n" for i in range(100000)))
    query = ["--data", folder, "-c", "SELECT count(*) AS n FROM t, u WHERE t.a + 1 < u.a"]
    warning = "warning: all pairs of about 100,000 x 100,000 rows: is a join condition missing?\n"
    check("  " + warning in answers("explain", *query), "explain says it")
    process = subprocess.Popen([TAMIZ, "sql", *map(str, query)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # It stands there before the query runs: 10,000,000,000 pairs take longer than we do.
    equal(process.stderr.readline().decode(), warning)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    equal((process.returncode, out, err), (INTERRUPTED, b"", b"tamiz: interrupted\n"))
    query[-1] += " AND t.b = u.b AND t.a = u.a"
    check("warning" not in answers("explain", *query), "by keys there are no pairs")


def known(rows, *distinct):
    columns = [f"; {c} distinct {n} nulls 0 common bounds 0 {n}" for c, n in enumerate(distinct)]
    return f", statistics = 'rows {rows} bytes 40" + "".join(columns) + "'"


def test_statistics_change_no_answer(folder):
    """Whatever is thought of the values: plans differ, and answers do not."""
    tables = {"sales": "a bigint, b bigint, n bigint", "orders": "a bigint, c bigint",
              "few": "b bigint, name text"}
    write(folder / "sales.csv", "a,b,n\n" + "".join(f"{i % 50},{i % 7},{i}\n" for i in range(400)))
    write(folder / "orders.csv", "a,c\n" + "".join(f"{i},{i % 5}\n" for i in range(60)))
    write(folder / "few.csv", "b,name\n1,one\n3,three\n3,drei\n9,nine\n")
    guesses = [{}, {"sales": known(6e6, 1e6, 2e5, 6e6), "orders": known(1e6, 1e6, 5), "few": known(9, 9, 9)},
               {"sales": known(10, 5, 5, 5), "orders": known(9e6, 9e6, 9e6), "few": known(5e6, 5e6, 5)}]
    queries = [
        "SELECT f.name, s.total FROM few f, (SELECT b, sum(n) AS total FROM sales GROUP BY b) s "
        "WHERE f.b = s.b AND f.name <> 'drei' ORDER BY f.name",
        "SELECT o.c, sum(s.n) AS n FROM sales s JOIN orders o ON o.a = s.a JOIN few f ON f.b = s.b "
        "WHERE o.a IN (SELECT a FROM sales GROUP BY a HAVING sum(n) > 1000) GROUP BY o.c ORDER BY o.c",
        "SELECT count(*) AS n FROM few f, sales s, orders o, few g WHERE f.b = s.b AND s.b = g.b AND "
        "o.a = s.a AND NOT EXISTS (SELECT 1 FROM few x WHERE x.b = s.b AND x.name < g.name)"]
    plans = set()
    for query in queries:
        found = set()
        for guess in guesses:
            schema = write(folder / "s.sql", "".join(
                f"CREATE TABLE {name} ({columns}) WITH (files = '{name}.csv'{guess.get(name, '')});"
                for name, columns in tables.items()))
            command = ["--schema", schema, "--data", folder, "-c", query]
            found.add(answers("sql", *command, "-f", "csv", "--quiet"))
            plans.add(answers("explain", *command))
        equal(len(found), 1)
    check(len(plans) > len(queries) + 2, "the plans do differ")
    check(any("filter asked" in plan for plan in plans), "keys are looked up before rows are grouped")


def test_interrupted_gen(folder):
    status, _, err = interrupted(folder, signal.SIGINT, folder / "data", "gen", "coffee", "--out", folder / "data",
                                 "--size", "1G")
    equal((status, err), (INTERRUPTED, b"tamiz: interrupted\n"))
    equal([name for name in names(folder) if "partial" in name], [])


main(globals())
