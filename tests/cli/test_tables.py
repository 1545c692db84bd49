"""Tables of several files: columns united by name, columns from folders, and where a record is from."""

import gzip
import random

from harness import DATA, SQL, USAGE, answers, check, equal, fails, main, tamiz, write


def sql(folder, query, *more):
    return ["sql", "--data", folder, "-f", "csv", "-c", query, *more]


def test_files_are_united_by_name(folder):
    """Missing columns are NULL, the order of columns does not matter, and stderr says so once."""
    write(folder / "t" / "a.csv", "id,name\n1,x\n2,y\n")
    write(folder / "t" / "b.csv", "price,id\n2.50,3\n")
    write(folder / "t" / "c.csv.gz", gzip.compress(b"name,id,price\nz,4,1.25\n"))
    write(folder / "t" / "empty.csv", "")
    for threads in ("1", "2"):
        result = tamiz(*sql(folder, "SELECT * FROM t ORDER BY id", "--threads", threads))
        equal((result.status, result.out), (0, "id,name,price\n1,x,\n2,y,\n3,,2.50\n4,z,1.25\n"), result.err)
        check(result.err.count("\n") == 1 and 't/a.csv has no "price"' in result.err, result.err)
    equal(tamiz(*sql(folder, "SELECT sum(price) AS s FROM t WHERE name IS NULL")).out, "s\n2.50\n")
    # The same columns in another order are nothing to speak of.
    write(folder / "u" / "a.csv", "id,name\n1,x\n")
    write(folder / "u" / "b.csv", "name,id\ny,2\n")
    equal(answers(*sql(folder, "SELECT * FROM u ORDER BY id")), "id,name\n1,x\n2,y\n")


def test_columns_strict(folder):
    write(folder / "t" / "a.csv", "id,name\n1,x\n")
    write(folder / "t" / "b.csv", "id\n2\n")
    fails(DATA, 't/b.csv: no column "name"', args=sql(folder, "SELECT * FROM t", "--columns", "strict"))
    fails(USAGE, "--columns must be union or strict", args=sql(folder, "SELECT 1", "--columns", "loose"))


def test_declared_columns(folder):
    """A schema's columns must be there, unless it says that they may be missing."""
    write(folder / "a.csv", "id,name\n1,x\n")
    write(folder / "b.csv", "id,extra\n2,y\n")
    create = "CREATE TABLE t (id int, name text) WITH (files = '*.csv'%s);"
    write(folder / "strict.sql", create % "")
    write(folder / "union.sql", create % ", columns = union")
    query = "SELECT * FROM t ORDER BY id"
    fails(DATA, 'b.csv: no column "name"', args=sql(folder, query, "--schema", folder / "strict.sql"))
    equal(answers(*sql(folder, query, "--schema", folder / "union.sql")), "id,name\n1,x\n2,\n")
    # Columns that no query reads need not be there.
    equal(answers(*sql(folder, "SELECT id FROM t ORDER BY id", "--schema", folder / "strict.sql")), "id\n1\n2\n")


def test_a_file_without_names_among_others(folder):
    write(folder / "t" / "a.csv", "id,n\n1,2\n3,4\n")
    write(folder / "t" / "b.csv", "5,6\n7,8\n")
    fails(DATA, "t/b.csv seems to have no header", "t/a.csv has one", "--header", args=sql(folder, "SELECT * FROM t"))


def test_files_written_differently(folder):
    """Each file of a table has a dialect of its own."""
    write(folder / "t" / "a.csv", "id,name\n1,x\n2,y\n")
    write(folder / "t" / "b.csv", "A report of last year\n\nid;name\n3;\"a;b\"\n4;José\n5;z\n".encode("cp1252"))
    write(folder / "t" / "c.tsv", "name\tid\nw\t6\nv\t7\n")
    result = tamiz(*sql(folder, "SELECT id, name FROM t ORDER BY id"))
    equal((result.status, result.out), (0, "id,name\n1,x\n2,y\n3,a;b\n4,José\n5,z\n6,w\n7,v\n"), result.err)


