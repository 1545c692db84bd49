"""The productions of expressions, with their weights.

A production is a function with @rule(types, weight, feature): it returns a tree.Expr, or None when
it cannot make one here, and then another is tried. `g` is a generate.Generator, `depth` how deep
the operands may be. Both dialects are written side by side: `duckdb` is DuckDB's text where it
differs.

Expressions are such that both engines must give the same answer:
- numbers carry a bound (mag, scale), and only what cannot overflow is made;
- divisors go through NULLIF; dates move only when they are far from the ends of the calendar;
- a double that depends on the order of operations is `approx`: printed, never compared."""

import database
from scope import (COMPARABLE, EXACT, LIMITS, SORTED, Scope, column_expr, digits, fits, is_column,
                   same, scope_of)
from tree import TYPE_NAMES, UNORDERED, WILD, Expr, Query, Select, decimal_type, null, quoted

RULES = {}


def rule(types, weight=1, feature=None):
    def register(make):
        for type in types.split():
            RULES.setdefault(type, []).append((weight, feature, make))
        return make
    return register

CONSTANTS = {
    "bool": ("true", "false"),
    "int": ("0", "1", "-1", "2", "3", "7", "100", "2147483647", "-2147483648"),
    "bigint": ("0", "1", "-1", "5", "10000000000", "9223372036854775807"),
    "numeric": ("0", "0.0", "1.50", "-0.5", "2.5", "100", "0.001", "99999.99999"),
    "double": ("0", "0.5", "-1.5", "1e10", "0.1"),
    "text": ("", "a", "b", "red", "A", "%", "zz", "ñ", "a-b"),
    "date": ("1970-01-01", "2024-02-29", "2000-01-01", "1999-12-31"),
    "timestamp": ("1970-01-01 00:00:00", "2024-01-31 06:00:00", "2024-06-30 23:59:59.5"),
}


# --- any type -------------------------------------------------------------------------------------


ANY = "bool int bigint numeric double text date timestamp approx"


@rule(ANY, 2)
def case(g, type, depth):
    whens = g.rng.randint(1, 2)
    conditions = [g.expr("bool", depth) for _ in range(whens)]
    values = [g.expr(type, depth) for _ in range(whens + g.chance(0.7))]
    text = "".join(f" WHEN {{{n}}} THEN {{{whens + n}}}" for n in range(whens))
    text += f" ELSE {{{2 * whens}}}" if len(values) > whens else ""
    return Expr(type, f"CASE{text} END", conditions + values, **same(type, values))


@rule(" ".join(SORTED), 1)
def case_of_value(g, type, depth):
    subject = g.pick(("int", "text"))
    values = [g.expr(type, depth) for _ in range(2)]
    parts = [g.expr(subject, depth), g.constant(subject), *values]
    return Expr(type, "CASE {0} WHEN {1} THEN {2} ELSE {3} END", parts, **same(type, values))


@rule(ANY, 2)
def coalesce(g, type, depth):
    parts = [g.expr(type, depth) for _ in range(g.rng.randint(2, 3))]
    return Expr(type, f"COALESCE({slots(parts)})", parts, **same(type, parts))


@rule("bool int bigint numeric double text date timestamp", 1)
def nullif(g, type, depth):
    parts = [g.expr(type, depth), g.expr(type, depth)]
    return Expr(type, "NULLIF({0}, {1})", parts, **same(type, parts[:1]))


@rule(" ".join(SORTED), 1)
def greatest(g, type, depth):
    parts = [g.expr(type, depth) for _ in range(g.rng.randint(2, 3))]
    return Expr(type, f"{g.pick(('GREATEST', 'LEAST'))}({slots(parts)})", parts,
                **same(type, parts))


@rule(ANY, 1, "scalar_subquery")
def scalar_subquery(g, type, depth):
    query = one_row(g, type) if g.scope.subqueries else None
    return query and Expr(type, "({0})", [query], mag=query.body.items[0].mag,
                          scale=query.body.items[0].scale)


def slots(parts, first=0):
    return ", ".join(f"{{{n}}}" for n in range(first, first + len(parts)))


def one_row(g, type):
    """A query of one row: an aggregate, perhaps over rows that match the outer one."""
    outer, g.scope = g.scope, Scope([], 1, None)
    relation = g.relation(0)
    columns = outer.inner.columns if outer.inner else outer.columns
    inner = scope_of([relation])
    g.scope = inner
    comparisons = ("=", "=", "<", ">=", "<>") if "correlated_any" in g.features else ("=",)
    where = match_outer(g, relation, [] if outer.inner else columns, comparisons)
    g.scope = Scope([], 1, None, inner=inner)
    item = g.aggregate(type)
    g.scope = outer
    return Query(Select([item], relation, where)) if item is not None else None


