"""Nodes start from their own copies of the control log, as long as they are copies of the log that there is."""

import re

from cluster import check, embedded, equal, generate, run_tests, wait_for

ENTRY = b"\x01"  # of the copy's records; then come the place in the log and the entry
NODES = ["reducer-0", "reducer-1", "collector", "gateway-0", "gateway-1", "filter-0"]


def log_of(cluster, name):
    return (cluster.state / "log" / f"{name}.log").read_text()


def starts(cluster, name):
    """How often it has got ready, and from which place of the log it went on each time."""
    text = log_of(cluster, name)
    return text.count("READY incarnation="), [int(offset) for offset in re.findall(r"LOG_COPY offset=(\d+)", text)]


def wait_ready(cluster, names, before):
    for name in names:
        cluster.wait_for(lambda name=name: starts(cluster, name)[0] > before[name][0], f"{name} to be ready")


def wait_copied(cluster, part):
    """Until all copies have a record with these bytes. They get what is new when they are synced, every second."""
    for name in NODES:
        files = (cluster.state / "nodes" / name).glob
        wait_for(f"a copy at {name}", lambda: any(part in file.read_bytes() for file in files("log-*/segment-*")))


def submit(cluster, folder):
    data = generate("coffee", folder / "coffee", "1M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)


def test_start_from_the_copy(cluster, folder):
    submit(cluster, folder)
    before = {name: starts(cluster, name) for name in NODES}
    wait_copied(cluster, ENTRY + (6).to_bytes(8, "little"))
    equal(set(cluster.kill_all(NODES)), set(NODES))
    wait_ready(cluster, NODES, before)
    for name in NODES:
        copied = starts(cluster, name)[1]
        equal(len(copied), len(before[name][1]) + 1, name)
        check(copied[-1] > 5, f"{name} had copied {copied}")
    submit(cluster, folder)


def test_results_of_before(cluster, folder):
    """What a job left, after a start from the copy."""
    data = generate("coffee", folder / "coffee", "1M")
    done = cluster.submit("coffee", "--data", data, "--no-wait", "-q")
    job = done.stderr.split()[2]
    cluster.wait_for(lambda: any(one["id"] == job and one["state"] == "done" for one in cluster.status()["jobs"]), job)
    wait_copied(cluster, int(job, 16).to_bytes(8, "little"))
    before = {name: starts(cluster, name) for name in NODES}
    equal(set(cluster.kill_all(NODES)), set(NODES))
    wait_ready(cluster, NODES, before)
    got = cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")
    equal(got.stdout, embedded("run", "coffee", "--data", data, "-f", "csv").stdout, got.stderr)


def test_deleted_log(cluster, folder):
    """Somebody deletes the log: every node notices, drops its copy, and starts anew with what there is."""
    before = {name: starts(cluster, name) for name in NODES}
    (log,) = [name for name, kind, _ in cluster.list_queues() if "stream" in kind]
    cluster.rabbitmqctl("delete_queue", log)
    # Entries of others may bring it to light: a client that asks makes some.
    data = generate("coffee", folder / "coffee", "1M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    for _ in range(100):
        done = cluster.submit("coffee", "--data", data, "-f", "csv", "--restart")
        if all(starts(cluster, name)[0] > before[name][0] for name in NODES):
            break
    wait_ready(cluster, NODES, before)
    for name in NODES:
        said = "was begun anew" if name == "collector" else "is not the one that this node has read"
        check(said in log_of(cluster, name), name)
    done = cluster.submit("coffee", "--data", data, "-f", "csv", "--restart")
    equal((done.returncode, done.stdout), (0, want), done.stderr)


def test_nothing_is_left(cluster, folder):
    cluster.wait_clean()


run_tests(globals(), "--filters", "1")
