"""What the README and the pages in docs/ show.

An indented block with a line "$ command" is a transcript: its commands run, in a folder that has tests/cli/docs in
it, and print what the page says. "..." stands for any lines, and times, speeds and process numbers may differ.
"    tamiz ..." without a "$" runs too, and must succeed, unless it has a word in capitals that stands for something
else. Every command, option and goal of the Makefile that a page names must exist."""

import configparser
import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from harness import BUILD, PATIENCE_SECONDS, ROOT, TAMIZ, Skip, answers, check, equal, free_ports, main

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CHANGES = [
    (re.compile(r"\b\d+(\.\d+)? [KMG]?B/s"), "# per second"),
    (re.compile(r"\b\d+(\.\d+)? m?s\b"), "# seconds"),
    (re.compile(r'"(pid|up_ms|loop_ms)":\d+'), r'"\1":#'),
]
# Commands that a transcript may show and that take too long here, each with what runs them instead.
ELSEWHERE = {
    "make test": "this very suite is part of it",
    "tamiz chaos": "make cluster-chaos",
    "tamiz check": "tests/cluster/test_check.py",
}
# These need a cluster, and run on one in test_cluster_transcripts.
CLUSTER = re.compile(r"^(tamiz (up|down|submit|status|jobs|results|cancel)|curl)\b")


def blocks(page):
    """The indented blocks of a page, without their indentation."""
    lines, found = page.read_text().splitlines(), []
    inside = False
    for number, line in enumerate(lines):
        if line.startswith("    ") and (inside or number == 0 or not lines[number - 1].strip()):
            if not inside:
                found.append([])
            found[-1].append(line[4:])
            inside = True
        elif line.strip() or not inside:
            inside = False
        else:
            found[-1].append("")
    return found


def transcripts(page):
    """[(command, lines that it prints)] of all blocks with a "$"."""
    steps = []
    for block in blocks(page):
        if not any(line.startswith("$ ") for line in block):
            continue
        for line in block:
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif line.strip() and steps:
                steps[-1][1].append(line)
    return steps


def same(text):
    for pattern, instead in CHANGES:
        text = pattern.sub(instead, text)
    return text


def matches(expected, printed):
    """Whether lines are printed in this order, where "..." is any number of lines."""
    at, anywhere = 0, False
    printed = [same(line) for line in printed if line.strip()]
    for line in map(same, expected):
        if line.strip() == "...":
            anywhere = True
            continue
        if anywhere:
            while at < len(printed) and printed[at] != line:
                at += 1
        if at >= len(printed) or printed[at] != line:
            return f"expected {line!r}, printed {printed[at] if at < len(printed) else 'nothing more'!r}"
        at, anywhere = at + 1, False
    return None if anywhere or at == len(printed) else f"printed {printed[at]!r} and not the end"


