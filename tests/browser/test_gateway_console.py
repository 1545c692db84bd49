#!/usr/bin/env python3
"""The console that gateways serve (`[console] listen`), of a cluster that has users."""

import json
import pathlib
import re
import sys
import tempfile
import urllib.error
import urllib.request

from browser import ROOT, Browser, find_browser

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from cluster import PATIENCE_SECONDS, check, equal, run_tests, wait_for  # noqa: E402
from harness import free_ports, tamiz, write  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="tamiz-console-"))
LISTEN = free_ports(2)[0]


def add_user(name, role):
    done = tamiz("user", "add", name, "--role", role, "--file", FOLDER / "cluster.ini")
    equal(done.status, 0, done.err)
    return done.out.strip()


def address(gateway):
    return f"http://127.0.0.1:{LISTEN + gateway}/"


def ask(path, gateway=0, **headers):
    """Status and bytes of an answer; None when there is none."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address(gateway) + path, headers=headers), timeout=PATIENCE_SECONDS
        ) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return None


def test_whoever_has_no_token_gets_nothing(cluster, folder):
    for gateway in (0, 1):
        wait_for("the page", lambda gateway=gateway: ask("", gateway))
        status, page = ask("", gateway)
        equal(status, 200)
        check(b"console.js" in page, page)
        for path in ("api/session", "api/tables", "api/live", "api/questions/1/rows"):
            equal(ask(path, gateway), (401, b'{"error":"who are you?"}'), path)
    # A name that somebody's name server gives to this machine.
    equal(ask("", Host=f"evil.example:{LISTEN}")[0], 421)


def test_users_see_what_is_theirs(cluster, folder):
    find_browser()
    write(folder / "t.csv", "n\n1\n2\n")
    sent = cluster.submit("--sql", "SELECT sum(n) FROM t", "--data", folder, "--token", EVA)
    equal(sent.returncode, 0, sent.stderr)
    listed = cluster.tamiz("jobs", "--json", "--server", cluster.server, "--token", EVA)
    job = json.loads(listed.stdout)["jobs"][0]["id"]
    Browser(address(1)).goes_through("asks_who", EVA, IAN, job)


def test_it_ends_and_comes_back_with_its_gateway(cluster, folder):
    def console():
        return [pid for pid, words in cluster.processes().items() if re.match("console", words)]

    equal(len(console()), 2)
    killed = {"gateway-0": cluster.kill("gateway-0")}
    cluster.wait_replaced(killed)
    wait_for("its page", lambda: ask(""))
    wait_for("no third one", lambda: len(console()) == 2)


if __name__ == "__main__":
    (FOLDER / "cluster.ini").write_text("[gateway]\nusers = users\n")
    EVA, IAN = add_user("eva", "submit"), add_user("ian", "submit")
    write(FOLDER / "data" / "open.csv", "n\n1\n2\n3\n")
    run_tests(
        globals(),
        config={
            "gateway": {"users": FOLDER / "users"},
            "console": {"listen": f"127.0.0.1:{LISTEN}", "data": FOLDER / "data"},
        },
    )
