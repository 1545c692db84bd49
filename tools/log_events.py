#!/usr/bin/env python3
"""The list of log events in docs/operating.md, made from src/base/log_events.h.

usage: tools/log_events.py          rewrites the list
       tools/log_events.py --check  fails when it is not the one that would be written
"""

import re
import sys

SOURCE = "src/base/log_events.h"
PAGE = "docs/operating.md"
BEGIN = "<!-- log events: written by tools/log_events.py -->\n"
END = "<!-- end of log events -->\n"

EVENT = re.compile(r'EVENT\((\w+), (\w+), "([^"]*)", "([^"]*)"\)')
GROUP = re.compile(r"/\* (.*?) \*/")


def read_events():
    """Groups of events in their order: (title, [(name, level, fields, meaning)])."""
    with open(SOURCE, encoding="utf-8") as file:
        table = file.read().split("#define LOG_EVENTS(EVENT)", 1)[1].split("/* clang-format on */")[0]
    groups = []
    for line in table.splitlines():
        group, event = GROUP.search(line), EVENT.search(line)
        if group:
            groups.append((group.group(1), []))
        elif event:
            groups[-1][1].append(event.groups())
        elif line.strip(" \t\\"):
            sys.exit(f"{SOURCE}: not an event: {line.strip()}")
    return groups


def make_list():
    lines = ["| event | level | fields | meaning |", "|---|---|---|---|"]
    for title, events in read_events():
        lines.append(f"| **{title}** | | | |")
        for name, level, fields, meaning in events:
            named = " ".join(f"`{field}`" for field in fields.split())
            lines.append(f"| `{name}` | {level} | {named} | {meaning} |")
    return "\n".join(lines) + "\n"


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"{PAGE} lacks the lines {BEGIN.strip()} and {END.strip()}")
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    new = make_list()
    if sys.argv[1:] == ["--check"]:
        if old != new:
            sys.exit(f"{PAGE} does not have the events of {SOURCE}: run tools/log_events.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + new + END + after)


if __name__ == "__main__":
    main()
