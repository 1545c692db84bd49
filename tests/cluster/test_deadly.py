"""Jobs that end the process which works on them: they are failed with that reason, and the others go on."""

import pathlib
import resource

from cluster import TAMIZ, Cluster, check, embedded, equal, generate, run_tests
from harness import SANITIZED

POISON = pathlib.Path(TAMIZ).resolve().parent / "tests" / "cluster" / "poison.so"
ALL = "SELECT k, count(*) AS n FROM notes GROUP BY k ORDER BY k"
IN_MAP = "SELECT k, count(*) AS n FROM notes WHERE v ~ 'w(o|u)rd' GROUP BY k ORDER BY k"
IN_REDUCER = "SELECT k, min(v) AS m FROM notes GROUP BY k HAVING min(v) ~ 'w(o|u)rd' ORDER BY k"
IN_COLLECTOR = "SELECT min(v) ~ 'w(o|u)rd' AS m FROM notes"
REDUCERS = ["reducer-0", "reducer-1"]
ALL_PAIRS = """SELECT a.transaction_id, b.transaction_id, a.created_at FROM transaction_items a
    JOIN transaction_items b ON a.item_id = b.item_id ORDER BY 1, 2, 3"""
ENV = {"LD_PRELOAD": str(POISON)}
BY_KIND = {
    "segv": "signal 11",
    "abort": "signal 6",
    "exit": "its process has exited",
    "_exit": "exited without a word",
    "kill": "it was killed",
    "memory": "no more memory",
}


def notes(folder, kind=None):
    folder.mkdir(parents=True)
    rows = [f"{i % 50},word {i}" for i in range(2000)]
    if kind:
        rows.append(f"7,poison {kind}")
    (folder / "notes.csv").write_text("k,v\n" + "".join(f"{row}\n" for row in rows))
    return folder


def poison_start(cluster, folder, kind, sql):
    return cluster.submit_start("--sql", sql, "--data", notes(folder / f"{kind}-{abs(hash(sql))}", kind))


def check_poison(cluster, process, kind, who):
    status, out, err = cluster.finish(process)
    check(status != 0, f"{kind}: {out}")
    check(who in err and BY_KIND[kind] in err, f"{kind}: {err}")
    check("at the same place" in err, err)


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
        check_poison(cluster, poison_start(cluster, folder, kind, IN_REDUCER), kind, "reducer")
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
    check_poison(cluster, poison_start(cluster, folder, "kill", IN_COLLECTOR), "kill", "the collector")
    honest(cluster, folder)


def test_beside_honest_jobs(cluster, folder):
    """Several at once: each is found, and whoever was beside it is not taken for it."""
    deadly = {kind: poison_start(cluster, folder, kind, IN_REDUCER) for kind in ["memory", "segv"]}
    honest(cluster, folder)
    for kind, process in deadly.items():
        check_poison(cluster, process, kind, "reducer")


def data_bytes(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(text.split("VmData:")[1].split()[0])


def limit_memory(cluster, spare):
    """Watchers hand their limits on to what they start."""
    pids = cluster.nodes(watchers=True)
    most = max(data_bytes(pids[name]) for name in REDUCERS) + spare
    for name, pid in pids.items():
        if name.startswith("watcher"):
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
    cluster.wait_replaced(cluster.kill_all(REDUCERS))


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
