"""Help, mistakes on the command line, packs, and where queries come from."""

from harness import SQL, USAGE, answers, check, equal, fails, main, tamiz, write

COMMANDS = ["run", "sql", "explain", "gen", "packs"]


def test_help(folder):
    overview = answers("--help")
    for command in COMMANDS:
        check(f"\n  {command} " in overview, command)
        text = answers(command, "--help")
        check(text.startswith(f"usage: tamiz {command}"), text)
        check(answers("help", command).startswith(text), command)
        check(all(len(line) <= 100 for line in text.splitlines()), "lines are short")
    equal(answers("help"), overview)
    check(answers("--version").startswith("tamiz "), "version")


def test_mistyped_commands(folder):
    bare = tamiz()
    check(bare.status == USAGE and bare.out.startswith("usage: tamiz") and not bare.err, bare.err)
    fails(USAGE, 'did you mean "explain"?', args=["explian"])
    fails(USAGE, "tamiz --help", args=["locomotive"])
    fails(USAGE, "did you mean --threads?", args=["run", "coffee", "--tread", "2"])
    fails(USAGE, "tamiz run needs PACK", args=["run"])
    fails(USAGE, "--data PATH", args=["run", "coffee"])
    fails(USAGE, "table, box, ascii, csv, tsv, json, jsonl, md", args=["sql", "-c", "select 1", "--format", "xml"])
    fails(USAGE, "between 1 and 256", args=["sql", "-c", "select 1", "--threads", "0"])
    fails(USAGE, 'unexpected "b"', args=["packs", "b"])


def test_places_and_statements(folder):
    """`tamiz` with a folder, however it is spelt, and statements on the standard input."""
    write(folder / "sales" / "orders.csv", "id,amount\n1,2\n2,5\n")
    asked = "SELECT sum(amount) AS s FROM orders"
    for place in ("sales", "sales/", folder / "sales", "sales/orders.csv"):
        told = tamiz(place, "-c", asked, "-f", "csv", "-q", cwd=folder)
        equal((told.status, told.out, told.err), (0, "s\n7\n", ""))
    told = tamiz("sales", "-f", "csv", "-q", cwd=folder, stdin=f"{asked};\n".encode())
    equal((told.status, told.out), (0, "s\n7\n"))
    told = tamiz(cwd=folder / "sales", stdin=b"SELECT 1 AS one;\n")
    check(told.status == 0 and "one" in told.out and "usage" not in told.out, told.out)
    write(folder / "jobs" / "orders.csv", "id\n1\n")
    fails(USAGE, "--server", args=["jobs"], cwd=folder)


def test_thousands_of_alternatives(folder):
    """As programs write conditions: what is in one alternative is not looked for in those before it."""
    write(folder / "t.csv", "id,name\n" + "".join(f"{i},n{i % 7}\n" for i in range(100)))
    alternatives = [f"(id = {i} AND name = 'n{i % 7}')" for i in range(0, 20000, 2)]
    cases = [f"WHEN id = {i} AND name <> 'n' THEN '{i}'" for i in range(1, 20000, 2)]
    write(folder / "or.sql", "SELECT count(*) AS n FROM t WHERE " + " OR ".join(alternatives))
    write(folder / "case.sql", "SELECT count(CASE " + " ".join(cases) + " END) AS n FROM t")
    for query in ("or.sql", "case.sql"):
        equal(answers("sql", "--data", folder, folder / query, "-f", "csv", "-q"), "n\n50\n")


def test_packs(folder):
    listing = answers("packs")
    check("coffee\n  q1    Transactions of 2024" in listing, listing)
    for pack in ("books", "coffee", "h2o", "movies", "trade", "web"):
        check(f"{pack}\n  q1    " in listing, listing)
    fails(USAGE, 'did you mean "coffee"?', args=["run", "cofee", "--data", folder])
    fails(USAGE, "tamiz packs", args=["run", "zebra", "--data", folder])
    fails(USAGE, 'no query "q9"', "q2a", args=["run", "coffee", "--data", folder, "--query", "q9"])