def match_outer(g, relation, columns, comparisons=("=",)):
    """A WHERE of a subquery: a comparison with a column outside when that may be, and more."""
    where = g.expr("bool", 1) if g.chance(0.4) else None
    pairs = [(column_expr(relation.alias, c), o) for c in relation.columns for o in columns
             if is_column(o) and c.type == o.type and c.type not in UNORDERED]
    if "correlated" not in g.features or not pairs or g.chance(0.4):
        return where
    same_name = [p for p in pairs
                 if p[0].text[0].split(".")[-1] == p[1].text[0].split(".")[-1]]
    match = Expr("bool", f"({{0}} {g.pick(comparisons)} {{1}})", g.pick(same_name or pairs))
    return Expr("bool", "({0} AND {1})", [match, where]) if where else match


# --- truth values ---------------------------------------------------------------------------------


@rule("bool", 8)
def compare(g, type, depth):
    op = g.pick(("=", "=", "<>", "<", "<=", ">", ">="))
    kind = g.pick(COMPARABLE)
    other = g.pick(EXACT) if kind in EXACT else kind
    return Expr("bool", f"({{0}} {op} {{1}})", [g.expr(kind, depth), g.expr(other, depth)])


@rule("bool", 4)
def logic(g, type, depth):
    return Expr("bool", f"({{0}} {g.pick(('AND', 'OR'))} {{1}})",
                [g.expr("bool", depth), g.expr("bool", depth)])


@rule("bool", 2)
def negation(g, type, depth):
    return Expr("bool", "(NOT {0})", [g.expr("bool", depth)])


@rule("bool", 3)
def is_null(g, type, depth):
    return Expr("bool", f"({{0}} IS {g.pick(('', 'NOT '))}NULL)",
                [g.expr(g.pick(COMPARABLE), depth)])


@rule("bool", 2)
def is_distinct(g, type, depth):
    kind = g.pick(COMPARABLE)
    return Expr("bool", f"({{0}} IS {g.pick(('', 'NOT '))}DISTINCT FROM {{1}})",
                [g.expr(kind, depth), g.expr(kind, depth)])


@rule("bool", 1)
def is_truth(g, type, depth):
    return Expr("bool", f"({{0}} IS {g.pick(('', 'NOT '))}{g.pick(('TRUE', 'FALSE'))})",
                [g.expr("bool", depth)])


@rule("bool", 2)
def between(g, type, depth):
    kind = g.pick(SORTED)
    return Expr("bool", f"({{0}} {g.pick(('', 'NOT '))}BETWEEN {{1}} AND {{2}})",
                [g.expr(kind, depth), g.expr(kind, 0), g.expr(kind, 0)])


@rule("bool", 3)
def in_list(g, type, depth):
    kind = g.pick(SORTED)
    items = [g.constant(kind) if g.chance(0.8) else g.expr(kind, depth)
             for _ in range(g.rng.randint(1, 5))]
    if g.chance(0.1):
        items.append(null(kind))
    return Expr("bool", f"({{0}} {g.pick(('', 'NOT '))}IN ({slots(items, 1)}))",
                [g.expr(kind, depth), *items])


@rule("bool", 1)
def in_subquery(g, type, depth):
    if depth < 1 or not g.scope.subqueries:
        return None
    kind = g.pick(SORTED)
    outer, g.scope = g.scope, Scope([], 1, None)
    query = g.query(0, nested=True, types=[kind])
    g.scope = outer
    op = g.pick(("IN", "IN", "NOT IN", "= ANY", "<> ALL"))
    return Expr("bool", f"({{0}} {op} ({{1}}))", [g.expr(kind, depth), query])


@rule("bool", 1, "rows")
def compare_rows(g, type, depth):
    """Rows of two fields; DuckDB takes NULL for a value in them, so it gets none."""
    kinds = [g.pick(("int", "text")) for _ in range(2)]
    blank = {"int": "0", "text": "''"}
    left, right = ([Expr(k, f"COALESCE({{0}}, {blank[k]})", [g.expr(k, depth - 1)]) for k in kinds]
                   for _ in range(2))
    op = g.pick(("=", "<>", "<", "<=", ">", ">=", "IN"))
    form = "({0}, {1}) IN (({2}, {3}), ({0}, {3}))" if op == "IN" else f"({{0}}, {{1}}) {op} ({{2}}, {{3}})"
    return Expr("bool", f"({form})", left + right)


