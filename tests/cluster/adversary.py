#!/usr/bin/env python3
"""usage: tests/cluster/adversary.py [ROUNDS] [SEED] [--jobs N]     (through `make cluster-adversary`)

Rounds on one cluster, or on each of N. In each, honest jobs run beside one that would harm them: one that needs too much memory, one
that never ends, one that crashes its node, a disk that is full, bad input, a client that goes away. In most rounds a
file of a node is damaged as well, while the node runs or while it is stopped: bits, zeros, a cut, a deletion, older
content, content of another job. All nodes that are started again have little memory to spare.

Every honest job must be right, unless the damaged file was its own: then it may fail, with a reason, within ten
seconds of when that could be known. Every poisonous job must fail with its reason. Results of a job that is done stay
readable whatever single file is damaged. What `tamiz check` calls well harms nobody. When a round is over nothing is
left of it, and all nodes are well. The same seed plays the same rounds, as far as real processes allow."""

import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from cluster import (
    Cluster,
    check,
    clean_up_when_told_to_end,
    embedded,
    equal,
    generate,
    rabbitmq_is_missing,
    wait_for,
)
from deadly import ALL_PAIRS, BY_KIND, ENV, IN_COLLECTOR, IN_REDUCER, POISON, limit_memory, notes
from rounds import arguments, play_rounds

INSIDE = "TAMIZ_ADVERSARY_MOUNTS"
NODES = ["reducer-0", "reducer-1", "collector", "gateway-0", "gateway-1"]
KINDS = ["memory", "endless", "crash", "full disk", "bad input", "abandoned"]
DAMAGES = ["bit", "zeros", "cut", "deletion", "old", "foreign"]
SPARE_BYTES = 60 << 20
DISK_BYTES = 600 << 20
DISK_MAX = "80M"  # of one node, of five
RECEIVE_TTL_SECONDS = 2
# A client hears of the end of its job sooner than this; on a busy machine the rest of the round takes its time, too.
KNOWN_SECONDS_MAX = 10
ROUND_SECONDS_MAX = 120
CROSS_JOIN = "SELECT count(*), sum(a.quantity * b.quantity) FROM transaction_items a CROSS JOIN transaction_items b"
CONFIG = {
    "cluster": {"receive_ttl": f"{RECEIVE_TTL_SECONDS}s", "disk_max": DISK_MAX},
    "watcher": {"restarts": 1000, "pause_max": "1s"},
    "broker": {"queues": "classic"},
}


class Question:
    """Something to submit, and what the embedded engine makes of it."""

    def __init__(self, arguments, same):
        self.arguments = arguments
        done = embedded(*same)
        self.status, self.answer = done.returncode, done.stdout


class Client:
    """A `tamiz submit` in the background."""

    def __init__(self, round_, name, arguments):
        self.name = name
        self.cluster = round_.cluster
        self.state_file = round_.folder / f"{name}.state"
        self.seen = set()
        self.process = self.cluster.submit_start(*arguments, "--state", self.state_file)

    def job(self):
        """Its id; None when it has none yet. One that submits again gets another."""
        try:
            lines = self.state_file.read_text().splitlines()
        except OSError:
            return None
        found = [line.split()[1] for line in lines if line.startswith("job ")]
        self.seen.update(found)
        return found[0] if found else None

    def is_over(self):
        self.job()
        return self.process.poll() is not None

    def finish(self, seconds=ROUND_SECONDS_MAX):
        self.status, self.out, self.err = self.cluster.finish(self.process, seconds)
        return self.status, self.out, self.err

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Data:
    """What all rounds ask about."""

    def __init__(self, folder):
        coffee = generate("coffee", folder / "coffee", "1M")
        large = generate("coffee", folder / "large", "6M")
        movies = generate("movies", folder / "movies", "1M")
        clean = notes(folder / "notes")
        self.honest = [
            Question(["coffee", "--data", coffee, "-f", "csv", "--chunk-size", size], ["run", "coffee", "--data", coffee, "-f", "csv"])
            for size in ("4K", "32K")
        ]
        self.honest.append(
            Question(["movies", "--data", movies, "-f", "csv", "--chunk-size", "16K"], ["run", "movies", "--data", movies, "-f", "csv"])
        )
        for sql in (IN_REDUCER, IN_COLLECTOR):
            self.honest.append(
                Question(["--sql", sql, "--data", clean, "-f", "csv"], ["sql", "-c", sql, "--data", clean, "-f", "csv"])
            )
        self.done = self.honest[0]
        self.bad = self.bad_input(folder, clean)
        self.endless = ["--sql", CROSS_JOIN, "--data", large]
        self.memory = ["--schema", "coffee", "--sql", ALL_PAIRS, "--data", large]
        self.abandoned = ["coffee", "--data", large, "--chunk-size", "1K"]
        self.crash = {
            kind: [
                ["--sql", sql, "--data", notes(folder / f"poison-{kind}-{i}", kind)]
                for i, sql in enumerate((IN_REDUCER, IN_COLLECTOR))
            ]
            for kind in BY_KIND
        }

    @staticmethod
    def bad_input(folder, clean):
        zero = "SELECT sum(1 / (k - k)) AS x FROM notes"
        questions = [["--sql", zero, "--data", clean]]
        binary = folder / "binary"
        binary.mkdir()
        (binary / "notes.csv").write_bytes(bytes(range(256)) * 200)
        questions.append(["--sql", "SELECT count(*) FROM notes", "--data", binary])
        questions.append(["coffee", "--data", clean])
        return questions


