"""TLS between clients and gateways, through proxies: who gets in, who does not, and files that change meanwhile."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from certificates import Authority
from cluster import PATIENCE_SECONDS, Cluster, check, embedded, equal, generate, run_tests, wait_for

# A client that would try again for half a minute has not understood that it is of no use.
REFUSED_SECONDS_MAX = 20

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="tamiz-tls-"))
OURS = Authority(FOLDER / "ours")
THEIRS = Authority(FOLDER / "theirs")
GOOD = OURS.issue("gateway")
CERT, KEY = FOLDER / "cert.pem", FOLDER / "key.pem"


def install(files):
    """In one step, as tools that renew certificates do."""
    for source, target in zip(files, (CERT, KEY), strict=True):
        shutil.copy(source, FOLDER / "new")
        os.replace(FOLDER / "new", target)


def plain(cluster):
    return cluster.server.replace("tls://", "")


def status(cluster, *words, server=None):
    return cluster.tamiz("status", "--server", server or cluster.server, *words)


def refused(cluster, why, *words, server=None):
    started = time.monotonic()
    done = status(cluster, *words, server=server)
    check(done.returncode != 0 and done.stdout == "", f"was let in: {done.stdout}")
    check(why in done.stderr, f"{why!r} is not in {done.stderr!r}")
    check(time.monotonic() - started < REFUSED_SECONDS_MAX, "it tried again and again")


def test_jobs(cluster, folder):
    check(cluster.server.startswith("tls://"), cluster.server)
    for pack, size in (("coffee", "12M"), ("books", "4M")):
        data = generate(pack, folder / pack, size)
        want = embedded("run", pack, "--data", data, "-f", "csv").stdout
        equal(cluster.answer(pack, "--data", data, "-f", "csv"), want)
    done = cluster.tamiz("status", "--tls", "--server", plain(cluster))
    equal(done.returncode, 0, done.stderr)


def test_a_gateway_dies(cluster, folder):
    data = generate("coffee", folder / "coffee", "6M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    process = cluster.submit_begun(folder / "job.state", want, "coffee", "--data", data, "-f", "csv", "--chunk-size", "2K")
    killed = cluster.kill_all(["gateway-0", "proxy-0"])
    code, out, err = cluster.finish(process)
    equal(code, 0, err)
    check(out == want, f"{out[:300]!r}")
    cluster.wait_replaced(killed)


def test_in_the_clear(cluster, folder):
    """One sentence that says what to do, and nothing else; health is for everyone."""
    refused(cluster, "this cluster speaks TLS: give --tls", server=plain(cluster))
    with socket.create_connection(("127.0.0.1", cluster.port + 1), PATIENCE_SECONDS) as to:
        to.sendall(bytes.fromhex("0d 00 00 00 00"))
        equal(to.recv(100), bytes.fromhex("0d 00 00 00 00"))
        to.sendall(bytes.fromhex("25 00 00 00 00"))
        check(b"speaks TLS" in to.recv(1000), "no reason")


def test_names_and_authorities(cluster, folder):
    refused(cluster, "hostname mismatch", server=f"tls://localhost:{cluster.port}")
    refused(cluster, "unable to get local issuer certificate", "--ca", THEIRS.cert)
    refused(cluster, "No such file", "--ca", folder / "none.pem")
    ca = cluster.env.pop("TAMIZ_CA")
    try:
        refused(cluster, "certificate is not good")
        equal(status(cluster, "--ca", OURS.cert).returncode, 0)
    finally:
        cluster.env["TAMIZ_CA"] = ca


def at_each(cluster):
    """What a client hears at each gateway: each reads its files when somebody connects, once a second at most."""
    return [status(cluster, server=f"tls://127.0.0.1:{cluster.port + 1 + i}") for i in range(2)]


def test_files_that_change(cluster, folder):
    nodes = cluster.nodes()
    bad = [
        (OURS.issue("late", expired=True), "certificate has expired"),
        (OURS.issue("other", names="DNS:elsewhere.example,IP:127.0.0.9"), "IP address mismatch"),
        (THEIRS.issue("gateway"), "unable to get local issuer certificate"),
    ]
    for files, why in bad:
        install(files)
        wait_for("the certificate to be in use", lambda why=why: all(why in done.stderr for done in at_each(cluster)))
        refused(cluster, why)
    install(GOOD)
    wait_for("the good one again", lambda: all(done.returncode == 0 for done in at_each(cluster)))
    # What cannot be used is not.
    CERT.write_text("no certificate\n")
    logs = [cluster.state / "log" / f"gateway-{i}.log" for i in range(2)]

    def told():
        equal([done.returncode for done in at_each(cluster)], [0, 0])
        return all("cert.pem: no start line" in log.read_text() for log in logs)

    wait_for("a word about it", told)
    install(GOOD)
    equal(cluster.nodes(), nodes, "processes changed")
    check(all("TLS_FILES_READ" in log.read_text() for log in logs), "no word of the new files")


def s_client(port, *words):
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", OURS.cert, "-verify_return_error", *words],
        input=b"Q\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def test_versions(cluster, folder):
    """Through the proxy, which passes TLS through, as at a gateway."""
    for port in (cluster.port, cluster.port + 1):
        for version, name in (("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")):
            code, text = s_client(port, version)
            check(code == 0 and "Verify return code: 0 (ok)" in text and name in text, text)
        for words in (
            ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
            ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
            ["-tls1_2", "-cipher", "AES128-SHA:AES256-GCM-SHA384:@SECLEVEL=0"],
        ):
            code, text = s_client(port, *words)
            check(code != 0 and "Cipher is (NONE)" in text, text)


def test_strange_handshakes(cluster, folder):
    """Halves of them, and noise behind the first byte: the gateway goes on and has nobody's connection left."""
    hello = bytes.fromhex("16030100ca010000c6")
    port = cluster.port + 1
    held = []
    for size in (1, 3, 5, 9):
        for _ in range(20):
            to = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
            to.sendall(hello[:size])
            held.append(to)
    for noise in (b"\x16" + bytes(5000), b"\x16\x03\x01\xff\xff" + bytes(70000), hello + os.urandom(300)):
        with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as to:
            try:
                to.sendall(noise)
                while to.recv(1000):
                    pass
            except ConnectionError:
                pass
    equal(status(cluster, server=f"tls://127.0.0.1:{port}").returncode, 0)
    # Who does not finish is thrown out after its time for a first frame.
    for to in held:
        to.settimeout(PATIENCE_SECONDS)
        try:
            equal(to.recv(1), b"")
        except ConnectionError:
            pass
        to.close()