@rule("bool", 1, "compare_any")
def compare_subquery(g, type, depth):
    """A comparison with any or all rows of a subquery."""
    if depth < 1 or not g.scope.subqueries:
        return None
    kind = g.pick(SORTED)
    outer, g.scope = g.scope, Scope([], 1, None)
    query = g.query(0, nested=True, types=[kind])
    g.scope = outer
    op = g.pick(("<", "<=", ">", ">=", "<>", "=")) + g.pick((" ANY", " ALL"))
    return Expr("bool", f"({{0}} {op} ({{1}}))", [g.expr(kind, depth), query])


@rule("bool", 1)
def common_condition(g, type, depth):
    """A condition that stands in every branch of an OR."""
    if depth < 2:
        return None
    return Expr("bool", "(({0} AND {1}) OR ({2} AND {0}))", [g.expr("bool", depth - 1) for _ in range(3)])


@rule("bool", 1, "correlated")
def in_matching(g, type, depth):
    """IN (SELECT ...) over the rows that match the outer one."""
    if not g.scope.subqueries or g.scope.inner:
        return None
    outer = g.scope
    g.scope = Scope([], 1, None)
    relation = g.relation(0)
    g.scope = scope_of([relation])
    kind = g.pick([c for c in relation.columns if c.type not in UNORDERED] or [None])
    if kind is not None:
        where = match_outer(g, relation, outer.columns)
        query = Query(Select([g.expr(kind.type, 1)], relation, where))
    g.scope = outer
    return kind and Expr("bool", f"({{0}} {g.pick(('', 'NOT '))}IN ({{1}}))",
                         [g.expr(kind.type, depth), query])


@rule("bool", 2, "exists")
def exists(g, type, depth):
    if not g.scope.subqueries:
        return None
    columns = [] if g.scope.inner else g.scope.columns
    outer, g.scope = g.scope, Scope([], 1, None)
    relation = g.relation(0)
    g.scope = scope_of([relation])
    where = match_outer(g, relation, columns, ("=", "=", "<>", "<", ">="))
    query = Query(Select([g.small(1, 1)], relation, where))
    g.scope = outer
    return Expr("bool", f"({g.pick(('', 'NOT '))}EXISTS ({{0}}))", [query])


PATTERNS = ("%", "a%", "%b", "%a%", "_", "__", "%_%", "re_", "r%d", "%e%e%", "", "a\\_%", "\\%%",
            "%\\\\%", "%ñ%", "_日%", "%😀_", "A%", "%-%")


@rule("bool", 3)
def like(g, type, depth):
    op = g.pick(("LIKE", "LIKE", "NOT LIKE", "ILIKE"))
    pattern = Expr("text", quoted(g.pick(PATTERNS)))
    return Expr("bool", f"({{0}} {op} {{1}})", [g.expr("text", depth), pattern],
                duckdb=f"({{0}} {op} {{1}} ESCAPE '\\')")


@rule("bool", 1)
def time_of_day(g, type, depth):
    return Expr("bool", "(CAST({0} AS time) BETWEEN time '06:00:00' AND time '23:59:59')",
                [g.expr("timestamp", depth)])


@rule("bool", 1)
def starts_with(g, type, depth):
    return Expr("bool", "starts_with({0}, {1})", [g.expr("text", depth), g.expr("text", 0)])


@rule("bool", 1)
def any_of_list(g, type, depth):
    """Spelt out for DuckDB, which has no = ANY in the condition of an outer join."""
    return Expr("bool", "({0} = ANY({1}))", [g.expr("text", depth), g.expr("list", depth)],
                duckdb="CASE WHEN {1} IS NULL THEN NULL WHEN len({1}) = 0 THEN false"
                " WHEN {0} IS NULL THEN NULL WHEN list_contains({1}, {0}) THEN true"
                " WHEN list_count({1}) = len({1}) THEN false END")


# Patterns whose match is the same for leftmost-first (RE2) and leftmost-longest (POSIX).
REGEXES = ("^a", "b$", "^[a-z]+$", "[0-9]", "e+", "(re|gre)", "^$", "a.c", "[^a-z]", "^.{3}$", "-")


@rule("bool", 2, "regex")
def regex(g, type, depth):
    pattern = Expr("text", quoted(g.pick(REGEXES)))
    op, duckdb = g.pick((("~", "regexp_matches({0}, {1})"), ("~*", "regexp_matches({0}, {1}, 'i')"),
                         ("!~", "(NOT regexp_matches({0}, {1}))")))
    return Expr("bool", f"({{0}} {op} {{1}})", [g.expr("text", depth), pattern], duckdb=duckdb)


# --- numbers --------------------------------------------------------------------------------------


