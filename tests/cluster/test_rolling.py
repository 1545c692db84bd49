"""Every node is ended as an upgrade would end it, one after the other, while clients go on: no job fails."""

import contextlib
import json
import os
import signal
import threading

from cluster import PATIENCE_SECONDS, check, embedded, equal, generate, run_tests, wait_for

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


run_tests(globals(), config={"cluster": {"log": "json"}, "filter": {"replicas": 1}, "reducer": {"replicas": 2}})
