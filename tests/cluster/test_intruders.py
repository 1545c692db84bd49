"""Bytes that no client sends, and nodes that are there already, while real jobs run."""

import itertools
import json
import random
import re
import socket
import struct
import subprocess
import threading

from cluster import PATIENCE_SECONDS, PORTS_A_BLOCK, TAMIZ, WIRE_VERSION, check, embedded, equal, generate, run_tests, wait_for
from hostile import HEALTH, Clients, Lines, Requests, frame, hello, visit

TOKEN = "hush, %100"
HELLO = hello(WIRE_VERSION, TOKEN)
BATCH, END_TABLE, END, ACK, RESULTS, RESUME, ERROR, CANCEL = 0x01, 0x02, 0x03, 0x04, 0x09, 0x0C, 0x21, 0x23
NO_SECRET = bytes(16)


class Attack(threading.Thread):
    """Sends what `maker` gives to a port, one connection after the other, until it is told to stop."""

    def __init__(self, port, maker, seed, drip=False):
        super().__init__(daemon=True)
        self.port, self.maker, self.rng, self.drip = port, maker, random.Random(seed), drip
        self.enough, self.connections = threading.Event(), 0

    def run(self):
        while not self.enough.is_set():
            try:
                if self.drip:
                    self.send_slowly(b"".join(self.maker(self.rng)))
                else:
                    visit(self.port, self.maker(self.rng), self.rng)
            except OSError:
                pass  # it was thrown out
            self.connections += 1

    def send_slowly(self, data):
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS) as to:
            for byte in data:
                to.sendall(bytes([byte]))
                if self.enough.wait(1):
                    return


def healthy(port):
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as to:
        to.sendall(HEALTH)
        return to.recv(len(HEALTH)) == HEALTH


def strangers(cluster):
    """At every port. They know the token, most of them, and open no jobs, which nobody here could cancel."""
    clients = Clients([HELLO] * 8 + [hello(WIRE_VERSION, ""), hello(2, TOKEN)], opens=False)
    config, found = cluster.config(), []
    for port in (cluster.port, cluster.port + 1, cluster.port + 2):
        found += [Attack(port, clients, 2 * port), Attack(port, clients, 2 * port + 1, drip=True)]
    for role in ("proxy", "gateway", "reducer", "collector", "watcher"):
        found.append(Attack(int(config[role]["health"].rsplit(":", 1)[1]), Requests(), len(found)))
    found.append(Attack(int(config["watcher"]["listen"].rsplit(":", 1)[1]), Lines(), len(found)))
    return found


