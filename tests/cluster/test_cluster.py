"""A cluster of real processes on a real RabbitMQ: the same bytes as embedded, whatever is killed."""

import filecmp
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

TAMIZ = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tamiz"))
RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"
SECONDS_MAX = 120


def free_port():
    """The first of a few ports in a row that nobody listens on: proxies and gateways."""
    while True:
        port = random.randrange(20000, 30000)
        try:
            for offset in range(8):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port + offset))
            return port
        except OSError:
            continue


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.state = os.path.join(folder, "state")
        self.port = free_port()
        self.environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "client"))
        self.tamiz("up", "--detach", "--state", self.state, "--port", str(self.port))

    def tamiz(self, *words):
        done = subprocess.run([TAMIZ, *words], capture_output=True, text=True, env=self.environment,
                              timeout=SECONDS_MAX, check=False)
        if done.returncode != 0:
            raise AssertionError(f"tamiz {' '.join(words)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def path(self, name):
        return os.path.join(self.folder, name)

    def data(self, pack, size):
        """A folder of generated files and one with the embedded engine's results."""
        folder, want = self.path(f"{pack}-{size}"), self.path(f"{pack}-{size}-want")
        if not os.path.isdir(folder):
            self.tamiz("gen", pack, "--out", folder, "--size", size, "--quiet")
            self.tamiz("run", pack, "--data", folder, "--output", want, "--quiet")
        return folder, want

    def submit(self, pack, folder, out):
        return subprocess.Popen(
            [TAMIZ, "submit", pack, "--data", folder, "--server", f"127.0.0.1:{self.port}",
             "--output", out, "--quiet"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)

    def processes(self, *words):
        """Ids of this cluster's processes whose command line has all the words."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                    line = file.read().replace("\0", " ")
            except OSError:
                continue
            if self.state in line and all(word in line for word in words):
                found.append(int(pid))
        return found

    def down(self):
        self.tamiz("down", "--state", self.state)


def ends_well(process, want, out):
    _, errors = process.communicate(timeout=SECONDS_MAX)
    assert process.returncode == 0, f"status {process.returncode}: {errors}"
    names = sorted(os.listdir(want))
    # A client that was killed leaves its unfinished files behind, under names that start with a dot.
    got = sorted(name for name in os.listdir(out) if not name.startswith("."))
    assert names and got == names, (names, got)
    _, different, missing = filecmp.cmpfiles(want, out, names, shallow=False)
    assert not different and not missing, f"differ: {different} {missing}"
    shutil.rmtree(out)


def test_packs(cluster):
    for pack, size in (("coffee", "20M"), ("movies", "8M"), ("books", "8M")):
        folder, want = cluster.data(pack, size)
        ends_well(cluster.submit(pack, folder, cluster.path("got")), want, cluster.path("got"))


def test_jobs_at_once(cluster):
    running = []
    for pack, size in (("coffee", "20M"), ("movies", "8M"), ("books", "8M")):
        folder, want = cluster.data(pack, size)
        out = cluster.path(f"got-{pack}")
        running.append((cluster.submit(pack, folder, out), want, out))
    for process, want, out in running:
        ends_well(process, want, out)


def kill_during_job(cluster, delay, *words):
    folder, want = cluster.data("coffee", "100M")
    out = cluster.path("got")
    process = cluster.submit("coffee", folder, out)
    time.sleep(delay)
    victims = cluster.processes(*words)
    assert victims, f"no process for {words}"
    os.kill(victims[0], signal.SIGKILL)
    ends_well(process, want, out)


def test_killed_reducer(cluster):
    kill_during_job(cluster, 0.15, " reducer ")


def test_killed_collector(cluster):
    kill_during_job(cluster, 0.2, " collector ")


def test_killed_gateway(cluster):
    kill_during_job(cluster, 0.1, " gateway ")


def test_killed_proxy(cluster):
    kill_during_job(cluster, 0.1, " proxy ")


def test_killed_broker(cluster):
    kill_during_job(cluster, 0.2, "beam.smp")


def test_killed_client(cluster):
    folder, want = cluster.data("coffee", "100M")
    out = cluster.path("got")
    process = cluster.submit("coffee", folder, out)
    time.sleep(0.1)
    process.kill()
    process.communicate()
    ends_well(cluster.submit("coffee", folder, out), want, out)


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    if not os.path.exists(RABBITMQ):
        for name, _ in tests:
            print(f"skip {name} RabbitMQ is not installed")
        return 0
    failed = False
    with tempfile.TemporaryDirectory(prefix="tamiz-cluster-") as folder:
        cluster = Cluster(folder)
        try:
            for name, test in tests:
                try:
                    test(cluster)
                    print(f"ok {name}", flush=True)
                except Exception:  # pylint: disable=broad-except
                    failed = True
                    print(f"not ok {name}", flush=True)
                    print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
        finally:
            cluster.down()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
