"""Compares two results in CSV by value: 78.0 equals 78.000, and text equals itself."""

import csv
import decimal

DIFFERENCES_MAX = 10


def value(text):
    """A number without trailing zeros, or the text as it is."""
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


def differences(expected_path, got_path, ordered):
    """What is different, as short lines; none when the results are the same."""
    (expected_names, expected), (got_names, got) = read(expected_path), read(got_path)
    if expected_names != got_names:
        return [f"columns {','.join(got_names)} instead of {','.join(expected_names)}"]
    if not ordered:
        expected.sort(key=lambda row: [str(field) for field in row])
        got.sort(key=lambda row: [str(field) for field in row])
    lines = []
    if len(expected) != len(got):
        lines.append(f"{len(got)} rows instead of {len(expected)}")
    for number, (want, have) in enumerate(zip(expected, got), 1):
        if want != have:
            want, have = (",".join(map(plain, row)) for row in (want, have))
            lines.append(f"row {number}: {have} instead of {want}")
            if len(lines) == DIFFERENCES_MAX:
                return lines + ["..."]
    return lines
