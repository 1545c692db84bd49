"""What a cluster keeps is its owner's alone: files, processes, logs, its broker."""

import os
import pathlib
import stat
import subprocess

from cluster import TAMIZ, check, equal, run_tests, wait_for

KEY = "the key of a cluster, which seals what its nodes say to each other"
TOKEN = "a token of forty-two characters, no less!!"


def modes(folder):
    """(path, mode) of all that is below; links point where somebody else decides."""
    for where, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            try:
                info = os.lstat(os.path.join(where, name))
            except FileNotFoundError:
                continue  # nodes delete what they need no more
            if not stat.S_ISLNK(info.st_mode):
                yield os.path.join(where, name), stat.S_IMODE(info.st_mode)


def test_modes(cluster, folder):
    """With jobs of all states: done, fetched, and one that waits for more of its data."""
    (folder / "t.csv").write_text("n\n" + "1\n" * 100000)
    query = ["--sql", "SELECT n, count(*) FROM t GROUP BY n", "--data", folder, "-f", "csv"]
    equal(cluster.answer(*query), "n,count\n1,100000\n")
    with cluster.endless():
        process = cluster.submit_start(*query, "--state", cluster.folder / "xdg" / "open.state", "--chunk-size", "1K")
        wait_for("a journal", lambda: any((cluster.state / "nodes").glob("reducer-1/job-*")))
        found = [*modes(cluster.state), *modes(cluster.folder / "xdg")]
        process.terminate()
        process.communicate()
    names = " ".join(path for path, _ in found)
    for part in ("rabbitmq.conf", ".erlang.cookie", "broker.url", "job-", "result-", "log/", "job-keys"):
        check(part in names, f"no {part}: {names[:3000]}")
    equal([(path, oct(mode)) for path, mode in found if mode & 0o077], [])


def secrets(cluster):
    cookie = (cluster.state / "broker" / "home" / ".erlang.cookie").read_bytes()
    password = cluster.broker_state()["password"].encode()
    check(len(password) >= 32 and len(cookie) >= 32, "they can be guessed")
    return {"the token": TOKEN.encode(), "the key": KEY.encode(), "the password": password, "the cookie": cookie}


def shown_by(pid, name):
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:  # it has ended, or this user may not look
        return b""


def test_process_lists_and_environments(cluster, folder):
    (folder / "t.csv").write_text("n\n1\n")
    with cluster.endless():
        env = {name: value for name, value in cluster.env.items() if not name.startswith("TAMIZ_TOKEN")}
        words = [TAMIZ, "submit", "--sql", "SELECT sum(n) FROM t", "--data", folder, "--server", cluster.server]
        client = subprocess.Popen([*words, "--token", TOKEN], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("the token to be hidden", lambda: TOKEN.encode() not in shown_by(client.pid, "cmdline"))
        wait_for("the job", lambda: cluster.status()["jobs"])
        pids = {client.pid: "submit", **cluster.processes()}
        check(len(pids) > 8, f"too few processes: {pids}")
        for pid, what in pids.items():
            for secret, value in secrets(cluster).items():
                check(value not in shown_by(pid, "cmdline"), f"{what}: {secret} is in its words")
                check(value not in shown_by(pid, "environ"), f"{what}: {secret} is in its environment")
    equal(client.wait(), 0)


def test_logs(cluster, folder):
    logs = [*(cluster.state / "log").glob("*.log"), *(cluster.state / "broker" / "log").glob("**/*")]
    text = b"".join(log.read_bytes() for log in logs if log.is_file())
    check(b"STARTED" in text, "no logs")
    for secret, value in secrets(cluster).items():
        check(value not in text, f"{secret} is in a log")


def test_no_guest(cluster, folder):
    users = [line.split()[0] for line in cluster.rabbitmqctl("-q", "--no-table-headers", "list_users").splitlines()]
    equal(users, ["tamiz"])
    listening = subprocess.run(["ss", "-Hltn"], stdout=subprocess.PIPE, check=True).stdout.decode()
    known = cluster.broker_state()
    for port in (known["amqp_port"], known["dist_port"], known["epmd_port"]):
        at = [line.split()[3] for line in listening.splitlines() if line.split()[3].endswith(f":{port}")]
        check(at and set(at) <= {f"127.0.0.1:{port}", f"[::1]:{port}"}, at)


def test_secrets_from_files(cluster, folder):
    """Not from the environment: nodes and clients of this cluster have had the token from a file all along."""
    (folder / "token").write_text(TOKEN + "!\n")
    cluster.env["TAMIZ_TOKEN_FILE"] = str(folder / "token")
    refused = cluster.tamiz("status", "--server", cluster.server)
    equal((refused.returncode, refused.stdout), (2, ""))
    check("not the cluster's token" in refused.stderr, refused.stderr)
    cluster.env["TAMIZ_TOKEN_FILE"] = str(folder / "none")
    check("TAMIZ_TOKEN_FILE" in cluster.tamiz("status", "--server", cluster.server).stderr, "no reason")
    cluster.env["TAMIZ_TOKEN_FILE"] = str(TOKEN_FILE)
    equal(cluster.tamiz("status", "--server", cluster.server).returncode, 0)


# A folder that everyone may look into: what is made there is private nevertheless.
os.umask(0)
TOKEN_FILE = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"tamiz-token-{os.getpid()}"
TOKEN_FILE.write_text(TOKEN + "\n")
KEY_FILE = TOKEN_FILE.with_suffix(".key")
KEY_FILE.write_text(KEY + "\n")
try:
    run_tests(
        globals(),
        config={"gateway": {"token": "${TAMIZ_TEST_TOKEN}"}, "cluster": {"key": "${TAMIZ_TEST_KEY}"}},
        env={
            "TAMIZ_TEST_TOKEN_FILE": str(TOKEN_FILE),
            "TAMIZ_TOKEN_FILE": str(TOKEN_FILE),
            "TAMIZ_TEST_KEY_FILE": str(KEY_FILE),
        },
    )
finally:
    TOKEN_FILE.unlink()
    KEY_FILE.unlink()
