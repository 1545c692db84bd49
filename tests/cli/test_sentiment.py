"""sentiment() on sentences that people have labelled: it must be right at least as often as VADER."""

import csv
import io
import json
import os
import pathlib

from harness import ROOT, Skip, answers, check, equal, main

SHARED = pathlib.Path(os.environ.get("TAMIZ_REAL_DATA", ROOT.parent / "shared" / "data"))
# What VADER itself reaches on the same sentences, a score above zero counting as positive.
RIGHT_MIN = {"amazon": 0.829, "yelp": 0.811}


def labelled(name):
    path = SHARED / "sentiment" / f"labelled_{name}.json"
    if not path.is_file():
        raise Skip("the labelled sentences are not on this machine (TAMIZ_REAL_DATA)")
    # The last record of a file is empty.
    return [line for line in json.loads(path.read_text(encoding="utf-8")) if line["text"]]


def scores(folder, texts):
    with open(folder / "texts.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "body"])
        writer.writerows(enumerate(texts))
    out = answers("sql", "--data", folder, "--format", "csv", "--command",
                  "SELECT id, sentiment(body) AS score FROM texts ORDER BY id")
    return [row["score"] for row in csv.DictReader(io.StringIO(out))]


def check_accuracy(folder, name):
    sentences = labelled(name)
    found = scores(folder, [sentence["text"] for sentence in sentences])
    equal(len(found), len(sentences))
    right = sum((float(score) > 0) == (sentence["class"] == 1)
                for score, sentence in zip(found, sentences))
    share = right / len(sentences)
    check(share >= RIGHT_MIN[name], f"{right} of {len(sentences)} are right: {share:.3f}")
    print(f"# {name}: {right} of {len(sentences)} are right: {share:.3f}")


def test_accuracy_on_amazon(folder):
    check_accuracy(folder, "amazon")


def test_accuracy_on_yelp(folder):
    check_accuracy(folder, "yelp")


def test_four_decimals(folder):
    equal(scores(folder, ["good", "A book.", "not good", "", "don\u2019t like it"]),
          ["0.4404", "0.0000", "-0.3412", "", "-0.2755"])


main(globals())
