"""A cluster on several hosts, each of them a network namespace: to cut their network in every way.

A switch (a bridge in a namespace of its own) joins hosts with an address each. Nothing of it can be seen from
the machine's own network, and the other way round. One host has a real RabbitMQ, one each node, two are
for clients, and one is spare. All nodes share one cluster file, whose watchers start nodes by a command:
a script that ends the old process, by its place (STATE/run/NODE), and starts the next one in the node's
namespace. So the watchers also start the cluster: they find nobody there.

A guard, a process of its own, removes the namespaces and ends what runs in them as soon as the test is gone,
however it ended.
"""

import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from cluster import (
    ANSWER_SECONDS_MAX,
    PATIENCE_SECONDS,
    TAMIZ,
    Cluster,
    Skip,
    check,
    clean_up_when_told_to_end,
    embedded,
    equal,
    generate,
    rabbitmq_is_missing,
    wait_for,
)

NETWORK = "10.213.7"
AMQP_PORT = 5672
PORT = 7070  # of everyone who listens: each has a host of its own
HEALTH_PORT = 7200
PEERS_PORT = 7600
PASSWORD = "hosts"
NODES = [
    "reducer-0",
    "reducer-1",
    "collector",
    "filter-0",
    "gateway-0",
    "gateway-1",
    "proxy-0",
    "watcher-0",
    "watcher-1",
    "watcher-2",
]
WATCHERS = [name for name in NODES if name.startswith("watcher")]
HOSTS = ["broker", "client", "client-too", "spare", *NODES]
# Watchers' patience with a node: a node that is well answers sooner, on a busy machine too.
NODE_PATIENCE_MS = 3000
CLONE_NEWNET = 0x40000000
NETNS_FOLDER = pathlib.Path("/run/netns")

libc = ctypes.CDLL(None, use_errno=True)


def start_ticks(pid):
    """Field 22 of /proc/PID/stat: with its number it names a process. None: there is none."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def processes_in(namespaces):
    """The processes in some namespaces, as (pid, path of the namespace)."""
    known = {}
    for path in namespaces:
        with contextlib.suppress(OSError):
            known[os.stat(path).st_ino] = path
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with contextlib.suppress(OSError):
            inode = os.stat(f"/proc/{entry}/ns/net").st_ino
            if inode in known:
                found.append((int(entry), known[inode]))
    return found


def remove_namespaces(prefix):
    """Ends what runs in the namespaces of a run, by process number, and removes them."""
    paths = list(NETNS_FOLDER.glob(f"{prefix}-*"))
    for _ in range(100):
        left = processes_in(paths)
        for pid, _ in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            break
        time.sleep(0.05)
    for path in paths:
        subprocess.run(["ip", "netns", "del", path.name], stderr=subprocess.DEVNULL, check=False)


def guard(prefix, folder):
    """Waits for the end of the test, then cleans up after it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while sys.stdin.buffer.read(1):
        pass
    remove_namespaces(prefix)
    shutil.rmtree(folder, ignore_errors=True)