def test_a_footer_in_a_later_file(folder):
    """The second file begins like the first one, and is looked at nevertheless."""
    write(folder / "t" / "a.csv", "id,n\n" + "".join(f"{i},{i}\n" for i in range(5000)))
    write(folder / "t" / "b.csv", "id,n\n" + "".join(f"{i},{i}\n" for i in range(5000, 10000)) + "\nTotal: 5000 rows\n")
    result = tamiz(*sql(folder, "SELECT count(*) AS n, sum(n) AS s FROM t"))
    equal((result.status, result.out), (0, f"n,s\n10000,{sum(range(10000))}\n"), result.err)
    write(folder / "u" / "a.csv", "id,n\n1,1\n2,2\n3,3\n")
    write(folder / "u" / "b.csv", "id,n\n4,4\n5,5\n6,6\n\nTotal: 3 rows\n")
    result = tamiz(*sql(folder, "SELECT count(*) AS n, sum(n) AS s FROM u"))
    equal((result.status, result.out), (0, "n,s\n6,21\n"), result.err)


def partitions(folder):
    write(folder / "sales" / "year=2023" / "month=1" / "a.csv", "id,n\n1,10\n")
    write(folder / "sales" / "year=2023" / "month=12" / "a.csv", "id,n\n2,20\n")
    write(folder / "sales" / "year=2024" / "month=1" / "a.csv.gz", gzip.compress(b"n,id\n30,3\n40,4\n"))


def test_folders_give_columns(folder):
    partitions(folder)
    want = "id,n,year,month\n1,10,2023,1\n2,20,2023,12\n3,30,2024,1\n4,40,2024,1\n"
    for table in ("sales", "'sales/*/*/*.csv'", "'sales'", '"sales/year=*/month=*/a.csv"'):
        equal(answers(*sql(folder, f"SELECT * FROM {table} ORDER BY id")), want, table)
    equal(answers(*sql(folder / "sales", "SELECT * FROM sales ORDER BY id")), want)
    equal(answers(*sql(folder, "SELECT sum(n) AS s, year + 1 AS next FROM sales WHERE month = 1 GROUP BY year")),
          "s,next\n10,2024\n70,2025\n")
    equal(answers(*sql(folder / "sales" / "year=2024", "SELECT month, n FROM 'month=1/*.csv' ORDER BY n")),
          "month,n\n1,30\n1,40\n")


def test_values_of_folders(folder):
    """Types are those of all values; %20 is a space; what Hive writes for NULL is NULL."""
    for k, (day, kind) in enumerate([("2024-01-01", "a%20b"), ("2024-01-02", "c"), ("__HIVE_DEFAULT_PARTITION__", "d")]):
        write(folder / "t" / f"day={day}" / f"kind={kind}" / "x.csv", f"id\n{k}\n")
    equal(answers(*sql(folder, "SELECT id, day + 1 AS next, kind FROM t ORDER BY id")),
          "id,next,kind\n0,2024-01-02,a b\n1,2024-01-03,c\n2,,d\n")
    # Six files, of which four are sampled: the fifth has a value that is no number.
    for i, value in enumerate(["1", "2", "3", "4", "x", "5"]):
        write(folder / "u" / f"k={value}" / "x.csv", f"id\n{i}\n")
    equal(answers(*sql(folder, "SELECT max(k) AS k FROM u")), "k\nx\n")
    # The folder counts, and not a column of the same name in the file.
    write(folder / "v" / "k=7" / "x.csv", "id,k\n1,8\n")
    equal(answers(*sql(folder, "SELECT * FROM v")), "id,k\n1,7\n")


def test_declared_folders(folder):
    partitions(folder)
    write(folder / "good.sql", "CREATE TABLE s (n int, year int) WITH (files = 'sales/*/*/*.csv');")
    write(folder / "bad.sql", "CREATE TABLE s (n int, year date) WITH (files = 'sales/*/*/*.csv');")
    equal(answers(*sql(folder, "SELECT year, sum(n) AS n FROM s GROUP BY year", "--schema", folder / "good.sql")),
          "year,n\n2023,30\n2024,70\n")
    fails(DATA, "a.csv", ": the folder year=202", ": not a date", args=sql(folder, "SELECT year FROM s", "--schema", folder / "bad.sql"))


