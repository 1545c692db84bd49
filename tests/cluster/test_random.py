"""Random queries: what the cluster answers is what the embedded engine does, errors too.

usage: tests/cluster/test_random.py [--count 50] [--seed 1]

The queries are those of tests/differential/run with the same seed, and have its numbers."""

import argparse
import concurrent.futures
import random
import sys

from cluster import ROOT, TAMIZ, check, embedded, equal, run_tests

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "differential"))

import database  # noqa: E402
import engines  # noqa: E402
import features  # noqa: E402
import generate  # noqa: E402
from tree import TAMIZ as DIALECT  # noqa: E402

AT_ONCE = 6
DEPTH = 2
NASTY_SHARE = 0.75
NASTY_VARIANTS = 3
CHUNK_SIZES = ["64", "1K", "4M"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def make_query(databases, enabled, seed, number):
    """As tests/differential/run makes it."""
    rng = random.Random(f"{seed} database {number}")
    nasty = [each for each in databases if each.name.startswith("nasty")]
    packs = [each for each in databases if each not in nasty]
    chosen = rng.choice(nasty if not packs or rng.random() < NASTY_SHARE else packs)
    maker = generate.Generator(chosen, enabled, f"{seed} query {number}")
    return chosen, maker.query(DEPTH).render(DIALECT)


def first_line(text):
    return text.splitlines()[0] if text else ""


def compare(cluster, folder, number, chosen, sql):
    """Whether both have rows."""
    place = ["--schema", chosen.schema, "--data", chosen.data, "-f", "json", "-q"]
    want = embedded("sql", "-c", sql, *place)
    size = CHUNK_SIZES[number % len(CHUNK_SIZES)]
    got = cluster.submit("--sql", sql, *place, "--chunk-size", size, "--state", folder / f"{number}.state")
    told = f"query {number}: {sql}\n{got.stderr}"
    equal(got.returncode, want.returncode, told)
    check(got.stdout == want.stdout, f"{told}\n{got.stdout[:300]!r} and not {want.stdout[:300]!r}")
    if want.returncode:
        equal(first_line(got.stderr), first_line(want.stderr), told)
    return want.returncode == 0


def test_random_queries(cluster, folder):
    databases = database.make_all(TAMIZ, ROOT / "packs", folder / "data", options.seed, NASTY_VARIANTS)
    tamiz = engines.Tamiz(TAMIZ)
    enabled = {
        name for name, sql in features.PROBES.items() if tamiz.run(databases[0], sql, engines.FIRST_WAY)[0] == 0
    }
    queries = [make_query(databases, enabled, options.seed, number) for number in range(options.count)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(compare, cluster, folder, number, *query) for number, query in enumerate(queries)]
        with_rows = sum(one.result() for one in waiting)
    print(f"# {len(queries)} queries of seed {options.seed}, {with_rows} with an answer and the others with an error")
    check(with_rows > len(queries) / 2, "most of them fail")


def test_nothing_is_left(cluster, folder):
    cluster.wait_clean()
    equal({name: count for name, count in cluster.queues().items() if count}, {})


options = arguments()
run_tests(
    {name: test for name, test in globals().items() if name.startswith("test_")},
    config={"gateway": {"jobs_max": 3}, "reducer": {"replicas": 3}, "filter": {"replicas": 1}},
)
