"""Watchers on a real cluster: whatever dies or is stuck is started again, and whoever watches is watched."""

import contextlib
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket

from cluster import PATIENCE_SECONDS, check, embedded, equal, generate, run_tests, wait_for

OPTIONS = ["--gateways", "1", "--reducers", "2", "--filters", "1"]
FORGED_TERM = 4_000_000_000
ROLES = ["gateway-0", "reducer-1", "collector", "filter-0", "proxy-0"]


def wait_leader(cluster):
    cluster.wait_for(lambda: cluster.leader(), "one leader")
    return cluster.leader()["watcher"]


def wait_all_green(cluster):
    def all_green():
        leader = cluster.leader()
        return leader and all(node["state"] == "green" for node in leader["nodes"])

    cluster.wait_for(all_green, "all green")


def test_health_of_all(cluster, folder):
    for name in cluster.nodes(watchers=True):
        status, answer = cluster.get(name, "/health")
        equal(status, 200, answer)
        equal(answer["node"], name)
        equal(answer["state"], "ready")
    wait_all_green(cluster)
    equal({node["restarts"] for node in cluster.leader()["nodes"]}, {0})


def test_each_role_killed(cluster, folder):
    for name in ROLES:
        cluster.wait_replaced(cluster.kill_all([name]))
        cluster.wait_for(lambda n=name: cluster.watched(n).get("restarts") == 1, f"{name} counted")
        equal(cluster.watched(name)["reason"], "nobody was there")


def test_several_at_once(cluster, folder):
    cluster.wait_replaced(cluster.kill_all(ROLES))


def test_stuck_nodes(cluster, folder):
    running = cluster.nodes()
    stopped = {name: running[name] for name in ROLES}
    for pid in stopped.values():
        os.kill(pid, signal.SIGSTOP)
    cluster.wait_replaced(stopped)
    wait_all_green(cluster)
    check("did not answer for" in cluster.watched("gateway-0")["reason"], cluster.watched("gateway-0"))


def test_leader_killed(cluster, folder):
    for _ in range(3):
        leader = wait_leader(cluster)
        term = cluster.leader()["term"]
        cluster.wait_replaced(cluster.kill_all([f"watcher-{leader}"]))
        # The highest one that lives leads, and knows what its predecessor did.
        cluster.wait_for(lambda: (cluster.leader() or {}).get("watcher") == 2, "watcher 2 leads")
        check(cluster.leader()["term"] > term, "the same reign")
        cluster.wait_for(lambda: cluster.watched("gateway-0").get("restarts", 0) >= 3, "the tally")


def test_stuck_leader(cluster, folder):
    leader = wait_leader(cluster)
    pid = cluster.nodes(watchers=True)[f"watcher-{leader}"]
    os.kill(pid, signal.SIGSTOP)
    cluster.wait_replaced({f"watcher-{leader}": pid})
    wait_all_green(cluster)


def test_paused_leader_wakes_up(cluster, folder):
    """It was away for longer than its followers bear, and hurts nobody when it comes back."""
    leader = wait_leader(cluster)
    pid = cluster.nodes(watchers=True)[f"watcher-{leader}"]
    nodes = cluster.nodes()
    os.kill(pid, signal.SIGSTOP)
    cluster.wait_for(
        lambda: any((cluster.get(f"watcher-{i}", "/status") or [0, {}])[1].get("leads") for i in range(leader)),
        "another leader",
    )
    os.kill(pid, signal.SIGCONT)
    wait_all_green(cluster)
    equal(cluster.nodes(), nodes)


def test_status(cluster, folder):
    done = cluster.tamiz("status", "--server", cluster.server)
    equal(done.returncode, 0, done.stderr)
    check("watcher 2 leads, term " in done.stdout, done.stdout)
    check("  leads" in done.stdout, done.stdout)
    check(" ago: " in done.stdout, done.stdout)
    same = cluster.tamiz("status", "--file", cluster.state / "cluster.ini")
    equal(same.returncode, 0, same.stderr)
    check(same.stdout.startswith("watcher 2 leads, term "), same.stdout)
    equal(cluster.status()["watch"]["leader"], 2)


