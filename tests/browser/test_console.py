#!/usr/bin/env python3
"""The page of `tamiz console` in a real Chromium (console.mjs), over a real cluster that is hurt meanwhile. Pictures go
to the folder $PICTURES, if there is one."""

import json
import signal
import subprocess
import sys

from browser import ROOT, Browser, find_browser

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from cluster import PACKS, TAMIZ, check, equal, run_tests, wait_for  # noqa: E402

PAYLOAD = "<img src=x onerror=hacked()>"


class Console(Browser):
    """The command, and a browser that goes through one stage."""

    def __init__(self, cluster, *options):
        find_browser()
        self.process = subprocess.Popen(
            [TAMIZ, "console", "--server", cluster.server, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=dict(cluster.env, TMPDIR=str(cluster.folder)),
        )
        super().__init__(self.process.stdout.readline().decode().strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        equal(self.process.wait(), 0)
        self.process.stdout.close()


def jobs(cluster):
    done = cluster.tamiz("jobs", "--json", "--server", cluster.server)
    equal(done.returncode, 0, done.stderr)
    return {job["id"]: job for job in json.loads(done.stdout)["jobs"]}


def test_all_nodes_are_shown(cluster, folder):
    with Console(cluster) as console:
        console.goes_through("looks", "broker", *sorted(cluster.nodes(watchers=True)))


def test_a_death_is_seen(cluster, folder):
    with Console(cluster) as console:
        console.goes_through("sees_a_death", "reducer-1", cluster.state / "nodes" / "run" / "reducer-1")
    wait_for("reducer-1 to be green", lambda: cluster.is_green("reducer-1"))


def table(folder, name):
    data = folder / "data"
    data.mkdir(exist_ok=True)
    (data / f"{name}.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(1000)))
    return data


def test_files_are_dropped_and_asked(cluster, folder):
    with Console(cluster, "--data", table(folder, "numbers")) as console:
        console.goes_through("asks", "numbers")
    equal(list(cluster.folder.glob("tamiz-page-*")), [])


def test_a_pack_is_a_picture(cluster, folder):
    data = folder / "data"
    equal(cluster.tamiz("gen", "coffee", "--out", data, "--size", PACKS["coffee"], "--quiet").returncode, 0)
    before = set(jobs(cluster))
    with Console(cluster) as console:
        cluster.answer("coffee", "--data", data)
        job = (set(jobs(cluster)) - before).pop()
        console.goes_through("draws", job, len(jobs(cluster)[job]["queries"]))


def test_a_question_waits_and_is_cancelled(cluster, folder):
    with Console(cluster, "--data", table(folder, "numbers")) as console, cluster.endless():
        console.goes_through("waits", "numbers")


def test_a_job_is_cancelled(cluster, folder):
    data = table(folder, "t")
    with Console(cluster) as console, cluster.endless():
        before = set(jobs(cluster))
        submitted = cluster.submit_start("--data", data, "-c", "SELECT n, count(*) FROM t GROUP BY n")
        job = wait_for("the job", lambda: set(jobs(cluster)) - before).pop()
        console.goes_through("cancels", job)
        status, _, errors = cluster.finish(submitted)
    check(status != 0 and "cancel" in errors, errors)


def test_scripts_are_shown_and_never_run(cluster, folder):
    data = folder / "data"
    data.mkdir()
    (data / f"{PAYLOAD}.csv").write_text("n\n1\n2\n")
    before = set(jobs(cluster))
    equal(cluster.submit("--data", data, "-c", f'SELECT sum(n) FROM "{PAYLOAD}"', "--format", "csv").stdout, "sum\n3\n")
    done = (set(jobs(cluster)) - before).pop()
    failed = cluster.submit("--data", data, "-c", f"""SELECT ('{PAYLOAD}' || n)::int FROM "{PAYLOAD}" """)
    check(failed.returncode != 0 and PAYLOAD in failed.stderr, failed.stderr)
    failed = (set(jobs(cluster)) - before - {done}).pop()
    with Console(cluster) as console:
        console.goes_through("shows_scripts", PAYLOAD, done, failed)


if __name__ == "__main__":
    run_tests(globals(), "--gateways", "2", "--reducers", "2")
