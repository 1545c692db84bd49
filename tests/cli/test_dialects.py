#!/usr/bin/env python3
"""Files as people write them: what is found, what is refused, and the options that decide."""

import resource

from harness import DATA, SANITIZED, USAGE, answers, check, equal, fails, main, tamiz, write

ROWS = [("id", "name", "price", "day"), ("1", "pen", "1.50", "2024-01-02"), ("2", "ink", "12.00", "2024-01-03"),
        ("3", "desk, big", "250.25", "2024-02-29"), ("4", "lamp", "40.10", "2024-12-31")]
CLEAN = "id,name,price,day\n1,pen,1.50,2024-01-02\n2,ink,12.00,2024-01-03\n" \
        '3,"desk, big",250.25,2024-02-29\n4,lamp,40.10,2024-12-31\n'


def written(delimiter=",", quote='"', end="\n", rows=ROWS):
    """The table in a dialect; names are quoted."""
    def field(text):
        return f"{quote}{text}{quote}" if text[0].isalpha() and text not in ROWS[0] else text
    return "".join(delimiter.join(map(field, row)) + end for row in rows)


def everything(folder, *options):
    return tamiz("sql", "--data", folder, "-c", "SELECT * FROM t ORDER BY 1", "-f", "csv", *options)


def test_dialects_are_found(folder):
    for delimiter in (",", ";", "\t", "|", "||", "~|~", "\x1f"):
        for quote in ('"', "'"):
            for end in ("\n", "\r\n", "\r"):
                write(folder / "t.csv", written(delimiter, quote, end))
                got = everything(folder)
                equal((got.status, got.out, got.err), (0, CLEAN, ""), repr((delimiter, quote, end)))


def test_spaces_behind_delimiters(folder):
    write(folder / "t.csv", written(", "))
    equal(everything(folder).out, CLEAN)
    write(folder / "t.csv", "a, b\n1, 2.5\n3, 4.5\n")
    equal(everything(folder).out, "a,b\n1,2.5\n3,4.5\n")


def test_backslashes(folder):
    write(folder / "t.csv", 'id,text\n' + "".join(f'{i},"say \\"{i}\\", then"\n' for i in range(1, 6)))
    equal(everything(folder).out, "id,text\n" + "".join(f'{i},"say ""{i}"", then"\n' for i in range(1, 6)))


def test_around_the_table(folder):
    text = "Sales of the year\n\n" + written() + "\nSource: the shop\n"
    write(folder / "t.csv", text)
    got = everything(folder)
    equal((got.status, got.out), (0, CLEAN))
    check("before the table" in got.err and "behind it" in got.err, got.err)
    equal(everything(folder, "-q").err, "")
    write(folder / "t.csv", "# made by hand\n" + written().replace("2,ink", "# the next ones are new\n2,ink"))
    equal(everything(folder, "-q").out, CLEAN)


def test_no_header(folder):
    write(folder / "t.csv", written(rows=ROWS[1:]))
    equal(everything(folder).out, CLEAN.replace("id,name,price,day", "column_1,column_2,column_3,column_4"))
    schema = write(folder / "s.sql", "CREATE TABLE t (id int, name text, price numeric, day date) WITH (files = 't.csv')")
    equal(everything(folder, "--schema", schema).out, CLEAN)


def test_two_rows_of_names(folder):
    write(folder / "t.csv", "place,size,,\n,north,south,all\nhill,1.5,2.5,4.0\nlake,3.5,4.5,8.0\nwood,2.0,2.5,4.5\n")
    equal(everything(folder).out.splitlines()[0], "place,size north,size south,size all")