def test_status_of_the_broker(cluster, folder):
    """How long it has been well, as of every other node."""
    cluster.wait_for(lambda: cluster.watched("broker").get("since_ms", 0) > 0, "the time of the broker")
    equal(cluster.watched("broker")["state"], "green")


def test_forged_term(cluster, folder):
    """Whoever does not know the watchers' secret is not listened to, whatever it says that it is."""
    host, first = cluster.config()["watcher"]["listen"].rsplit(":", 1)
    for i, forged in itertools.product(range(3), range(3)):
        lines = [f"HELLO {version} tamiz {forged}\nLEADER {FORGED_TERM}\n" for version in (1, 2)]
        for line in [*lines, *(f"{'0' * 32} {line}".replace("\nL", f"\n{'0' * 32} L") for line in lines)]:
            with socket.create_connection((host, int(first) + i), PATIENCE_SECONDS) as stranger:
                with contextlib.suppress(OSError):
                    stranger.sendall(line.encode())
                    stranger.shutdown(socket.SHUT_WR)
                    while stranger.recv(4096):
                        pass
    wait_all_green(cluster)
    terms = [cluster.get(f"watcher-{i}", "/status")[1]["term"] for i in range(3)]
    check(max(terms) < FORGED_TERM, terms)


def test_all_watchers_killed(cluster, folder):
    cluster.wait_replaced(cluster.kill_all([f"watcher-{i}" for i in range(3)]))
    wait_all_green(cluster)


def test_flapping(cluster, folder):
    """A node whose address somebody else has cannot start: it is tried ever more rarely, and reported."""
    cluster.wait_for(lambda: cluster.watched("filter-0"), "a leader")
    port = int(cluster.health_address("filter-0").rsplit(":", 1)[1])
    with socket.socket() as thief:
        thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

        def steal():
            cluster.kill("filter-0")
            try:
                thief.bind(("127.0.0.1", port))
                thief.listen()
                return True
            except OSError:
                return False

        cluster.wait_for(steal, "the filter's port")
        cluster.wait_for(lambda: cluster.watched("filter-0").get("flapping"), "flapping")
    cluster.wait_for(lambda: cluster.watched("filter-0").get("state") == "green", "green")


def test_chaos(cluster, folder):
    done = cluster.tamiz("chaos", "--state", cluster.state, "--for", "6s", "--size", "1M", "--seed", "7", seconds=2 * PATIENCE_SECONDS)
    equal(done.returncode, 0, done.stdout[-2000:] + done.stderr)
    check(", 0 wrong, 0 failed" in done.stdout, done.stdout[-500:])


