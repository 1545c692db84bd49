"""The syntax tree of a generated query: one tree, rendered for tamiz and for DuckDB.

An expression carries its text in both dialects as a template over its children; what differs
between the dialects is written where the expression is made (generate.py). Everything has
`kids()`, `with_kids()` and `render(dialect)`, which is all that minimise.py needs to know."""

import copy

TAMIZ, DUCKDB = 0, 1

# Names of the types in CAST, by dialect. `approx` is a double whose last digits depend on the order
# of the operations: it may be printed, but never be compared, grouped or sorted by.
TYPE_NAMES = {
    "bool": ("boolean", "BOOLEAN"),
    "int": ("int", "INTEGER"),
    "bigint": ("bigint", "BIGINT"),
    "numeric": ("numeric", "DECIMAL(20,4)"),
    "double": ("double precision", "DOUBLE"),
    "approx": ("double precision", "DOUBLE"),
    "text": ("text", "VARCHAR"),
    "date": ("date", "DATE"),
    "timestamp": ("timestamp", "TIMESTAMP"),
    "list": ("text[]", "VARCHAR[]"),
}

UNORDERED = ("approx", "list")

# Bounds of doubles: arithmetic on tame ones is safe, wild ones may be anything.
TAME = 10**9
WILD = 10**300


class Node:
    """A part of a tree. What a node holds besides its kids is never changed after it was made."""

    def kids(self):
        return []

    def with_kids(self, kids):
        return self

    def changed(self, **fields):
        other = copy.copy(self)
        for name, value in fields.items():
            setattr(other, name, value)
        return other


class Expr(Node):
    """`text` holds {0}, {1}, ... for the kids. `mag` bounds the absolute value of a number and
    `scale` its decimals, so that the generator knows what cannot overflow. `fixed` kids are left
    alone by the minimiser: without them the query would have more than one right answer."""

    __slots__ = ("type", "text", "args", "mag", "scale", "fixed")

    def __init__(self, type, text, args=(), duckdb=None, mag=0, scale=0, fixed=0):
        self.type = type
        self.text = (text, text if duckdb is None else duckdb)
        self.args = list(args)
        self.mag = mag
        self.scale = scale
        self.fixed = fixed

    def kids(self):
        return self.args

    def with_kids(self, kids):
        return self.changed(args=list(kids))

    def render(self, dialect):
        if not self.args:
            return self.text[dialect]
        return self.text[dialect].format(*(kid.render(dialect) for kid in self.args))


def null(type):
    tamiz, duckdb = TYPE_NAMES[type]
    return Expr(type, f"CAST(NULL AS {tamiz})", duckdb=f"CAST(NULL AS {duckdb})")


def decimal_type(mag, scale):
    """DuckDB's type for numbers up to mag. Not wider than needed: where two types do not fit into
    38 digits together, DuckDB takes digits from the decimals."""
    return f"DECIMAL({max(19, len(str(mag)) + scale)},{scale})"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Column:
    """A column of a relation. `samples` are expressions for values that occur in it."""

    def __init__(self, name, type, mag=0, scale=0, samples=()):
        self.name = name
        self.type = type
        self.mag = mag
        self.scale = scale
        self.samples = list(samples)


# --- relations ------------------------------------------------------------------------------------


class Table(Node):
    """A table of the database, or a common table expression."""

    def __init__(self, name, alias, columns, rows, unique=None, stored=True):
        self.name = name
        self.alias = alias
        self.columns = columns
        self.rows = rows
        self.unique = unique
        self.stored = stored

    def render(self, dialect):
        return f"{self.name} {self.alias}"


class Derived(Node):
    """A subquery; a `lateral` one names columns of the relations to its left."""

    def __init__(self, query, alias, columns, rows, lateral=False):
        self.query = query
        self.lateral = lateral
        self.alias = alias
        self.columns = columns
        self.rows = rows
        self.unique = None

    def kids(self):
        return [self.query]

    def with_kids(self, kids):
        return self.changed(query=kids[0])

    def render(self, dialect):
        lateral = "LATERAL " if self.lateral else ""
        return f"{lateral}({self.query.render(dialect)}) {self.alias}"


