#!/usr/bin/env python3
"""What nodes tell Prometheus: the format by promtool, and all of it by a real Prometheus, with our alerts and panels."""

import json
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from cluster import PATIENCE_SECONDS, PACKS, ROOT, TAMIZ, Skip, check, equal, run_tests, wait_for

sys.path.insert(0, str(ROOT / "tools"))

import dashboard  # noqa: E402

SCRAPE_SECONDS = 1
# Rates are over so long; $__rate_interval of Grafana is at least four scrapes.
RATE = "30s"
SAMPLE = re.compile(r'^(\w+)(\{[^}]*\})? ([0-9.]+)$')


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"no {program} on this machine: make deps installs it")


def metrics_text(cluster, name):
    with urllib.request.urlopen(cluster.health_address(name) + "/metrics", timeout=PATIENCE_SECONDS) as answer:
        equal(answer.status, 200)
        equal(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        return answer.read().decode()


def values(cluster, name):
    """{"tamiz_jobs{...}": 3.0} without the node's own name."""
    found = {}
    for line in metrics_text(cluster, name).splitlines():
        if not line.startswith("#"):
            metric, labels, value = SAMPLE.match(line).groups()
            rest = [label for label in (labels or "{}")[1:-1].split(",") if label and not label.startswith("node=")]
            check(f'node="{name}"' in labels, line)
            found[metric + ("{" + ",".join(rest) + "}" if rest else "")] = float(value)
    return found


def run_job(cluster, folder):
    """A pack; what its queries answer."""
    data = folder / "data"
    done = subprocess.run(
        [TAMIZ, "gen", "coffee", "--out", data, "--size", PACKS["coffee"], "--quiet"], capture_output=True, check=False
    )
    equal(done.returncode, 0, done.stderr)
    cluster.answer("coffee", "--data", data)
    return sum(file.stat().st_size for file in data.rglob("*.csv"))


def test_promtool_has_no_objection(cluster, folder):
    need("promtool")
    names = cluster.nodes(watchers=True)
    equal(len(names), 1 + 2 + 2 + 1 + 1 + 3)
    for name in names:
        done = subprocess.run(
            ["promtool", "check", "metrics"], input=metrics_text(cluster, name).encode(), capture_output=True, check=False
        )
        equal((done.returncode, done.stdout, done.stderr), (0, b"", b""), name)


def test_rules_are_right(cluster, folder):
    need("promtool")
    done = subprocess.run(
        ["promtool", "check", "rules", ROOT / "monitoring" / "alerts.yml"], capture_output=True, check=False
    )
    equal(done.returncode, 0, done.stderr)


def total(cluster, role, metric):
    names = [name for name in cluster.nodes(watchers=True) if name.startswith(role)]
    return sum(values(cluster, name).get(metric, 0) for name in names)


def test_a_job_is_counted(cluster, folder):
    """Once, whoever had to do with it."""
    counters = {
        "received_bytes": ("gateway", "tamiz_received_bytes_total"),
        "received_chunks": ("gateway", "tamiz_received_chunks_total"),
        "received_rows": ("gateway", "tamiz_received_rows_total"),
        "rejected_rows": ("gateway", "tamiz_rejected_rows_total"),
        "acknowledged": ("gateway", "tamiz_chunk_seconds_count"),
        "results": ("gateway", "tamiz_result_bytes_total"),
        "absorbed": ("reducer", "tamiz_packets_absorbed_total"),
        "folded": ("reducer", "tamiz_packets_folded_total"),
        "syncs": ("reducer", "tamiz_disk_sync_seconds_count"),
        "opened": ("collector", "tamiz_jobs_opened_total"),
        "done": ("collector", 'tamiz_jobs_ended_total{as="done"}'),
    }
    before = {name: total(cluster, *where) for name, where in counters.items()}
    sent = run_job(cluster, folder)

    def since():
        return {name: total(cluster, *where) - before[name] for name, where in counters.items()}

    # The client has its results a moment before the log tells the collector that the job is done.
    wait_for("the end of the job", lambda: since()["done"] == 1)
    counted = since()
    # Each chunk has a header line, and the files have one.
    check(0.95 * sent < counted["received_bytes"] < 1.05 * sent, (counted, sent))
    equal(counted["acknowledged"], counted["received_chunks"])
    check(counted["received_rows"] > 1000 and counted["rejected_rows"] == 0, counted)
    check(counted["absorbed"] > 0 and counted["folded"] > 0 and counted["syncs"] > 0, counted)
    check(counted["results"] > 0, counted)
    equal((counted["opened"], counted["done"]), (1, 1))
    wait_for("the job to be among those that are done", lambda: values(cluster, "collector")['tamiz_jobs{state="done"}'] >= 1)


def test_watchers_tell_of_a_restart(cluster, folder):
    before = total(cluster, "watcher", "tamiz_node_restarts_total")
    killed = {"reducer-1": cluster.kill("reducer-1")}
    cluster.wait_replaced(killed)
    wait_for("the restart", lambda: total(cluster, "watcher", "tamiz_node_restarts_total") == before + 1)
    equal(total(cluster, "watcher", "tamiz_watcher_leads"), 1)
    nodes = len(cluster.nodes(watchers=True))
    wait_for("all to be green", lambda: total(cluster, "watcher", 'tamiz_watched_nodes{state="green"}') == nodes)


class Prometheus:
    def __init__(self, cluster, folder):
        self.address = f"127.0.0.1:{cluster.port + 90}"
        self.names = {cluster.health_address(name).removeprefix("http://"): name for name in cluster.nodes(watchers=True)}
        file = folder / "prometheus.yml"
        shutil.copy(ROOT / "monitoring" / "alerts.yml", folder)
        file.write_text(
            json.dumps(
                {
                    "global": {"scrape_interval": f"{SCRAPE_SECONDS}s", "evaluation_interval": f"{SCRAPE_SECONDS}s"},
                    "rule_files": ["alerts.yml"],
                    "scrape_configs": [{"job_name": "tamiz", "static_configs": [{"targets": list(self.names)}]}],
                }
            )
        )
        self.log = open(folder / "prometheus.log", "wb")
        self.process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={file}",
                f"--storage.tsdb.path={folder / 'prometheus'}",
                f"--web.listen-address={self.address}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def ask(self, path, **parameters):
        """What it says; None while it says nothing."""
        check(self.process.poll() is None, f"Prometheus has ended: {open(self.log.name).read()[-2000:]}")
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it starts
                return None
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error
        except OSError:
            return None

    def query(self, expression):
        answer = self.ask("query", query=expression)
        return answer["result"] if answer else []


def test_prometheus_sees_everything(cluster, folder):
    """All nodes are scraped, all rules can be evaluated, and after one job each panel has data."""
    need("prometheus")
    with Prometheus(cluster, folder) as prometheus:
        # A rate needs a value from before the job.
        wait_for(
            "all nodes to be scraped",
            lambda: len([sample for sample in prometheus.query("up") if sample["value"][1] == "1"]) == len(prometheus.names),
        )
        for sample in prometheus.query("tamiz_node_healthy"):
            equal(sample["metric"]["node"], prometheus.names[sample["metric"]["instance"]])
        run_job(cluster, folder)
        expressions = [
            expression.replace(dashboard.RATE, RATE)
            for _, panels in dashboard.ROWS
            for _, _, targets in panels
            for expression, _ in targets
        ]
        check(len(expressions) > 30)
        for expression in expressions:
            wait_for(
                f"data for {expression}",
                lambda expression=expression: any(
                    sample["value"][1] != "NaN" for sample in prometheus.query(expression)
                ),
            )
        rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
        check(len(rules) > 10)
        wait_for(
            "all rules to be evaluated",
            lambda: all(
                rule["health"] == "ok" for group in prometheus.ask("rules")["groups"] for rule in group["rules"]
            ),
        )
        # Nothing is wrong with this cluster, but for what depends on the disk of this machine.
        told = {alert["labels"]["alertname"] for alert in prometheus.ask("alerts")["alerts"] if alert["state"] == "firing"}
        equal(told - {"TamizDiskNearlyFull"}, set())


if __name__ == "__main__":
    run_tests(globals(), "--gateways", "2", "--reducers", "2", "--filters", "1")
