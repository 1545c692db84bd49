"""The databases that queries are asked about: small nasty tables, and the packs' with a few rows.

A database is a folder with schema.sql and data/, as `tamiz sql --schema --data` wants it. What the
generator must know about a column (how large its numbers are, which values occur) is read from
the files themselves, so a new pack needs nothing here: packs/NAME/schema.sql and `tamiz gen NAME`
are enough."""

import csv
import decimal
import io
import pathlib
import random
import re
import subprocess

import tree

PACK_SIZES = ("256K", "1M")
PACK_ROWS_MAX = 60
SAMPLES_MAX = 12
SAMPLE_LENGTH_MAX = 60

# Types of CREATE TABLE by their first word.
TYPES = {
    "boolean": "bool", "int": "int", "integer": "int", "bigint": "bigint", "numeric": "numeric",
    "double": "double", "text": "text", "varchar": "text", "date": "date",
    "timestamp": "timestamp",
}
NAME = r'(\w+|"[^"]+")'
TABLE = re.compile(rf"CREATE TABLE {NAME}\s*\((.*?)\)\s*WITH\s*\((.*?)\)\s*;", re.S | re.I)
COLUMN = re.compile(rf"^\s*{NAME}\s+(\w+)", re.S)
OPTION = re.compile(r"(\w+)\s*=\s*('(?:[^']|'')*'|\w+)")

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)$")
FITS = {
    "bool": re.compile(r"(true|false|t|f|yes|no|on|off|1|0)$", re.I),
    "int": re.compile(r"[+-]?\d{1,10}$"),
    "bigint": re.compile(r"[+-]?\d{1,19}(\.0*)?$"),
    "numeric": NUMBER,
    "double": re.compile(r"([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|NaN|-?Infinity)$", re.I),
    "text": re.compile(r".*$", re.S),
    "date": re.compile(r"\d{4}-\d\d-\d\d$"),
    "timestamp": re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?$"),
}


