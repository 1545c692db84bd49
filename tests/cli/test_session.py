"""Several statements in one call: what each does, what they keep for each other, how they fail."""

import json

from harness import EVAL, FAILED, SQL, USAGE, answers, check, equal, fails, main, tamiz

SALES = """id,day,store,amount,note
1,2024-01-03,Oslo,12.50,first
2,2024-01-04,Bergen,7.00,
3,2024-02-11,Oslo,100.25,"with, comma"
4,2024-02-12,Łódź,3.10,"quote "" here"
"""


def data(folder):
    (folder / "sales.csv").write_text(SALES)
    (folder / "stores.csv").write_text("name,country\nOslo,NO\nBergen,NO\n")
    return folder


def csv(folder, *statements, **options):
    words = [word for statement in statements for word in ("-c", statement)]
    return answers("sql", "-q", "-f", "csv", *words, cwd=folder, **options)


def test_statements(folder):
    data(folder)
    equal(csv(folder, "SELECT 1 AS a; SELECT 'x;y' AS b -- ; none\n; /* ; */;"), 'a\n1\nb\nx;y\n')
    equal(csv(folder, "SELECT 1 AS a", "SELECT 2 AS b;"), "a\n1\nb\n2\n")
    equal(answers("sql", "-f", "csv", "-", cwd=folder, stdin=b"SELECT 1 AS a;\nSELECT $x$;$x$ AS b"), "a\n1\nb\n;\n")
    (folder / "script.sql").write_text("SELECT E'\\';' AS a;\nSELECT \"id\" FROM sales WHERE id = 1;\n")
    equal(answers("sql", "-f", "csv", "script.sql", cwd=folder), "a\n';\nid\n1\n")


def test_the_first_error_ends_it(folder):
    data(folder)
    got = tamiz("sql", "-f", "csv", "-c", "SELECT 1 AS a;\n\n SELECT x FROM sales; SELECT 3", cwd=folder)
    equal((got.status, got.out), (SQL, "a\n1\n"))
    check(got.err.startswith('tamiz: line 3, column 9: column "x" does not exist'), got.err)
    got = tamiz("sql", "-c", "SELECT 1/0; SELECT 2", cwd=folder)
    equal((got.status, got.out), (EVAL, ""))
    fails(SQL, "there is no query", args=["sql", "-c", " -- nothing"], cwd=folder)
    fails(SQL, "not supported", args=["sql", "-c", "DELETE FROM sales"], cwd=folder)
    fails(SQL, "files are tables already", args=["sql", "-c", "COPY sales FROM 'x.csv'"], cwd=folder)


def test_variables(folder):
    data(folder)
    words = ["-v", "least=7", "-v", "city=O'slo", "-v", "column=amount"]
    query = "SELECT :'city' AS a, ':city' AS b, '2024-01-01'::date AS c, id AS \"i:least\" FROM sales WHERE :\"column\" > :least"
    got = answers("sql", "-q", "-f", "csv", *words, "-c", query + " ORDER BY id LIMIT 1", cwd=folder)
    equal(got, "a,b,c,i:least\nO'slo,:city,2024-01-01,1\n")
    fails(SQL, "syntax error", args=["sql", "-c", "SELECT :nobody"], cwd=folder)
    fails(USAGE, "name and a value", args=["sql", "-v", "x", "-c", "SELECT 1"], cwd=folder)
    fails(USAGE, "no name", args=["sql", "-v", "a b=1", "-c", "SELECT 1"], cwd=folder)


