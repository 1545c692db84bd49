#!/usr/bin/env python3
"""--memory is kept: what does not fit goes to a temporary file, and the answer is the same."""

import filecmp
import os
import random
import resource
import subprocess

from harness import FAILED, SANITIZED, TAMIZ, Skip, answers, check, equal, fails, main, tamiz, write

LIMITS = ("1K", "1M", "40M")
QUERIES = (
    "SELECT * FROM s ORDER BY v, t",
    "SELECT t, v FROM s ORDER BY k DESC, t LIMIT 19000 OFFSET 5",
    "SELECT k, row_number() OVER (PARTITION BY k ORDER BY v) AS r, sum(v) OVER (PARTITION BY k) AS s FROM s",
    "SELECT v, count(*), sum(k), min(t), avg(v::double precision) FROM s GROUP BY v",
    "SELECT DISTINCT t, k FROM s",
)
# Aggregates that need all values of a group: there are no states of theirs to be put together again.
WHOLE_GROUPS = (
    "SELECT k, count(DISTINCT t), sum(DISTINCT trunc(v * 100) / 100), count(*), sum(v), min(t) FROM s GROUP BY k",
    "SELECT k % 7 AS m, sum(DISTINCT CASE WHEN k % 2 = 0 THEN 1.0 ELSE round(v, 1) END) FROM s GROUP BY m",
    "SELECT nullif(k, 3) AS n, string_agg(t, ',' ORDER BY v DESC), array_agg(k) FROM s GROUP BY n",
    "SELECT k, array_agg(DISTINCT nullif(left(t, 3), 'xxx')), string_agg(DISTINCT left(t, 2), '-') FROM s GROUP BY k",
    "SELECT k, percentile_cont(0.3) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY left(t, 2)),"
    " percentile_disc(0.5) WITHIN GROUP (ORDER BY v::double precision DESC) FROM s GROUP BY k",
    "SELECT k, count(DISTINCT v) FILTER (WHERE v > 0.5), regr_count(DISTINCT v::double precision, k), bool_or(v > 0.9),"
    " stddev(v), corr(v::double precision, k) FROM s GROUP BY k HAVING count(DISTINCT t) > 2",
    "SELECT k, string_agg(DISTINCT left(t, 2), ',' ORDER BY left(t, 2) DESC), avg(DISTINCT v::double precision) FROM s GROUP BY k",
)
# Of `b` most rows have one key, some have none, and some have one that `s` has not.
JOINS = (
    "SELECT s.k, s.v, b.w FROM s JOIN b ON s.t = b.t AND s.k > 250",
    "SELECT s.k, s.v, b.w FROM s LEFT JOIN b ON s.k = b.k AND b.w < s.v * 20",
    "SELECT s.k, s.t, b.t, b.w FROM b FULL JOIN s ON s.k = b.k AND s.t = b.t",
    "SELECT s.k, s.t FROM s WHERE EXISTS (SELECT 1 FROM b WHERE b.t = s.t AND b.k <= s.k)",
    "SELECT s.k, s.t FROM s WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.t = s.t AND b.k = s.k)",
    "SELECT count(*) FROM s WHERE s.k NOT IN (SELECT b.k FROM b)",
    "SELECT count(*) FROM s WHERE s.k NOT IN (SELECT b.k FROM b WHERE b.k IS NOT NULL)",
    "SELECT s.t, s.k IN (SELECT k FROM b WHERE w > 5) FROM s",
    "SELECT s.t, (SELECT max(b.w) FROM b WHERE b.t = s.t) FROM s",
    "SELECT count(*), sum(b.w), sum(c.w) FROM s JOIN b ON s.t = b.t JOIN b AS c ON c.t = s.t",
)


def rows(folder, count=20000):
    chance = random.Random(3)
    write(folder / "s.csv", "k,v,t\n" + "".join(
        f"{chance.randrange(500)},{chance.random():.5f},{'x' * chance.randrange(30)}{chance.randrange(10 ** 6)}\n"
        for _ in range(count)))


