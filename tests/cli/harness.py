"""What the tests of the binary share. A test is a function test_*(folder) with a folder of its own."""

import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
TAMIZ = str(BUILD / "tamiz")
SANITIZED = bool(os.environ.get("SAN"))
# Only what hangs takes so long, on whatever machine and beside whatever else. No test is to fail because
# something was slow.
PATIENCE_SECONDS = 300
# Those of a private broker, and those that systems hand out to clients, are above.
PORT_FIRST, PORT_END, PORTS_A_BLOCK = 10000, 20000, 100

# Exit statuses, as docs/cli.md lists them.
FAILED, USAGE, SQL, EVAL, DATA, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 4, 5, 130, 141


class Skip(Exception):
    """The machine lacks what the test needs."""


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")


def tamiz(*args, cwd=None, stdin=None, env=None, preexec_fn=None):
    done = subprocess.run(
        [TAMIZ, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        cwd=cwd,
        env=env,
        preexec_fn=preexec_fn,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return Result(done)


def answers(*args, **options):
    """Runs what must succeed without a word on stderr; gives what it printed."""
    result = tamiz(*args, **options)
    equal((result.status, result.err), (0, ""))
    return result.out


def fails(status, *parts, args, **options):
    """Runs what must fail with one line on stderr that holds all parts, and nothing on stdout."""
    result = tamiz(*args, **options)
    equal(result.status, status, result.err)
    equal(result.out, "")
    equal(result.err.count("\n"), 1, result.err)
    check(result.err.startswith("tamiz: "), result.err)
    for part in parts:
        check(part in result.err, f"{part!r} is not in {result.err!r}")
    return result.err


def check(condition, message=""):
    if not condition:
        raise AssertionError(message)


def equal(got, expected, message=""):
    check(got == expected, f"got {got!r}, expected {expected!r} {message}")


def wait_for(what, condition, pause=0.01):
    """What `condition` gives, once it is true. `what` is a text, or a function that tells."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE_SECONDS} s for this: {what() if callable(what) else what}")
        time.sleep(pause)
    return found


def cpu_seconds(pid):
    """The processor time that a process has used."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def port_is_free(port):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def reserve_ports():
    """The first of PORTS_A_BLOCK ports in a row that no other test gets as long as this process lives, whether
    or not somebody listens there. A name of a socket says so: the kernel forgets it with the process."""
    blocks = list(range(PORT_FIRST, PORT_END, PORTS_A_BLOCK))
    random.shuffle(blocks)
    for first in blocks:
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0tamiz-test-ports-{first}")
        except OSError:
            name.close()
            continue
        reservations.append(name)
        if all(map(port_is_free, range(first, first + PORTS_A_BLOCK))):
            return first
    raise Skip("no free ports")


reservations = []
ports_left = []


def free_ports(count):
    """Ports that are this process's alone, and that it has not asked for before."""
    if len(ports_left) < count:
        first = reserve_ports()
        ports_left[:] = range(first, first + PORTS_A_BLOCK)
    taken = ports_left[:count]
    del ports_left[:count]
    return taken


def clean_up_when_told_to_end():
    """Whoever ends us by a signal lets us end what we started, also if it tells us twice."""
    numbers = (signal.SIGTERM, signal.SIGHUP)

    def end(*_):
        for number in numbers:
            signal.signal(number, lambda *_: None)
        sys.exit(1)

    for number in numbers:
        signal.signal(number, end)


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def names(folder):
    """Everything below a folder, hidden files too."""
    # os.walk and not rglob: folders may vanish while we look, and that is no error.
    return sorted(
        os.path.relpath(os.path.join(where, name), folder)
        for where, folders, files in os.walk(folder)
        for name in folders + files
    )


def main(namespace):
    failed = 0
    clean_up_when_told_to_end()
    for name, test in list(namespace.items()):
        if not name.startswith("test_") or not callable(test):
            continue
        with tempfile.TemporaryDirectory(prefix="tamiz-cli-") as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {name}", flush=True)
            except Skip as reason:
                print(f"skip {name} {reason}", flush=True)
            except Exception:  # a test that breaks is a test that fails
                failed = 1
                for line in traceback.format_exc(limit=-4).splitlines()[1:]:
                    print(f"# {line}")
                print(f"not ok {name}", flush=True)
    sys.exit(failed)