def chaos_clients(cluster):
    """The processes that `tamiz chaos` has started."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{cluster.state}/chaos/client".encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return found


def test_chaos_killed(cluster, folder):
    """Its clients end with it."""
    process = cluster.start("chaos", "--state", cluster.state, "--for", "10m", "--except", "reducer,watcher", "--size", "1M")
    wait_for("a client", lambda: chaos_clients(cluster))
    # Their jobs would go on for ever.
    with cluster.endless():
        wait_for("a client", lambda: chaos_clients(cluster))
        process.kill()
        cluster.finish(process)
        wait_for(lambda: f"the end of {chaos_clients(cluster)}", lambda: not chaos_clients(cluster))
    wait_all_green(cluster)


def test_bomb(cluster, folder):
    done = cluster.tamiz(
        "chaos", "--state", cluster.state, "--bomb", "--bombs", "2", "--clients", "3", "--size", "8M", seconds=2 * PATIENCE_SECONDS
    )
    equal(done.returncode, 0, done.stdout[-2000:] + done.stderr)
    check("bomb 2: " in done.stdout and "3 jobs run" in done.stdout, done.stdout)
    started, right = re.search(r"jobs: +(\d+) started, (\d+) right, 0 wrong, 0 failed", done.stdout).groups()
    check(int(started) >= 6 and started == right, done.stdout[-500:])
    data = generate("coffee", folder / "coffee", "1M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)


def test_down_in_the_middle_of_restarts(cluster, folder):
    """Whoever a watcher starts while the cluster is being ended comes too late."""
    for _ in range(3):
        for pid in cluster.nodes(watchers=True).values():
            os.kill(pid, signal.SIGKILL) if pid % 2 else None
        done = cluster.down()
        equal(done.returncode, 0, done.stderr)
        cluster.wait_for(lambda: not cluster.processes(), "the end of all")
        cluster.up()
    equal(cluster.processes() != {}, True)


def test_down_while_up_starts(cluster, folder):
    """What `up` has started last sees for itself that it comes too late."""
    equal(cluster.down().returncode, 0)

    def is_begun():
        return any("up" in words for words in cluster.processes().values())

    def has_watcher():
        return any("watcher" in words for words in cluster.processes().values())

    def down_came_in_time(moment):
        wait_for(lambda: f"the end of {cluster.processes()}", lambda: not cluster.processes())
        process = cluster.start("up", "--detach", "--state", cluster.state, *cluster.options)
        wait_for(moment.__name__, moment)
        wait_for("down to find it", lambda: cluster.down().returncode == 0)
        status, _, err = cluster.finish(process)
        check(status != 0 or "ready." in err, err)
        return status != 0

    for moment in (is_begun, has_watcher, has_watcher):
        # On a busy machine `up` may have been ready before `down` came.
        wait_for("a down before up was ready", lambda: down_came_in_time(moment))
    wait_for(lambda: f"the end of {cluster.processes()}", lambda: not cluster.processes())
    cluster.up()


def test_up_told_to_end_while_it_starts(cluster, folder):
    """Of a detached `up` two processes know: the signal is for both."""
    equal(cluster.down().returncode, 0)
    process = cluster.start("up", "--detach", "--state", cluster.state, *cluster.options)
    wait_for("up to begin", lambda: any(pid != process.pid for pid in cluster.processes()))
    process.terminate()
    status, _, err = cluster.finish(process)
    check(status != 0, err)
    wait_for(lambda: f"the end of {cluster.processes()}", lambda: not cluster.processes())
    cluster.up()


def test_status_when_up_is_ready(cluster, folder):
    equal(cluster.down().returncode, 0)
    cluster.up()
    states = {node["name"]: node["state"] for node in cluster.status()["watch"]["nodes"]}
    equal(set(states.values()), {"green"}, states)


def test_places_deleted(cluster, folder):
    """Nodes take their places again; and who has none any more is ended with the others."""
    before = cluster.nodes(watchers=True)
    places = cluster.state / "nodes" / "run"
    shutil.rmtree(places)
    wait_for("all places", lambda: cluster.nodes(watchers=True) == before)
    shutil.rmtree(places)
    done = cluster.down()
    left = cluster.processes()
    equal((done.returncode, left), (0, {}), done.stderr)
    cluster.up()


def test_epmd_of_another_start(cluster, folder):
    """Of two who start a broker at once one has its own epmd in vain; the other one's is ended with the broker."""
    for state in (cluster.state / "broker.state", cluster.state / "broker" / "broker.state"):
        state.write_text(re.sub(r"(?m)^epmd=.*$", "epmd=0 0", state.read_text()))
    equal(cluster.down().returncode, 0)
    wait_for(lambda: f"the end of {cluster.processes()}", lambda: not cluster.processes())
    cluster.up()


def test_chaos_usage(cluster, folder):
    for args, text in [
        (["--kinds", "kill,flood"], "a kind is one of"),
        (["--except", "nobody"], "no such node or role"),
        (["--every", "often"], "a time is a number"),
        (["--except", "gateway,reducer,collector,filter,proxy,watcher"], "nothing to do"),
    ]:
        done = cluster.tamiz("chaos", "--state", cluster.state, *args)
        equal(done.returncode, 2, done.stderr)
        check(text in done.stderr, done.stderr)
    done = cluster.tamiz("chaos", "--state", folder / "none")
    equal(done.returncode, 2, done.stderr)
    check("no cluster was started in" in done.stderr, done.stderr)


run_tests(globals(), *OPTIONS)
