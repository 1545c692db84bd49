#!/usr/bin/env python3
"""One table, written in 2,000 ways as people and programs write tables: nearly all are read back, and none is read
wrong. A variant that can be taken for several tables may be refused; it must not be guessed."""

import concurrent.futures
import csv
import io
import os
import random
import tempfile

from harness import check, main, tamiz

VARIANTS = 2000
READ_BACK_MIN = 0.97

NAMES = ["id", "name", "town", "price", "day", "stock"]
PEOPLE = ["Ada Byron", "José Núñez", "Müller, Anna", "O'Neil", "Søren \"Sol\" Bach", "Zoë", "Li Wei", "Karl-Heinz"]
TOWNS = ["Bern", "São Paulo", "La Plata", "Köln", "Oslo", "Graz"]
DELIMITERS = [",", ";", "\t", "|", ":", "||", ", ", "~", "^", " ", "~|~", "\x1f"]


def table(rng):
    rows = []
    for i in range(rng.randint(12, 40)):
        rows.append([str(i + 1), rng.choice(PEOPLE), rng.choice(TOWNS), f"{rng.randint(0, 90000) / 100:.2f}",
                     f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}", str(rng.randint(0, 500))])
    return rows


class Variant:
    """How one file is written. What is not polluted is as usual."""

    def __init__(self, rng):
        self.rng = rng
        self.rows = table(rng)
        self.delimiter, self.quote, self.escape, self.quoting = ",", '"', None, "needed"
        self.end, self.header, self.encoding = "\n", 1, "utf-8"
        self.before, self.behind, self.comments, self.trailing = [], [], None, None
        self.frame, self.blanks, self.once, self.blanks_in = None, False, False, ()
        self.said = []
        pollutions = [self.delimiters, self.quotes, self.escapes, self.line_ends, self.preamble, self.comment, self.headers,
                      self.footer, self.trailing_delimiters, self.ragged, self.encodings, self.surprises, self.frames,
                      self.keys_before, self.blank_lines, self.plain_quotes, self.blanks_before_quotes, self.longer_rows]
        for pollute in rng.sample(pollutions, rng.choice([1, 1, 2, 2, 3])):
            pollute()
            self.said.append(pollute.__name__)
        if self.delimiter == " ":
            # Words with blanks between them are rows of such a table, and a blank at the end is nothing.
            self.before, self.behind, self.comments, self.once, self.trailing = [], [], None, False, None
        if self.frame:
            self.delimiter, self.trailing = "|", None
            self.before = [line if isinstance(line, str) else ": ".join(line) for line in self.before]

    def delimiters(self):
        self.delimiter = self.rng.choice(DELIMITERS)

    def quotes(self):
        self.quote = self.rng.choice(['"', "'"])
        self.quoting = self.rng.choice(["all", "text", "needed"])

    def escapes(self):
        self.escape = "\\"
        self.quoting = self.rng.choice(["all", "text"])

    def line_ends(self):
        self.end = self.rng.choice(["\r\n", "\r", "mixed", "any"])

    def preamble(self):
        lines = ["Sales of the year", "", "Exported on 3 May 2024", "All prices in euros (EUR)", "Version 2"]
        self.before = self.rng.sample(lines, self.rng.randint(1, 4))

    def keys_before(self):
        pairs = [("Shop", "Corner"), ("From", "2024-01-01"), ("Until", "2024-12-31"), ("Currency", "EUR")]
        self.before = self.rng.sample(pairs, self.rng.randint(1, 4))

    def comment(self):
        self.comments = self.rng.choice(["#", "#", "%", "//", "--", "!"])

    def headers(self):
        self.header = self.rng.choice([0, 2, 3])

    def frames(self):
        self.frame = self.rng.choice(["|---|", "| :-: |", "+---+", "+===+"])

    def blank_lines(self):
        self.blanks = True

    def plain_quotes(self):
        self.once, self.quoting = True, "text"

    def blanks_before_quotes(self):
        self.blanks_in = set(self.rng.sample(range(len(self.rows)), 3))
        self.delimiter, self.quoting = self.rng.choice([",", ";"]), "text"

    def longer_rows(self):
        for row in self.rng.sample(self.rows, 3):
            row += [""] * (len(NAMES) - len(row)) + ["late", "by hand"][:self.rng.randint(1, 2)]

    def footer(self):
        self.behind = self.rng.choice([["Source: the shop"], ["", "Source: the shop", "Printed by hand"], ["(end of file)"]])

    def trailing_delimiters(self):
        self.trailing = self.rng.choice(["rows", "all"])

    def ragged(self):
        for row in self.rng.sample(self.rows, 3):
            del row[-self.rng.randint(1, 2):]

    def encodings(self):
        self.encoding = self.rng.choice(["utf-8-sig", "utf-16", "cp1252", "latin-1", "utf-16-be", "utf-32"])

    def surprises(self):
        column = self.rng.choice([3, 5])
        for row in self.rng.sample([row for row in self.rows if len(row) > column], 3):
            row[column] = self.rng.choice(["NA", "unknown", "n/a", "-", "1e5", "007", "12%", "INF", "-inf", "NaN", "1,250.00", "£5", "(3)"])

    def field(self, text, number):
        special = any(c in text for c in (self.delimiter.strip() or " ", self.quote, "\n", "#")) or text != text.strip()
        if self.quoting == "all" or (self.quoting == "text" and not number) or special:
            inner = text.replace("\\", "\\\\") if self.escape else text
            if not (self.once and self.quoting != "needed" and ' "' in inner):
                inner = inner.replace(self.quote, (self.escape or self.quote) + self.quote)
            return f"{self.quote}{inner}{self.quote}"
        return text

    def line(self, cells, names=False, row=None):
        fields = [self.field(cell, not names and i in (0, 3, 5)) for i, cell in enumerate(cells)]
        if self.frame:
            return f"| {' | '.join(fields)} |"
        if row in self.blanks_in:
            fields = [field if i == 0 or not field.startswith(self.quote) else " " + field for i, field in enumerate(fields)]
        out = self.delimiter.join(fields)
        return out + (self.delimiter.rstrip(" ") if self.trailing == "all" or (self.trailing and not names) else "")

    def rule(self):
        edge = self.frame[0]
        return edge + edge.join([self.frame[1:-1]] * len(NAMES)) + edge

    def names(self):
        above = [["", "", "", "of the shop", "", ""], ["", "person", "", "goods", "", ""]]
        lines = [self.line(cells, True) for cells in (above + [NAMES])[3 - self.header:]] if self.header else []
        if self.frame and self.frame[0] == "+":
            lines.insert(0, self.rule())
        return lines + [self.rule()] if self.frame and self.header else lines

    def text(self):
        lines = [line if isinstance(line, str) else self.delimiter.join(line) for line in self.before]
        if self.comments:
            lines.append(self.comments + " made by hand")
        lines += self.names()
        for i, row in enumerate(self.rows):
            if self.comments and i == 5:
                lines.append(self.comments + " the next ones are new")
            if self.blanks and i % 7 == 3:
                lines.append("")
            lines.append(self.line(row, row=i))
        if self.frame and self.frame[0] == "+":
            lines.append(self.rule())
        lines += self.behind
        ends = {"mixed": ["\n", "\r\n"], "any": ["\n", "\r\n", "\r"]}.get(self.end, [self.end])
        return "".join(line + self.rng.choice(ends) for line in lines)

    def wanted(self):
        # A delimiter at the end of all lines, that of the names among them, makes a column without a name.
        width = len(NAMES) + (self.trailing == "all" or (self.trailing is not None and self.header == 0))
        width = max([width, *map(len, self.rows)])
        return sorted(tuple(row + [""] * (width - len(row))) for row in self.rows)


def read(seed):
    """What became of a variant: right, refused or wrong, and what there is to see."""
    variant = Variant(random.Random(seed))
    with tempfile.TemporaryDirectory(prefix="tamiz-cli-") as folder:
        path = os.path.join(folder, "t.csv")
        with open(path, "wb") as out:
            mark = "\ufeff" if variant.encoding == "utf-16-be" else ""
            out.write((mark + variant.text()).encode(variant.encoding))
        result = tamiz("sql", "--data", folder, "-c", "SELECT * FROM t", "-f", "csv", "-q")
    told = f"seed {seed}: {' '.join(variant.said)} {variant.delimiter!r} {variant.quote} {variant.end!r} header {variant.header}: "
    if result.status != 0:
        return "refused", told + result.err.strip()
    got = list(csv.reader(io.StringIO(result.out, newline="")))
    records = sorted(tuple(row) for row in got[1:])
    if records != variant.wanted():
        strange = [row for row in records if row not in variant.wanted()][:2]
        return "wrong", told + f"{len(records)} records of {len(variant.rows)}, such as {strange}, names {got[0]}"
    if variant.header == 1 and got[0][:len(NAMES)] != NAMES:
        return "wrong", told + f"names {got[0]}"
    return "right", told


def judge(read_one, count):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(read_one, range(count)))
    wrong = [told for outcome, told in outcomes if outcome == "wrong"]
    refused = [told for outcome, told in outcomes if outcome == "refused"]
    check(not wrong, f"{len(wrong)} read wrong: " + "\n".join(wrong[:10]))
    check(len(refused) <= count * (1 - READ_BACK_MIN), f"{len(refused)} refused: " + "\n".join(refused[:10]))


