#!/usr/bin/env python3
"""Jobs that need more memory than the nodes have for them: the same bytes by way of a disk, or an error of that job alone."""

import random
import urllib.request

from cluster import PATIENCE_SECONDS, check, embedded, equal, run_tests, wait_for

MEMORY = "1M"  # of a node; a job gets a quarter
TEMP_MAX = "12M"
ROWS = 20000
ROWS_TOO_MANY = 400000
TRIES_MAX = 20

QUERIES = {
    "sort": "SELECT x, id, g FROM t ORDER BY x",
    "groups": "SELECT x, g, count(*) AS n, sum(id) AS s FROM t GROUP BY x, g ORDER BY x, g",
    "distinct": "SELECT DISTINCT x FROM t",
    "counted": "SELECT g % 7 AS k, count(DISTINCT x) AS n, string_agg(x, '' ORDER BY id) AS s FROM t GROUP BY k ORDER BY k",
    "join": "SELECT a.x, b.id FROM t a JOIN t b ON a.x = b.x AND a.id < b.id + 3",
    "window": "SELECT id, row_number() OVER (PARTITION BY g ORDER BY x) AS n, sum(id) OVER (PARTITION BY g) AS s FROM t",
    "rows": "SELECT x, g FROM t WHERE id % 3 = 0",
}


def write_table(folder, rows):
    rng = random.Random(1)
    data = folder / f"data-{rows}"
    data.mkdir()
    with open(data / "t.csv", "w", encoding="ascii") as file:
        file.write("id,g,x\n")
        for i in range(rows):
            file.write(f"{i},{rng.randrange(500)},{rng.getrandbits(80):x}\n")
    return data


def metric(cluster, name, wanted):
    try:
        with urllib.request.urlopen(cluster.health_address(name) + "/metrics", timeout=PATIENCE_SECONDS) as answer:
            text = answer.read().decode()
    except OSError:  # it is being replaced
        return 0
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(wanted))


def on_disk(cluster, what="temporary_bytes"):
    names = [name for name in cluster.nodes() if name.startswith(("reducer", "collector"))]
    return {name: metric(cluster, name, f"tamiz_{what}") for name in names}


def wait_for_empty(cluster):
    """Nothing of it is on a disk any more."""
    wait_for(lambda: f"no temporary files: {on_disk(cluster)}", lambda: not any(on_disk(cluster).values()))
    cluster.wait_clean()


def test_the_same_bytes(cluster, folder):
    data = write_table(folder, ROWS)
    before = on_disk(cluster, "temporary_written_bytes_total")
    for name, query in QUERIES.items():
        want = embedded("sql", "-c", query, "--data", data, "-f", "csv")
        equal(want.returncode, 0, want.stderr)
        got = cluster.answer("--sql", query, "--data", data, "-f", "csv")
        check(got == want.stdout, f"{name}: {len(got)} bytes and not {len(want.stdout)}")
    after = on_disk(cluster, "temporary_written_bytes_total")
    check(all(after[node] > before[node] for node in after), f"nothing was written: {before}, {after}")
    wait_for_empty(cluster)


def test_nodes_that_are_killed(cluster, folder):
    """While rows are on their disks: the next life does it again, from the journal."""
    data = write_table(folder, ROWS)
    want = embedded("sql", "-c", QUERIES["groups"], "--data", data, "-f", "csv").stdout
    for role in ["reducer", "collector"]:
        for _ in range(TRIES_MAX):
            job = cluster.submit_start("--sql", QUERIES["groups"], "--data", data, "-f", "csv", "--chunk-size", "20K")
            wait_for(
                f"rows on the disk of a {role}",
                lambda role=role, job=job: job.poll() is not None
                or any(size for name, size in on_disk(cluster).items() if name.startswith(role)),
            )
            running = job.poll() is None
            killed = cluster.kill_all([name for name in cluster.nodes() if name.startswith(role)])
            status, out, err = cluster.finish(job)
            equal(status, 0, err)
            check(out == want, f"{len(out)} bytes and not {len(want)}")
            cluster.wait_replaced(killed)
            if running:
                break
        else:
            raise AssertionError("jobs are too fast for us")
    wait_for_empty(cluster)


def test_no_room(cluster, folder):
    """More than temp_max: that job alone ends, and says what needed how much."""
    data = write_table(folder, ROWS_TOO_MANY)
    small = write_table(folder, ROWS // 5)
    query = "SELECT count(*) AS n, max(x) AS x FROM t"
    job = cluster.submit_start("--sql", QUERIES["sort"], "--data", data, "-f", "csv")
    for _ in range(3):
        equal(
            cluster.answer("--sql", query, "--data", small, "-f", "csv"),
            embedded("sql", "-c", query, "--data", small, "-f", "csv").stdout,
        )
    status, _, err = cluster.finish(job)
    check(status == 1 and "temp_max" in err and "what does not fit into memory takes" in err, f"{status}: {err}")
    wait_for_empty(cluster)


def test_what_cannot_be_put_on_a_disk(cluster, folder):
    """One group has to fit."""
    data = write_table(folder, ROWS_TOO_MANY // 4)
    done = cluster.submit("--sql", "SELECT string_agg(x, ',' ORDER BY x) AS s FROM t", "--data", data, "-f", "csv")
    check(
        done.returncode == 1 and "there is not enough memory: a group holds" in done.stderr and "memory in [collector]" in done.stderr,
        f"{done.returncode}: {done.stderr}",
    )
    wait_for_empty(cluster)


if __name__ == "__main__":
    run_tests(
        globals(),
        config={
            "reducer": {"memory": MEMORY, "temp_max": TEMP_MAX},
            "collector": {"memory": MEMORY, "temp_max": TEMP_MAX},
        },
    )