def prepare(folder):
    shutil.copytree(ROOT / "tests" / "cli" / "docs", folder, dirs_exist_ok=True)
    sales = folder / "sales"
    orders = (sales / "orders.csv").read_text()
    (sales / "2024-01.csv").write_text(orders)
    (sales / "orders.txt").write_bytes(orders.replace(",", ";").replace("Kenya", "Perú").encode("latin-1"))
    with gzip.open(folder / "users.tsv.gz", "wb") as file:
        file.write(b"user_id\tname\n7\tAda\n3\tGrace\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "tamiz").symlink_to(TAMIZ)
    # What `make demo` made is in build/, wherever this build is.
    (folder / "build").symlink_to(BUILD)


def environment(folder):
    # A make that is called here has nothing to do with the one that may have called us.
    inherited = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return dict(inherited, PATH=f"{folder}/bin:{os.environ['PATH']}", HOME=str(folder), XDG_STATE_HOME=str(folder / "xdg"))


def run(command, folder):
    if command.startswith("make "):
        command = f"make --no-print-directory PACKAGES=no BUILD={shlex.quote(os.environ.get('BUILD', 'build'))} {command[5:]}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=ROOT if command.startswith("make ") else folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    return done.returncode, text.replace(f"{folder}/", "").replace(os.environ.get("BUILD", "build") + "/", "build/")


def follow(steps, folder, change=lambda text: text):
    for command, expected in steps:
        status, text = run(change(command), folder)
        equal(status, 0, f"{command}: {text}")
        trouble = matches([change(line) for line in expected], text.splitlines())
        check(not trouble, f"{command}: {trouble}")


def is_elsewhere(command):
    return any(command.startswith(start) for start in ELSEWHERE)


def test_transcripts(folder):
    count = 0
    for page in PAGES:
        steps = [step for step in transcripts(page) if not is_elsewhere(step[0]) and not CLUSTER.match(step[0])]
        count += len(steps)
        place = folder / page.stem
        place.mkdir()
        prepare(place)
        follow(steps, place)
    check(count >= 2, "the pages show nothing any more")


def test_cluster_transcripts(folder):
    if not pathlib.Path("/usr/sbin/rabbitmq-server").exists():
        raise Skip("no RabbitMQ on this machine: make deps installs it")
    steps = [step for step in transcripts(ROOT / "README.md") if CLUSTER.match(step[0])]
    check(len(steps) >= 2, "the README shows no cluster any more")
    questions = []
    for page in ("operating.md", "metrics.md"):
        asked = [step for step in transcripts(ROOT / "docs" / page) if step[0].startswith("curl")]
        check(asked, f"{page} asks no node any more")
        questions += asked
    prepare(folder)
    (folder / "build").unlink()
    (folder / "build").mkdir()
    answers("gen", "coffee", "--out", folder / "build" / "demo", "--size", "20M", "--quiet")
    port = str(free_ports(1)[0])
    try:
        follow(steps, folder, lambda text: text.replace("7000", port))
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read(folder / "st" / "cluster.ini")
        follow(questions, folder, lambda text: text.replace("127.0.0.1:7300", parser["reducer"]["health"]))
    finally:
        run("tamiz down --state st", folder)


def test_commands_without_output(folder):
    """They have to work; what they print is not shown."""
    prepare(folder)
    count = 0
    for page in PAGES:
        for block in blocks(page):
            for line in block:
                command = line.split("  #")[0].strip()
                if not line.startswith("tamiz ") or re.search(r"\b[A-Z]{3,}\b(?![^\"]*\")", command):
                    continue
                if CLUSTER.match(command) or re.match(r"tamiz (chaos|gateway|reducer|collector|watcher|proxy|filter)\b", command):
                    continue
                status, text = run(command, folder)
                equal(status, 0, f"{page.name}: {command}: {text}")
                count += 1
    check(count >= 4, f"only {count} commands ran")


def options_of(command):
    """The options that its help names; None: there is no such command."""
    done = subprocess.run([TAMIZ, command, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        return None
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout.decode())) | {"--help"}


def test_options(folder):
    """Every `tamiz COMMAND --option` on a page. CONTRIBUTING.md shows how one is made that is not there."""
    known, missing, count = {}, [], 0
    for page in set(PAGES) - {ROOT / "CONTRIBUTING.md"}:
        text = page.read_text()
        for found in re.finditer(r"(?:`|^    (?:\$ )?)tamiz ([a-z]+)\b([^`\n]*)", text, re.M):
            command, rest = found.groups()
            rest = re.sub(r'"[^"]*"', "", rest.split("  #")[0])
            count += 1
            if command not in known:
                known[command] = options_of(command)
            if known[command] is None:
                missing.append(f"{page.name}: tamiz {command}")
                continue
            for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest):
                if option not in known[command]:
                    missing.append(f"{page.name}: tamiz {command} {option}")
    equal(missing, [])
    check(count > 30, f"only {count} commands are named")


def test_goals(folder):
    """Every goal of the Makefile that a page names."""
    makefile = (ROOT / "Makefile").read_text()
    goals = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.M))
    missing, count = [], 0
    for page in PAGES:
        for found in re.finditer(r"(?:`|^    (?:\$ )?)make ([^`\n]*)", page.read_text(), re.M):
            words = re.sub(r'"[^"]*"', "", re.split(r"\s\s|#|&&", found.group(1))[0]).split()
            for word in words:
                if re.fullmatch(r"[a-z][a-z-]*", word):
                    count += 1
                    if word not in goals:
                        missing.append(f"{page.name}: make {word}")
    equal(missing, [])
    check(count > 20, f"only {count} goals are named")


def test_suites_that_the_readme_names(folder):
    """The transcript of `make test` cannot run here; what it names exists."""
    for command, expected in transcripts(ROOT / "README.md"):
        if command != "make test":
            continue
        names = [line.split()[0] for line in expected if re.search(r"\d+ passed", line) and "/" in line.split()[0]]
        check(names, "no suite")
        for name in names:
            check(any((ROOT / "tests").glob(f"{name}.*")), f"there is no suite {name}")


def test_threats_name_tests_that_exist(folder):
    """Every line of the table of threats has something that shows it."""
    tests = [path for kind in ("py", "c") for path in (ROOT / "tests").rglob(f"*.{kind}")]
    known = {path.name for path in tests} | {str(path.relative_to(ROOT)) for path in tests}
    functions = {name for path in tests for name in re.findall(r"\btest_\w+(?=\()", path.read_text())}
    rows = [line for line in (ROOT / "docs" / "security.md").read_text().splitlines() if line.startswith("| ") and " who tries" not in line]
    check(len(rows) > 12, rows)
    for row in rows:
        named = [name for name in re.findall(r"`([^`]+)`", row.split("|")[3]) if re.match(r"tests/|test_", name)]
        check(named, f"nothing shows {row}")
        for name in named:
            check(name in known or name in functions or (ROOT / name).exists(), f"there is no {name}")


main(globals())
