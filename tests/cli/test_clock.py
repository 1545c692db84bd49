"""now() and random(): fixed when a statement starts, and repeatable."""

from harness import SQL, USAGE, answers, check, equal, fails, main, write

NOW = ("--now", "2024-02-29 23:30:00.123456+01")


def sql(folder, query, *more):
    return answers("sql", "--data", folder, "--format", "csv", "-c", query, *more).split("\n", 1)[1]


def numbers(folder, rows=4000):
    write(folder / "t.csv", "id\n" + "".join(f"{i}\n" for i in range(rows)))


def test_the_clock_that_is_given(folder):
    equal(sql(folder, "SELECT now() AS n, current_date, localtime, localtimestamp(0), current_timestamp(3)", *NOW),
          "2024-02-29 22:30:00.123456+00,2024-02-29,22:30:00.123456,2024-02-29 22:30:00,2024-02-29 22:30:00.123+00\n")
    equal(sql(folder, "SELECT current_date, localtime(0), age(timestamp '2020-01-01')", *NOW, "--time-zone", "Asia/Tokyo"),
          "2024-03-01,07:30:00,4 years 2 mons\n")
    equal(sql(folder, "SET now = '2000-01-01'; SELECT current_date; RESET now; SELECT current_date", *NOW, "-q"),
          "2000-01-01\ncurrent_date\n2024-02-29\n")
    write(folder / "schema.sql", "SET now = '2001-02-03 04:05';")
    equal(sql(folder, "SELECT now()", "--schema", folder / "schema.sql"), "2001-02-03 04:05:00+00\n")


def test_the_clock_of_the_machine(folder):
    """It stands still in a statement, and goes on between two."""
    numbers(folder)
    equal(sql(folder, "SELECT count(DISTINCT n), bool_and(n = now()) FROM (SELECT now() AS n FROM t) s"), "1,t\n")
    first, _, second = sql(folder, "SELECT now(); SELECT now()").strip().split("\n")
    check(first < second, f"{first} and {second}")


def test_chance_by_a_seed(folder):
    numbers(folder)
    query = "SELECT id, random() AS r FROM t WHERE random() < 0.2 ORDER BY random(), id LIMIT 30"
    want = sql(folder, query, "--seed", "7")
    for way in (("--threads", "1"), ("--threads", "4", "--chunk-size", "64"), ("--threads", "2", "--memory", "1K")):
        equal(sql(folder, query, "--seed", "7", *way), want)
    check(sql(folder, query, "--seed", "8") != want, "another seed")
    check(sql(folder, query) != sql(folder, query), "no seed")


def test_chance_is_even(folder):
    numbers(folder)
    equal(sql(folder, "SELECT count(DISTINCT r), min(r) >= 0, max(r) < 1, avg(r) BETWEEN 0.48 AND 0.52, "
              "count(*) FILTER (WHERE r < 0.25) BETWEEN 900 AND 1100 FROM (SELECT random() AS r FROM t) s", "--seed", "1"),
          "4000,t,t,t,t\n")
    # Calls are independent of each other, rows that are equal have numbers of their own.
    equal(sql(folder, "SELECT abs(corr(random(), random())) < 0.05 FROM t", "--seed", "1"), "t\n")
    equal(sql(folder, "SELECT count(DISTINCT r) FROM (SELECT random() AS r FROM (SELECT 1 FROM t) u) s", "--seed", "1"),
          "4000\n")
    equal(sql(folder, "SELECT count(DISTINCT r) FROM (SELECT random() AS r FROM generate_series(1, 50) a, t b "
              "WHERE b.id < 10) s", "--seed", "1"), "500\n")


def test_what_is_none(folder):
    fails(USAGE, '--now is a time such as', args=["sql", "--data", folder, "--now", "noon", "-c", "SELECT 1"])
    fails(USAGE, "--seed is a whole number", args=["sql", "--data", folder, "--seed", "-1", "-c", "SELECT 1"])
    fails(SQL, "seed is a whole number", args=["sql", "--data", folder, "-c", "SET seed = 'x'"])


main(globals())
