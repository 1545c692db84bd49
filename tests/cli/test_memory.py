#!/usr/bin/env python3
"""--memory is kept: what does not fit goes to a temporary file, and the answer is the same."""

import os
import random
import resource

from harness import FAILED, answers, check, equal, fails, main, tamiz, write

LIMITS = ("1K", "1M", "40M")
QUERIES = (
    "SELECT * FROM s ORDER BY v, t",
    "SELECT t, v FROM s ORDER BY k DESC, t LIMIT 19000 OFFSET 5",
    "SELECT k, row_number() OVER (PARTITION BY k ORDER BY v) AS r, sum(v) OVER (PARTITION BY k) AS s FROM s",
    "SELECT v, count(*), sum(k), min(t), avg(v::double precision) FROM s GROUP BY v",
    "SELECT DISTINCT t, k FROM s",
)
JOIN = "SELECT a.k, count(*) FROM s a JOIN s b ON a.t = b.t GROUP BY a.k"


def rows(folder, count=20000):
    chance = random.Random(3)
    write(folder / "s.csv", "k,v,t\n" + "".join(
        f"{chance.randrange(500)},{chance.random():.5f},{'x' * chance.randrange(30)}{chance.randrange(10 ** 6)}\n"
        for _ in range(count)))


def ask(folder, query, *options):
    return ["sql", "--data", folder, "-f", "csv", "-q", "-c", query, *options]


def test_the_same_bytes(folder):
    rows(folder)
    for query in QUERIES:
        expected = answers(*ask(folder, query))
        for limit in LIMITS:
            for threads in (1, 3):
                got = answers(*ask(folder, query, "--memory", limit, "--threads", threads))
                check(got == expected, f"{query} with {limit}")


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
    fails(FAILED, "there is not enough memory", "one side of a join", "--memory",
          args=ask(folder, JOIN, "--memory", "1M"))


main(globals())
