#!/usr/bin/env python3
"""The commands that run nodes, without a broker: it may come later, so they start all the same."""

import contextlib
import signal
import socket
import subprocess
import time

import harness
from harness import FAILED, USAGE, check, equal, fails

ROLES = ("gateway", "reducer", "collector", "filter", "proxy")
HEALTH = b"\x0d\0\0\0\0"
ERROR = 0x21
SECONDS_MAX = 40 if harness.SANITIZED else 10


def cluster(folder, more=""):
    with socket.socket() as probe, socket.socket() as other:
        probe.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, proxy = probe.getsockname()[1], other.getsockname()[1]
    harness.write(
        folder / "cluster.ini",
        "[broker]\nurl = amqp://guest:secret-word@127.0.0.1:1/\n"
        f"[gateway]\nreplicas = 1\nlisten = 127.0.0.1:{port}\n"
        f"[proxy]\nlisten = 127.0.0.1:{proxy}\n{more}",
    )
    return port


@contextlib.contextmanager
def running(folder, role, event="STARTED"):
    log = folder / f"{role}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen([harness.TAMIZ, role, "--file", folder / "cluster.ini"], stderr=out)
    end = time.monotonic() + SECONDS_MAX
    try:
        while event not in log.read_text():
            check(process.poll() is None and time.monotonic() < end, log.read_text())
            time.sleep(0.02)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            equal(process.wait(SECONDS_MAX), 0, log.read_text())
        finally:
            process.kill()
        check("secret-word" not in log.read_text())


def test_every_role_has_help(folder):
    for role in ROLES:
        check("--file FILE" in harness.answers(role, "--help"))


def test_wrong_calls(folder):
    cluster(folder)
    file = folder / "cluster.ini"
    for role in ROLES:
        fails(FAILED, "nowhere.ini", args=(role, "--file", folder / "nowhere.ini"))
    fails(USAGE, "--index 1", "replicas = 1", args=("gateway", "--file", file, "--index", 1))
    fails(USAGE, "--index 2", "replicas = 2", args=("reducer", "--file", file, "--index", 2))
    fails(USAGE, "--index 1", args=("proxy", "--file", file, "--index", 1))
    fails(USAGE, "--index", args=("collector", "--file", file, "--index", 1))
    harness.write(file, "[gatway]\nreplicas = 2\n")
    fails(USAGE, "cluster.ini:2:", "did you mean [gateway]?", args=("gateway", "--file", file))


def test_nodes_start_without_a_broker_and_end_when_asked(folder):
    cluster(folder)
    for role in ("gateway", "reducer", "collector", "filter"):
        with running(folder, role):
            pass
        text = (folder / f"{role}.log").read_text()
        check("ENDED" in text, text)
    with running(folder, "proxy", "LISTENING"):
        pass


def test_a_node_runs_once(folder):
    cluster(folder)
    file = folder / "cluster.ini"
    with running(folder, "reducer") as process:
        fails(FAILED, f"pid {process.pid}", "reducer-0", args=("reducer", "--file", file))
    with running(folder, "reducer") as process:
        process.kill()
        process.wait()
        # What a killed one leaves behind is no obstacle.
        with running(folder, "reducer"):
            pass
        process.returncode = 0


def test_a_port_that_is_taken(folder):
    port = cluster(folder)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        fails(FAILED, f"127.0.0.1:{port}", args=("gateway", "--file", folder / "cluster.ini"))


def test_a_gateway_that_is_starting_says_so(folder):
    port = cluster(folder)
    with running(folder, "gateway"):
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            client.sendall(HEALTH)
            equal(client.recv(1)[0], ERROR)
    # Clients that are connected while it ends are told.
    with running(folder, "gateway") as process:
        with socket.create_connection(("127.0.0.1", port), 20) as client:
            client.sendall(HEALTH)
            client.recv(4096)
            process.send_signal(signal.SIGTERM)
            data = b""
            while more := client.recv(4096):
                data += more
            check(b"going down" in data, data)
        process.wait(SECONDS_MAX)


if __name__ == "__main__":
    harness.main(globals())