class Values(Node):
    """VALUES as a relation; `lines` are rows of expressions."""

    def __init__(self, lines, alias):
        self.lines = lines
        self.alias = alias
        self.columns = [Column(f"c{n}", items[0].type, max(e.mag for e in items),
                               max(e.scale for e in items))
                        for n, items in enumerate(zip(*lines))]
        self.rows = len(lines)
        self.unique = None

    def kids(self):
        return [item for line in self.lines for item in line]

    def with_kids(self, kids):
        width = len(self.columns)
        return self.changed(lines=[kids[n:n + width] for n in range(0, len(kids), width)])

    def render(self, dialect):
        lines = ", ".join(f"({', '.join(item.render(dialect) for item in line)})"
                          for line in self.lines)
        names = ", ".join(column.name for column in self.columns)
        return f"(VALUES {lines}) {self.alias}({names})"


class Series(Node):
    """Numbers from `first` to `last`, which DuckDB has as bigint only."""

    def __init__(self, first, last, step, alias):
        self.numbers = first, last, step
        self.alias = alias
        self.columns = [Column("n", "int", max(abs(first), abs(last)), 0)]
        self.rows = len(range(first, last + (1 if step > 0 else -1), step))
        self.unique = None

    def kids(self):
        return []

    def with_kids(self, kids):
        return self

    def render(self, dialect):
        series = f"generate_series({', '.join(map(str, self.numbers))})"
        if dialect == DUCKDB:
            series = f"(SELECT CAST(x AS INTEGER) FROM {series} AS s(x))"
        return f"{series} AS {self.alias}(n)"


class Recursion(Series):
    """Numbers that a recursive query counts: by UNION ALL up to an end, or by UNION in a ring."""

    def __init__(self, first, last, step, ring, alias):
        super().__init__(first, last, abs(step), alias)
        self.ring = ring
        self.columns = [Column("n", "int", abs(first) + abs(last) + 100)]
        self.rows = ring or max(self.rows, 1)

    def render(self, dialect):
        first, last, step = self.numbers
        term = f"UNION SELECT (n + {step}) % {self.ring} FROM r" if self.ring \
            else f"UNION ALL SELECT n + {step} FROM r WHERE n + {step} <= {last}"
        return f"(WITH RECURSIVE r(n) AS (SELECT {first} {term}) SELECT n FROM r) {self.alias}"


class Unnest(Node):
    """The items of a list of the relations to its left."""

    def __init__(self, list_, alias, name):
        self.list = list_
        self.alias = alias
        self.columns = [Column(name, "text")]
        self.rows = 3
        self.unique = None

    def kids(self):
        return [self.list]

    def with_kids(self, kids):
        return self.changed(list=kids[0])

    def render(self, dialect):
        return f"unnest({self.list.render(dialect)}) AS {self.alias}({self.columns[0].name})"


class Join(Node):
    """`on` is a condition; `using` names columns instead; neither makes a CROSS JOIN."""

    def __init__(self, kind, left, right, rows, on=None, using=None):
        self.kind = kind
        self.left = left
        self.right = right
        self.rows = rows
        self.on = on
        self.using = using

    def kids(self):
        return [self.left, self.right] + ([self.on] if self.on else [])

    def with_kids(self, kids):
        return self.changed(left=kids[0], right=kids[1], on=kids[2] if self.on else None)

    def render(self, dialect):
        text = f"{self.left.render(dialect)} {self.kind} JOIN {self.right.render(dialect)}"
        if self.using:
            return f"{text} USING ({', '.join(self.using)})"
        return f"{text} ON {self.on.render(dialect)}" if self.on else text


def leaves(relation):
    """The relations of a FROM that have aliases."""
    if isinstance(relation, Join):
        return leaves(relation.left) + leaves(relation.right)
    return [relation]


# --- queries --------------------------------------------------------------------------------------


