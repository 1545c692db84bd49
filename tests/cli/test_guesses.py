#!/usr/bin/env python3
"""Types are a guess until the end of the file: what a later value says, and how values may be written."""

from harness import DATA, answers, check, equal, fails, main, tamiz, write

SAMPLE = 10000  # rows that are looked at before the first answer


def one(folder, query, *options):
    return tamiz("sql", "--data", folder, "-c", query, "-f", "csv", *options)


def late(folder, early, value, rows=SAMPLE + 5000):
    """A column of `early` values with one other far behind the sample."""
    write(folder / "t.csv", "id,x\n" + "".join(f"{i},{value if i == rows - 7 else early}\n" for i in range(rows)))
    return rows


def test_no_row_is_dropped(folder):
    for early, value, kind, query, answer in (
            ("5", "1.5", "numeric", "max(x), sum(x)", lambda n: f"5,{5 * (n - 1) + 1.5}"),
            ("5", "99999999999999999999", "numeric", "max(x), count(*)", lambda n: f"99999999999999999999,{n}"),
            ("5", "1e300", "double precision", "max(x), count(x)", lambda n: f"1e+300,{n}"),
            ("2.5", "abc", "text", "max(x), count(x)", lambda n: f"abc,{n}"),
            ("5", "007", "text", "min(x), count(x)", lambda n: f"007,{n}"),
            ("2024-01-05", "2024-01-05 10:00", "timestamp", "max(x), count(x)", lambda n: f"2024-01-05 10:00:00,{n}"),
            ("2024-01-05", "soon", "text", "max(x), count(x)", lambda n: f"soon,{n}"),
            ("true", "maybe", "text", "count(*), count(x)", lambda n: f"{n},{n}"),
            ("31/12/2024", "31/12/2024 10:00", "timestamp", "max(x), count(x)", lambda n: f"2024-12-31 10:00:00,{n}"),
            ("5", "NA", None, "max(x), count(x)", lambda n: f"5,{n - 1}")):
        rows = late(folder, early, value)
        for options in ([], ["--threads", "1"], ["--chunk-size", "1000"], ["--threads", "2", "--chunk-size", "4000"]):
            got = one(folder, f"SELECT {query} FROM t", *options)
            equal((got.status, got.out.splitlines()[1]), (0, answer(rows)), repr((early, value, options)))
            said = f't.csv:{rows - 5}: "{value}" is no '
            check((said in got.err and f"column x of t is {kind}," in got.err) if kind else got.err == "", got.err)
            equal(len(got.err.splitlines()), 1 if kind else 0, got.err)


def test_only_what_is_read_counts(folder):
    rows = late(folder, "5", "abc")
    got = one(folder, "SELECT count(*), max(id) FROM t")
    equal((got.out, got.err), (f"count,max\n{rows},{rows - 1}\n", ""))


def test_a_query_that_needs_the_type(folder):
    late(folder, "5", "abc")
    got = one(folder, "SELECT sum(x) FROM t")
    equal(got.status, 3)
    check("column x of t is text" in got.err and "sum(text)" in got.err, got.err)


def test_what_is_declared_stays(folder):
    rows = late(folder, "5", "abc")
    schema = write(folder / "s.sql", "CREATE TABLE t (id int, x int) WITH (files = 't.csv')")
    got = one(folder, "SELECT sum(x) FROM t", "--schema", schema)
    equal((got.status, got.out), (0, f"sum\n{5 * (rows - 1)}\n"))
    check("1 rejected" in got.err, got.err)


def test_several_queries(folder):
    """Those that are done before the contradiction stay as they are."""
    rows = late(folder, "5", "1.5")
    write(folder / "u.csv", "id,y\n1,2\n")
    pack = folder / "pack"
    (pack / "queries").mkdir(parents=True)
    write(pack / "schema.sql", "CREATE TABLE u () WITH (files = 'u.csv'); CREATE TABLE t () WITH (files = 't.csv')")
    write(pack / "queries/q1.sql", "SELECT sum(y) FROM u")
    write(pack / "queries/q2.sql", "SELECT sum(x) FROM t")
    write(pack / "queries/q3.sql", "SELECT count(*) FROM t JOIN u ON t.id = u.id")
    for form in ("csv", "json", "table"):
        got = tamiz("run", pack, "--data", folder, "-f", form, "-q")
        equal(got.status, 0, got.err)
        check(f"{5 * (rows - 1) + 1.5}" in got.out and got.out.count("sum") == 2, got.out)
    out = folder / "out"
    equal(tamiz("run", pack, "--data", folder, "-o", out, "-q").status, 0)
    equal((out / "q2.csv").read_text(), f"sum\n{5 * (rows - 1) + 1.5}\n")
    equal(sorted(p.name for p in out.iterdir()), ["q1.csv", "q2.csv", "q3.csv"])


