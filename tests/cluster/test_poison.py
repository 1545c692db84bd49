"""Jobs that could harm others: whatever one job does, the others go on, and it ends with a reason."""

import contextlib
import resource
import signal
import socket
import threading
import time

from cluster import Cluster, check, embedded, equal, generate, run_tests
from deadly import IN_MAP, notes
from harness import cpu_seconds

RECEIVE_TTL_SECONDS = 3
ALL_PAIRS = "SELECT count(*), sum(a.quantity * b.quantity) FROM transaction_items a CROSS JOIN transaction_items b"

# The pattern is tried from each character to the end.
SLOW_ROWS = (
    "SELECT count(*) FROM transaction_items "
    "WHERE regexp_replace(repeat(quantity::text || 'ab', 80), '(a|b|[0-9])*[xyz]', '', 'g') = ''"
)

# Each spends hours on one batch of rows: a search in a long text, frames that are folded anew for every row, rows of
# a series, long decimals, all descendants of all descendants.
SLOW_BATCHES = [
    "SELECT count(*) FROM transaction_items WHERE repeat(quantity::text || 'ab', 20000) ~ '(a|b|[0-9])*[xyz]'",
    """SELECT max(x) FROM (SELECT string_agg(quantity::text, '') OVER (ORDER BY transaction_id
        ROWS BETWEEN 20000 PRECEDING AND 20000 FOLLOWING EXCLUDE CURRENT ROW) AS x FROM transaction_items) AS w""",
    "SELECT count(*) FROM (SELECT generate_series(1, 1000000000) + quantity AS s FROM transaction_items) AS x WHERE s < 0",
    "SELECT sum(length(factorial(20000 + quantity)::text)) FROM transaction_items, generate_series(1, 1000)",
    """SELECT count(*) FROM transaction_items WHERE jsonb_path_exists(
        (repeat('[', 200 + quantity::int * 0) || repeat(']', 200))::jsonb, '$.**.**.** ? (@ == 7)')""",
]


def jobs_in(cluster, state):
    return [job["id"] for job in cluster.status()["jobs"] if job["state"] == state]


def jobs_of(cluster):
    return receiving_jobs(cluster) + working_jobs(cluster)


def working_jobs(cluster):
    return jobs_in(cluster, "working")


def receiving_jobs(cluster):
    return jobs_in(cluster, "receiving")


def small_job(folder):
    """What to submit, and its answer."""
    small = generate("coffee", folder / "small", "1M")
    return ["coffee", "--data", small, "-f", "csv"], embedded("run", "coffee", "--data", small, "-f", "csv").stdout


def wait_quiet(cluster, pids):
    """Until none of the nodes has anything to do."""

    def is_quiet():
        before = [cpu_seconds(pid) for pid in pids]
        time.sleep(0.2)
        return all(cpu_seconds(pid) - was < 0.1 for pid, was in zip(pids, before))

    cluster.wait_for(is_quiet, "nodes that work no more on a job that was cancelled")


def outlast(cluster, folder, data, sql, workers, begun, is_old=lambda: True, small=None):
    """Beside a job that takes hours, small jobs are answered, no node looks stuck, and cancel ends it."""
    question, want = small or small_job(folder)
    nodes = cluster.nodes()
    pids = [nodes[name] for name in workers]
    used = [cpu_seconds(pid) for pid in pids]
    monster = cluster.submit_start("--sql", sql, "--data", data)
    cluster.wait_for(begun, "the large job has begun")
    job = begun()[0]
    cluster.wait_for(
        lambda: any(cpu_seconds(pid) > before + 0.5 for pid, before in zip(pids, used)), "a node that works on it"
    )
    for _ in range(3):
        equal(cluster.answer(*question, "--restart"), want)
    for name in nodes:
        check(cluster.is_green(name), f"{name} is not green beside a job that takes long")
    cluster.wait_for(is_old, "the large job has lasted")
    check(job in begun(), "the large job has ended")

    equal(cluster.tamiz("cancel", job, "--server", cluster.server).returncode, 0)
    status, _, stderr = cluster.finish(monster)
    check(status != 0, f"a cancelled job ended with status 0: {stderr}")

    wait_quiet(cluster, pids)
    cluster.wait_for(lambda: not any(job in path for path in cluster.leftovers()), "no file of the cancelled job")
    equal(cluster.nodes(), nodes, "a process was replaced")


