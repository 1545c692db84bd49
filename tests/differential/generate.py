"""Random queries. Those of expressions are in grammar.py and aggregates.py; here is what stands
around them: FROM, WHERE, GROUP BY, set operations, CTEs, ORDER BY and LIMIT.

NULLS FIRST or LAST is always there, and LIMIT only follows an order in which equal rows alone tie:
both engines must give the same answer."""

import decimal
import random

import database
from aggregates import AGGREGATES, NONE_SUCH, WINDOWS
from grammar import CONSTANTS, RULES, list_make, one_row, ratio
from scope import (COMPARABLE, JOINED_ROWS_MAX, OUTPUT, TRIES, Aggregate, Scope, column_expr,
                   estimate, has_aggregate, is_column, is_constant, join_pairs, may_repeat,
                   output_columns, rows_of, scope_of)
from tree import (UNORDERED, Derived, Expr, Join, Key, Query, Recursion, Select, Series, SetOp, Table,
                  Unnest, Values, leaves, null)

JOINS = [(5, None, "INNER"), (4, None, "LEFT"), (2, None, "RIGHT"), (1, None, "CROSS"),
         (2, "full_join", "FULL")]
SET_OPERATIONS = [(3, None, "UNION"), (3, None, "UNION ALL"), (2, "except", "INTERSECT"),
                  (2, "except", "EXCEPT"), (1, "except", "INTERSECT ALL"),
                  (1, "except", "EXCEPT ALL")]

VALUES_TYPES = ("int", "bigint", "text", "date", "bool", "timestamp")

# (type, text, DuckDB's text, types of the operands) of expressions that may fail.
RISKY = [
    ("int", "({0} + {1})", None, ("int", "int")),
    ("int", "({0} - {1})", None, ("int", "int")),
    ("int", "({0} * {1})", None, ("int", "int")),
    ("int", "abs({0})", None, ("int",)),
    ("int", "(- {0})", None, ("int",)),
    ("int", "CAST({0} AS int)", None, ("bigint",)),
    ("int", "CAST({0} AS int)", None, ("numeric",)),
    ("int", "CAST({0} AS int)", None, ("double",)),
    ("bigint", "CAST({0} AS bigint)", None, ("double",)),
    ("bigint", "({0} + {1})", None, ("bigint", "int")),
    ("bigint", "({0} - {1})", None, ("bigint", "bigint")),
    ("bigint", "({0} * {1})", None, ("bigint", "bigint")),
    ("bigint", "({0} / NULLIF({1}, 0))", "({0} // NULLIF({1}, 0))", ("bigint", "int")),
    ("int", "({0} / NULLIF({1}, 0))", "({0} // NULLIF({1}, 0))", ("int", "int")),
    ("bigint", "sum({0})", "CAST(sum({0}) AS BIGINT)", ("int",)),
]


