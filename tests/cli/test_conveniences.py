"""Functions that other databases have: what PostgreSQL says for each is the same answer."""

from harness import SQL, answers, equal, fails, main, write

# A convenience, and PostgreSQL's way to say it.
SAME = [
    ("year(t)", "extract(year FROM t)::bigint"), ("quarter(t)", "extract(quarter FROM t)::bigint"),
    ("month(t)", "extract(month FROM t)::bigint"), ("week(t)", "extract(week FROM t)::bigint"),
    ("day(t)", "extract(day FROM t)::bigint"), ("hour(t)", "extract(hour FROM t)::bigint"),
    ("minute(t)", "extract(minute FROM t)::bigint"), ("second(t)", "trunc(extract(second FROM t))::bigint"),
    ("dayofweek(t)", "extract(dow FROM t)::bigint"), ("dayofyear(t)", "extract(doy FROM t)::bigint"),
    ("dayname(t)", "to_char(t, 'FMDay')"), ("monthname(t)", "to_char(t, 'FMMonth')"),
    ("ifnull(name, 'none')", "coalesce(name, 'none')"), ("ifnull(x, 0)", "coalesce(x, 0)"),
    ("strftime(t, '%d.%m.%Y, %H:%M:%S')", """to_char(t, 'DD.MM.YYYY", "HH24:MI:SS')"""),
    ("strftime('%-d %B', t)", "to_char(t, 'FMDD FMMonth')"),
    ("date_diff('day', date '2024-01-01', t)", "(t::date - date '2024-01-01')::bigint"),
]
AGGREGATES = [
    ("median(x)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY x)"),
    ("quantile(x, 0.25)", "percentile_disc(0.25) WITHIN GROUP (ORDER BY x)"),
    ("quantile_cont(x, 0.9)", "percentile_cont(0.9) WITHIN GROUP (ORDER BY x)"),
    ("median(x) FILTER (WHERE id > 2)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FILTER (WHERE id > 2)"),
    ("any_value(name)", "min(name)"), ("count_if(x > 2)", "count(*) FILTER (WHERE x > 2)"),
    ("count_if(x > 2) FILTER (WHERE id < 5)", "count(*) FILTER (WHERE x > 2 AND id < 5)"),
    ("approx_count_distinct(name)", "count(DISTINCT name)"),
    ("list(name ORDER BY id DESC)", "array_agg(name ORDER BY id DESC)"),
    ("list(DISTINCT name)", "array_agg(DISTINCT name)"),
    ("first(name ORDER BY t DESC, id)", "(array_agg(name ORDER BY t DESC, id))[1]"),
    ("last(name ORDER BY t DESC, id)", "(array_agg(name ORDER BY t, id DESC))[1]"),
    ("arg_max(name, x)", "(array_agg(name ORDER BY x DESC) FILTER (WHERE name IS NOT NULL AND x IS NOT NULL))[1]"),
    ("arg_min(name, x)", "(array_agg(name ORDER BY x) FILTER (WHERE name IS NOT NULL AND x IS NOT NULL))[1]"),
    ("sum(any_value(x)) OVER ()", "sum(min(x)) OVER ()"),
]


def ask(folder, query, *more):
    return answers("sql", "--data", folder, "-f", "csv", "-c", query, *more).split("\n", 1)[1]


def data(folder):
    rows = ["1,2024-02-29 23:59:59.75,a,5", "2,2023-12-31 00:00:00,b,", "3,2024-01-01 06:30:15,,2.5", "4,2024-06-03 12:00:00,a,-1",
            "5,,c,7", "6,2025-01-01 00:00:00,b,7"]
    write(folder / "t.csv", "id,t,name,x\n" + "\n".join(rows) + "\n")


def test_values(folder):
    data(folder)
    for ours, postgres in SAME:
        equal(ask(folder, f"SELECT {ours} AS v FROM t ORDER BY id"), ask(folder, f"SELECT {postgres} AS v FROM t ORDER BY id"), ours)


def test_aggregates(folder):
    data(folder)
    for ours, postgres in AGGREGATES:
        for tail in ("FROM t", "FROM t GROUP BY name IS NULL ORDER BY 1"):
            equal(ask(folder, f"SELECT {ours} AS v {tail}"), ask(folder, f"SELECT {postgres} AS v {tail}"), ours)
    equal(ask(folder, "SELECT id, any_value(x) OVER (PARTITION BY name) FROM t WHERE name = 'a' ORDER BY 1"), "1,-1\n4,-1\n")


def test_differences(folder):
    """Bounds between, as DuckDB counts them: not how often the unit fits."""
    for unit, start, end, bounds in (
        ("year", "2023-12-31", "2024-01-01", 1), ("quarter", "2023-12-31", "2024-01-01", 1), ("quarter", "2024-01-01", "2024-03-31", 0),
        ("month", "2023-01-31", "2024-03-01", 14), ("months", "2024-03-01", "2024-02-29", -1), ("week", "2024-01-07", "2024-01-08", 1),
        ("week", "2024-01-08", "2024-01-14", 0), ("day", "2024-02-28 23:59", "2024-03-01 00:00", 2),
        ("hour", "2024-01-01 00:59", "2024-01-01 01:01", 1), ("minute", "2023-12-31 23:59:59", "2024-01-01", 1),
        ("second", "1969-12-31 23:59:59.5", "1970-01-01 00:00:00", 1), ("millisecond", "2024-01-01", "2024-01-01 00:00:01.5", 1500),
    ):
        equal(ask(folder, f"SELECT date_diff('{unit}', timestamp '{start}', timestamp '{end}')"), f"{bounds}\n", f"{unit} {start}")
    equal(ask(folder, "SELECT last_day(date '2024-02-03'), last_day(timestamp '2023-12-31 05:00')"), "2024-02-29,2023-12-31\n")


def test_names(folder):
    """A column is called after what was written; a schema may have functions of these names."""
    equal(answers("sql", "--data", folder, "-f", "csv", "-c", "SELECT year(date '2024-05-01'), ifnull(NULL, 2)"),
          "year,ifnull\n2024,2\n")
    schema = write(folder / "s.sql", "CREATE FUNCTION year(d date) RETURNS text LANGUAGE sql RETURN 'mine';")
    equal(ask(folder, "SELECT year(date '2024-05-01')", "--schema", schema), "mine\n")


def test_what_is_none(folder):
    for query, problem in (
        ("SELECT last(1)", "last needs to know of which order"), ("SELECT median(DISTINCT 1)", "DISTINCT has no meaning in median"),
        ("SELECT date_diff('fortnight', now(), now())", "the unit of date_diff is one of"),
        ("SELECT strftime(now(), '%Q')", "strftime does not know %Q"), ("SELECT strftime(now(), 1 || 'x')", "must be a constant"),
        ("SELECT date_add(now(), 1)", "did you mean d + interval '1 day'?"), ("SELECT nvl(1, 2)", "did you mean coalesce?"),
        ("SELECT year(DISTINCT now())", "not an aggregate function"),
    ):
        fails(SQL, problem, args=["sql", "--data", folder, "-c", query])


main(globals())