class Database:
    """`tables` are tree.Table without an alias; `load` are the statements that fill DuckDB."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.tables = []
        self.load = [f"CREATE SCHEMA {name}"]
        for table, columns, options in parse_schema(self.schema.read_text()):
            self.add(table, columns, options)

    @property
    def schema(self):
        return self.folder / "schema.sql"

    @property
    def data(self):
        return self.folder / "data"

    def add(self, table, columns, options):
        files = sorted(self.data.glob(options.get("files", table + ".csv")))
        values = {bare(name): [] for name, _ in columns}
        rows = 0
        for path in files:
            for record in read_csv(path, options)[1:]:
                rows += 1
                for name, field in zip(read_header(path, options), record):
                    if name in values:
                        values[name].append(field)
        made = [describe(name, type, values[bare(name)]) for name, type in columns]
        keys = unique_columns(columns, values, rows)
        self.tables.append(tree.Table(table, None, made, rows, keys))
        self.load += loading(self.name, table, made, files, options)


# --- schemas and files ----------------------------------------------------------------------------


def parse_schema(text):
    """(table, [(column, type)], options) for the tables whose types are all known here. Names are
    as in the schema, some in quotes."""
    text = re.sub(r"--[^\n]*", "", text)
    for name, body, with_ in TABLE.findall(text):
        columns = []
        for part in re.split(r",(?![^(]*\))", body):
            column, type = COLUMN.match(part).groups()
            columns.append((column, TYPES.get(type.lower()) if "[" not in part else None))
        options = {key.lower(): value[1:-1].replace("''", "'") if value[0] == "'" else value
                   for key, value in OPTION.findall(with_)}
        if all(type for _, type in columns) and options.get("header", "true") == "true":
            yield name, columns, options


def bare(name):
    """A name without its quotes, as it stands in the header of a file."""
    return name.strip('"')


def split_records(text, quote):
    """The records of a CSV file with their line ends, as they are."""
    start = at = 0
    inside = False
    while at < len(text):
        if text[at] == quote:
            inside = not inside
        elif text[at] == "\n" and not inside:
            yield text[start:at + 1]
            start = at + 1
        at += 1
    if start < len(text):
        yield text[start:]


def parse_record(record, options):
    """The fields of one record; an empty one is None unless it was quoted."""
    delimiter, quote = options.get("delimiter", ","), options.get("quote", '"')
    record = record.rstrip("\r\n")
    fields = next(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter,
                             quotechar=quote, doublequote=True), [""])
    if "" not in fields:
        return fields
    raw, depth, pieces = "", False, []
    for char in record + delimiter:
        if char == delimiter and not depth:
            pieces.append(raw)
            raw = ""
            continue
        depth ^= char == quote
        raw += char
    return [None if field == "" and piece == "" else field
            for field, piece in zip(fields, pieces)]


def read_csv(path, options):
    text = path.read_bytes().decode("utf-8")
    return [parse_record(r, options) for r in split_records(text, options.get("quote", '"'))]


def read_header(path, options):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return parse_record(file.readline(), options)


# --- what is known about a column -----------------------------------------------------------------


def describe(name, type, values):
    present = [value for value in values if value is not None]
    mag = scale = 0
    if type in ("int", "bigint", "numeric"):
        numbers = [decimal.Decimal(value) for value in present]
        mag = max((abs(int(n)) + (n != int(n)) for n in numbers), default=0)
        scale = max((max(0, -n.as_tuple().exponent) for n in numbers), default=0)
        scale = scale if type == "numeric" else 0
    elif type == "double":
        mag = double_mag(present)
    distinct = sorted({value for value in present if len(value) <= SAMPLE_LENGTH_MAX})
    chosen = distinct[:: max(1, len(distinct) // SAMPLES_MAX)][:SAMPLES_MAX]
    samples = [literal(type, value) for value in chosen]
    return tree.Column(name, type, mag, scale, samples)


def literal(type, value):
    """An expression for a value as it stands in a file."""
    if type in ("int", "bigint", "numeric"):
        return number(type, decimal.Decimal(value))
    if type == "bool":
        truth = value.lower() in ("true", "t", "yes", "on", "1")
        return tree.Expr(type, "true" if truth else "false")
    text = tree.quoted(value)
    if type == "text":
        return tree.Expr(type, text)
    mag = double_mag([value]) if type == "double" else 0
    return tree.Expr(type, f"CAST({text} AS {tree.TYPE_NAMES[type][tree.TAMIZ]})", mag=mag)


def double_mag(values):
    """A bound that says whether products and sums of such doubles stay far from the limits."""
    numbers = [abs(float(value)) for value in values]
    return tree.TAME if all(n == 0 or 1e-3 <= n <= tree.TAME for n in numbers) else tree.WILD


def number(type, value):
    """A bare literal where both dialects give it this type, else a cast."""
    scale = max(0, -value.as_tuple().exponent) if type == "numeric" else 0
    text = f"{value:.{scale}f}"
    mag = abs(int(value)) + (scale > 0)
    if (type == "int" and mag < 2**31) or scale:
        return tree.Expr(type, f"({text})" if value < 0 else text, mag=mag, scale=scale)
    tamiz, duckdb = tree.TYPE_NAMES[type]
    duckdb = tree.decimal_type(mag, 0) if type == "numeric" else duckdb
    return tree.Expr(type, f"CAST('{text}' AS {tamiz})", duckdb=f"CAST('{text}' AS {duckdb})",
                     mag=mag)


def unique_columns(columns, values, rows):
    """A column whose values are all there and all different, or None."""
    for name, _ in columns:
        column = values[bare(name)]
        if rows and None not in column and len(set(column)) == rows:
            return [name]
    return None


def loading(schema, table, columns, files, options):
    """The statements that load a table into DuckDB, as texts first: the casts are then the same for
    every file, whatever the order of its columns."""
    types = {column.name: duckdb_type(column) for column in columns}
    yield (f"CREATE TABLE {schema}.{table} "
           f"({', '.join(f'{name} {type}' for name, type in types.items())})")
    casts = ", ".join(f"CAST({name} AS {type})" for name, type in types.items())
    for path in files:
        names = [f"{tree.quoted(name)}: 'VARCHAR'" for name in read_header(path, options)]
        quote = tree.quoted(options.get("quote", '"'))
        yield (f"INSERT INTO {schema}.{table} SELECT {casts}"
               f" FROM read_csv({tree.quoted(str(path))}, header = true, auto_detect = false,"
               f" delim = {tree.quoted(options.get('delimiter', ','))}, quote = {quote},"
               f" escape = {quote}, nullstr = '', allow_quoted_nulls = false,"
               f" columns = {{{', '.join(names)}}})")


def duckdb_type(column):
    if column.type != "numeric":
        return tree.TYPE_NAMES[column.type][tree.DUCKDB]
    return tree.decimal_type(column.mag, column.scale)


# --- the packs ------------------------------------------------------------------------------------


def make_pack(tamiz, pack, folder):
    """The first rows of every file of generated data. False when there is no generator."""
    generated = folder / "generated"
    for size in PACK_SIZES:
        done = subprocess.run([tamiz, "gen", pack.name, "--out", generated, "--size", size,
                               "--quiet", "--force"], capture_output=True)
        if done.returncode == 0:
            break
    else:
        return False
    text = (pack / "schema.sql").read_text()
    (folder / "schema.sql").write_text(text)
    for _, columns, options in parse_schema(text):
        files = sorted(generated.glob(options["files"]))
        types = {bare(name): type for name, type in columns}
        for path in files:
            shorten(path, folder / "data" / path.relative_to(generated), types, options,
                    max(4, PACK_ROWS_MAX // len(files)))
    return True


def shorten(path, to, types, options, rows):
    """Rows with a field that does not fit its type are left out: rejects are tested elsewhere."""
    records = list(split_records(path.read_bytes().decode("utf-8"), options.get("quote", '"')))
    header = read_header(path, options)
    kept = [records[0]]
    for record in records[1:]:
        fields = parse_record(record, options)
        if len(fields) == len(header) and all(
                value is None or FITS[types.get(name, "text")].match(value)
                for name, value in zip(header, fields)):
            kept.append(record)
        if len(kept) > rows:
            break
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes("".join(kept).encode("utf-8"))


# --- the nasty tables -----------------------------------------------------------------------------

NASTY_SCHEMA = """\
CREATE TABLE a (
    id int, k int, kt text, i int, l bigint, n numeric, m numeric(10,2), d double precision,
    e double precision, s text, w text, b boolean, dt date, ts timestamp
) WITH (files = 'a.csv');
CREATE TABLE b (
    id int, k int, kt text, s text, n numeric, dt date, b boolean
) WITH (files = 'b.csv');
CREATE TABLE c (
    k bigint, kt text, v int, ts timestamp
) WITH (files = 'c.csv');
CREATE TABLE large (
    id bigint, k int, g int, v numeric(12,3), w text, dt date
) WITH (files = 'large/*.csv');
CREATE TABLE none (
    id int, k int, kt text, n numeric
) WITH (files = 'none.csv');
CREATE TABLE one (
    id int, k int, kt text, ts timestamp, b boolean
) WITH (files = 'one.csv');
"""

KEYS = [1, 2, 3, 3, 5, -1, 0, None]
KEY_TEXTS = ["a", "b", "b", "B", "", "ñ", None]
INTS = [0, 1, -1, 2, 7, 42, 42, -42, 100, 1000000, 2147483647, -2147483648, None]
BIGINTS = [0, 1, -1, 13, 4200000000, -4200000000, 9223372036854775807, -9223372036854775808, 10**15,
           None, None]
NUMERICS = ["0", "0.0", "1", "1.00", "-1", "0.1", "-0.1", "2.5", "3.5", "-2.5", "0.5", "1.005",
            "78.0", "78.00", "12345678901.123456789", "-99999999999.999999999", "0.000000001",
            "33.333", None, None]
MONEY = ["0.00", "1.00", "-1.00", "0.01", "12.34", "99999999.99", "-99999999.99", "15.50", None]
DOUBLES = ["0", "-0", "1", "-1", "0.1", "0.30000000000000004", "1e15", "1e16", "1e-5", "5e-324",
           "1.7976931348623157e308", "-1.7976931348623157e308", "2.5", "3.5", "Infinity",
           "-Infinity", "NaN", None]
TAME = ["0.25", "0.5", "1.75", "10", "100.125", "3", "2.5", None]
TEXTS = ["", "a", "A", "ab", "abc", "b", "it's", 'say "hi"', "a,b", "line1\nline2", "  blanks  ",
         "ñandú", "日本語", "ÁRBOL", "árbol", "straße", "x😀y", "%_%", "a\\b", "NULL", "null", "tab\t",
         "0", "-1", "1.0", "aXbXc", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", None, None]
WORDS = ["red", "green", "blue", "red", "Red", "green apple", "blue-green", "a-b-c", "grey42", None]
DATES = ["0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31", "2000-02-29", "1900-02-28",
         "2024-02-29", "2024-12-30", "2024-12-31", "2023-01-01", "2021-01-03", "1582-10-15", None]
STAMPS = ["0001-01-01 00:00:00", "9999-12-31 23:59:59", "1970-01-01 00:00:00",
          "1969-12-31 23:59:59.5", "2024-02-29 23:59:59.999999", "2024-12-30 07:08:09",
          "2021-01-03 01:02:03.123", "2024-01-31 06:00:00", "2024-01-31 06:00:00", None]
BOOLS = ["true", "false", None]


def csv_field(value, rng):
    """None is an empty field, '' two quotes; now and then quotes that need not be."""
    if value is None:
        return ""
    text = str(value)
    if text == "" or any(c in text for c in ',"\r\n') or rng.random() < 0.05:
        return '"' + text.replace('"', '""') + '"'
    return text


def write_table(path, names, rows, rng):
    lines = [names.split()] + rows
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(",".join(csv_field(v, rng) for v in line) + "\n" for line in lines)
    path.write_bytes(text.encode("utf-8"))


def make_nasty(folder, seed):
    rng = random.Random(f"tables {seed}")
    pick = rng.choice
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "schema.sql").write_text(NASTY_SCHEMA)
    pools = [KEYS, KEY_TEXTS, INTS, BIGINTS, NUMERICS, MONEY, DOUBLES, TAME, TEXTS, WORDS, BOOLS,
             DATES, STAMPS]
    rows = [[n, *map(pick, pools)] for n in range(1, rng.randint(20, 40))]
    write_table(data / "a.csv", "id k kt i l n m d e s w b dt ts", rows, rng)
    pools = [KEYS, KEY_TEXTS, TEXTS, NUMERICS, DATES, BOOLS]
    rows = [[n, *map(pick, pools)] for n in range(1, rng.randint(12, 25))]
    write_table(data / "b.csv", "id k kt s n dt b", rows, rng)
    rows = [list(map(pick, [KEYS, KEY_TEXTS, INTS, STAMPS])) for _ in range(rng.randint(8, 16))]
    write_table(data / "c.csv", "k kt v ts", rows + rows[:3], rng)
    for part in range(3):
        rows = [[part * 60 + n, pick(KEYS), pick([None, *range(200)]),
                 f"{rng.randint(-10**6, 10**6) / 1000:.3f}", pick(WORDS),
                 f"20{rng.randint(20, 24)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"]
                for n in range(60)]
        write_table(data / "large" / f"{part}.csv", "id k g v w dt", rows, rng)
    write_table(data / "none.csv", "id k kt n", [], rng)
    write_table(data / "one.csv", "id k kt ts b", [[1, 3, "b", pick(STAMPS), pick(BOOLS)]], rng)


def make_all(tamiz, packs, folder, seed, variants):
    """The databases below `folder`, made when they are not there."""
    made = []
    for variant in range(variants):
        path = folder / f"nasty{seed}_{variant}"
        make_nasty(path, f"{seed} {variant}")
        made.append(Database(path.name, path))
    for schema in sorted(pathlib.Path(packs).glob("*/schema.sql")):
        path = folder / schema.parent.name
        path.mkdir(parents=True, exist_ok=True)
        if make_pack(tamiz, schema.parent, path):
            made.append(Database(schema.parent.name, path))
    return made
