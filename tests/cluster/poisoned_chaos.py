#!/usr/bin/env python3
"""usage: tests/cluster/poisoned_chaos.py [SECONDS] [SEED] [--jobs N]     (through `make cluster-poisoned-chaos`)

`tamiz chaos` kills, stops, slows and cuts off nodes while its clients submit jobs and check the answers; among them
are clients of another kind, whose jobs end the process that works on them, want more memory than there is, never
end, divide by zero, or are abandoned. Every honest job must be right; every poisonous one must fail with its reason,
whatever was killed meanwhile; and nothing is left. With --jobs on N clusters at a time, each with a seed of its
own, the next ones."""

import collections
import pathlib
import random
import resource
import sys
import tempfile
import threading
import time

from adversary import DISK_MAX, SPARE_BYTES, Client, Data, keep_logs
from cluster import PATIENCE_SECONDS, Cluster, Skip, check, clean_up_when_told_to_end, wait_for
from deadly import ENV, limit_memory
from rounds import arguments, play_rounds

POISONERS = 2
CONFIG = {
    "cluster": {"receive_ttl": "10s", "disk_max": DISK_MAX},
    "filter": {"replicas": 1},
    "watcher": {"restarts": 1000, "pause_max": "1s"},
}


class Poisoner(threading.Thread):
    """Submits one poisonous job after the other, until it is told that it is enough."""

    KINDS = ["memory", "endless", "crash", "bad input", "abandoned"]

    def __init__(self, number, cluster, data, folder, seed):
        super().__init__()
        self.number, self.cluster, self.data, self.folder = number, cluster, data, folder
        self.chance = random.Random(f"{seed} {number}")
        self.enough = threading.Event()
        self.tally, self.problems = collections.Counter(), []

    def run(self):
        while not self.enough.is_set():
            kind = self.chance.choice(self.KINDS)
            try:
                getattr(self, kind.replace(" ", "_"))()
                self.tally[kind] += 1
            except Exception as problem:  # one that breaks is one that fails
                self.problems.append(f"{kind}: {type(problem).__name__}: {str(problem)[:600]}")
                print(f"# {self.problems[-1]}", flush=True)

    def start_client(self, arguments):
        return Client(self, f"poison-{self.number}", [*arguments, "--restart"])

    def must_fail(self, client, *reasons):
        status, out, err = client.finish(PATIENCE_SECONDS)
        check(status != 0, f"ended with status {status}: {out[:200]!r}")
        check(any(reason in err for reason in reasons), f"not {reasons}: {err}")

    def has_job(self, client):
        """Whether its job is known. The cluster is hurt all the time: who asks may have to ask again."""
        try:
            return client.is_over() or any(job["id"] == client.job() for job in self.cluster.status()["jobs"])
        except (AssertionError, ValueError):
            return False

    def memory(self):
        # Whichever it meets first: the end of the memory, or of what it may keep on disk; or its nodes are killed so
        # often that it never gets anywhere.
        self.must_fail(self.start_client(self.data.memory), "memory", "disk_max", "at the same place")

    def crash(self):
        kind = self.chance.choice(sorted(self.data.crash))
        self.must_fail(self.start_client(self.chance.choice(self.data.crash[kind])), "at the same place")

    def bad_input(self):
        self.must_fail(self.start_client(self.chance.choice(self.data.bad)), "tamiz: ")

    def endless(self):
        client = self.start_client(self.data.endless)
        wait_for("a job to cancel", lambda: self.has_job(client))

        def is_cancelled():
            if client.is_over():
                return True
            self.cluster.tamiz("cancel", client.job(), "--server", self.cluster.server)
            return False

        wait_for("the end of a job that was cancelled", is_cancelled)
        self.must_fail(client, "cancelled")

    def abandoned(self):
        client = self.start_client(self.data.abandoned)
        wait_for("a job to abandon", lambda: self.has_job(client))
        client.end()


def limit_all(cluster):
    """Whoever is started from now on has little memory to spare."""
    limit_memory(cluster, SPARE_BYTES)
    watcher = next(pid for name, pid in cluster.nodes(watchers=True).items() if name.startswith("watcher"))
    limit = resource.prlimit(watcher, resource.RLIMIT_DATA)
    resource.prlimit(int((cluster.state / "lock").read_text()), resource.RLIMIT_DATA, limit)


def play(cluster, data, folder, seconds, seed):
    chaos = cluster.start("chaos", "--state", cluster.state, "--for", f"{seconds}s", "--size", "1M", "--seed", seed)
    poisoners = [Poisoner(i, cluster, data, folder, seed) for i in range(POISONERS)]
    for poisoner in poisoners:
        poisoner.start()
    try:
        while chaos.poll() is None:
            time.sleep(0.2)
    finally:
        for poisoner in poisoners:
            poisoner.enough.set()
        for poisoner in poisoners:
            poisoner.join()
    status, out, err = cluster.finish(chaos)
    print(f"seed {seed}:\n{out[out.rfind('faults:') :] if status == 0 else out + err}", end="")
    tally = sum((poisoner.tally for poisoner in poisoners), collections.Counter())
    problems = [problem for poisoner in poisoners for problem in poisoner.problems]
    if problems or status:
        keep_logs(cluster, f"seed-{seed}")
    print("poison: " + ", ".join(f"{count} {kind}" for kind, count in sorted(tally.items())))
    cluster.wait_clean()
    print(f"{sum(tally.values())} passed, {len(problems) + (status != 0)} failed")
    sys.stdout.flush()
    return 1 if problems or status else 0


def play_one(seconds, seed):
    with tempfile.TemporaryDirectory(prefix="tamiz-poisoned-") as place:
        folder = pathlib.Path(place)
        try:
            cluster = Cluster(config=CONFIG, folder=folder / "cluster", env=ENV)
        except Skip as reason:
            print(f"skip poisoned chaos {reason}")
            return 0
        try:
            data = Data(folder / "data")
            limit_all(cluster)
            cluster.env["TAMIZ_BROKER_URL"] = cluster.broker_url()  # the cluster file asks for it
            return play(cluster, data, folder, seconds, seed)
        finally:
            cluster.close()


def main(options):
    clean_up_when_told_to_end()

    def play_numbers(numbers):
        return max([play_one(options.seconds, options.seed + number) for number in numbers], default=0)

    return 1 if any(status != 0 for status in play_rounds(play_numbers, options.jobs, options.jobs)) else 0


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, seconds=600, seed=1)))
