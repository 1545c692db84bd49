"""A real cluster for tests: `tamiz up` over a private RabbitMQ, and ways to hurt it."""

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from harness import TAMIZ, Skip, check, equal  # noqa: E402

UP_SECONDS_MAX = 120
JOB_SECONDS_MAX = 120
PORTS_NEEDED = 8
PACKS = {"coffee": "12M", "movies": "6M", "books": "6M"}


def rabbitmq_is_missing():
    return not any(shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") for name in ["rabbitmq-server"])


def free_ports():
    """The first of some ports in a row that nobody listens on, below those that systems hand out."""
    for _ in range(200):
        first = random.randrange(20000, 30000)
        sockets = []
        try:
            for port in range(first, first + PORTS_NEEDED):
                one = socket.socket()
                sockets.append(one)
                one.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise Skip("no free ports")


class Cluster:
    def __init__(self, *options, folder=None):
        if rabbitmq_is_missing():
            raise Skip("no RabbitMQ on this machine: make deps installs it")
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="tamiz-cluster-"))
        self.state = self.folder / "state"
        self.env = dict(os.environ, XDG_STATE_HOME=str(self.folder / "xdg"), HOME=str(self.folder))
        self.options = [*options, "--port", str(free_ports())]
        self.up()

    def up(self):
        done = self.tamiz("up", "--detach", "--state", self.state, *self.options, seconds=UP_SECONDS_MAX)
        if done.returncode != 0:
            logs = "".join(f"{log.name}:\n{log.read_text()[-800:]}\n" for log in (self.state / "log").glob("*.log"))
            raise AssertionError(f"tamiz up: {done.stderr}\n{logs}")
        self.server = (self.state / "server").read_text()

    def down(self):
        return self.tamiz("down", "--state", self.state, seconds=UP_SECONDS_MAX)

    def close(self):
        self.down()
        shutil.rmtree(self.folder, ignore_errors=True)

    def tamiz(self, *args, seconds=JOB_SECONDS_MAX):
        # Files and not pipes: what runs on must not keep us waiting for the end of its output.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            done = subprocess.run(
                [TAMIZ, *map(str, args)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=self.env,
                timeout=seconds,
                check=False,
            )
            out.seek(0)
            err.seek(0)
            done.stdout = out.read().decode("utf-8", "surrogateescape")
            done.stderr = err.read().decode("utf-8", "surrogateescape")
        return done

    def start(self, *args):
        """A command in the background; wait for it with finish()."""
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        process = subprocess.Popen(
            [TAMIZ, *map(str, args)], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=self.env
        )
        process.files = out, err
        return process

    @staticmethod
    def finish(process, seconds=JOB_SECONDS_MAX):
        """Exit status, stdout and stderr."""
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError("hangs") from None
        texts = []
        for file in process.files:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "surrogateescape"))
            file.close()
        return status, *texts

    def submit(self, *args):
        return self.tamiz("submit", "--server", self.server, *args)

    def submit_start(self, *args):
        return self.start("submit", "--server", self.server, *args)

    def answer(self, *args):
        done = self.submit(*args)
        equal(done.returncode, 0, done.stderr)
        return done.stdout

    def status(self):
        done = self.tamiz("status", "--json", "--server", self.server)
        equal(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def nodes(self):
        """The processes of the nodes by name: {"reducer-0": 1234}."""
        owner = int((self.state / "lock").read_text())
        found = {}
        for pid in pathlib.Path(f"/proc/{owner}/task/{owner}/children").read_text().split():
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if len(words) > 2 and words[0] == "tamiz":
                name = words[1]
                if "--index" in words:
                    name += "-" + words[words.index("--index") + 1]
                found[name] = int(pid)
        return found

    def kill(self, name):
        pid = self.nodes().get(name)
        if pid:
            os.kill(pid, signal.SIGKILL)
        return pid

    def broker_pid(self):
        for line in (self.state / "broker" / "broker.state").read_text().splitlines():
            if line.startswith("vm="):
                return int(line[3:].split()[0])
        raise AssertionError("no broker")

    def kill_broker(self):
        os.kill(self.broker_pid(), signal.SIGKILL)

    def queues(self):
        """Messages by queue, from the broker itself; the log is a stream and keeps its entries."""
        folder = self.state / "broker"
        known = dict(line.split("=", 1) for line in (folder / "broker.state").read_text().splitlines() if "=" in line)
        env = dict(
            os.environ,
            HOME=str(folder / "home"),
            ERL_EPMD_ADDRESS="127.0.0.1",
            ERL_EPMD_PORT=known["epmd_port"],
            RABBITMQ_NODENAME=f"{known['name']}@localhost",
            RABBITMQ_CONF_ENV_FILE="/dev/null",
        )
        folders = ["/usr/lib/rabbitmq/bin", "/usr/sbin", "/usr/local/sbin"]
        program = shutil.which("rabbitmqctl", path=":".join(folders))
        done = subprocess.run(
            [program, "-q", "--no-table-headers", "list_queues", "name", "type", "messages"],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        text = done.stdout.decode()
        equal(done.returncode, 0, text)
        rows = [line.split("\t") for line in text.splitlines() if line.count("\t") == 2]
        return {name: int(messages) for name, kind, messages in rows if "stream" not in kind}

    def leftovers(self):
        """What jobs left on the nodes' disks: files other than identities."""
        folder = self.state / "nodes"
        return sorted(
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file() and path.name not in ("identity", "lock") and not path.name.startswith(".")
        )

    def wait_clean(self, seconds=30):
        """All jobs are cancelled, and everyone has forgotten them."""
        for job in self.status()["jobs"]:
            self.tamiz("cancel", job["id"], "--server", self.server)
        deadline = time.monotonic() + seconds
        while self.leftovers() or self.status()["jobs"]:
            check(time.monotonic() < deadline, f"left behind: {self.leftovers()} {self.status()['jobs']}")
            time.sleep(0.1)

    def wait_nodes(self, count, seconds=60):
        deadline = time.monotonic() + seconds
        while len(self.nodes()) < count:
            check(time.monotonic() < deadline, f"nodes: {self.nodes()}")
            time.sleep(0.05)


def embedded(*args):
    done = subprocess.run(
        [TAMIZ, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )
    done.stdout = done.stdout.decode("utf-8", "surrogateescape")
    done.stderr = done.stderr.decode("utf-8", "surrogateescape")
    return done


def generate(pack, folder, size):
    done = embedded("gen", pack, "--out", folder, "--size", size, "-q")
    equal(done.returncode, 0, done.stderr)
    return folder


def wait_for_chunks(state_file, process, seconds=30):
    """Until the state file says that some chunk was acknowledged."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            tables = [line for line in state_file.read_text().splitlines() if line.startswith("table ")]
        except OSError:
            tables = []
        if any(line.split()[6] != "-" for line in tables):
            return
        time.sleep(0.01)
    raise AssertionError(f"nothing was acknowledged in time; ended with {process.poll()}")


def run_tests(namespace, *options):
    """As harness.main, with one cluster for all tests: test_*(cluster, folder)."""
    failed = 0
    cluster = None
    tests = [(name, test) for name, test in namespace.items() if name.startswith("test_") and callable(test)]
    try:
        cluster = Cluster(*options)
    except Skip as reason:
        for name, _ in tests:
            print(f"skip {name} {reason}")
        sys.exit(0)
    try:
        for name, test in tests:
            folder = cluster.folder / name
            folder.mkdir()
            try:
                test(cluster, folder)
                print(f"ok {name}", flush=True)
            except Skip as reason:
                print(f"skip {name} {reason}", flush=True)
            except Exception as problem:  # a test that breaks is a test that fails
                failed = 1
                print(f"# {type(problem).__name__}: {str(problem)[:2000]}")
                print(f"not ok {name}", flush=True)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        cluster.close()
    sys.exit(failed)