class Generator:
    """Makes one query: the same one for the same database, features, seed and number."""

    def __init__(self, database, features, seed):
        self.database = database
        self.features = features
        self.rng = random.Random(seed)
        self.aliases = 0
        self.ctes = []
        self.may_distinct_on = False
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
            end = 4 if start == 3 else 2
        exclude = ""
        if "window_exclude" in self.features and self.chance(0.2):
            exclude = " EXCLUDE " + self.pick(("CURRENT ROW", "GROUP", "TIES", "NO OTHERS"))
        return f"{mode} BETWEEN {bounds[start]} AND {bounds[end]}{exclude}"

    # --- relations

    def relation(self, depth):
        """A FROM item with its alias."""
        if depth > 0 and self.chance(0.2):
            query = self.query(depth - 1, nested=True)
            return Derived(query, self.alias(), output_columns(query), rows_of(query))
        alias = self.alias()
        if self.chance(0.03):
            return self.values(alias)
        if "series" in self.features and self.chance(0.03):
            first, step = self.rng.randint(-3, 3), self.pick((1, 1, 2, -1))
            return Series(first, first + step * self.rng.randint(-1, 9), step, alias)
        if "recursion" in self.features and self.chance(0.03):
            first, step = self.rng.randint(-3, 3), self.rng.randint(1, 3)
            return Recursion(first, first + step * self.rng.randint(0, 9), step,
                             self.pick((0, 0, 5, 7)), alias)
        table = self.pick(self.ctes) if self.ctes and self.chance(0.6) \
            else self.table()
        return Table(table.name, alias, table.columns, table.rows, table.unique, table.stored)

    def values(self, alias):
        types = [self.pick(VALUES_TYPES) for _ in range(self.rng.randint(1, 3))]
        outer, self.scope = self.scope, Scope([], 1, None)
        lines = [[self.expr(type, self.pick((0, 0, 1))) for type in types]
                 for _ in range(self.rng.randint(1, 4))]
        self.scope = outer
        return Values(lines, alias)

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
        if "lateral" in self.features and self.chance(0.04):
            source = self.with_lateral(source)
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
        self.scope.subqueries = False
        items = self.expr("list", 2)
        self.scope = outer
        return Join("CROSS", source, Unnest(items, self.alias(), "x"), 3 * rows_of(source))

    def with_lateral(self, source):
        """Joined to an aggregate over the rows that match."""
        outer, self.scope = self.scope, scope_of(leaves(source))
        query = one_row(self, self.pick(COMPARABLE))
        self.scope = outer
        if query is None:
            return source
        lateral = Derived(query, self.alias(), output_columns(query), 1, lateral=True)
        return Join("CROSS", source, lateral, rows_of(source))

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
        elif types is None and depth > 0 and self.chance(0.12):
            body = self.over_derived(depth)
        elif not nested and self.chance(0.03):
            body = self.risky()
        else:
            self.may_distinct_on = not nested and "distinct_on" in self.features
            body = self.select(depth, types)
        query = Query(body, ctes=named)
        self.ctes = ctes_before
        if body.distinct_on:
            keys = [*range(len(query.types))]
            query.order = [Key(n, self.chance(0.4), self.chance(0.5)) for n in keys]
        elif not nested or self.chance(0.2):
            self.order(query)
        return query

    def order(self, query):
        count = len(query.types)
        sortable = [n for n in range(count) if query.types[n] not in UNORDERED]
        style = self.rng.random()
        if style < 0.35 or not sortable:
            return
        named = self.rng.sample(sortable, self.rng.randint(1, len(sortable)))
        if style > 0.6 and len(sortable) == count:
            named += [n for n in sortable if n not in named]
        if isinstance(query.body, Select):
            named = query.body.sorts + named
        query.order = [Key(n, self.chance(0.4), self.chance(0.5)) for n in named]
        if query.total() and self.chance(0.6) and not query.body.risky:
            query.limit = self.pick((0, 1, 2, 3, 3, 5, 5, 10, 10, 100))
            query.offset = self.pick((None, None, None, 0, 1, 1, 4, 50))

    def set_operation(self, depth, types=None):
        if types is None:
            types = [self.pick(OUTPUT) for _ in range(self.rng.randint(1, 3))]
        kind = self.weighted(SET_OPERATIONS)
        sides = [self.select(depth - 1, types) for _ in range(2)]
        return SetOp(kind, *sides)

    def over_derived(self, depth):
        """SELECT * of a subquery, or its first rows by a window function."""
        outer, ranked = self.scope, self.chance(0.6)
        if ranked:
            source = self.source(depth - 1)
            self.scope = scope_of(leaves(source))
            inner = self.plain(source, None, ["bigint", self.pick(OUTPUT), self.pick(OUTPUT)],
                               windows=False)
            number = self.window("bigint")
            ranked = number is not None
            inner = inner.changed(items=[number, *inner.items[1:]]) if ranked else inner
            query = Query(inner)
        else:
            query = self.query(depth - 1, nested=True)
        derived = Derived(query, self.alias(), output_columns(query), rows_of(query))
        self.scope = scope_of([derived])
        where = self.expr("bool", 2) if self.chance(0.3) else None
        if ranked:
            where = Expr("bool", f"({{0}} {self.pick(('<=', '=', '<'))} {{1}})",
                         [self.scope.columns[0], self.small(1, 4)])
        made = Select(self.scope.columns, derived, where,
                      star=self.pick(("*", f"{derived.alias}.*", None)))
        self.scope = outer
        return made

    def risky(self):
        """What may overflow, for every row of a table: both engines must refuse it, or neither. The
        table has rows: without them DuckDB computes no constants, PostgreSQL and tamiz do."""
        table = self.pick([table for table in self.database.tables if table.rows])
        relation = Table(table.name, self.alias(), table.columns, table.rows, table.unique)
        outer, self.scope = self.scope, scope_of([relation])
        type, form, duckdb, kinds = self.pick(RISKY)
        item = Expr(type, form, [self.leaf(kind) for kind in kinds], duckdb=duckdb)
        self.scope = outer
        return Select([item], relation, risky=True)

    def select(self, depth, types=None):
        """`may_distinct_on` was set for this SELECT and none within."""
        outer, distinct_on = self.scope, self.may_distinct_on
        self.may_distinct_on = False
        source = None if self.chance(0.02) else self.source(depth)
        self.scope = scope_of(leaves(source) if source else [])
        if isinstance(source, Join) and source.using:
            self.merge_using(source)
        where = self.expr("bool", 3) if self.chance(0.4 if depth > 0 else 0.25) else None
        style = self.rng.random()
        self.may_distinct_on = distinct_on
        if style < 0.4 and source:
            made = self.grouped(source, where, types)
        else:
            made = self.plain(source, where, types, windows=style > 0.85)
        self.scope, self.may_distinct_on = outer, False
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
        made = Select(items, source, where, distinct=distinct)
        if self.may_distinct_on and not any(item.type in UNORDERED for item in items):
            keys = self.rng.randint(1, len(items))
            if not distinct and all(map(may_repeat, items[:keys])) and self.chance(0.08):
                made.distinct_on = keys
        if not distinct and self.chance(0.2):
            by = self.expr(self.pick(COMPARABLE), 2)
            made.sorts = [] if is_constant(by) else [by]
        return made

    def grouping_sets(self, keys):
        """Of keys that are columns: an expression may hold another key, which is then not that."""
        if not keys or not all(map(is_column, keys)) or not self.chance(0.3):
            return None
        return "grouping_sets" in self.features and self.pick(("ROLLUP", "CUBE", "GROUPING SETS"))

    def grouped(self, source, where, types):
        inner = self.scope
        keys = [self.expr(self.pick(COMPARABLE), self.pick((0, 0, 1, 2)))
                for _ in range(self.weighted([(2, None, 0), (4, None, 1), (2, None, 2)]))]
        keys = [key for key in keys if may_repeat(key)]
        sets = self.grouping_sets(keys)
        self.scope = Scope(list(keys), max(1, inner.rows // 3), list(keys), inner=inner)
        if types is None:
            chosen = [self.pick(OUTPUT + ("bigint", "approx"))
                      for _ in range(self.rng.randint(1, 3))]
            items = [*keys, *(self.expr(type, 1) for type in chosen)]
            positions = not sets and self.chance(0.3)
            if sets:
                items.append(Expr("bigint", "grouping({0})", [self.pick(keys)], mag=1))
        else:
            items = [self.expr(type, 1) for type in types]
            positions = False
        having = self.expr("bool", 2) if self.chance(0.25) else None
        if not keys and not any(has_aggregate(item) for item in items):
            count = Aggregate("bigint", "count(*)", mag=10**6)
            if types is None:
                items.append(count)
            elif having is None:
                having = Expr("bool", "({0} > 0)", [count])
        group = list(range(len(keys))) if positions else keys
        return Select(items, source, where, group, having, sets=sets)
