"""The shell as its users have it: through a real pseudo-terminal."""

import fcntl
import os
import signal
import struct
import termios
import time

from harness import PATIENCE_SECONDS, TAMIZ, answers, check, cpu_seconds, equal, main, tamiz, wait_for
from terminal import PROMPT, Terminal

SALES = "".join(f"{i},Oslo{i % 7},{i * 3 % 101}.50\n" for i in range(1, 301))


def shell(folder, *words, **options):
    (folder / "sales.csv").write_text("id,store,amount\n" + SALES)
    one = Terminal(folder, *words, **options)
    one.until(PROMPT)
    return one


def test_statements_and_errors(folder):
    one = shell(folder)
    got = one.ask("SELECT count(*), sum(amount) FROM sales;")
    check("300" in got and "1 row" in got, got)
    got = one.ask("SELECT amont FROM sales;")
    check('column "amont" does not exist' in got and '"amount"' in got, got)
    one.type("SELECT 'two\r")
    one.until("tamiz'> ")
    one.type("lines' AS a,\r")
    one.until("tamiz-> ")
    one.type("(1 +\r")
    one.until("tamiz(> ")
    got = one.ask("2) AS b;")
    check("two\\nlines" in got and "3" in got, got)
    got = one.ask("SELECT 1 AS a; SELECT 'Łódź – 東京' AS b;")
    check("│ Łódź – 東京 │" in got and got.count("1 row") == 2, got)
    equal(one.leave(), 0)


def test_the_commands(folder):
    one = shell(folder)
    check("sales" in one.ask("\\d") and "sales" in one.ask(".tables") and "sales" in one.ask("\\dt"), "tables")
    check("amount" in one.ask("\\d sales") and "CREATE TABLE" in one.ask(".schema sales"), "columns")
    check("regexp_replace" in one.ask("\\df regexp*"), "functions")
    check("\\watch" in one.ask("\\?") and "[WITH NO DATA]" in one.ask("\\h create table"), "help")
    check("is no" not in one.ask("\\timing on"), "timing")
    check("Time: " in one.ask("SELECT 1;"), "timing")
    one.ask("\\timing off")
    got = one.ask("SELECT id, store FROM sales WHERE id = 3 \\gx")
    check("-[ row 1 ]" in got and "store | Oslo3" in got, got)
    one.ask("\\pset null nothing")
    check("│ nothing │" in one.ask("SELECT NULL AS x;"), "null")
    one.ask(".mode csv")
    check("x\n5\n" in one.ask("SELECT 5 AS x;"), "csv")
    one.ask("\\pset format aligned")
    one.ask("\\o out.txt")
    equal(one.ask("SELECT 7 AS seven;"), "")
    one.ask("\\o")
    check("seven" in (folder / "out.txt").read_text(), "\\o")
    one.ask("\\copy sales to all.csv")
    equal((folder / "all.csv").read_text().count("\n"), 301)
    one.ask("\\set least 299")
    check("300" in one.ask("SELECT id FROM sales WHERE id > :least;"), "variables")
    (folder / "more.sql").write_text("CREATE VIEW v AS SELECT 42 AS answer;\n\\echo read :least\n")
    check("read 299" in one.ask("\\i more.sql"), "\\i")
    check("42" in one.ask("TABLE v;") and "42" in one.ask("\\g"), "\\g")
    check("v" in one.ask("\\dv"), "\\dv")
    check('did you mean "timing"' in one.ask("\\timng"), "typing errors")
    check("hello" in one.ask("\\! echo hello"), "\\!")
    one.type("SELECT 1\r")
    one.until("tamiz-> ")
    one.ask("\\r")
    equal(one.leave("\\q\r"), 0)


