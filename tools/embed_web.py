#!/usr/bin/env python3
"""Writes the files of the page as C arrays: the table that src/cli/ui/assets.h declares.

usage: embed_web.py FOLDER OUTPUT.c
"""

import hashlib
import os
import re
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def array(symbol, data):
    lines = [f"static const unsigned char {symbol}[] = {{"]
    for start in range(0, len(data), 16):
        lines.append("\t" + " ".join(f"{byte}," for byte in data[start : start + 16]))
    lines.append("};")
    return "\n".join(lines)


def main():
    folder, output = sys.argv[1:]
    arrays, rows = [], []
    for name in sorted(os.listdir(folder)):
        kind = TYPES.get(os.path.splitext(name)[1])
        if not kind:
            continue
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        symbol = re.sub(r"\W", "_", name)
        tag = hashlib.sha256(data).hexdigest()[:16]
        arrays.append(array(symbol, data))
        rows.append(f'\t{{"/{name}", "{kind}", "\\"{tag}\\"", {symbol}, sizeof({symbol})}},')
    text = "\n\n".join(
        ["/* Generated from web/ by tools/embed_web.py. */", '#include "cli/ui/assets.h"']
        + arrays
        + ["const struct asset assets[] = {\n" + "\n".join(rows) + "\n};"]
        + [f"const uint32_t asset_count = {len(rows)};"]
    )
    with open(output, "w", encoding="ascii") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
