#!/usr/bin/env python3
"""Writes the packs of a folder as C arrays: the table that src/cli/request/pack.h declares.

usage: embed_packs.py PACKS_FOLDER OUTPUT.c
"""

import os
import re
import sys


def natural(name):
    """q2a before q10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def array(symbol, data):
    lines = [f"static const char {symbol}[] = {{"]
    for start in range(0, len(data), 16):
        lines.append("\t" + " ".join(f"{byte}," for byte in data[start : start + 16]))
    lines.append("\t0,\n};")
    return "\n".join(lines)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if b"\0" in data or any(byte > 127 for byte in data):
        sys.exit(f"{path}: a pack that is embedded must be plain ASCII")
    return data


def main():
    folder, output = sys.argv[1:]
    arrays, packs, tables = [], [], []
    for name in sorted(os.listdir(folder)):
        schema = os.path.join(folder, name, "schema.sql")
        if not os.path.isfile(schema):
            continue
        symbol = re.sub(r"\W", "_", name)
        arrays.append(array(f"{symbol}_schema", read(schema)))
        queries = os.path.join(folder, name, "queries")
        files = sorted((f for f in os.listdir(queries) if f.endswith(".sql")), key=natural)
        rows = []
        for file in files:
            query = file[: -len(".sql")]
            query_symbol = f"{symbol}_query_{re.sub(r'[^0-9a-zA-Z]', '_', query)}"
            arrays.append(array(query_symbol, read(os.path.join(queries, file))))
            rows.append(f'\t{{"{query}", {query_symbol}}},')
        tables.append(
            f"static const struct embedded_query {symbol}_queries[] = {{\n" + "\n".join(rows) + "\n};"
        )
        packs.append(f'\t{{"{name}", {symbol}_schema, {len(files)}, {symbol}_queries}},')
    text = "\n\n".join(
        ["/* Generated from packs/ by tools/embed_packs.py. */", '#include "cli/request/pack.h"']
        + arrays
        + tables
        + ["const struct embedded_pack embedded_packs[] = {\n" + "\n".join(packs) + "\n};"]
        + [f"const uint32_t embedded_pack_count = {len(packs)};"]
    )
    with open(output, "w", encoding="ascii") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
