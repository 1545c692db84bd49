"""Where tamiz and its peer differ for a known reason.

Each has a reason and a narrow test. What matches is counted and told at the end, never hidden."""

import collections
import decimal
import re

import compare


class Difference:
    def __init__(self, name, reason, matches, peer="duckdb"):
        self.name = name
        self.peer = peer
        self.reason = reason
        self.matches = matches


def negated_key(case):
    return bool(case.peer.error and not case.tamiz.error
                and "must appear in the GROUP BY clause" in case.peer.error
                and re.search(r"\(NOT \(.* (IS (NOT )?DISTINCT FROM|[<>]=?|=|<>) ", case.sql[1]))


def constant_without_rows(case):
    return bool(case.tamiz.error and case.tamiz.error.rstrip().endswith("out of range")
                and not case.peer.error and re.search(r"LIMIT 0\b", case.sql[0]))


def rounded(types, answer):
    """The rows as a multiset, numbers to nine digits."""
    return collections.Counter(
        tuple(f"{float(value):.9g}" if isinstance(value, (float, decimal.Decimal)) else repr(value)
              for value in row) for row in compare.rows_of(types, answer))


def decimal_as_double(case):
    if case.tamiz.error or case.peer.error:
        return False
    types = case.query.types
    doubles = any(type == "numeric" and isinstance(raw, float)
                  for row in case.peer.rows for type, raw in zip(types, row))
    return doubles and rounded(types, case.tamiz) == rounded(types, case.peer)


EITHER_OF_EQUALS = re.compile(r"\b(GROUP BY|DISTINCT|UNION|INTERSECT|EXCEPT|ORDER BY|OVER|min|max|mode|count)\b")


def other_scale(case):
    """Equal decimals have several forms: which of them stands for a group, or comes first of two, is free."""
    return bool(not case.tamiz.error and not case.peer.error and EITHER_OF_EQUALS.search(case.sql[0])
                and compare.same(case.query.types, case.query.total(), case.tamiz, case.peer))


def folded(types, answer):
    """The rows as a multiset, whatever the case of their letters."""
    return collections.Counter(tuple(repr(value).casefold() for value in row) for row in compare.rows_of(types, answer))


def letters_of_bytes(case):
    if case.tamiz.error or case.peer.error:
        return False
    return bool("convert_from(" in case.sql[0] and re.search(r"\b(lower|upper|initcap)\(", case.sql[0])
                and folded(case.query.types, case.tamiz) == folded(case.query.types, case.peer))


DIFFERENCES = [
    Difference("letters-of-convert_from", "PostgreSQL takes the collation C from the name of the encoding, which is a"
               " name, for the text: upper and lower then know ASCII alone", letters_of_bytes, "postgres"),
    Difference("either-of-equals", "1.0 and 1.00 are equal: which of them stands for a group, or comes first, is"
               " not said", other_scale, "postgres"),
    Difference("duckdb-decimal-as-double", "where two decimals need more than 38 digits together DuckDB"
               " makes them doubles", decimal_as_double),
    Difference("constant-without-rows", "an expression of constants is evaluated when the query is"
               " planned, as PostgreSQL does, and fails then even if LIMIT 0 wants no row of it",
               constant_without_rows),
    Difference("duckdb-negated-key", "DuckDB turns NOT (a < b) into a >= b, and so on, before it"
               " looks for the key of GROUP BY, and then misses it", negated_key),
]


def explain(case):
    """The difference that a case shows, or None."""
    for difference in DIFFERENCES:
        if case.peer_name == difference.peer and difference.matches(case):
            return difference
    return None
