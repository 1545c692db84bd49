"""Real rows: the coffee pack against its published results, and what is broken in the others."""

import csv
import os
import pathlib
import random
import re

from harness import DATA as BAD_DATA, ROOT, SANITIZED, Skip, answers, check, equal, main, tamiz

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


# The broken records of the movies are not among the real rows that we have; this is one of them in
# shape: a newline that nothing quotes cuts it in two, and the second half has a date for an id.
BROKEN = ("False,,0,[],,82663,tt0113002,en,Midnight Man,British soldiers force a recently captured"
          " IRA terrorist\n"
          " - Written by \u00d8rn\u00e5s,0.065736,/ff9qCepilowshEtG2GYWwzt2bs4.jpg,[],[],1997-08-20,"
          "0,104.0,[],Released,,Midnight Man,False,6.0,1\n")


def real(*parts):
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise Skip("the real rows are not on this machine (TAMIZ_REAL_DATA)")
    return path


def test_truncated_book(folder):
    path = real("books", "head")
    result = tamiz("run", "books", "--data", path, "--output", folder / "out", "--quiet")
    equal(result.status, 0, result.err)
    check("books_data: 1,399 rows read = 1,398 used + 1 rejected\n" in result.err, result.err)
    check("books_data.csv:1400: quoted field is not closed" in result.err, result.err)


def test_broken_movies(folder):
    path = real("movies", "joinset_1000")
    data = folder / "data"
    data.mkdir()
    for name in ("ratings.csv", "credits.csv"):
        (data / name).symlink_to(path / name)
    text = (path / "movies_metadata.csv").read_text(encoding="utf-8")
    (data / "movies_metadata.csv").write_text(text + 3 * BROKEN, encoding="utf-8")
    for out, source in (("whole", path), ("broken", data)):
        result = tamiz("run", "movies", "--data", source, "--output", folder / out, "--quiet",
                       "--rejects", folder / "rejects.csv")
        equal(result.status, 0, result.err)
    check("movies_metadata: 1,006 rows read = 1,000 used + 6 rejected\n" in result.err, result.err)
    lines = text.count("\n")
    rejects = (folder / "rejects.csv").read_text(encoding="utf-8")
    for line in range(1, 7):
        check(f'movies_metadata.csv",{lines + line},,' in rejects, rejects)
    for query in ("q1", "q2", "q3", "q4", "q5"):
        name = f"{query}.csv"
        equal((folder / "broken" / name).read_bytes(), (folder / "whole" / name).read_bytes())


HEADS = {"movies": {"joinset_1000/movies_metadata.csv": 30000, "joinset_1000/credits.csv": 40000,
                    "joinset_1000/ratings.csv": 3000},
         "books": {"head/books_data.csv": 30000, "head/Books_rating.csv": 30000}}
ACCOUNT = re.compile(r"^\w+: ([0-9,]+) rows read = ([0-9,]+) used \+ ([0-9,]+) rejected$", re.M)


def check_survives(pack, data, what):
    """Any input gets an answer or an error in one line; rows that were read are accounted for."""
    result = tamiz("run", pack, "--data", data, "--quiet", "--format", "csv", "--threads", "2",
                   "--chunk-size", "4K")
    check(result.status in (0, BAD_DATA), f"{what}: status {result.status}: {result.err}")
    if result.status:
        check(result.err.startswith("tamiz: ") and result.err.count("\n") == 1, result.err)
    for counts in ACCOUNT.findall(result.err):
        read, used, rejected = (int(count.replace(",", "")) for count in counts)
        equal(read, used + rejected, what)


def check_damaged(folder, damage, count):
    """Every file of a pack with `damage` done to its first kilobytes, `count` times each."""
    chance = random.Random(1)
    for pack, files in HEADS.items():
        heads = {name: real(pack, name).read_bytes()[:size] for name, size in files.items()}
        data = folder / pack
        data.mkdir()
        for name in heads:
            for turn in range(count):
                for other, head in heads.items():
                    bytes_ = damage(chance, head) if other == name else head
                    (data / pathlib.Path(other).name).write_bytes(bytes_)
                check_survives(pack, data, f"{name}, turn {turn}")


def test_prefixes(folder):
    check_damaged(folder, lambda chance, head: head[:chance.randrange(len(head))],
                  10 if SANITIZED else 30)


def corrupt(chance, head):
    """One byte is another; those that mean something in CSV and in Python lists more often."""
    at = chance.randrange(len(head))
    byte = chance.choice(b"\"\n\r,'[]{}\\:\0\xff") if chance.random() < 0.7 else chance.randrange(256)
    return head[:at] + bytes([byte]) + head[at + 1:]


def test_corruptions(folder):
    check_damaged(folder, corrupt, 20 if SANITIZED else 60)


main(globals())
