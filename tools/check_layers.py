#!/usr/bin/env python3
"""Fails on an #include that the layer table does not allow, on an allowance that nobody uses, and on a
folder in the table that does not exist. docs/ARCHITECTURE.md explains the table."""

import fnmatch
import os
import re
import sys

LAYERS = {
    "base": "",
    "column": "base",
    "input": "base",
    "csv": "base column input",
    "plan": "base column",
    "sql": "base column plan",
    "exec": "base column plan",
    "scan": "base column csv plan exec",
    "local": "base column input csv plan exec scan",
    "gen": "base column",
    "journal": "base",
    "flow": "base column plan exec",
    "transport": "base",
    "wire": "base",
    "net": "base wire",
    "cluster": "base net",
    "watch": "base net cluster",
    "chaos": "base cluster",
    "deploy": "base cluster",
    "role": "base plan sql scan journal flow transport wire cluster",
    "node": "base journal transport wire net cluster role",
    "client": "base column input csv plan local wire net",
    "cli": "*",
}

# Headers of libraries, and what brings them along, that only these files may see.
PG_QUERY_FILES = ["src/sql/parse/parse.c", "src/sql/parse/convert_*.c"]
RABBIT_FILES = ["src/transport/rabbit*.c", "src/transport/rabbit_private.h"]
ONLY_IN = {
    "pg_query.h": PG_QUERY_FILES,
    "pg_query.pb-c.h": PG_QUERY_FILES + ["src/sql/parse/convert_private.h"],
    "convert_private.h": PG_QUERY_FILES,
    "pcre2.h": ["src/exec/func/regex.c"],
    "histedit.h": ["src/cli/shell/console.c"],
    "microhttpd.h": ["src/net/http_server.c"],
    "openssl/err.h": ["src/net/tls.c"],
    "openssl/ssl.h": ["src/net/tls.c"],
    "openssl/x509v3.h": ["src/net/tls.c"],
    "amqp.h": RABBIT_FILES,
    "amqp_tcp_socket.h": RABBIT_FILES,
    "amqp_ssl_socket.h": RABBIT_FILES,
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def check_file(path, folder, problems, used):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        style, target = match.groups()
        name = os.path.basename(target)
        allowed_files = ONLY_IN.get(name, ["*"])
        if not any(fnmatch.fnmatch(path, pattern) for pattern in allowed_files):
            only = " and ".join(allowed_files)
            problems.append(f"{path}:{number}: only {only} may include {target}")
        if style != '"':
            continue
        if "/" not in target:
            problems.append(f'{path}:{number}: write "{folder}/{target}": paths start at src/')
            continue
        layer = target.split("/")[0]
        allowed = LAYERS[folder]
        used.add(layer)
        if layer == folder or allowed == "*" and layer in LAYERS or layer in allowed.split():
            if layer != folder and target.endswith("_private.h"):
                problems.append(f"{path}:{number}: {target} belongs to {layer}/ alone")
            continue
        may = allowed.replace(" ", ", ") or "nothing"
        problems.append(f"{path}:{number}: {folder}/ may not include {target} (it may use: {may})")


def check_allowances(folder, used, problems):
    """What nobody needs is not allowed: the next one who does shall have to think about it."""
    for layer in LAYERS[folder].split():
        if layer != "*" and layer not in LAYERS:
            problems.append(f"tools/check_layers.py: {folder}/ may use {layer}/, which is no layer")
        elif layer != "*" and layer not in used:
            problems.append(f"tools/check_layers.py: {folder}/ may use {layer}/, but does not")


def main():
    problems = []
    for folder in LAYERS:
        if not os.path.isdir(os.path.join("src", folder)):
            problems.append(f"tools/check_layers.py: there is no folder src/{folder}")
    for folder in sorted(os.listdir("src")):
        if not os.path.isdir(os.path.join("src", folder)):
            problems.append(f"src/{folder}: sources live in the folder of a layer")
            continue
        if folder not in LAYERS:
            problems.append(f"src/{folder}: unknown layer; add it to tools/check_layers.py")
            continue
        used = set()
        for room, _, names in sorted(os.walk(os.path.join("src", folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    check_file(f"{room}/{name}", folder, problems, used)
        check_allowances(folder, used, problems)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
