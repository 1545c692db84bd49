"""tamiz tables, describe and summarize: what there is, for scripts."""

from harness import SQL, USAGE, answers, check, equal, fails, main, write


def data(folder):
    write(folder / "sales" / "orders.csv", "id,country,amount\n1,NO,2.50\n2,SE,\n3,NO,7.50\n")
    write(folder / "Über uns.csv", "n\n1\n2\n")
    return folder / "sales"


def test_tables(folder):
    data(folder)
    equal(answers("tables", folder, "-f", "csv"),
          "name,kind,columns,bytes,files\nsales,files,3,44,sales\nÜber uns,files,1,6,Über uns.csv\n")
    equal(answers("tables", folder / "sales", "-f", "csv").split("\n")[1].split(",")[0], "orders")
    equal(answers("tables", "--data", folder, "-f", "jsonl").count("\n"), 2)


def test_describe(folder):
    sales = data(folder)
    want = "column,type\nid,bigint\ncountry,text\namount,numeric\n"
    equal(answers("describe", sales / "orders.csv", "-f", "csv"), want)
    equal(answers("describe", "orders", "--data", sales, "-f", "csv"), want)
    equal(answers("describe", "Über uns", "sales", "--data", folder, "-f", "csv"), "column,type\nn,bigint\n" + want)
    equal(answers("describe", folder / "Über uns.csv", "-f", "csv"), "column,type\nn,bigint\n")


def test_summarize(folder):
    got = answers("summarize", data(folder) / "orders.csv", "-f", "csv").split("\n")
    equal(got[0].split(",")[:5], ["column", "type", "rows", "nulls", "distinct"])
    equal([line.split(",")[:5] for line in got[1:4]],
          [["id", "bigint", "3", "0", "3"], ["country", "text", "3", "0", "2"], ["amount", "numeric", "3", "1", "2"]])


def test_what_is_not_there(folder):
    data(folder)
    fails(SQL, 'table "nothing" does not exist', args=["describe", "nothing", "--data", folder])
    fails(USAGE, "tamiz describe", args=["describe"])
    fails(USAGE, "unknown option", args=["tables", "--bogus"])


main(globals())