class Round:
    def __init__(self, cluster, data, chance, folder, tally, has_mounts):
        self.cluster, self.data, self.chance, self.folder = cluster, data, chance, folder
        self.tally = tally
        self.kind = chance.choice(KINDS if has_mounts else [kind for kind in KINDS if kind != "full disk"])
        self.damage = chance.choice([None, *DAMAGES])
        self.is_stopped = chance.random() < 0.5
        self.node = chance.choice(NODES)
        self.clients = []
        self.harmed = set()  # jobs whose own file was damaged
        self.all_harmed = False  # the identity of a disk: all open jobs of the node
        self.damaged_at = None
        self.told = f"{self.kind}"

    def start(self, name, arguments):
        client = Client(self, name, arguments)
        self.clients.append(client)
        return client

    # --- damage ---

    def files(self):
        """What may be damaged now, journals and results of jobs among them more often than the small files."""
        place = self.cluster.state / "nodes" / self.node
        found = []
        for where, _, names in os.walk(place):
            for name in names:
                path = pathlib.Path(where) / name
                found += [path] * (4 if "job-" in str(path.relative_to(place)) or "result-" in path.parent.name else 1)
        return sorted(found)

    def hurt(self, path):
        """What was done; None when the file is gone by itself."""
        kind = self.damage
        try:
            content = path.read_bytes()
            size = len(content)
            at = self.chance.randrange(size) if size else 0
            if kind == "deletion":
                path.unlink()
            elif kind == "cut" or size == 0:
                os.truncate(path, at)
            elif kind in ("bit", "zeros"):
                with open(path, "r+b") as file:
                    file.seek(at)
                    file.write(bytes([content[at] ^ 1 << self.chance.randrange(8)]) if kind == "bit" else bytes(min(4096, size - at)))
            else:
                other = self.older(path, content) if kind == "old" else self.foreign(path)
                if other is None or other == content:
                    return None
                with open(path, "r+b") as file:
                    file.write(other)
                    file.truncate()
        except OSError:
            return None
        return f"{kind} at {at} of {size}" if kind in ("bit", "zeros", "cut") else kind

    def older(self, path, content):
        """Its content of a moment ago; a cut stands for it where nothing has changed since."""
        time.sleep(self.chance.uniform(0.05, 0.2))
        return content if path.read_bytes() != content else None

    def foreign(self, path):
        others = [p for p in (self.cluster.state / "nodes").glob(f"*/*/{path.name}") if p != path and p.parent.name[:4] == path.parent.name[:4]]
        return self.chance.choice(sorted(others)).read_bytes() if others else None

    def note(self, path):
        parts = path.relative_to(self.cluster.state / "nodes").parts
        owner = parts[1].split(".")[0]
        # A client that opened its job just now knows it by its state file, which is gone when it has failed.
        for client in self.clients:
            client.job()
        self.told += f", {'stopped' if self.is_stopped else 'running'} {'/'.join(parts)}"
        if owner.startswith("job-") or (owner.startswith("result-") and parts[0] == "collector"):
            self.harmed.add(owner.split("-")[1])
        if parts[1] == "identity":
            self.all_harmed = True
        self.tally[f"damage: {self.damage}, {'stopped' if self.is_stopped else 'running'}"] += 1

    def damage_something(self):
        files = self.files()
        if not files:
            return
        path = self.chance.choice(files)
        done = self.hurt(path)
        if done:
            self.note(path)
            self.told += f" ({done})"

    def damage_stopped(self):
        """As a disk does it while nobody looks. What `tamiz check` says of it must be true."""
        with self.cluster.nobody_watches():
            if not self.cluster.kill(self.node):
                return
            self.damage_something()
            done = self.cluster.tamiz("check", "--file", self.cluster.file, self.node, "--json")
            check(done.returncode in (0, 5), f"tamiz check: {done.returncode} {done.stderr}")
            if done.returncode == 0 and not self.all_harmed:
                self.check_says_well = True

    # --- poison ---

    def poison(self):
        return getattr(self, self.kind.replace(" ", "_"))()

    def memory(self):
        client = self.start("memory", self.data.memory)
        # Whichever it meets first, the end of the memory or of what it may keep on disk.
        return lambda: self.must_fail(client, "memory", "disk_max")

    def crash(self):
        kind = self.chance.choice(sorted(BY_KIND))
        client = self.start("crash", self.chance.choice(self.data.crash[kind]))
        self.told += f" by {kind}"
        return lambda: self.must_fail(client, "at the same place")

    def bad_input(self):
        client = self.start("bad", self.chance.choice(self.data.bad))
        return lambda: self.must_fail(client, "tamiz: ")

    def endless(self):
        client = self.start("endless", self.data.endless)

        def is_cancelled():
            """A job that is lost with a disk is submitted again: then it is another one that has to be cancelled."""
            if client.is_over():
                return True
            self.cluster.tamiz("cancel", client.job(), "--server", self.cluster.server)
            return False

        def cancel():
            wait_for("a job to cancel", lambda: client.is_over() or is_listed(self.cluster, client.job()))
            cancelled = time.monotonic()
            wait_for("the end of what was cancelled", is_cancelled)
            self.must_fail(client, "")
            self.in_time(cancelled, "cancel")

        return cancel

    def abandoned(self):
        client = self.start("abandoned", self.data.abandoned)

        def expires():
            wait_for("a job to abandon", lambda: client.is_over() or is_listed(self.cluster, client.job()))
            client.end()
            gone = time.monotonic()
            job = client.job()
            wait_for("an abandoned job to be gone", lambda: not is_listed(self.cluster, job) or is_failed(self.cluster, job))
            self.in_time(gone + RECEIVE_TTL_SECONDS, "expiry")

        return expires

    def full_disk(self):
        balloon = self.cluster.state / "nodes" / ".balloon"
        room = os.statvfs(self.cluster.state / "nodes")
        with open(balloon, "wb") as file:
            # Others write meanwhile: what is not free any more is already full.
            with contextlib.suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize - (64 << 10)))

        def make_room():
            time.sleep(self.chance.uniform(0.2, 1))
            balloon.unlink()

        return make_room

    def in_time(self, since, what):
        seconds = time.monotonic() - since
        self.tally[f"slowest {what}"] = max(self.tally[f"slowest {what}"], round(seconds, 1))
        if seconds > KNOWN_SECONDS_MAX:
            self.tally["late"] += 1
            print(f"# late: {what} took {seconds:.1f} s: {self.told}", flush=True)

    # --- verdicts ---

    def is_harmed(self, client):
        return self.all_harmed or bool(client.seen & self.harmed)

    def must_fail(self, client, *reasons):
        status, out, err = client.finish()
        check(status != 0, f"{client.name} ended with status 0: {out[:200]!r}")
        check(err.strip(), f"{client.name} failed without a reason")
        check(any(reason in err for reason in reasons) or self.is_harmed(client), f"{client.name}: not {reasons}: {err}")
        self.tally[f"poison failed: {self.kind}"] += 1

    def judge(self, client, question):
        client.job()
        status, out, err = client.finish()
        if status == 0:
            check(out == question.answer, f"WRONG {client.name}: {out[:300]!r} and not {question.answer[:300]!r}")
            self.tally["honest jobs right"] += 1
            return
        check(self.is_harmed(client), f"{client.name} failed, and no file of it was damaged ({client.seen}): {err}")
        check("tamiz: " in err, f"{client.name} failed without a reason: {err}")
        check(not getattr(self, "check_says_well", False), f"tamiz check found nothing, and {client.name} failed: {err}")
        self.tally["harmed jobs failed with a reason"] += 1
        if self.damaged_at:
            self.in_time(self.damaged_at, "harmed job")

    def play(self, done_job):
        questions = self.chance.sample(self.data.honest, 2)
        # One that submits again by itself is right whatever is lost; the other one has to say what it was.
        honest = [
            (self.start(f"honest-{i}", [*question.arguments, "--retries", retries]), question)
            for i, (question, retries) in enumerate(zip(questions, (3, 0)))
        ]
        settle = self.poison()
        time.sleep(self.chance.uniform(0, 0.6))
        for client, _ in honest:
            client.job()
        if self.damage:
            (self.damage_stopped if self.is_stopped else self.damage_something)()
            self.damaged_at = time.monotonic()
        settle()
        wait_for(lambda: f"the end of {[c.name for c, _ in honest]}: {self.told}", lambda: all([c.is_over() for c, _ in honest]), 0.02)
        for client, question in honest:
            self.judge(client, question)
        self.check_done(done_job)
        if self.all_harmed and not self.is_stopped:
            # It is read when the node starts: this round's harm is not to be met in a later one.
            self.cluster.wait_replaced(self.cluster.kill_all([self.node]))

    def check_done(self, job):
        """Somebody still has the results, whatever single file was damaged."""
        got = self.cluster.tamiz("results", job, "--server", self.cluster.server, "-f", "csv", seconds=ROUND_SECONDS_MAX)
        check((got.returncode, got.stdout) == (0, self.data.done.answer), f"results of a job that is done: {got.returncode} {got.stderr} {got.stdout[:200]!r}")
        self.tally["results of a job that is done right"] += 1

    def close(self):
        for client in self.clients:
            client.end()
        (self.cluster.state / "nodes" / ".balloon").unlink(missing_ok=True)


