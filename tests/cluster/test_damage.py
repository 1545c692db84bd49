"""Files that are damaged on a node's disk: they concern the job they belong to, and nobody else."""

import os
import signal

from cluster import check, embedded, equal, generate, run_tests
from crowd import gateway_addresses

SLOW_CHUNK = "2K"

# A machine may be done with a small job before a test has found its journal.
JOBS_TRIED_MAX = 10


def result_files(cluster, job, *nodes):
    found = [cluster.state / "nodes" / node / f"result-{job}" / "segment-00000001" for node in nodes]
    for file in found:
        check(file.exists(), f"{file} is not there")
    return found


def with_a_bit_flipped(content, size=None):
    content = bytearray(content)
    content[(size or len(content)) // 2] ^= 4
    return content


def flip_a_bit(file, size=None):
    file.write_bytes(with_a_bit_flipped(file.read_bytes(), size))


def finished_job(cluster, data):
    """A job that is done, whose results rest on the disks of all gateways and of the collector."""
    before = {job["id"] for job in cluster.status()["jobs"]}
    cluster.answer("coffee", "--data", data, "-f", "csv")
    job = next(job["id"] for job in cluster.status()["jobs"] if job["id"] not in before)
    nodes = ["gateway-0", "gateway-1", "collector"]
    cluster.wait_for(
        lambda: all((cluster.state / "nodes" / node / f"result-{job}" / "segment-00000001").exists() for node in nodes),
        "the results on all disks",
    )
    return job


def restart(cluster, *names):
    for name in names:
        old = cluster.kill(name)
        cluster.wait_for(lambda: cluster.nodes().get(name) not in (None, old) and cluster.is_green(name), f"{name} again")


def wait_at_rest(cluster, job, want):
    """Every gateway has the whole result, and none of it is on its way: what came after a damage would undo it."""
    for host, port in gateway_addresses(cluster):
        got = cluster.tamiz("results", job, "--server", f"{host}:{port}", "-f", "csv")
        equal((got.returncode, got.stdout), (0, want), got.stderr)
    cluster.wait_for(lambda: not any(cluster.queues().values()), "queues with nothing in them")


def test_damaged_copies_of_gateways(cluster, folder):
    data = generate("coffee", folder / "coffee", "2M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    job = finished_job(cluster, data)
    restart(cluster, "gateway-0", "gateway-1")
    for file in result_files(cluster, job, "gateway-0", "gateway-1"):
        flip_a_bit(file)
    nodes = cluster.nodes()
    got = cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")
    equal((got.returncode, got.stdout), (0, want), got.stderr)
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)
    equal(cluster.nodes(), nodes, "a node was replaced")


def test_lost_results(cluster, folder):
    data = generate("coffee", folder / "coffee", "2M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    job = finished_job(cluster, data)
    restart(cluster, "gateway-0", "gateway-1", "collector")
    wait_at_rest(cluster, job, want)
    # The collector's first: a gateway that misses its own would fetch a good one there.
    damaged = [
        (file, with_a_bit_flipped(file.read_bytes()))
        for file in result_files(cluster, job, "collector", "gateway-0", "gateway-1")
    ]
    nodes = cluster.nodes()

    def lost():
        """A copy that was still on its way may take the place of a damaged one: then all are damaged once more."""
        for file, content in damaged:
            if file.exists():
                file.write_bytes(content)
        got = cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")
        check(got.returncode != 0 or got.stdout == want, f"a damaged result with status 0: {got.stdout}")
        return got.returncode != 0

    cluster.wait_for(lost, "a job whose result is lost")
    got = cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")
    check(got.returncode != 0 and "submit" in got.stderr, f"{got.returncode} {got.stderr}")
    states = {row["id"]: row["state"] for row in cluster.status()["jobs"]}
    equal(states[job], "lost")
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)
    equal(cluster.nodes(), nodes, "a node was replaced")


def journal_of(cluster, node):
    return next(iter((cluster.state / "nodes" / node).glob("job-*/segment-00000001")), None)


def synced_size(cluster, file):
    """How much of a growing journal is on the disk for certain. Only that was acknowledged: the broker
    brings the rest again, and a job that loses nothing but the rest is right in the end."""
    mark = file.parent.with_name(file.parent.name + ".synced")

    def sequence():
        return int.from_bytes(mark.read_bytes()[24:32], "little") if mark.exists() else 0

    size = file.stat().st_size
    for _ in range(2):  # the first of the two may have begun before we looked at the size
        before = sequence()
        cluster.wait_for(lambda: sequence() > before, "a sync of the journal")
    return size


def hurt_journal(cluster, hurt):
    """Hurts the journal of the open job on a reducer while that is dead. False: the job was over before."""
    watchers = [pid for name, pid in cluster.nodes(watchers=True).items() if name.startswith("watcher")]
    try:
        cluster.wait_for(lambda: journal_of(cluster, "reducer-0"), "a journal of the job")
        file = journal_of(cluster, "reducer-0")
        cluster.wait_for(lambda: file.stat().st_size > 20000, "a journal with something in it")
        size = synced_size(cluster, file)
        for pid in watchers:
            os.kill(pid, signal.SIGSTOP)
        cluster.kill("reducer-0")
        hurt(file, size)
        return True
    except FileNotFoundError:
        return False
    finally:
        for pid in watchers:
            os.kill(pid, signal.SIGCONT)


def hurt_open_job(cluster, folder, hurt, retries=0):
    """A job under way, whose journal on a reducer is hurt while that is dead: it fails and says why, or begins again.
    `hurt` gets the file and how much of it was synced."""
    data = generate("coffee", folder / "coffee", "8M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    for _ in range(JOBS_TRIED_MAX):
        client = cluster.submit_start("coffee", "--data", data, "-f", "csv", "--chunk-size", SLOW_CHUNK, "--retries", retries)
        hurt_in_time = hurt_journal(cluster, hurt)
        status, stdout, stderr = cluster.finish(client)
        if hurt_in_time:
            break
        equal((status, stdout), (0, want), stderr)
    check(hurt_in_time, "every job was over before its journal could be hurt")
    check("reducer 0" in stderr or "journal" in stderr, stderr)
    if retries:
        equal((status, stdout), (0, want), stderr)
        check("submitted again" in stderr, stderr)
    else:
        check(status != 0, f"status 0 for a job whose journal was hurt: {stdout == want}")
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)


def test_bit_in_journal(cluster, folder):
    """Through no fault of its client, which submits it again."""
    hurt_open_job(cluster, folder, flip_a_bit, retries=3)


def test_zeros_at_the_end_of_journal(cluster, folder):
    def zeros(file, size):
        rest = file.stat().st_size - size
        with open(file, "r+b") as out:
            out.seek(size - 4096)
            out.write(bytes(4096 + rest))

    hurt_open_job(cluster, folder, zeros)


def test_deleted_segment(cluster, folder):
    hurt_open_job(cluster, folder, lambda file, size: os.unlink(file))


def test_truncated_journal(cluster, folder):
    hurt_open_job(cluster, folder, lambda file, size: os.truncate(file, size // 2))


run_tests(globals())