def test_clients_with_certificates(cluster, folder):
    config = {
        "cluster": {"name": "strict"},
        "gateway": {"replicas": 1},
        "reducer": {"replicas": 1},
        "tls": {"cert": GOOD[0], "key": GOOD[1], "ca": THEIRS.cert},
    }
    strict = Cluster(config=config, broker_url=cluster.broker_url(), folder=folder / "strict", env={"TAMIZ_CA": str(OURS.cert)})
    try:
        refused(strict, "certificate required")
        for files, why in (
            (OURS.issue("stranger"), "unknown ca"),
            (THEIRS.issue("late", expired=True), "certificate expired"),
        ):
            refused(strict, why, "--cert", files[0], "--key", files[1])
        known = THEIRS.issue("known")
        refused(strict, "belong together", "--cert", known[0])
        done = status(strict, "--cert", known[0], "--key", known[1])
        equal(done.returncode, 0, done.stderr)
        log = (strict.state / "log" / "gateway-0.log").read_text()
        check("CLIENT_TURNED_AWAY" in log and "certificate" in log, log)
    finally:
        strict.close()


install(GOOD)
try:
    run_tests(globals(), config={"tls": {"cert": CERT, "key": KEY}}, env={"TAMIZ_CA": str(OURS.cert)})
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
