#!/usr/bin/env python3
"""What decides how a file is read, said in every place where it can be said: the command line, WITH (...) of a schema
and read_csv() of a query give the same rows."""

import gzip

from harness import DATA, SQL, USAGE, check, equal, fails, main, tamiz, write

# Options, the text, what it says to who does as they say, and what is found without them (None: it is refused).
CASES = [
    ("a delimiter", {"delimiter": ";"}, "a;b,c\n1;2,5\n3;4,5\n", "a,\"b,c\"\n1,\"2,5\"\n3,\"4,5\"\n"),
    ("a delimiter of two characters", {"delimiter": "::"}, "a::b\n1::x:y\n2::z\n", "a,b\n1,x:y\n2,z\n"),
    ("a delimiter with a space", {"delimiter": ", "}, "a, b\n1, x\n2, y\n", "a,b\n1,x\n2,y\n"),
    ("spaces", {"delimiter": "  "}, "a b\n1   x\n2 \n 3 y\n", "a,b\n1,x\n2,\n3,y\n"),
    ("a tab", {"delimiter": "\\t"}, "a\tb\n1\tx\n2\ty\n", "a,b\n1,x\n2,y\n"),
    ("no delimiter", {"delimiter": "none"}, "a\n1,5\n2,5\n", "a\n\"1,5\"\n\"2,5\"\n"),
    ("a quote", {"quote": "'"}, "a,b\n1,'x, y'\n2,'it''s'\n", "a,b\n1,\"x, y\"\n2,it's\n"),
    ("another quote", {"quote": "~"}, "a,b\n1,~x, y~\n2,~z~\n", "a,b\n1,\"x, y\"\n2,z\n"),
    ("no quote", {"quote": "none"}, 'a,b\n1,"x\n2,y"\n', 'a,b\n1,"""x"\n2,"y"""\n'),
    ("an escape", {"escape": "\\"}, 'a,b\n1,"x \\"y\\""\n2,z\n', 'a,b\n1,"x ""y"""\n2,z\n'),
    ("no header", {"header": "none"}, "a,b\n1,2\n", "column_1,column_2\n1,2\na,b\n"),
    ("one row of names", {"header": "1"}, "a,b\n1,2\n", "a,b\n1,2\n"),
    ("two rows of names", {"header": "2"}, "a,b\nx,y\n1,2\n", "a x,b y\n1,2\n"),
    ("whatever header is found", {"header": "auto"}, "a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4\n"),
    ("lines before", {"skip": "2"}, "1,1\n2,2\na,b\n3,4\n", "a,b\n3,4\n"),
    ("comments", {"comment": "*"}, "* made today\na,b\n1,2\n*,5\n3,4\n", "a,b\n1,2\n3,4\n"),
    ("rows behind", {"footer": "2"}, "a,b\n1,2\n3,4\n5,6\n", "a,b\n1,2\n"),
    ("an encoding", {"encoding": "ISO-8859-7"}, "a,b\n1,αβγ\n2,δ\n".encode("iso-8859-7"), "a,b\n1,αβγ\n2,δ\n"),
    ("a Japanese encoding", {"encoding": "SHIFT_JIS"}, "a,b\n1,日本\n2,表\n".encode("shift_jis"), "a,b\n1,日本\n2,表\n"),
    ("words for NULL", {"null": "nil,?,"}, "a,b\n1,nil\n?,2\n3,\n", "a,b\n1,\n3,\n,2\n"),
    ("short rows", {"ragged": "pad"}, "a,b\n1\n2,3\n3,4\n", "a,b\n1,\n2,3\n3,4\n"),
    ("long rows", {"ragged": "cut", "header": "1"}, "a,b\n1,2,9\n2,3\n3,4\n", "a,b\n1,2\n2,3\n3,4\n"),
    ("no other rows", {"ragged": "reject", "header": "1"}, "a,b\n" + "1,2\n" * 20 + "3\n", "a,b\n" + "1,2\n" * 20),
]
# What is said of values shows where something is made of them.
VALUES = [
    ("a decimal comma", {"decimal": ","}, "a;b\n1,234;1\n2,5;2\n", "sum(a) AS s", "s\n3.734\n"),
    ("thousands", {"thousands": ","}, 'a,b\n"1,234",1\n"2,500",2\n', "sum(a) AS s", "s\n3734\n"),
    ("both", {"decimal": ",", "thousands": "."}, "a;b\n1.234,5;1\n2.000;2\n", "sum(a) AS s", "s\n3234.5\n"),
    ("dates", {"date_format": "MM/DD/YYYY"}, "a,b\n01/02/2024,1\n03/04/2024,2\n", "max(a) AS m", "m\n2024-03-04\n"),
    ("days first", {"date_format": "DD/MM/YYYY"}, "a,b\n01/02/2024,1\n03/04/2024,2\n", "max(a) AS m", "m\n2024-04-03\n"),
    ("short years", {"date_format": "DD.MM.YY"}, "a,b\n01.02.24,1\n03.04.24,2\n", "max(a) AS m", "m\n2024-04-03\n"),
]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def everywhere(folder, options, columns="*", order=" ORDER BY 1"):
    """The answer by each of the ways to say the options."""
    with_options = ", ".join(["files = 't.csv'", *(f"{name} = {quoted(value)}" for name, value in options.items())])
    arguments = ", ".join(["'t.csv'", *(f"{name} => {quoted(value)}" for name, value in options.items())])
    line = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    schema = write(folder / "s.sql", f"CREATE TABLE t () WITH ({with_options});")
    ask = ["sql", "--data", folder, "-f", "csv", "-q", "-c"]
    yield "the command line", tamiz(*ask, f"SELECT {columns} FROM t{order}", *line)
    yield "a schema", tamiz(*ask, f"SELECT {columns} FROM t{order}", "--schema", schema)
    yield "read_csv()", tamiz(*ask, f"SELECT {columns} FROM read_csv({arguments}) AS t{order}")