def is_listed(cluster, job):
    return job is not None and any(one["id"] == job for one in cluster.status()["jobs"])


def is_failed(cluster, job):
    return any(one["id"] == job and one["state"] == "failed" for one in cluster.status()["jobs"])


def finished_job(cluster, data, state_file):
    """One whose results are on the disks of all gateways and of the collector."""
    process = cluster.submit_start(*data.done.arguments, "--state", state_file, "--no-wait")
    status, _, err = cluster.finish(process)
    equal(status, 0, err)
    # The last one, if it was submitted again.
    job = re.findall(r"\bjob ([0-9a-f]{16})\b", err)[-1]
    folders = [cluster.state / "nodes" / node / f"result-{job}" for node in ("gateway-0", "gateway-1", "collector")]
    wait_for(
        lambda: f"the results of {job} on {folders}",
        lambda: any(one["id"] == job and one["state"] == "done" for one in cluster.status()["jobs"])
        and all(folder.is_dir() for folder in folders),
    )
    return job


def settle(cluster):
    """Nothing is left, and everybody is well."""
    cluster.wait_clean()
    wait_for("all green", lambda: all(cluster.is_green(name) for name in NODES))


def play_one(cluster, data, number, round_, folder):
    """None, or what is wrong."""
    try:
        round_.play(finished_job(cluster, data, folder / "done.state"))
        return None
    except Exception as problem:  # a round that breaks is one that fails
        round_.tally["wrong answers" if "WRONG" in str(problem) else "other failures"] += 1
        keep_logs(cluster, number)
        return f"{type(problem).__name__}: {str(problem)[:800]}"
    finally:
        round_.close()