def test_hostile_bytes(cluster, folder):
    before = cluster.nodes(watchers=True)
    data = generate("coffee", folder / "coffee", "4M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    attacks = strangers(cluster)
    for attack in attacks:
        attack.start()
    try:
        for turn in range(2):
            args = ["coffee", "--data", data, "-f", "csv", "--chunk-size", "4K", "--state", folder / f"{turn}.state"]
            got = cluster.answer(*args)
            check(got == want, f"{got[:300]!r} and not {want[:300]!r}")
    finally:
        for attack in attacks:
            attack.enough.set()
    for attack in attacks:
        attack.join(PATIENCE_SECONDS)
        check(attack.connections > 0, "nobody attacked")
    equal(cluster.nodes(watchers=True), before, "processes changed")
    check(all(healthy(cluster.port + gateway) for gateway in (1, 2)), "a gateway does not answer")


NODES = [["reducer", "--index", "1"], ["collector"], ["gateway", "--index", "0"]]


def second_processes(cluster, file):
    """Starts nodes that are there already; they must end by themselves. What they said."""
    env = dict(cluster.env, TAMIZ_BROKER_URL=cluster.broker_url())
    started = [
        subprocess.Popen([TAMIZ, *node, "--file", file], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for node in NODES
    ]
    told = []
    for process in started:
        try:
            told.append(process.communicate(timeout=PATIENCE_SECONDS)[1].decode())
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"runs on: {process.args}: {process.communicate()[1]}") from None
        check(process.returncode > 0, f"{process.args}: {process.returncode} {told[-1]}")
    return told


def during_a_job(cluster, folder, intrude):
    """A job that runs while `intrude` is called, and one behind it; both right, by the same processes as before."""
    before = cluster.nodes()
    data = generate("coffee", folder / "coffee", "3M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    state = folder / "job.state"
    args = ["coffee", "--data", data, "-f", "csv", "--chunk-size", "2K"]
    process = cluster.submit_begun(state, want, *args)
    intrude()
    status, out, err = cluster.finish(process)
    equal(status, 0, err)
    check(out == want, f"{out[:300]!r}")
    equal(cluster.answer(*args, "--state", state), want)
    equal(cluster.nodes(), before, "processes changed")


def test_second_processes(cluster, folder):
    def intrude():
        for told in second_processes(cluster, cluster.file):
            check("is already running on this machine" in told, told)

    during_a_job(cluster, folder, intrude)


def test_second_processes_elsewhere(cluster, folder):
    """As on another machine, with a disk of its own: the queue is taken, and no job is hurt."""
    file = folder / "elsewhere.ini"
    text = cluster.file.read_text().replace("state = state/nodes", "state = nodes")
    elsewhere = cluster.port + PORTS_A_BLOCK // 2
    file.write_text(re.sub(r"127.0.0.1:(\d+)", lambda at: f"127.0.0.1:{int(at[1]) - cluster.port + elsewhere}", text))

    def intrude():
        for told in second_processes(cluster, file):
            check("another process has this node's queue" in told, told)

    during_a_job(cluster, folder, intrude)


def test_tokens(cluster, folder):
    (folder / "t.csv").write_text("id\n1\n2\n")
    commands = [
        ["submit", "--sql", "SELECT sum(id) FROM t", "--data", folder, "--state", folder / "job.state"],
        ["status"],
        ["jobs"],
        ["cancel", "1122334455667788"],
        ["results", "1122334455667788"],
    ]
    del cluster.env["TAMIZ_TOKEN"]
    for command in commands:
        wrong = cluster.tamiz(*command, "--server", cluster.server, "--token", TOKEN + "!")
        equal((wrong.returncode, wrong.stdout), (2, ""), wrong.stderr)
        check("not the cluster's token" in wrong.stderr, wrong.stderr)
        missing = cluster.tamiz(*command, "--server", cluster.server)
        equal((missing.returncode, missing.stdout), (2, ""), missing.stderr)
        check("asks for a token" in missing.stderr, missing.stderr)
    cluster.env["TAMIZ_TOKEN"] = TOKEN
    equal(cluster.answer(*commands[0][1:], "-f", "csv"), "sum\n3\n")
    logs = "".join(log.read_text() for log in (cluster.state / "log").glob("*.log"))
    check(TOKEN not in logs, "the token stands in a log")


class Stranger:
    """A client that knows the token, and of others' jobs what `tamiz jobs` tells everyone."""

    def __init__(self, port):
        self.to = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        self.to.sendall(HELLO)

    def ask(self, *frames):
        """Sends them all; the kinds of the answers up to the first ERROR or the last ACK, and that ERROR's text."""
        self.to.sendall(b"".join(frames))
        kinds = []
        while kinds.count(ACK) < len(frames) and ERROR not in kinds:
            kind, size = struct.unpack(">BI", self.read(5))
            value = self.read(size)
            kinds.append(kind)
        return kinds, value.decode("utf-8", "replace") if ERROR in kinds else ""

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.to.recv(size - len(data))
            check(more, "the gateway hung up")
            data += more
        return data


def strange_frames(job, secret):
    """One of each message about a job, with a chunk and an end that would change its numbers."""
    return [
        frame(RESUME, struct.pack(">Q16s", job, secret)),
        *[
            frame(BATCH, struct.pack(">IQ16sBIII", 1, job, secret, 0, chunk, 0, 0) + b"n\n1000\n")
            for chunk in range(700, 800, 20)
        ],
        frame(END_TABLE, struct.pack(">IQ16sBI", 1, job, secret, 0, 1)),
        frame(END, struct.pack(">IQ16s", 1, job, secret)),
        frame(RESULTS, struct.pack(">Q16sII", job, secret, 0, 1)),
        frame(CANCEL, struct.pack(">IQ16s", 1, job, secret)),
    ]


def strangers_refused(cluster, state_file, want, args):
    """Whether the job was still receiving when its client was stopped and strangers came. It ends right anyway."""
    process = cluster.submit_begun(state_file, want, *args)
    with cluster.standing_still([process.pid]):
        refused = False
        jobs = [int(job["id"], 16) for job in cluster.status()["jobs"] if job["state"] == "receiving"]
        for job, secret, gateway in itertools.product(jobs, (NO_SECRET, random.randbytes(16)), (1, 2)):
            for strange in strange_frames(job, secret):
                kinds, text = Stranger(cluster.port + gateway).ask(strange)
                equal(kinds[-1], ERROR)
                # A gateway that has not heard of the job yet says so, and nothing else will do.
                check("belongs to another client" in text or "not known here" in text, text)
                refused |= "belongs to another client" in text
    status, out, err = cluster.finish(process)
    equal((status, out), (0, want), err)
    return bool(jobs) and refused


def test_a_stranger_cannot_feed_a_job(cluster, folder):
    (folder / "t.csv").write_text("n\n" + "1\n" * 400000)
    want = "count,sum\n400000,400000\n"
    args = ["--sql", "SELECT count(*), sum(n) FROM t", "--data", folder, "-f", "csv", "--chunk-size", "1K"]
    state_file = folder / "job.state"
    wait_for("a job that still receives", lambda: strangers_refused(cluster, state_file, want, args))


def test_who_may_fetch_and_cancel(cluster, folder):
    """On this machine the user who submitted a job; elsewhere who was told its secret."""
    (folder / "t.csv").write_text("n\n1\n2\n")
    sent = cluster.submit("--sql", "SELECT sum(n) FROM t", "--data", folder, "--no-wait")
    equal(sent.returncode, 0, sent.stderr)
    job, key = sent.stderr.split()[2], re.search(r"tamiz results (\S+) ", sent.stderr)[1]
    check(re.fullmatch(f"{job}-[0-9a-f]{{32}}", key), key)
    fetch = ["--server", cluster.server, "-f", "csv"]
    equal(cluster.tamiz("results", job, *fetch).stdout, "sum\n3\n")
    known = cluster.folder / "xdg" / "tamiz" / "job-keys"
    equal(known.stat().st_mode & 0o777, 0o600)
    home = cluster.env["XDG_STATE_HOME"]
    cluster.env["XDG_STATE_HOME"] = str(folder / "another user")
    try:
        wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
        for name in (job, wrong):
            for command in (["results", name, *fetch], ["cancel", name, "--server", cluster.server]):
                refused = cluster.tamiz(*command)
                equal((refused.returncode, refused.stdout), (2, ""), refused.stderr)
                check("secret" in refused.stderr and key[17:] not in refused.stderr, refused.stderr)
        equal(cluster.tamiz("results", key, *fetch).stdout, "sum\n3\n")
        told = json.dumps(cluster.status())
        told += "".join(log.read_text() for log in (cluster.state / "log").glob("*.log"))
        check(job in told and key[17:] not in told, "the secret is told to everyone")
        equal(cluster.tamiz("cancel", key, "--server", cluster.server).returncode, 0)
    finally:
        cluster.env["XDG_STATE_HOME"] = home


def test_nothing_is_left(cluster, folder):
    cluster.wait_clean()


run_tests(
    globals(),
    config={"gateway": {"token": "${TAMIZ_TEST_TOKEN}"}, "broker": {"heartbeat": "3s"}},
    env={"TAMIZ_TEST_TOKEN": TOKEN, "TAMIZ_TOKEN": TOKEN},
)
