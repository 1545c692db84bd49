"""Compares two results in CSV by value: 78.0 equals 78.000, lists by their items, text by itself."""

import csv
import decimal
import json

DIFFERENCES_MAX = 10


def value(text):
    """A number without trailing zeros, a list in one form, or the text as it is."""
    if text.startswith("["):
        try:
            return json.dumps(json.loads(text))
        except ValueError:
            return text
    try:
        number = decimal.Decimal(text)
    except decimal.InvalidOperation:
        return text
    return number.normalize() if number.is_finite() else text


def plain(field):
    """Not 1.9E+3."""
    return format(field, "f") if isinstance(field, decimal.Decimal) else field


def read(path):
    with open(path, encoding="utf-8", newline="") as lines:
        table = list(csv.reader(lines))
    return table[0], [[value(field) for field in row] for row in table[1:]]


def same(want, have, tolerance):
    if tolerance and isinstance(want, decimal.Decimal) and isinstance(have, decimal.Decimal):
        return abs(want - have) <= abs(want) * decimal.Decimal(tolerance)
    return want == have


def sort_key(row):
    """Numbers by their first digits, so that those which differ in the last stand alike."""
    return [f"{field:.6g}" if isinstance(field, decimal.Decimal) else field for field in row]


def differences(expected_path, got_path, ordered, tolerance=0):
    """What is different, as short lines; none when the results are the same. Numbers may differ by
    the relative tolerance."""
    (expected_names, expected), (got_names, got) = read(expected_path), read(got_path)
    if expected_names != got_names:
        return [f"columns {','.join(got_names)} instead of {','.join(expected_names)}"]
    if not ordered:
        key = sort_key if tolerance else lambda row: [str(field) for field in row]
        expected.sort(key=key)
        got.sort(key=key)
    lines = []
    if len(expected) != len(got):
        lines.append(f"{len(got)} rows instead of {len(expected)}")
    for number, (want, have) in enumerate(zip(expected, got), 1):
        if len(want) != len(have) or not all(same(w, h, tolerance) for w, h in zip(want, have)):
            want, have = (",".join(map(plain, row)) for row in (want, have))
            lines.append(f"row {number}: {have} instead of {want}")
            if len(lines) == DIFFERENCES_MAX:
                return lines + ["..."]
    return lines
