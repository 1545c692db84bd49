#!/usr/bin/env python3
"""usage: tests/cluster/intruders.py [FRAMES] [SEED] [TURNS] [RATE]     (through `make cluster-intruders`)

Strangers at every port of a cluster with users: frames of clients, requests over HTTP and lines of watchers, made up or
changed, at the proxy, the gateways, the pages of health of all nodes, the watchers and the console. Some show no token,
some a wrong one, some are a user who may have a few jobs of their own. Meanwhile another user has one honest job after
the other.

No process may end or be started again, no sanitizer say a word, no memory grow without bound, no job be wrong. Then, with
TURNS, jobs take turns alone and beside RATE frames a second: how much slower are they?"""

import argparse
import json
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from cluster import PATIENCE_SECONDS, TAMIZ, WIRE_VERSION, Cluster, Skip, check, clean_up_when_told_to_end
from cluster import embedded, equal, generate, wait_for
from harness import free_ports
from hostile import Clients, Lines, Noise, Requests, attack, hello
from rounds import forked

ATTACKERS = 3
TOLD_SECONDS = 15
# What a node may have more than before: frames of its strangers, and what an allocator keeps.
GROWTH_MB_MAX = 600
ROLES = ("proxy", "gateway", "reducer", "collector", "filter", "watcher")
BAD = re.compile(r"(Sanitizer|runtime error|Assertion).*")


def user(folder, *words):
    done = embedded("user", *words, "--file", folder / "users.ini")
    equal(done.returncode, 0, done.stderr)
    return done.stdout.strip()


def memory_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0


class Jobs(threading.Thread):
    """One after the other, until it is told to stop."""

    def __init__(self, cluster, folder, args, want):
        super().__init__(daemon=True)
        self.cluster, self.folder, self.args, self.want = cluster, folder, args, want
        self.enough, self.count, self.problems = threading.Event(), 0, []

    def run(self):
        while not self.enough.is_set():
            done = self.cluster.submit(*self.args, "--state", self.folder / f"{self.count}.state")
            self.count += 1
            if done.returncode != 0 or done.stdout != self.want:
                self.problems.append(f"{done.returncode} {done.stderr} {done.stdout[:200]}")


