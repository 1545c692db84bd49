"""Where the browser is that tests drive, and what drives it."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from harness import Skip, clean_up_when_told_to_end  # noqa: E402, F401

PACKAGES = ROOT / "build" / "browser"
HERE = pathlib.Path(__file__).resolve().parent


def find_browser():
    """The environment in which the scripts of this folder find everything."""
    chromium = shutil.which("chromium")
    if not chromium:
        raise Skip("no Chromium on this machine: make deps installs it")
    if not shutil.which("node") or not (PACKAGES / "node_modules" / "playwright-core").is_dir():
        raise Skip("bench/install-peers --from tests/browser build/browser installs what drives a browser")
    return dict(os.environ, CHROMIUM=chromium, BROWSER_PACKAGES=str(PACKAGES))


def drive(script, *words):
    """Runs a script, whose TAP lines are ours; its exit status."""
    return subprocess.run(["node", HERE / script, *map(str, words)], env=find_browser(), check=False).returncode


class Browser:
    """One that opens the address and goes through a stage of console.mjs."""

    def __init__(self, address):
        self.address = address

    def goes_through(self, stage, *words):
        status = drive("console.mjs", self.address, os.environ.get("PICTURES", ""), stage, *words)
        if status != 0:
            raise AssertionError(f"{stage}: {status}")
