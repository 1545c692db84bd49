#!/usr/bin/env python3
"""What real nodes tell about their health, and that it is true."""

import configparser
import http.client
import json
import socket

from cluster import PATIENCE_SECONDS, check, equal, run_tests, wait_for


def addresses(cluster):
    """{"reducer-0": port} from the file that `up` wrote."""
    file = configparser.ConfigParser(interpolation=None)
    file.read(cluster.state / "cluster.ini")
    found = {}
    for role in ("proxy", "gateway", "reducer", "collector", "filter"):
        port = int(file[role]["health"].rsplit(":", 1)[1])
        for index in range(file.getint(role, "replicas", fallback=1)):
            found[role if role == "collector" else f"{role}-{index}"] = port + index
    return found


def ask(port, path="/health", seconds=PATIENCE_SECONDS):
    """Status and what the answer says; None when there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except OSError:
        return None
    finally:
        connection.close()


def all_are(cluster, path, status):
    answers = {name: ask(port, path) for name, port in addresses(cluster).items()}
    return all(answer and answer[0] == status for answer in answers.values())


def test_every_node_is_green(cluster, folder):
    wait_for("all to be ready", lambda: all_are(cluster, "/ready", 200))
    pids = cluster.nodes()
    equal(sorted(addresses(cluster)), sorted(pids))
    for name, port in addresses(cluster).items():
        status, answer = ask(port)
        equal(status, 200)
        broker = None if name.startswith("proxy") else True
        equal(
            [answer[key] for key in ("node", "state", "healthy", "ready", "broker", "pid")],
            [name, "ready", True, True, broker, pids[name]],
        )
        held = (cluster.state / "nodes" / "run" / name).read_text().split()
        stat = open(f"/proc/{pids[name]}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()
        equal(held, [str(pids[name]), stat[19]])


def test_the_loop_of_an_idle_node_turns(cluster, folder):
    """Among many answers there is one with a short time, for every node."""
    for name, port in addresses(cluster).items():
        wait_for(f"a turn of {name}", lambda port=port: ask(port)[1]["loop_ms"] <= 100)


def test_a_stopped_node_does_not_answer(cluster, folder):
    pid, port = cluster.nodes()["reducer-0"], addresses(cluster)["reducer-0"]
    # It is stopped, and nobody replaces it.
    with cluster.endless():
        # The connection is the kernel's to accept; an answer is not.
        equal(ask(port, seconds=1), None)
    wait_for("it to be back", lambda: ask(port, "/ready")[0] == 200)
    equal(cluster.nodes()["reducer-0"], pid)


def test_a_second_process_is_refused(cluster, folder):
    file = cluster.state / "cluster.ini"
    for name, pid in cluster.nodes().items():
        role, _, index = name.partition("-")
        done = cluster.tamiz(role, "--file", file, *(["--index", index] if index else []))
        equal(done.returncode, 1)
        check(f"{name} is already running" in done.stderr and f"process {pid}:" in done.stderr, done.stderr)


def test_a_killed_node_is_green_again(cluster, folder):
    for name in ("reducer-0", "collector", "gateway-1", "filter-0", "proxy-0"):
        cluster.wait_replaced(cluster.kill_all([name]))


def test_a_lost_broker_is_red_and_green_again(cluster, folder):
    wait_for("all to be ready", lambda: all_are(cluster, "/ready", 200))
    broker = cluster.broker_pid()
    with_broker = {name: port for name, port in addresses(cluster).items() if not name.startswith("proxy")}

    def is_red(port):
        status, answer = ask(port)
        return status == 503 and answer["broker"] is False and not answer["ready"]

    # Nobody starts it again before all have told.
    with cluster.nobody_watches():
        cluster.kill_broker()
        for name, port in with_broker.items():
            wait_for(f"{name} to be red", lambda port=port: is_red(port))
    wait_for("all to be ready again", lambda: all_are(cluster, "/ready", 200))
    check(cluster.broker_pid() != broker)


def test_the_gateways_know_the_watchers(cluster, folder):
    file = configparser.ConfigParser(interpolation=None)
    file.read(cluster.state / "cluster.ini")
    first = int(file["watcher"]["health"].rsplit(":", 1)[1])
    equal(cluster.status()["watchers"], [f"127.0.0.1:{first + i}" for i in range(3)])


def test_a_client_that_says_nothing_is_no_trouble(cluster, folder):
    for port in addresses(cluster).values():
        with socket.create_connection(("127.0.0.1", port)):
            equal(ask(port)[0], 200)


if __name__ == "__main__":
    run_tests(globals(), "--gateways", "2", "--reducers", "2", "--filters", "1")
