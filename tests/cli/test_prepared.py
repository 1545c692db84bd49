"""PREPARE and EXECUTE, and $1 with --param: values that come from elsewhere and stay values."""

from harness import SQL, answers, equal, fails, main, tamiz, write


def sql(folder, text, *more):
    return answers("sql", "--data", folder, "-f", "csv", "-q", "-c", text, *more)


def data(folder):
    write(folder / "t.csv", "id,name,day\n" + "".join(f"{i},n{i % 3},2024-01-0{i}\n" for i in range(1, 8)))


def test_statements(folder):
    data(folder)
    prepared = "PREPARE p AS SELECT count(*) FROM t WHERE id > $1 AND name <> $2; "
    equal(sql(folder, prepared + "EXECUTE p(2, 'n0'); EXECUTE P (1 + 1, 'it''s, (so)')"), "count\n3\ncount\n5\n")
    equal(sql(folder, "PREPARE minus AS SELECT 3 -$1 AS a, $1 * 2 AS b; EXECUTE minus(-1 - 1)"), "a,b\n5,-4\n")
    equal(sql(folder, "PREPARE typed(int, date) AS SELECT $1 + 1 AS a, $2 + 1 AS b, '$1' AS c; EXECUTE typed('41', '2024-02-28')"),
          "a,b,c\n42,2024-02-29,$1\n")
    equal(sql(folder, 'PREPARE "A b" AS SELECT 1 AS one; EXECUTE "A b"; DEALLOCATE "A b"; PREPARE "A b" AS SELECT 2 AS two; EXECUTE "A b"; '
              "DEALLOCATE PREPARE ALL"), "one\n1\ntwo\n2\n")
    equal(sql(folder, "PREPARE v AS CREATE VIEW w AS SELECT * FROM t WHERE id = $1; EXECUTE v(3); SELECT name FROM w"), "name\nn0\n")


def test_values_of_the_command_line(folder):
    data(folder)
    equal(sql(folder, "SELECT id FROM t WHERE id > $1 AND day <= $2 ORDER BY 1 LIMIT $3", "--param", "2", "--param", "2024-01-06",
              "--param", "2"), "id\n3\n4\n")
    nasty = "x'; DROP TABLE t; --"
    equal(sql(folder, "SELECT $1 AS a, '$1' AS b, $$ $1 $$ AS c -- $2", "--param", nasty), f"a,b,c\n{nasty},$1, $1 \n")
    done = tamiz("shell", "--data", folder, "-f", "csv", "--param", "7", stdin=b"SELECT name FROM t WHERE id = $1;")
    equal((done.status, done.out), (0, "name\nn1\n"))


def test_mistakes(folder):
    data(folder)
    for text, problem in (
        ("EXECUTE p(1)", 'prepared statement "p" does not exist'), ("DEALLOCATE p", 'prepared statement "p" does not exist'),
        ("PREPARE p AS SELECT $2; EXECUTE p(1)", 'takes 2 parameters, not 1'),
        ("PREPARE p AS SELECT 1; PREPARE p AS SELECT 1", 'prepared statement "p" already exists'),
        ("PREPARE p AS EXECUTE p", "is not prepared itself"), ("PREPARE p SELECT 1", "PREPARE is PREPARE name"),
        ("EXECUTE p(1", "EXECUTE is EXECUTE name"), ("SELECT $1", "there is no parameter $1: --param VALUE"),
        ("PREPARE p AS SELECT $1 + 1; EXECUTE p('x')", "invalid input syntax for type integer"),
    ):
        fails(SQL, problem, args=["sql", "--data", folder, "-c", text])


main(globals())
