"""Random queries, as weighted productions.

A production of an expression is a function with @rule(type, weight, feature): it returns a tree.Expr
or None when it cannot make one here, and then another is tried. A production of a query is a method
of Generator. Both dialects are written side by side: the second text is DuckDB's, where it differs.

Queries are made so that both engines must give the same answer:
- numbers carry a bound (mag, scale), and only what cannot overflow is made;
- divisors go through NULLIF; dates move only when they are far from the ends of the calendar;
- NULLS FIRST or LAST is always there; LIMIT and row_number() only follow a total order;
- a double that depends on the order of summing is `approx`: printed, never compared."""

import decimal
import random

import database
from tree import (UNORDERED, Column, Derived, Expr, Join, Key, Query, Select, SetOp, Table, Unnest,
                  leaves, decimal_type, null, quoted, TYPE_NAMES, WILD)

EXACT = ("int", "bigint", "numeric")
COMPARABLE = ("int", "bigint", "numeric", "double", "text", "text", "date", "timestamp", "bool")
OUTPUT = COMPARABLE + ("int", "text", "numeric")
LIMITS = {"int": 2**31 - 1, "bigint": 2**63 - 1, "numeric": 10**22}
SCALE_MAX = 12
TRIES = 8
JOINED_ROWS_MAX = 20000

RULES = {}


def rule(types, weight=1, feature=None):
    def register(make):
        for type in types.split():
            RULES.setdefault(type, []).append((weight, feature, make))
        return make
    return register


def digits(mag):
    return len(str(mag))


def fits(type, mag, scale=0):
    """Any two numerics that fit can be brought to one DECIMAL of 38 digits."""
    return mag <= LIMITS[type] and scale <= SCALE_MAX


class Scope:
    """What expressions may name. In a grouped query these are the keys and aggregates of `inner`.

    `total` are expressions that order the rows of the FROM up to equal rows, None when there are
    none; `rows` is a guess of how many there are."""

    def __init__(self, columns, rows, total, inner=None):
        self.columns = columns
        self.rows = rows
        self.total = total
        self.inner = inner
        self.subqueries = True

    def of(self, type):
        return [column for column in self.columns if column.type == type]