def ip_batch(lines, *options):
    done = subprocess.run(
        ["ip", *options, "-batch", "-"],
        input="".join(f"{line}\n" for line in lines).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        raise Skip(f"no network of namespaces here: ip: {done.stdout.decode().strip()[:200]}")


class Network:
    """Hosts on one switch. Links can be cut pair by pair, hosts unplugged, packets lost."""

    RULES = """
    table ip hosts {
        set away { type ipv4_addr; }
        chain lossy { }
        chain input {
            type filter hook input priority 0;
            ip saddr @away drop
            iifname "eth0" jump lossy
        }
    }
    """

    def __init__(self, prefix, names):
        self.prefix = prefix
        self.names = names
        self.cuts = set()
        ip_batch([f"netns add {prefix}-{name}" for name in ["switch", *names]])
        self.ip("switch", ["link add bridge type bridge", "link set bridge up"])
        for name in names:
            port = f"port{names.index(name)}"
            self.ip(
                "switch",
                [
                    f"link add {port} type veth peer name eth0 netns {prefix}-{name}",
                    f"link set {port} master bridge up",
                ],
            )
            self.ip(name, [f"addr add {self.address(name)}/24 dev eth0", "link set eth0 up", "link set lo up"])
            self.nft(name, self.RULES, Skip)

    def address(self, name):
        return f"{NETWORK}.{self.names.index(name) + 1}"

    def ip(self, name, lines):
        ip_batch(lines, "-n", f"{self.prefix}-{name}")

    def command(self, name, *words):
        return ["ip", "netns", "exec", f"{self.prefix}-{name}", *map(str, words)]

    def run(self, name, *words):
        done = subprocess.run(
            self.command(name, *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return done.returncode, done.stdout.decode()

    def nft(self, name, text, problem=AssertionError):
        done = subprocess.run(
            self.command(name, "nft", "-f", "-"),
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode != 0:
            raise problem(f"nft: {done.stdout.decode().strip()[:300]}")

    def cut(self, one, other):
        """Nothing that one sends reaches the other. Not even a word of refusal comes back."""
        for here, there in ((one, other), (other, one)):
            self.nft(here, f"add element ip hosts away {{ {self.address(there)} }}")
        self.cuts.add((one, other))

    def heal(self, one, other):
        if (one, other) not in self.cuts:
            return
        for here, there in ((one, other), (other, one)):
            self.nft(here, f"delete element ip hosts away {{ {self.address(there)} }}")
        self.cuts.remove((one, other))

    def heal_all(self):
        for pair in list(self.cuts):
            self.heal(*pair)

    def unplug(self, name):
        self.ip("switch", [f"link set port{self.names.index(name)} down"])

    def plug(self, name):
        self.ip("switch", [f"link set port{self.names.index(name)} up"])

    def worsen(self, names):
        """Loses and slows down what these hosts send or get. Says by what means."""
        status, _ = self.run(names[0], "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "loss", "5%", "delay", "20ms")
        if status == 0:
            for name in names[1:]:
                self.run(name, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "loss", "5%", "delay", "20ms")
            return "netem: 5 % loss, 20 ms delay"
        slow = True
        for name in names:
            self.nft(name, "add rule ip hosts lossy numgen random mod 100 < 5 drop")
            words = "tc qdisc add dev eth0 root tbf rate 20mbit burst 16kb latency 200ms".split()
            slow = self.run(name, *words)[0] == 0 and slow
        return "no netem in this kernel: nft loses 5 %" + (", tbf lets 20 Mbit/s through" if slow else "")

    def mend(self, names):
        for name in names:
            self.run(name, "tc", "qdisc", "del", "dev", "eth0", "root")
            self.nft(name, "flush chain ip hosts lossy")

    def socket(self, name):
        """A socket of that host."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(NETNS_FOLDER / f"{self.prefix}-{name}", os.O_RDONLY)
        try:
            if libc.setns(there, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                return socket.socket()
            finally:
                if libc.setns(home, CLONE_NEWNET):
                    os._exit(1)  # in the wrong network nothing may go on
        finally:
            os.close(home)
            os.close(there)

    def connect(self, name, host, port, seconds=ANSWER_SECONDS_MAX):
        one = self.socket(name)
        one.settimeout(seconds)
        try:
            one.connect((self.address(host), port))
        except OSError:
            one.close()
            raise
        return one


class Hosts:
    """The cluster on its hosts."""

    def __init__(self):
        if os.geteuid() != 0:
            raise Skip("only root may make network namespaces")
        for program, package in (("ip", "iproute2"), ("nft", "nftables"), ("tc", "iproute2")):
            if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
                raise Skip(f"no {program} here: install {package}")
        if rabbitmq_is_missing():
            raise Skip("no RabbitMQ on this machine: make deps installs it")
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        self.prefix = f"tamiz{os.getpid()}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tamiz-hosts-"))
        self.state = self.folder / "state"
        self.logs = self.folder / "log"
        self.file = self.folder / "cluster.ini"
        self.guard = subprocess.Popen(
            [sys.executable, __file__, self.prefix, str(self.folder)], stdin=subprocess.PIPE, start_new_session=True
        )
        try:
            self.network = Network(self.prefix, HOSTS)
            self.logs.mkdir()
            (self.folder / "unreachable").mkdir()
            self.write_script()
            self.write_file(self.file, self.state)
            self.start_broker()
            self.data = generate("coffee", self.folder / "coffee", "2M")
            self.want = embedded("run", "coffee", "--data", self.data, "-f", "csv").stdout
            self.wait_broker()
            for name in WATCHERS:
                self.restart(name)
            self.wait_green()
        except BaseException as problem:
            told = self.tell_logs() if isinstance(problem, AssertionError) else ""
            self.close()
            if told:
                raise AssertionError(f"{problem}\n{told}") from None
            raise

    def close(self):
        self.guard.stdin.close()
        self.guard.wait()

    # --- what it is made of

    def write_file(self, path, state, moved=None):
        """The cluster file; `moved`: nodes that live on another host, as {node: host}."""
        at = lambda name, port: f"{self.network.address((moved or {}).get(name, name))}:{port}"  # noqa: E731
        lines = [
            "[cluster]\nname = hosts",
            f"state = {state}",
            f"[broker]\nurl = amqp://tamiz:{PASSWORD}@{self.network.address('broker')}:{AMQP_PORT}/",
            "heartbeat = 1s",
        ]
        for role in ("gateway", "proxy", "reducer", "filter", "watcher"):
            names = [name for name in NODES if name.startswith(role)]
            lines += [f"[{role}]\nreplicas = {len(names)}"]
            port = {"gateway": PORT, "proxy": PORT, "watcher": PEERS_PORT}.get(role)
            # A line has its limit: the lists go on in further ones.
            lines += [f"hosts = {at(name, port)}" for name in names if port]
            lines += [f"health_hosts = {at(name, HEALTH_PORT)}" for name in names]
            lines += [f"patience = {NODE_PATIENCE_MS}ms"] if role == "proxy" else []
        lines += [
            f"driver = command\ncommand = {self.folder}/restart {{node}}",
            f"heartbeat = 100ms\nleader_patience = 2s\ncheck = 100ms\npatience = {NODE_PATIENCE_MS}ms",
            "start_patience = 60s\nrestarts = 100\npause_max = 1s\ncommand_timeout = 60s",
            f"[collector]\nhealth = {at('collector', HEALTH_PORT)}",
        ]
        path.write_text("\n".join(lines) + "\n")

    def write_script(self):
        script = self.folder / "restart"
        script.write_text(
            f"""#!/bin/sh
# usage: restart NODE: what an operator's command does over ssh.
node=$1
role=${{node%-*}} index=${{node##*-}}
[ "$role" != "$node" ] || index=0
caller=$(ip netns identify $$)
for name in $node from-${{caller#{self.prefix}-}}; do
	[ ! -e {self.folder}/unreachable/$name ] || {{ echo "$node: no route to host" >&2; exit 1; }}
done
if [ -e {self.state}/run/$node ] && read -r pid ticks <{self.state}/run/$node; then
	now=$(sed 's/.*) //' /proc/$pid/stat 2>/dev/null | cut -d' ' -f20)
	[ "$now" != "$ticks" ] || kill -9 $pid
fi
set -- --file {self.file} --replace
[ $role = collector ] || set -- "$@" --index $index
setsid ip netns exec {self.prefix}-$node {TAMIZ} $role "$@" </dev/null >>{self.logs}/$node.log 2>&1 &
"""
        )
        script.chmod(0o755)

    def start_broker(self):
        folder = self.folder / "broker"
        for name in ("home", "data", "log"):
            (folder / name).mkdir(parents=True)
        cookie = folder / "home" / ".erlang.cookie"
        cookie.write_text("hosts")
        cookie.chmod(0o400)
        (folder / "rabbitmq.conf").write_text(
            f"default_user = tamiz\ndefault_pass = {PASSWORD}\nloopback_users = none\n"
            "log.console = false\nlog.file.level = warning\nraft.wal_max_size_bytes = 134217728\n"
        )
        (folder / "advanced.config").write_text("[].\n")
        (folder / "plugins").write_text("[].\n")
        env = {
            "PATH": os.environ["PATH"] + ":/usr/lib/rabbitmq/bin",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "HOME": f"{folder}/home",
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": "4369",
            "RABBITMQ_NODENAME": "tamiz@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": self.network.address("broker"),
            "RABBITMQ_NODE_PORT": str(AMQP_PORT),
            "RABBITMQ_DIST_PORT": "25672",
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_CONFIG_FILES": f"{folder}/none",
            "RABBITMQ_ADVANCED_CONFIG_FILE": f"{folder}/advanced.config",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_ALLOW_INPUT": "true",
            "RABBITMQ_SERVER_START_ARGS": "-noinput",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} "
            "+sbwt none +sbwtdcpu none +sbwtdio none",
        }
        program = "/usr/lib/rabbitmq/bin/rabbitmq-server"
        if not os.access(program, os.X_OK):
            program = shutil.which("rabbitmq-server")
        with open(folder / "log" / "startup.log", "wb") as log:
            self.broker = subprocess.Popen(
                self.network.command("broker", program),
                env=env,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def broker_speaks(self):
        if self.broker.poll() is not None:
            raise AssertionError((self.folder / "broker/log/startup.log").read_text()[-2000:])
        try:
            with self.network.connect("client", "broker", AMQP_PORT) as one:
                one.sendall(b"AMQP\0\0\x09\x01")
                return one.recv(1) == b"\x01"
        except OSError:
            return False

    def wait_broker(self):
        wait_for("the broker", self.broker_speaks)

    # --- nodes

    def restart(self, name):
        """What the watchers' command does."""
        subprocess.run([str(self.folder / "restart"), name], check=True)

    @contextlib.contextmanager
    def unreachable(self, *names):
        """The command does not get through to these hosts, or from a watcher's: "from-watcher-0"."""
        for name in names:
            (self.folder / "unreachable" / name).touch()
        try:
            yield
        finally:
            for name in names:
                (self.folder / "unreachable" / name).unlink(missing_ok=True)

    def place(self, name):
        """The process that has the node's place; None: there is none."""
        try:
            pid, ticks = map(int, (self.state / "run" / name).read_text().split())
        except (OSError, ValueError):
            return None
        return pid if start_ticks(pid) == ticks else None

    def signal(self, name, number):
        pid = self.place(name)
        check(pid, f"{name} does not run")
        os.kill(pid, number)
        return pid

    def processes(self):
        """{node: [pid, ...]}: all processes of this program on the nodes' hosts."""
        found = {name: [] for name in NODES}
        for pid, path in processes_in(NETNS_FOLDER / f"{self.prefix}-{name}" for name in NODES):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if words[0].decode() == TAMIZ and start_ticks(pid):
                    found[path.name[len(self.prefix) + 1 :]].append(pid)
        return found

    def someone_is_being_started(self):
        """A command that starts a node is under way, or has not become that node yet."""
        signs = [f"{self.folder}/restart".encode(), f"exec\0{self.prefix}-".encode()]
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if entry.isdigit() and any(sign in pathlib.Path(f"/proc/{entry}/cmdline").read_bytes() for sign in signs):
                    return True
        return False

    def end_watchers(self):
        """Kills all watchers, while the commands of none of them get through."""
        # One that was called before still does its work: it may bring one that we would miss.
        wait_for("nobody who is being started", lambda: not self.someone_is_being_started())
        # All stand still before one ends: none misses another.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for name in WATCHERS:
                for pid in self.processes()[name]:
                    os.kill(pid, number)
        wait_for("no watcher", lambda: not any(self.processes()[name] for name in WATCHERS))

    def check_single(self):
        """Every node runs, and once."""
        found = {}

        def settled():
            found.update(self.processes())
            return all(len(pids) == 1 and pids[0] == self.place(name) for name, pids in found.items())

        wait_for(lambda: f"one process per node: {found}", settled)

    def ask(self, name, path):
        """What a node says of itself, asked from its own host; None: nothing."""
        try:
            connection = http.client.HTTPConnection(self.network.address(name), HEALTH_PORT)
            connection.sock = self.network.connect(name, name, HEALTH_PORT)
            connection.request("GET", path)
            answer = connection.getresponse()
            return json.loads(answer.read()) if answer.status in (200, 503) else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def reports(self, watchers=WATCHERS):
        return {name: self.ask(name, "/status") for name in watchers}

    def leaders(self, watchers=WATCHERS):
        return [name for name, report in self.reports(watchers).items() if report and report["leads"]]

    def leader(self, watchers=WATCHERS):
        """Who leads, once these watchers agree."""

        def agreed():
            reports = self.reports(watchers)
            if not all(reports.values()):
                return None
            leads = [name for name, report in reports.items() if report["leads"]]
            heard = {report["leader"] for report in reports.values()}
            return leads[0] if len(leads) == 1 and heard == {int(leads[0][-1])} else None

        return wait_for(lambda: f"one leader: {self.reports(watchers)}", agreed)

    def node(self, name, watcher=None):
        """What the leader says of a node; {} when nobody leads."""
        report = self.ask(watcher, "/status") if watcher else None
        for one in [report] if watcher else self.reports().values():
            if one and one["leads"]:
                return next((node for node in one["nodes"] if node["name"] == name), {})
        return {}

    def colours(self):
        for report in self.reports().values():
            if report and report["leads"]:
                return {node["name"]: (node["state"], node["detail"]) for node in report["nodes"]}
        return {}

    def wait_green(self):
        """One leader, for which all nodes are green, and they say themselves that they are ready."""
        self.leader()
        wait_for(
            lambda: f"all green: {self.colours()}",
            lambda: {name for name, (state, _) in self.colours().items() if state == "green"} == set(NODES),
        )
        for name in NODES:
            wait_for(
                lambda name=name: f"{name} ready: {self.ask(name, '/ready')}",
                lambda name=name: (self.ask(name, "/ready") or {}).get("ready"),
            )

    def log(self, name):
        path = self.logs / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def tell_logs(self):
        return "".join(f"{name}:\n{self.log(name)[-1500:]}\n" for name in NODES)

    # --- jobs

    def servers(self, *names):
        return ",".join(f"{self.network.address(name)}:{PORT}" for name in names)

    def submit(self, *args, client="client", server=("proxy-0",)):
        """A job in the background, from the host of a client."""
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        process = subprocess.Popen(
            self.network.command(client, TAMIZ, "submit", "--server", self.servers(*server), *args),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=dict(os.environ, XDG_STATE_HOME=str(self.folder / "xdg"), HOME=str(self.folder)),
        )
        process.files = out, err
        return process

    @staticmethod
    def finish(process, want):
        status, out, err = Cluster.finish(process, PATIENCE_SECONDS)
        equal(status, 0, err)
        check(out == want, f"{out[:300]!r} and not {want[:300]!r}")


def run_tests(namespace, wanted, slow):
    """As harness.main, with one cluster for all: test_*(hosts, folder). `wanted`: names, or --all."""
    failed = 0
    hosts = None
    if wanted == ["--all"]:
        wanted, slow = [], []
    tests = [
        (name, test)
        for name, test in namespace.items()
        if name.startswith("test_") and callable(test) and (name in wanted if wanted else name not in slow)
    ]
    clean_up_when_told_to_end()
    try:
        hosts = Hosts()
    except Skip as reason:
        for name, _ in tests:
            print(f"skip {name} {reason}")
        sys.exit(0)
    try:
        for name, test in tests:
            folder = hosts.folder / name
            folder.mkdir()
            began = time.monotonic()
            try:
                test(hosts, folder)
                print(f"# {time.monotonic() - began:.1f} s\nok {name}", flush=True)
            except Skip as reason:
                print(f"skip {name} {reason}", flush=True)
            except Exception as problem:  # a test that breaks is a test that fails
                failed = 1
                print(f"# {type(problem).__name__}: {str(problem)[:3000]}")
                for line in hosts.tell_logs().splitlines():
                    print(f"# {line}")
                print(f"not ok {name}", flush=True)
                hosts.network.heal_all()
                for name in list((hosts.folder / "unreachable").iterdir()):
                    name.unlink()
    finally:
        hosts.close()
    sys.exit(failed)


if __name__ == "__main__":
    guard(sys.argv[1], sys.argv[2])
