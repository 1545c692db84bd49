#!/usr/bin/env python3
"""The commands that run nodes, without a broker: it may come later, so they start all the same."""

import contextlib
import http.client
import json
import signal
import socket
import struct
import subprocess

import harness
from harness import DATA, FAILED, PATIENCE_SECONDS, USAGE, check, equal, fails, free_ports, wait_for

ROLES = ("gateway", "reducer", "collector", "filter", "proxy")
HEALTH = b"\x0d\0\0\0\0"
ERROR = 0x21

def cluster(folder):
    """A file with a node of each kind; gives the port of the gateway, and those of health by role."""
    port, proxy, *healths = free_ports(2 + len(ROLES))
    health = dict(zip(ROLES, healths))
    address = {role: f"health = 127.0.0.1:{health[role]}\n" for role in ROLES}
    harness.write(
        folder / "cluster.ini",
        "[broker]\nurl = amqp://guest:secret-word@127.0.0.1:1/\n"
        f"[gateway]\nreplicas = 1\nlisten = 127.0.0.1:{port}\n{address['gateway']}"
        f"[proxy]\nlisten = 127.0.0.1:{proxy}\n{address['proxy']}"
        f"[reducer]\nreplicas = 1\n{address['reducer']}[collector]\n{address['collector']}"
        f"[filter]\nreplicas = 1\n{address['filter']}",
    )
    return port, health


def ask(port, path):
    """Status and what the answer says."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    with contextlib.closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_state_of_another_version(folder):
    """It is left as it is, and the node says what to do."""
    cluster(folder)
    identity = folder / "tamiz-state" / "reducer-0" / "identity"
    with running(folder, "reducer"):
        whole = identity.read_bytes()
    equal(len(whole), 24)
    other = whole[:16] + struct.pack("=II", 2, 0xFFFFFFFF - 2)
    identity.write_bytes(other)
    fails(DATA, "has format 2, and this program reads 1", args=["reducer", "--file", folder / "cluster.ini"])
    equal(identity.read_bytes(), other)
    # One from before there was a number, and one whose number is damaged.
    for text in (whole[:16], whole[:20] + b"....", whole):
        identity.write_bytes(text)
        with running(folder, "reducer"):
            equal(identity.read_bytes(), text)


def ping(port):
    """What comes back over UDP and over TCP; a node that stands still says nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to:
        to.settimeout(PATIENCE_SECONDS)
        to.connect(("127.0.0.1", port))
        # What is no ping is not answered: the first answer is that of the second.
        to.send(b"hello")
        to.send(b"ping 7")
        datagram = to.recv(100)
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as to:
        return datagram, to.makefile("rb").read()


def test_pings(folder):
    _, health = cluster(folder)
    file = folder / "cluster.ini"
    above = 20  # within what is ours
    file.write_text(f"[cluster]\nping = {above}\n" + file.read_text())
    for role, event in (("reducer", "STARTED"), ("gateway", "STARTED"), ("proxy", "LISTENING")):
        port = health[role] + above
        with running(folder, role, event) as process:
            equal(ping(port), (b"pong 7", f"pong {role}-0\n".encode()))
            process.send_signal(signal.SIGSTOP)
            try:
                wait_for("it to stand still", lambda process=process: state_of(process.pid) == "T")
                to = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
                to.setblocking(False)
                try:
                    check(False, f"it stands still and says {to.recv(100)}")
                except BlockingIOError:
                    pass
            finally:
                process.send_signal(signal.SIGCONT)
            with to:
                to.settimeout(PATIENCE_SECONDS)
                equal(to.recv(100), f"pong {role}-0\n".encode())
    file.write_text(file.read_text().replace(f"ping = {above}", "ping = 60000"))
    fails(USAGE, "there is no such port", args=["reducer", "--file", file])