@rule("int bigint numeric", 6)
def arithmetic(g, type, depth):
    op = g.pick("+-*")
    a, b = g.expr(type, depth), g.expr(type, depth)
    if type == "bigint" and g.chance(0.3):
        b = g.expr("int", depth)
    mag = a.mag * b.mag if op == "*" else a.mag + b.mag
    scale = a.scale + b.scale if op == "*" else max(a.scale, b.scale)
    if not fits(type, mag, scale):
        return None
    duckdb = None
    if type == "numeric":
        wide, result = decimal_type(a.mag, a.scale), decimal_type(mag, scale)
        duckdb = f"CAST(CAST({{0}} AS {wide}) {op} {{1}} AS {result})"
    return Expr(type, f"({{0}} {op} {{1}})", [a, b], duckdb=duckdb, mag=mag, scale=scale)


@rule("int", 1)
def guarded_arithmetic(g, type, depth):
    """Large operands, but only where they are small: CASE must not compute the others."""
    a, b = g.leaf("int"), g.leaf("int")
    return Expr(type, "CASE WHEN {0} BETWEEN -1000 AND 1000 AND {1} BETWEEN -1000 AND 1000"
                f" THEN {{0}} {g.pick('+-*')} {{1}} END", [a, b], mag=10**6)


@rule("int bigint", 2)
def divide(g, type, depth):
    a, b = g.expr(type, depth), g.expr(type, depth)
    if a.mag > LIMITS[type]:
        return None
    op = g.pick("/%")
    return Expr(type, f"({{0}} {op} NULLIF({{1}}, 0))", [a, b], mag=a.mag,
                duckdb=f"({{0}} {'//' if op == '/' else op} NULLIF({{1}}, 0))")


@rule("numeric", 1)
def remainder(g, type, depth):
    a, b = g.expr(type, depth), g.expr(type, depth)
    scale = max(a.scale, b.scale)
    if digits(max(a.mag, b.mag)) + scale > 18:
        return None
    form = g.pick(("({0} % NULLIF({1}, 0))", "mod({0}, NULLIF({1}, 0))"))
    return Expr(type, form, [a, b], mag=a.mag, scale=scale, duckdb="({0} % NULLIF({1}, 0))")


@rule("int bigint numeric double", 1)
def sign_changes(g, type, depth):
    a = g.expr(type, depth)
    if type in LIMITS and a.mag > LIMITS[type]:
        return None
    return Expr(type, g.pick(("(- {0})", "abs({0})")), [a], mag=a.mag, scale=a.scale)


@rule("bigint numeric double", 2)
def from_int(g, type, depth):
    a = g.expr("int", depth)
    tamiz, duckdb = TYPE_NAMES[type]
    if type == "numeric":
        duckdb = decimal_type(a.mag, 0)
    return Expr(type, f"CAST({{0}} AS {tamiz})", [a], duckdb=f"CAST({{0}} AS {duckdb})", mag=a.mag)


@rule("int bigint", 1)
def from_numeric(g, type, depth):
    a = g.within("numeric", depth, 10**9)
    tamiz, duckdb = TYPE_NAMES[type]
    return a and Expr(type, f"CAST({{0}} AS {tamiz})", [a], duckdb=f"CAST({{0}} AS {duckdb})",
                      mag=a.mag + 1)


@rule("int", 1)
def from_double(g, type, depth):
    a = g.within("double", depth, 10**9)
    return a and Expr(type, "CAST({0} AS int)", [a], mag=a.mag + 1)


@rule("int", 1)
def from_bool(g, type, depth):
    return Expr(type, "CAST({0} AS int)", [g.expr("bool", depth)], mag=1)


@rule("int", 2)
def text_numbers(g, type, depth):
    text = g.expr("text", depth)
    form = g.weighted([(3, None, "length({0})"), (1, None, "char_length({0})"),
                       (1, None, "octet_length({0})"), (1, None, "strpos({0}, {1})"),
                       (1, None, "position({1} IN {0})")])
    duckdb = form.replace("char_length", "length").replace("octet_length", "strlen")
    return Expr(type, form, [text, g.expr("text", 0)], duckdb=f"CAST({duckdb} AS INTEGER)",
                mag=10**6)


FIELDS = ("year", "month", "day", "quarter", "dow", "isodow", "doy", "week", "decade", "century",
          "isoyear")
TIME_FIELDS = FIELDS + ("hour", "minute")


@rule("int", 2)
def date_fields(g, type, depth):
    kind = g.pick(("date", "timestamp"))
    field = g.pick(FIELDS if kind == "date" else TIME_FIELDS)
    form = g.pick((f"extract({field} FROM {{0}})", f"date_part('{field}', {{0}})"))
    return Expr(type, f"CAST({form} AS int)", [g.expr(kind, depth)], mag=9999)


