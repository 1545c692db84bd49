#!/usr/bin/env python3
"""What people see of a cluster in a terminal: `tamiz trace` and `tamiz top`."""

import json
import sys

from cluster import PACKS, ROOT, TAMIZ, check, equal, run_tests, wait_for

sys.path.insert(0, str(ROOT / "tests" / "cli"))

from terminal import Terminal  # noqa: E402


def submit(cluster, folder):
    """A pack that has run; its job."""
    data = folder / "data"
    equal(cluster.tamiz("gen", "coffee", "--out", data, "--size", PACKS["coffee"], "--quiet").returncode, 0)
    before = {job["id"] for job in cluster.status()["jobs"]}
    cluster.answer("coffee", "--data", data)
    return next(job["id"] for job in cluster.status()["jobs"] if job["id"] not in before)


def test_a_trace_has_every_piece_of_work(cluster, folder):
    job = submit(cluster, folder)
    file = folder / "trace.json"
    done = cluster.tamiz("trace", job, "--server", cluster.server, "--output", file)
    equal((done.returncode, done.stderr), (0, ""))
    trace = json.loads(file.read_text())
    nodes = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["ph"] == "M"}
    equal(sorted(nodes.values()), sorted(cluster.nodes(watchers=True)))
    lanes = {}
    for event in trace["traceEvents"]:
        if event["ph"] != "M":
            check(event["ph"] in "Xi" and event["ts"] > 0, event)
            lanes.setdefault(nodes[event["pid"]].split("-")[0], {}).setdefault(event["cat"], []).append(event)
    equal({role: sorted(kinds) for role, kinds in lanes.items()}, {
        "gateway": ["chunk", "map", "result"],
        "reducer": ["emission", "fold", "packet"],
        "collector": ["emission", "fold", "packet"],
    })  # fmt: skip
    chunks = lanes["gateway"]["chunk"]
    equal(sorted((c["args"]["part"], c["args"]["number"]) for c in chunks),
          sorted({(m["args"]["part"], m["args"]["number"]) for m in lanes["gateway"]["map"]}))  # fmt: skip
    rows = sum(sum(1 for _ in open(path, "rb")) - 1 for path in (folder / "data").rglob("*.csv"))
    equal(sum(chunk["args"]["rows"] for chunk in chunks), rows)
    # What came is what was taken in.
    for role in ("reducer", "collector"):
        kinds = lanes[role]
        check(sum(fold["args"]["number"] for fold in kinds["fold"]) >= len(kinds["packet"]), role)


def test_there_is_no_trace_of_what_is_not_there(cluster, folder):
    done = cluster.tamiz("trace", "0123456789abcdef", "--server", cluster.server)
    check(done.returncode == 2 and "knows no job 0123456789abcdef" in done.stderr, done.stderr)
    equal(done.stdout, "")


def test_top_prints_a_page(cluster, folder):
    job = submit(cluster, folder)
    done = cluster.tamiz("top", "--once", "--server", cluster.server)
    equal((done.returncode, done.stderr), (0, ""))
    for name in cluster.nodes(watchers=True):
        check(any(line.split()[:2] == [name, "green"] for line in done.stdout.splitlines()), done.stdout)
    check(any(line.split()[:4] == [job, "done", "100", "%"] for line in done.stdout.splitlines()), done.stdout)
    refused = cluster.tamiz("top", "--server", cluster.server)
    check(refused.returncode == 2 and "--once" in refused.stderr, refused.stderr)


def test_top_cancels_a_job(cluster, folder):
    data = folder / "data"
    data.mkdir()
    (data / "t.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(1000)))
    environment = {key: cluster.env[key] for key in ("XDG_STATE_HOME", "HOME")}
    with cluster.endless():
        submitted = cluster.submit_start("--data", data, "-c", "SELECT n, count(*) FROM t GROUP BY n")
        known = {job["id"] for job in cluster.status()["jobs"] if job["state"] in ("done", "failed")}
        job = wait_for("the job", lambda: {job["id"] for job in cluster.status()["jobs"]} - known).pop()
        top = Terminal(folder, "top", "--server", cluster.server, columns=120, rows=40, program=TAMIZ, **environment)
        top.until("nodes by flow")
        # The newest is chosen; the one below it, if there is one, and back.
        top.until(f"> {job}")
        top.type("\x1b[B")
        top.type("\x1b[A")
        top.type("nn")
        top.until("nodes by memory")
        top.type("x")
        top.until(f"cancel the job {job}?")
        top.type("n")
        top.until("nodes by memory")
        top.type("x")
        top.until(f"cancel the job {job}?")
        top.type("y")
        top.until(f"the job {job} is cancelled")
        equal(top.leave("q"), 0)
        status, _, errors = cluster.finish(submitted)
    check(status != 0 and "cancel" in errors, errors)


if __name__ == "__main__":
    run_tests(globals(), "--gateways", "2", "--reducers", "2")
