"""Clients that send everything, leave, and come back late or too late."""

import signal

from cluster import check, embedded, equal, generate, run_tests, wait_for

# What is left of its life is for a client that comes back late, on a machine that is busy.
TTL_MS, LATE_MS = 20000, 8000


def listed(cluster, job):
    """What `tamiz status` says of a job; None when it says nothing."""
    return next((one for one in cluster.status()["jobs"] if one["id"] == job), None)


def wait_idle(cluster, job, idle_ms):
    """Until nobody has asked for the job for so long. The job is there all the time."""

    def is_idle():
        seen = listed(cluster, job)
        check(seen is not None, "the job has expired too early")
        return seen["idle_ms"] >= idle_ms

    wait_for(lambda: f"nobody to ask for {listed(cluster, job)}", is_idle)


def wait_gone(cluster, job):
    wait_for("the job to expire", lambda: listed(cluster, job) is None)


def wait_empty(cluster):
    wait_for(
        lambda: f"nothing left behind, not {cluster.leftovers()} {cluster.queues()}",
        lambda: not cluster.leftovers() and not any(cluster.queues().values()),
    )


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
    wait_idle(cluster, job, LATE_MS)
    got = fetch(cluster, job)
    equal((got.returncode, got.stdout), (0, want), got.stderr)
    wait_gone(cluster, job)
    gone = fetch(cluster, job)
    equal((gone.returncode, gone.stdout), (2, ""), gone.stderr)
    check("the job has expired: nobody has asked for it for too long" in gone.stderr, gone.stderr)
    wait_empty(cluster)


def test_nodes_killed_meanwhile(cluster, folder):
    job, want = send(cluster, folder)
    cluster.wait_replaced(cluster.kill_all(["gateway-0", "gateway-1", "collector"]))
    got = fetch(cluster, job)
    equal((got.returncode, got.stdout), (0, want), got.stderr)
    wait_gone(cluster, job)
    gone = fetch(cluster, job)
    equal((gone.returncode, gone.stdout), (2, ""), gone.stderr)
    wait_empty(cluster)


def test_a_client_that_slept_begins_again(cluster, folder):
    data = generate("coffee", folder / "coffee", "8M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    client = cluster.submit_begun(folder / "state", want, "coffee", "--data", data, "-f", "csv", "--chunk-size", "4K")
    client.send_signal(signal.SIGSTOP)
    for job in cluster.status()["jobs"]:
        wait_gone(cluster, job["id"])
    client.send_signal(signal.SIGCONT)
    status, out, err = cluster.finish(client)
    equal((status, out), (0, want), err)
    check("the job has expired" in err and "again" in err, err)


run_tests(globals(), config={"cluster": {"job_ttl": f"{TTL_MS}ms"}})