@rule("int", 1)
def days_between(g, type, depth):
    return Expr(type, "({0} - {1})", [g.expr("date", depth), g.expr("date", depth)], mag=4 * 10**6,
                duckdb="CAST({0} - {1} AS INTEGER)")


@rule("int", 1)
def cardinality(g, type, depth):
    return Expr(type, "cardinality({0})", [g.expr("list", depth)], mag=10,
                duckdb="CAST(len({0}) AS INTEGER)")


@rule("numeric", 2)
def rounding(g, type, depth):
    a = g.expr(type, depth)
    places = g.rng.randint(0, 3)
    if not fits(type, a.mag + 1, max(places, a.scale)):
        return None
    name = g.pick(("round", "round", "trunc"))
    if g.chance(0.5) or name == "trunc":
        return Expr(type, f"{name}({{0}})", [a], mag=a.mag + 1)
    return Expr(type, f"{name}({{0}}, {places})", [a], mag=a.mag + 1, scale=places)


@rule("numeric double", 1)
def ceiling(g, type, depth):
    a = g.expr(type, depth)
    if type == "numeric" and not fits(type, a.mag + 1):
        return None
    return Expr(type, f"{g.pick(('ceil', 'floor', 'ceiling'))}({{0}})", [a], mag=a.mag + 1)


@rule("double", 1)
def round_double(g, type, depth):
    a = g.expr(type, depth)
    return Expr(type, "round({0})", [a], duckdb="round_even({0}, 0)", mag=a.mag + 1)


@rule("numeric", 1)
def sign(g, type, depth):
    return Expr(type, "sign({0})", [g.expr(type, depth)], mag=1,
                duckdb="CAST(sign({0}) AS DECIMAL(1,0))")


@rule("numeric", 2)
def to_precision(g, type, depth):
    a = g.expr(type, depth)
    scale = g.rng.randint(0, 4)
    if digits(a.mag + 1) > 15:
        return None
    return Expr(type, f"CAST({{0}} AS numeric(20,{scale}))", [a], mag=a.mag + 1, scale=scale,
                duckdb=f"CAST({{0}} AS DECIMAL(20,{scale}))")


@rule("numeric", 1)
def from_bigint(g, type, depth):
    a = g.expr("bigint", depth)
    return Expr(type, "CAST({0} AS numeric)", [a], mag=a.mag,
                duckdb=f"CAST({{0}} AS {decimal_type(a.mag, 0)})")


@rule("numeric", 1)
def seconds(g, type, depth):
    field, duckdb = g.pick((
        ("second", "(CAST(extract(microseconds FROM {0}) AS DECIMAL(18,0)) * 0.000001)"),
        ("epoch", "(CAST(epoch_us({0}) AS DECIMAL(18,0)) * 0.000001)")))
    return Expr(type, f"extract({field} FROM {{0}})", [g.expr("timestamp", depth)], duckdb=duckdb,
                mag=10**12, scale=6)


@rule("numeric", 1, "interval")
def seconds_between(g, type, depth):
    times = [g.expr("timestamp", depth), g.expr("timestamp", 0)]
    return Expr(type, "extract(epoch FROM ({0} - {1}))", times, mag=10**12, scale=6, duckdb="(CAST("
                "date_diff('microsecond', {1}, {0}) AS DECIMAL(19,0)) * 0.000001)")


@rule("double", 3)
def double_arithmetic(g, type, depth):
    op = g.pick("+-*")
    a, b = g.expr(type, depth), g.expr(type, depth)
    mag = a.mag * b.mag if op == "*" else a.mag + b.mag
    if max(a.mag, b.mag) >= WILD or mag > 10**100:
        return None
    return Expr(type, f"({{0}} {op} {{1}})", [a, b], mag=mag)


@rule("double", 1)
def numeric_to_double(g, type, depth):
    """Of up to 15 digits: DuckDB rounds twice where there are more."""
    a = g.expr("numeric", depth)
    if digits(a.mag) + a.scale > 15:
        return None
    return Expr(type, "CAST({0} AS double precision)", [a], mag=a.mag)


@rule("approx", 4)
def ratio(g, type, depth):
    kind = g.pick(EXACT)
    a, b = g.expr(kind, depth), g.expr(kind, depth)
    if digits(max(a.mag, b.mag)) + max(a.scale, b.scale) > 15:
        a, b = g.small(-9, 9), g.small(-9, 9)
    return Expr(type, "(CAST({0} AS double precision) / NULLIF({1}, 0))", [a, b],
                duckdb="(CAST({0} AS DOUBLE) / CAST(NULLIF({1}, 0) AS DOUBLE))")