def test_file_and_line(folder):
    """Lines of quoted records, of files with a preamble, for any number of threads and any cut."""
    rows, want, line = [], [], 4
    generator = random.Random(7)
    for i in range(3000):
        text = "a\nb\r\nc" if generator.random() < 0.1 else 'say ""x""' if generator.random() < 0.1 else "plain"
        rows.append(f'{i},"{text}"\n' if text != "plain" else f"{i},{text}\n")
        want.append(f"{i},{line}\n")
        line += rows[-1].count("\n")
        if generator.random() < 0.05:
            rows.append("\n")
            line += 1
    write(folder / "t.csv", "# made by a program\n\nid,text\n" + "".join(rows))
    write(folder / "packed.csv.gz", gzip.compress(("# made by a program\n\nid,text\n" + "".join(rows)).encode()))
    write(folder / "other.csv", "# made by a program\n\nid;text\n" + "".join(row.replace(",", ";") for row in rows))
    for table in ("t", "packed", "other"):
        for threads in ("1", "2"):
            for chunk in ("64", "1000", "256K"):
                result = tamiz(*sql(folder, f"SELECT id, _line FROM {table} ORDER BY id", "--threads", threads, "--chunk-size", chunk))
                equal((result.status, result.out), (0, "id,_line\n" + "".join(want)), result.err)
    suffix = {"t": ".csv", "packed": ".csv.gz", "other": ".csv"}
    for table, end in suffix.items():
        result = tamiz(*sql(folder, f"SELECT DISTINCT _file FROM {table}"))
        equal(result.out, f"_file\n{folder}/{table}{end}\n", result.err)


def test_hidden_columns(folder):
    """They are not among those of *, and a column of the file goes before."""
    write(folder / "t.csv", "a,b\n1,2\n3,4\n")
    write(folder / "own.csv", "_line,_file\n7,x\n")
    equal(answers(*sql(folder, "SELECT * FROM t ORDER BY a")), "a,b\n1,2\n3,4\n")
    equal(answers(*sql(folder, "SELECT t.*, t._line FROM t ORDER BY a")), "a,b,_line\n1,2,2\n3,4,3\n")
    equal(answers(*sql(folder, "SELECT x, y FROM t AS t (x, y) ORDER BY x")), "x,y\n1,2\n3,4\n")
    equal(answers(*sql(folder, "SELECT * FROM t NATURAL JOIN t AS u ORDER BY a")), "a,b\n1,2\n3,4\n")
    equal(answers(*sql(folder, "SELECT * FROM t JOIN t AS u USING (a) ORDER BY a")), "a,b,b\n1,2,2\n3,4,4\n")
    equal(answers(*sql(folder, "SELECT count(*) AS n FROM (SELECT * FROM t) s")), "n\n2\n")
    equal(answers(*sql(folder, "SELECT _line, _file FROM own")), "_line,_file\n7,x\n")
    equal(answers(*sql(folder, "SELECT a FROM t WHERE _line = 3")), "a\n3\n")
    equal(answers(*sql(folder, "SELECT max(_line) AS n FROM t GROUP BY _file")), "n\n3\n")
    fails(SQL, "has 2 columns available but 3", args=sql(folder, "SELECT 1 FROM t AS t (x, y, z)"))
    fails(SQL, '"_line" does not exist', args=sql(folder, "SELECT _line FROM (SELECT * FROM t) s"))
    fails(SQL, "ambiguous", args=sql(folder, "SELECT _line FROM t, own AS o, t AS u"))


def test_names(folder):
    """Empty names and names that stand twice are made up, and stderr says so."""
    write(folder / "t.csv", "a,,a,b,a\n1,2,3,4,5\n6,7,8,9,10\n")
    result = tamiz(*sql(folder, "SELECT * FROM t ORDER BY a"))
    equal((result.status, result.out), (0, "a,column_2,a_1,b,a_2\n1,2,3,4,5\n6,7,8,9,10\n"), result.err)
    check(result.err.count("\n") == 1 and "t.csv: 3 columns have no name of their own" in result.err, result.err)


main(globals())