def test_rows_below_names_that_are_data(folder):
    """They look odd at the top of the table, but are no part of the names."""
    data = "".join(f"{'OWP'[i % 3]}{'HAR'[i % 3]},{i * 7},{i}.5,0.{i}\n" for i in range(10, 60))
    for top in ("OH,**,**,**\nWA,**,**,**\n", "OH,..,..,..\n"):
        write(folder / "t.csv", "state,jobs,share,quotient\n" + top + data)
        got = everything(folder)
        equal((got.status, got.out.split("\n")[0], got.out.count("\n")),
              (0, "state,jobs,share,quotient", 51 + top.count("\n")), top)
    codes = "".join(f"1{i}-0000,,Group {'ABCDE'[i]}\n" + f",1{i}-1000,Kind {'VWXYZ'[i]}\n" * 3 for i in range(1, 5))
    write(folder / "t.csv", "major,minor,\n10-0000,,Management\n" + codes)
    equal(everything(folder).out.count("\n"), 1 + 1 + 16)
    people = "".join(f"32349{i:03},Lottery {'AB'[i % 2]},Yes,No,Yes,Medium,East,18-29\n" for i in range(60))
    write(folder / "t.csv", "respondent,lottery,smoke,drink,steak,done,region,age\n3237565956,Lottery B,,,,,,\n" + people)
    equal(everything(folder).out.count("\n"), 1 + 61)
    # The questions of a survey are long names.
    asked = ",".join(f"\"{letter}: what is it, of all that may be there, that you would most likely have at home, "
                     "or with somebody else, on such a day?\"" for letter in "ABCDEFGH")
    write(folder / "t.csv", f"id,{asked}\n" + "".join(
        f"4337{i:04},Yes,Turkey,,Baked,,Bread,,None\n" for i in range(40)))
    got = everything(folder)
    equal((got.status, got.out[:3], got.out.count("\n")), (0, "id,", 41))


def test_rows_that_count(folder):
    """1, 2, 3 ... may be names, but not when the next row counts as well."""
    rows = [[f"column_{i}" for i in range(40)], *[[str(row + i) for i in range(40)] for row in range(1, 4)]]
    text = "".join(",".join(row) + "\n" for row in rows)
    write(folder / "t.csv", text)
    equal(answers("sql", "--data", folder, "-c", "SELECT * FROM t", "-f", "csv"), text)


def test_names(folder):
    write(folder / "t.csv", "a,,a\n1,2,3\n4,5,6\n")
    got = everything(folder)
    equal(got.out, "a,column_2,a_1\n1,2,3\n4,5,6\n")
    check("no name of their own" in got.err, got.err)


def test_short_rows(folder):
    write(folder / "t.csv", "a,b,c\n1,2,3\n2,3\n3,4,5,\n4\n")
    equal(everything(folder).out, "a,b,c\n1,2,3\n2,3,\n3,4,5\n4,,\n")
    declared = write(folder / "s.sql", "CREATE TABLE t (a int, b int, c int) WITH (files = 't.csv')")
    got = everything(folder, "--schema", declared, "--max-rejects", "3")
    equal(got.out, "a,b,c\n1,2,3\n")
    check("+ 3 rejected" in got.err, got.err)
    equal(everything(folder, "--schema", declared, "--ragged", "pad").out, "a,b,c\n1,2,3\n2,3,\n3,4,5\n4,,\n")


def test_refused(folder):
    write(folder / "t.csv", "x\n" + "".join(f"{i},{i * 7}\n" for i in range(100)))
    fails(DATA, "can be read in two ways", "--delimiter", args=["sql", "--data", folder, "-c", "SELECT * FROM t"])
    write(folder / "t.csv", "x\n1,5\n")
    fails(DATA, "can be read in two ways", "--delimiter", args=["sql", "--data", folder, "-c", "SELECT * FROM t"])
    equal(everything(folder, "--delimiter", "none").out, 'x\n"1,5"\n')
    equal(everything(folder, "--delimiter", ",", "--header", "none").out, 'column_1,column_2\n1,5\nx,\n')


def test_documents(folder):
    """Text that is no table is not divided into one."""
    for text, name in (("<!DOCTYPE html>\n<html><body>\n<p>Not, found</p>\n</body></html>\n", "a web page"),
                       ('<?xml version="1.0"?>\n<a>\n<b>1,2</b>\n</a>\n', "an XML document"),
                       ("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF document"),
                       ('[{"a":1,"b":"x"},\n{"a":2,"b":"y"}]\n', "jq -c '.[]'"),
                       ('{\n "a": 1,\n "b": [1,2]\n}\n', "jq -c ."),
                       ('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n', "call it .jsonl")):
        write(folder / "t.csv", text)
        fails(DATA, "t.csv is no table but", name, args=["sql", "--data", folder, "-c", "SELECT * FROM t"])
        equal(everything(folder, "--delimiter", ",").status, 0, text)
    write(folder / "t.csv", "{a},[b]\n{1},[2]\n")
    equal(everything(folder).out, "{a},[b]\n{1},[2]\n")


