"""Bytes that no client sends, and nodes that are there already, while real jobs run."""

import random
import re
import socket
import struct
import subprocess
import threading

from cluster import PATIENCE_SECONDS, PORTS_A_BLOCK, TAMIZ, check, embedded, equal, generate, run_tests

TOKEN = "hush, %100"
HELLO = struct.pack(">BIHI", 0x20, 6 + len(TOKEN), 1, len(TOKEN)) + TOKEN.encode()
HEALTH = bytes.fromhex("0d 00 00 00 00")


def frame(kind, value, length=None):
    return struct.pack(">BI", kind, len(value) if length is None else length) + value


def hostile(rng):
    """Bytes for a connection, whole and valid for none."""
    noise = rng.randbytes(rng.randrange(1, 20000))
    kinds = [*range(0x01, 0x0E), *range(0x20, 0x27), rng.randrange(256)]
    kind = rng.choice(kinds)
    return rng.choice(
        [
            noise,
            HELLO + noise,
            HELLO + frame(kind, noise[:3000]),
            # A length that never comes, or is far too large.
            HELLO + frame(kind, noise[:100], 4000),
            HELLO + frame(kind, noise[:100], 0x04FFFFFF),
            HELLO + frame(kind, b"", 0xFFFFFFFF),
            # A chunk and a request for a job that nobody opened, with lengths inside that lie.
            HELLO + frame(0x01, struct.pack(">IQBIII", 1, rng.getrandbits(64), 9, 1, 0, 0) + noise),
            HELLO + frame(0x08, rng.randbytes(8) + struct.pack(">I", 0xFFFFFFF0) + noise),
            HELLO + frame(0x09, rng.randbytes(16)),
            HELLO[: rng.randrange(1, len(HELLO))],
            HELLO * 50 + HEALTH * 50 + noise[:10],
        ]
    )


class Attack(threading.Thread):
    """Sends such bytes to a port, one connection after the other, until it is told to stop."""

    def __init__(self, port, seed, drip):
        super().__init__(daemon=True)
        self.port, self.rng, self.drip = port, random.Random(seed), drip
        self.enough, self.connections = threading.Event(), 0

    def run(self):
        while not self.enough.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS) as to:
                    self.connections += 1
                    self.send(to, hostile(self.rng))
            except OSError:
                pass  # it was thrown out

    def send(self, to, data):
        if self.drip:
            for byte in data:
                to.sendall(bytes([byte]))
                if self.enough.wait(1):
                    return
        else:
            to.sendall(data)
            if self.rng.random() < 0.7:
                to.settimeout(0.2)
                to.recv(65536)


def healthy(port):
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as to:
        to.sendall(HEALTH)
        return to.recv(len(HEALTH)) == HEALTH


def test_hostile_bytes(cluster, folder):
    ports = [cluster.port, cluster.port + 1, cluster.port + 2]
    before = cluster.nodes()
    data = generate("coffee", folder / "coffee", "4M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    attacks = [Attack(port, port_number * 2 + drip, drip) for port_number, port in enumerate(ports) for drip in (0, 1)]
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
    equal(cluster.nodes(), before, "processes changed")
    check(all(healthy(port) for port in ports[1:]), "a gateway does not answer")


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


def test_nothing_is_left(cluster, folder):
    cluster.wait_clean()


run_tests(
    globals(),
    config={"gateway": {"token": "${TAMIZ_TEST_TOKEN}"}, "broker": {"heartbeat": "3s"}},
    env={"TAMIZ_TEST_TOKEN": TOKEN, "TAMIZ_TOKEN": TOKEN},
)