class Console:
    """`tamiz console`, which has a port, too."""

    def __init__(self, cluster, port):
        self.port = port
        self.log = open(cluster.folder / "console.log", "w+", encoding="utf-8")
        words = ["console", "--server", cluster.server, "--listen", f"127.0.0.1:{port}"]
        self.process = subprocess.Popen([TAMIZ, *words], env=cluster.env, stdout=self.log, stderr=self.log)
        wait_for("the console", self.is_there)

    def is_there(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except ConnectionRefusedError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        """What it said; it has to end well."""
        self.process.terminate()
        status = self.process.wait(PATIENCE_SECONDS)
        self.log.seek(0)
        text = self.log.read()
        self.log.close()
        check(status in (0, -15) and not BAD.search(text), f"the console: {status} {text[-2000:]}")


def targets(cluster, console, greetings):
    """(port, maker) of everything that listens, and the names of the ports."""
    config = cluster.config()
    replicas = {role: config.getint(role, "replicas", fallback=1) for role in ROLES}
    found = []
    for role in ROLES:
        for index in range(replicas[role]):
            found.append((int(config[role]["health"].rsplit(":", 1)[1]) + index, [Requests(), Requests(), Noise()]))
            if role in ("proxy", "gateway"):
                found.append((int(config[role]["listen"].rsplit(":", 1)[1]) + index, [Clients(greetings)] * 8 + [Requests(), Noise()]))
            if role == "watcher":
                found.append((int(config[role]["listen"].rsplit(":", 1)[1]) + index, [Lines(), Lines(), Noise()]))
    # The pages that gateways serve themselves, and that of `tamiz console`.
    served = int(config["console"]["listen"].rsplit(":", 1)[1])
    for port in (served, served + 1, console.port):
        found.append((port, [Requests(), Requests(), Noise()]))
    # Where jobs are done most things can go wrong.
    weights = [(port, maker, 4 if isinstance(makers[0], Clients) else 1) for port, makers in found for maker in makers]
    return [(port, maker) for port, maker, weight in weights for _ in range(weight)]


class Siege:
    """Attackers, until they have sent all that they have to."""

    def __init__(self, aims, seed, frames, rate=0):
        self.told = [forked.Array("q", 3, lock=False) for _ in range(ATTACKERS)]
        self.processes = [
            forked.Process(target=attack, args=(aims, seed * ATTACKERS + i, frames // ATTACKERS + 1, rate / ATTACKERS, self.told[i]), daemon=True)
            for i in range(ATTACKERS)
        ]
        for process in self.processes:
            process.start()

    def sums(self):
        return [sum(told[i] for told in self.told) for i in range(3)]

    def is_over(self):
        return not any(process.is_alive() for process in self.processes)

    def end(self):
        for process in self.processes:
            process.terminate()
            process.join()


def besiege(cluster, aims, frames, seed, jobs):
    nodes = cluster.nodes(watchers=True)
    before = {name: memory_mb(pid) for name, pid in nodes.items()}
    most = dict(before)
    siege = Siege(aims, seed, frames)
    jobs.start()
    began = told = time.monotonic()
    try:
        while not siege.is_over():
            equal(cluster.nodes(watchers=True), nodes, "processes changed")
            for name, pid in nodes.items():
                most[name] = max(most[name], memory_mb(pid))
            if time.monotonic() - told > TOLD_SECONDS:
                told = time.monotonic()
                print(f"{told - began:.0f} s: {siege.sums()[0]} frames, {jobs.count} jobs, {max(most.values())} MB at most", flush=True)
            time.sleep(0.5)
    finally:
        siege.end()
        jobs.enough.set()
        jobs.join(PATIENCE_SECONDS)
    sent, connections, refused = siege.sums()
    check(sent >= frames, f"only {sent} of {frames} were sent")
    equal(jobs.problems, [])
    check(jobs.count > 0, "no job")
    equal(cluster.nodes(watchers=True), nodes, "processes changed")
    for name, pid in nodes.items():
        print(f"{name:12} {before[name]:5} MB before, {most[name]:5} at most, {memory_mb(pid):5} afterwards")
        check(most[name] - before[name] <= GROWTH_MB_MAX, f"{name} has grown by {most[name] - before[name]} MB")
    print(f"{sent} frames and requests on {connections} connections in {time.monotonic() - began:.0f} s, {refused} of them refused; {jobs.count} jobs right")


def nothing_is_left(cluster, mallory, eva):
    """What strangers had open is forgotten: the places of connections, and the jobs, which end with their users or are cancelled."""

    def clients():
        cluster.env["TAMIZ_TOKEN"] = eva
        return cluster.status()["clients"]

    # The one that asks, and the console's.
    wait_for(lambda: f"an end of {clients()} connections", lambda: clients() <= 3)
    check(mallory not in json.dumps(cluster.status()), "a token is told")
    cluster.wait_clean()


def timed(cluster, args, state, want):
    began = time.monotonic()
    equal(cluster.answer(*args, "--state", state), want)
    return time.monotonic() - began


def compare(cluster, aims, rate, turns, seed, folder, job):
    """Medians of jobs alone and beside strangers, by turns, with the file that has most of them first."""
    alone, beside = [], []
    frames = 0
    for turn in range(turns):
        alone.append(timed(cluster, job[0], folder / f"alone-{turn}.state", job[1]))
        siege = Siege(aims, seed + turn, 10**9, rate)
        try:
            wait_for("strangers", lambda siege=siege: siege.sums()[1] >= ATTACKERS)
            beside.append(timed(cluster, job[0], folder / f"beside-{turn}.state", job[1]))
        finally:
            frames += siege.sums()[0]
            siege.end()
    times = statistics.median(beside) / statistics.median(alone)
    print(
        f"a job takes {statistics.median(alone):.2f} s alone and {statistics.median(beside):.2f} s beside {frames / sum(beside):.0f} frames "
        f"a second: {times:.2f} times (medians of {turns})"
    )
    return times


def play(options, place):
    (place / "users.ini").write_text("[gateway]\nusers = users\n")
    eva, ana = user(place, "add", "eva", "--role", "admin"), user(place, "add", "ana")
    mallory = user(place, "add", "mallory", "--jobs", "4")
    env = {
        "TAMIZ_TOKEN": ana,
        "ASAN_OPTIONS": "quarantine_size_mb=16:detect_leaks=1:allocator_may_return_null=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    config = {
        "gateway": {"users": place / "users", "replicas": 2},
        "reducer": {"replicas": 2},
        "filter": {"replicas": 1},
        "watcher": {"replicas": 3},
        "console": {"listen": f"127.0.0.1:{free_ports(2)[0]}"},
        "cluster": {"receive_ttl": "10s", "job_ttl": "60s"},
    }
    cluster = Cluster(config=config, folder=place / "cluster", env=env)
    logs, console = "", None
    try:
        console = Console(cluster, cluster.port + 90)
        greetings = [hello(WIRE_VERSION, token) for token in ("", ana[:-1], *[mallory] * 6)] + [hello(2, mallory)]
        aims = targets(cluster, console, greetings)
        check(len({port for port, _ in aims}) == 19, f"{len({port for port, _ in aims})} ports")
        (place / "jobs").mkdir()
        data = generate("coffee", place / "coffee", options.size)
        args = ["coffee", "--data", data, "-f", "csv"]
        want = embedded("run", *args).stdout
        if options.frames:
            besiege(cluster, aims, options.frames, options.seed, Jobs(cluster, place / "jobs", args, want))
        if options.turns:
            compare(cluster, aims, options.rate, options.turns, options.seed, place / "jobs", (args, want))
        nothing_is_left(cluster, mallory, eva)
        console.close()
        equal(cluster.down().returncode, 0)
        for log in sorted((cluster.state / "log").glob("*.log")):
            found = BAD.search(text := log.read_text("utf-8", "replace"))
            check(not found, f"{log.name}: {found and text[found.start() :][:3000]}")
            check("PLACE_LOST" not in text, log.name)
            logs += text
        check("CLIENT_TURNED_AWAY" in logs and "AUDIT action=open" in logs, "nobody was there")
        for token in (eva, ana, mallory):
            check(token not in logs, "a token is in a log")
    finally:
        if console:
            console.kill()
        cluster.close()


def main():
    clean_up_when_told_to_end()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("frames", 1000000), ("seed", 1), ("turns", 0), ("rate", 500)):
        parser.add_argument(name, type=int, nargs="?", default=usual)
    parser.add_argument("--size", default="2M", help="of the honest jobs' data")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tamiz-intruders-") as place:
        try:
            play(options, pathlib.Path(place))
        except Skip as reason:
            print(f"skip intruders {reason}")
            return 0
    print(f"seed {options.seed}: nobody has come in")
    return 0


if __name__ == "__main__":
    sys.exit(main())