def test_options(folder):
    write(folder / "t.csv", "one\ntwo\na;b\n1;2\n3;NIL\nend;\n")
    options = ["--skip", "2", "--footer", "1", "--null", "NIL", "--delimiter", ";", "--header", "1"]
    equal(everything(folder, *options).out, "a,b\n1,2\n3,\n")
    schema = write(folder / "s.sql", "CREATE TABLE t () WITH (files = 't.csv', skip = 2, footer = 1, null = 'NIL')")
    equal(everything(folder, "--schema", schema).out, "a,b\n1,2\n3,\n")
    for option, value, message in (("--quote", "ab", "one ASCII character"), ("--header", "many", "auto, none"),
                                   ("--ragged", "no", "pad, cut or reject"), ("--date-format", "DD", "DD/MM/YYYY"),
                                   ("--footer", "-1", "a number up to")):
        fails(USAGE, message, args=["sql", "--data", folder, "-c", "SELECT 1", option, value])


def test_footer_of_a_compressed_file(folder):
    import gzip
    rows = "".join(f"{i},{i * 3}\n" for i in range(50000))
    (folder / "t.csv.gz").write_bytes(gzip.compress(("a,b\n" + rows + "sum,1\nend,2\n").encode()))
    count = ["sql", "--data", folder, "-c", "SELECT count(*), max(a) FROM t", "-f", "csv", "--footer", "2"]
    equal(answers(*count), "count,max\n50000,49999\n")
    equal(answers(*count, "--chunk-size", "1000", "--threads", "2"), "count,max\n50000,49999\n")


def test_values_as_they_are_declared(folder):
    write(folder / "t.csv", "day;price\n31/12/2024;1.234,50\n1/2/2025;7,25\n")
    schema = write(folder / "s.sql", "CREATE TABLE t (day date, price numeric) WITH (files = 't.csv', delimiter = ';', "
                   "decimal = ',', thousands = '.', date_format = 'DD/MM/YYYY')")
    equal(everything(folder, "--schema", schema).out, "day,price\n2024-12-31,1234.50\n2025-02-01,7.25\n")
    own = write(folder / "o.sql", "CREATE TABLE t (day date OPTIONS (date_format 'DD/MM/YYYY'), price numeric OPTIONS "
                "(decimal ',', thousands '.')) WITH (files = 't.csv', delimiter = ';')")
    equal(everything(folder, "--schema", own).out, everything(folder, "--schema", schema).out)


def test_sniff(folder):
    write(folder / "t.csv", "made today\n\n" + written(";"))
    result = tamiz("sniff", folder / "t.csv")
    equal(result.status, 0)
    check("CREATE TABLE \"t\"" in result.out and "delimiter = ';'" in result.out and "skip = '2'" in result.out, result.out)
    check("-- 1 | pen | 1.50 | 2024-01-02" in result.out, result.out)
    schema = write(folder / "s.sql", result.out)
    equal(everything(folder, "--schema", schema).out, CLEAN)
    equal(everything(folder, "-q").out, CLEAN)


def test_sniff_of_a_large_file(folder):
    """However large a file is, some hundred kilobytes of it are looked at: reading all would take longer than is allowed."""
    rows = "".join(f"{i};name {i};{i * 7 % 100},50\n" for i in range(20000))
    with open(folder / "t.csv", "wb") as file:
        file.write(("made today\n\nid;name;price\n" + rows).encode())
        file.seek(10 << 30)
        file.write(("\n" + rows + "\nSource: the shop\n").encode())
    seconds = 2 if not SANITIZED else 20
    result = tamiz("sniff", folder / "t.csv", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    equal(result.status, 0, result.err)
    check("delimiter = ';', skip = '2', footer = '1'" in result.out, result.out)


main(globals())
