"""What an expression may name, and what is known about it: types, bounds, numbers of rows."""

from tree import UNORDERED, Column, Expr, Query, Select, SetOp, Table, leaves

EXACT = ("int", "bigint", "numeric")
COMPARABLE = ("int", "bigint", "numeric", "double", "text", "text", "date", "timestamp", "bool")
SORTED = ("int", "bigint", "numeric", "double", "text", "date", "timestamp")
OUTPUT = COMPARABLE + ("int", "text", "numeric")
LIMITS = {"int": 2**31 - 1, "bigint": 2**63 - 1, "numeric": 10**22}
SCALE_MAX = 12
TRIES = 8
JOINED_ROWS_MAX = 20000


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


def is_constant(expr):
    return not any(is_column(part) for part in walk(expr))


def is_column(expr):
    return isinstance(expr, ColumnRef)


def walk(expr):
    yield expr
    for kid in expr.kids():
        yield from walk(kid)


def may_repeat(expr):
    """Whether it can be written twice, as a column and as a key, and is known as the same. tamiz
    does not compare subqueries nor windows, and an integer would be a position."""
    return not is_constant(expr) and not any(isinstance(part, (Query, Window))
                                             for part in walk(expr))


def has_aggregate(expr):
    """Of its own, not in a subquery."""
    return isinstance(expr, Aggregate) or not isinstance(expr, Query) and any(
        has_aggregate(kid) for kid in expr.kids())


class ColumnRef(Expr):
    pass


class Aggregate(Expr):
    pass


class Window(Expr):
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


def same(type, parts):
    """Bounds of an expression that yields one of its parts."""
    return {"mag": max(p.mag for p in parts), "scale": max(p.scale for p in parts)}