def joined_rows(folder, count=20000):
    """Two tables with many keys in common, and one that most rows of the smaller have."""
    rows(folder, count)
    chance = random.Random(4)
    with open(folder / "s.csv") as file:
        lines = [line.rstrip("\n").split(",") for line in file][1:]
    with open(folder / "b.csv", "w") as file:
        file.write("k,t,w\n")
        for i in range(count // 2):
            k, _, t = chance.choice(lines)
            k = "" if i % 100 == 0 else 7 if i % 3 else k if i % 2 else 1000 + i
            t = "" if i % 101 == 0 else t if i % 5 else f"nobody{i}"
            file.write(f"{k},{t},{chance.randrange(1000) / 100}\n")


def ask(folder, query, *options):
    return ["sql", "--data", folder, "-f", "csv", "-q", "-c", query, *options]


# Over 300,000 rows with long texts; each takes far more than KEPT_MB when it may.
KEPT_MB = 36
LARGE = (
    "SELECT * FROM l ORDER BY t, id",
    "SELECT t, count(*), sum(id), max(w) FROM l GROUP BY t",
    "SELECT DISTINCT w, t FROM l",
    "SELECT k, count(DISTINCT t) FROM l GROUP BY k",
    "SELECT k, string_agg(t, ',' ORDER BY id) FROM l GROUP BY k",
    "SELECT k, array_agg(t) FROM l GROUP BY k",
    "SELECT t, id, row_number() OVER (PARTITION BY k ORDER BY w) FROM l",
    "SELECT a.id, a.t, b.t FROM l AS a JOIN l AS b ON a.id = b.w",
    "SELECT a.id, b.t FROM l AS a LEFT JOIN l AS b ON a.t = b.t AND b.w > 100000",
)


def large_rows(folder, count=300000):
    chance = random.Random(5)
    with open(folder / "l.csv", "w") as file:
        file.write("id,k,w,t\n")
        for i in range(count):
            file.write(f"{i},{chance.randrange(3000)},{chance.randrange(count)},{chance.getrandbits(320):080x}\n")


def peak_mb(out, *args):
    """Of a run that prints into a file."""
    with open(out, "wb") as file:
        process = subprocess.Popen([TAMIZ, *map(str, args)], stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    equal(process.returncode, 0)
    return usage.ru_maxrss / 1024


def test_the_limit_is_kept(folder):
    """By the process as a whole, as the kernel counts."""
    if SANITIZED:
        raise Skip("a sanitizer has a memory of its own")
    large_rows(folder)
    free, kept = folder / "free.out", folder / "kept.out"
    for query in LARGE:
        without = peak_mb(free, *ask(folder, query, "--threads", 2))
        with_limit = peak_mb(kept, *ask(folder, query, "--threads", 2, "--memory", f"{KEPT_MB}M"))
        check(filecmp.cmp(free, kept, shallow=False), query)
        check(with_limit < KEPT_MB * 1.1 < without, f"{with_limit:.0f} MB, without a limit {without:.0f}: {query}")


def same_with_limits(folder, queries):
    for query in queries:
        expected = answers(*ask(folder, query))
        for limit in LIMITS:
            for threads in (1, 3):
                got = answers(*ask(folder, query, "--memory", limit, "--threads", threads))
                check(got == expected, f"{query} with {limit}")


def test_the_same_bytes(folder):
    rows(folder)
    same_with_limits(folder, QUERIES)


def test_whole_groups(folder):
    rows(folder, 6000)
    same_with_limits(folder, WHOLE_GROUPS)


def test_joins(folder):
    joined_rows(folder)
    same_with_limits(folder, JOINS)


def test_nothing_is_left(folder):
    rows(folder)
    temp = folder / "temp"
    temp.mkdir()
    answers(*ask(folder, QUERIES[0], "--memory", "1K", "--temp", temp))
    equal(os.listdir(temp), [])


def test_no_room(folder):
    rows(folder)
    fails(FAILED, "--temp-max", args=ask(folder, QUERIES[0], "--memory", "1K", "--temp-max", "4K"))
    fails(FAILED, "cannot make a temporary file in", "--temp",
          args=ask(folder, QUERIES[0], "--memory", "1K", "--temp", folder / "nowhere"))
    # A disk that is full, as far as this process can see.
    got = tamiz(*ask(folder, QUERIES[0], "--memory", "1K"),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
    check(got.status != 0 and got.out == "", got.err)


def test_what_cannot_be_split_is_refused(folder):
    rows(folder, 200000)
    query = "SELECT count(*) FROM s a JOIN s b ON a.t < b.t"
    fails(FAILED, "there is not enough memory", "one side of a join", "--memory",
          args=ask(folder, query, "--memory", "1M"))


main(globals())