def test_ways_to_write(folder):
    write(folder / "t.csv", "day;seen;price;n\n31/12/2024;2024-12-31T10:00:00+02:00;1.234,50;NA\n"
          "1/2/2025;2025-01-01T10:00:00Z;7,25;4\n5/2/2025;2025-01-01T10:00:00Z;0,5;-\n")
    equal(one(folder, "SELECT max(day), min(seen), sum(price), count(n), max(n) FROM t").out,
          "max,min,sum,count,max\n2025-02-05,2024-12-31 08:00:00,1242.25,1,4\n")


def test_what_is_shown_stands_so_in_the_file(folder):
    """The same text for the same value, whatever else the query does; values where something is made of them."""
    write(folder / "t.csv", "id;day;price;ok;at;n\n1;31/12/2024;1.234,50;TRUE;2024-12-31T10:00;NA\n"
          "2;1/2/2025;7,25;FALSE;2024-12-31 10:00:00;1e3\n")
    first, second = '1,31/12/2024,"1.234,50",TRUE,2024-12-31T10:00,NA', '2,1/2/2025,"7,25",FALSE,2024-12-31 10:00:00,1e3'
    for query, rows in (
            ("SELECT * FROM t", [first, second]),
            ("SELECT id, day, price, ok, at, n FROM t WHERE price > 1000", [first]),
            ("SELECT * FROM t WHERE ok", [first]),
            ("SELECT * FROM t WHERE n IS NULL", [first]),
            ("SELECT * FROM t ORDER BY price", [second, first]),
            ("SELECT id, day AS d, price, ok, at, n FROM t ORDER BY d DESC", [second, first]),
            ("SELECT * FROM t ORDER BY 3 LIMIT 1", [second]),
            ("SELECT * FROM (SELECT * FROM t WHERE day < '2025-01-15') s", [first]),
            ("WITH w AS (SELECT * FROM t WHERE price > 0) SELECT b.* FROM w a JOIN w b ON a.id = b.id", [first, second]),
            ("SELECT t.* FROM t LEFT JOIN t o ON o.price = t.price AND o.id > 1", [first, second]),
            ("SELECT id, day, price, ok, at, n FROM (SELECT *, row_number() OVER (ORDER BY day) r FROM t) s WHERE r = 2", [second])):
        equal(one(folder, query).out.splitlines()[1:], rows, query)
    for query, answer in (
            ("SELECT max(day), max(price), bool_or(ok), max(n) FROM t", "2025-02-01,1234.50,t,1000"),
            ("SELECT day, count(*) FROM t GROUP BY day ORDER BY day LIMIT 1", "2024-12-31,1"),
            ("SELECT DISTINCT at FROM t", "2024-12-31 10:00:00"),
            ("SELECT price + 0 FROM t WHERE id = 1", "1234.50")):
        equal(one(folder, query).out.splitlines()[1:], [answer], query)
    equal(tamiz("sql", "--data", folder, "-c", "SELECT price, ok, n FROM t ORDER BY id", "-f", "jsonl").out,
          '{"price": "1.234,50", "ok": true, "n": "NA"}\n{"price": "7,25", "ok": false, "n": 1e3}\n')
    # What prints as it stands is not touched.
    write(folder / "t.csv", "id,price,day\n1,1.50,2024-12-31\n2,-7.25,2025-01-01\n")
    equal(one(folder, "SELECT * FROM t ORDER BY price").out, "id,price,day\n2,-7.25,2025-01-01\n1,1.50,2024-12-31\n")


def late_lines(folder, lines, rows=SAMPLE + 5000):
    """Rows of three columns, and where no sample sees them some lines that are different. Returns the row of the first."""
    text = ["id,street,n\n", *(f'{i},"High St {i % 7}, West",{i % 5}\n' for i in range(rows))]
    for i, other in enumerate(lines):
        text[rows - 2000 + i] = other.format(rows - 2001 + i)
    write(folder / "t.csv", "".join(text))
    return rows - 2001


WAYS = ([], ["--threads", "1"], ["--chunk-size", "1000"], ["--threads", "2", "--chunk-size", "4000"])


def test_long_rows_make_columns(folder):
    row = late_lines(folder, ["{},Flat 2,High St 9,5\n", "{},a,b,c,d,e,,\n"])
    rows = row + 2001
    for options in WAYS:
        got = one(folder, f"SELECT * FROM t WHERE id BETWEEN {row - 1} AND {row + 2} ORDER BY id", *options)
        usual = [f'{i},"High St {i % 7}, West",{i % 5},,,\n' for i in (row - 1, row + 2)]
        equal((got.status, got.out), (0, f"id,street,n,column_4,column_5,column_6\n{usual[0]}{row},Flat 2,High St 9,5,,\n"
                                         f"{row + 1},a,b,c,d,e\n{usual[1]}"), got.err)
        check(f't.csv:{row + 2}: a row of 6 fields, where 3 were expected: "{row},Flat 2' in got.err
              and "t has more columns, and the answer is sought anew" in got.err, got.err)
        equal(one(folder, "SELECT count(*) FROM t", *options).out, f"count\n{rows}\n")
    for ragged, status in (("cut", 0), ("reject", 0)):
        got = one(folder, "SELECT * FROM t LIMIT 1", "--ragged", ragged)
        equal((got.status, got.out.splitlines()[0]), (status, "id,street,n"), got.err)
    write(folder / "a.csv", "id,n\n1,2\n" + "3,4\n" * 30000 + "5,6" + ",7" * 2000 + "\n" + "3,4\n" * 9000)
    got = one(folder, "SELECT count(*) FROM a")
    equal((got.status, got.out), (1, ""))
    check("more than 1024 fields" in got.err and "--ragged cut" in got.err, got.err)
    # Files of a table are each as wide as their own rows say, in whatever order they are.
    (folder / "u").mkdir()
    write(folder / "u" / "a.csv", "id,n\n" + "3,4\n" * SAMPLE + "5,6,7\n")
    write(folder / "u" / "b.csv", "id,n,m,k\n" + "3,4,5,6\n" * SAMPLE + "5,6,7,8,9\n")
    got = one(folder, "SELECT count(*), sum(id) AS id, max(column_3) AS a, sum(m) AS m, max(column_5) AS b FROM u")
    equal((got.status, got.out), (0, f"count,id,a,m,b\n{2 * SAMPLE + 2},{2 * SAMPLE * 3 + 10},7,{SAMPLE * 5 + 7},9\n"), got.err)


