"""Clients that send everything, leave, and come back late or too late."""

import time

from cluster import check, embedded, equal, generate, run_tests

TTL_MS = 10000
WAIT_SECONDS_MAX = 90


def listed(cluster, job):
    """What `tamiz status` says of a job; None when it says nothing."""
    return next((one for one in cluster.status()["jobs"] if one["id"] == job), None)


def wait_idle(cluster, job, idle_ms):
    """Until nobody has asked for the job for so long. The job is there all the time."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while True:
        seen = listed(cluster, job)
        check(seen is not None, "the job has expired too early")
        if seen["idle_ms"] >= idle_ms:
            return
        check(time.monotonic() < deadline, f"never idle: {seen}")
        time.sleep(0.05)


def wait_gone(cluster, job):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while listed(cluster, job) is not None:
        check(time.monotonic() < deadline, "the job does not expire")
        time.sleep(0.1)


def wait_empty(cluster):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while cluster.leftovers() or any(cluster.queues().values()):
        check(time.monotonic() < deadline, f"left behind: {cluster.leftovers()} {cluster.queues()}")
        time.sleep(0.1)


def send(cluster, folder):
    """A job whose client leaves when everything is sent: its id and what it should answer."""
    data = generate("coffee", folder / "coffee", "1M")
    done = cluster.submit("coffee", "--data", data, "--no-wait", "-q")
    equal((done.returncode, done.stdout), (0, ""), done.stderr)
    return done.stderr.split()[2], embedded("run", "coffee", "--data", data, "-f", "csv").stdout


def fetch(cluster, job):
    return cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")


def test_late_and_too_late(cluster, folder):
    job, want = send(cluster, folder)
    wait_idle(cluster, job, TTL_MS / 2)
    got = fetch(cluster, job)
    equal((got.returncode, got.stdout), (0, want), got.stderr)
    wait_gone(cluster, job)
    gone = fetch(cluster, job)
    equal((gone.returncode, gone.stdout), (2, ""), gone.stderr)
    check("the job has expired: nobody asked for it for too long" in gone.stderr, gone.stderr)
    wait_empty(cluster)


def test_nodes_killed_meanwhile(cluster, folder):
    job, want = send(cluster, folder)
    names = ["gateway-0", "gateway-1", "collector"]
    before = cluster.nodes()
    for name in names:
        cluster.kill(name)
    cluster.wait_nodes(len(before))
    got = fetch(cluster, job)
    equal((got.returncode, got.stdout), (0, want), got.stderr)
    after = cluster.nodes()
    check(all(before[name] != after[name] for name in names), f"{before} {after}")
    wait_gone(cluster, job)
    gone = fetch(cluster, job)
    equal((gone.returncode, gone.stdout), (2, ""), gone.stderr)
    wait_empty(cluster)


run_tests(globals(), config={"cluster": {"job_ttl": f"{TTL_MS}ms"}})
