"""Users of a cluster: who gets in, what is whose, and what others hear of it."""

import contextlib
import json
import os
import re
import socket
import statistics
import struct
import tempfile
import time
from pathlib import Path

from cluster import PATIENCE_SECONDS, WIRE_VERSION, check, equal, run_tests, wait_for
from harness import tamiz

FOLDER = Path(tempfile.mkdtemp(prefix="tamiz-users-"))
USERS = FOLDER / "users"
# How late a wrong token is answered, and how much sooner a right one is.
# A second, less what the clock of an event loop may be behind.
DENIED_SECONDS = 0.95


def user(*words, file=FOLDER / "cluster.ini"):
    done = tamiz("user", *words, "--file", file)
    equal(done.status, 0, done.err)
    return done.out.strip()


@contextlib.contextmanager
def as_user(cluster, token):
    """A machine of its own, too: no secrets of jobs are there."""
    before = dict(cluster.env)
    cluster.env.update(TAMIZ_TOKEN=token, XDG_STATE_HOME=tempfile.mkdtemp(dir=cluster.folder))
    try:
        yield
    finally:
        cluster.env.clear()
        cluster.env.update(before)


def submit(cluster, folder, *more, query="SELECT sum(n) FROM t"):
    (folder / "t.csv").write_text("n\n1\n2\n")
    sent = cluster.submit("--sql", query, "--data", folder, "--no-wait", *more)
    equal(sent.returncode, 0, sent.stderr)
    return re.search(r"tamiz results (\S+) ", sent.stderr)[1]


def jobs(cluster):
    return {job["id"] for job in cluster.status()["jobs"]}


def ask(cluster, *words):
    return cluster.tamiz(*words, "--server", cluster.server)


def test_what_is_whose(cluster, folder):
    with as_user(cluster, ANA):
        key = submit(cluster, folder)
        job = key.split("-")[0]
        wait_for("the job to be seen by its user", lambda: job in jobs(cluster))
        equal(ask(cluster, "results", key, "-f", "csv").stdout, "sum\n3\n")
    with as_user(cluster, ANA):
        # On another machine she has no secret of it, and is the same user.
        equal(ask(cluster, "results", job, "-f", "csv").stdout, "sum\n3\n")
    with as_user(cluster, BOB):
        equal(jobs(cluster), set())
        status = cluster.status()
        check("bytes" not in status and "clients" not in status, f"the work of others: {status}")
        # With her secret or without: as if there were no such job.
        for command, secret in ((["results", job, "--no-wait"], ""), (["cancel", key], key[16:])):
            refused = ask(cluster, *command)
            check(refused.returncode != 0 and refused.stdout == "", refused.stdout)
            unknown = ask(cluster, command[0], f"00000000000000aa{secret}", *command[2:])
            equal(refused.stderr.replace(job, "J"), unknown.stderr.replace("00000000000000aa", "J"))
    with as_user(cluster, RAY):
        check(job in jobs(cluster), "a reader sees all")
        equal(ask(cluster, "results", key, "-f", "csv").stdout, "sum\n3\n")
        check(ask(cluster, "results", job, "--no-wait").returncode != 0, "without its secret")
        check(ask(cluster, "cancel", key).returncode != 0, "a reader cancels nothing")
        refused = cluster.submit("--sql", "SELECT sum(n) FROM t", "--data", folder)
        check(refused.returncode == 2 and "its role is read" in refused.stderr, refused.stderr)
    with as_user(cluster, EVA):
        check(job in jobs(cluster), "an admin sees all")
        equal(ask(cluster, "results", job, "-f", "csv").stdout, "sum\n3\n")
        equal(ask(cluster, "cancel", job).returncode, 0)
        wait_for("its end", lambda: job not in jobs(cluster))
    log = "".join(file.read_text() for file in (cluster.state / "log").glob("gateway-*.log"))
    for who, action in (("ana", "open"), ("ana", "fetch"), ("bob", "refused"), ("ray", "fetch"), ("eva", "cancel")):
        line = rf"AUDIT action={action} job={job} user={who} connection=\w+ from=127.0.0.1:\d+\n"
        check(re.search(line, log), f"no {line} in {log[-2000:]}")
    # What bob asked of a job that is not there stands there just so.
    check(re.search(r"AUDIT action=refused job=00000000000000aa user=bob ", log), log[-2000:])
    for token in (ANA, BOB, RAY, EVA):
        check(token not in log, "a token is in a log")


def test_limits(cluster, folder):
    """Two jobs at a time for bob, which says nothing about ana; the third has to wait, and gets in when there is room."""
    query = "SELECT n, count(*) FROM t GROUP BY n ORDER BY n"
    with as_user(cluster, BOB), cluster.endless():
        for i in range(2):
            submit(cluster, folder, "--state", folder / f"{i}.state", query=query)
        wait_for("two open jobs", lambda: [job["state"] for job in cluster.status()["jobs"]] == ["working"] * 2)
        more = ["--sql", query, "--data", folder, "--state", folder / "more.state"]
        waits = cluster.submit_start(*more)
        with as_user(cluster, ANA):
            submit(cluster, folder, "--state", folder / "ana.state", query=query)
        equal((len(jobs(cluster)), waits.poll()), (2, None), "it does not wait")
    status, out, err = cluster.finish(waits)
    equal((status, "1" in out), (0, True), err)
    with as_user(cluster, EVA):
        for job in jobs(cluster):
            equal(ask(cluster, "cancel", job).returncode, 0)