def test_text_behind_quotes(folder):
    row = late_lines(folder, ['{},"High" St 9,5\n', '"{}"x,"",6\n', '{},"a ""b"" c" d "e",7\n'])
    for options in WAYS:
        got = one(folder, "SELECT * FROM t WHERE street NOT LIKE '%West' ORDER BY n", *options)
        equal((got.status, got.out), (0, f'id,street,n\n{row},High St 9,5\n{row + 1}x,"",6\n{row + 2},"a ""b"" c d ""e""",7\n'), got.err)
        check("t.csv: text stands behind closing quotes" in got.err, got.err)
    # The same in a dialect that is rewritten before it is read.
    write(folder / "t.csv", (folder / "t.csv").read_text().replace(",", ";;"))
    got = one(folder, "SELECT count(*), min(n) FROM t")
    equal((got.status, got.out), (0, f"count,min\n{row + 2001},0\n"), got.err)
    check("text stands behind closing quotes" in got.err, got.err)


def test_quotes_that_swallow_lines(folder):
    """Nobody can say how many rows they are."""
    for line in ('{},"Main St,5\n', '{},High St,"5\n'):
        row = late_lines(folder, [line])
        for options in WAYS:
            got = one(folder, "SELECT count(*) FROM t", *options)
            equal((got.status, got.out), (DATA, ""), got.err)
            check(f"t.csv:{row + 2}: a quote opens a field here that ends in another line with text behind it" in got.err, got.err)
    write(folder / "t.csv", "id,n\n" + "1,2\n" * 30000 + '3,"4\n' + "5,6\n" * 1000)
    for options in WAYS:
        got = one(folder, "SELECT count(*) FROM t", *options)
        equal((got.status, got.out), (DATA, ""), got.err)
        check("t.csv:30002: a quote opens a field here that is never closed" in got.err and "--quote none" in got.err, got.err)
    equal(one(folder, "SELECT count(*) FROM t", "--quote", "none").out, "count\n31001\n")
    # Nothing is lost where the last line is cut off.
    write(folder / "u.csv", "id,name\n" + '1,"Bern, BE"\n' * 30000 + '3,"Oslo, a')
    got = one(folder, "SELECT count(*), max(name) FROM u")
    equal((got.status, got.out), (0, 'count,max\n30001,"Oslo, a"\n'), got.err)
    check("its last quote is not closed" in got.err, got.err)
    schema = write(folder / "s.sql", "CREATE TABLE t (id int, n int) WITH (files = 't.csv')")
    got = one(folder, "SELECT count(*) FROM t", "--schema", schema)
    equal((got.status, got.out), (0, "count\n30000\n"), got.err)
    check("quoted field is not closed" in got.err, got.err)


def test_what_is_never_guessed(folder):
    write(folder / "t.csv", "a;b\n01/02/2024;x\n03/04/2024;y\n")
    got = one(folder, "SELECT max(a) FROM t")
    equal(got.out, "max\n03/04/2024\n")
    check("DD/MM or MM/DD" in got.err and "date_format" in got.err, got.err)
    equal(one(folder, "SELECT max(b) FROM t").err, "")
    equal(one(folder, "SELECT max(a) FROM t", "--date-format", "DD/MM/YYYY").out, "max\n2024-04-03\n")
    equal(one(folder, "SELECT max(a) FROM t", "--date-format", "MM/DD/YYYY").out, "max\n2024-03-04\n")
    write(folder / "t.csv", 'a;b\n"1,234";1\n"5,678";2\n')
    got = one(folder, "SELECT max(a) FROM t")
    equal(got.out, 'max\n"5,678"\n')
    check("thousands" in got.err, got.err)
    equal(one(folder, "SELECT max(a) FROM t", "--thousands", ",").out, "max\n5678\n")
    equal(one(folder, "SELECT max(a) FROM t", "--decimal", ",").out, "max\n5.678\n")


main(globals())
