"""Many clients at once, and crowds of idle and slow connections: a small form of `make cluster-load`."""

from cluster import check, run_tests
from crowd import compare_with_crowd, make_jobs, run_together, watch_cluster

OPTIONS = ["--gateways", "2", "--reducers", "2", "--filters", "1"]
CLIENTS = 10
IDLE, SLOW = 150, 15
# Times are too short here to be compared closely; make cluster-load does.
SLOWER_MAX, SLACK_SECONDS = 3.0, 2.0


def test_many_clients(cluster, folder):
    jobs = make_jobs(folder, {"coffee": "4M", "movies": "2M", "books": "2M"})
    run_together(cluster, jobs, CLIENTS, folder)
    cluster.wait_clean()


def test_idle_and_slow_connections(cluster, folder):
    args, want = make_jobs(folder, {"coffee": "8M"})[0]
    with watch_cluster(cluster) as memory:
        alone, crowded = compare_with_crowd(cluster, args, want, 3, IDLE, SLOW)
    check(crowded <= SLOWER_MAX * alone + SLACK_SECONDS, f"{crowded:.2f} s in a crowd, {alone:.2f} s without")
    memory.check({"gateway": 200, "proxy": 50})
    cluster.wait_clean()


if __name__ == "__main__":
    run_tests(globals(), *OPTIONS)
