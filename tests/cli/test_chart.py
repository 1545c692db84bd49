"""Pictures of results: in characters, and as SVG."""

import xml.etree.ElementTree as ElementTree

from harness import USAGE, answers, check, equal, fails, main, write

SVG = "{http://www.w3.org/2000/svg}"


def sql(folder, query, *more):
    return answers("sql", "--data", folder, "-c", query, *more)


def data(folder):
    write(folder / "t.csv", "name,n,day\nŁódź,4,2024-01-01\n東京,-2,2024-01-02\n<b>,,2024-01-03\nOslo,8,2024-01-05\n")


def test_bars(folder):
    data(folder)
    lines = sql(folder, "SELECT name, n FROM t", "-f", "chart").splitlines()
    equal(lines[0], "n")
    equal([line.split("│")[0] for line in lines[1:]], ["Łódź ", "東京 ", "<b>  ", "Oslo "])
    bars = [line.split("│")[1].rsplit(" ", 1) for line in lines[1:]]
    equal([number for _, number in bars], ["4", "-2", "-", "8"])
    # All start where the negative one ends; the longest is twice as long as the half.
    zero = len(bars[1][0])
    equal([len(bar) - len(bar.lstrip()) for bar, _ in bars], [zero, 0, zero, zero])
    equal([bars[2][0].strip(), bars[3][0].count("█") // bars[0][0].count("█")], ["", 2])
    got = sql(folder, "SELECT 'x' || i AS label, i AS a, i * 2 AS b FROM generate_series(1, 50) i", "-f", "chart")
    check("… and 10 more" in got and got.startswith("a\n") and "\nb\n" in got, got)
    equal(sql(folder, "SELECT 'x' AS a, 1 AS b WHERE false", "-f", "chart"), "")


def test_a_line(folder):
    lines = sql(folder, "SELECT date '2024-01-01' + i AS day, i AS n FROM generate_series(0, 9) i", "-f", "chart").splitlines()
    equal((len(lines), lines[0]), (14, "n"))
    check(lines[1].startswith("9 │") and lines[1].endswith("⡠") or lines[1][-1] != " ", lines[1])
    check(lines[12].startswith("0 │") and lines[12].strip()[3] != " ", lines[12])
    equal(lines[13].split(), ["2024-01-01", "2024-01-10"])
    # The path goes up: in every line it begins behind where it began in the line below.
    starts = [len(line) - len(line.split("│")[1].lstrip()) for line in lines[1:13]]
    equal(starts, sorted(starts, reverse=True))


def test_a_histogram(folder):
    got = sql(folder, "SELECT i % 4 AS n FROM generate_series(1, 8) i", "-f", "chart").splitlines()
    equal([line.split(" │")[0].strip() for line in got], ["n", "0 to 0.75", "0.75 to 1.5", "1.5 to 2.25", "2.25 to 3"])
    equal([line.rsplit(" ", 1)[1] for line in got[1:]], ["2"] * 4)


def test_svg(folder):
    data(folder)
    path = folder / "picture.svg"
    for query, shape, count in (
        ("SELECT name, n FROM t", "rect", 5), ("SELECT day, n FROM t ORDER BY day", "polyline", 1),
        ("SELECT n FROM t", "rect", 4), ("SELECT name, n, n * 2 AS m FROM t", "rect", 9),
    ):
        answers("sql", "--data", folder, "-c", query, "-o", path)
        root = ElementTree.parse(path).getroot()
        equal((root.tag, len(root.findall(SVG + shape))), (SVG + "svg", count), query)
    line = [element for element in ElementTree.fromstring(
        sql(folder, "SELECT day, n FROM t ORDER BY day", "-f", "svg")).iter(SVG + "polyline")][0]
    equal(len(line.get("points").split()), 3)
    ElementTree.fromstring(sql(folder, 'SELECT 1 AS "a\n<b>", name FROM t', "-f", "svg"))
    labels = [text.text for text in ElementTree.fromstring(sql(folder, "SELECT name, n FROM t", "-f", "svg")).iter(SVG + "text")]
    equal(labels, ["n", "Łódź", "4", "東京", "-2", "<b>", "-", "Oslo", "8"])


def test_nothing_to_draw(folder):
    fails(USAGE, "a chart needs a column of numbers", args=["sql", "--data", folder, "-f", "chart", "-c", "SELECT 'a' AS a"])
    fails(USAGE, "a chart needs a column of numbers", args=["sql", "--data", folder, "-f", "svg", "-c", "SELECT 'a' AS a"])


main(globals())
