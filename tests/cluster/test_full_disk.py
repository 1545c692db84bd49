"""A file system that is really full in the middle of a job: the job waits, and ends well when there is space."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from cluster import Cluster, Skip, check, clean_up_when_told_to_end, embedded, equal, rabbitmq_is_missing, wait_for

NAME = "test_full_disk"
INSIDE = "TAMIZ_TEST_MOUNTS"
ROWS = 150000  # as many as no order of events finds room for


def mount(*args):
    return subprocess.run(["mount", *map(str, args)], stderr=subprocess.PIPE, check=False).returncode == 0


def wait_for_trouble(cluster, process):
    """Until a node has said that its disk is full, and told the others."""

    def is_full():
        logs = "".join(log.read_text() for log in (cluster.state / "log").glob("*.log"))
        if "No space left on device" in logs and "DISK_SHORT" in logs:
            return True
        equal(process.poll(), None, "the job has ended although there is no space for it")
        return False

    wait_for("a node to say that its disk is full", is_full)


def write_table(folder):
    rng = random.Random(1)
    data = folder / "data"
    data.mkdir()
    (data / "t.csv").write_text("id,x\n" + "".join(f"{i},{rng.getrandbits(60)}\n" for i in range(ROWS)))
    return data


def finish_with_room(cluster, place, processes, want):
    # With its device named, mount leaves out the options that it finds: in a user's namespace the owner
    # that the kernel shows among them is nobody whom the kernel would take back.
    check(mount("-o", "remount,size=200m", "tmpfs", place), "the file system does not grow")
    for process in processes:
        status, out, err = cluster.finish(process)
        equal(status, 0, err)
        check(out == want, f"{len(out)} bytes and not {len(want)}")
    cluster.wait_clean()


def fill(folder, place, size):
    """A job that has no room at `place`; another one that is told so, and not begun; then there is room."""
    place.mkdir(parents=True)
    if not mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", place):
        raise Skip("no file system can be mounted here")
    cluster = Cluster(config={}, folder=folder)
    try:
        nodes = cluster.nodes()
        data = write_table(folder)
        query = "SELECT x, id FROM t ORDER BY x"
        want = embedded("sql", "-c", query, "--data", data, "-f", "csv").stdout
        arguments = ["--sql", query, "--data", data, "-f", "csv", "--chunk-size", "20K"]
        first = cluster.submit_start(*arguments)
        wait_for_trouble(cluster, first)
        second = client_that_is_told(cluster, *arguments, "--restart", "--state", folder / "second")
        equal(len(open_jobs(cluster)), 1, "a job was taken although there is no room")
        finish_with_room(cluster, place, [first, second], want)
        equal(cluster.nodes(), nodes, "a process was replaced")
    finally:
        cluster.down()


def open_jobs(cluster):
    return [job["id"] for job in cluster.status()["jobs"] if job["state"] in ("receiving", "working")]


def client_that_is_told(cluster, *arguments):
    """A client that was told to come later. A gateway that has not heard yet takes its job: then another one is sent."""
    before = open_jobs(cluster)
    while True:
        client = cluster.submit_start(*arguments)
        wait_for(
            "a client to be told to come later",
            lambda: "nearly full" in said(client) or len(open_jobs(cluster)) > len(before),
        )
        taken = [job for job in open_jobs(cluster) if job not in before]
        if not taken:
            return client
        client.kill()
        cluster.finish(client)
        for job in taken:
            equal(cluster.tamiz("cancel", job, "--server", cluster.server).returncode, 0)
        wait_for("the job to be gone", lambda: open_jobs(cluster) == before)


def said(process):
    """What it has written to stderr so far."""
    file = process.files[1]
    return os.pread(file.fileno(), 1 << 20, 0).decode("utf-8", "replace")


def all_nodes(folder):
    fill(folder, folder / "state" / "nodes", "1m")


def collector(folder):
    """It has no room for what it gets: with room for that and not for all of the result, it may just do."""
    fill(folder, folder / "state" / "nodes" / "collector", "400k")


def temporary(folder):
    """No room for rows that do not fit into memory: their job ends and says so, and the next one has the room.
    When the packets of the job fill the disk first it waits instead, as any other."""
    place = folder / "state" / "nodes" / "collector"
    place.mkdir(parents=True)
    if not mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", place):
        raise Skip("no file system can be mounted here")
    cluster = Cluster(config={"collector": {"memory": "1M"}}, folder=folder)
    try:
        nodes = cluster.nodes()
        data = write_table(folder)
        query = "SELECT x, id FROM t ORDER BY x"
        job = cluster.submit_start("--sql", query, "--data", data, "-f", "csv", "--chunk-size", "20K")
        trouble = lambda: "DISK_TROUBLE" in (cluster.state / "log" / "collector.log").read_text()  # noqa: E731
        wait_for("a disk that is full", lambda: job.poll() is not None or trouble())
        if job.poll() is None:
            finish_with_room(cluster, place, [job], embedded("sql", "-c", query, "--data", data, "-f", "csv").stdout)
        else:
            status, _, err = cluster.finish(job)
            check(status == 1 and "does not fit into memory has no room on the node's disk" in err, f"{status}: {err}")
        query = "SELECT count(*) AS n, max(x) AS x FROM t"
        want = embedded("sql", "-c", query, "--data", data, "-f", "csv").stdout
        equal(cluster.answer("--sql", query, "--data", data, "-f", "csv"), want)
        cluster.wait_clean()
        equal(cluster.nodes(), nodes, "a process was replaced")
    finally:
        cluster.down()


def main():
    if rabbitmq_is_missing():
        print(f"skip {NAME} no RabbitMQ on this machine: make deps installs it")
        return 0
    # Mounts of our own, which end with us.
    if INSIDE not in os.environ:
        again = ["unshare", "--map-root-user", "--mount", sys.executable, __file__]
        if subprocess.run([*again[:3], "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            print(f"skip {NAME} no file system can be mounted here")
            return 0
        return subprocess.run(again, env=dict(os.environ, **{INSIDE: "1"}), check=False).returncode
    clean_up_when_told_to_end()
    return max(
        run(all_nodes, "nodes"), run(collector, "nodes/collector"), run(temporary, "nodes/collector")
    )


def run(test, place):
    name = f"{NAME} {test.__name__}"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tamiz-cluster-"))
    try:
        test(folder)
        print(f"ok {name}", flush=True)
    except Skip as reason:
        print(f"skip {name} {reason}")
    except Exception as problem:  # a test that breaks is a test that fails
        print(f"# {type(problem).__name__}: {str(problem)[:2000]}\nnot ok {name}", flush=True)
        return 1
    finally:
        subprocess.run(["umount", folder / "state" / place], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