def test_all_pairs_beside_small_jobs(cluster, folder):
    """A fold that would take hours."""
    data = generate("coffee", folder / "coffee", "20M")
    outlast(cluster, folder, data, ALL_PAIRS, ["reducer-0", "reducer-1"], lambda: working_jobs(cluster))


def test_slow_rows_beside_small_jobs(cluster, folder):
    """Chunks that gateways would map for hours: a client that waits for them is not taken for one that is gone."""
    data = generate("coffee", folder / "coffee", "100M")
    begun = []

    def receiving():
        jobs = receiving_jobs(cluster)
        begun.extend([time.monotonic()] if jobs and not begun else [])
        return jobs

    def has_outlived_abandoned_jobs():
        receiving()
        return begun and time.monotonic() - begun[0] > 2 * RECEIVE_TTL_SECONDS

    workers = ["gateway-0", "gateway-1"]
    outlast(cluster, folder, data, SLOW_ROWS, workers, receiving, has_outlived_abandoned_jobs)


def test_cancel_within_one_batch(cluster, folder):
    """Few rows that take for ever, each in another place: none of them is waited for."""
    data = generate("coffee", folder / "coffee", "2M")
    nodes = cluster.nodes()
    for i, sql in enumerate(SLOW_BATCHES):
        used = {name: cpu_seconds(pid) for name, pid in nodes.items()}
        monster = cluster.submit_start("--sql", sql, "--data", data, "--state", folder / f"{i}.state")
        cluster.wait_for(
            lambda: jobs_of(cluster) and any(cpu_seconds(pid) > used[name] + 0.5 for name, pid in nodes.items()),
            f"a node that works on {sql}",
        )
        equal(cluster.tamiz("cancel", jobs_of(cluster)[0], "--server", cluster.server).returncode, 0)
        check(cluster.finish(monster)[0] != 0, f"a cancelled job ended with status 0: {sql}")
        wait_quiet(cluster, nodes.values())
        cluster.wait_for(lambda: not jobs_of(cluster), "no job")
    equal(cluster.nodes(), nodes, "a process was replaced")


def test_slow_rows_in_a_filter(_, folder):
    """The same in a filter, where the small jobs are, too: they do not wait for chunks that were there before."""
    data = generate("coffee", folder / "coffee", "20M")
    clean = notes(folder / "notes")
    small = ["--sql", IN_MAP, "--data", clean, "-f", "csv"], embedded("sql", "-c", IN_MAP, "--data", clean, "-f", "csv").stdout
    cluster = Cluster(config={"filter": {"replicas": 1, "prefetch": 64}}, folder=folder / "cluster")
    try:
        outlast(cluster, folder, data, SLOW_ROWS, ["filter-0"], lambda: jobs_of(cluster), small=small)
    finally:
        cluster.close()


def abandon(cluster, data):
    """A client that is killed while it sends: its job is open, and nobody will ever complete it."""
    known = {job["id"] for job in cluster.status()["jobs"]}
    client = cluster.submit_start("coffee", "--data", data, "--chunk-size", "2K")

    def new_jobs():
        jobs = cluster.status()["jobs"]
        return [job["id"] for job in jobs if job["id"] not in known and job["state"] == "receiving"]

    cluster.wait_for(new_jobs, "a job that receives")
    job = new_jobs()[0]
    client.send_signal(signal.SIGKILL)
    client.wait()
    return job


def test_abandoned_jobs_make_room(cluster, folder):
    small = generate("coffee", folder / "small", "1M")
    # Of different data: a client with the same command would go on with the job of the one before.
    jobs = [abandon(cluster, generate("coffee", folder / f"coffee-{i}", "8M")) for i in range(JOBS_MAX)]
    equal(
        cluster.answer("coffee", "--data", small, "-f", "csv"),
        embedded("run", "coffee", "--data", small, "-f", "csv").stdout,
    )
    cluster.wait_for(
        lambda: not any(job["id"] in jobs for job in cluster.status()["jobs"]), "abandoned jobs that are gone"
    )


class Elsewhere(threading.Thread):
    """Passes connections on to a cluster as if they came from another machine; `server` is where it takes them."""

    ADDRESS = "127.0.0.9"

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.sockets = port, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.server = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                gateway = socket.create_connection(("127.0.0.1", self.port), source_address=(self.ADDRESS, 0))
                self.sockets += [client, gateway]
                for source, to in ((client, gateway), (gateway, client)):
                    threading.Thread(target=self.copy, args=(source, to), daemon=True).start()

    @staticmethod
    def copy(source, to):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)

    def close(self):
        for one in [self.listener, *self.sockets]:
            one.close()


