"""tamiz check: what is damaged on the disks of nodes, what it costs, and how the rest goes on without it."""

import json
import os

from cluster import check, embedded, equal, generate, run_tests


def look(cluster, *args):
    done = cluster.tamiz("check", "--state", cluster.state, "--json", *args)
    report = json.loads(done.stdout) if done.stdout else None
    return done.returncode, report, done.stderr


def damage_of(report):
    return {f"{node['name']}/{item['path']}": item for node in report["nodes"] for item in node["damage"]}


def flip_a_bit(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def contents(folder):
    """All files below it but for locks, which a look must not change."""
    return {
        os.path.join(where, name): open(os.path.join(where, name), "rb").read()
        for where, _, names in os.walk(folder)
        for name in names
    }


def finished_job(cluster, data):
    before = {job["id"] for job in cluster.status()["jobs"]}
    cluster.answer("coffee", "--data", data, "-f", "csv")
    job = next(job["id"] for job in cluster.status()["jobs"] if job["id"] not in before)
    places = [cluster.state / "nodes" / node / f"result-{job}" for node in ("gateway-0", "gateway-1", "collector")]
    cluster.wait_for(lambda: all((place / "segment-00000001").exists() for place in places), "the results on all disks")
    return job


def open_job(cluster, data, state_file):
    """A job that has begun, and whose client has gone."""
    before = {job["id"] for job in cluster.status()["jobs"]}
    client = cluster.submit_start("coffee", "--data", data, "-f", "csv", "--chunk-size", "2K", "--state", state_file)

    def begun():
        return [
            job["id"]
            for job in cluster.status()["jobs"]
            if job["id"] not in before
            and all(
                any(
                    file.stat().st_size > 5000
                    for file in (cluster.state / "nodes" / node).glob(f"job-{job['id']}/segment-*")
                )
                for node in ("reducer-0", "reducer-1")
            )
        ]

    cluster.wait_for(begun, "a job that has begun")
    client.kill()
    client.wait()
    return begun()[0]


def test_a_running_cluster(cluster, folder):
    data = generate("coffee", folder / "coffee", "1M")
    job = finished_job(cluster, data)
    status, report, error = look(cluster)
    equal((status, report["damaged"], damage_of(report)), (0, 0, {}), error)
    names = [node["name"] for node in report["nodes"]]
    check({"reducer-0", "collector", "gateway-0", "gateway-1"} <= set(names), names)
    check(all(node["running"] for node in report["nodes"]), report)
    status, report, error = look(cluster, "--repair")
    equal((status, report), (1, None), error)
    check("running process" in error and "stopped" in error, error)

    file = cluster.state / "nodes" / "gateway-1" / f"result-{job}" / "segment-00000001"
    flip_a_bit(file)
    # That the job is done is in the node's copy of the log a moment later.
    cluster.wait_for(lambda: look(cluster, "gateway-1")[0] == 5, "the damage to be seen")
    status, report, error = look(cluster, "gateway-1", "gateway-0")
    equal((status, list(damage_of(report))), (5, [f"gateway-1/result-{job}"]), error)
    check("fetched again" in damage_of(report)[f"gateway-1/result-{job}"]["cost"], report)
    done = cluster.tamiz("check", "--state", cluster.state)
    equal(done.returncode, 5, done.stderr)
    check("1 damaged: tamiz check --repair" in done.stdout and f"result-{job}" in done.stdout, done.stdout)
    cluster.wait_clean()


def test_a_look_at_jobs_that_run(cluster, folder):
    data = generate("coffee", folder / "coffee", "8M")
    client = cluster.submit_start("coffee", "--data", data, "-f", "csv", "--chunk-size", "4K")
    looks = 0
    while client.poll() is None or looks == 0:
        status, report, error = look(cluster, "reducer-0", "reducer-1", "collector")
        equal((status, damage_of(report)), (0, {}), error)
        looks += 1
    equal(cluster.finish(client)[0], 0)


def test_repair(cluster, folder):
    data = generate("coffee", folder / "coffee", "4M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    kept, lost, hurt = finished_job(cluster, data), finished_job(cluster, data), open_job(cluster, data, folder / "client")
    # So much of the log must be in the copies before the cluster ends: what they lack, a look cannot know.
    done = sum(job["state"] == "done" for job in cluster.status()["jobs"])
    cluster.wait_for(
        lambda: all((node["open_jobs"], node["done_jobs"]) == (1, done) for node in look(cluster)[1]["nodes"]),
        "copies that know of all jobs",
    )
    cluster.down()
    nodes = cluster.state / "nodes"
    status, report, error = look(cluster)
    equal((status, damage_of(report)), (0, {}), error)
    check(not any(node["running"] for node in report["nodes"]), report)

    flip_a_bit(nodes / "reducer-1" / f"job-{hurt}" / "segment-00000001")
    flip_a_bit(nodes / "gateway-0" / f"result-{kept}" / "segment-00000001")
    for node in ("collector", "gateway-0", "gateway-1"):
        flip_a_bit(nodes / node / f"result-{lost}" / "segment-00000001")
    os.truncate(nodes / "gateway-1" / ".work", 10)
    before = contents(nodes)
    status, report, error = look(cluster)
    equal(status, 5, error)
    equal(contents(nodes), before)
    costs = {path: item["cost"] for path, item in damage_of(report).items()}
    equal(
        sorted(costs),
        sorted(
            [
                f"collector/result-{lost}",
                "gateway-1/.work",
                f"gateway-0/result-{kept}",
                f"gateway-0/result-{lost}",
                f"gateway-1/result-{lost}",
                f"reducer-1/job-{hurt}",
            ]
        ),
    )
    check(f"job {hurt} fails" in costs[f"reducer-1/job-{hurt}"], costs)
    check("are lost" in costs[f"collector/result-{lost}"], costs)
    status, report, error = look(cluster, "--repair")
    equal((status, report["damaged"], report["repaired"]), (0, 6, 6), error)

    cluster.up()
    got = cluster.tamiz("results", kept, "--server", cluster.server, "-f", "csv")
    equal((got.returncode, got.stdout), (0, want), got.stderr)
    states = cluster.wait_for(lambda: settled(cluster, hurt, lost), "what is lost to be known")
    equal((states[hurt], states[lost]), ("failed", "lost"))
    equal(cluster.answer("coffee", "--data", data, "-f", "csv"), want)
    status, report, error = look(cluster)
    equal((status, damage_of(report)), (0, {}), error)


def settled(cluster, *jobs):
    states = {job["id"]: job["state"] for job in cluster.status()["jobs"]}
    return states if all(states[job] in ("failed", "lost") for job in jobs) else None


run_tests(globals())