def test_views(folder):
    data(folder)
    made = "CREATE VIEW big AS SELECT store, amount FROM sales WHERE amount > 5;"
    equal(csv(folder, made + "SELECT store, count(*) FROM big GROUP BY 1 ORDER BY 1"), "store,count\nBergen,1\nOslo,2\n")
    named = "CREATE VIEW v (place) AS SELECT store FROM big; SELECT DISTINCT place FROM v ORDER BY 1"
    equal(csv(folder, made + named), "place\nBergen\nOslo\n")
    equal(csv(folder, made + "WITH big AS (SELECT 1 AS x) SELECT * FROM big"), "x\n1\n")
    equal(csv(folder, made + "CREATE OR REPLACE VIEW big AS SELECT 2 AS x; TABLE big"), "x\n2\n")
    equal(csv(folder, "CREATE VIEW f AS SELECT count(*) AS n FROM 'stores.csv'; TABLE f"), "n\n2\n")
    for text, part in [
        ("CREATE VIEW big AS SELECT 1", '"big" already exists'),
        ("CREATE VIEW sales AS SELECT 1", '"sales" already exists'),
        ("CREATE VIEW w AS SELECT nothing FROM big", 'column "nothing" does not exist'),
        ("DROP VIEW nobody", 'view "nobody" does not exist'),
        ("CREATE VIEW w AS TABLE big; DROP VIEW big", 'the view "w" depends on it'),
        ("DROP VIEW big; TABLE big", 'table "big" does not exist'),
    ]:
        fails(SQL, part, args=["sql", "-c", made + text], cwd=folder)


# Every type, with and without NULLs.
TYPES = """SELECT i, i > 3 AS b, i::smallint AS si, i * 3000000000 AS big, i / 7.0 AS num, i::numeric(6,2) AS fixed,
    CASE WHEN i % 5 = 0 THEN 'NaN'::numeric ELSE 10::numeric ^ (i % 40) END AS long, sqrt(i::float8) AS dbl,
    (i / 3.0)::real AS rl, nullif('t' || i % 17, 't3') AS t, date '2024-01-01' + i AS d, time '10:00' + i * interval '1 s' AS tm,
    timestamp '2024-01-01' + i * interval '1 hour' AS ts, i * interval '1 day 2 hours' AS iv,
    CASE WHEN i % 4 > 0 THEN ARRAY['a', NULL, 'c' || i] END AS list, NULL AS nothing
    FROM generate_series(1, 5000) AS g(i)"""


def test_tables_in_memory(folder):
    data(folder)
    whole = csv(folder, TYPES)
    for threads in ("1", "4"):
        got = answers("sql", "-f", "csv", "-t", threads, "-c", f"CREATE TEMP TABLE t AS {TYPES}; TABLE t", cwd=folder)
        check(got == whole, f"{threads} threads: another table came back")
    described = csv(folder, f"CREATE TABLE t AS {TYPES}; DESCRIBE t")
    equal(described, csv(folder, f"DESCRIBE {TYPES}"))
    check("fixed,\"numeric(6,2)\"\n" in described and "ts,timestamp\n" in described, described)
    made = "CREATE TABLE t (n, s) AS SELECT amount, store FROM sales;"
    equal(csv(folder, made + "SELECT country, sum(n) FROM t JOIN stores ON s = name GROUP BY 1"), "country,sum\nNO,119.75\n")
    equal(csv(folder, made + "CREATE TABLE IF NOT EXISTS t AS SELECT 1; SELECT count(*) FROM t"), "count\n4\n")
    equal(csv(folder, "CREATE TABLE e AS SELECT * FROM sales WITH NO DATA; SELECT count(*) FROM e"), "count\n0\n")
    equal(csv(folder, made + "DROP TABLE t; CREATE TABLE t AS SELECT 5 AS x; TABLE t; DROP TABLE IF EXISTS nobody"), "x\n5\n")
    for text, part in [
        (made + made, '"t" already exists'),
        ("CREATE TABLE t AS SELECT 1 AS a, 2 AS a", 'column "a" specified more than once'),
        ("CREATE TABLE t (a, b) AS SELECT 1", "too many column names"),
        ("DROP TABLE nobody", 'table "nobody" does not exist'),
        (made + "SELECT _line FROM t", 'column "_line" does not exist'),
    ]:
        fails(SQL, part, args=["sql", "-c", text], cwd=folder)


def test_a_wrong_guess_in_a_table(folder):
    rows = "".join(f"{i}\n" for i in range(60000))
    (folder / "t.csv").write_text("x\n" + rows + "many\n" + rows)
    got = tamiz("sql", "-f", "csv", "-c", "CREATE TABLE k AS SELECT x FROM t; SELECT max(x), count(*) FROM k; DESCRIBE k", cwd=folder)
    equal((got.status, got.out), (0, "max,count\nmany,120001\ncolumn,type\nx,text\n"), got.err)


