"""The broker dies young, without its data, or without its folder: the cluster comes back by itself."""

import os
import shutil
import signal

from cluster import Cluster, check, embedded, equal, generate, is_alive, run_tests, wait_for

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


def test_folder_deleted(cluster, folder):
    """It has the port and the password that the nodes know."""
    before = cluster.broker_state()
    lose(cluster, "broker")
    wait_for("the broker", lambda: (cluster.state / "broker" / "broker.state").exists())
    after = cluster.broker_state()
    for key in ("name", "password", "amqp_port", "epmd_port"):
        equal(after[key], before[key], key)


run_tests(globals(), "--filters", "1")
