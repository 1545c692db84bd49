"""Are two answers the same? By value: 78.0 is 78.00, unless PostgreSQL says which of them it is, and sums of
doubles may differ in their last digits."""

import decimal
import math

decimal.getcontext().prec = 80

APPROX_RELATIVE = 1e-9
APPROX_ABSOLUTE = 1e-9


def value(type, raw, scales=False):
    """A value that compares and sorts alike for both engines. `scales`: with all its decimals."""
    if raw is None:
        return None
    if scales and type == "numeric":
        return str(decimal.Decimal(raw))
    if type in ("int", "bigint", "numeric"):
        return decimal.Decimal(raw).normalize()
    if type in ("double", "approx"):
        number = float(raw)
        return "NaN" if math.isnan(number) else number + 0.0
    return raw


def rows_of(types, answer, scales=False):
    return [[value(type, raw, scales) for type, raw in zip(types, row)] for row in answer.rows]


def sort_key(types):
    """Exact columns first: rows that differ in their approximate ones alone stay together."""
    exact = [n for n, type in enumerate(types) if type != "approx"]
    approx = [n for n, type in enumerate(types) if type == "approx"]

    def key(row):
        return ([(row[n] is None, str(row[n])) for n in exact],
                [(row[n] is None, isinstance(row[n], str), 0 if row[n] is None else row[n])
                 for n in approx])
    return key


def close(type, a, b):
    if a == b:
        return True
    if type != "approx" or None in (a, b) or isinstance(a, str) or isinstance(b, str):
        return False
    return math.isclose(a, b, rel_tol=APPROX_RELATIVE, abs_tol=APPROX_ABSOLUTE)


def same(types, ordered, tamiz, peer, scales=False):
    """Whether both answers have the same rows; in the same order when `ordered`."""
    ours, theirs = rows_of(types, tamiz, scales), rows_of(types, peer, scales)
    if len(ours) != len(theirs):
        return False
    if not ordered:
        ours, theirs = (sorted(rows, key=sort_key(types)) for rows in (ours, theirs))
    return all(close(type, a, b) for mine, other in zip(ours, theirs)
               for type, a, b in zip(types, mine, other))
