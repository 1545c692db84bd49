"""Clusters of other shapes than usual: what they are made of does not show in the bytes."""

import random

from cluster import Cluster, check, embedded, equal, generate, run_tests

SIZES = {"coffee": "2M", "movies": "1M", "books": "1M"}


def compare_packs(cluster, folder):
    for pack, size in SIZES.items():
        data = generate(pack, folder / pack, size)
        want = embedded("run", pack, "--data", data, "-f", "csv").stdout
        got = cluster.answer(pack, "--data", data, "-f", "csv", "--chunk-size", "20K")
        check(got == want, f"{pack}: {got[:300]!r} and not {want[:300]!r}")
    cluster.wait_clean()


def beside(cluster, folder, config):
    """Another cluster on the broker of the first."""
    other = Cluster(config=config, broker_url=cluster.broker_url(), folder=folder / "other")
    try:
        compare_packs(other, folder)
    finally:
        other.close()


def test_one_reducer_and_one_packet_at_a_time(cluster, folder):
    compare_packs(cluster, folder)


def test_private_broker_of_a_cluster_file(cluster, folder):
    """The file says ${TAMIZ_BROKER_URL}, which nobody has set."""
    check("TAMIZ_BROKER_URL" not in cluster.env, "the environment has a broker")
    check("${TAMIZ_BROKER_URL}" in cluster.file.read_text(), "the file has another broker")
    equal(cluster.broker_state()["name"], "tamiz")


def test_seven_reducers_and_a_thousand_packets(cluster, folder):
    config = {
        "cluster": {"name": "seven"},
        "reducer": {"replicas": 7, "prefetch": 1000},
        "collector": {"prefetch": 1000},
    }
    beside(cluster, folder, config)


def test_quorum_queues(cluster, folder):
    config = {
        "cluster": {"name": "quorum"},
        "broker": {"queues": "quorum"},
        "gateway": {"replicas": 3},
        "filter": {"replicas": 2, "when": "always"},
    }
    beside(cluster, folder, config)
    types = {kind for name, kind in cluster.queue_types().items() if name.startswith("quorum.")}
    check("quorum" in types and "classic" not in types, f"queues: {cluster.queue_types()}")


def test_small_disks(cluster, folder):
    config = {"cluster": {"name": "small", "disk_max": "100K"}}
    small = Cluster(config=config, broker_url=cluster.broker_url(), folder=folder / "small")
    try:
        rng = random.Random(1)
        (folder / "t.csv").write_text("id,x\n" + "".join(f"{i},{rng.getrandbits(60)}\n" for i in range(50000)))
        args = ["--data", folder, "-f", "csv", "--chunk-size", "20K"]
        refused = small.submit("--sql", "SELECT x, id FROM t ORDER BY x", *args)
        equal((refused.returncode, refused.stdout), (1, ""), refused.stderr[:300])
        check("on its disk, and disk_max is 100.0 KB in the cluster file" in refused.stderr, refused.stderr)
        query = "SELECT count(*), sum(x) FROM t"
        equal(small.answer("--sql", query, *args), embedded("sql", "-c", query, "--data", folder, "-f", "csv").stdout)
        small.wait_clean()
    finally:
        small.close()


def test_nothing_is_left(cluster, folder):
    equal({name: count for name, count in cluster.queues().items() if count}, {})


run_tests(
    globals(),
    config={
        "gateway": {"replicas": 1},
        "reducer": {"replicas": 1, "prefetch": 1},
        "collector": {"prefetch": 1},
    },
)
