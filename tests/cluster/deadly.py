"""Jobs that end the process which works on them: through poison.c, loaded into the nodes, or for want of memory."""

import pathlib
import resource

from cluster import TAMIZ

POISON = pathlib.Path(TAMIZ).resolve().parent / "tests" / "cluster" / "poison.so"
ALL = "SELECT k, count(*) AS n FROM notes GROUP BY k ORDER BY k"
IN_MAP = "SELECT k, count(*) AS n FROM notes WHERE v ~ 'w(o|u)rd' GROUP BY k ORDER BY k"
IN_REDUCER = "SELECT k, min(v) AS m FROM notes GROUP BY k HAVING min(v) ~ 'w(o|u)rd' ORDER BY k"
IN_COLLECTOR = "SELECT min(v) ~ 'w(o|u)rd' AS m FROM notes"
REDUCERS = ["reducer-0", "reducer-1"]
# A reducer holds every pair of an item until it has sorted them: rows that it could hand on as they come would
# use up its memory only where it is faster than the broker.
ALL_PAIRS = """SELECT a.item_id, string_agg(a.transaction_id || b.transaction_id, ',' ORDER BY a.created_at)
    FROM transaction_items a JOIN transaction_items b ON a.item_id = b.item_id GROUP BY 1"""
ENV = {"LD_PRELOAD": str(POISON)}
BY_KIND = {
    "segv": "signal 11",
    "abort": "signal 6",
    "exit": "its process has exited",
    "_exit": "its process has exited",
    "kill": "it was killed",
    "memory": "no more memory",
    "nothing left": "no more memory",
}


def notes(folder, kind=None):
    folder.mkdir(parents=True)
    rows = [f"{i % 50},word {i}" for i in range(2000)]
    if kind:
        rows.append(f"7,poison {kind}")
    (folder / "notes.csv").write_text("k,v\n" + "".join(f"{row}\n" for row in rows))
    return folder


def data_bytes(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(text.split("VmData:")[1].split()[0])


def limit_memory(cluster, spare):
    """Watchers hand their limits on to what they start."""
    pids = cluster.nodes(watchers=True)
    most = max(data_bytes(pids[name]) for name in REDUCERS) + spare
    for name, pid in pids.items():
        if name.startswith("watcher"):
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
    cluster.wait_replaced(cluster.kill_all(REDUCERS))
