#!/usr/bin/env python3
"""usage: tests/cluster/broker_deaths.py [ROUNDS] [SEED] [--jobs N]     (through `make cluster-broker-deaths`)

Fresh clusters, N at a time, whose broker is killed at a random moment from its birth on; in a third of them its data is deleted
with it, in a third its whole folder. Each must come back by itself and answer right, and a job that was under way
must end right by the client's own new submission."""

import collections
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

from cluster import Rising, check, clean_up_when_told_to_end, embedded, equal, generate, is_alive, wait_for
from rounds import arguments, play_rounds

LOSSES = ["nothing", "data", "folder"]
# Of those that die while the cluster starts, after their birth; the others die while a job runs.
MOMENT_SECONDS_MAX = 16
NODES = ["reducer-0", "reducer-1", "collector", "gateway-0", "gateway-1", "proxy-0"]


class Mortal(Rising):
    """One whose broker dies young."""

    def is_born(self):
        try:
            return self.broker_pid() > 0
        except (OSError, KeyError, ValueError):
            return False

    def kill_broker_now(self, loss):
        pid = self.broker_pid()
        os.kill(pid, signal.SIGKILL)
        # Whoever sees it first starts it again: what is to be lost is gone by then, or the next one dies, too.
        if loss == "data":
            shutil.rmtree(self.state / "broker" / "data", ignore_errors=True)
        if loss == "folder":
            shutil.rmtree(self.state / "broker", ignore_errors=True)
        wait_for("the end of the broker", lambda: not is_alive(pid))


def play(number, chance, data, want):
    """One cluster. What it was, and how long it took to be all green after the kill."""
    loss = LOSSES[number % len(LOSSES)]
    is_late = chance.random() < 0.5
    moment = chance.uniform(0, MOMENT_SECONDS_MAX)
    cluster = Mortal(folder=tempfile.mkdtemp(prefix="tamiz-broker-deaths-"))
    job = None
    try:
        wait_for("the broker's birth", cluster.is_born)
        born = time.monotonic()
        while cluster.rising.poll() is None and (is_late or time.monotonic() - born < moment):
            time.sleep(0.01)
        is_up = cluster.rising.poll() is not None
        if is_up:
            cluster.wait_up()
            job = cluster.submit_start("coffee", "--data", data, "-f", "csv", "--chunk-size", "2K")
            time.sleep(chance.uniform(0, 1.5))
        cluster.kill_broker_now(loss)
        killed = time.monotonic()
        if not is_up:
            cluster.wait_up()
        again = ""
        if job:
            status, out, err = cluster.finish(job)
            job = None
            equal(status, 0, err)
            check(out == want, f"{out[:300]!r} and not {want[:300]!r}")
            again = ", its job submitted again" if "submitted again" in err else ", its job went on"
        check(cluster.answer("coffee", "--data", data, "-f", "csv") == want, "another answer")
        wait_for("all green", lambda: all(cluster.is_green(name) for name in NODES))
        return loss, f"{'a job ran' if is_up else 'starting'}{again}", time.monotonic() - killed
    except BaseException:
        kept = pathlib.Path(tempfile.mkdtemp(prefix="tamiz-broker-deaths-failed-"))
        shutil.copytree(cluster.state / "log", kept / "log", dirs_exist_ok=True)
        print(f"# lost {loss}, {moment:.3f} s after its birth; logs: {kept}", flush=True)
        raise
    finally:
        if job:
            job.kill()
            job.wait()
        cluster.close()


def play_numbers(numbers, seed, data, want):
    """What came of each: None for one that failed."""
    outcomes = []
    for number in numbers:
        try:
            loss, what, seconds = play(number, random.Random(f"{seed} {number}"), data, want)
        except Exception as problem:  # a round that breaks is one that fails
            outcomes.append(None)
            print(f"not ok {number} {type(problem).__name__}: {str(problem)[:600]}", flush=True)
            continue
        outcomes.append((f"lost {loss}, {what}", seconds))
        print(f"ok {number} lost {loss}, {what}; all green after {seconds:.1f} s", flush=True)
    return outcomes


def main(options):
    clean_up_when_told_to_end()
    with tempfile.TemporaryDirectory(prefix="tamiz-broker-deaths-data-") as folder:
        data = generate("coffee", pathlib.Path(folder) / "coffee", "3M")
        want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
        played = play_rounds(lambda numbers: play_numbers(numbers, options.seed, data, want), options.rounds, options.jobs)
    passed = [outcome for outcomes in played if outcomes for outcome in outcomes if outcome]
    for outcome, count in sorted(collections.Counter(what for what, _ in passed).items()):
        print(f"{count:6} {outcome}")
    if passed:
        times = sorted(seconds for _, seconds in passed)
        print(f"green after {times[len(times) // 2]:.1f} s in the middle, {times[-1]:.1f} s at most")
    print(f"{len(passed)} passed, {options.rounds - len(passed)} failed")
    return 1 if len(passed) < options.rounds else 0


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, rounds=60, seed=1)))
