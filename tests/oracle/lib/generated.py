"""Packs whose texts DuckDB understands as they are: its answers to them on generated data."""

import argparse
import pathlib
import tempfile

import lists


def oracle(pack, data, work, out):
    statements = []
    # The schema is PostgreSQL's but for WITH, which says where the rows are.
    for definition in (pack / "schema.sql").read_text().split("CREATE TABLE ")[1:]:
        head, files = definition.split(") WITH (files = '")
        name = head.split()[0]
        statements.append(f"CREATE TABLE {head})")
        statements.append(f"COPY {name} FROM '{data}/{files.split(chr(39))[0]}' (HEADER, DELIMITER ',', "
                          "QUOTE '\"', ESCAPE '\"', AUTO_DETECT false)")
    for path in sorted((pack / "queries").glob("*.sql")):
        sql = path.read_text().rstrip().rstrip(";")
        statements.append(f"COPY ({sql}) TO '{out}/{path.stem}.csv' (HEADER, NULLSTR '')")
    lists.duckdb(work, statements)


def check(pack, rows, description):
    """`rows`: how many the answers have on 20 MB, less some."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--size", default="20M")
    parser.add_argument("--data", type=pathlib.Path)
    args = parser.parse_args()
    missing = lists.duckdb_missing()
    if missing:
        print(f"skip {pack} {missing}")
        return
    with tempfile.TemporaryDirectory(prefix="tamiz-oracle-") as work:
        work = pathlib.Path(work)
        data = args.data or work / "data"
        if not args.data:
            lists.tamiz("gen", pack, "--out", data, "--size", args.size, "--quiet")
        folder = lists.ROOT / "packs" / pack
        lists.check_pack(pack, pack, data, work / "generated",
                         lambda data, work, out: oracle(folder, data, work, out))
        lists.not_trivial(pack, work / "generated" / "tamiz", rows)
