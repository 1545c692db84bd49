"""Bad input: one line that says what is wrong, the right exit status, nothing half done."""

import gzip
import os
import signal
import subprocess

from harness import (DATA, EVAL, FAILED, INTERRUPTED, PATIENCE_SECONDS, SQL, TAMIZ, USAGE, Skip, answers, check, equal,
                     fails, main, names, tamiz, wait_for, write)

SCHEMA = "CREATE TABLE t (a bigint, b text) WITH (files = 't/*.csv');"


def sql(folder, query, *more):
    return ["sql", "--data", folder, "-c", query, "-f", "csv", *more]


def test_missing_folder(folder):
    fails(FAILED, "nowhere", "No such file", args=sql(folder / "nowhere", "SELECT 1"))
    fails(FAILED, "nowhere", args=["run", "coffee", "--data", folder / "nowhere"])
    file = write(folder / "t.csv", "a\n1\n")
    fails(FAILED, "no file matches", "--data", args=["run", "coffee", "--data", file])


def test_empty_folder(folder):
    fails(SQL, "no CSV files", args=sql(folder, "SELECT a FROM t"))
    fails(FAILED, "transaction", args=["run", "coffee", "--data", folder])
    schema = write(folder / "s.sql", SCHEMA)
    fails(FAILED, "t/*.csv", args=sql(folder, "SELECT a FROM t", "--schema", schema))


def test_missing_column(folder):
    schema = write(folder / "s.sql", SCHEMA)
    write(folder / "t" / "one.csv", "a,b\n1,x\n")
    bad = write(folder / "t" / "two.csv", "a,c\n1,x\n")
    fails(DATA, str(bad), "b", args=sql(folder, "SELECT b FROM t", "--schema", schema))
    output = folder / "out.csv"
    fails(DATA, "two.csv", args=sql(folder, "SELECT b FROM t", "--schema", schema, "-o", output))
    equal([name for name in names(folder) if "out" in name or "partial" in name], [])


