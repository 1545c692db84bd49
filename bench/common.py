"""What the benchmarks share: processes that are measured, generated data, the machine, tables."""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / "build" / "bench"
BINARY = (ROOT / os.environ.get("BINARY", "build/tamiz")).resolve()
PEERS = (ROOT / os.environ.get("PEERS", "build/peers")).resolve()
THREADS = os.environ.get("THREADS", str(os.cpu_count()))
PACKAGES = {"duckdb": "@duckdb/node-api", "polars": "nodejs-polars", "chdb": "chdb"}


def say(text):
    print(text, file=sys.stderr, flush=True)


def measure(command, **more):
    report = WORK / "measured"
    environment = {**os.environ, "PEERS": str(PEERS), "THREADS": THREADS, **more}
    subprocess.run([WORK / "measure", report, *map(str, command)], check=True,
                   stdout=subprocess.DEVNULL, env=environment)
    wall, user, system, peak_kb, status = report.read_text().split()
    return {"wall": float(wall), "cpu": float(user) + float(system),
            "peak_mb": int(peak_kb) / 1024, "status": int(status)}


def build_tools():
    (WORK / "out").mkdir(parents=True, exist_ok=True)
    for name in ("floor", "measure"):
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c17", "-D_GNU_SOURCE", "-O3", "-pthread",
                        "-o", WORK / name, HERE / f"{name}.c"], check=True)


def generated(pack, size, quoted=False):
    """The folder of generated data; a mark beside it says that it is complete."""
    folder = WORK / (f"{pack}-{size}" + ("-quoted" if quoted else ""))
    mark = folder.with_name(folder.name + ".complete")
    if not mark.exists():
        say(f"generating {folder.relative_to(ROOT)}")
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([BINARY, "gen", pack, "--out", folder, "--size", size, "--seed", "1",
                        "--quiet", *(["--quoted"] if quoted else [])], check=True)
        mark.touch()
    return folder


def warm(paths):
    """Reads every file once, so that no engine pays for the disk, or for memory that the engine
    before it took. Returns the bytes."""
    total = 0
    for path in paths:
        with open(path, "rb", buffering=0) as stream:
            while block := stream.read(1 << 17):
                total += len(block)
    return total


def versions():
    found = {}
    if BINARY.exists():
        done = subprocess.run([BINARY, "--version"], capture_output=True, text=True)
        found["tamiz"] = done.stdout.split("\n")[0].removeprefix("tamiz ")
    for engine, package in PACKAGES.items():
        path = PEERS / "node_modules" / package / "package.json"
        if path.exists():
            found[engine] = json.loads(path.read_text())["version"]
    return found


def machine():
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} x {model}, {memory:.0f} GB, Linux {platform.release()}"


def table(header, rows):
    """Markdown that is also readable as it stands."""
    cells = [header, *rows]
    widths = [max(len(str(row[c])) for row in cells) for c in range(len(header))]
    lines = ["| " + " | ".join(str(v).ljust(w) for v, w in zip(row, widths)) + " |"
             for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def write_report(name, text, data):
    (WORK / f"{name}.md").write_text(text)
    (WORK / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
    print(text)
    print(f"written to build/bench/{name}.md and {name}.json")
