"""What the Tab key of bash, zsh and fish says of tamiz, and the manual pages."""

import pathlib
import shutil
import subprocess

from harness import Skip, TAMIZ, USAGE, answers, check, equal, fails, main
from terminal import Terminal

COMMANDS = {line.split()[0] for line in answers("--help").split("commands:\n")[1].split("\n\n")[0].splitlines()}


def script(folder, shell):
    path = folder / f"tamiz.{shell}"
    path.write_text(answers("completion", shell))
    return path


def bash(folder, *words):
    """What bash offers for the last of the words."""
    quoted = " ".join(f"'{word}'" for word in words)
    text = f"""source '{script(folder, "bash")}'
compopt() {{ :; }}
COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}
_tamiz
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    equal(done.stderr, "")
    return set(done.stdout.split())


def test_bash(folder):
    equal(bash(folder, "tamiz", "su"), {"submit", "summarize"})
    check(COMMANDS <= bash(folder, "tamiz", ""), "all commands")
    check({"--delimiter", "--decimal", "--date-format"} <= bash(folder, "tamiz", "sql", "--d"), "options")
    equal(bash(folder, "tamiz", "sql", "--format", "js"), {"json", "jsonl"})
    equal(bash(folder, "tamiz", "sql", "-f", "m"), {"md"})
    equal(bash(folder, "tamiz", "run", "co"), {"coffee"})
    equal(bash(folder, "tamiz", "sql", "--data", ""), set())
    equal(bash(folder, "tamiz", "completion", ""), {"bash", "zsh", "fish"})
    check("describe" in bash(folder, "tamiz", "help", "d"), "help")


def test_fish(folder):
    if not shutil.which("fish"):
        raise Skip("there is no fish: make deps installs it")
    path = script(folder, "fish")

    def fish(line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C '{line}'"], capture_output=True,
                              text=True, check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"})
        equal(done.stderr, "")
        return {choice.split("\t")[0] for choice in done.stdout.splitlines()}

    check({"submit", "summarize"} <= fish("tamiz su"), "commands")
    check(COMMANDS <= fish("tamiz "), "all commands")
    check({"--delimiter", "--data"} <= fish("tamiz sql --d"), "options")
    equal(fish("tamiz sql --format js"), {"json", "jsonl"})
    check("coffee" in fish("tamiz run co"), "packs")


def test_zsh(folder):
    if not shutil.which("zsh"):
        raise Skip("there is no zsh: make deps installs it")
    (folder / "_tamiz").write_text(answers("completion", "zsh"))
    (folder / "sales.csv").write_text("a\n1\n")
    one = Terminal(folder, "-f", "-i", program=shutil.which("zsh"), columns=200, PS1="ready> ", ZDOTDIR=str(folder))
    one.until("ready> ")
    one.type(f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -d {folder}/dump; PS1='go> '\r")
    one.until("go> ")
    for keys, completed in (
        ("tamiz summ\t", "summarize "), ("tamiz sql --delim\t", "--delimiter="), ("tamiz sql --format jsonl\t", "jsonl "),
        ("tamiz run cof\t", "coffee "), ("tamiz describe sal\t", "sales.csv "), ("tamiz completion fi\t", "fish "),
    ):
        one.type(keys)
        one.until(completed)
        one.type("\x15")
    one.type("exit\r")
    equal(one.leave(""), 0)


def test_another_shell(folder):
    fails(USAGE, "bash, zsh and fish", args=["completion", "tcsh"])


def test_manual_pages(folder):
    if not shutil.which("man"):
        raise Skip("there is no man: make deps installs it")
    for command in ["", *sorted(COMMANDS)]:
        page = answers("man", *([command] if command else []))
        done = subprocess.run(["man", "--warnings=all", "-l", "-"], input=page, capture_output=True, text=True, check=True,
                              env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""})
        equal(done.stderr, "", command)
        check("SYNOPSIS" in done.stdout and "SEE ALSO" in done.stdout, done.stdout)
        if command:
            help_text = answers(command, "--help")
            for line in help_text.splitlines():
                if line.startswith("  -") or line.startswith("  --"):
                    name = "--" + line.split("--")[1].split()[0]
                    check(name.replace("-", "") in done.stdout.replace("‐\n", "").replace("-", ""), f"{command}: {name}")
    fails(USAGE, "there is no command", args=["man", "nothing"])


def test_where_they_are_installed(folder):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    subprocess.run([root / "tools" / "install-help", TAMIZ, folder / "share"], check=True)
    share = folder / "share"
    equal({path.name for path in (share / "man" / "man1").iterdir()},
          {"tamiz.1"} | {f"tamiz-{command}.1" for command in COMMANDS})
    equal((share / "man" / "man1" / "tamiz-run.1").read_text(), answers("man", "run"))
    for shell, path in (("bash", "bash-completion/completions/tamiz"), ("zsh", "zsh/site-functions/_tamiz"),
                        ("fish", "fish/vendor_completions.d/tamiz.fish")):
        equal((share / path).read_text(), answers("completion", shell))


def test_help_of_sql(folder):
    text = answers("help", "sql")
    check("COPY table" in text and "percentile_cont" in text and "aggregates:" in text, text)


main(globals())
