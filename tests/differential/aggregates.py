"""The productions of aggregates and window functions, with their weights: AGGREGATES and WINDOWS.

As in grammar.py, with one more rule: what depends on the order of rows (row_number, frames of ROWS,
string_agg) gets an order in which only equal rows tie."""

import re

from scope import COMPARABLE, TRIES, Aggregate, Window, fits, same
from tree import Expr, decimal_type

# --- aggregates -----------------------------------------------------------------------------------


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
    """Without a correlation PostgreSQL says NULL, DuckDB NaN."""
    name = g.pick(("corr", "covar_pop", "covar_samp"))
    args = [Expr("double", "CAST({0} AS double precision)", [tame_number(g)]) for _ in range(2)]
    return filter_call(g, type, f"{name}({{0}}, {{1}})", args, "NULLIF(%s, CAST('NaN' AS DOUBLE))")


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


# --- windows --------------------------------------------------------------------------------------


def windowed(g, type, text, args=(), wrap=None, frame="", total=False, keys=None, mag=0, scale=0):
    made = g.over(text, list(args), frame, total, keys)
    if made is None:
        return None
    text, kids, fixed = made
    return Window(type, text, kids, duckdb=wrap and wrap % text, mag=mag, scale=scale, fixed=fixed)


def row_number(g, type):
    return windowed(g, type, "row_number()", total=True, mag=10**6)


def rank(g, type):
    """Always with a key: DuckDB 1.5 crashes on some joins below dense_rank() OVER ()."""
    keys = [g.expr(g.pick(COMPARABLE), 1) for _ in range(g.rng.randint(1, 2))]
    return windowed(g, type, f"{g.pick(('rank', 'dense_rank'))}()", keys=keys, mag=10**6)


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
    elif type == "numeric":
        bounds = same(type, args)
        args[0] = Expr(type, "{0}", args[:1], **bounds, duckdb="CAST({0} AS %s)" % decimal_type(
            bounds["mag"], bounds["scale"]))
    return windowed(g, type, f"{g.pick(('lag', 'lead'))}({text})", args, total=True,
                    **same(type, args))


def frame_value(g, type):
    a = typed(g, type)
    name = g.pick(("first_value({0})", "last_value({0})",
                   f"nth_value({{0}}, {g.rng.randint(1, 3)})"))
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
    frame, key = g.frame(["RANGE"]), g.within("int", 0, 10**6)
    if "interval" in g.features and g.chance(0.3):
        frame = re.sub(r"(\d+) (\w+ING)", r"interval '\1 months' \2", frame)
        key = Expr("date", "GREATEST({0}, date '1000-01-01')", [g.expr("date", 0)])
    return key and windowed(g, type, text, args, wrap, frame, keys=[key], **bounds)


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
        name = g.pick(("avg", "avg", "stddev", "var_pop") if "deviation" in g.features else ("avg",))
        return f"{name}({{0}})", [tame_number(g)], None, {}
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
