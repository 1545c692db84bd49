"""The coffee pack over a small month of real rows, against its published results."""

import csv
import os
import pathlib

from harness import ROOT, Skip, answers, equal, main

SHARED = pathlib.Path(os.environ.get("TAMIZ_REAL_DATA", ROOT.parent / "shared" / "data"))
DATA = SHARED / "coffee" / "mini_202401"
EXPECTED = SHARED / "expected" / "coffee_mini_202401"
RESULTS = {"q1": "results_query_1.csv", "q2a": "results_query_2_1.csv", "q2b": "results_query_2_2.csv",
           "q3": "results_query_3.csv"}


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    return header, sorted(lines)


def test_coffee_month(folder):
    if not DATA.is_dir():
        raise Skip("the real rows are not on this machine (TAMIZ_REAL_DATA)")
    for way in (["--threads", "1"], ["--threads", "4", "--chunk-size", "2K"]):
        answers("run", "coffee", "--data", DATA, "--output", folder / "out", "--quiet", *way)
        for query, file in RESULTS.items():
            equal(rows(folder / "out" / f"{query}.csv"), rows(EXPECTED / file), query)


main(globals())
