#!/usr/bin/env python3
"""A cluster on several hosts, and every link between them cut: the right bytes all the same.

usage: test_hosts.py                  a quick part
       test_hosts.py --all            everything
       test_hosts.py TEST...          only these
"""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys

from cluster import PATIENCE_SECONDS, TAMIZ, check, embedded, equal, generate, has_sent, read_tables, wait_for
from hosts import NODE_PATIENCE_MS, NODES, PEERS_PORT, WATCHERS, run_tests, start_ticks

# Left out by default: others show much the same.
SLOW = [
    "test_client_is_cut_from_one_gateway_for_good",
    "test_client_goes_on_through_the_other_gateway",
    "test_watchers_start_each_other_again",
    "test_one_watcher_hears_only_one_other",
    "test_collector_is_cut_from_the_broker",
    "test_gateway_is_cut_from_the_broker",
    "test_gateway_is_cut_from_the_leader",
    "test_host_of_the_collector_is_gone_and_back",
    "test_host_of_the_broker_is_gone_and_back",
]
NO_BROKER = "has no connection to the broker"


def has_more_to_send(state):
    """Whether some table of a job is not closed, as its client has noted."""
    return any(closed == "0" for _, _, closed, *_ in read_tables(state))


@contextlib.contextmanager
def job_at_rest(hosts, folder, **options):
    """A job that has begun to send, and whose client is stopped for as long as the block takes: however
    fast the machine is, what happens there happens in the middle of the job."""
    for turn in range(20):
        state = folder / f"{turn}.state"
        words = ["coffee", "--data", hosts.data, "-f", "csv", "--chunk-size", "2K", "--state", state]
        process = hosts.submit(*words, **options)
        wait_for("a chunk to be acknowledged", lambda: has_sent(state) or process.poll() is not None)
        process.send_signal(signal.SIGSTOP)
        if process.poll() is None and has_more_to_send(state):
            break
        # We were late. It has to be right all the same.
        process.send_signal(signal.SIGCONT)
        hosts.finish(process, hosts.want)
    else:
        raise AssertionError("jobs are too fast to be stopped")
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)


def restarts(hosts, name):
    return wait_for("a leader", lambda: hosts.node(name))["restarts"]


def wait_long(hosts, name, is_so, watcher=None):
    """Until the leader has seen a node like this for longer than its patience with one that does not answer."""
    wait_for(
        lambda: f"the leader to be tired of this: {hosts.node(name, watcher)}",
        lambda: (node := hosts.node(name, watcher)) and is_so(node) and node["since_ms"] > 1.5 * NODE_PATIENCE_MS,
    )


def resends(process, address):
    """How often what a process's host has sent to an address was sent again, without an answer."""
    most = 0
    with open(f"/proc/{process.pid}/net/tcp", encoding="ascii") as table:
        next(table)
        for line in table:
            words = line.split()
            host = ".".join(str(byte) for byte in reversed(bytes.fromhex(words[2].split(":")[0])))
            most = max(most, int(words[6], 16) if host == address else 0)
    return most


# --- a client and its gateway


def test_client_is_cut_from_its_proxy(hosts, folder):
    with job_at_rest(hosts, folder) as process:
        hosts.network.cut("client", "proxy-0")
    # It sends into the void for a while, and goes on when the network is back.
    wait_for("sent in vain", lambda: resends(process, hosts.network.address("proxy-0")) >= 3)
    equal(process.poll(), None)
    hosts.network.heal("client", "proxy-0")
    hosts.finish(process, hosts.want)


def test_proxy_is_cut_from_a_gateway(hosts, folder):
    with job_at_rest(hosts, folder) as process:
        hosts.network.cut("proxy-0", "gateway-0")
    # The proxy leaves the gateway, its clients go on with the other one.
    hosts.finish(process, hosts.want)
    hosts.network.heal("proxy-0", "gateway-0")
    wait_for(lambda: f"the proxy green: {hosts.node('proxy-0')}", lambda: hosts.node("proxy-0").get("state") == "green")