def play_numbers(cluster, data, numbers, seed, place, has_mounts):
    """Rounds on one cluster: what was counted."""
    tally = collections.Counter()
    limit_memory(cluster, SPARE_BYTES)
    for number in numbers:
        folder = place / f"round-{number}"
        folder.mkdir()
        begun = time.monotonic()
        round_ = Round(cluster, data, random.Random(f"{seed} {number}"), folder, tally, has_mounts)
        late = tally["late"]
        problem = play_one(cluster, data, number, round_, folder)
        is_bad = problem is not None or tally["late"] > late
        told = f"not ok ({problem or 'late'})" if is_bad else "ok"
        tally["failed"] += is_bad
        tally["played"] += 1
        print(f"{told} {number} {time.monotonic() - begun:.1f} s: {round_.told}", flush=True)
        try:
            settle(cluster)
        except AssertionError as left:
            tally["left behind"] += 1
            tally["failed"] += not is_bad
            keep_logs(cluster, number)
            print(f"# round {number} leaves something behind, the rest is not played here: {left}", flush=True)
            return tally
        shutil.rmtree(folder, ignore_errors=True)
    left = {name: count for name, count in cluster.queues().items() if count}
    equal(left, {}, "messages are left in queues")
    return tally


def play_on_cluster(data, numbers, seed, place, has_mounts):
    """A cluster of our own for some of the rounds."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tamiz-adversary-"))
    disk = folder / "state" / "nodes"
    disk.mkdir(parents=True)
    if has_mounts:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)], check=True)
    print(f"seed {seed}, cluster in {folder}", flush=True)
    cluster = None
    try:
        cluster = Cluster(config=CONFIG, folder=folder, env=ENV)
        return play_numbers(cluster, data, numbers, seed, place, has_mounts)
    finally:
        if cluster:
            cluster.down()
            wait_for(lambda: f"the end of {cluster.processes()}", lambda: not cluster.processes())
        if has_mounts:
            subprocess.run(["umount", str(disk)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def sum_up(tallies):
    total = collections.Counter()
    for tally in tallies:
        for what, count in tally.items():
            total[what] = max(total[what], count) if what.startswith("slowest") else total[what] + count
    return total


def play_all(rounds, seed, jobs, has_mounts):
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tamiz-adversary-data-") as place:
        data = Data(pathlib.Path(place))
        tallies = play_rounds(
            lambda numbers: play_on_cluster(data, numbers, seed, pathlib.Path(place), has_mounts), rounds, jobs
        )
    tally = sum_up(filter(None, tallies))
    # A cluster that broke takes a round with it that nobody has counted.
    failures = tally.pop("failed", 0) + tallies.count(None)
    played = tally.pop("played", 0)
    report(tally, played, failures, seed, time.monotonic() - started)
    return 1 if failures or played < rounds else 0


def report(tally, played, failures, seed, seconds):
    for what, count in sorted(tally.items()):
        print(f"{count:8} {what}")
    poison = sum(count for what, count in tally.items() if what.startswith("poison failed"))
    print(
        f"seed {seed}, {played} rounds in {seconds:.0f} s: {played - failures} passed, {failures} failed; "
        f"{tally['honest jobs right']} honest jobs right, {tally['harmed jobs failed with a reason']} harmed ones and "
        f"{poison} poisonous ones failed with a reason, {tally['late']} late, {tally['wrong answers']} wrong, "
        f"{tally['left behind']} left behind"
    )


def keep_logs(cluster, what):
    kept = pathlib.Path(tempfile.mkdtemp(prefix=f"tamiz-adversary-failed-{what}-"))
    shutil.copytree(cluster.state / "log", kept / "log", dirs_exist_ok=True)
    print(f"# logs: {kept}", flush=True)


def inside_mounts():
    """Whether we have mounts of our own, which end with us; otherwise None, or the status of ourselves with them."""
    if INSIDE in os.environ:
        return True
    again = ["unshare", "--map-root-user", "--mount", sys.executable, __file__, *sys.argv[1:]]
    if subprocess.run([*again[:3], "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return None
    os.execvpe(again[0], again, dict(os.environ, **{INSIDE: "1"}))


def can_mount():
    """Whether there may be a small disk that can be full."""
    with tempfile.TemporaryDirectory(prefix="tamiz-adversary-mount-") as place:
        done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=False)
        if done.returncode == 0:
            subprocess.run(["umount", place], check=True)
        return done.returncode == 0


def main(options):
    if rabbitmq_is_missing():
        print("skip adversary no RabbitMQ on this machine: make deps installs it")
        return 0
    check(POISON.exists(), f"{POISON} is missing: make {POISON}")
    has_mounts = bool(inside_mounts()) and can_mount()
    clean_up_when_told_to_end()
    if not has_mounts:
        print("# no file system can be mounted here: no disk is full")
    return play_all(options.rounds, options.seed, options.jobs, has_mounts)


if __name__ == "__main__":
    sys.exit(main(arguments(__doc__, rounds=500, seed=1)))
