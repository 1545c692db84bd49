"""What the tests of the binary share. A test is a function test_*(folder) with a folder of its own."""

import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
TAMIZ = str(BUILD / "tamiz")
SANITIZED = bool(os.environ.get("SAN"))
SECONDS_MAX = 120

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
        timeout=SECONDS_MAX,
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


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def names(folder):
    """Everything below a folder, hidden files too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def main(namespace):
    failed = 0
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