class Select(Node):
    """Output columns are called c0, c1, ... Numbers in `group` are positions of output columns.
    `star` is written instead of the items. `sorts` are what the query may be sorted by besides;
    `risky`: some row may be an error, so none may be left out. `distinct_on`: how many of the first
    items DISTINCT ON has. `sets`: ROLLUP, CUBE or GROUPING SETS over the keys."""

    def __init__(self, items, source=None, where=None, group=(), having=None, distinct=False,
                 star=None, risky=False, distinct_on=0, sets=None):
        self.items = items
        self.source = source
        self.where = where
        self.group = list(group)
        self.having = having
        self.distinct = distinct
        self.star = star
        self.risky = risky
        self.distinct_on = distinct_on
        self.sets = sets
        self.sorts = []

    @property
    def types(self):
        return [item.type for item in self.items]

    def parts(self):
        """The expressions and relations, each with the field and the index where it stands."""
        for field in ("source", "where", "having"):
            if getattr(self, field) is not None:
                yield field, None, getattr(self, field)
        for field in ("items", "group"):
            for index, part in enumerate(getattr(self, field)):
                if isinstance(part, Node):
                    yield field, index, part

    def kids(self):
        return [part for _, _, part in self.parts()]

    def with_kids(self, kids):
        other = self.changed(items=list(self.items), group=list(self.group))
        for (field, index, _), kid in zip(self.parts(), kids):
            if index is None:
                setattr(other, field, kid)
            else:
                getattr(other, field)[index] = kid
        return other

    def render(self, dialect):
        items = ", ".join(f"{item.render(dialect)} AS c{n}" for n, item in enumerate(self.items))
        text = f"SELECT {'DISTINCT ' if self.distinct else ''}"
        if self.distinct_on:
            keys = (item.render(dialect) for item in self.items[:self.distinct_on])
            text += f"DISTINCT ON ({', '.join(keys)}) "
        text += self.star or items
        if self.source:
            text += f" FROM {self.source.render(dialect)}"
        if self.where:
            text += f" WHERE {self.where.render(dialect)}"
        if self.group:
            keys = (str(key + 1) if isinstance(key, int) else key.render(dialect)
                    for key in self.group)
            keys = ", ".join(keys)
            text += f" GROUP BY {f'{self.sets} ({keys})' if self.sets else keys}"
        if self.having:
            text += f" HAVING {self.having.render(dialect)}"
        return text

    def without_column(self, index):
        if len(self.items) == 1 or self.distinct_on:
            return None
        group = [key - (key > index) if isinstance(key, int) else key
                 for key in self.group if key != index]
        items = self.items[:index] + self.items[index + 1:]
        return self.changed(items=items, group=group, star=None)


class SetOp(Node):
    risky = False
    distinct_on = 0

    def __init__(self, kind, left, right):
        self.kind = kind
        self.left = left
        self.right = right

    @property
    def types(self):
        return self.left.types

    @property
    def items(self):
        return self.left.items

    def kids(self):
        return [self.left, self.right]

    def with_kids(self, kids):
        return self.changed(left=kids[0], right=kids[1])

    def render(self, dialect):
        return f"({self.left.render(dialect)}) {self.kind} ({self.right.render(dialect)})"

    def without_column(self, index):
        left, right = self.left.without_column(index), self.right.without_column(index)
        return self.changed(left=left, right=right) if left and right else None


class Key:
    """A sort key: an expression or the number of an output column; NULLS FIRST or LAST."""

    def __init__(self, what, down, nulls_first):
        self.what = what
        self.down = down
        self.nulls_first = nulls_first

    def render(self, dialect):
        what = str(self.what + 1) if isinstance(self.what, int) else self.what.render(dialect)
        return (f"{what}{' DESC' if self.down else ''}"
                f" NULLS {'FIRST' if self.nulls_first else 'LAST'}")


class Query(Node):
    """`ctes` are pairs of a name and a Query."""

    def __init__(self, body, order=(), limit=None, offset=None, ctes=()):
        self.body = body
        self.order = list(order)
        self.limit = limit
        self.offset = offset
        self.ctes = list(ctes)

    @property
    def types(self):
        return self.body.types

    def total(self):
        """Whether ORDER BY leaves no choice: rows that tie are equal."""
        named = {key.what for key in self.order if isinstance(key.what, int)}
        return len(named) == len(self.types) and not any(t in UNORDERED for t in self.types)

    def kids(self):
        return [query for _, query in self.ctes] + [self.body]

    def with_kids(self, kids):
        ctes = [(name, kid) for (name, _), kid in zip(self.ctes, kids)]
        return self.changed(ctes=ctes, body=kids[-1])

    def render(self, dialect):
        text = ""
        if self.ctes:
            ctes = (f"{name} AS ({query.render(dialect)})" for name, query in self.ctes)
            text = f"WITH {', '.join(ctes)} "
        text += self.body.render(dialect)
        if self.order:
            text += f" ORDER BY {', '.join(key.render(dialect) for key in self.order)}"
        if self.limit is not None:
            text += f" LIMIT {self.limit}"
        if self.offset is not None:
            text += f" OFFSET {self.offset}"
        return text

    def without_column(self, index):
        body = self.body.without_column(index)
        if body is None:
            return None
        order = []
        for key in self.order:
            if isinstance(key.what, int) and key.what > index:
                key = Key(key.what - 1, key.down, key.nulls_first)
            elif key.what == index:
                continue
            order.append(key)
        return self.changed(body=body, order=order)