def test_tables_over_files(folder):
    data(folder)
    (folder / "odd.dat").write_text("1|a\n2|b\n")
    made = "CREATE TABLE odd (n int, t text) WITH (files = 'odd.dat', delimiter = '|', header = 'none');"
    equal(csv(folder, made + "SELECT sum(n) FROM odd; DESCRIBE odd"), "sum\n3\ncolumn,type\nn,integer\nt,text\n")
    fails(SQL, '"sales" already exists', args=["sql", "-c", "CREATE TABLE sales (n int) WITH (files = 'x.csv')"], cwd=folder)


def test_copy(folder):
    data(folder)
    csv(folder, "COPY (SELECT store, amount FROM sales WHERE id < 3 ORDER BY id) TO 'out.json' (FORMAT json); COPY stores TO 'all.tsv'")
    equal(json.loads((folder / "out.json").read_text()), [{"store": "Oslo", "amount": 12.5}, {"store": "Bergen", "amount": 7}])
    equal((folder / "all.tsv").read_text(), "name\tcountry\nOslo\tNO\nBergen\tNO\n")
    csv(folder, "COPY (SELECT note FROM sales WHERE id = 2) TO 'n.csv' (FORMAT csv, HEADER false, NULL 'none')")
    equal((folder / "n.csv").read_text(), "none\n")
    equal(answers("sql", "-c", "COPY stores(country) TO STDOUT", cwd=folder), "country\nNO\nNO\n")
    fails(SQL, "FORMAT, HEADER and NULL", args=["sql", "-c", "COPY stores TO 'x.csv' (FREEZE)"], cwd=folder)
    fails(SQL, 'no format "parquet"', args=["sql", "-c", "COPY stores TO 'x' (FORMAT parquet)"], cwd=folder)
    fails(FAILED, "no/x.csv", args=["sql", "-c", "COPY stores TO 'no/x.csv'"], cwd=folder)


def test_settings(folder):
    data(folder)
    got = answers("sql", "-c", "SET format = csv; SET null_text TO 'none'; SELECT note FROM sales WHERE id = 2; SHOW format; RESET ALL; SHOW null_text", cwd=folder)
    check(got.startswith("note\nnone\nformat\ncsv\n┌"), got)
    check("threads,3," in csv(folder, "SET threads = 3; SHOW ALL"), "SHOW ALL")
    timed = tamiz("sql", "-c", "SET timing = on; SELECT 1", cwd=folder)
    check(timed.status == 0 and "Time: " in timed.err, timed.err)
    for text, part in [
        ("SET thread = 3", 'did you mean "threads"'),
        ("SET threads = 0", "threads 0: must be between 1"),
        ("SET format = 'xml'", "choose one of"),
        ("SET strict = maybe", "on or off"),
        ("SHOW nobody", "there is no setting"),
    ]:
        fails(SQL, part, args=["sql", "-c", text], cwd=folder)


def test_looking_around(folder):
    data(folder)
    shown = csv(folder, "CREATE VIEW v AS SELECT 1 AS one; CREATE TABLE k AS SELECT 1 AS x; SHOW TABLES")
    rows = [line.split(",")[:3] for line in shown.splitlines()[1:]]
    equal(rows, [["sales", "files", "5"], ["stores", "files", "2"], ["k", "temporary", "1"], ["v", "view", ""]])
    equal(csv(folder, "DESCRIBE sales"), csv(folder, "DESCRIBE 'sales.csv'"))
    equal(csv(folder, "DESCRIBE SELECT count(*), 'x' AS y"), "column,type\ncount,bigint\ny,text\n")
    names = "SELECT table_name, table_type FROM information_schema.tables ORDER BY 1"
    equal(csv(folder, "CREATE VIEW v AS SELECT 1 AS one; " + names), "table_name,table_type\nsales,BASE TABLE\nstores,BASE TABLE\nv,VIEW\n")
    columns = "SELECT column_name, data_type, numeric_scale FROM information_schema.columns WHERE table_name = 'v' ORDER BY ordinal_position"
    made = "CREATE VIEW v AS SELECT 1.5::numeric(4,2) AS a, day + time '01:00' AS b FROM sales;"
    equal(csv(folder, made + columns), "column_name,data_type,numeric_scale\na,numeric,2\nb,timestamp without time zone,\n")
    explained = answers("sql", "-c", "EXPLAIN SELECT count(*) FROM sales", cwd=folder)
    check("scan sales" in explained, explained)
    fails(SQL, 'table "nobody" does not exist', args=["sql", "-c", "DESCRIBE nobody"], cwd=folder)