def hello(token):
    return struct.pack(">BIHI", 0x20, 6 + len(token), WIRE_VERSION, len(token)) + token.encode()


def answer_to(port, data):
    """What a gateway says, and after how long it has hung up or answered."""
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as to:
        to.sendall(data)
        got = to.recv(4096)
        return got, time.monotonic() - started


def test_guesses_are_slow_and_alike(cluster, folder):
    port = cluster.port + 1
    status = bytes.fromhex("25 00 00 00 00")
    took = {}
    for name, token in (("near", ANA[:-1] + ("0" if ANA[-1] != "0" else "1")), ("far", "x"), ("long", "y" * 1000)):
        answers = [answer_to(port, hello(token) + status) for _ in range(3)]
        check(all(b"not the cluster's token" in said for said, _ in answers), answers)
        took[name] = min(seconds for _, seconds in answers)
        check(took[name] >= DENIED_SECONDS, f"{name}: after {took[name]} s")
    said, seconds = answer_to(port, hello("") + status)
    check(b"asks for a token" in said and seconds >= DENIED_SECONDS, (said, seconds))
    log = (cluster.state / "log" / "gateway-0.log").read_text()
    check(len(re.findall(r"CLIENT_TURNED_AWAY connection=\w+ from=127.0.0.1:\d+ reason=\"wrong token\"", log)) >= 9, log[-2000:])
    said, seconds = answer_to(port, hello(ANA))
    equal(said[0], 0x20)
    check(statistics.fmean(took.values()) > seconds, "who knows the token does not wait")


def test_changes(cluster, folder):
    token = user("add", "tom")
    check(re.fullmatch(r"tamiz[0-9a-f]{64}", token), token)
    check("tom submit" in user("list"), "he is not listed")
    check(token not in USERS.read_text(), "the token is kept")
    equal(USERS.stat().st_mode & 0o777, 0o640)
    with as_user(cluster, token):
        wait_for("tom to get in", lambda: ask(cluster, "status").returncode == 0)
        to = socket.create_connection(("127.0.0.1", cluster.port + 1), PATIENCE_SECONDS)

        def admitted():
            said, _ = answer_to(cluster.port + 1, hello(token))
            return said[0] == 0x20

        wait_for("this gateway to know him", admitted)
        to.sendall(hello(token))
        equal(to.recv(4096)[0], 0x20)
        user("remove", "tom")
        wait_for("tom to be out", lambda: ask(cluster, "status").returncode != 0)
        wait_for("this gateway to forget him", lambda: not admitted())
        # A connection that stands ends with its user.
        to.sendall(bytes.fromhex("25 00 00 00 00"))
        check(b"the user was removed" in to.recv(65536), "it goes on")
        to.close()
    # What cannot be read is not used.
    text = USERS.read_text()
    USERS.write_text("nonsense\n")
    logs = [cluster.state / "log" / f"gateway-{i}.log" for i in range(2)]
    wait_for("a word of it", lambda: all("USERS_BAD" in log.read_text() for log in logs))
    with as_user(cluster, ANA):
        equal(ask(cluster, "status").returncode, 0)
    USERS.write_text(text)


def test_mistakes(cluster, folder):
    for words, why in (
        (["ad", "x"], 'did you mean "add"?'),
        (["add"], "needs a name"),
        (["list", "x"], "takes no name"),
        (["add", "ana"], "already"),
        (["add", "two words"], "no name of a user"),
        (["remove", "nobody"], "there is no user"),
    ):
        done = tamiz("user", *words, "--file", FOLDER / "cluster.ini")
        check(done.status == 2 and why in done.err, done.err)
    (folder / "none.ini").write_text("")
    check("names no file of users" in tamiz("user", "list", "--file", folder / "none.ini").err, "no reason")
    (folder / "both.ini").write_text("[gateway]\nusers = u\ntoken = t\n")
    check("users have tokens of their own" in tamiz("user", "list", "--file", folder / "both.ini").err, "no reason")
    check(json.dumps(cluster.nodes()), "the cluster is there")


(FOLDER / "cluster.ini").write_text("[gateway]\nusers = users\n")
ANA, BOB = user("add", "ana"), user("add", "bob", "--jobs", "2")
RAY, EVA = user("add", "ray", "--role", "read"), user("add", "eva", "--role", "admin")
try:
    run_tests(globals(), config={"gateway": {"users": USERS}}, env={"TAMIZ_TOKEN": EVA})
finally:
    for left in FOLDER.iterdir():
        os.unlink(left)
    FOLDER.rmdir()