def state_of(pid):
    return open(f"/proc/{pid}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[0]


@contextlib.contextmanager
def running(folder, role, event="STARTED"):
    log = folder / f"{role}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen([harness.TAMIZ, role, "--file", folder / "cluster.ini"], stderr=out)

    def started():
        equal(process.poll(), None, log.read_text())
        return event in log.read_text()

    try:
        wait_for(log.read_text, started)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            equal(process.wait(PATIENCE_SECONDS), 0, log.read_text())
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
    fails(USAGE, "--index 2", "replicas = 1", args=("reducer", "--file", file, "--index", 2))
    fails(USAGE, "--index 1", args=("proxy", "--file", file, "--index", 1))
    fails(USAGE, "--index", args=("collector", "--file", file, "--index", 1))
    harness.write(file, "[gatway]\nreplicas = 2\n")
    fails(USAGE, "cluster.ini:2:", "did you mean [gateway]?", args=("gateway", "--file", file))


def test_nodes_start_without_a_broker_and_end_when_asked(folder):
    _, health = cluster(folder)
    for role in ("gateway", "reducer", "collector", "filter"):
        name = role if role == "collector" else f"{role}-0"
        with running(folder, role) as process:
            status, answer = ask(health[role], "/health")
            told = [answer[key] for key in ("node", "state", "healthy", "ready", "broker", "pid")]
            equal([status, *told], [503, name, "starting", False, False, False, process.pid])
        text = (folder / f"{role}.log").read_text()
        check("ENDED" in text, text)
    with running(folder, "proxy", "LISTENING"):
        equal(ask(health["proxy"], "/ready")[0], 503)
        status, answer = ask(health["proxy"], "/health")
        equal((status, answer["healthy"], answer["broker"]), (200, True, None))


def test_a_node_runs_once(folder):
    cluster(folder)
    file = folder / "cluster.ini"
    for role in ROLES:
        with running(folder, role, "LISTENING" if role == "proxy" else "STARTED") as process:
            fails(FAILED, f"{role}", f"as process {process.pid}:", args=(role, "--file", file))
    # Also when it hangs.
    with running(folder, "filter") as process:
        process.send_signal(signal.SIGSTOP)
        fails(FAILED, f"as process {process.pid}:", args=("filter", "--file", file))
        process.send_signal(signal.SIGCONT)
        # More than the file has may come, each with a number of its own.
        other = subprocess.Popen(
            [harness.TAMIZ, "filter", "--file", file, "--index", "7"], stderr=subprocess.PIPE
        )
        check(any(b"STARTED" in line for line in other.stderr), "filter-7 does not start")
        other.send_signal(signal.SIGTERM)
        other.stderr.read()
        equal(other.wait(PATIENCE_SECONDS), 0)
    with running(folder, "reducer") as process:
        process.kill()
        process.wait()
        # What a killed one leaves behind is no obstacle.
        with running(folder, "reducer"):
            pass
        process.returncode = 0


def test_a_port_that_is_taken(folder):
    port, _ = cluster(folder)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        fails(FAILED, f"127.0.0.1:{port}", args=("gateway", "--file", folder / "cluster.ini"))
    _, health = cluster(folder)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", health["reducer"]))
        taken.listen()
        place = f"127.0.0.1:{health['reducer']}"
        fails(FAILED, "health", place, args=("reducer", "--file", folder / "cluster.ini"))


def test_a_gateway_that_is_starting_says_so(folder):
    port, _ = cluster(folder)
    with running(folder, "gateway"):
        with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as client:
            client.sendall(HEALTH)
            equal(client.recv(1)[0], ERROR)
    # Clients that are connected while it ends are told.
    with running(folder, "gateway") as process:
        with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as client:
            client.sendall(HEALTH)
            client.recv(4096)
            process.send_signal(signal.SIGTERM)
            data = b""
            while more := client.recv(4096):
                data += more
            check(b"going down" in data, data)
        process.wait(PATIENCE_SECONDS)


if __name__ == "__main__":
    harness.main(globals())
