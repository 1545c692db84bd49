"""Load for a cluster: many jobs at once, crowds of connections that do little, and what it costs in memory."""

import contextlib
import pathlib
import re
import socket
import statistics
import subprocess
import threading
import time

from cluster import PATIENCE_SECONDS, check, embedded, equal, generate

HELLO = bytes.fromhex("20 00000006 0001 00000000")
# A BATCH of a megabyte, of which a little comes.
SLOW_FRAME = bytes.fromhex("01 00100000") + bytes(59)
AD_HOC = [
    "SELECT count(*) AS n, sum(final_amount) AS paid FROM transactions",
    "SELECT store_id, count(*) AS n FROM transactions GROUP BY store_id ORDER BY store_id",
    "SELECT item_id, sum(quantity) AS n FROM transaction_items GROUP BY item_id ORDER BY n DESC, item_id LIMIT 3",
    "SELECT s.store_name, max(t.final_amount) AS most FROM transactions t JOIN stores s USING (store_id)"
    " GROUP BY s.store_name ORDER BY s.store_name",
    "SELECT user_id FROM transactions WHERE final_amount > 100 ORDER BY user_id LIMIT 5",
]


def make_jobs(folder, sizes):
    """Different jobs, each with what the embedded engine answers: [(arguments of submit, answer)]."""
    jobs = []
    for pack, size in sizes.items():
        data = generate(pack, folder / pack, size)
        jobs.append(([pack, "--data", data, "-f", "csv"], embedded("run", pack, "--data", data, "-f", "csv").stdout))
    for query in AD_HOC:
        args = ["--schema", "coffee", "--data", folder / "coffee", "-f", "csv"]
        jobs.append((["--sql", query, *args], embedded("sql", "-c", query, *args).stdout))
    return jobs


def run_together(cluster, jobs, count, folder):
    """`count` clients at once, the jobs in turn; every answer must be right. Seconds of each."""
    started = time.monotonic()
    clients = []
    for number in range(count):
        args, want = jobs[number % len(jobs)]
        state = folder / f"{number}.state"
        clients.append((cluster.submit_start(*args, "--state", state), args, want))
    seconds = [0.0] * count

    def wait(number):
        with contextlib.suppress(subprocess.TimeoutExpired):
            clients[number][0].wait(PATIENCE_SECONDS)
        seconds[number] = time.monotonic() - started

    waiting = [threading.Thread(target=wait, args=(number,)) for number in range(count)]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    for process, args, want in clients:
        status, out, err = cluster.finish(process)
        equal(status, 0, f"{args}: {err}")
        check(out == want, f"{args}: {out[:300]!r} and not {want[:300]!r}")
    return seconds


def check_job(cluster, args, want):
    out = cluster.answer(*args)
    check(out == want, f"{args}: {out[:300]!r} and not {want[:300]!r}")


def time_job(cluster, args, want):
    started = time.monotonic()
    check_job(cluster, args, want)
    return time.monotonic() - started


def gateway_addresses(cluster):
    first = int(cluster.server.rsplit(":", 1)[1]) + 1
    count = sum(name.startswith("gateway") for name in cluster.nodes())
    return [("127.0.0.1", first + number) for number in range(count)]


def all_addresses(cluster):
    """Of the proxy and the gateways."""
    return [("127.0.0.1", int(cluster.server.rsplit(":", 1)[1])), *gateway_addresses(cluster)]


class Crowd:
    """Connections that are idle, half of them after a greeting, and others that send a frame at a byte a
    second. A server may close those that take too long; the slow ones come back."""

    def __init__(self, addresses, idle, slow):
        self.addresses = addresses
        self.idle = [self.connect(number) for number in range(idle)]
        for one in self.idle[::2]:
            with contextlib.suppress(OSError):
                one.send(HELLO)
        self.slow = [[self.connect(number), 0] for number in range(slow)]
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.drip)
        self.thread.start()

    def connect(self, number):
        return socket.create_connection(self.addresses[number % len(self.addresses)], timeout=PATIENCE_SECONDS)

    def drip(self):
        while not self.ending.wait(1):
            for number, one in enumerate(self.slow):
                try:
                    one[0].send(SLOW_FRAME[one[1] : one[1] + 1])
                    one[1] = (one[1] + 1) % len(SLOW_FRAME)
                except OSError:
                    one[0].close()
                    one[:] = [self.connect(number), 0]

    def close(self):
        self.ending.set()
        self.thread.join()
        for one in self.idle + [connection for connection, _ in self.slow]:
            one.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def compare_with_crowd(cluster, args, want, turns, idle, slow):
    """Median seconds of a job without a crowd and with one at the proxy and at the gateways, in turns."""
    addresses = all_addresses(cluster)
    alone, crowded = [], []
    time_job(cluster, args, want)
    for _ in range(turns):
        alone.append(time_job(cluster, args, want))
        with Crowd(addresses, idle, slow):
            crowded.append(time_job(cluster, args, want))
    return statistics.median(alone), statistics.median(crowded)


def rss_mb(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"^VmRSS:\s+(\d+) kB", text, re.M)
    return int(found.group(1)) / 1024 if found else 0.0


class MemoryWatch:
    """The greatest resident size of each process while it is open, in MB: `peaks`."""

    def __init__(self, pids):
        self.pids = dict(pids)
        self.peaks = dict.fromkeys(self.pids, 0.0)
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.ending.wait(0.05):
            for name, pid in self.pids.items():
                self.peaks[name] = max(self.peaks[name], rss_mb(pid))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()

    def check(self, limits):
        """limits: MB by the start of a process's name."""
        for name, peak in self.peaks.items():
            for prefix, limit in limits.items():
                if name.startswith(prefix):
                    check(peak <= limit, f"{name} had {peak:.0f} MB; at most {limit} are expected")


def watch_cluster(cluster, **others):
    return MemoryWatch({**cluster.nodes(), "broker": cluster.broker_pid(), **others})
