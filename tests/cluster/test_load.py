"""Many clients at once, and crowds of idle and slow connections: a small form of `make cluster-load`, which also
compares how long it takes."""

from cluster import run_tests
from crowd import Crowd, all_addresses, check_job, make_jobs, run_together, watch_cluster

OPTIONS = ["--gateways", "2", "--reducers", "2", "--filters", "1"]
CLIENTS = 10
IDLE, SLOW = 150, 15
TURNS = 3


def test_many_clients(cluster, folder):
    jobs = make_jobs(folder, {"coffee": "4M", "movies": "2M", "books": "2M"})
    run_together(cluster, jobs, CLIENTS, folder)
    cluster.wait_clean()


def test_idle_and_slow_connections(cluster, folder):
    args, want = make_jobs(folder, {"coffee": "8M"})[0]
    with watch_cluster(cluster) as memory:
        for _ in range(TURNS):
            with Crowd(all_addresses(cluster), IDLE, SLOW):
                check_job(cluster, args, want)
    memory.check({"gateway": 200, "proxy": 50})
    cluster.wait_clean()


if __name__ == "__main__":
    run_tests(globals(), *OPTIONS)
