"""What a query took: EXPLAIN ANALYZE, as text and as JSON, and --profile."""

import json
import re

from harness import EVAL, SQL, answers, check, equal, fails, main, tamiz

ROWS = 60000
GROUPED = "SELECT name, count(*) AS n FROM big JOIN names ON id % 3 = k WHERE id >= 30000 GROUP BY name ORDER BY n"


def data(folder):
    (folder / "big").mkdir()
    for part in range(3):
        rows = "".join(f"{i},some text to make it longer\n" for i in range(part * ROWS // 3, (part + 1) * ROWS // 3))
        (folder / "big" / f"{part}.csv").write_text("id,note\n" + rows)
    (folder / "names.csv").write_text("k,name\n0,zero\n1,one\n2,two\n")
    return folder


def nodes(plan):
    for node in plan:
        yield node
        yield from nodes(node["children"])


def analyzed(folder, query, *options):
    document = json.loads(answers("sql", *options, "-c", f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", cwd=folder))
    equal(len(document["queries"]), 1)
    return document, list(nodes(document["queries"][0]["plan"]))


def the_one(found, start):
    matching = [node for node in found if node["node"].startswith(start)]
    equal(len(matching), 1, [node["node"] for node in found])
    return matching[0]


def test_rows_and_bytes(folder):
    data(folder)
    size = sum(path.stat().st_size for path in (folder / "big").iterdir())
    for threads in "1", "3":
        document, found = analyzed(folder, GROUPED, "-t", threads, "--chunk-size", "4K")
        equal(document["threads"], int(threads))
        for member in "planning_ms", "execution_ms", "processor_ms", "memory_bytes":
            check(document[member] > 0, f"{member} in {document}")
        scan = the_one(found, "scan big")
        equal((scan["rows"], scan["bytes"], scan["files"], scan["rejects"]), (ROWS, size, 3, 0))
        check(scan["time_ms"] > 0 and scan["estimated_rows"] > 0, scan)
        kept = the_one(found, "filter id >= 30000")
        equal((kept["rows_in"], kept["rows"]), (ROWS, ROWS // 2))
        joined = the_one(found, "inner join")
        equal((joined["rows_in"], joined["rows"]), (ROWS // 2, ROWS // 2))
        check(joined["memory_bytes"] > 0, joined)
        grouped = the_one(found, "final group")
        equal(grouped["rows"], 3)
        equal(the_one(found, "partial group")["rows_in"], ROWS // 2)
        for node in found:
            if "time_ms" in node:
                check(1 <= node["skew"] <= int(threads) + 0.01, node)
                check(node["slowest_thread_ms"] <= node["time_ms"] + 0.002, node)
                check(node["threads"] <= int(threads), node)
        spent = sum(node.get("time_ms", 0) for node in found)
        check(spent <= document["execution_ms"] * (int(threads) + 1), f"times are not exclusive: {spent} in {document}")


def test_text(folder):
    data(folder)
    text = answers("sql", "-t", "1", "-c", "EXPLAIN ANALYZE " + GROUPED, cwd=folder)
    equal(re.findall(r"filter id >= 30000 .*\(actual rows=(\d+) of (\d+) time=[\d.]+ ms\)", text), [("30000", "60000")], text)
    check(re.search(r"scan big: id  \(about [\d,]+ rows\)  \(actual rows=60000 time=[\d.]+ ms bytes=[\d.]+ MB files=3\)", text), text)
    check(re.search(r"\nplanning time: [\d.]+ ms\nexecution time: [\d.]+ ms, of processors [\d.]+ ms, 1 thread\nmemory of operators: ", text), text)
    check("\nzero" not in text and "│" not in text, "rows are shown: " + text)
    plain = answers("sql", "-t", "1", "-c", "EXPLAIN " + GROUPED, cwd=folder)
    check("actual" not in plain and "time" not in plain, plain)
    # But for what was measured it is the same plan.
    without = re.sub(r"  \(actual [^)]*\)", "", text)
    equal(without.split("\nplanning time")[0], plain)


def test_profile_beside_results(folder):
    data(folder)
    got = tamiz("sql", "-f", "csv", "--profile", "-c", GROUPED, cwd=folder)
    equal((got.status, got.out), (0, "name,n\none,10000\ntwo,10000\nzero,10000\n"))
    check(re.search(r"final group by .*\(actual rows=3 of \d+ ", got.err) and "planning time" in got.err, got.err)
    check("actual" not in tamiz("sql", "-f", "csv", "-c", GROUPED, cwd=folder).err, "nobody asked")


def test_packs(folder):
    answers("gen", "coffee", "-o", folder / "data", "-s", "300K", "-q")
    plain = answers("run", "coffee", "-d", folder / "data", "-f", "csv", "-q")
    got = tamiz("run", "coffee", "-d", folder / "data", "-f", "csv", "--profile")
    equal(got.out, plain)
    # One fragment does the work of q2a's and q2b's: what it took is shown with both.
    filters = re.findall(r"grouped together with map \d+\]\n.*\n.*\n +filter .*\(actual rows=(\d+) of (\d+) ", got.err)
    equal(len(filters), 2, got.err)
    check(filters[0] == filters[1] and int(filters[0][0]) > 0, filters)


def test_what_spilled(folder):
    data(folder)
    document, found = analyzed(folder, "SELECT id, note FROM big ORDER BY note, id DESC", "--memory", "2M")
    check(document["spilled_bytes"] > 0, document)
    check(0 < the_one(found, "sort by")["memory_bytes"] <= document["memory_bytes"], document)


def test_plans_as_json(folder):
    data(folder)
    document = json.loads(answers("sql", "-c", f"EXPLAIN (FORMAT JSON) {GROUPED}", cwd=folder))
    equal([column["name"] for column in document["queries"][0]["columns"]], ["name", "n"])
    found = list(nodes(document["queries"][0]["plan"]))
    check("children" in the_one(found, "inner join") and "rows" not in the_one(found, "scan big"), document)
    rounds = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t"
    document, found = analyzed(folder, rounds)
    equal(the_one(found, "recursion")["rows"], 5)
    equal([child["node"][:7] for child in the_one(found, "recursion")["children"]], ["[reduce"])


def test_errors(folder):
    data(folder)
    options = "EXPLAIN has the options ANALYZE, FORMAT TEXT and FORMAT JSON"
    fails(SQL, "line 1, column 10: " + options, args=["sql", "-c", "EXPLAIN (BUFFERS) SELECT 1"], cwd=folder)
    fails(SQL, options, args=["sql", "-c", "EXPLAIN (FORMAT XML) SELECT 1"], cwd=folder)
    fails(EVAL, "division by zero", args=["sql", "-c", "EXPLAIN ANALYZE SELECT 1 / (id - id) FROM big"], cwd=folder)
    check("scan" in answers("sql", "-c", "EXPLAIN (ANALYZE off) SELECT 1 / (id - id) FROM big", cwd=folder), "not run")


main(globals())
