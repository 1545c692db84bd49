"""Records of a megabyte and more: memory that does not grow with the file, and the limit of a record."""

import os
import subprocess

from harness import SANITIZED, TAMIZ, Skip, check, equal, main

RECORD_MAX = 64 << 20
ACTOR = ("{'cast_id': 14, 'character': 'Woody (voice)', 'credit_id': '52fe4284c3a36847f8024f95',"
         " 'gender': 2, 'id': %d, 'name': 'Actor %d', 'order': 0, 'profile_path': None}")


def cast(size):
    """A Python list of dictionaries of about that size."""
    text, number = [], 0
    while size > 0:
        text.append(ACTOR % (number, number % 500))
        size -= len(text[-1]) + 2
        number += 1
    return "[" + ", ".join(text) + "]"


def write_credits(folder, rows, size):
    with open(folder / "credits.csv", "w", encoding="ascii") as out:
        out.write("cast,crew,id\n")
        texts = [cast(size), cast(size // 50)]
        for row in range(rows):
            out.write(f'"{texts[row % 2]}",[],{row}\n')


def run(*args):
    """Status, output, and the most kilobytes that it had in memory."""
    process = subprocess.Popen([TAMIZ, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    return process.returncode, out.decode(), err.decode(), usage.ru_maxrss


def test_memory_is_bounded(folder):
    if SANITIZED:
        raise Skip("a sanitizer has a memory of its own")
    write_credits(folder, 200, 1 << 20)
    check((folder / "credits.csv").stat().st_size > 100 << 20, "as large as planned")
    status, out, err, peak = run(
        "sql", "--data", folder, "--threads", "2", "-f", "csv", "-c",
        "SELECT actor, count(DISTINCT id) AS n FROM credits CROSS JOIN"
        " unnest(py_pluck(\"cast\", 'name')) AS actor GROUP BY actor ORDER BY n DESC, actor LIMIT 2")
    equal((status, out, err), (0, "actor,n\nActor 0,200\nActor 1,200\n", ""))
    check(peak < 60 << 10, f"{peak} KB for rows of 1 MB")


def test_longest_record(folder):
    with open(folder / "t.csv", "w", encoding="ascii") as out:
        out.write("a,b\n1,short\n2,")
        out.write("x" * (RECORD_MAX + 1))
        out.write("\n3,\"" + "y\n" * (RECORD_MAX // 2))
        out.write("\"\n4,also short\n5," + "z" * (RECORD_MAX - 1000) + "\n")
    status, out, err, _ = run("sql", "--data", folder, "-c", "SELECT count(*) FROM t")
    equal((status, out), (5, ""))
    check("a record is longer than 64 MB" in err, err)
    schema = folder / "schema.sql"
    schema.write_text("CREATE TABLE t (a text, b text) WITH (files = 't.csv')")
    status, out, err, _ = run("sql", "--data", folder, "--schema", schema, "-f", "csv", "--max-rejects", "2", "-c",
                              "SELECT a, length(b) AS n FROM t ORDER BY a")
    equal((status, out), (0, f"a,n\n1,5\n4,10\n5,{RECORD_MAX - 1000}\n"))
    check("t: 5 rows read = 3 used + 2 rejected\n" in err, err)
    check(f"t.csv:3: " in err and "t.csv:4: " in err, err)


main(globals())
