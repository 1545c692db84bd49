"""A real cluster for tests: `tamiz up` over a private RabbitMQ, and ways to hurt it."""

import configparser
import contextlib
import http.client
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from harness import (  # noqa: E402, F401
    PATIENCE_SECONDS,
    PORTS_A_BLOCK,
    TAMIZ,
    Skip,
    check,
    clean_up_when_told_to_end,
    equal,
    reserve_ports,
    wait_for,
)

# A node that answers does so sooner, on whatever machine; one that is stopped does not at all.
ANSWER_SECONDS_MAX = 20
JOBS_TRIED_MAX = 20
PACKS = {"coffee": "12M", "movies": "6M", "books": "6M", "trade": "3M", "h2o": "3M", "web": "3M"}


def rabbitmq_is_missing():
    return not any(shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") for name in ["rabbitmq-server"])


def write_config(file, port, config):
    """A cluster file for this machine; `config` says what is different. A list has a line for each of its items."""
    sections = {
        "cluster": {"state": "state/nodes", "logs": "state/log"},
        "broker": {"url": "${TAMIZ_BROKER_URL}"},
        "proxy": {"listen": f"127.0.0.1:{port}", "health": f"127.0.0.1:{port + 10}"},
        "gateway": {"listen": f"127.0.0.1:{port + 1}", "health": f"127.0.0.1:{port + 12}"},
        "watcher": {"listen": f"127.0.0.1:{port + 6}", "health": f"127.0.0.1:{port + 16}"},
        "collector": {"health": f"127.0.0.1:{port + 19}"},
        "reducer": {"health": f"127.0.0.1:{port + 20}"},
        "filter": {"health": f"127.0.0.1:{port + 30}"},
    }
    for section, values in config.items():
        sections.setdefault(section, {}).update(values)
    lines = []
    for section, values in sections.items():
        lines.append(f"[{section}]")
        for key, value in values.items():
            lines += [f"{key} = {item}" for item in (value if isinstance(value, list) else [value])]
    file.write_text("".join(f"{line}\n" for line in lines))


# Of what clients and gateways say to each other.
WIRE_VERSION = int(re.search(r"#define WIRE_VERSION\s+(\d+)", (ROOT / "src/wire/message.h").read_text())[1])


def wait_for_end(process, seconds):
    """As Popen.wait, which looks only every 50 ms; bench/latency would see nothing else."""
    descriptor = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(1000 * seconds):
            raise subprocess.TimeoutExpired(process.args, seconds)
    finally:
        os.close(descriptor)
    process.wait()


class Cluster:
    def __init__(self, *options, config=None, broker_url=None, folder=None, env=None):
        """`config` is {"reducer": {"prefetch": 1}}; with `broker_url` it has no broker of its own."""
        if rabbitmq_is_missing():
            raise Skip("no RabbitMQ on this machine: make deps installs it")
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="tamiz-cluster-"))
        self.state = self.folder / "state"
        self.env = dict(os.environ, XDG_STATE_HOME=str(self.folder / "xdg"), HOME=str(self.folder), **(env or {}))
        self.port = reserve_ports()
        if broker_url:
            self.env["TAMIZ_BROKER_URL"] = broker_url
        if config is None:
            self.file = self.state / "cluster.ini"
            self.options = [*options, "--port", str(self.port)]
        else:
            self.folder.mkdir(exist_ok=True)
            self.file = self.folder / "cluster.ini"
            write_config(self.file, self.port, config)
            self.options = [*options, "--file", self.file]
        try:
            self.up()
        except BaseException:
            self.close()
            raise

    def up(self):
        done = self.tamiz("up", "--detach", "--state", self.state, *self.options)
        if done.returncode != 0:
            logs = "".join(f"{log.name}:\n{log.read_text()[-800:]}\n" for log in (self.state / "log").glob("*.log"))
            raise AssertionError(f"tamiz up: {done.stderr}\n{logs}")
        self.server = (self.state / "server").read_text()

    def down(self):
        return self.tamiz("down", "--state", self.state)

    def processes(self):
        """Everything that was started with the cluster's file or folder, `up` and its broker included."""
        found = {}
        broker = f"HOME={self.state}/broker/home".encode()
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            try:
                is_broker = broker in (folder / "environ").read_bytes().split(b"\0")
            except OSError:  # nodes show theirs to root alone
                is_broker = False
            if words[0].endswith("tamiz") and {str(self.file), str(self.state)} & set(words):
                found[int(folder.name)] = " ".join(words[1:3])
            elif is_broker:
                found[int(folder.name)] = f"broker {words[0]}"
        return found

    def close(self):
        done = self.down()
        try:
            # Who was started last sees for itself that it comes too late.
            wait_for(
                lambda: f"the end of {self.processes()} after tamiz down ({done.returncode}, {done.stderr.strip()})",
                lambda: not self.processes(),
            )
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def tamiz(self, *args, seconds=PATIENCE_SECONDS):
        # Files and not pipes: what runs on must not keep us waiting for the end of its output.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [TAMIZ, *map(str, args)], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=self.env
            )
            try:
                wait_for_end(process, seconds)
            finally:
                process.kill()
                status = process.wait()
            out.seek(0)
            err.seek(0)
            texts = [file.read().decode("utf-8", "surrogateescape") for file in (out, err)]
        return subprocess.CompletedProcess(process.args, status, *texts)

    def start(self, *args):
        """A command in the background; wait for it with finish()."""
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        process = subprocess.Popen(
            [TAMIZ, *map(str, args)], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=self.env
        )
        process.files = out, err
        return process

    @staticmethod
    def finish(process, seconds=PATIENCE_SECONDS):
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

    def submit_begun(self, state_file, want, *args):
        """A job in the background that has begun to send. Those that end before we see it must be right, too."""
        for _ in range(JOBS_TRIED_MAX):
            process = self.submit_start(*args, "--state", state_file)
            wait_for("a chunk to be acknowledged", lambda: has_sent(state_file) or process.poll() is not None)
            if process.poll() is None:
                return process
            status, out, err = self.finish(process)
            equal(status, 0, err)
            check(out == want, f"{out[:300]!r} and not {want[:300]!r}")
        raise AssertionError("jobs are too fast for us")

    def answer(self, *args):
        done = self.submit(*args)
        equal(done.returncode, 0, done.stderr)
        return done.stdout

    def status(self):
        done = self.tamiz("status", "--json", "--server", self.server)
        equal(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def nodes(self, watchers=False):
        """The processes of the nodes by name, those of watchers only when asked for: {"reducer-0": 1234}."""
        found = {}
        for place in sorted((self.state / "nodes" / "run").glob("*")):
            try:
                pid, started = place.read_text().split()
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            except (OSError, ValueError):
                continue
            if fields[19] == started and fields[0] != "Z" and (watchers or not place.name.startswith("watcher")):
                found[place.name] = int(pid)
        return found

    @contextlib.contextmanager
    def standing_still(self, pids):
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            # The signal is on its way: threads on other processors may still answer for a moment.
            wait_for(f"{pids} to stand still", lambda: all(map(stands_still, pids)))
            yield
        finally:
            for pid in reversed(pids):
                os.kill(pid, signal.SIGCONT)

    def nobody_watches(self):
        """Nothing is started again meanwhile, neither a node nor the broker."""
        watchers = [pid for name, pid in self.nodes(watchers=True).items() if name.startswith("watcher")]
        return self.standing_still([*watchers, int((self.state / "lock").read_text())])

    @contextlib.contextmanager
    def endless(self):
        """No job ends meanwhile, however fast the machine is: a reducer stands still, and those who would replace it."""
        with self.nobody_watches(), self.standing_still([self.nodes()["reducer-0"]]):
            yield

    def config(self):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read(self.file)
        return parser

    def health_address(self, name):
        role, _, index = name.partition("-")
        host, port = self.config()[role]["health"].rsplit(":", 1)
        return f"http://{host}:{int(port) + int(index or 0)}"

    def get(self, name, path):
        """Status and JSON of a node's answer over HTTP; None when there is none."""
        try:
            with urllib.request.urlopen(self.health_address(name) + path, timeout=ANSWER_SECONDS_MAX) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text) if text.startswith("{") else text
        except (OSError, ValueError, http.client.HTTPException):
            return None

    def is_green(self, name):
        answer = self.get(name, "/ready")
        return answer is not None and answer[0] == 200

    @staticmethod
    def wait_for(condition, what):
        return wait_for(what, condition)

    def leader(self):
        """The report of the watcher that leads, when all that answer agree on it; else None."""
        reports = [self.get(f"watcher-{i}", "/status") for i in range(3)]
        reports = [report[1] for report in reports if report and report[0] == 200]
        leads = [report for report in reports if report["leads"]]
        if len(leads) != 1 or any(report["leader"] != leads[0]["watcher"] for report in reports):
            return None
        return leads[0]

    def watched(self, name):
        """What the leader says of a node; {} when nobody leads."""
        leader = self.leader()
        return next((node for node in leader["nodes"] if node["name"] == name), {}) if leader else {}

    def kill_all(self, names):
        """At the same time; returns when they are gone. Those that ran, by name."""
        running = self.nodes(watchers=True)
        killed = {name: running[name] for name in names if name in running}
        for pid in killed.values():
            os.kill(pid, signal.SIGKILL)
        for name, pid in killed.items():
            wait_for(f"the end of {name}", lambda pid=pid: not is_alive(pid))
        return killed

    def kill(self, name):
        """The process that it was; None: it does not run."""
        return self.kill_all([name]).get(name)

    def wait_replaced(self, killed):
        """Until each of these nodes has a process other than before, and is ready; they are {name: pid}."""
        for name, pid in killed.items():
            wait_for(
                f"another {name}",
                lambda name=name, pid=pid: self.nodes(watchers=True).get(name, pid) != pid and self.is_green(name),
            )

    def broker_state(self):
        """What is known of the cluster's own broker: ports, password, processes."""
        text = (self.state / "broker" / "broker.state").read_text()
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def broker_pid(self):
        return int(self.broker_state()["vm"].split()[0])

    def broker_url(self):
        known = self.broker_state()
        return f"amqp://tamiz:{known['password']}@127.0.0.1:{known['amqp_port']}"

    def broker_is_safe(self, queues):
        """Whether the broker would know its queues after a kill. It says that it has one up to some seconds
        before it writes that down: the names into Mnesia's files, and where the streams are into another."""
        data = self.state / "broker" / "data"
        names = b"".join(
            file.read_bytes()
            for pattern in ("*/LATEST.LOG", "*/rabbit_durable_queue.DC?")
            for file in data.glob(pattern)
        )
        streams = b"".join(file.read_bytes() for file in data.glob("*/coordination/*/names.dets"))
        return b"rabbit_stream_coordinator" in streams and all(name.encode() in names for name in queues)

    def generation(self):
        """Of the control log, as the collector began it last."""
        text = (self.state / "log" / "collector.log").read_text()
        return max((int(number) for number in re.findall(r"LOG_BEGUN generation=(\d+)", text)), default=0)

    def kill_broker(self):
        """One that is killed younger than this loses its queues."""
        text = self.rabbitmqctl("-q", "--no-table-headers", "list_queues", "name", "durable")
        queues = [line.split("\t")[0] for line in text.splitlines() if line.endswith("\ttrue")]
        check(queues, text)
        wait_for(f"the broker to write down {queues}", lambda: self.broker_is_safe(queues))
        os.kill(self.broker_pid(), signal.SIGKILL)

    def queues(self):
        """Messages by queue, from the broker itself; the log is a stream and keeps its entries."""
        return {name: int(messages) for name, kind, messages in self.list_queues() if "stream" not in kind}

    def queue_types(self):
        return {name: kind.replace("rabbit_", "").replace("_queue", "") for name, kind, _ in self.list_queues()}

    def list_queues(self):
        text = self.rabbitmqctl("-q", "--no-table-headers", "list_queues", "name", "type", "messages")
        return [line.split("\t") for line in text.splitlines() if line.count("\t") == 2]

    def rabbitmqctl(self, *args):
        folder = self.state / "broker"
        known = self.broker_state()
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
            [program, *args],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        text = done.stdout.decode()
        equal(done.returncode, 0, text)
        return text

    def leftovers(self):
        """What jobs left on the nodes' disks: files other than identities and copies of the log."""
        folder = self.state / "nodes"
        # os.walk and not rglob: folders vanish while we look, and that is no error.
        return sorted(
            os.path.relpath(os.path.join(where, name), folder)
            for where, _, names in os.walk(folder)
            for name in names
            if os.path.basename(where) != "run"
            and not os.path.basename(where).startswith("log-")
            and name not in ("identity", "generation", "lock")
            and not name.startswith(".")
        )

    def wait_clean(self):
        """All jobs are cancelled, and everyone has forgotten them."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        # A gateway that has just got its broker back may not know of the last job yet: we ask again and again.
        while (jobs := self.status()["jobs"]) or self.leftovers():
            check(time.monotonic() < deadline, f"left behind: {self.leftovers()} {jobs}")
            for job in jobs:
                self.tamiz("cancel", job["id"], "--server", self.server)
            time.sleep(0.1)

    def wait_nodes(self, count):
        wait_for(lambda: f"{count} nodes, not only {self.nodes()}", lambda: len(self.nodes()) >= count)


class Rising(Cluster):
    """One whose `tamiz up` is under way."""

    def up(self):
        self.rising = self.start("up", "--detach", "--state", self.state, *self.options)

    def is_rising(self):
        return self.rising.poll() is None

    def wait_up(self):
        status, _, err = self.finish(self.rising)
        equal(status, 0, err)
        self.server = (self.state / "server").read_text()


def embedded(*args):
    done = subprocess.run(
        [TAMIZ, *map(str, args)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    done.stdout = done.stdout.decode("utf-8", "surrogateescape")
    done.stderr = done.stderr.decode("utf-8", "surrogateescape")
    return done


def generate(pack, folder, size):
    done = embedded("gen", pack, "--out", folder, "--size", size, "-q")
    equal(done.returncode, 0, done.stderr)
    return folder


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def stands_still(pid):
    """Whether all threads of a process are stopped."""
    try:
        stats = [path.read_text() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:  # one has just ended
        return False
    return bool(stats) and all(stat.rsplit(")", 1)[1].split()[0] == "T" for stat in stats)


def read_tables(state_file):
    """What a client has noted of its tables, as lists of words; none when it has not noted anything."""
    try:
        lines = state_file.read_text().splitlines()
    except OSError:
        return []
    return [line.split() for line in lines if line.startswith("table ")]


def has_sent(state_file):
    """Whether some chunk was acknowledged."""
    return any(table[6] != "-" for table in read_tables(state_file))


def wait_for_chunks(state_file, process):
    """Until some chunk was acknowledged, of a job that cannot end before we look."""

    def begun():
        if has_sent(state_file):
            return True
        equal(process.poll(), None, "it ended before a chunk was acknowledged")
        return False

    wait_for("a chunk to be acknowledged", begun)


def run_tests(namespace, *options, **more):
    """As harness.main, with one cluster for all tests: test_*(cluster, folder)."""
    failed = 0
    cluster = None
    clean_up_when_told_to_end()
    tests = [(name, test) for name, test in namespace.items() if name.startswith("test_") and callable(test)]
    try:
        cluster = Cluster(*options, **more)
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
