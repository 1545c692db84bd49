"""Where data lies and how it is packed and encoded: the same rows, whatever way they came."""

import gzip

from harness import DATA, check, equal, fails, main, tamiz, write

PEOPLE = "id,name\n1,José\n2,Zoë\n3,François\n"


def sql(folder, query, *more):
    return ["sql", "--data", folder, "-f", "csv", "-c", query, *more]


def test_encodings(folder):
    """Text inside is UTF-8, so that 'José' is found whatever the file is written in."""
    for name, encoding in (("plain", "utf-8"), ("mark", "utf-8-sig"), ("wide", "utf-16"), ("windows", "cp1252")):
        write(folder / f"{name}.csv", PEOPLE.encode(encoding))
        write(folder / f"{name}_packed.csv.gz", gzip.compress(PEOPLE.encode(encoding)))
        for table in (name, f"{name}_packed"):
            result = tamiz(*sql(folder, f"SELECT id FROM {table} WHERE name = 'José'"))
            equal((result.status, result.out), (0, "id\n1\n"), table + result.err)
            said = f"{table}.csv" in result.err and "read as Windows-1252" in result.err
            equal(said, name == "windows", result.err)
            equal(result.err.count("\n"), 1 if name == "windows" else 0, result.err)


def test_late_letters(folder):
    """The file begins with more ASCII than is looked at; a line that is no UTF-8 is Windows-1252."""
    rows = [f"{i},name {i}" for i in range(100000)]
    rows[60000] = "60000,José"
    for threads in ("1", "2"):
        for chunk in ("64", "1000", "256K", "8M"):
            write(folder / "t.csv", ("id,name\n" + "\n".join(rows) + "\n").encode("cp1252"))
            result = tamiz(*sql(folder, "SELECT id FROM t WHERE name = 'José'", "--threads", threads, "--chunk-size", chunk))
            equal((result.status, result.out), (0, "id\n60000\n"), result.err)
            check("t.csv: line 60002 is no UTF-8" in result.err, result.err)
    rows[60000] = "60000,\"José, \"\"x\"\"\""
    write(folder / "t.csv", ("id,name\n" + "\n".join(rows) + "\n").encode("cp1252"))
    equal(tamiz(*sql(folder, "SELECT id FROM t WHERE name = 'José, \"x\"'")).out, "id\n60000\n")


def test_mixed(folder):
    """Lines of two programs in one file."""
    rows = [f"{i},José".encode("utf-8" if i % 3 else "cp1252") for i in range(3000)]
    write(folder / "t.csv", b"id,name\n" + b"\n".join(rows) + b"\n")
    result = tamiz(*sql(folder, "SELECT count(*) AS n FROM t WHERE name = 'José'"))
    equal((result.status, result.out), (0, "n\n3000\n"), result.err)
    check("t.csv: line 2 is no UTF-8, and perhaps others" in result.err, result.err)


def test_a_mark_is_a_promise(folder):
    write(folder / "t.csv", PEOPLE.encode("utf-8-sig") + "4,Noël\n".encode("cp1252"))
    fails(DATA, "t.csv: line 5 is not UTF-8", "--encoding", args=sql(folder, "SELECT name FROM t"))


def test_utf16_without_mark(folder):
    write(folder / "t.csv", PEOPLE.encode("utf-16-le"))
    fails(DATA, "t.csv is not a text file", "--encoding utf-16le", args=sql(folder, "SELECT name FROM t"))


main(globals())
