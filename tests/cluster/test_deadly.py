"""Jobs that end the process which works on them: they are failed with that reason, and the others go on."""

from cluster import Cluster, check, embedded, equal, generate, run_tests
from deadly import ALL, ALL_PAIRS, BY_KIND, ENV, IN_COLLECTOR, IN_MAP, IN_REDUCER, POISON, limit_memory, notes
from harness import SANITIZED

def poison_start(cluster, folder, kind, sql):
    return cluster.submit_start("--sql", sql, "--data", notes(folder / f"{kind}-{abs(hash(sql))}", kind))


def check_poison(cluster, process, kind, who):
    status, out, err = cluster.finish(process)
    check(status != 0, f"{kind}: {out}")
    check(who in err and BY_KIND[kind] in err, f"{kind}: {err}")
    check("at the same place" in err, err)
    return err


def honest(cluster, folder):
    """What the deadly jobs ask, of other data."""
    data = notes(folder / "honest")
    for sql in [ALL, IN_MAP, IN_REDUCER, IN_COLLECTOR]:
        equal(
            cluster.answer("--sql", sql, "--data", data, "-f", "csv"),
            embedded("sql", "--data", data, "-c", sql, "-f", "csv").stdout,
        )


def test_in_reducer(cluster, folder):
    for kind in ["segv", "exit", "_exit"]:
        err = check_poison(cluster, poison_start(cluster, folder, kind, IN_REDUCER), kind, "reducer")
        check("has ended 2 times" in err, err)
    honest(cluster, folder)


def test_in_filter(cluster, folder):
    check_poison(cluster, poison_start(cluster, folder, "abort", IN_MAP), "abort", "filter")
    honest(cluster, folder)


def test_in_gateway(_, folder):
    cluster = Cluster(config={}, folder=folder / "cluster", env=ENV)
    try:
        check_poison(cluster, poison_start(cluster, folder, "segv", IN_MAP), "segv", "gateway")
        honest(cluster, folder)
    finally:
        cluster.close()


def test_in_collector(cluster, folder):
    for kind in ["kill", "nothing left"]:
        check_poison(cluster, poison_start(cluster, folder, kind, IN_COLLECTOR), kind, "the collector")
    honest(cluster, folder)


def test_beside_honest_jobs(cluster, folder):
    """Several at once: each is found, and whoever was beside it is not taken for it."""
    deadly = {kind: poison_start(cluster, folder, kind, IN_REDUCER) for kind in ["memory", "segv"]}
    honest(cluster, folder)
    for kind, process in deadly.items():
        check_poison(cluster, process, kind, "reducer")


def test_a_join_without_memory(_, folder):
    """Pairs of all rows that have the same item, sorted: more than there is memory for."""
    coffee = generate("coffee", folder / "coffee", "20M")
    cluster = Cluster(config={}, folder=folder / "cluster")
    try:
        limit_memory(cluster, 60 << 20)
        large = cluster.submit_start("--schema", "coffee", "--sql", ALL_PAIRS, "--data", coffee)
        honest(cluster, folder)
        check_poison(cluster, large, "memory", "reducer")
        honest(cluster, folder / "again")
    finally:
        cluster.close()


if SANITIZED:
    print("skip test_deadly sanitizers have to be loaded before anything else")
    raise SystemExit(0)
check(POISON.exists(), f"{POISON} is missing: make {POISON}")
run_tests(globals(), config={"broker": {"queues": "classic"}, "filter": {"replicas": 1}}, env=ENV)
