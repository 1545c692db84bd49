#!/usr/bin/env python3
"""monitoring/grafana.json: the dashboard, made from the panels below.

usage: tools/dashboard.py          writes it
       tools/dashboard.py --check  fails when it is not what would be written

A panel is (title, unit, [(expression, legend)]). Every expression has data after one job, which
tests/cluster/test_metrics.py asks a real Prometheus for.
"""

import json
import sys

PAGE = "monitoring/grafana.json"
WIDTH, HEIGHT, COLUMNS = 8, 7, 24
RATE = "$__rate_interval"
NODE = "{{node}}"


def quantile(share, name):
    return f"histogram_quantile({share}, sum by (node, le) (rate(tamiz_{name}_bucket[{RATE}])))"


def rate(name, by="node"):
    return f"sum by ({by}) (rate(tamiz_{name}[{RATE}]))"


def latency(title, name):
    return title, "s", [(quantile(0.5, name), f"{NODE} half"), (quantile(0.99, name), f"{NODE} 99 %")]


ROWS = [
    (
        "Jobs",
        [
            ("Jobs", "short", [("sum by (state) (tamiz_jobs)", "{{state}}")]),
            ("Jobs opened and ended", "short", [
                ("sum(increase(tamiz_jobs_opened_total[1h]))", "opened"),
                ("sum by (as) (increase(tamiz_jobs_ended_total[1h]))", "{{as}}"),
            ]),
            ("CSV from clients", "Bps", [(rate("received_bytes_total"), NODE)]),
            ("Rows from clients", "rowsps", [
                (rate("received_rows_total"), NODE),
                (rate("rejected_rows_total"), f"{NODE} rejected"),
            ]),
            latency("From a chunk to its acknowledgement", "chunk_seconds"),
            ("Results to clients", "Bps", [(rate("result_bytes_total"), NODE)]),
        ],
    ),
    (
        "Nodes",
        [
            ("Nodes by state", "short", [("sum by (state) (tamiz_watched_nodes)", "{{state}}")]),
            ("Ready", "short", [("tamiz_node_ready", NODE)]),
            ("Restarts and elections, in an hour", "short", [
                ("sum(increase(tamiz_node_restarts_total[1h]))", "restarts"),
                ("sum(increase(tamiz_watcher_elections_total[1h]))", "elections"),
            ]),
            ("Processor", "percentunit", [(rate("process_cpu_seconds_total"), NODE)]),
            ("Memory", "bytes", [("tamiz_process_resident_memory_bytes", NODE)]),
            ("Memory by purpose", "bytes", [("tamiz_memory_bytes", f"{NODE} {{{{purpose}}}}")]),
            ("Event loops: share of time that they are busy", "percentunit", [(rate("loop_turn_seconds_sum"), NODE)]),
            ("Event loops: the longest turns", "s", [(quantile(0.99, "loop_turn_seconds"), NODE)]),
            ("Connections of clients", "short", [("tamiz_client_connections", NODE)]),
        ],
    ),
    (
        "Broker",
        [
            ("Messages to the broker", "cps", [(rate("broker_published_messages_total"), NODE)]),
            ("Bytes to the broker", "Bps", [(rate("broker_published_bytes_total"), NODE)]),
            ("Bytes from the broker", "Bps", [(rate("broker_delivered_bytes_total"), NODE)]),
            latency("Until the broker confirms", "broker_confirm_seconds"),
            ("Not confirmed yet", "bytes", [("tamiz_broker_unconfirmed_bytes", NODE)]),
            ("Connections lost, and blocked", "short", [
                ("sum(increase(tamiz_broker_losses_total[1h]))", "lost in an hour"),
                ("sum(tamiz_broker_blocked_connections)", "blocked"),
            ]),
        ],
    ),
    (
        "Work and disks",
        [
            ("Packets absorbed and folded", "cps", [
                (rate("packets_absorbed_total"), f"{NODE} absorbed"),
                (rate("packets_folded_total"), f"{NODE} folded"),
            ]),
            latency("Work: a chunk that is mapped, or a fold", "work_seconds"),
            latency("Work: waits for its turn", "work_wait_seconds"),
            latency("Syncs", "disk_sync_seconds"),
            ("Written", "Bps", [(rate("disk_written_bytes_total"), NODE)]),
            ("Room on the disk", "percentunit", [("tamiz_disk_free_bytes / tamiz_disk_size_bytes", NODE)]),
            ("Lines of the log", "cps", [(rate("log_lines_total", "level"), "{{level}}")]),
        ],
    ),
]


def make_panel(number, place, title, unit, targets):
    return {
        "id": number,
        "type": "timeseries",
        "title": title,
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "gridPos": place,
        "fieldConfig": {
            "defaults": {"unit": unit, "min": 0, "custom": {"fillOpacity": 10, "showPoints": "never"}},
            "overrides": [],
        },
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + i), "expr": expression, "legendFormat": legend}
            for i, (expression, legend) in enumerate(targets)
        ],
    }


def make_dashboard():
    panels, y = [], 0
    for title, row in ROWS:
        place = {"x": 0, "y": y, "w": COLUMNS, "h": 1}
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "gridPos": place, "panels": []})
        y += 1
        for i, (name, unit, targets) in enumerate(row):
            column, line = i % (COLUMNS // WIDTH), i // (COLUMNS // WIDTH)
            place = {"x": column * WIDTH, "y": y + line * HEIGHT, "w": WIDTH, "h": HEIGHT}
            panels.append(make_panel(len(panels) + 1, place, name, unit, targets))
        y += -(-len(row) // (COLUMNS // WIDTH)) * HEIGHT
    return {
        "title": "tamiz",
        "uid": "tamiz",
        "schemaVersion": 38,
        "editable": True,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {
            "list": [{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "panels": panels,
    }


def main():
    new = json.dumps(make_dashboard(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != new:
                sys.exit(f"{PAGE} is not what tools/dashboard.py writes: run it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)


if __name__ == "__main__":
    main()