def test_every_option_in_every_place(folder):
    for name, options, text, wanted in CASES:
        write(folder / "t.csv", text)
        for place, got in everywhere(folder, options):
            equal((got.status, got.out), (0, wanted), f"{name}, by {place}: {got.err}")


def test_values_in_every_place(folder):
    for name, options, text, columns, wanted in VALUES:
        write(folder / "t.csv", text)
        for place, got in everywhere(folder, options, columns, ""):
            equal((got.status, got.out), (0, wanted), f"{name}, by {place}: {got.err}")


def test_options_of_packed_files(folder):
    write(folder / "t.csv.gz", gzip.compress("x\n\na~b\n1~'2~3'\nend\n".encode("utf-16")))
    options = ["--skip", "2", "--delimiter", "~", "--quote", "'", "--footer", "1", "--header", "1"]
    got = tamiz("sql", "--data", folder, "-f", "csv", "-q", "-c", "SELECT * FROM t", *options)
    equal((got.status, got.out), (0, "a,b\n1,2~3\n"), got.err)


def test_columns_in_every_place(folder):
    write(folder / "a.csv", "id,n\n1,2\n")
    write(folder / "b.csv", "id,m\n3,4\n")
    for value, status in (("union", 0), ("strict", DATA)):
        query = f"SELECT count(*) AS n FROM read_csv('[ab].csv', columns => '{value}')"
        equal(tamiz("sql", "--data", folder, "-f", "csv", "-q", "-c", query).status, status, value)
        schema = write(folder / "s.sql", f"CREATE TABLE t () WITH (files = '[ab].csv', columns = {value});")
        equal(tamiz("sql", "--data", folder, "--schema", schema, "-q", "-c", "SELECT count(*) FROM t").status, status, value)
        query = "SELECT count(*) AS n FROM '[ab].csv'"
        equal(tamiz("sql", "--data", folder, "--columns", value, "-q", "-c", query).status, status, value)


def test_what_is_no_value(folder):
    write(folder / "t.csv", "a\n1\n")
    refused = (SQL, USAGE, DATA)
    for option, value in (("quote", "ab"), ("escape", "ab"), ("header", "many"), ("skip", "-1"), ("footer", "x"),
                          ("ragged", "no"), ("columns", "both"), ("decimal", "ab"), ("thousands", "ab"),
                          ("date_format", "DD"), ("encoding", "nothing-such")):
        line = [f"--{option.replace('_', '-')}", value]
        got = tamiz("sql", "--data", folder, "-c", "SELECT * FROM t", *line)
        check(got.status in refused and got.out == "" and got.err, f"{option}: {got.status} {got.err}")
        query = f"SELECT * FROM read_csv('t.csv', {option} => {quoted(value)})"
        got = tamiz("sql", "--data", folder, "-c", query)
        check(got.status in refused and got.out == "" and got.err, f"{option}: {got.status} {got.err}")
        schema = write(folder / "s.sql", f"CREATE TABLE t () WITH (files = 't.csv', {option} = {quoted(value)});")
        got = tamiz("sql", "--data", folder, "-c", "SELECT * FROM t", "--schema", schema)
        check(got.status in refused and got.out == "" and got.err, f"{option}: {got.status} {got.err}")
    fails(USAGE, "--delimeter", args=["sql", "--data", folder, "-c", "SELECT 1", "--delimeter", ";"])


main(globals())
