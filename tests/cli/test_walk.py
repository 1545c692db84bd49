"""The walk in docs/shell.md: what a newcomer types is typed at a terminal, and what is shown there is what the page shows.

With TAMIZ_WRITE_PAGE=1 the page and its picture are written from what the terminal shows."""

import html
import os
import pathlib
import re

from harness import answers, check, equal, main
from terminal import PROMPT, Terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "shell.md"
PICTURE = ROOT / "docs" / "shell.svg"
COLUMNS = 100
# Of the picture: from this line of the walk on, so many lines of the screen.
PICTURED = "\\d"
SCREEN_LINES = 44
# Drawn and taken away again while a busy machine works.
PROGRESS = re.compile(r"\[[#.]{24}\] +\d+%[^\n┌]*?/s(?: +[\d.]+ \w+ left)?")
BLOCK = re.compile(r"(?m)^    tamiz=> .*\n(?:    .*\n|\n(?=    ))*")


def steps(block):
    """What is typed, line by line."""
    return [line[len(PROMPT):] for line in block.splitlines() if re.match(r"tamiz[=\-('\"]> ", line)]


def walk(folder, lines):
    """Everything that the terminal shows while these lines are typed."""
    one = Terminal(folder, "coffee/", columns=COLUMNS, rows=60)
    one.until(PROMPT)
    shown = []
    for line in lines:
        one.type(line + "\r")
        one.until("\n")
        start = re.compile(r"tamiz[=\-('\"]> $")
        while not start.search(one.seen):
            check(one.read(), f"it has left after {line}: {one.seen}")
        shown.append((line, PROGRESS.sub("", one.seen)))
        one.seen = ""
    one.leave()
    return shown


def transcript(shown):
    text, prompt = "", PROMPT
    for line, answer in shown:
        text += f"{prompt}{line}\n{answer[: -len(PROMPT)]}"
        prompt = answer[-len(PROMPT):]
    return text


def picture(text):
    """The screen, as SVG."""
    lines = text[text.index(f"{PROMPT}{PICTURED}\n"):].split("\n")[:SCREEN_LINES]
    width, height = 8.4 * COLUMNS + 32, 18 * len(lines) + 32
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="monospace" font-size="14">',
           '<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>']
    for row, line in enumerate(lines):
        found = re.match(r"(tamiz[=\-('\"]>) ?(.*)", line)
        place = f'x="16" y="{30 + 18 * row}" xml:space="preserve"'
        if found:
            prompt, typed = found.groups()
            out.append(f'<text {place} fill="#89b4fa">{html.escape(prompt)} <tspan fill="#f5e0dc">{html.escape(typed)}</tspan></text>')
        elif line:
            colour = "#f38ba8" if line.startswith("tamiz: ") else "#cdd6f4"
            out.append(f'<text {place} fill="{colour}" textLength="{8.4 * len(line):.1f}">{html.escape(line)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def test_walk(folder):
    answers("gen", "coffee", "--out", folder / "coffee", "--size", "2M", "--quiet")
    page = PAGE.read_text()
    blocks = [re.sub(r"(?m)^    ", "", block) for block in BLOCK.findall(page)]
    lines = [line for block in blocks for line in steps(block)]
    check(len([line for line in lines if line.endswith(";") or line.startswith("\\")]) >= 20, f"{len(lines)} lines")
    shown = walk(folder, lines)
    got, at = [], 0
    for block in blocks:
        count = len(steps(block))
        got.append(transcript(shown[at: at + count]))
        at += count
    if os.environ.get("TAMIZ_WRITE_PAGE"):
        for old, new in zip(BLOCK.findall(page), got):
            page = page.replace(old, "".join(f"    {line}\n" if line else "\n" for line in new.rstrip("\n").split("\n")), 1)
        PAGE.write_text(page)
        PICTURE.write_text(picture(transcript(shown)))
        return
    for want, new in zip(blocks, got):
        equal(new.rstrip("\n"), want.rstrip("\n"))
    equal(picture(transcript(shown)), PICTURE.read_text())


main(globals())