jobs = {}


def test_client_is_cut_from_one_gateway_for_good(hosts, folder):
    """Its patience is long: a test further down waits for the end of it."""
    with job_at_rest(hosts, folder, client="client-too", server=("gateway-0", "gateway-1")) as process:
        hosts.network.cut("client-too", "gateway-0")
    jobs["for good"] = process


# --- between watchers


def split(hosts, folder, both_lead=lambda: None):
    """The leader is cut from the other watchers, all of them from no node."""
    old = hosts.leader()
    others = [name for name in WATCHERS if name != old]
    with job_at_rest(hosts, folder) as process:
        for name in others:
            hosts.network.cut(old, name)
        # A leader on each side.
        wait_for(lambda: f"another leader: {hosts.reports()}", lambda: hosts.leaders(others))
        wait_for(lambda: f"the old leader: {hosts.reports()}", lambda: hosts.leaders([old]))
        # Both of them find that nobody is there, and start it.
        hosts.signal("reducer-1", signal.SIGKILL)
        both_lead()
    hosts.finish(process, hosts.want)
    for name in others:
        hosts.network.heal(old, name)
    hosts.wait_green()
    hosts.check_single()


def test_leader_is_cut_from_the_other_watchers(hosts, folder):
    """The command goes the way that is cut: no watcher is started again, and they find each other."""
    before = {name: hosts.place(name) for name in WATCHERS}
    with hosts.unreachable(*WATCHERS):
        split(hosts, folder)
    equal({name: hosts.place(name) for name in WATCHERS}, before, "a watcher ended")


def test_watchers_start_each_other_again(hosts, folder):
    """It goes another way: each side takes the other one for hung, and starts it again."""
    before = {name: hosts.place(name) for name in WATCHERS}

    def fight():
        wait_for("watchers anew", lambda: any(hosts.place(name) not in (None, before[name]) for name in WATCHERS))

    split(hosts, folder, fight)


def test_one_watcher_hears_only_one_other(hosts, folder):
    """The leader and the lowest cannot hear each other; the one between them hears both."""
    with hosts.unreachable(*WATCHERS):
        hosts.network.cut("watcher-0", "watcher-2")
        with job_at_rest(hosts, folder) as process:
            wait_for("watcher-0 misses the leader", lambda: hosts.ask("watcher-0", "/status")["leader"] is None)
            wait_for("watcher-2 misses it", lambda: "status 1" in hosts.node("watcher-0", "watcher-2")["detail"])
            equal(hosts.leaders(), ["watcher-2"])
        hosts.finish(process, hosts.want)
        equal(hosts.leaders(), ["watcher-2"])
        hosts.network.heal("watcher-0", "watcher-2")
        hosts.wait_green()
    hosts.check_single()


# --- a node and the broker


def cut_from_broker(hosts, folder, name, must_wait):
    before = hosts.place(name), restarts(hosts, name)
    with job_at_rest(hosts, folder) as process:
        hosts.network.cut(name, "broker")
        wait_for(
            lambda: f"{name} red: {hosts.node(name)}",
            lambda: (hosts.node(name).get("state"), hosts.node(name).get("detail")) == ("red", NO_BROKER),
        )
    wait_long(hosts, name, lambda node: node["detail"] == NO_BROKER)
    if must_wait:
        equal(process.poll(), None, "a job ended without one of its nodes")
    hosts.network.heal(name, "broker")
    wait_for(lambda: f"{name} green: {hosts.node(name)}", lambda: hosts.node(name).get("state") == "green")
    hosts.finish(process, hosts.want)
    equal((hosts.place(name), restarts(hosts, name)), before, "it was started again")


def test_reducer_is_cut_from_the_broker(hosts, folder):
    cut_from_broker(hosts, folder, "reducer-0", True)


def test_collector_is_cut_from_the_broker(hosts, folder):
    cut_from_broker(hosts, folder, "collector", True)


def test_gateway_is_cut_from_the_broker(hosts, folder):
    cut_from_broker(hosts, folder, "gateway-1", False)


