"""Types that were guessed wrong on a cluster: the client opens another job, and the bytes are the embedded engine's."""

from cluster import embedded, equal, check, run_tests

SAMPLE = 10000  # rows that are looked at before the first answer


def late(folder, early, value, rows=SAMPLE + 5000):
    data = folder / "data"
    data.mkdir(exist_ok=True)
    with open(data / "t.csv", "w") as file:
        file.write("id,x\n")
        file.writelines(f"{i},{value if i == rows - 7 else early}\n" for i in range(rows))
    return data


def same(cluster, data, query, *options):
    got = cluster.submit("--sql", query, "--data", data, "-f", "csv", "--chunk-size", "20K", *options)
    want = embedded("sql", "-c", query, "--data", data, "-f", "csv", *options)
    equal((got.returncode, got.stdout), (want.returncode, want.stdout), query + got.stderr)
    return got


def test_contradictions(cluster, folder):
    for early, value, kind, query in (
        ("5", "1.5", "numeric", "SELECT max(x), sum(x) FROM t"),
        ("5", "1e300", "double precision", "SELECT max(x) FROM t"),
        ("5", "007", "text", "SELECT x, count(*) FROM t GROUP BY x ORDER BY x"),
        ("2024-01-05", "2024-01-05 10:00", "timestamp", "SELECT max(x) FROM t"),
        ("31/12/2024", 'a "date" is no [1 2 3]', "text", "SELECT max(x), count(x) FROM t"),
        ("5", "abc", "text", "SELECT sum(x) FROM t"),
    ):
        got = same(cluster, late(folder, early, value.replace('"', "'")), query)
        check(f"column x of t is {kind}, and" in got.stderr, got.stderr)


def test_two_columns_and_two_queries(cluster, folder):
    data = late(folder, "5,7", "1.5,abc")
    text = (data / "t.csv").read_text().replace("id,x", "id,x,y", 1)
    (data / "t.csv").write_text(text)
    got = same(cluster, data, "SELECT sum(x), max(y) FROM t")
    check("column x of t is numeric" in got.stderr and "column y of t is text" in got.stderr, got.stderr)
    (data / "a.csv").write_text("id,z\n1,2\n")
    same(cluster, data, "SELECT sum(x), max(y), max(z) FROM t JOIN a ON t.id = a.id OR t.id > 5")
    same(cluster, data, "SELECT sum(x), max(y), max(z) FROM a JOIN t ON t.id >= a.id")
    pack = folder / "pack"
    (pack / "queries").mkdir(parents=True)
    (pack / "schema.sql").write_text("CREATE TABLE t () WITH (files = 't.csv')")
    (pack / "queries" / "q1.sql").write_text("SELECT count(*) FROM t")
    (pack / "queries" / "q2.sql").write_text("SELECT x, count(*) FROM t GROUP BY x")
    want = embedded("run", pack, "--data", data, "-f", "csv").stdout
    equal(cluster.answer(pack, "--data", data, "-f", "csv"), want)


def test_rows_unlike_the_others(cluster, folder):
    rows = SAMPLE + 5000
    data = folder / "data"
    data.mkdir()
    text = ["id,street,n\n", *(f'{i},"High St {i % 7}, West",{i % 5}\n' for i in range(rows))]
    text[rows - 2005] = '5,Flat 2,High St 9,5\n'
    text[rows - 2004] = '5,"High" St 9,5,6,abc\n'
    (data / "t.csv").write_text("".join(text))
    for query in ("SELECT count(*), sum(id), max(n) FROM t", "SELECT * FROM t WHERE id = 5 ORDER BY street, n"):
        got = same(cluster, data, query)
        check("t has more columns, and the answer is sought anew" in got.stderr, got.stderr)
        check("text stands behind closing quotes" in got.stderr, got.stderr)
    (data / "t.csv").write_text("id,n\n" + "1,2\n" * 30000 + '3,"4\n' + "5,6\n" * 1000)
    got = same(cluster, data, "SELECT count(*) FROM t")
    check("t.csv:30002: a quote opens a field here that is never closed" in got.stderr, got.stderr)


def test_values_as_they_are_written(cluster, folder):
    data = folder / "data"
    data.mkdir()
    (data / "t.csv").write_text("day;seen;price;n\n31/12/2024;2024-12-31T10:00:00+02:00;1.234,50;NA\n"
                                "1/2/2025;2025-01-01T10:00:00Z;7,25;4\n5/2/2025;2025-01-01T10:00:00Z;0,5;-\n")
    for query in ("SELECT max(day), min(seen), sum(price), count(n) FROM t", "SELECT * FROM t", "SELECT * FROM t ORDER BY price"):
        same(cluster, data, query)
    same(cluster, data, "SELECT * FROM t ORDER BY price", "--null", "4,NA")


def test_rejects_with_filters(cluster, folder):
    """Chunks of queries with regular expressions go to filters, and their rejects are counted all the same."""
    data = folder / "data"
    data.mkdir()
    schema = folder / "schema.sql"
    schema.write_text("CREATE TABLE t (id int, n int, s text) WITH (files = 't.csv')")
    query = "SELECT count(*), sum(n) FROM t WHERE regexp_replace(s, 'a+', 'b') = 'bc'"
    for bad, status in ((10, 0), (5, 5)):
        (data / "t.csv").write_text("id,n,s\n" + "".join(f"{i},{'x' if i % bad == 0 else i},aac\n" for i in range(1, 5001)))
        got = same(cluster, data, query, "--schema", schema)
        equal(got.returncode, status, got.stderr)
        if status:
            check("1000 of 5000 rows could not be read" in got.stderr, got.stderr)
            equal(same(cluster, data, query, "--schema", schema, "--max-rejects", "20%").returncode, 0)
        else:
            check("t: 5,000 rows read = 4,500 used + 500 rejected" in got.stderr, got.stderr)


run_tests(globals(), "--filters", "1")
