"""Where tamiz and DuckDB differ for a known reason.

Each has a reason and a narrow test. What matches is counted and told at the end, never hidden."""

import re


class Difference:
    def __init__(self, name, reason, matches):
        self.name = name
        self.reason = reason
        self.matches = matches


def negated_key(case):
    return bool(case.duckdb.error and not case.tamiz.error
                and "must appear in the GROUP BY clause" in case.duckdb.error
                and re.search(r"GROUP BY .*\(NOT \(.* IS (NOT )?DISTINCT FROM ", case.sql[1]))


def constant_without_rows(case):
    return bool(case.tamiz.error and case.tamiz.error.rstrip().endswith("out of range")
                and not case.duckdb.error and re.search(r"LIMIT 0\b", case.sql[0]))


DIFFERENCES = [
    Difference("constant-without-rows", "an expression of constants is evaluated when the query is"
               " planned, as PostgreSQL does, and fails then even if LIMIT 0 wants no row of it",
               constant_without_rows),
    Difference("duckdb-negated-key", "DuckDB turns NOT (a IS DISTINCT FROM b) into IS NOT DISTINCT"
               " FROM before it looks for the key of GROUP BY, and then misses it", negated_key),
]


def explain(case):
    """The difference that a case shows, or None."""
    for difference in DIFFERENCES:
        if difference.matches(case):
            return difference
    return None