# --- the leader and a node


def cut_from_leader(hosts, folder, name):
    leader = hosts.leader()
    before, count = hosts.place(name), restarts(hosts, name)
    with job_at_rest(hosts, folder) as process:
        hosts.network.cut(leader, name)
        wait_for(lambda: f"{name} restarted: {hosts.node(name)}", lambda: restarts(hosts, name) > count)
        wait_for(f"{name}: the old one gone", lambda: hosts.place(name) not in (None, before))
    hosts.finish(process, hosts.want)
    hosts.network.heal(leader, name)
    hosts.wait_green()
    hosts.check_single()
    check("did not answer for" in hosts.node(name)["reason"] or "get ready" in hosts.node(name)["reason"])


def test_reducer_is_cut_from_the_leader(hosts, folder):
    cut_from_leader(hosts, folder, "reducer-0")


def test_gateway_is_cut_from_the_leader(hosts, folder):
    cut_from_leader(hosts, folder, "gateway-0")


# --- a host that is gone


def host_gone(hosts, folder, name):
    before = hosts.place(name)
    # Nobody gets through, the command that would start it again neither.
    with hosts.unreachable(name):
        with job_at_rest(hosts, folder) as process:
            hosts.network.unplug(name)
            wait_for(
                lambda: f"attempts to start {name}: {hosts.node(name)}",
                lambda: "ended with status 1" in hosts.node(name).get("detail", ""),
            )
        # Not once only.
        wait_for(
            f"more attempts to start {name}",
            lambda: sum(hosts.log(watcher).count(f"RESTART_FAILED node={name} ") for watcher in WATCHERS) >= 3,
        )
        hosts.network.plug(name)
        hosts.finish(process, hosts.want)
        hosts.wait_green()
    equal(hosts.place(name), before, "it lived, and was not to be started")
    hosts.check_single()


def test_host_of_a_reducer_is_gone_and_back(hosts, folder):
    host_gone(hosts, folder, "reducer-1")


def test_host_of_the_collector_is_gone_and_back(hosts, folder):
    host_gone(hosts, folder, "collector")


def test_host_of_the_broker_is_gone_and_back(hosts, folder):
    before = {name: hosts.place(name) for name in NODES}
    with job_at_rest(hosts, folder) as process:
        hosts.network.unplug("broker")
        wait_for(
            lambda: f"all red: {hosts.colours()}",
            lambda: sum(detail == NO_BROKER for _, detail in hosts.colours().values()) == 6,
        )
    hosts.network.plug("broker")
    hosts.finish(process, hosts.want)
    hosts.wait_green()
    equal({name: hosts.place(name) for name in NODES}, before, "a restart brings no broker back")


def test_host_of_the_leader_is_gone_and_back(hosts, folder):
    old = hosts.leader()
    others = [name for name in WATCHERS if name != old]
    with hosts.unreachable(old):
        with hosts.unreachable(f"from-{old}"):
            hosts.network.unplug(old)
            with job_at_rest(hosts, folder) as process:
                hosts.signal("gateway-1", signal.SIGKILL)
                new = hosts.leader(others)
                wait_for(
                    lambda: f"gateway-1 green: {hosts.node('gateway-1', new)}",
                    lambda: hosts.node("gateway-1", new).get("state") == "green",
                )
            hosts.finish(process, hosts.want)
            # Alone, it leads itself, and hears nobody. That is not because they all hang.
            wait_for(f"{old} alone", lambda: hosts.leaders([old]) and " ALONE" in hosts.log(old))
            before = {name: hosts.place(name) for name in NODES}
        wait_long(hosts, "gateway-0", lambda node: node["state"] != "green", old)
        hosts.network.plug(old)
        hosts.wait_green()
    equal({name: hosts.place(name) for name in NODES}, before, "a node was started again that was well")
    hosts.check_single()


