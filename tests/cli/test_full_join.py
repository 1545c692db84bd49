"""FULL JOIN under conditions that PostgreSQL refuses: what it means, written out, must be the same."""

from harness import answers, check, equal, main


def csv(folder, query, *options):
    return answers("sql", "-q", "-f", "csv", *options, "-c", query, cwd=folder)


def test_conditions(folder):
    (folder / "a.csv").write_text("i,k,t\n" + "".join(f"{i},{i * 7 % 11 if i % 5 else ''},{'x' * (i % 4)}\n" for i in range(40)))
    (folder / "b.csv").write_text("j,k,t\n" + "".join(f"{i},{i * 5 % 13 if i % 6 else ''},{'x' * (i % 3)}y\n" for i in range(30)))
    for condition in [
        "a.k < b.k - 2",
        "a.k > 3",
        "b.k = 4",
        "a.k < b.k AND a.i <> b.j",
        "b.t LIKE a.t || '%' AND a.t <> ''",
        "a.k = b.k OR a.t = b.t",
        "a.k IS NULL AND b.k IS NULL",
        "a.k <> b.k AND false",
        "NULL",
    ]:
        meant = (
            f"SELECT a.i, b.j FROM a LEFT JOIN b ON {condition} UNION ALL "
            f"SELECT NULL, b.j FROM b WHERE NOT EXISTS (SELECT 1 FROM a WHERE {condition})"
        )
        expected = csv(folder, f"SELECT i, j FROM ({meant}) AS m (i, j) ORDER BY 1, 2")
        check(expected.count("\n") >= 41, expected)
        for options in [("-t", "1"), ("-t", "3", "--chunk-size", "1K")]:
            equal(csv(folder, f"SELECT i, j FROM a FULL JOIN b ON {condition} ORDER BY 1, 2", *options), expected, condition)


main(globals())
