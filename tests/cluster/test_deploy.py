"""The shape of a large deployment, run on this machine: `tamiz deploy local`, `tamiz up`, the right bytes."""

import tempfile
from pathlib import Path

from cluster import check, embedded, equal, generate, run_tests
from harness import reserve_ports, tamiz

FILE = "[gateway]\nreplicas = 3\n[reducer]\nreplicas = 7\n[filter]\nreplicas = 2\n[watcher]\nreplicas = 3\n[broker]\nqueues = quorum\n"


def test_the_same_bytes(cluster, folder):
    (folder / "given.ini").write_text(FILE)
    out = folder / "deployed"
    done = tamiz("deploy", "local", "--file", folder / "given.ini", "--out", out, "--port", reserve_ports())
    equal(done.status, 0, done.err)
    with tempfile.TemporaryDirectory() as state:
        up = cluster.tamiz("up", "--detach", "--file", out / "cluster.ini", "--state", state)
        equal(up.returncode, 0, up.stderr)
        try:
            server = (Path(state) / "server").read_text()
            for pack, size in (("coffee", "4M"), ("books", "2M")):
                data = generate(pack, folder / pack, size)
                want = embedded("run", pack, "--data", data, "-f", "csv").stdout
                got = cluster.tamiz("submit", pack, "--data", data, "-f", "csv", "--server", server)
                equal(got.returncode, 0, got.stderr)
                check(got.stdout == want, f"{pack}: {got.stdout[:300]!r}")
            names = {path.name for path in (out / "state" / "run").iterdir()}
            check({"gateway-2", "reducer-6", "filter-1", "watcher-2", "collector", "proxy-0"} <= names, names)
        finally:
            down = cluster.tamiz("down", "--state", state)
            equal(down.returncode, 0, down.stderr)


run_tests(globals(), "--reducers", "1", "--gateways", "1")
