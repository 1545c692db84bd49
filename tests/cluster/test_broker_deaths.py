"""The broker dies young, without its data, or without its folder: the cluster comes back by itself."""

import os
import shutil
import signal
import socket

from cluster import Cluster, Rising, check, embedded, equal, generate, is_alive, run_tests, wait_for
from harness import free_ports

NODES = ["reducer-0", "reducer-1", "collector", "gateway-0", "gateway-1", "filter-0"]
QUEUES = ["tamiz.collector", "tamiz.reducer.0", "tamiz.reducer.1", "tamiz.gateway.0", "tamiz.gateway.1"]


def end_broker(cluster):
    pid = cluster.broker_pid()
    os.kill(pid, signal.SIGKILL)
    wait_for("the end of the broker", lambda: not is_alive(pid))


def lose(cluster, what):
    """The broker, and what is deleted before anybody can start it again."""
    with cluster.nobody_watches():
        end_broker(cluster)
        if what:
            shutil.rmtree(cluster.state / what)


def test_ready_is_durable(cluster, folder):
    """As soon as `tamiz up` says ready, the broker has written down what it has."""
    for i in range(3):
        fresh = Cluster(folder=folder / str(i))
        try:
            check(fresh.broker_is_safe(QUEUES), "one that is killed now loses its queues")
        finally:
            fresh.close()


def has_data(cluster, pattern):
    return any((cluster.state / "broker" / "data").glob(pattern))


def test_killed_in_its_first_start(cluster, folder):
    """At every step of it: what is half made is made anew."""
    fresh = Rising(folder=folder / "cluster")
    try:
        for has_come in ("*-feature_flags", "*/schema.DAT", "*/rabbit_durable_queue.DCD"):
            wait_for(f"{has_come} or the end of the start", lambda: has_data(fresh, has_come) or not fresh.is_rising())
            if fresh.is_rising():
                end_broker(fresh)
        fresh.wait_up()
        fresh.answer("coffee", "--data", generate("coffee", folder / "coffee", "1M"))
    finally:
        fresh.close()


def test_its_ports_are_taken(cluster, folder):
    """By another program, between the choice of a port and the first start: that broker gets others."""
    state = folder / "cluster" / "state"
    (state / "broker").mkdir(parents=True)
    taken = [socket.create_server(("127.0.0.1", port)) for port in free_ports(3)]
    ports = [one.getsockname()[1] for one in taken]
    keys = ("amqp_port", "dist_port", "epmd_port")
    lines = ["name=tamiz", "password=secret", *(f"{key}={port}" for key, port in zip(keys, ports))]
    (state / "broker.state").write_text("".join(f"{line}\n" for line in lines))
    fresh = Cluster(folder=folder / "cluster")
    try:
        fresh.answer("coffee", "--data", generate("coffee", folder / "coffee", "1M"))
        told = dict(line.split("=", 1) for line in (state / "broker.state").read_text().splitlines())
        check(not any(int(told[key]) in ports for key in keys), told)
        equal(told["has_served"], "1")
    finally:
        fresh.close()
        for one in taken:
            one.close()


def test_its_files_vanish_while_they_are_written(cluster, folder):
    """It dies in its first start, with its folder, and what is in the way of the next start goes away after a while."""
    fresh = Rising(folder=folder / "cluster")
    home = fresh.state / "broker" / "home"
    try:
        wait_for("some of its data, or the end of the start", lambda: has_data(fresh, "*-feature_flags") or not fresh.is_rising())
        with fresh.standing_still([fresh.rising.pid]):
            is_young = fresh.is_rising()
            if is_young:
                end_broker(fresh)
                shutil.rmtree(home)
                home.write_text("not a folder")
        if is_young:
            wait_for("another start", lambda: b"is started again" in os.pread(fresh.rising.files[1].fileno(), 1 << 16, 0))
            home.unlink()
        fresh.wait_up()
        fresh.answer("coffee", "--data", generate("coffee", folder / "coffee", "1M"))
    finally:
        fresh.close()


def lose_under_a_job(cluster, folder, what):
    """A job that is under way when the broker dies: it ends right, submitted again by its client if need be."""
    data = generate("coffee", folder / "coffee", "3M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    state = folder / "job.state"
    process = cluster.submit_begun(state, want, "coffee", "--data", data, "-f", "csv", "--chunk-size", "2K")
    lose(cluster, what)
    status, out, err = cluster.finish(process)
    equal(status, 0, err)
    check(out == want, f"{out[:300]!r} and not {want[:300]!r}")
    wait_for("all green", lambda: all(cluster.is_green(name) for name in NODES))
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)
    return err


def test_data_deleted(cluster, folder):
    err = lose_under_a_job(cluster, folder, "broker/data")
    check("submitted again" in err, err)


def test_folder_deleted(cluster, folder):
    """The broker that comes back has the port and the password that the nodes know."""
    before = cluster.broker_state()
    lose_under_a_job(cluster, folder, "broker")
    after = cluster.broker_state()
    for key in ("name", "password", "amqp_port", "epmd_port"):
        equal(after[key], before[key], key)


def test_results_survive(cluster, folder):
    """What was done is on the disks of the nodes."""
    data = generate("coffee", folder / "coffee", "1M")
    done = cluster.submit("coffee", "--data", data, "--no-wait", "-q")
    equal(done.returncode, 0, done.stderr)
    job = done.stderr.split()[2]
    wait_for(job, lambda: any(one["id"] == job and one["state"] == "done" for one in cluster.status()["jobs"]))
    generation = cluster.generation()
    lose(cluster, "broker/data")
    wait_for("another generation of the log", lambda: cluster.generation() > generation)
    wait_for("all green", lambda: all(cluster.is_green(name) for name in NODES))
    got = cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")
    equal(got.stdout, embedded("run", "coffee", "--data", data, "-f", "csv").stdout, got.stderr)


def test_nothing_is_left(cluster, folder):
    cluster.wait_clean()


run_tests(globals(), "--filters", "1")