def test_kindness(folder):
    """What people type who come from psql, DuckDB or MySQL gets an answer that helps."""
    one = shell(folder)
    got = one.ask("SELECT id,  amont FROM sales;")
    check("\n  SELECT id,  amont FROM sales;\n              ^\n" in got, got)
    for text, mark in (("SELECT id / (id - 3) FROM sales;", "/"), ("SELECT 1, 2 + 2147483647;", "+"),
                       ("SELECT id, amount::int / 0 AS x FROM sales;", "/"), ("SELECT store::int FROM sales;", "store")):
        got = one.ask(text)
        check(f"\n  {text}\n  {' ' * text.index(mark)}^\n" in got, got)
    for line, answer in (
        ("\\timing", "Timing: on."), ("\\timing", "Timing: off."), ("\\x", "Every row as a list: on."),
        ("\\x off", "Every row as a list: off."), ("\\pset null -", "null_text: -."), (".mode csv", "format: csv."),
        (".mode box", "format: box."), ("\\d+ sales", "amount"), ("\\c other", "\\cd FOLDER"), ("\\dn", "one schema"),
        (".databases", "│ ."), (".import a b", "files are tables already"), (".print hello", "hello"),
        ("\\w", "takes the name of a file"), ("\\zz", "\\? lists them"),
        ("SHOW databases;", "SHOW TABLES lists"), ("BEGIN;", "there are no transactions"),
    ):
        got = one.ask(line)
        check(answer in got, f"{line}: {got}")
    one.ask("SELECT 7 AS kept;")
    one.ask("\\w kept.sql")
    equal((folder / "kept.sql").read_text().strip(), "SELECT 7 AS kept;")
    equal(one.leave("quit\r"), 0)


def test_colours(folder):
    """Names are bold, NULL is dim and errors are red, at a terminal and nowhere else."""
    def shown(**environment):
        one = shell(folder, **environment)
        one.raw = ""
        one.ask("SELECT id, NULL AS none FROM sales LIMIT 1;")
        one.ask("SELECT nothing;")
        one.leave()
        return one.raw

    got = shown()
    check("\x1b[1mid\x1b[0m" in got and "\x1b[2mNULL\x1b[0m" in got and "\x1b[31mtamiz:\x1b[0m " in got, got)
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        got = shown(**environment)
        check("\x1b[1m" not in got and "\x1b[2m" not in got and "\x1b[31m" not in got and "NULL" in got, got)
    check("\x1b" not in answers("sql", "-c", "SELECT NULL AS x", cwd=folder))


def test_input_that_is_not_ascii(folder):
    """Keys move over characters, not over bytes, and wide ones take two columns."""
    one = shell(folder)
    one.type("SELECT '日本xx\x7f\x7f語' AS \"ż\";\r")
    one.until("\n")
    check("│ ż      │\n├────────┤\n│ 日本語 │" in one.until(PROMPT), "wide characters")
    one.type("SELECT 'żq' AS z;" + "\x1b[D" * 8 + "\x7f" + "ść" + "\x1b[F\r")
    one.until("\n")
    check("│ śćq │" in one.until(PROMPT), "in the middle of a line")
    equal(one.leave(), 0)


def test_to_a_command_and_again_and_again(folder):
    one = shell(folder)
    one.ask("\\o | tr a-z A-Z > upper.txt")
    one.ask("SELECT 'abc' AS q;")
    one.ask("\\o")
    check("ABC" in (folder / "upper.txt").read_text(), "\\o |")
    one.type("SELECT 77 AS w \\watch 0.1\r")
    for _ in range(3):
        one.until("77 │")
    one.type("\x03")
    one.until(PROMPT)
    equal(one.leave(), 0)


def test_chart(folder):
    one = shell(folder)
    got = one.ask("SELECT store, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 2 DESC \\chart")
    check("total\n" in got and "│██" in got, got)
    check("picture.svg is written." in one.ask("\\chart picture.svg"), "a file")
    check((folder / "picture.svg").read_text().startswith("<svg"), "a picture")
    check("300" in one.ask("SELECT count(*) FROM sales;"), "as before")
    equal(one.leave(), 0)


def test_editor(folder):
    script = folder / "editor"
    script.write_text("#!/bin/sh\nsed -i s/111/222/ \"$1\"\n")
    script.chmod(0o755)
    one = shell(folder, EDITOR=str(script))
    one.ask("SELECT 111 AS a;")
    check("222" in one.ask("\\e"), "\\e")
    equal(one.leave(), 0)


def test_history_and_keys(folder):
    one = shell(folder)
    one.ask("SELECT 1001 AS a;")
    one.type("\x1b[A")
    one.until("SELECT 1001 AS a;")
    check("1001" in one.ask(""), "the line above")
    one.leave()
    one = shell(folder)
    one.type("\x1b[A")
    one.until("SELECT 1001 AS a;")
    one.type("\x03")
    one.until(PROMPT)
    check((folder / ".local/state/tamiz/history").exists(), "a file for the history")
    equal(one.leave(), 0)