@rule("approx", 2)
def transcendental(g, type, depth):
    a = g.within("int", depth, 10**6) or g.small(0, 9)
    form = g.pick(("sqrt(abs({0}))", "exp({0} % 50)", "ln(NULLIF(abs({0}), 0))",
                   "power({0} % 10, 3)"))
    return Expr(type, form.replace("{0}", "CAST({0} AS double precision)", 1)
                if "%" not in form else form, [a])


# --- texts ----------------------------------------------------------------------------------------


@rule("text", 4)
def concatenate(g, type, depth):
    parts = [g.expr("text", depth), g.expr("text", depth)]
    if g.chance(0.3):
        form = g.pick(("concat({0}, {1}, {2})", "concat_ws('-', {0}, {1}, {2})"))
        return Expr(type, form, [*parts, g.expr("text", 0)])
    return Expr(type, "({0} || {1})", parts)


@rule("text", 4)
def change_case(g, type, depth):
    """DuckDB has a capital for the sharp s; the C library, and so PostgreSQL, has none."""
    if g.chance(0.5):
        return Expr(type, "lower({0})", [g.expr(type, depth)])
    return Expr(type, "upper({0})", [g.expr(type, depth)], duckdb="replace(upper({0}), 'ẞ', 'ß')")


@rule("text", 4)
def substring(g, type, depth):
    text, start, count = g.expr(type, depth), g.rng.randint(1, 5), g.rng.randint(0, 4)
    form = g.pick((f"substring({{0}}, {start}, {count})", f"substr({{0}}, {start})",
                   f"substring({{0}} FROM {start} FOR {count})", f"left({{0}}, {count - 1})",
                   f"right({{0}}, {count - 1})", f"left({{0}}, {start})"))
    return Expr(type, form, [text])


@rule("text", 3)
def trim(g, type, depth):
    chars = quoted(g.pick((" ", "ab", "a", "rd", "ñ", " %")))
    form, duckdb = g.pick((("btrim({0}, %s)", "trim({0}, %s)"), ("ltrim({0}, %s)", None),
                           ("rtrim({0}, %s)", None), ("trim({0})", None),
                           ("trim(LEADING %s FROM {0})", "ltrim({0}, %s)"),
                           ("trim(BOTH %s FROM {0})", "trim({0}, %s)")))
    return Expr(type, form.replace("%s", chars), [g.expr(type, depth)],
                duckdb=duckdb and duckdb.replace("%s", chars))


@rule("text", 2)
def translate(g, type, depth):
    return Expr(type, "translate({0}, 'aeñ1', 'xyz')", [g.expr(type, depth)])


@rule("text", 1)
def digest(g, type, depth):
    return Expr(type, "md5({0})", [g.expr(type, depth)])


@rule("text", 1)
def hexadecimal(g, type, depth):
    a = g.within("int", depth, 10**6) or g.small(0, 9)
    return Expr(type, "to_hex(abs({0}))", [a], duckdb="lower(to_hex(abs({0})))")


@rule("int", 1)
def bits(g, type, depth):
    a, b = g.within("int", depth, 10**6), g.within("int", depth, 10**6)
    if not a or not b:
        return None
    op = g.pick("&|#")
    return Expr(type, f"({{0}} {op} {{1}})", [a, b], mag=2 * 10**6,
                duckdb="xor({0}, {1})" if op == "#" else None)


@rule("int bigint", 1)
def divisor(g, type, depth):
    a, b = g.within("int", depth, 10**6), g.within("int", depth, 10**6)
    if not a or not b:
        return None
    form = "gcd({0}, {1})" if type == "int" else "lcm(CAST({0} AS bigint), CAST({1} AS bigint))"
    return Expr(type, form, [a, b], mag=10**6 if type == "int" else 10**12)


@rule("text", 2)
def replace(g, type, depth):
    return Expr(type, "replace({0}, {1}, {2})",
                [g.expr(type, depth), g.constant("text"), g.constant("text")])


@rule("text", 2)
def split_part(g, type, depth):
    delimiter = quoted(g.pick(("-", "a", " ", ",", "ab")))
    return Expr(type, f"split_part({{0}}, {delimiter}, {g.pick((1, 2, 3, -1))})",
                [g.expr(type, depth)])


@rule("text", 1)
def reverse(g, type, depth):
    return Expr(type, "reverse({0})", [g.expr(type, depth)])


