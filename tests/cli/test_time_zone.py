"""--time-zone: what a query says of times, and how timestamps with a time zone are shown."""

from harness import SQL, USAGE, answers, check, equal, fails, main, write


def sql(folder, query, *more):
    return answers("sql", "--data", folder, "--format", "csv", "-c", query, *more).split("\n", 1)[1]


def test_shown_in_the_zone(folder):
    query = "SELECT timestamptz '2024-07-01 12:00Z' AS t"
    equal(sql(folder, query), "2024-07-01 12:00:00+00\n")
    equal(sql(folder, query, "--time-zone", "Europe/Berlin"), "2024-07-01 14:00:00+02\n")
    equal(sql(folder, query, "--time-zone", "asia/kathmandu"), "2024-07-01 17:45:00+05:45\n")
    equal(sql(folder, query, "--time-zone", "UTC"), "2024-07-01 12:00:00+00\n")


def test_json_in_the_zone(folder):
    query = "SELECT to_json(timestamptz '2024-07-01 12:00:00.5Z') AS a, jsonb_build_array(timestamptz '2024-01-01Z')->>0 AS b"
    equal(sql(folder, query), '"""2024-07-01T12:00:00.5+00:00""",2024-01-01T00:00:00+00:00\n')
    equal(sql(folder, query, "--time-zone", "Asia/Kolkata"),
          '"""2024-07-01T17:30:00.5+05:30""",2024-01-01T05:30:00+05:30\n')


def test_meant_in_the_zone(folder):
    berlin = ("--time-zone", "Europe/Berlin")
    equal(sql(folder, "SELECT extract(epoch FROM timestamptz '2024-07-01 12:00') AS t", *berlin),
          "1719828000.000000\n")
    equal(sql(folder, "SELECT timestamptz '2024-03-30 12:00' + interval '1 day' AS day, "
              "timestamptz '2024-03-30 12:00' + interval '24 hours' AS hours", *berlin),
          "2024-03-31 12:00:00+02,2024-03-31 13:00:00+02\n")
    equal(sql(folder, "SELECT date_trunc('day', timestamptz '2024-06-30 22:30Z') AS t, "
              "(timestamptz '2024-06-30 22:30Z')::date AS d, "
              "extract(hour FROM timestamptz '2024-06-30 22:30Z') AS h", *berlin),
          "2024-07-01 00:00:00+02,2024-07-01,0\n")


def test_files(folder):
    write(folder / "events.csv", "id,at\n1,2024-12-31T10:00:00+02:00\n2,2024-07-01 12:00:00\n"
          "3,2024-07-01 12:00:00Z\n4,2024-07-01 12:00:00-0330\n5,\n6,2024-07-01\n")
    schema = folder / "schema.sql"
    write(schema, "CREATE TABLE events (id int, at timestamptz) WITH (files = 'events.csv');")
    query = "SELECT id, at FROM events ORDER BY at, id"
    equal(sql(folder, query, "--schema", schema),
          "6,2024-07-01 00:00:00+00\n2,2024-07-01 12:00:00+00\n3,2024-07-01 12:00:00+00\n"
          "4,2024-07-01 15:30:00+00\n1,2024-12-31 08:00:00+00\n5,\n")
    write(schema, "SET TIME ZONE 'America/New_York';\n"
          "CREATE TABLE events (id int, at timestamptz) WITH (files = 'events.csv');")
    equal(sql(folder, query + " LIMIT 2", "--schema", schema),
          "6,2024-06-30 20:00:00-04\n2,2024-07-01 08:00:00-04\n")
    equal(sql(folder, query + " LIMIT 1", "--schema", schema, "--time-zone", "UTC"),
          "6,2024-07-01 00:00:00+00\n")


def test_unknown(folder):
    fails(SQL, 'time zone "Mars/Olympus" not recognized',
          args=["sql", "--data", folder, "--time-zone", "Mars/Olympus", "-c", "SELECT 1"])


def test_explained(folder):
    plan = answers("explain", "--data", folder, "-c",
                   "SELECT timestamp '2024-01-01' AT TIME ZONE 'Europe/Berlin' AS t")
    check("zone_instant('2024-01-01 00:00:00'::timestamp, 'Europe/Berlin')" in plan
          or "Europe/Berlin" in plan, plan)


main(globals())
