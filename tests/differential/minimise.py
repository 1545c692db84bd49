"""Makes a query smaller while something stays wrong with it.

Candidates need not be valid: a query that both engines refuse is not interesting and is dropped.
They must not have two right answers, though, so the keys that make an order total stay."""

import database
from tree import Expr, Join, Query, Select, SetOp, TAMIZ, null

ATTEMPTS_MAX = 600

SIMPLE = {"bool": "true", "int": "1", "bigint": "1", "numeric": "1.5", "double": "0.5", "text": "a",
          "date": "2024-01-31", "timestamp": "2024-01-31 06:00:00"}


def simpler_query(query):
    if isinstance(query.body, SetOp):
        yield query.changed(body=query.body.left)
        yield query.changed(body=query.body.right)
    for n in range(len(query.ctes)):
        yield query.changed(ctes=query.ctes[:n] + query.ctes[n + 1:])
    if query.order and query.body.distinct_on:
        yield query.changed(body=query.body.changed(distinct_on=0))
    elif query.order:
        yield query.changed(order=[], limit=None, offset=None)
    if query.offset is not None:
        yield query.changed(offset=None)
    if query.limit is not None:
        yield query.changed(limit=None, offset=None)
    elif not query.body.distinct_on:
        for n in range(len(query.order)):
            yield query.changed(order=query.order[:n] + query.order[n + 1:])
    for n in range(len(query.types)):
        smaller = query.without_column(n)
        if smaller is not None:
            yield smaller


def simpler_select(select):
    for field, empty in (("where", None), ("having", None), ("distinct", False)):
        if getattr(select, field):
            yield select.changed(**{field: empty})
    for n in range(len(select.group)):
        yield select.changed(group=select.group[:n] + select.group[n + 1:])
    if select.source is not None:
        yield select.changed(source=None)


def simpler_expr(expr):
    """A part of the same type, a constant, or NULL."""
    loose = len(expr.args) - expr.fixed
    for kid in expr.args[:loose]:
        if isinstance(kid, Expr) and kid.type == expr.type:
            yield kid
    if expr.type in SIMPLE:
        yield database.literal(expr.type, SIMPLE[expr.type])
    if expr.args:
        yield null(expr.type)


def simpler(node):
    """Smaller trees to put in the place of this one, the boldest first."""
    if isinstance(node, Query):
        yield from simpler_query(node)
    elif isinstance(node, Select):
        yield from simpler_select(node)
    elif isinstance(node, Join):
        yield node.left
        yield node.right
    elif isinstance(node, Expr):
        yield from simpler_expr(node)


def parts(node, loose=True):
    """Every part of a tree, from the root down, and whether it may be changed."""
    yield node, loose
    kids = node.kids()
    fixed = node.fixed if isinstance(node, Expr) else 0
    for n, kid in enumerate(kids):
        yield from parts(kid, loose and n < len(kids) - fixed)


def put(node, old, new):
    """The tree with `new` wherever `old` stood: a key of GROUP BY is the same object as the column
    that shows it."""
    if node is old:
        return new
    kids = node.kids()
    changed = [put(kid, old, new) for kid in kids]
    if all(a is b for a, b in zip(kids, changed)):
        return node
    return node.with_kids(changed)


def candidates(query):
    listed = list(parts(query))
    seen = {id(part) for part, loose in listed if not loose}
    for part, _ in listed:
        if id(part) not in seen:
            seen.add(id(part))
            for smaller in simpler(part):
                yield put(query, part, smaller)


def minimise(query, still_wrong):
    """The smallest query found for which still_wrong(query) holds, as it does for the given one."""
    attempts = 0
    found = True
    while found and attempts < ATTEMPTS_MAX:
        found = False
        size = len(query.render(TAMIZ))
        for candidate in candidates(query):
            if len(candidate.render(TAMIZ)) >= size:
                continue
            attempts += 1
            if still_wrong(candidate):
                query, found = candidate, True
                break
            if attempts >= ATTEMPTS_MAX:
                break
    return query
