"""The data generator, from outside: the same bytes, refusals, and answers worth looking at."""

import csv
import hashlib
import io
import json
import resource
from decimal import Decimal

from harness import DATA, FAILED, USAGE, answers, check, equal, fails, main, names, tamiz, write


def digest(folder):
    total = hashlib.sha256()
    for name in names(folder):
        if (folder / name).is_file():
            total.update(name.encode() + b"\0" + (folder / name).read_bytes())
    return total.hexdigest()


def check_same_bytes(folder, pack):
    for threads in (1, 2, 7):
        answers("gen", pack, "--out", folder / str(threads), "--size", "3M", "--threads", threads, "-q")
    equal(len({digest(folder / str(threads)) for threads in (1, 2, 7)}), 1)
    first = digest(folder / "1")
    answers("gen", pack, "--out", folder / "1", "--size", "3M", "--seed", "2", "-q")
    check(digest(folder / "1") != first, "another seed")
    answers("gen", pack, "--out", folder / "1", "--size", "3M", "-q")
    equal(digest(folder / "1"), first)


def test_same_bytes(folder):
    for pack in ("coffee", "movies", "books", "trade", "h2o", "web"):
        check_same_bytes(folder / pack, pack)


def test_sizes(folder):
    for pack in ("coffee", "movies", "books", "trade", "h2o", "web"):
        answers("gen", pack, "--out", folder / pack, "--size", "10M", "-q")
        size = sum(path.stat().st_size for path in (folder / pack).rglob("*.csv"))
        check(9.5e6 < size < 12e6, f"{pack}: {size}")


def test_broken_rows(folder):
    """What is broken in the real files is broken in the generated ones, and is rejected by those who declare it."""
    answers("gen", "movies", "--out", folder / "m", "--size", "2M", "-q")
    count = ("sql", "--data", folder / "m", "-c", "SELECT count(*) AS n FROM movies_metadata", "-f", "csv")
    result = tamiz(*count, "--schema", "movies")
    check("+ 6 rejected" in result.err and "fields instead of 24" in result.err, result.err)
    equal(int(answers(*count).split()[1]), int(result.out.split()[1]) + 6)
    answers("gen", "books", "--out", folder / "b", "--size", "2M", "-q")
    count = ("sql", "--data", folder / "b", "-c", "SELECT count(*) AS n FROM books_data", "-f", "csv")
    result = tamiz(*count)
    check(result.status == DATA and "is never closed" in result.err or "last quote is not closed" in result.err, result.err)
    result = tamiz(*count, "--schema", "books")
    check("quoted field is not closed" in result.err, result.err)
    check("+ 1 rejected" in result.err, result.err)


def test_refusals(folder):
    fails(USAGE, "--out DIR", args=["gen", "coffee"])
    fails(USAGE, "coffee", args=["gen", "tea", "--out", folder / "x"])
    fails(USAGE, "2G", args=["gen", "coffee", "--out", folder / "x", "--size", "big"])
    fails(USAGE, "between", args=["gen", "coffee", "--out", folder / "x", "--size", "1K"])
    thesis = write(folder / "thesis.txt", "mine")
    fails(USAGE, "--force", args=["gen", "coffee", "--out", folder, "--size", "1M"])
    fails(USAGE, "is a file", args=["gen", "coffee", "--out", thesis])
    equal(names(folder), ["thesis.txt"])
    result = tamiz("gen", "coffee", "--out", folder, "--size", "1M", "--force")
    equal(result.status, 0, result.err)
    check("transactions" in result.err, result.err)
    equal(thesis.read_text(), "mine")


def limit_file_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


def test_full_disk(folder):
    fails(FAILED, ".csv", args=["gen", "coffee", "--out", folder / "x", "--size", "5M", "--threads", "2"],
          preexec_fn=limit_file_size)
    equal([name for name in names(folder) if "partial" in name], [])


def results(folder, *more):
    return json.loads(answers("run", "coffee", "--data", folder, "-q", "-f", "json", *more), parse_float=str)


def test_answers_are_worth_asking_for(folder):
    answers("gen", "coffee", "--out", folder / "bare", "--size", "8M", "-q")
    got = results(folder / "bare")
    equal(list(got), ["q1", "q2a", "q2b", "q3", "q4"])
    check(len(got["q1"]) > 50, "q1 finds large amounts")
    check(any(len(str(row["tpv"]).split(".")[-1]) == 3 for row in got["q3"]), "three decimals")
    equal(len(got["q2a"]), 18)
    equal(len(got["q2b"]), 18)
    check(len({row["item_name"] for row in got["q2a"]}) > 2, "the best seller changes")
    equal(len(got["q3"]), 30)
    equal(len(got["q4"]), 30)
    check(len({(row["store_name"], row["purchases_qty"]) for row in got["q4"]}) < 30, "ties among the best users")
    check(any('"' in row["store_name"] and row["tpv"] for row in got["q3"]), "quotes in a name")

    answers("gen", "coffee", "--out", folder / "quoted", "--size", "8M", "--quoted", "-q")
    check(len(results(folder / "quoted")["q3"]) == 30, "every field in quotes")


def test_answers_by_hand(folder):
    """q1 and q3 once more, the slow way."""
    answers("gen", "coffee", "--out", folder, "--size", "2M", "-q")
    large, payments = [], {}
    stores = {}
    with open(folder / "stores" / "stores.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            stores[row["store_id"]] = row["store_name"]
    for path in sorted((folder / "transactions").glob("*.csv")):
        for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))):
            date, time = row["created_at"].split()
            if date < "2024" or not "06:00:00" <= time <= "23:00:00":
                continue
            amount = Decimal(row["final_amount"])
            if amount >= 75:
                large.append((row["transaction_id"], str(amount)))
            key = (f"{date[:4]}-H{1 if date[5:7] <= '06' else 2}", stores[row["store_id"]])
            payments[key] = payments.get(key, Decimal(0)) + amount
    got = results(folder, "--threads", "3", "--chunk-size", "4K")
    equal([(row["transaction_id"], row["final_amount"]) for row in got["q1"]], sorted(large))
    equal([(row["year_half_created_at"], row["store_name"], Decimal(row["tpv"])) for row in got["q3"]],
          [(*key, payments[key]) for key in sorted(payments, key=lambda key: (key[0], key[1].encode()))])


main(globals())