class Generator:
    """Makes one query: the same one for the same database, features, seed and number."""

    def __init__(self, database, features, seed):
        self.database = database
        self.features = features
        self.rng = random.Random(seed)
        self.aliases = 0
        self.ctes = []
        self.scope = Scope([], 1, None)

    # --- choices

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, options):
        return self.rng.choice(list(options))

    def weighted(self, options):
        """One of (weight, feature, what), among those whose feature is on."""
        options = [o for o in options if o[1] is None or o[1] in self.features] or NONE_SUCH
        return self.rng.choices([o[2] for o in options], [o[0] for o in options])[0]

    def alias(self):
        self.aliases += 1
        return f"t{self.aliases - 1}"

    # --- expressions

    def expr(self, type, depth):
        """An expression of the type, at most `depth` levels deep."""
        if depth > 0 and not self.chance(0.2):
            for _ in range(TRIES):
                made = self.weighted(RULES[type])(self, type, depth - 1)
                if made is not None:
                    return made
        return self.leaf(type)

    def leaf(self, type):
        if self.scope.inner and self.chance(0.5):
            made = self.aggregate(type)
            if made is not None:
                return made
        columns = self.scope.of(type)
        if columns and self.chance(0.85):
            return self.pick(columns)
        if type == "approx":
            return ratio(self, type, 0)
        return null(type) if self.chance(0.06) else self.constant(type)

    def constant(self, type):
        """Mostly a value that occurs in some column: comparisons should be true now and then."""
        if type == "list":
            return list_make(self, type, 0)
        samples = [s for t in self.database.tables for c in t.columns if c.type == type
                   for s in c.samples]
        if samples and self.chance(0.7):
            return self.pick(samples)
        return database.literal(type, self.pick(CONSTANTS[type]))

    def small(self, low, high):
        return database.number("int", decimal.Decimal(self.rng.randint(low, high)))

    def within(self, type, depth, limit):
        """A number whose bound is at most `limit`, if one comes along."""
        for _ in range(TRIES):
            made = self.expr(type, depth)
            if made.mag <= limit:
                return made
        return None

    # --- aggregates and windows

    def aggregate(self, type):
        """An aggregate of this type over the rows below the groups."""
        outer, self.scope = self.scope, self.scope.inner
        try:
            for _ in range(TRIES):
                made = self.weighted(AGGREGATES.get(type, NONE_SUCH))(self, type)
                if made is not None:
                    return made
            return None
        finally:
            self.scope = outer

    def window(self, type):
        for _ in range(TRIES):
            made = self.weighted(WINDOWS.get(type, NONE_SUCH))(self, type)
            if made is not None:
                return made
        return None

    def over(self, call, args, frame="", total=False, keys=None):
        """(text, kids, number of fixed kids) of `call OVER (...)`; None without a total order
        where one is needed."""
        if total and not self.scope.total:
            return None
        parts = [self.expr(self.pick(("int", "text", "bool")), 1)
                 for _ in range(self.rng.randint(0, 2))]
        if keys is None:
            keys = [self.expr(self.pick(COMPARABLE), 1) for _ in range(self.rng.randint(0, 2))]
        fixed = self.scope.total if total else []
        first = len(args)
        text = ""
        if parts:
            numbers = range(first, first + len(parts))
            text += "PARTITION BY " + ", ".join(f"{{{n}}}" for n in numbers)
            first += len(parts)
        if keys or fixed:
            numbers = range(first, first + len(keys) + len(fixed))
            text += " ORDER BY " + ", ".join(
                f"{{{n}}}{self.pick(('', ' DESC'))} NULLS {self.pick(('FIRST', 'LAST'))}"
                for n in numbers)
        elif frame.startswith(("RANGE", "GROUPS")):
            frame = ""
        return f"{call} OVER ({text} {frame})", [*args, *parts, *keys, *fixed], len(fixed)

    def frame(self, modes):
        mode = self.pick(modes)
        bounds = ["UNBOUNDED PRECEDING", f"{self.rng.randint(0, 3)} PRECEDING", "CURRENT ROW",
                  f"{self.rng.randint(0, 3)} FOLLOWING", "UNBOUNDED FOLLOWING"]
        start = self.rng.randint(0, 3)
        end = self.rng.randint(max(start, 1), 4)
        if start == end and "CURRENT" not in bounds[start]:
            return f"{mode} BETWEEN {bounds[start]} AND {bounds[4 if start == 3 else 2]}"
        return f"{mode} BETWEEN {bounds[start]} AND {bounds[end]}"

    # --- relations

    def relation(self, depth):
        """A FROM item with its alias."""
        if depth > 0 and self.chance(0.2):
            query = self.query(depth - 1, nested=True)
            return Derived(query, self.alias(), output_columns(query), rows_of(query))
        alias = self.alias()
        table = self.pick(self.ctes) if self.ctes and self.chance(0.6) \
            else self.table()
        return Table(table.name, alias, table.columns, table.rows, table.unique, table.stored)

    def table(self):
        """Empty tables now and then only: most of what is joined to them is empty as well."""
        tables = self.database.tables
        return self.rng.choices(tables, [4 if t.rows else 1 for t in tables])[0]

    def source(self, depth):
        """A FROM: a relation, and now and then others joined to it."""
        source = self.relation(depth)
        while self.chance(0.35) and len(leaves(source)) < 4:
            source = self.joined(source, depth) or source
        if "unnest" in self.features and self.chance(0.06):
            source = self.with_unnest(source)
        return source

    def joined(self, left, depth):
        right = self.relation(depth - 1)
        kind = self.weighted(JOINS)
        pairs = join_pairs(left, right)
        product = rows_of(left) * rows_of(right)
        if kind == "CROSS" or not pairs:
            return Join("CROSS", left, right, product) if product <= JOINED_ROWS_MAX else None
        if isinstance(left, Table) and isinstance(right, Table) and self.chance(0.2):
            names = {c.name: c.type for c in left.columns}
            common = [c.name for c in right.columns if names.get(c.name) == c.type]
            if common and product <= JOINED_ROWS_MAX:
                return Join(kind, left, right, product, using=[self.pick(common)])
        pair = self.pick(pairs)
        rows = estimate(left, right, pair)
        if rows > JOINED_ROWS_MAX:
            return None
        return Join(kind, left, right, rows, on=self.condition(kind, left, right, pair))

    def condition(self, kind, left, right, pair):
        outer, self.scope = self.scope, scope_of([*leaves(left), right])
        self.scope.subqueries = kind == "INNER" and "subquery_in_join" in self.features
        on = Expr("bool", "({0} = {1})", pair)
        if self.chance(0.25):
            on = Expr("bool", "({0} AND {1})", [on, self.expr("bool", 2)])
        if rows_of(left) * rows_of(right) <= JOINED_ROWS_MAX and self.chance(0.1) and (
                kind == "INNER" or "left_join_any" in self.features and kind == "LEFT"):
            on = self.expr("bool", 2)
        self.scope = outer
        return on

    def with_unnest(self, source):
        outer, self.scope = self.scope, scope_of(leaves(source))
        items = self.expr("list", 2)
        self.scope = outer
        return Join("CROSS", source, Unnest(items, self.alias(), "x"), 3 * rows_of(source))

    # --- queries

    def query(self, depth, nested=False, types=None):
        """A query. `types` are what its columns must be."""
        ctes_before, named = list(self.ctes), []
        if not nested and self.chance(0.15):
            for _ in range(self.rng.randint(1, 2)):
                query = self.query(depth - 1, nested=True)
                name = f"q{len(named)}"
                named.append((name, query))
                self.ctes.append(Table(name, None, output_columns(query), rows_of(query),
                                       stored=False))
        if self.chance(0.12):
            body = self.set_operation(depth, types)
        else:
            body = self.select(depth, types)
        query = Query(body, ctes=named)
        self.ctes = ctes_before
        if not nested or self.chance(0.2):
            self.order(query, nested)
        return query

    def order(self, query, nested):
        count = len(query.types)
        sortable = [n for n in range(count) if query.types[n] not in UNORDERED]
        style = self.rng.random()
        if style < 0.35 or not sortable:
            return
        named = self.rng.sample(sortable, self.rng.randint(1, len(sortable)))
        if style > 0.6 and len(sortable) == count:
            named += [n for n in sortable if n not in named]
        query.order = [Key(n, self.chance(0.4), self.chance(0.5)) for n in named]
        if query.total() and self.chance(0.6):
            query.limit = self.pick((0, 1, 2, 3, 3, 5, 5, 10, 10, 100))
            query.offset = self.pick((None, None, None, 0, 1, 1, 4, 50))

    def set_operation(self, depth, types=None):
        if types is None:
            types = [self.pick(OUTPUT) for _ in range(self.rng.randint(1, 3))]
        kind = self.weighted(SET_OPERATIONS)
        sides = [self.select(depth - 1, types) for _ in range(2)]
        return SetOp(kind, *sides)

    def select(self, depth, types=None):
        outer = self.scope
        source = None if self.chance(0.02) else self.source(depth)
        self.scope = scope_of(leaves(source) if source else [])
        if isinstance(source, Join) and source.using:
            self.merge_using(source)
        where = self.expr("bool", 3) if self.chance(0.4 if depth > 0 else 0.25) else None
        style = self.rng.random()
        if style < 0.4 and source:
            made = self.grouped(source, where, types)
        else:
            made = self.plain(source, where, types, windows=style > 0.85)
        self.scope = outer
        return made

    def merge_using(self, join):
        """The column of USING also goes by its bare name."""
        name = join.using[0]
        side = join.right if join.kind == "RIGHT" else join.left
        if join.kind != "FULL":
            column = next(c for c in side.columns if c.name == name)
            self.scope.columns.append(column_expr(None, column))

    def plain(self, source, where, types, windows):
        distinct = not windows and self.chance(0.12)
        if types is None:
            pool = OUTPUT if distinct else OUTPUT + ("approx",)
            types = [self.pick(pool) for _ in range(self.rng.randint(1, 4))]
            if windows and self.chance(0.5):
                types.append("bigint")
        windows_at = self.rng.randrange(len(types)) if windows else None
        items = []
        for number, type in enumerate(types):
            made = self.window(type) if number == windows_at else None
            items.append(made or self.expr(type, 3))
        return Select(items, source, where, distinct=distinct)

    def grouped(self, source, where, types):
        inner = self.scope
        keys = [self.expr(self.pick(COMPARABLE), self.pick((0, 0, 1, 2)))
                for _ in range(self.weighted([(2, None, 0), (4, None, 1), (2, None, 2)]))]
        keys = [key for key in keys if not is_constant(key) and not has_subquery(key)]
        self.scope = Scope(list(keys), max(1, inner.rows // 3), list(keys), inner=inner)
        if types is None:
            chosen = [self.pick(OUTPUT + ("bigint", "approx"))
                      for _ in range(self.rng.randint(1, 3))]
            items = [*keys, *(self.expr(type, 1) for type in chosen)]
            positions = self.chance(0.3)
        else:
            items = [self.expr(type, 1) for type in types]
            positions = False
        having = self.expr("bool", 2) if self.chance(0.25) else None
        if not keys and not any(has_aggregate(item) for item in items):
            items.append(count_rows(self, "bigint")) if types is None else None
            if types is not None and having is None:
                having = Expr("bool", "({0} > 0)", [count_rows(self, "bigint")])
        group = list(range(len(keys))) if positions else keys
        return Select(items, source, where, group, having)


def is_constant(expr):
    return not any(is_column(part) for part in walk(expr))


def is_column(expr):
    return isinstance(expr, ColumnRef)


def walk(expr):
    yield expr
    for kid in expr.kids():
        yield from walk(kid)


def has_subquery(expr):
    return any(isinstance(part, Query) for part in walk(expr))


def has_aggregate(expr):
    return any(isinstance(part, Aggregate) for part in walk(expr))


class ColumnRef(Expr):
    pass


class Aggregate(Expr):
    pass


def column_expr(alias, column):
    name = f"{alias}.{column.name}" if alias else column.name
    return ColumnRef(column.type, name, mag=column.mag, scale=column.scale)


def output_columns(query):
    items = query.body.items
    mags = [widest(query.body, n) for n in range(len(items))]
    return [Column(f"c{n}", item.type, mag, scale)
            for n, (item, (mag, scale)) in enumerate(zip(items, mags))]


def widest(body, index):
    """Bounds of an output column, over both sides of a set operation."""
    if isinstance(body, SetOp):
        sides = widest(body.left, index), widest(body.right, index)
        return max(s[0] for s in sides), max(s[1] for s in sides)
    return body.items[index].mag, body.items[index].scale


def scope_of(relations):
    columns, total, rows = [], [], 1
    for relation in relations:
        own = [column_expr(relation.alias, column) for column in relation.columns]
        keys = [e for e, c in zip(own, relation.columns)
                if relation.unique is None or c.name in relation.unique]
        total = None if total is None or any(k.type in UNORDERED for k in keys) else total + keys
        columns += own
        rows = min(rows * max(1, relation.rows), JOINED_ROWS_MAX)
    return Scope(columns, rows, total)


def rows_of(part):
    """A guess of how many rows come out, rather too many than too few."""
    if isinstance(part, Query):
        return min(rows_of(part.body), 10**6 if part.limit is None else part.limit)
    if isinstance(part, SetOp):
        return rows_of(part.left) + rows_of(part.right)
    if isinstance(part, Select):
        if part.source is None or not part.group and any(map(has_aggregate, part.items)):
            return 1
        return rows_of(part.source)
    return max(1, part.rows)


def join_pairs(left, right):
    """Pairs of columns that a join may compare: names in common first, then keys and any others of
    the same type with few rows."""
    pairs, others = [], []
    for relation in leaves(left):
        for a in relation.columns:
            for b in right.columns:
                if a.type == b.type and a.type not in UNORDERED:
                    pair = [column_expr(relation.alias, a), column_expr(right.alias, b)]
                    (pairs if a.name == b.name else others).append(pair)
                elif a.name == b.name and {a.type, b.type} <= {"int", "bigint"}:
                    pairs.append([column_expr(relation.alias, a), column_expr(right.alias, b)])
    return pairs * 3 + others


def estimate(left, right, pair):
    """Rows of an equality: no more than one side has where the other is unique, a fifth of all
    pairs for columns of tables, and all of them for computed columns."""
    product = rows_of(left) * rows_of(right)
    owner = {f"{r.alias}.{c.name}": r for r in [*leaves(left), right] for c in r.columns}
    sides = [owner[column.text[0]] for column in pair]
    if any(r.unique and column.text[0] == f"{r.alias}.{r.unique[0]}"
           for r, column in zip(sides, pair)):
        return max(rows_of(left), rows_of(right))
    return product // 5 if all(isinstance(r, Table) and r.stored for r in sides) else product


JOINS = [(5, None, "INNER"), (4, None, "LEFT"), (2, None, "RIGHT"), (1, None, "CROSS"),
         (2, "full_join", "FULL")]
SET_OPERATIONS = [(3, None, "UNION"), (3, None, "UNION ALL"), (2, "except", "INTERSECT"),
                  (2, "except", "EXCEPT"), (1, "except", "INTERSECT ALL"),
                  (1, "except", "EXCEPT ALL")]
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


# --- any type --------------------------------------------------------------------------------------


def same(type, parts):
    """Bounds of an expression that yields one of its parts."""
    return {"mag": max(p.mag for p in parts), "scale": max(p.scale for p in parts)}


ANY = "bool int bigint numeric double text date timestamp approx"
SORTED = "int bigint numeric double text date timestamp"


@rule(ANY, 2)
def case(g, type, depth):
    whens = g.rng.randint(1, 2)
    conditions = [g.expr("bool", depth) for _ in range(whens)]
    values = [g.expr(type, depth) for _ in range(whens + g.chance(0.7))]
    text = "".join(f" WHEN {{{n}}} THEN {{{whens + n}}}" for n in range(whens))
    text += f" ELSE {{{2 * whens}}}" if len(values) > whens else ""
    return Expr(type, f"CASE{text} END", conditions + values, **same(type, values))


@rule(SORTED, 1)
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


@rule(SORTED, 1)
def greatest(g, type, depth):
    parts = [g.expr(type, depth) for _ in range(g.rng.randint(2, 3))]
    return Expr(type, f"{g.pick(('GREATEST', 'LEAST'))}({slots(parts)})", parts,
                **same(type, parts))


@rule(ANY, 1, "scalar_subquery")
def scalar_subquery(g, type, depth):
    query = one_row(g, type, depth) if g.scope.subqueries else None
    return query and Expr(type, "({0})", [query], mag=query.body.items[0].mag,
                          scale=query.body.items[0].scale)


def slots(parts, first=0):
    return ", ".join(f"{{{n}}}" for n in range(first, first + len(parts)))


def one_row(g, type, depth):
    """A query of one row: an aggregate, perhaps over rows that match the outer one."""
    outer, g.scope = g.scope, Scope([], 1, None)
    relation = g.relation(0)
    columns = outer.inner.columns if outer.inner else outer.columns
    inner = scope_of([relation])
    g.scope = inner
    where = match_outer(g, relation, [] if outer.inner else columns)
    g.scope = Scope([], 1, None, inner=inner)
    item = g.aggregate(type)
    g.scope = outer
    return Query(Select([item], relation, where)) if item is not None else None


def match_outer(g, relation, columns):
    """A WHERE of a subquery: an equality with a column outside when that may be, and more."""
    where = g.expr("bool", 1) if g.chance(0.4) else None
    pairs = [(column_expr(relation.alias, c), o) for c in relation.columns for o in columns
             if is_column(o) and c.type == o.type and c.type not in UNORDERED]
    if "correlated" not in g.features or not pairs or g.chance(0.4):
        return where
    same_name = [p for p in pairs
                 if p[0].text[0].split(".")[-1] == p[1].text[0].split(".")[-1]]
    equal = Expr("bool", "({0} = {1})", g.pick(same_name or pairs))
    return Expr("bool", "({0} AND {1})", [equal, where]) if where else equal


# --- truth values ----------------------------------------------------------------------------------


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
    kind = g.pick(SORTED.split())
    return Expr("bool", f"({{0}} {g.pick(('', 'NOT '))}BETWEEN {{1}} AND {{2}})",
                [g.expr(kind, depth), g.expr(kind, 0), g.expr(kind, 0)])


@rule("bool", 3)
def in_list(g, type, depth):
    kind = g.pick(SORTED.split())
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
    kind = g.pick(SORTED.split())
    outer, g.scope = g.scope, Scope([], 1, None)
    query = g.query(0, nested=True, types=[kind])
    g.scope = outer
    return Expr("bool", f"({{0}} {g.pick(('', 'NOT '))}IN ({{1}}))", [g.expr(kind, depth), query])


@rule("bool", 2, "exists")
def exists(g, type, depth):
    if not g.scope.subqueries:
        return None
    columns = [] if g.scope.inner else g.scope.columns
    outer, g.scope = g.scope, Scope([], 1, None)
    relation = g.relation(0)
    g.scope = scope_of([relation])
    query = Query(Select([g.small(1, 1)], relation, match_outer(g, relation, columns)))
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
    return Expr("bool", "({0} ~ {1})", [g.expr("text", depth), pattern],
                duckdb="regexp_matches({0}, {1})")


# --- numbers ---------------------------------------------------------------------------------------


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
    return Expr(type, "CAST({0} AS numeric)", [a], mag=a.mag, duckdb=f"CAST({{0}} AS {decimal_type(a.mag, 0)})")


@rule("numeric", 1)
def seconds(g, type, depth):
    field, duckdb = g.pick((
        ("second", "(CAST(extract(microseconds FROM {0}) AS DECIMAL(18,0)) * 0.000001)"),
        ("epoch", "(CAST(epoch_us({0}) AS DECIMAL(18,0)) * 0.000001)")))
    return Expr(type, f"extract({field} FROM {{0}})", [g.expr("timestamp", depth)], duckdb=duckdb,
                mag=10**12, scale=6)


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


# --- texts -----------------------------------------------------------------------------------------


@rule("text", 4)
def concatenate(g, type, depth):
    parts = [g.expr("text", depth), g.expr("text", depth)]
    if g.chance(0.3):
        return Expr(type, "concat({0}, {1}, {2})", [*parts, g.expr("text", 0)])
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
    return Expr(type, f"repeat({{0}}, {g.rng.randint(-1, 3)})", [g.expr(type, depth)])


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


# --- lists -----------------------------------------------------------------------------------------


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


# --- dates -----------------------------------------------------------------------------------------


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
    kind = g.pick(("date", "timestamp", "timestamp"))
    unit = g.pick(("year", "quarter", "month", "day", "hour", "minute", "second"))
    return Expr(type, f"date_trunc('{unit}', {{0}})", [g.expr(kind, depth)],
                duckdb=f"CAST(date_trunc('{unit}', {{0}}) AS TIMESTAMP)")


INTERVALS = ("1 day", "1 month", "2 years 3 months", "36 hours", "-1 month", "90 seconds",
             "1 year -1 day", "13 months 2 days 5 minutes")


@rule("timestamp", 3, "interval")
def add_interval(g, type, depth):
    kind = g.pick(("date", "timestamp"))
    tamiz, duckdb = far_from_ends(
        kind, f"{{0}} {g.pick('+-')} interval '{g.pick(INTERVALS)}'")
    return Expr(type, tamiz, [g.expr(kind, depth)], duckdb=f"CAST({duckdb} AS TIMESTAMP)")


# --- aggregates ------------------------------------------------------------------------------------


def call(type, text, args, duckdb=None, mag=0, scale=0, fixed=0):
    return Aggregate(type, text, args, duckdb, mag, scale, fixed)


def filter_call(g, type, text, args, wrap=None, **bounds):
    """An aggregate with a FILTER now and then; `wrap` is what DuckDB puts around it."""
    args = list(args)
    if g.chance(0.15):
        text += f" FILTER (WHERE {{{len(args)}}})"
        args.append(g.expr("bool", 1))
    return call(type, text, args, duckdb=wrap and wrap % text, **bounds)


def distinct(g):
    return "DISTINCT " if g.chance(0.15) else ""


def count_rows(g, type):
    return filter_call(g, type, "count(*)", [], mag=10**6)


def count_values(g, type):
    return filter_call(g, type, f"count({distinct(g)}{{0}})", [g.expr(g.pick(COMPARABLE), 1)],
                       mag=10**6)


def sum_int(g, type):
    a = g.expr("int", 1)
    return filter_call(g, type, f"sum({distinct(g)}{{0}})", [a], "CAST(%s AS BIGINT)",
                       mag=a.mag * 10**5)


def sum_exact(g, type):
    a = g.expr(g.pick(("bigint", "numeric", "numeric")), 1)
    if not fits(type, a.mag * 10**5, a.scale):
        return None
    wrap = f"CAST(%s AS {decimal_type(a.mag * 10**5, a.scale)})"
    return filter_call(g, type, f"sum({distinct(g)}{{0}})", [a], wrap, mag=a.mag * 10**5,
                       scale=a.scale)


def extreme(g, type):
    a = g.expr(type, 1)
    return filter_call(g, type, f"{g.pick(('min', 'max'))}({{0}})", [a], mag=a.mag, scale=a.scale)


def truth(g, type):
    return filter_call(g, type, f"{g.pick(('bool_and', 'bool_or'))}({{0}})", [g.expr(type, 1)])


def tame_number(g):
    """A number whose sums are far from the limits of doubles, also squared."""
    for _ in range(TRIES):
        a = g.expr(g.pick(("int", "numeric", "double")), 0)
        if a.mag <= 10**9:
            return a
    return g.small(-5, 5)


def average(g, type):
    return filter_call(g, type, f"avg({distinct(g)}{{0}})", [tame_positive(g)])


def sum_double(g, type):
    return filter_call(g, type, "sum({0})", [tame_positive(g, ("double",))])


def tame_positive(g, kinds=("int", "bigint", "numeric", "double")):
    """Doubles of one sign: a sum that cancels has no digits to compare."""
    a = g.expr(g.pick(kinds), 1)
    if a.type != "double":
        return a
    if a.mag > 10**30:
        a = g.constant("int")
    return Expr("double", "abs(CAST({0} AS double precision))", [a], mag=a.mag)


def deviation(g, type):
    name = g.pick(("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"))
    return filter_call(g, type, f"{name}({{0}})", [tame_number(g)])


def correlation(g, type):
    name = g.pick(("corr", "covar_pop", "covar_samp"))
    args = [Expr("double", "CAST({0} AS double precision)", [tame_number(g)]) for _ in range(2)]
    return filter_call(g, type, f"{name}({{0}}, {{1}})", args)


def percentile(g, type):
    """DuckDB's quantile_disc takes another value than SQL's where the fraction falls between."""
    a = g.within("int", 0, 10**6) or g.small(0, 9)
    return call(type, f"percentile_cont({g.pick(('0', '0.25', '0.5', '0.9', '1'))})"
                " WITHIN GROUP (ORDER BY {0})", [a])


def percentile_disc(g, type):
    a = g.expr(type, 0)
    return call(type, f"percentile_disc({g.pick(('0', '0.25', '0.5', '0.9', '1'))})"
                " WITHIN GROUP (ORDER BY {0})", [a], mag=a.mag, scale=a.scale)


def string_agg(g, type):
    """Sorted by what is joined: ties are equal texts."""
    order = f"ORDER BY {{0}}{g.pick(('', ' DESC'))}"
    return filter_call(g, type, f"string_agg({{0}}, ',' {order})", [g.expr("text", 0)])


def array_agg(g, type):
    order = f"ORDER BY {{0}}{g.pick(('', ' DESC'))} NULLS {g.pick(('FIRST', 'LAST'))}"
    return filter_call(g, type, f"array_agg(CAST({{0}} AS text) {order})", [g.expr("text", 0)])


def nothing(g, type):
    return None


NONE_SUCH = [(1, None, nothing)]
EXTREMES = (4, None, extreme)
PERCENTILE = (1, "percentile", percentile_disc)
AGGREGATES = {
    "bool": [(1, None, truth)],
    "int": [EXTREMES, PERCENTILE],
    "bigint": [EXTREMES, (6, None, count_rows), (6, None, count_values), (6, None, sum_int)],
    "numeric": [EXTREMES, (6, None, sum_exact), PERCENTILE],
    "double": [EXTREMES],
    "text": [EXTREMES, (3, "string_agg", string_agg)],
    "date": [EXTREMES, PERCENTILE],
    "timestamp": [EXTREMES],
    "approx": [(4, None, average), (1, None, sum_double), (3, "deviation", deviation),
               (2, "correlation", correlation), (2, "percentile", percentile)],
    "list": [(1, "array_agg", array_agg)],
}


# --- windows ---------------------------------------------------------------------------------------


def windowed(g, type, text, args=(), wrap=None, frame="", total=False, keys=None, mag=0, scale=0):
    made = g.over(text, list(args), frame, total, keys)
    if made is None:
        return None
    text, kids, fixed = made
    return Expr(type, text, kids, duckdb=wrap and wrap % text, mag=mag, scale=scale, fixed=fixed)


def row_number(g, type):
    return windowed(g, type, "row_number()", total=True, mag=10**6)


def rank(g, type):
    return windowed(g, type, f"{g.pick(('rank', 'dense_rank'))}()", mag=10**6)


def ntile(g, type):
    return windowed(g, type, f"ntile({g.rng.randint(1, 5)})", total=True, mag=10,
                    wrap="CAST(%s AS INTEGER)")


def rank_share(g, type):
    return windowed(g, type, f"{g.pick(('percent_rank', 'cume_dist'))}()")


def typed(g, type):
    """PostgreSQL does not know what to make of a bare text as the argument of a window."""
    a = g.expr(type, 1)
    return Expr(type, "CAST({0} AS text)", [a]) if type == "text" else a


def neighbour(g, type):
    a = typed(g, type)
    args = [a, g.constant(type)]
    text = g.pick(("{0}", f"{{0}}, {g.rng.randint(0, 3)}", f"{{0}}, {g.rng.randint(0, 3)}, {{1}}"))
    if "{1}" not in text:
        args = args[:1]
    return windowed(g, type, f"{g.pick(('lag', 'lead'))}({text})", args, total=True,
                    **same(type, args))


def frame_value(g, type):
    a = typed(g, type)
    name = g.pick(("first_value({0})", "last_value({0})", f"nth_value({{0}}, {g.rng.randint(1, 3)})"))
    frame = g.pick(("", g.frame(["ROWS"])))
    return windowed(g, type, name, [a], frame=frame, total=True, mag=a.mag, scale=a.scale)


def rows_aggregate(g, type):
    """A frame of ROWS needs a total order; the default one, and GROUPS, do not."""
    text, args, wrap, bounds = window_argument(g, type)
    if text is None:
        return None
    modes = ["ROWS"] + (["GROUPS"] if "window_groups" in g.features else [])
    frame = g.pick(("", g.frame(modes)))
    return windowed(g, type, text, args, wrap, frame, total=frame.startswith("ROWS"), **bounds)


def range_aggregate(g, type):
    text, args, wrap, bounds = window_argument(g, type)
    if text is None:
        return None
    key = g.within("int", 0, 10**6)
    return key and windowed(g, type, text, args, wrap, g.frame(["RANGE"]), keys=[key], **bounds)


def window_argument(g, type):
    if type == "bigint":
        a = g.expr("int", 1)
        return g.pick((("count(*)", [], None, {"mag": 10**6}),
                       ("sum({0})", [a], "CAST(%s AS BIGINT)", {"mag": a.mag * 10**5})))
    a = g.expr(type, 1)
    if type == "numeric" and fits(type, a.mag * 10**5, a.scale) and g.chance(0.6):
        wrap = f"CAST(%s AS {decimal_type(a.mag * 10**5, a.scale)})"
        return "sum({0})", [a], wrap, {"mag": a.mag * 10**5, "scale": a.scale}
    if type == "approx":
        return "avg({0})", [tame_number(g)], None, {}
    if type == "bool":
        return g.pick(("bool_and({0})", "bool_or({0})")), [a], None, {}
    return f"{g.pick(('min', 'max'))}({{0}})", [a], None, {"mag": a.mag, "scale": a.scale}


VALUES = [(2, "lag", neighbour), (2, "value_windows", frame_value),
          (2, "window_aggregates", rows_aggregate), (1, "window_range", range_aggregate)]
WINDOWS = {type: [(1, None, nothing), *VALUES]
           for type in ("bool", "numeric", "double", "text", "date", "timestamp")}
WINDOWS["int"] = [(1, None, nothing), (2, "ntile", ntile), *VALUES]
WINDOWS["bigint"] = [(4, None, row_number), (4, None, rank), *VALUES]
WINDOWS["approx"] = [(1, None, nothing), (2, "rank_share", rank_share), *VALUES[2:]]