def test_pipe_that_never_ends(folder):
    """Whoever waits for it ends when he is told to: nobody has opened it to write, or nothing comes."""
    schema = write(folder / "s.sql", "CREATE TABLE t (a bigint, b text) WITH (files = 't.csv');")
    os.mkfifo(folder / "t.csv")
    for writes in [False, True]:
        process = subprocess.Popen(
            [TAMIZ, *map(str, sql(folder, "SELECT count(*) FROM t", "--schema", schema))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            writer = open(folder / "t.csv", "w") if writes else None
            if writes:
                writer.write("a,b\n1,x\n")
                writer.flush()
            # It has its handlers, and reads: then it sleeps.
            wait_for("it to wait for the pipe", lambda p=process: catches_term(p.pid) and has_open(p.pid, "t.csv"))
            process.terminate()
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
            equal((process.returncode, out, err), (INTERRUPTED, b"", b"tamiz: interrupted\n"))
        finally:
            process.kill()
            process.wait()
            if writes:
                writer.close()


def catches_term(pid):
    text = open(f"/proc/{pid}/status").read()
    return int(text.split("SigCgt:")[1].split()[0], 16) >> (signal.SIGTERM - 1) & 1


def has_open(pid, name):
    folder = f"/proc/{pid}/fd"
    return any(os.path.basename(os.readlink(f"{folder}/{fd}")) == name for fd in os.listdir(folder))


def test_pipe_is_not_submitted(folder):
    schema = write(folder / "s.sql", "CREATE TABLE t (a bigint, b text) WITH (files = 't.csv');")
    os.mkfifo(folder / "t.csv")
    fails(
        USAGE,
        "t.csv is not a regular file",
        args=["submit", "--server", "127.0.0.1:1", "--data", folder, "--schema", schema, "--sql", "SELECT a FROM t",
              "--state", folder / "state"],
    )


def test_folder_named_like_a_file(folder):
    write(folder / "t" / "one.csv", "a,b\n1,x\n")
    (folder / "t" / "x.csv").mkdir()
    schema = write(folder / "s.sql", SCHEMA)
    fails(FAILED, "x.csv", args=sql(folder, "SELECT a FROM t", "--schema", schema))


def test_sql_errors(folder):
    write(folder / "t.csv", "amount,name\n1,x\n")
    fails(SQL, "SELEC", args=sql(folder, "SELEC 1"))
    fails(SQL, "amonut", "amount", args=sql(folder, "SELECT amonut FROM t"))
    fails(SQL, "tt", args=sql(folder, "SELECT 1 FROM tt"))
    fails(SQL, "nosuch", args=sql(folder, "SELECT nosuch(amount) FROM t"))
    fails(SQL, args=sql(folder, "SELECT amount FROM t FOR UPDATE"))
    fails(SQL, args=sql(folder, "DELETE FROM t"))
    fails(SQL, args=sql(folder, "SELECT name + 1 FROM t"))
    fails(SQL, args=sql(folder, "SELECT '"))
    fails(SQL, args=sql(folder, "(" * 10000))
    fails(SQL, args=sql(folder, "SELECT 'a\n\x1b[31mb'::bigint"))


def test_errors_of_values(folder):
    write(folder / "t.csv", "a\n1\n0\n")
    fails(EVAL, "division by zero", args=sql(folder, "SELECT 1 / a AS x FROM t"))
    output = folder / "out.csv"
    fails(EVAL, args=sql(folder, "SELECT 1 / a AS x FROM t", "-o", output))
    equal(names(folder), ["t.csv"])


def test_binary_file(folder):
    write(folder / "t.csv", bytes(range(256)) * 20)
    fails(DATA, "t.csv", "not a text file", args=sql(folder, "SELECT * FROM t"))


def test_truncated_gz(folder):
    rows = "a,b\n" + "".join(f"{i},text {i * 7919 % 10007}\n" for i in range(20000))
    whole = gzip.compress(rows.encode())
    write(folder / "t.csv.gz", whole)
    equal(answers(*sql(folder, "SELECT count(*) AS n FROM t")), "n\n20000\n")
    for size in (len(whole) // 2, len(whole) - 4):
        write(folder / "t.csv.gz", whole[:size])
        fails(DATA, "t.csv.gz", "cut off", args=sql(folder, "SELECT count(*) AS n FROM t"))
    write(folder / "t.csv.gz", b"\x1f\x8bnot really")
    fails(DATA, "t.csv.gz", args=sql(folder, "SELECT count(*) AS n FROM t"))


def test_unreadable_file(folder):
    if os.geteuid() == 0:
        raise Skip("root may read every file")
    path = write(folder / "t.csv", "a\n1\n")
    path.chmod(0)
    fails(FAILED, "t.csv", "Permission denied", args=sql(folder, "SELECT a FROM t"))


def test_odd_but_good_files(folder):
    write(folder / "bom.csv", "\ufeffa,b\r\n1,x\r\n2,\"y\r\nz\"\r\n")
    write(folder / "noend.csv", "a\n1\n2")
    write(folder / "header.csv", "a,b\n")
    equal(answers(*sql(folder, "SELECT sum(a) AS s, max(b) AS m FROM bom")), 's,m\n3,"y\r\nz"\n')
    equal(answers(*sql(folder, "SELECT sum(a) AS s FROM noend")), "s\n3\n")
    equal(answers(*sql(folder, "SELECT count(*) AS n FROM header")), "n\n0\n")


def test_empty_file(folder):
    write(folder / "t.csv", "")
    fails(DATA, "header", args=sql(folder, "SELECT * FROM t"))
    schema = write(folder / "s.sql", "CREATE TABLE t (a bigint) WITH (files = 't.csv')")
    equal(answers(*sql(folder, "SELECT count(*) AS n FROM t", "--schema", schema)), "n\n0\n")


def test_not_utf8(folder):
    """Bytes that are no text in any encoding are letters in Windows-1252, and people are told."""
    write(folder / "t.csv", b"a\n\xff\xfe\n")
    result = tamiz(*sql(folder, "SELECT a FROM t"))
    equal((result.status, result.out), (0, "a\nÿþ\n"))
    check("t.csv is not UTF-8: read as Windows-1252" in result.err, result.err)


main(globals())
