"""What the oracles of movies and books share.

Their CSV files hold Python literals, so Python reads them: csv for the records, ast.literal_eval for
the lists. DuckDB gets the rows as JSON and answers the questions in its own SQL."""

import ast
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
TAMIZ = ROOT / os.environ.get("BUILD", "build") / "tamiz"
PEERS = (ROOT / os.environ.get("PEERS", "build/duckdb")).resolve()
REAL = ROOT.parent / "shared" / "data"
WAYS = [["--threads", "1"], ["--threads", "4", "--chunk-size", "4K"]]
DIFFERENCES_MAX = 10

csv.field_size_limit(1 << 30)
failed = False


def result(name, problems):
    global failed
    failed = failed or bool(problems)
    print(("not ok " if problems else "ok ") + name, flush=True)
    for line in problems[:DIFFERENCES_MAX]:
        print(f"# {line}")


def duckdb_missing():
    """Why DuckDB cannot be asked, or None."""
    if not shutil.which("node"):
        return "no node to run DuckDB with"
    if not (PEERS / "node_modules" / "@duckdb" / "node-api").exists():
        return "no DuckDB in build/duckdb: make test puts it there"
    return None


def tamiz(*args):
    """What a run of tamiz printed on stdout; raises when it fails."""
    done = subprocess.run([TAMIZ, *map(str, args)], capture_output=True, text=True,
                          encoding="utf-8", errors="surrogateescape")
    if done.returncode:
        raise RuntimeError(f"tamiz ended with {done.returncode}: {done.stderr}")
    return done.stdout


def records(path):
    """The good records of a CSV file, as dictionaries; those with a wrong number of fields and one
    that the end of the file cut short are left out, and counted under None at the end."""
    text = pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    bad = 0
    # csv closes an open quote at the end of the input by itself: find out if it had to.
    cut = text.count('"') % 2 == 1
    rows = list(csv.reader(text.splitlines(keepends=True)))
    header = rows[0]
    if cut:
        rows.pop()
        bad += 1
    for row in rows[1:]:
        if len(row) == len(header):
            yield dict(zip(header, row))
        elif row:
            bad += 1
    yield {None: bad}


def strings(text):
    """The items of a Python list of strings; None when it is none."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return [str(item) for item in value] if isinstance(value, list) else None


def pluck(text, key):
    """That key of every dictionary in a Python list; None when it is no list."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(value, list):
        return None
    return [item[key] for item in value if isinstance(item, dict) and key in item]


def write_json(path, rows):
    """One object per line. Bytes that are not UTF-8 cannot be in JSON: their rows do not occur."""
    with open(path, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=True) + "\n")


def duckdb(work, statements):
    path = work / "statements.sql"
    path.write_text("\n---\n".join(statements), encoding="utf-8")
    done = subprocess.run(["node", ROOT / "tests" / "oracle" / "lib" / "duckdb.mjs", path],
                          capture_output=True, text=True, env={**os.environ, "PEERS": str(PEERS)})
    if done.returncode:
        raise RuntimeError(f"duckdb: {done.stderr}")


def value(text):
    """A list, a number or the text."""
    if text.startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    try:
        return float(text)
    except ValueError:
        return text


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def differences(expected, got):
    """Of two results in CSV, rows in order."""
    tables = []
    for path in (expected, got):
        with open(path, encoding="utf-8", newline="") as lines:
            tables.append([[value(field) for field in row] for row in csv.reader(lines)])
    want, have = tables
    lines = [] if len(want) == len(have) else [f"{len(have) - 1} rows instead of {len(want) - 1}"]
    for number, (a, b) in enumerate(zip(want, have)):
        if len(a) != len(b) or not all(map(same, a, b)):
            lines.append(f"row {number}: {b} instead of {a}")
    return lines


def check_pack(pack, prefix, data, work, oracle):
    """`oracle(data, work, out)` writes DuckDB's answers into the folder `out`."""
    work.mkdir(parents=True)
    got, want = work / "tamiz", work / "duckdb"
    want.mkdir()
    try:
        tamiz("run", pack, "--data", data, "--output", got, "--quiet")
        queries = sorted(path.stem for path in got.glob("*.csv"))
        oracle(data, work, want)
    except RuntimeError as error:
        result(prefix, str(error).splitlines())
        return
    for query in queries:
        result(f"{prefix}_{query}", differences(want / f"{query}.csv", got / f"{query}.csv"))
    for number, way in enumerate(WAYS, 1):
        other = work / f"way{number}"
        tamiz("run", pack, "--data", data, "--output", other, "--quiet", *way)
        result(f"{prefix}_way{number}",
               [f"{query}: not the same bytes" for query in queries
                if (got / f"{query}.csv").read_bytes() != (other / f"{query}.csv").read_bytes()])


def not_trivial(prefix, folder, least):
    """Generated data must give every query something to get wrong: at least so many rows."""
    for query, rows in least.items():
        with open(folder / f"{query}.csv", encoding="utf-8", newline="") as lines:
            count = sum(1 for _ in csv.reader(lines)) - 1
        result(f"{prefix}_not_trivial_{query}",
               [] if count >= rows else [f"{count} rows, expected {rows} or more"])


def finish():
    sys.exit(failed)