def test_switch_is_gone_and_back(hosts, folder):
    """Everyone is alone."""
    before = {name: hosts.place(name) for name in NODES}
    with hosts.unreachable(*NODES):
        with job_at_rest(hosts, folder) as process:
            hosts.network.ip("switch", ["link set bridge down"])
            wait_for(lambda: f"all lead: {hosts.reports()}", lambda: hosts.leaders() == WATCHERS)
            for name in (name for name in NODES if name.split("-")[0] not in ("watcher", "proxy")):
                wait_for(
                    lambda name=name: f"{name} without broker: {hosts.ask(name, '/health')}",
                    lambda name=name: (hosts.ask(name, "/health") or {}).get("broker") is False,
                )
        hosts.network.ip("switch", ["link set bridge up"])
        hosts.finish(process, hosts.want)
        hosts.wait_green()
    equal({name: hosts.place(name) for name in NODES}, before, "a process ended")
    hosts.check_single()


# --- a bad network


def test_loss_and_delay(hosts, folder):
    names = ["client", "broker", "proxy-0", "gateway-0", "gateway-1", "reducer-0", "reducer-1", "collector", "filter-0"]
    books = generate("books", folder / "books", "300K")
    want = embedded("run", "books", "--data", books, "-f", "csv").stdout
    with job_at_rest(hosts, folder) as process:
        print(f"# {hosts.network.worsen(names)}", flush=True)
    # Sentiments are expensive: its chunks go to the filter.
    other = hosts.submit("books", "--data", books, "-f", "csv", "--chunk-size", "20K")
    hosts.finish(process, hosts.want)
    hosts.finish(other, want)
    hosts.network.mend(names)
    hosts.wait_green()
    hosts.check_single()


# --- hostile bytes between watchers


def test_strangers_at_the_watchers_port(hosts, folder):
    leader = hosts.leader()
    before = {name: hosts.place(name) for name in WATCHERS}
    terms = {name: report["term"] for name, report in hosts.reports().items()}
    dice = random.Random(1)
    held = []

    def talk(name, data, hold=False):
        one = hosts.network.connect("spare", name, PEERS_PORT)
        held.append(one)
        with contextlib.suppress(OSError):
            one.sendall(data)
        if not hold:
            # It is refused: its end is seen here, by an end of file or a reset, and before that a challenge at most.
            one.settimeout(PATIENCE_SECONDS)
            heard = b""
            with contextlib.suppress(ConnectionError):
                while fresh := one.recv(1000):
                    heard += fresh
            check(re.fullmatch(rb"(CHALLENGE [0-9a-f]{32}\n)?", heard), f"{heard[:100]!r}, an answer to {data[:40]!r}")
        return one

    for name in WATCHERS:
        index = int(name[-1])
        peer = (index + 1) % len(WATCHERS)
        hello = f"HELLO 2 hosts {peer}\n".encode()
        for data in (
            dice.randbytes(100) + b"\n",
            dice.randbytes(100_000) + b"\n",
            b"x" * 257,
            b"HELLO 2 hosts " + b"1" * 1_000_000,
            b"GET / HTTP/1.1\r\nHost: watcher\r\n\r\n",
            b"\n",
            b"\0" * 10,
            f"HELLO 2 another {peer}\n".encode(),
            f"HELLO 1 hosts {peer}\n".encode(),
            f"HELLO 2 hosts {index}\n".encode(),
            b"HELLO 2 hosts 9\n",
            b"HELLO 2 hosts -1\n",
            b"HELLO 2 hosts 99999999999999999999\n",
            b"ASK 1\n",
            hello + b"SHUTDOWN\n",
            hello + b"LEADER\n",
            hello + b"LEADER x\n",
            hello + b"LEADER -1\n",
            hello + b"LEADER 18446744073709551615\n",
            hello + b"LEADER 99999999999999999999999\n",
            hello + b"ASK 1 2\n",
            hello + b"TALLY\n",
            hello + b"TALLY reducer-0 -1 -1 x\n",
            hello + b"TALLY reducer-0 1\n",
            hello + b"y" * 300 + b"\n",
        ):
            talk(name, data)
        # Nobody is kept out by a hundred that say nothing, or half a word, or a name of ours.
        for i in range(100):
            talk(name, [b"", b"HELLO", hello][i % 3], hold=True)
    # They are there for longer than followers bear a leader's silence.
    heard = hosts.node("gateway-0", leader)["since_ms"]
    wait_for("the leader to lead on", lambda: hosts.node("gateway-0", leader)["since_ms"] > heard + NODE_PATIENCE_MS)
    equal(hosts.leader(), leader)
    equal({name: report["term"] for name, report in hosts.reports().items()}, terms)
    # One that comes anew while they are there is heard.
    follower = next(name for name in WATCHERS if name != leader)
    hosts.restart(follower)
    wait_for(f"{follower} anew", lambda: hosts.place(follower) not in (None, before[follower]))
    hosts.leader()
    before[follower] = hosts.place(follower)
    equal({name: hosts.place(name) for name in WATCHERS}, before, "a watcher ended")
    for one in held:
        one.close()
    hosts.wait_green()


