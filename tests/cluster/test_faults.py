"""Every role, and the broker, killed while a job runs: the right bytes in the end, nothing left behind."""

import os
import signal

from cluster import check, embedded, equal, generate, read_tables, run_tests, wait_for

OPTIONS = ["--gateways", "2", "--reducers", "2", "--filters", "1"]
NODES = 2 + 2 + 1 + 1 + 1


def run_hurt(cluster, folder, pack, size, chunk_size, hurt, late=False):
    """A job during which `hurt` is called once it has begun to send, or later, when some table is sent; must end
    well."""
    data = generate(pack, folder / pack, size)
    want = embedded("run", pack, "--data", data, "-f", "csv").stdout
    state = folder / "job.state"
    process = cluster.submit_begun(state, want, pack, "--data", data, "-f", "csv", "--chunk-size", chunk_size)

    def is_late():
        return process.poll() is not None or any(closed == "1" for _, _, closed, *_ in read_tables(state))

    if late:
        wait_for("a table to be sent", is_late)
    hurt()
    status, out, err = cluster.finish(process)
    equal(status, 0, err)
    check(out == want, f"{out[:300]!r} and not {want[:300]!r}")
    cluster.wait_nodes(NODES)


def kill_each(cluster, folder, name):
    def hurt():
        check(cluster.kill(name), f"{name} does not run")

    for late in (False, True):
        place = folder / f"late-{late}"
        place.mkdir()
        run_hurt(cluster, place, "coffee", "3M", "2K", hurt, late)


def test_reducer_killed(cluster, folder):
    kill_each(cluster, folder, "reducer-0")


def test_collector_killed(cluster, folder):
    kill_each(cluster, folder, "collector")


def test_gateways_killed(cluster, folder):
    (folder / "0").mkdir()
    (folder / "1").mkdir()
    run_hurt(cluster, folder / "0", "coffee", "3M", "2K", lambda: cluster.kill("gateway-0"))
    run_hurt(cluster, folder / "1", "coffee", "3M", "2K", lambda: cluster.kill("gateway-1"))


def test_proxy_killed(cluster, folder):
    run_hurt(cluster, folder, "coffee", "3M", "2K", lambda: cluster.kill("proxy-0"))


def test_filter_killed(cluster, folder):
    # Sentiments are expensive: its chunks go to the filter.
    run_hurt(cluster, folder, "books", "4M", "20K", lambda: cluster.kill("filter-0"))


def test_everything_but_the_broker_killed(cluster, folder):
    run_hurt(cluster, folder, "coffee", "3M", "2K", lambda: cluster.kill_all(cluster.nodes()))


def test_broker_killed(cluster, folder):
    run_hurt(cluster, folder, "coffee", "3M", "2K", cluster.kill_broker)


def test_results_outlive_the_collector(cluster, folder):
    data = generate("coffee", folder / "coffee", "1M")
    done = cluster.submit("coffee", "--data", data, "--no-wait", "-q")
    equal(done.returncode, 0, done.stderr)
    cluster.kill("collector")
    got = cluster.tamiz("results", done.stderr.split()[2], "--server", cluster.server, "-f", "csv")
    equal(got.stdout, embedded("run", "coffee", "--data", data, "-f", "csv").stdout, got.stderr)


def test_nothing_is_left(cluster, folder):
    cluster.wait_nodes(NODES)
    cluster.wait_clean()


def test_up_killed(cluster, folder):
    """The cluster goes on without it; the next one takes over, and finds the broker again."""
    data = generate("coffee", folder / "coffee", "1M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    pids = cluster.nodes(watchers=True)
    broker = cluster.broker_pid()
    os.kill(int((cluster.state / "lock").read_text()), signal.SIGKILL)
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)
    cluster.kill("reducer-0")
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)
    cluster.up()
    equal(cluster.broker_pid(), broker)
    check(not set(pids.values()) & set(cluster.nodes(watchers=True).values()), "old processes run on")
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)


def test_down_without_up(cluster, folder):
    os.kill(int((cluster.state / "lock").read_text()), signal.SIGKILL)
    done = cluster.down()
    equal(done.returncode, 0, done.stderr)
    equal(cluster.nodes(watchers=True), {})
    check(not os.path.exists(f"/proc/{cluster.broker_pid()}/exe"), "the broker runs on")
    done = cluster.down()
    equal(done.returncode, 2, done.stderr)
    check("no cluster runs in" in done.stderr, done.stderr)


run_tests(globals(), *OPTIONS)
