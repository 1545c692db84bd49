"""`tamiz deploy`: files for platforms, what they keep to their owner, units that systemd likes; signs of life for it."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess

from harness import ROOT, TAMIZ, USAGE, Skip, check, equal, fails, free_ports, main, tamiz, wait_for, write

NODES = ["collector"] + [
    f"{role}-{i}" for role, count in (("gateway", 3), ("reducer", 7), ("filter", 2), ("proxy", 2), ("watcher", 3)) for i in range(count)
]
FILE = """
[cluster]
name = big
job_ttl = 2h ; kept
[broker]
url = amqp://somebody:elses@broker.example/
queues = quorum
[gateway]
replicas = 3
token = hush-hush
listen = 10.0.0.1:9000
[reducer]
replicas = 7
cache = 32M
[filter]
replicas = 2
[proxy]
replicas = 2
[watcher]
secret = between-us
"""
PASSWORDS = {name: "x" for name in ("TAMIZ_BROKER_PASSWORD", "TAMIZ_WATCHER_SECRET", "TAMIZ_CLUSTER_KEY", "TAMIZ_TOKEN", "TAMIZ_BROKER_URL")}
PASSWORDS["TAMIZ_BROKER_URL"] = "amqp://h/"


def yaml():
    try:
        import yaml as found
    except ImportError:
        raise Skip("no python3-yaml on this machine") from None
    return found


def deploy(folder, kind, *more, text=FILE):
    file = write(folder / "given.ini", text)
    done = tamiz("deploy", kind, "--file", file, "--out", folder / kind, *more)
    equal(done.status, 0, done.err)
    for secret in ("elses", "hush-hush", "between-us"):
        for path in (folder / kind).rglob("*"):
            if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o004:
                check(secret not in path.read_text(), f"{secret} can be read by everyone in {path}")
    return folder / kind


def has_nodes(file, nodes, absent=()):
    """The cluster file is right, and these are its nodes: --check gets as far as asking them."""
    environment = {**os.environ, **PASSWORDS}
    for node in (*nodes, *absent):
        done = tamiz("node", node, "--check", "--file", file, env=environment)
        check(done.status != 0, "nobody is there")
        equal("has no node" in done.err, node in absent, f"{node}: {done.err}")


def test_compose(folder):
    out = deploy(folder, "compose")
    found = yaml().safe_load((out / "compose.yaml").read_text())
    equal(set(found), {"x-node", "services", "networks", "volumes"})
    services = found["services"]
    equal(sorted(services), sorted([*NODES, "rabbitmq-0", "rabbitmq-1", "rabbitmq-2"]))
    for name in NODES:
        service = services[name]
        equal(service["command"], ["node", name, "--file", "/etc/tamiz/cluster.ini"])
        check(service["read_only"] and service["cap_drop"] == ["ALL"] and re.fullmatch(r"[1-9]\d*:\d+", service["user"]), service)
        equal(set(service["depends_on"]), {"rabbitmq-0", "rabbitmq-1", "rabbitmq-2"})
        equal(service["healthcheck"]["test"][:5], ["CMD", "/usr/bin/tamiz", "node", name, "--check"])
    for service in services.values():
        check(service["restart"] == "always" and service["hostname"] and service["networks"] == ["cluster"], service)
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            check((out / source).exists() if source.startswith("./") else source in found["volumes"], volume)
    ports = [service["ports"] for service in services.values() if "ports" in service]
    equal(sorted(ports), [["7070:7070"], ["7071:7070"]])
    # What the file leaves open is in .env, and nothing else is.
    asked = set(re.findall(r"\$\{(\w+):\?\}", (out / "compose.yaml").read_text()))
    known = dict(line.split("=", 1) for line in (out / ".env").read_text().splitlines())
    equal(known.pop("COMPOSE_PROJECT_NAME"), "big")
    equal(asked, set(known))
    equal(known["TAMIZ_TOKEN"], "hush-hush")
    equal(stat.S_IMODE((out / ".env").stat().st_mode), 0o600)
    cluster = (out / "etc" / "cluster.ini").read_text()
    check("job_ttl = 2h" in cluster and "cache = 32M" in cluster and "10.0.0.1" not in cluster, cluster)
    (out / "hosts").write_text(cluster)
    has_nodes(out / "etc" / "cluster.ini", NODES, ["reducer-7", "gateway-3"])
    # Again: the same secrets, or the volumes would have others.
    deploy(folder, "compose")
    again = dict(line.split("=", 1) for line in (out / ".env").read_text().splitlines())
    again.pop("COMPOSE_PROJECT_NAME")
    equal(again, known)
    check(len(known["TAMIZ_BROKER_PASSWORD"]) >= 32, "it can be guessed")


def pod_of(document):
    return document["spec"]["template"]["spec"]


def test_kubernetes(folder):
    out = deploy(folder, "k8s")
    documents = [found for found in yaml().safe_load_all((out / "cluster.yaml").read_text()) if found]
    kinds = {(found["kind"], found["metadata"]["name"]): found for found in documents}
    equal(len(kinds), len(documents), "two of one name")
    for role, count in (("gateway", 3), ("reducer", 7), ("collector", 1), ("filter", 2), ("watcher", 3), ("rabbitmq", 3)):
        spec = kinds["StatefulSet", role]["spec"]
        equal((spec["replicas"], spec["serviceName"]), (count, role))
        equal(kinds["Service", role]["spec"]["clusterIP"], "None")
        keeps = role in ("gateway", "reducer", "collector", "rabbitmq")
        equal("volumeClaimTemplates" in spec, keeps)
        equal(("PodDisruptionBudget", role) in kinds, count > 1)
    equal(kinds["Deployment", "proxy"]["spec"]["replicas"], 2)
    equal(stat.S_IMODE((out / "secret.yaml").stat().st_mode), 0o600)
    secret = yaml().safe_load((out / "secret.yaml").read_text())
    equal(secret["stringData"]["TAMIZ_TOKEN"], "hush-hush")
    for (kind, name), found in kinds.items():
        if kind not in ("StatefulSet", "Deployment"):
            continue
        selector, labels = found["spec"]["selector"]["matchLabels"], found["spec"]["template"]["metadata"]["labels"]
        check(selector.items() <= labels.items(), f"{name} selects other pods")
        equal(kinds["Service", name]["spec"]["selector"], selector)
        pod = pod_of(found)
        check(pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"], name)
        (container,) = pod["containers"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        volumes |= {claim["metadata"]["name"] for claim in found["spec"].get("volumeClaimTemplates", [])}
        equal({mount["name"] for mount in container["volumeMounts"]}, volumes, name)
        equal(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
        check("readinessProbe" in container, name)
        if name != "rabbitmq":
            check(container["securityContext"]["readOnlyRootFilesystem"] and "livenessProbe" in container, name)
            equal(container["args"][1], {"collector": "collector", "proxy": "proxy-0"}.get(name, "$(POD_NAME)"))
    file = write(folder / "kept.ini", kinds["ConfigMap", "tamiz"]["data"]["cluster.ini"])
    has_nodes(file, [node for node in NODES if node != "proxy-1"], ["proxy-1", "reducer-7"])


def test_compose_likes_its_file(folder):
    """Docker Compose, which needs no Docker for that, or the older docker-compose."""
    for program in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(program[0]) and subprocess.run([*program, "version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            break
    else:
        raise Skip("no Docker Compose on this machine")
    out = deploy(folder, "compose")

    def config():
        return subprocess.run([*program, "config"], cwd=out, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    done = config()
    equal(done.returncode, 0, done.stdout.decode())
    services = yaml().safe_load(done.stdout)["services"]
    equal(len(services), len(NODES) + 3)
    equal(services["reducer-6"]["environment"]["TAMIZ_TOKEN"], "hush-hush")
    text = (out / "compose.yaml").read_text()
    (out / "compose.yaml").write_text(text.replace("restart: always", "restart: [always]"))
    check(config().returncode != 0, "it likes everything")


def test_kubernetes_likes_its_files(folder):
    """By the schemas that it publishes."""
    packages = ROOT / "build" / "schemas"
    if not shutil.which("node") or not (packages / ".installed").exists():
        raise Skip("bench/install-peers --from tests/schemas build/schemas installs the schemas of Kubernetes")
    out = deploy(folder, "k8s")
    documents = [found for name in ("cluster.yaml", "secret.yaml") for found in yaml().safe_load_all((out / name).read_text()) if found]

    def judged():
        program = ["node", ROOT / "tests" / "schemas" / "check.mjs", packages]
        return subprocess.run(program, input=json.dumps(documents).encode(), stdout=subprocess.PIPE, check=True).stdout.decode()

    equal(judged(), f"{len(documents)} valid\n")
    pods = [found for found in documents if found["kind"] == "StatefulSet"]
    pods[0]["spec"]["replicas"] = "three"
    check("replicas must be integer" in judged(), judged())


def rendered(text, values):
    """As Helm does, as far as these templates go: values, and texts in quotes."""

    def value(found):
        word = found[1].strip()
        if word.startswith('"'):
            return word.strip('"')
        check(word.startswith(".Values."), word)
        got = values
        for name in word.removeprefix(".Values.").split("."):
            got = got[name]
        return got

    return re.sub(r"\{\{(.*?)\}\}(?!\})", value, text)


def test_a_chart_of_helm_gives_the_same(folder):
    """Also where a cluster file has what looks like a template."""
    out = deploy(folder, "k8s", "--image", "registry.example:5000/tamiz:1", text=FILE + "\n; {{ .Values.nothing }}, {{{\n")
    chart = out / "chart"
    about = yaml().safe_load((chart / "Chart.yaml").read_text())
    equal((about["apiVersion"], about["name"]), ("v2", "tamiz"))
    values = yaml().safe_load((chart / "values.yaml").read_text())
    equal((values["image"], values["storage"]), ("registry.example:5000/tamiz:1", "20Gi"))
    equal(stat.S_IMODE((out / "secrets.yaml").stat().st_mode), 0o600)
    check("hush-hush" not in "".join(path.read_text() for path in chart.rglob("*.yaml")), "the chart has secrets")
    values |= yaml().safe_load((out / "secrets.yaml").read_text())
    for name, plain in (("cluster.yaml", "cluster.yaml"), ("secret.yaml", "secret.yaml")):
        text = (chart / "templates" / name).read_text()
        equal(list(yaml().safe_load_all(rendered(text, values))), list(yaml().safe_load_all((out / plain).read_text())))


def test_local(folder):
    port = free_ports(1)[0]
    out = deploy(folder, "local", "--port", port)
    text = (out / "cluster.ini").read_text()
    check(f"listen = 127.0.0.1:{port}\n" in text, text)
    has_nodes(out / "cluster.ini", NODES, ["reducer-7"])


HOSTS = """
[cluster]
state = /srv/tamiz
[broker]
url = amqp://u:${TAMIZ_BROKER_PASSWORD}@mq.example/
[gateway]
hosts = a.example:7071, b.example:7071
health_hosts = a.example:7200, b.example:7200
[proxy]
hosts = a.example:7070
health_hosts = a.example:7500
[reducer]
health_hosts = b.example:7300, c.example:7300
[collector]
health = c.example:7600
[watcher]
hosts = a.example:7650, b.example:7650, c.example:7650
health_hosts = a.example:7700, b.example:7700, c.example:7700
"""


def test_units_of_several_hosts(folder):
    out = deploy(folder, "systemd", text=HOSTS)
    wanted = {
        "a.example": {"gateway-0", "proxy-0", "watcher-0"},
        "b.example": {"gateway-1", "reducer-0", "watcher-1"},
        "c.example": {"reducer-1", "collector", "watcher-2"},
    }
    equal(sorted(path.name for path in out.iterdir()), sorted(wanted))
    for host, nodes in wanted.items():
        target = (out / host / "etc/systemd/system/tamiz.target").read_text()
        equal(set(re.findall(r"tamiz@(\S+)\.service", target)), nodes)
        file = out / host / "etc/tamiz/cluster.ini"
        check("driver = none" in file.read_text() and "state = /var/lib/tamiz" in file.read_text(), "of the platform")
        has_nodes(file, nodes)
        check(not (out / host / "etc/polkit-1").exists(), "nobody restarts units of other hosts")
        subprocess.run(["sh", "-n", out / host / "install.sh"], check=True)


def makes_users_and_folders(out, root):
    """What systemd makes of them on a system of its own."""
    shutil.copytree(out / "etc", root / "etc")
    for program in (["systemd-sysusers"], ["systemd-tmpfiles", "--create"]):
        done = subprocess.run([*program, f"--root={root}", "tamiz.conf"], stderr=subprocess.PIPE, check=False)
        equal(done.returncode, 0, done.stderr.decode())
    name, _, user, group, *_, home, _ = (root / "etc/passwd").read_text().splitlines()[-1].split(":")
    equal((name, home), ("tamiz", "/var/lib/tamiz"))
    for path, mode, owner in (("etc/tamiz", 0o750, 0), ("var/lib/tamiz", 0o700, int(user))):
        info = (root / path).stat()
        equal((stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid), (mode, owner, int(group)), path)


def test_units(folder):
    out = deploy(folder, "systemd") / "10.0.0.1"
    check(not out.exists(), "an address to listen at is no host")
    out = folder / "systemd" / "127.0.0.1"
    unit = out / "etc/systemd/system/tamiz@.service"
    equal(unit.read_text(), (ROOT / "packaging" / "tamiz@.service").read_text())
    check((out / "etc/polkit-1/rules.d/60-tamiz.rules").exists(), "watchers may restart units")
    for kind in ("sysusers", "tmpfiles"):
        equal((out / f"etc/{kind}.d/tamiz.conf").read_text(), (ROOT / "packaging" / f"{kind}.conf").read_text())
    if not shutil.which("systemd-analyze"):
        raise Skip("no systemd-analyze on this machine")
    units = folder / "units"
    units.mkdir()
    # It looks whether the program is there; the user is made by the package.
    text = unit.read_text().replace("/usr/bin/tamiz", TAMIZ)
    write(units / "tamiz@.service", text)
    shutil.copy(out / "etc/systemd/system/tamiz.target", units)
    for checked in ("tamiz@reducer-0.service", "tamiz.target"):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", units / checked], stderr=subprocess.PIPE, check=False)
        ours = [line for line in done.stderr.decode().splitlines() if "tamiz" in line]
        equal(ours, [])
    if os.geteuid() == 0:
        makes_users_and_folders(out, folder / "root")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=25", units / "tamiz@.service"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    equal(done.returncode, 0, done.stdout.decode()[-400:])
    check("OK" in done.stdout.decode().splitlines()[-1], done.stdout.decode()[-400:])


def test_signs_of_life(folder):
    """What a service manager of Type=notify hears of a node: up, alive while its loop turns, ending."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(folder / "notify"))
    ports = free_ports(4)
    text = f"[broker]\nurl = amqp://h/\n[gateway]\nlisten = 127.0.0.1:{ports[0]}\nreplicas = 1\n"
    text += f"[proxy]\nlisten = 127.0.0.1:{ports[1]}\nhealth = 127.0.0.1:{ports[2]}\n[cluster]\nstate = state\n"
    file = write(folder / "cluster.ini", text)
    environment = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "100000"}
    node = subprocess.Popen([TAMIZ, "proxy", "--file", file], env=environment, stderr=subprocess.DEVNULL)
    heard = []

    def hear(what):
        listening.settimeout(60)
        while what not in heard:
            heard.append(listening.recv(1000).decode())

    try:
        hear("READY=1")
        hear("WATCHDOG=1")
        equal(heard[0], "READY=1")
        equal(tamiz("node", "proxy-0", "--check", "--file", file).status, 0)
        os.kill(node.pid, signal.SIGSTOP)
        wait_for("it to stand still", lambda: pathlib.Path(f"/proc/{node.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T")
        listening.setblocking(False)
        try:
            while True:
                listening.recv(1000)
        except BlockingIOError:
            pass
        check(tamiz("node", "proxy-0", "--check", "--file", file).status != 0, "it stands still")
        try:
            check(False, f"it does not turn and says {listening.recv(1000)}")
        except BlockingIOError:
            pass
        os.kill(node.pid, signal.SIGCONT)
        heard.clear()
        hear("WATCHDOG=1")
        node.terminate()
        hear("STOPPING=1")
    finally:
        node.kill()
        node.wait()
        listening.close()


def test_mistakes(folder):
    file = write(folder / "c.ini", FILE)
    fails(USAGE, 'did you mean "compose"?', args=["deploy", "compse", "--file", file])
    fails(USAGE, "tamiz deploy", args=["deploy", "--file", file])
    fails(1, "c2.ini", args=["deploy", "k8s", "--file", folder / "c2.ini"])
    write(folder / "d.ini", "[gateway]\ntoken = two words\n")
    fails(USAGE, "letters, digits", args=["deploy", "k8s", "--file", folder / "d.ini", "--out", folder / "out"])


main(globals())