# --- at the end


def test_client_goes_on_through_the_other_gateway(hosts, folder):
    process = jobs.pop("for good", None)
    if process:
        hosts.finish(process, hosts.want)
        hosts.network.heal("client-too", "gateway-0")


def test_no_harm_in_the_logs(hosts, folder):
    for name in NODES:
        text = hosts.log(name)
        for word in ("STOPPED", "JOB_FAILED", "MESSAGE_DROPPED", "RESULTS_UNREADABLE", "Assertion", "Sanitizer"):
            check(word not in text, f"{name}: {word}: {text[text.find(word) - 300 :][:900]}")


def test_zombies(hosts, folder):
    """A reducer that is stopped and replaced: on its machine by none, on another one by a copy, after which
    it finds itself replaced."""
    # Nobody else is to start anything here.
    with hosts.unreachable(*NODES):
        hosts.end_watchers()
    with job_at_rest(hosts, folder) as process:
        zombie = hosts.signal("reducer-0", signal.SIGSTOP)
        # On its machine: the place is taken ...
        words = ["reducer", "--index", "0", "--file"]
        status, told = hosts.network.run("spare", TAMIZ, *words, hosts.file)
        check(status != 0 and f"reducer-0 is already running on this machine, as process {zombie}" in told, told)
        # ... and so is the disk, for one that has another place.
        side = folder / "side"
        side.mkdir()
        (side / "reducer-0").symlink_to(hosts.state / "reducer-0")
        hosts.write_file(folder / "side.ini", side, {"reducer-0": "spare"})
        status, told = hosts.network.run("spare", TAMIZ, *words, folder / "side.ini")
        check(status != 0 and "reducer-0" in told and str(zombie) in told, told)
        # Elsewhere, with a copy of its disk.
        copy = folder / "copy"
        shutil.copytree(hosts.state / "reducer-0", copy / "reducer-0")
        hosts.write_file(folder / "copy.ini", copy, {"reducer-0": "spare"})
        with open(folder / "copy.log", "wb") as log:
            second = subprocess.Popen(
                hosts.network.command("spare", TAMIZ, *words, folder / "copy.ini"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
    hosts.finish(process, hosts.want)
    equal(second.poll(), None, (folder / "copy.log").read_text())
    check(start_ticks(zombie), "the first one is gone")
    # Another job is under way when it wakes up.
    with job_at_rest(hosts, folder) as process:
        os.kill(zombie, signal.SIGCONT)
        wait_for(lambda: f"its end: {hosts.log('reducer-0')[-1000:]}", lambda: not start_ticks(zombie))
    hosts.finish(process, hosts.want)
    equal(second.poll(), None, (folder / "copy.log").read_text())
    check(
        re.search(r"STOPPED reason=\"another process has this node's queue", hosts.log("reducer-0")),
        hosts.log("reducer-0")[-1000:],
    )
    second.kill()
    second.wait()


if __name__ == "__main__":
    run_tests(globals(), sys.argv[1:], SLOW)
