"""Where tamiz and DuckDB differ for a known reason.

Each has a reason and a narrow test. What matches is counted and told at the end, never hidden."""

import re


class Difference:
    def __init__(self, name, reason, matches):
        self.name = name
        self.reason = reason
        self.matches = matches


def error_pair(tamiz, duckdb):
    """Matches when tamiz fails, or DuckDB does, with such a message, and the other answers."""
    def matches(case):
        for wanted, failed, other in ((tamiz, case.tamiz, case.duckdb),
                                      (duckdb, case.duckdb, case.tamiz)):
            if wanted and failed.error and not other.error and re.search(wanted, failed.error):
                return True
        return False
    return matches


DIFFERENCES = [
]


def explain(case):
    """The difference that a case shows, or None."""
    for difference in DIFFERENCES:
        if difference.matches(case):
            return difference
    return None