def test_one_client_leaves_room(_, folder):
    """It has more jobs that never end than there are places: the half of them is for others."""
    small, large = (generate("coffee", folder / size, size) for size in ("1M", "8M"))
    want = embedded("run", "coffee", "--data", small, "-f", "csv").stdout
    cluster = Cluster(config={"gateway": {"jobs_max": 4}}, folder=folder / "cluster")
    elsewhere = Elsewhere(cluster.port)
    clients = []

    def receiving():
        return len([job for job in cluster.status()["jobs"] if job["state"] == "receiving"])

    try:
        for i in range(4):
            options = ["--server", elsewhere.server, "--state", folder / f"{i}.state", "--chunk-size", "1K"]
            clients.append(cluster.start("submit", "coffee", "--data", large, *options))
            cluster.wait_for(lambda: receiving() >= min(i + 1, 2), "a job that receives")
            if i < 2:
                clients[i].send_signal(signal.SIGSTOP)
        for _ in range(3):
            equal(cluster.answer("coffee", "--data", small, "-f", "csv", "--restart"), want)
        equal(receiving(), 2, "more than a half")
        equal([client.poll() for client in clients], [None] * 4)
    finally:
        for client in clients:
            client.kill()
            cluster.finish(client)
        elsewhere.close()
        cluster.close()


def data_bytes(pid):
    fields = open(f"/proc/{pid}/status").read()
    return int(fields.split("VmData:")[1].split()[0]) << 10


def test_a_gateway_without_room_for_a_parser(_, folder):
    """It has some megabytes to spare, and the parser's stack needs more: jobs are opened by the other gateway."""
    small = generate("coffee", folder / "small", "1M")
    want = embedded("run", "coffee", "--data", small, "-f", "csv").stdout
    cluster = Cluster(folder=folder / "cluster")
    try:
        pid = cluster.nodes()["gateway-0"]
        resource.prlimit(pid, resource.RLIMIT_DATA, (data_bytes(pid) + (10 << 20), resource.RLIM_INFINITY))
        for _ in range(4):
            equal(cluster.answer("coffee", "--data", small, "-f", "csv", "--restart"), want)
    finally:
        cluster.close()


def test_packets_that_are_gone(cluster, folder):
    """The broker has confirmed them, and somebody has emptied the queue: the client submits its job again."""
    small = generate("coffee", folder / "small", "1M")
    want = embedded("run", "coffee", "--data", small, "-f", "csv").stdout
    with cluster.nobody_watches():
        cluster.kill("reducer-0")
        client = cluster.submit_start("coffee", "--data", small, "-f", "csv")
        cluster.wait_for(lambda: working_jobs(cluster), "a job that has all its input")
        queue = next(name for name in cluster.queues() if name.endswith("reducer.0"))
        check(cluster.queues()[queue] > 0, "the queue of a reducer that is not there is empty")
        cluster.rabbitmqctl("purge_queue", queue)
    status, out, stderr = cluster.finish(client)
    check("never came to reducer 0" in stderr and "nobody has it any more" in stderr, stderr)
    check("submitted again" in stderr, stderr)
    equal(status, 0, stderr)
    equal(out, want)


def test_fewer_reducers_than_a_job_needs(_, folder):
    data = generate("coffee", folder / "coffee", "8M")
    cluster = Cluster(config={"reducer": {"replicas": 3}}, folder=folder / "cluster")
    try:
        job = abandon(cluster, data)
        equal(cluster.down().returncode, 0)
        cluster.file.write_text(cluster.file.read_text().replace("replicas = 3", "replicas = 2"))
        cluster.up()

        def verdict():
            return next((one for one in cluster.status()["jobs"] if one["id"] == job), {})

        cluster.wait_for(lambda: verdict().get("state") == "failed", "a job that needs a third reducer fails")
        check("3 reducers" in verdict()["error"], verdict()["error"])
    finally:
        cluster.close()


JOBS_MAX = 3

run_tests(
    globals(),
    config={"cluster": {"receive_ttl": f"{RECEIVE_TTL_SECONDS}s"}, "gateway": {"jobs_max": JOBS_MAX, "client_jobs_max": JOBS_MAX}},
)
