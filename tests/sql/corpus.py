"""Reads the corpus: *.sql files that hold many queries, and their *.expected files.

A query starts at a line `-- query: NAME` and ends at the next one. `-- query: NAME (any order)`
says that its ORDER BY does not fix the whole order, so that rows are compared as a set. An
.expected file has the same lines, each followed by what the query prints."""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
MARK = re.compile(r"^-- query: (\w+)( \(any order\))?$")


class Query:
    def __init__(self, name, any_order):
        self.name = name
        self.any_order = any_order
        self.lines = []

    @property
    def text(self):
        return "".join(self.lines)


def split(path):
    """The sections of a file, by name. What stands before the first mark is a comment."""
    queries = {}
    current = None
    with open(path, encoding="utf-8", newline="") as lines:
        for line in lines:
            match = MARK.match(line.rstrip("\n"))
            if match:
                current = Query(match[1], bool(match[2]))
                if current.name in queries:
                    raise SystemExit(f"{path}: two queries are called {current.name}")
                queries[current.name] = current
            elif current:
                current.lines.append(line)
    return queries


def expected(path):
    """What each query of an .expected file prints. A blank line ends every section there."""
    return {name: query.text[:-1] for name, query in split(path).items()} if path.exists() else {}


def files(folder=HERE):
    return sorted(p for p in folder.glob("*.sql") if p.name != "schema.sql")
