"""Every node is ended as an upgrade would end it, one after the other, while clients go on: no job fails."""

import contextlib
import json
import os
import re
import shutil
import signal
import stat
import threading

from cluster import PATIENCE_SECONDS, Skip, check, embedded, equal, generate, run_tests, wait_for

CLIENTS = 4


class Client(threading.Thread):
    """Jobs, one after the other, until it is told to stop; what went wrong is in `problems`."""

    def __init__(self, cluster, folder, data, want, number):
        super().__init__(daemon=True)
        self.cluster, self.folder, self.data, self.want, self.number = cluster, folder, data, want, number
        self.enough, self.jobs, self.problems = threading.Event(), 0, []

    def run(self):
        while not self.enough.is_set() and not self.problems:
            state = self.folder / f"{self.number}-{self.jobs}.state"
            done = self.cluster.submit("coffee", "--data", self.data, "-f", "csv", "--chunk-size", "50K", "--state", state)
            self.jobs += 1
            if done.returncode != 0 or done.stdout != self.want:
                self.problems.append(f"{done.returncode} {done.stderr} {done.stdout[:200]}")


@contextlib.contextmanager
def under_load(cluster, folder):
    data = generate("coffee", folder / "coffee", "2M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    clients = [Client(cluster, folder, data, want, number) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        yield
    finally:
        for client in clients:
            client.enough.set()
        for client in clients:
            client.join(PATIENCE_SECONDS)
    for client in clients:
        equal(client.problems, [])
        check(client.jobs > 0, "no job")
    # None of them was submitted again, either: what was ended took its time to hand over.
    log = "".join(file.read_text() for file in (cluster.state / "log").glob("*.log"))
    check("JOB_FAILED" not in log, "a job failed on the way")
    cluster.wait_clean()


def restart(cluster, names):
    for name in names:
        before = cluster.nodes(watchers=True)[name]
        os.kill(before, signal.SIGTERM)
        cluster.wait_replaced({name: before})


def test_rolling_restart(cluster, folder):
    names = sorted(cluster.nodes(watchers=True))
    check({"collector", "gateway-0", "reducer-1", "proxy-0", "watcher-2"} <= set(names), names)
    with under_load(cluster, folder):
        restart(cluster, names)


def jobs_opened(cluster):
    return sum(log.read_text().count('"action":"open"') for log in (cluster.state / "log").glob("gateway-*.log"))


def test_drained_nodes_stay_out(cluster, folder):
    """Nobody starts them again, whoever leads; jobs go on without a gateway and a filter, and wait for a reducer."""
    names = ["gateway-0", "filter-0"]
    with under_load(cluster, folder):
        for name in names:
            done = cluster.tamiz("drain", name, "--file", cluster.file)
            equal(done.returncode, 0, done.stderr)
            check(f"{name} has ended" in done.stderr, done.stderr)
            check(name not in cluster.nodes(), "it runs")
        # A new leader knows of it, too.
        wait_for("a leader", cluster.leader)
        cluster.wait_replaced(cluster.kill_all([f"watcher-{cluster.leader()['watcher']}"]))
        for name in names:
            wait_for("the watchers to say so", lambda name=name: cluster.watched(name).get("state") == "drained")
        jobs = jobs_opened(cluster)
        wait_for("more jobs", lambda: jobs_opened(cluster) > jobs + CLIENTS)
        check(not set(names) & set(cluster.nodes()), "somebody started them")
        for name in names:
            equal(cluster.tamiz("drain", name, "--undo", "--file", cluster.file).returncode, 0)
            check(cluster.is_green(name), "it is not ready")
    done = cluster.tamiz("drain", "reducer-1", "--file", cluster.file)
    check(done.returncode == 0 and "jobs wait for it" in done.stderr, done.stderr)
    (folder / "t.csv").write_text("n\n1\n2\n")
    query = ["--sql", "SELECT n, count(*) FROM t GROUP BY n ORDER BY n", "--data", folder, "-f", "csv"]
    waits = cluster.submit_start(*query, "--state", folder / "waits.state")
    wait_for("the job", lambda: [job["state"] for job in cluster.status()["jobs"]] == ["working"])
    equal(cluster.tamiz("drain", "reducer-1", "--undo", "--file", cluster.file).returncode, 0)
    status, out, err = cluster.finish(waits)
    equal((status, out), (0, "n,count\n1,1\n2,1\n"), err)
    done = cluster.tamiz("drain", "reducer-1", "--undo", "--file", cluster.file)
    check(done.returncode == 2 and "is not drained" in done.stderr, done.stderr)
    done = cluster.tamiz("drain", "reducer-9", "--file", cluster.file)
    check(done.returncode == 2 and 'no node "reducer-9"' in done.stderr, done.stderr)
    cluster.wait_clean()


def test_two_reducers_become_four(cluster, folder):
    names = sorted(cluster.nodes())
    text = cluster.file.read_text()
    check("replicas = 2\n" in text, text)
    with under_load(cluster, folder):
        cluster.file.write_text(text.replace("replicas = 2\n", "replicas = 4\n"))
        # Those that lead with the new file start what it has more.
        restart(cluster, [f"watcher-{i}" for i in range(3)])
        wait_for("the new reducers", lambda: cluster.is_green("reducer-2") and cluster.is_green("reducer-3"))
        restart(cluster, names)
        wait_for("a job that all four work on", lambda: cluster.status()["reducers"] == 4 and cluster.status()["jobs"])


def test_logs_are_json(cluster, folder):
    for name in ("gateway-0", "reducer-1", "watcher-0"):
        events = [json.loads(line) for line in (cluster.state / "log" / f"{name}.log").read_text().splitlines()]
        check({"STARTED", "ENDING" if name != "watcher-0" else "ENDED"} <= {event["event"] for event in events}, events)
        check(all(event["process"] == name and event["level"] in ("INFO", "WARN", "ERROR") for event in events), events)


def text_of(path):
    return path.read_text() if path.exists() else ""


def test_logs_are_reopened(cluster, folder):
    """As a program that rotates logs does it: a new name for the file, then a signal. Nobody ends of it."""
    nodes = cluster.nodes(watchers=True)
    logs = cluster.state / "log"
    for name, pid in nodes.items():
        (logs / f"{name}.log").rename(logs / f"{name}.log.1")
        os.kill(pid, signal.SIGHUP)
    for name in nodes:
        wait_for(f"a new log of {name}", lambda name=name: "LOG_REOPENED" in text_of(logs / f"{name}.log"))
    (folder / "t.csv").write_text("n\n1\n2\n")
    equal(cluster.answer("--sql", "SELECT sum(n) FROM t", "--data", folder, "-f", "csv"), "sum\n3\n")
    check("AUDIT" in "".join(text_of(logs / f"gateway-{i}.log") for i in range(2)), "jobs are not told there")
    check(not any("LOG_REOPENED" in log.read_text() for log in logs.glob("*.log.1")), "an old file is written to")
    equal({stat.S_IMODE(log.stat().st_mode) for log in logs.glob("*.log")}, {0o600})
    equal(cluster.nodes(watchers=True), nodes, "processes changed")


def test_a_backup_that_is_put_back(cluster, folder):
    """It lacks what a reducer has taken since: the job that needs it fails as lost, and its client submits it again."""
    data = generate("coffee", folder / "coffee", "2M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    state = folder / "job.state"
    before = cluster.tamiz("drain", "reducer-1", "--file", cluster.file)
    equal(before.returncode, 0, before.stderr)
    place = cluster.state / "nodes" / "reducer-1"
    shutil.copytree(place, folder / "backup")
    equal(cluster.tamiz("drain", "reducer-1", "--undo", "--file", cluster.file).returncode, 0)
    process = cluster.submit_begun(state, want, "coffee", "--data", data, "-f", "csv", "--chunk-size", "2K")
    with cluster.standing_still([process.pid]):
        if not any(place.glob("job-*")):
            raise Skip("the job was over before it was seen")
        equal(cluster.tamiz("drain", "reducer-1", "--file", cluster.file).returncode, 0)
        shutil.rmtree(place)
        shutil.copytree(folder / "backup", place)
        equal(cluster.tamiz("drain", "reducer-1", "--undo", "--file", cluster.file).returncode, 0)
    status, out, err = cluster.finish(process)
    equal(status, 0, err)
    check(out == want, f"{out[:300]!r}")
    # Whoever notices it first says so: the reducer itself, as a rule.
    logs = cluster.state / "log"
    wait_for("a word about it", lambda: any(re.search(r'"event":"JOB_FAILED".*never came', text_of(log)) for log in logs.glob("*.log")))
    cluster.wait_clean()


run_tests(globals(), config={"cluster": {"log": "json"}, "filter": {"replicas": 1}, "reducer": {"replicas": 2}})
