"""Jobs that could harm others: whatever one job does, the others go on, and it ends with a reason."""

import os
import time

from cluster import check, embedded, equal, generate, run_tests

ALL_PAIRS = "SELECT count(*), sum(a.quantity * b.quantity) FROM transaction_items a CROSS JOIN transaction_items b"


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def working_jobs(cluster):
    return [job["id"] for job in cluster.status()["jobs"] if job["state"] == "working"]


def test_all_pairs_beside_small_jobs(cluster, folder):
    """A fold that would take hours: small jobs are answered, no node looks stuck, and cancel ends it."""
    data = generate("coffee", folder / "coffee", "20M")
    small = generate("coffee", folder / "small", "1M")
    want = embedded("run", "coffee", "--data", small, "-f", "csv").stdout
    nodes = cluster.nodes()
    monster = cluster.submit_start("--sql", ALL_PAIRS, "--data", data)
    cluster.wait_for(lambda: working_jobs(cluster), "the large job has all its input")
    job = working_jobs(cluster)[0]
    reducers = [nodes["reducer-0"], nodes["reducer-1"]]
    used = [cpu_seconds(pid) for pid in reducers]
    cluster.wait_for(
        lambda: any(cpu_seconds(pid) > before + 0.5 for pid, before in zip(reducers, used)),
        "a reducer that works on it",
    )
    for _ in range(3):
        equal(cluster.answer("coffee", "--data", small, "-f", "csv"), want)
    for name in ["reducer-0", "reducer-1", "collector"]:
        check(cluster.is_green(name), f"{name} is not green beside a job that takes long")
    equal(working_jobs(cluster), [job])

    equal(cluster.tamiz("cancel", job, "--server", cluster.server).returncode, 0)
    status, _, stderr = cluster.finish(monster)
    check(status != 0, f"a cancelled job ended with status 0: {stderr}")

    def is_quiet():
        before = [cpu_seconds(pid) for pid in reducers]
        time.sleep(0.2)
        return all(cpu_seconds(pid) - was < 0.1 for pid, was in zip(reducers, before))

    cluster.wait_for(is_quiet, "reducers that work no more on a job that was cancelled")
    cluster.wait_for(lambda: not any(job in path for path in cluster.leftovers()), "no file of the cancelled job")
    equal(cluster.nodes(), nodes, "a process was replaced")


run_tests(globals())