def test_summaries(folder):
    data(folder)
    got = csv(folder, "SUMMARIZE sales")
    equal(
        got,
        "column,type,rows,nulls,distinct,least,greatest,mean,q25,median,q75,most_frequent,exact\n"
        "id,bigint,4,0,4,1,4,2.500000,1,2,3,1,t\n"
        "day,date,4,0,4,2024-01-03,2024-02-12,,2024-01-03,2024-01-04,2024-02-11,2024-01-03,t\n"
        "store,text,4,0,3,Bergen,Łódź,,,,,Oslo,t\n"
        "amount,numeric,4,0,4,3.10,100.25,30.712500,3.10,7.00,12.50,3.10,t\n"
        'note,text,4,1,3,first,"with, comma",,,,,first,t\n',
    )
    equal(csv(folder, "SUMMARIZE 'sales.csv'; "), got)
    equal(csv(folder, "SUMMARIZE SELECT true AS x, 1 AS x -- twice").splitlines()[1:], ["x,boolean,1,0,1,,,,,,,true,t", "x,integer,1,0,1,1,1,1.000000,1,1,1,1,t"])
    fails(SQL, "line 1, column 18", 'column "nothing" does not exist', args=["sql", "-c", "SUMMARIZE SELECT nothing"], cwd=folder)


def test_summaries_of_many_values(folder):
    """More different values than are kept: the same for any number of threads, and near to what is so."""
    count = 40000
    lines = [f"{i},x{i},{i % 7},{i}.5,2024-01-01 00:{i // 60 % 60:02}:{i % 60:02},{i} days,{'' if i % 2 else i}" for i in range(count)]
    (folder / "t.csv").write_text("id,name,few,price,at,span,half\n" + "\n".join(lines) + "\n")
    query = "SUMMARIZE SELECT id, name, few, price, at, span::interval AS span, half, id::double precision / 3 AS third FROM t"
    got = {row["column"]: row for row in map(json.loads, answers("sql", "-q", "-f", "jsonl", "-c", query, cwd=folder).splitlines())}
    for threads, chunk in [("1", "1M"), ("4", "2K")]:
        again = answers("sql", "-q", "-f", "jsonl", "--threads", threads, "--chunk-size", chunk, "-c", query, cwd=folder)
        equal({row["column"]: row for row in map(json.loads, again.splitlines())}, got)
    for name in ["id", "name", "price", "third"]:
        check(not got[name]["exact"] and got[name]["most_frequent"] is None, got[name])
        check(abs(got[name]["distinct"] / count - 1) < 0.03, got[name])
    for name in ["few", "at", "span", "half"]:
        check(got[name]["exact"], got[name])
    equal((got["few"]["distinct"], got["at"]["distinct"], got["half"]["distinct"], got["span"]["distinct"]), (7, 3600, count // 2, count))
    for name, scale in [("id", 1), ("price", 1), ("third", 3)]:
        for quartile, share in [("q25", 0.25), ("median", 0.5), ("q75", 0.75)]:
            check(abs(float(got[name][quartile]) * scale / count - share) < 0.001, got[name])
    equal((got["half"]["nulls"], got["half"]["median"], got["id"]["mean"]), (count // 2, "19998", "19999.500000"))


def test_one_result_for_a_file(folder):
    data(folder)
    answers("sql", "-o", "x.csv", "-c", "CREATE TABLE k AS SELECT 1 AS a; SELECT * FROM k", cwd=folder)
    equal((folder / "x.csv").read_text(), "a\n1\n")
    fails(USAGE, "has a result already", args=["sql", "-o", "x.csv", "-c", "SELECT 1; SELECT 2"], cwd=folder)


main(globals())