@rule("text", 1)
def repeat(g, type, depth):
    """DuckDB also repeats blobs, and is told that this is none."""
    times = g.rng.randint(-1, 3)
    return Expr(type, f"repeat({{0}}, {times})", [g.expr(type, depth)],
                duckdb=f"repeat(CAST({{0}} AS VARCHAR), {times})")


@rule("text", 2)
def pad(g, type, depth):
    fill = quoted(g.pick((" ", "xy", "ñ")))
    return Expr(type, f"{g.pick(('lpad', 'rpad'))}({{0}}, {g.rng.randint(0, 8)}, {fill})",
                [g.expr(type, depth)])


@rule("text", 3)
def to_text(g, type, depth):
    kind = g.pick(("int", "bigint", "date", "timestamp", "bool"))
    return Expr(type, "CAST({0} AS text)", [g.expr(kind, depth)])


@rule("text", 1)
def numeric_to_text(g, type, depth):
    a = g.expr("numeric", depth)
    if digits(a.mag + 1) > 15:
        return None
    return Expr(type, "CAST(CAST({0} AS numeric(20,3)) AS text)", [a],
                duckdb="CAST(CAST({0} AS DECIMAL(20,3)) AS VARCHAR)")


FORMATS = (("YYYY-MM", "%Y-%m"), ("YYYY-MM-DD", "%Y-%m-%d"), ("DD/MM/YYYY", "%d/%m/%Y"),
           ("YYYY", "%Y"), ("MM", "%m"), ("HH24:MI:SS", "%H:%M:%S"), ("HH12 AM", "%I %p"),
           ("DDD", "%j"), ("Mon", "%b"), ("Dy", "%a"), ("IYYY-IW", "%G-%V"), ("YY", "%y"))


@rule("text", 2)
def formatted_date(g, type, depth):
    tamiz, duckdb = g.pick(FORMATS)
    return Expr(type, f"to_char({{0}}, '{tamiz}')", [g.expr(g.pick(("date", "timestamp")), depth)],
                duckdb=f"strftime({{0}}, '{duckdb}')")


@rule("text", 2, "regex")
def regex_replace(g, type, depth):
    pattern = Expr("text", quoted(g.pick(("e+", "[0-9]", "^a", "-", "[aeiou]", "b$"))))
    return Expr(type, f"regexp_replace({{0}}, {{1}}, '<>', '{g.pick(('', 'g'))}')",
                [g.expr(type, depth), pattern])


@rule("text", 1, "regex")
def regex_substring(g, type, depth):
    pattern = Expr("text", quoted(g.pick(("[0-9]+", "[a-z]+", "b.", "^[^-]+"))))
    return Expr(type, "substring({0} FROM {1})", [g.expr(type, depth), pattern],
                duckdb="NULLIF(regexp_extract({0}, {1}), '')")


@rule("text", 2, "list_functions")
def list_item(g, type, depth):
    """DuckDB joins no items to NULL, PostgreSQL to the empty text."""
    form, duckdb = g.pick((
        ("({0})[1]", None), ("({0})[2]", None),
        ("array_to_string({0}, '+')",
         "CASE WHEN {0} IS NOT NULL THEN COALESCE(array_to_string({0}, '+'), '') END")))
    return Expr(type, form, [g.expr("list", depth)], duckdb=duckdb)


# --- lists ----------------------------------------------------------------------------------------


@rule("list", 3)
def list_make(g, type, depth):
    items = [g.expr("text", depth) for _ in range(g.rng.randint(1, 3))]
    return Expr(type, f"ARRAY[{slots(items)}]", items)


@rule("list", 3, "list_functions")
def list_split(g, type, depth):
    """Nothing is split into no items here, and into one empty item by DuckDB."""
    call_ = f"string_to_array({{0}}, {quoted(g.pick(('-', ' ', 'e')))})"
    return Expr(type, call_, [g.expr("text", depth)],
                duckdb=f"CASE WHEN {{0}} = '' THEN CAST([] AS VARCHAR[]) ELSE {call_} END")


@rule("bool", 1, "list_functions")
def list_relation(g, type, depth):
    """Lists without NULL: DuckDB finds a NULL in a list, PostgreSQL does not."""
    left = Expr("list", "string_to_array(COALESCE({0}, '') || '-x', '-')", [g.expr("text", depth)])
    right = Expr("list", "ARRAY[COALESCE({0}, 'x'), 'green']", [g.expr("text", 0)])
    return Expr("bool", f"({{0}} {g.pick(('@>', '&&', '<@'))} {{1}})", [left, right])