def test_completion(folder):
    one = shell(folder)
    one.type("SELECT sum(am\t")
    one.until("amount ")
    one.type(") FROM sal\t")
    one.until("sales ")
    check("1" in one.ask(";"), "the sum")
    one.type("sel\t")
    one.until("select ")
    one.type("\x03")
    one.until(PROMPT)
    one.type("SELECT regexp_\t")
    one.until("regexp_replace(")
    one.type("\x03")
    one.until(PROMPT)
    one.type("SELECT count(*) FROM 'sal\t")
    one.until("sales.csv'")
    check("300" in one.ask(";"), "a path")
    equal(one.leave(), 0)


def test_ctrl_c(folder):
    one = shell(folder)
    one.type("SELECT 1 +")
    one.until("SELECT 1 +")
    one.type("\x03")
    one.until(PROMPT)
    # A moment later all threads are among the pairs, which would take them an hour.
    one.type("SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a <> b;\r")
    one.until("b;")
    idle = cpu_seconds(one.child)
    wait_for("the query to compute", lambda: cpu_seconds(one.child) > idle + 3)
    one.type("\x03")
    one.until("interrupted")
    one.until(PROMPT)
    check("5" in one.ask("SELECT 5 AS x;"), "it goes on")
    equal(one.leave(), 0)


def test_what_fits(folder):
    values = ", ".join(f"{i} AS column_{i}" for i in range(300))
    (folder / "wide.sql").write_text(f"CREATE VIEW wide AS SELECT {values};")
    one = shell(folder)
    one.ask("\\i wide.sql")
    got = one.ask("SELECT * FROM wide;")
    check("300 columns (" in got and "column_0" in got and "column_299" in got, got)
    check(max(map(len, got.splitlines()[1:])) <= 80, got)
    got = one.ask("SELECT id, repeat('long ', 40) AS text, 12345678 AS number FROM sales ORDER BY id LIMIT 1;")
    check("…" in got and "12345678" in got and max(map(len, got.splitlines()[1:])) <= 80, got)
    got = one.ask("SELECT id FROM sales ORDER BY id;")
    check("300 rows (40 shown)" in got and "│  20 │" in got and "│ 281 │" in got and "│ 100 │" not in got, got)
    check("│ 100 │" in one.ask("\\all"), "\\all")
    one.ask("\\x auto")
    got = one.ask("SELECT * FROM wide;")
    check("column_150 | 150" in got, got)
    one.resize(200, 50)
    got = one.ask("SELECT repeat('x', 150) AS x;")
    check("x" * 150 in got, got)
    equal(one.leave(), 0)


def test_pager(folder):
    script = folder / "pager"
    script.write_text("#!/bin/sh\ncat > paged.txt\necho paged\n")
    script.chmod(0o755)
    one = shell(folder, PAGER=str(script))
    check("paged" in one.ask("SELECT id FROM sales;"), "through the pager")
    check("300 rows" in (folder / "paged.txt").read_text(), "the result")
    check("paged" not in one.ask("SELECT 1;"), "what fits")
    one.ask("\\pset pager off")
    check("paged" not in one.ask("SELECT id FROM sales;"), "without it")
    equal(one.leave(), 0)


def test_startup_file_and_operands(folder):
    (folder / ".config/tamiz").mkdir(parents=True)
    (folder / ".config/tamiz/rc").write_text("SET null_text = 'nix';\n\\set mine 17\n")
    (folder / "there").mkdir()
    (folder / "there/t.csv").write_text("a\n8\n")
    one = shell(folder, "there/")
    check("nix" in one.ask("SELECT NULL, :mine FROM t;"), "the start-up file")
    equal(one.leave(), 0)
    one = shell(folder, "shell", "-X", "sales.csv")
    check("NULL" in one.ask("SELECT NULL;") and "300" in one.ask("SELECT count(*) FROM sales;"), "without it")
    equal(one.leave(), 0)


def test_without_a_terminal(folder):
    (folder / "t.csv").write_text("a\n8\n")
    got = tamiz("shell", "-f", "csv", cwd=folder, stdin=b"\\set x 3\nSELECT a + :x AS b\n FROM t;\n\\echo done\n")
    equal((got.status, got.out, got.err), (0, "b\n11\ndone\n", ""))
    got = tamiz("shell", cwd=folder, stdin=b"SELECT nothing;\n\\echo never\n")
    check(got.status == 3 and "never" not in got.out, got.err)


def test_killed(folder):
    one = shell(folder)
    os.kill(one.child, signal.SIGTERM)
    while one.read():
        pass
    os.waitpid(one.child, 0)


main(globals())