def test_a_folder_is_a_pack(folder):
    pack = folder / "pack"
    write(pack / "schema.sql", "CREATE TABLE t (a bigint) WITH (files = 't.csv');")
    write(pack / "queries" / "q10.sql", "SELECT max(a) AS m FROM t")
    write(pack / "queries" / "q2.sql", "-- The least one  \n-- and more\nSELECT min(a) AS m FROM t;\n")
    write(pack / "queries" / "notes.txt", "not a query")
    write(folder / "data" / "t.csv", "a\n2\n1\n3\n")
    result = tamiz("run", pack, "--data", folder / "data", "--quiet")
    equal((result.status, result.err), (0, ""))
    check(result.out.startswith("q2: The least one\n┌"), result.out)
    check("\n\nq10\n┌" in result.out, result.out)
    text = answers("run", pack, "--data", folder / "data", "--format", "csv", "--quiet")
    equal(text, "# q2\nm\n1\n\n# q10\nm\n3\n")
    text = answers("run", pack, "--data", folder / "data", "--format", "csv", "-q", "--query", "q10")
    equal(text, "m\n3\n")


def test_broken_packs(folder):
    fails(USAGE, "schema.sql", args=["run", folder, "--data", folder])
    (folder / "empty" / "queries").mkdir(parents=True)
    write(folder / "empty" / "schema.sql", "CREATE TABLE t (a bigint) WITH (files = 't.csv')")
    fails(USAGE, "no .sql files", args=["run", folder / "empty", "--data", folder])
    file = write(folder / "file", "x")
    fails(USAGE, "a pack is a folder", args=["run", file, "--data", folder])
    write(folder / "pack" / "schema.sql", "CREATE TABEL t (a bigint)")
    write(folder / "pack" / "queries" / "q1.sql", "SELECT 1")
    fails(USAGE, "schema.sql", args=["run", folder / "pack", "--data", folder])
    write(folder / "pack" / "schema.sql", "CREATE TABLE t (a bigint) WITH (files = 't.csv')")
    write(folder / "pack" / "queries" / "q1.sql", "SELECT b FROM t")
    write(folder / "t.csv", "a\n1\n")
    fails(SQL, "q1", '"b"', args=["run", folder / "pack", "--data", folder])
    write(folder / "pack" / "queries" / "q1.sql", b"SELECT 1\0")
    fails(USAGE, "not a text file", args=["run", folder / "pack", "--data", folder])


def test_where_a_query_comes_from(folder):
    write(folder / "t.csv", "a,b\n1,x\n2,y\n")
    query = "SELECT a FROM t WHERE b = 'y'"
    expected = "a\n2\n"
    file = write(folder / "q.sql", query + ";\n")
    equal(answers("sql", "--data", folder, "-c", query, "-f", "csv"), expected)
    equal(answers("sql", "--data", folder, file, "-f", "csv"), expected)
    equal(answers("sql", "--data", folder, "-", "-f", "csv", stdin=query.encode()), expected)
    equal(answers("sql", "-c", query, "-f", "csv", cwd=folder), expected)
    equal(answers("-c", query, "-f", "csv", cwd=folder), expected)
    equal(answers("./t.csv", "-c", "SELECT 1 AS a", "-c", query, "-f", "csv", cwd=folder), "a\n1\n" + expected)
    fails(USAGE, 'there is no file or folder "missing.csv"', args=["missing.csv", "-c", query], cwd=folder)
    fails(USAGE, "give the query once", args=["sql", file, "-c", query], cwd=folder)
    fails(USAGE, "needs a query", args=["sql"], cwd=folder)
    fails(USAGE, "use -c", args=["sql", query], cwd=folder)
    fails(USAGE, "missing.sql", args=["sql", "missing.sql"], cwd=folder)


def test_explain(folder):
    write(folder / "t.csv", "a,b\n1,x\n2,y\n")
    text = answers("explain", "coffee")
    check("q4" in text, text)
    check("t" in answers("explain", "-c", "SELECT max(a) FROM t", "--data", folder), "a query")
    only = answers("explain", "coffee", "--query", "q1")
    check(len(only) < len(text), only)
    fails(USAGE, "needs a pack", args=["explain"])
    fails(USAGE, "not both", args=["explain", "coffee", "-c", "SELECT 1"])
    fails(SQL, args=["explain", "-c", "FROM FROM", "--data", folder])


def test_schema_of_a_pack(folder):
    write(folder / "stores" / "stores.csv", "store_id,store_name,street,postal_code,city,state,latitude,"
          "longitude\n7,Here,There,00501,X,Y,1.5,2.5\n")
    query = "SELECT store_id + 1 AS n, postal_code FROM stores"
    equal(answers("sql", "--schema", "coffee", "-d", folder, "-c", query, "-f", "csv"), "n,postal_code\n8,00501\n")
    fails(USAGE, "nothing.sql", args=["sql", "--schema", "nothing.sql", "-d", folder, "-c", query])


main(globals())