@rule(" ".join(SORTED), 1, "array_types")
def array_element(g, type, depth):
    values = [g.expr(type, depth), g.expr(type, 0)]
    return Expr(type, f"(ARRAY[{{0}}, {{1}}])[{g.pick((1, 2))}]", values, **same(type, values))


@rule("bool", 1, "array_types")
def array_comparison(g, type, depth):
    """Arrays without NULL, which engines compare differently."""
    kind = g.pick(("int", "bigint", "text", "date", "timestamp"))
    values = [g.expr(kind, depth), g.constant(kind), g.expr(kind, 0), g.constant(kind)]
    form = "ARRAY[COALESCE({%d}, {%d}), {%d}]"
    return Expr(type, f"({form % (0, 1, 3)} {g.pick(('=', '<>', '<', '>='))} {form % (2, 3, 1)})", values)


@rule("int", 1, "array_types")
def array_size(g, type, depth):
    kind = g.pick(SORTED)
    values = [g.expr(kind, depth), g.expr(kind, 0), g.expr(kind, 0)]
    return Expr(type, "cardinality(array_append(ARRAY[{0}, {1}], {2}))", values, mag=3,
                duckdb="CAST(len(list_append([{0}, {1}], {2})) AS INTEGER)")


# --- json, bytes: what goes in comes out ----------------------------------------------------------


@rule("int bigint text date", 1, "json")
def json_member(g, type, depth):
    a = g.expr(type, depth)
    make = g.pick(("jsonb_build_object('k', {0}) ->> 'k'", "json_build_array(0, {0}) ->> 1",
                   "jsonb_build_object('a', json_build_array({0})) #>> '{{a,0}}'"))
    return Expr(type, f"CAST(({make}) AS {TYPE_NAMES[type][0]})", [a], duckdb="{0}", **same(type, [a]))


@rule("text", 1, "json")
def bytes_and_back(g, type, depth):
    form = g.pick(("hex", "base64", "escape"))
    return Expr(type, f"convert_from(decode(encode(convert_to({{0}}, 'UTF8'), '{form}'), '{form}'), 'UTF8')",
                [g.expr(type, depth)], duckdb="{0}")


# --- dates ----------------------------------------------------------------------------------------


def far_from_ends(type, change, duckdb=None):
    """`change` of {0} where {0} cannot leave the calendar by it."""
    guard = f"CASE WHEN {{0}} BETWEEN {type} '0100-01-01' AND {type} '9900-01-01' THEN %s END"
    return guard % change, guard % (duckdb or change)


@rule("date", 2)
def add_days(g, type, depth):
    days = g.within("int", 0, 10000) or g.small(0, 400)
    tamiz, duckdb = far_from_ends("date", f"{{0}} {g.pick('+-')} {{1}}")
    return Expr(type, tamiz, [g.expr(type, depth), days], duckdb=duckdb)


@rule("date", 2)
def date_of_timestamp(g, type, depth):
    return Expr(type, "CAST({0} AS date)", [g.expr("timestamp", depth)])


@rule("date", 1)
def make_date(g, type, depth):
    month = Expr("int", "(abs({0} % 12) + 1)", [g.expr("int", depth)], mag=12)
    return Expr(type, f"make_date({g.rng.randint(1950, 2050)}, {{0}}, {g.rng.randint(1, 28)})",
                [month])


@rule("timestamp", 2)
def timestamp_of_date(g, type, depth):
    return Expr(type, "CAST({0} AS timestamp)", [g.expr("date", depth)])


@rule("timestamp", 3)
def truncate_timestamp(g, type, depth):
    """Behind a CASE for DuckDB 1.5: it takes date_trunc(..., NULL) = '2024-01-31' for false."""
    kind = g.pick(("date", "timestamp", "timestamp"))
    unit = g.pick(("year", "quarter", "month", "day", "hour", "minute", "second"))
    text = f"date_trunc('{unit}', {{0}})"
    return Expr(type, f"CAST({text} AS timestamp)" if kind == "date" else text,
                [g.expr(kind, depth)],
                duckdb=f"CASE WHEN {{0}} IS NOT NULL THEN CAST({text} AS TIMESTAMP) END")


INTERVALS = ("1 day", "1 month", "2 years 3 months", "36 hours", "-1 month", "90 seconds",
             "1 year -1 day", "13 months 2 days 5 minutes")


@rule("timestamp", 3, "interval")
def add_interval(g, type, depth):
    kind = g.pick(("date", "timestamp"))
    tamiz, duckdb = far_from_ends(
        kind, f"{{0}} {g.pick('+-')} interval '{g.pick(INTERVALS)}'")
    return Expr(type, tamiz, [g.expr(kind, depth)], duckdb=f"CAST({duckdb} AS TIMESTAMP)")