def test_polluted_variants(folder):
    judge(read, VARIANTS)


def random_table(rng):
    """Two to eight columns, each of a kind of its own, with a header."""
    words = ["red", "dark blue", "Zürich", "a, b", "x; y", "it's", 'the "one"', "50 | 60", "tea", "Ωmega"]
    kinds = [lambda: str(rng.randint(-5000, 5000)), lambda: f"{rng.uniform(-99, 99):.3f}", lambda: rng.choice(words),
             lambda: f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
             lambda: rng.choice(["true", "false"]), lambda: rng.choice(words[:3] + [""])]
    columns = [rng.choice(kinds) for _ in range(rng.randint(2, 8))]
    columns[0] = kinds[0]
    names = rng.sample(["key", "amount", "label", "since", "done", "remark", "size", "place", "code"], len(columns))
    return names, [[column() for column in columns] for _ in range(rng.randint(8, 60))]


def read_any(seed):
    rng = random.Random(f"any {seed}")
    names, rows = random_table(rng)
    variant = Variant(rng)
    variant.delimiter, variant.quote = rng.choice([",", ";", "\t", "|", "||", "~|~"]), rng.choice(['"', "'"])
    variant.quoting, variant.end = rng.choice(["needed", "all"]), rng.choice(["\n", "\r\n", "\r"])
    variant.escape = rng.choice([None, None, "\\"])
    variant.trailing, variant.frame, variant.once, variant.blanks_in = None, None, False, ()
    lines = [variant.line(names, True)] + [variant.line(row) for row in rows]
    with tempfile.TemporaryDirectory(prefix="tamiz-cli-") as folder:
        with open(os.path.join(folder, "t.csv"), "wb") as out:
            out.write((variant.end.join(lines) + variant.end).encode())
        result = tamiz("sql", "--data", folder, "-c", "SELECT * FROM t", "-f", "csv", "-q")
    told = f"seed {seed}: {variant.delimiter!r} {variant.quote} {variant.end!r} {variant.escape} {variant.quoting}: "
    if result.status != 0:
        return "refused", told + result.err.strip()
    got = list(csv.reader(io.StringIO(result.out, newline="")))
    same = {"true": "t", "false": "f"}
    records = sorted([same.get(cell, cell) for cell in row] for row in got[1:])
    wanted = sorted([same.get(cell, cell) for cell in row] for row in rows)
    if got[0] != names or records != wanted:
        strange = [row for row in records if row not in wanted][:2]
        return "wrong", told + f"{len(records)} records of {len(rows)}, such as {strange}, names {got[0]} and not {names}"
    return "right", told


def test_any_table_in_any_dialect(folder):
    judge(read_any, VARIANTS // 4)


if __name__ == "__main__":
    main(globals())
