"""Where data lies and how it is packed and encoded: the same rows, whatever way they came."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import zipfile

from harness import DATA, FAILED, SQL, TAMIZ, USAGE, answers, check, equal, fails, main, tamiz, write

PEOPLE = "id,name\n1,José\n2,Zoë\n3,François\n"


def sql(folder, query, *more):
    return ["sql", "--data", folder, "-f", "csv", "-c", query, *more]


def test_encodings(folder):
    """Text inside is UTF-8, so that 'José' is found whatever the file is written in."""
    for name, encoding in (("plain", "utf-8"), ("mark", "utf-8-sig"), ("wide", "utf-16"), ("windows", "cp1252")):
        write(folder / f"{name}.csv", PEOPLE.encode(encoding))
        write(folder / f"{name}_packed.csv.gz", gzip.compress(PEOPLE.encode(encoding)))
        for table in (name, f"{name}_packed"):
            result = tamiz(*sql(folder, f"SELECT id FROM {table} WHERE name = 'José'"))
            equal((result.status, result.out), (0, "id\n1\n"), table + result.err)
            said = f"{table}.csv" in result.err and "read as Windows-1252" in result.err
            equal(said, name == "windows", result.err)
            equal(result.err.count("\n"), 1 if name == "windows" else 0, result.err)


def test_late_letters(folder):
    """The file begins with more ASCII than is looked at; a line that is not UTF-8 is Windows-1252."""
    rows = [f"{i},name {i}" for i in range(100000)]
    rows[60000] = "60000,José"
    for threads in ("1", "2"):
        for chunk in ("64", "1000", "256K", "8M"):
            write(folder / "t.csv", ("id,name\n" + "\n".join(rows) + "\n").encode("cp1252"))
            result = tamiz(*sql(folder, "SELECT id FROM t WHERE name = 'José'", "--threads", threads, "--chunk-size", chunk))
            equal((result.status, result.out), (0, "id\n60000\n"), result.err)
            check("t.csv: line 60002 is not UTF-8" in result.err, result.err)
    rows[60000] = "60000,\"José, \"\"x\"\"\""
    write(folder / "t.csv", ("id,name\n" + "\n".join(rows) + "\n").encode("cp1252"))
    equal(tamiz(*sql(folder, "SELECT id FROM t WHERE name = 'José, \"x\"'")).out, "id\n60000\n")


def test_late_letters_behind_many_in_utf8(folder):
    """However much of a file is UTF-8: no line is passed on that is not."""
    rows = [f"{i},Zoë {i}".encode() for i in range(100000)]
    rows[60000] = "60000,José".encode("cp1252")
    write(folder / "t.csv", b"id,name\n" + b"\n".join(rows) + b"\n")
    for options in ([], ["--threads", "1", "--chunk-size", "1000"]):
        result = tamiz(*sql(folder, "SELECT id FROM t WHERE name = 'José'", *options))
        equal((result.status, result.out), (0, "id\n60000\n"), result.err)
        check("t.csv: line 60002 is not UTF-8" in result.err, result.err)


def test_controls_that_were_quotes(folder):
    """Windows-1252 that became UTF-8 by way of Latin-1."""
    text = "id,name\n" + "".join(f"{i},Château d’Angludet – {i}\n" for i in range(5000))
    write(folder / "t.csv", text.encode("cp1252").decode("latin-1").encode())
    for options in ([], ["--chunk-size", "100"]):
        result = tamiz(*sql(folder, "SELECT count(*) AS n FROM t WHERE name LIKE '% d’Angludet – %'", *options))
        equal((result.status, result.out), (0, "n\n5000\n"), result.err)
        check("t.csv has control characters" in result.err and result.err.count("\n") == 1, result.err)
    equal(tamiz(*sql(folder, "SELECT name FROM t WHERE id = 7", "--encoding", "utf-8")).out,
          "name\nChâteau d\x92Angludet \x96 7\n")


def test_mixed(folder):
    """Lines of two programs in one file."""
    rows = [f"{i},José".encode("utf-8" if i % 3 else "cp1252") for i in range(3000)]
    write(folder / "t.csv", b"id,name\n" + b"\n".join(rows) + b"\n")
    result = tamiz(*sql(folder, "SELECT count(*) AS n FROM t WHERE name = 'José'"))
    equal((result.status, result.out), (0, "n\n3000\n"), result.err)
    check("t.csv: line 2 is not UTF-8, and perhaps others" in result.err, result.err)


def test_a_mark_is_a_promise(folder):
    write(folder / "t.csv", PEOPLE.encode("utf-8-sig") + "4,Noël\n".encode("cp1252"))
    fails(DATA, "t.csv: line 5 is not UTF-8", "--encoding", args=sql(folder, "SELECT name FROM t"))


# Not of Western Europe: refused, with what it may be.
FOREIGN = {
    "имя,город,цена\nАнна Иванова,Москва,10\nПётр,Казань,20\nОльга,Омск,30\n": (["cp1251", "koi8-r", "iso8859-5"], "windows-1251"),
    "όνομα,πόλη,τιμή\nΆννα,Αθήνα,10\nΓιώργος,Πάτρα,20\n": (["cp1253", "iso8859-7"], "windows-1253"),
    "שם,עיר,מחיר\nדוד,חיפה,10\nשרה,ירושלים,20\n": (["cp1255"], "windows-1251"),
    "姓名,城市,价格\n张伟,北京,10\n王芳,上海,20\n李娜,广州,30\n": (["gbk", "gb18030"], "gbk"),
    "姓名,城市,價格\n張偉,台北,10\n王芳,高雄,20\n": (["big5"], "gbk"),
    "이름,도시,가격\n김철수,서울,10\n이영희,부산,20\n": (["euc-kr", "cp949"], "euc-kr"),
    "都道府県,人口\n東京都,13960\n大阪府,8840\n北海道,5250\n": (["shift_jis", "euc-jp"], "gbk"),
    "imię,miasto,uwaga\nPaweł,Łódź,może źle\nŻaneta,Wrocław,wąż i gęś\nMałgorzata,Piła,późno\n": (["cp1250", "iso8859-2"], "windows-1250"),
    "jméno,město,poznámka\nJiří,Příbram,přišel včera\nŘehoř,Brno,děkuji\nTomáš,Kroměříž,těžký kůň\n":
        (["cp1250", "iso8859-2"], "windows-1250"),
    "név,város,megjegyzés\nGergő,Győr,erős felhő\nJenő,Fertőd,fű és tűz\nErzsébet,Mezőtúr,bűn meg gyűrű\n":
        (["cp1250", "iso8859-2"], "windows-1250"),
}
WESTERN = [
    "nom,ville,note\nHélène,Orléans,déjà créée\nFrançois,Besançon,très bientôt\nLœtitia,Nîmes,c’est là\n",
    "Name,Straße,Ort\nMüller,Königsallee,Köln\nJürgen,Große Straße,Düsseldorf\n",
    "nimi,paikka,huomio\nPäivi,Jyväskylä,hyvää päivää\nÄänekoski,Hämeenlinna,pöytä on täällä\nVäinö,Hyvinkää,ei ääntä\n",
    "nombre,nota\nJosé Núñez,¿qué tal? ¡bien!\nÁngel,1ª y 2º con 50 m²\nBegoña,mañana ¿no?\n",
    "navn,by,note\nSøren,Århus,blåbærgrød på øen\nJørgen,Ærø,kød æg smør og rødgrød\nÅse,Tromsø,å være\n",
    "nome,cidade,nota\nJoão,São Paulo,ações não são corações\nConceição,Brasília,três irmãos\n",
    "nafn,staður,athugasemd\nÞórður,Reykjavík,það er góður dagur\nGuðrún,Ísafjörður,kýr og kálfur við læk\n",
    "nome,città,nota\nNiccolò,Forlì,così è più\nLucìa,Cefalù,perché sì là\n",
    "what,size,price\nrock,5 m³,£5\nsand,10 m²,£7.50\nmud,3 µm,½ £\nx,1°C,±2\n",
    "a,b\n1,“Hello” – it’s\n2,• one… two\n3,€5 or £6\n",
    "NAMN,ORT\nÅÄÖ AB,VÄXJÖ\nÖRJAN,ÅMÅL\nÄLVSBYN,GÄVLE\n",
]


def test_what_is_not_western(folder):
    """Text that Windows-1252 would make nonsense of is refused; whoever says what it is reads it."""
    for text, (encodings, guess) in FOREIGN.items():
        for encoding in encodings:
            write(folder / "t.csv", text.encode(encoding))
            err = fails(DATA, "t.csv", "--encoding", guess, args=sql(folder, "SELECT * FROM t"))
            check("UTF-8" in err, err)
            equal(answers(*sql(folder, "SELECT * FROM t", "--encoding", encoding.replace("iso", "iso-"))), text, encoding)
    for text in WESTERN:
        write(folder / "t.csv", text.encode("cp1252"))
        got = tamiz(*sql(folder, "SELECT * FROM t"))
        equal((got.status, got.out), (0, text), got.err)
        check("read as Windows-1252 (--encoding says otherwise)" in got.err, got.err)


def test_utf16_without_mark(folder):
    write(folder / "t.csv", PEOPLE.encode("utf-16-le"))
    fails(DATA, "t.csv is not a text file", "--encoding utf-16le", args=sql(folder, "SELECT name FROM t"))


def packed(data):
    """The same bytes in all ways of packing, by the suffix of a name."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("inside.csv", data)
    zstd = subprocess.run(["zstd", "-cq"], input=data, capture_output=True, check=True).stdout
    return {"": data, ".gz": gzip.compress(data), ".bz2": bz2.compress(data), ".xz": lzma.compress(data), ".zst": zstd,
            ".zip": archive.getvalue()}


def test_extensions(folder):
    """Every extension, in small and capital letters, packed in every way, is a table of its own."""
    for extension, delimiter in (("csv", ","), ("CSV", ","), ("tsv", "\t"), ("tab", "\t"), ("psv", "|"), ("txt", ",")):
        text = f"id{delimiter}name\n1{delimiter}a\n2{delimiter}b\n"
        for suffix, data in packed(text.encode()).items():
            place = folder / (extension + suffix)
            write(place / f"t.{extension}{suffix}", data)
            equal(answers(*sql(place, "SELECT sum(id) AS s, max(name) AS m FROM t")), "s,m\n3,b\n", f"{extension}{suffix}")
    write(folder / "capital" / "T.CSV.GZ", gzip.compress(b"a\n1\n"))
    equal(answers(*sql(folder / "capital", 'SELECT a FROM "T"')), "a\n1\n")


def test_readme_is_no_table(folder):
    write(folder / "t" / "one.csv", "a\n1\n")
    write(folder / "t" / "readme.txt", "What this is\n")
    equal(answers(*sql(folder, "SELECT a FROM t")), "a\n1\n")


def test_archive(folder):
    """An archive is like a folder: one table of several files, or --data itself."""
    with zipfile.ZipFile(folder / "feed.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("stops.txt", "stop,lat\nA,1.5\nB,2.5\n")
        file.writestr("deep/routes.txt", "route,stop\n7,A\n")
        file.writestr("__MACOSX/._stops.txt", "x")
    with zipfile.ZipFile(folder / "months.zip", "w") as file:
        file.writestr("01.csv", "n\n1\n")
        file.writestr("02.csv", "n\n2\n")
        file.writestr("readme.txt", "Months\n")
    equal(answers(*sql(folder / "feed.zip", "SELECT route, lat FROM routes JOIN stops USING (stop)")), "route,lat\n7,1.5\n")
    equal(answers(*sql(folder, "SELECT sum(n) AS s FROM months")), "s\n3\n")
    equal(answers(*sql(folder, "SELECT n FROM 'months.zip/02.csv'")), "n\n2\n")
    equal(answers(*sql(folder, "SELECT sum(lat) AS s FROM 'feed.zip/s*.txt'")), "s\n4.0\n")
    fails(FAILED, "no file matches", "feed.zip/x.csv", args=sql(folder, "SELECT * FROM 'feed.zip/x.csv'"))
    write(folder / "broken.zip", b"PK\x03\x04 and no more")
    fails(DATA, "broken.zip is damaged", args=sql(folder, "SELECT * FROM 'broken.zip'"))


def test_files_in_from(folder):
    write(folder / "dir" / "2024-01.csv", "id,name\n1,a\n")
    write(folder / "dir" / "2024-02.csv.gz", gzip.compress(b"id,name\n2,b\n"))
    write(folder / "dir" / "2023-12.csv", "id,name\n3,c\n")
    write(folder / "a" / "orders.csv", "id,total\n1,5\n2,7\n")
    equal(answers(*sql(folder, "SELECT sum(id) AS s FROM 'dir/2024-*.csv'")), "s\n3\n")
    equal(answers(*sql(folder, "SELECT sum(total) AS s FROM \"a/orders.csv\"")), "s\n12\n")
    equal(answers(*sql(folder, "SELECT orders.total, d.name FROM 'a/orders.csv' JOIN 'dir/2024-01.csv' AS d USING (id)")),
          "total,name\n5,a\n")
    equal(answers(*sql(folder, "SELECT total FROM 'a/orders.csv' WHERE extract(year FROM '2024-01-01'::date) = 2024 "
                               "AND id IN (SELECT id FROM 'dir/2024-02.csv.gz')")), "total\n7\n")
    equal(answers(*sql(folder, f"SELECT max(id) AS m FROM '{folder}/dir/2023-12.csv'")), "m\n3\n")
    equal(answers(*sql(folder, "SELECT count(*) AS n FROM 'dir'")), "n\n3\n")
    fails(FAILED, "no file matches", "dir/2025-*.csv", args=sql(folder, "SELECT * FROM 'dir/2025-*.csv'"))
    fails(SQL, 'line 1, column 15: table "b/orders.csv" does not exist', args=sql(folder, 'SELECT * FROM "b/orders.csv"'))
    fails(SQL, "line 2, column 7", "total2", args=sql(folder, "SELECT * FROM 'a/orders.csv'\nWHERE total2 > 1"))
    fails(SQL, "line 1, column 30", "syntax error", args=sql(folder, "SELECT 1 FROM 'a/orders.csv' )"))


def test_a_path_is_one_file(folder):
    """What is written out is that file, whatever else its name would match. A file beside itself, packed, counts once or is refused."""
    text = b"id,n\n1,10\n2,20\n"
    write(folder / "a" / "t.csv", text)
    write(folder / "a" / "t.csv.gz", gzip.compress(text))
    write(folder / "a" / "u.csv.gz", gzip.compress(text))
    write(folder / "[a] 1?.csv", text)
    for path in ("a/t.csv", "a/t.csv.gz", "a/u.csv", "a/u*.csv", "[a] 1?.csv", f"{folder}/a/t.csv"):
        equal(answers(*sql(folder, f"SELECT count(*) AS c FROM '{path}'")), "c\n2\n", path)
    write(folder / "s.sql", "CREATE TABLE t (n int) WITH (files = 't.csv');")
    equal(answers(*sql(folder / "a", "SELECT sum(n) AS s FROM t", "--schema", folder / "s.sql")), "s\n30\n")
    equal(answers(*sql(folder, "SELECT count(*) AS c FROM 'a/t.csv*'")), "c\n4\n")
    for place, table in ((folder, "'a/*.csv'"), (folder, "a"), (folder / "a", "t")):
        fails(DATA, "t.csv.gz", "t.csv", "one may be the other", args=sql(place, f"SELECT count(*) FROM {table}"))
    (folder / "a" / "t.csv").unlink()
    for name, data in packed(text).items():
        if name not in ("", ".gz"):
            write(folder / "a" / ("t.csv" + name), data)
            fails(DATA, "t.csv.gz", f"t.csv{name}", "one may be the other", args=sql(folder, "SELECT count(*) FROM a"))
            (folder / "a" / ("t.csv" + name)).unlink()


def test_files_from_here(folder):
    """Without --data, paths are those of the current folder."""
    write(folder / "dir" / "t.csv", "id\n1\n")
    there = os.getcwd()
    os.chdir(folder)
    try:
        equal(answers("sql", "-f", "csv", "-c", "SELECT id FROM 'dir/t.csv'"), "id\n1\n")
    finally:
        os.chdir(there)


def test_read_csv(folder):
    write(folder / "t.csv", "id;name\n1;NA\n2;x,y\n")
    equal(answers(*sql(folder, "SELECT * FROM read_csv('t.csv', delimiter => ';', null => 'NA')")), 'id,name\n1,\n2,"x,y"\n')
    equal(answers(*sql(folder, "SELECT count(*) AS n FROM read_csv('t.csv', delimiter => ';', header => 'none') r "
                               "JOIN read_csv('t.csv', delimiter => ';') s ON true")), "n\n6\n")
    equal(answers(*sql(folder, "SELECT t.id FROM read_csv('t.csv', encoding => 'latin1') WHERE id > 1")), "id\n2\n")
    fails(SQL, "line 1, column 33", "delimeter", args=sql(folder, "SELECT * FROM read_csv('t.csv', delimeter => ';')"))
    fails(SQL, "read_csv() takes a path", args=sql(folder, "SELECT * FROM read_csv(delimiter => ';')"))
    fails(SQL, "read_csv() needs the path", args=sql(folder, "SELECT * FROM read_csv()"))
    fails(FAILED, "no file matches", args=sql(folder, "SELECT * FROM read_csv('u.csv')"))


def test_data_is_a_file(folder):
    file = write(folder / "orders.csv", "id\n1\n")
    equal(answers(*sql(file, "SELECT id FROM orders")), "id\n1\n")


def test_long_names(folder):
    name = "Población total de la provincia según el padrón municipal de habitantes del año 2023"
    write(folder / "t.csv", f'id,"{name}"\n1,5\n2,7\n')
    equal(answers(*sql(folder, f'SELECT sum("{name}") AS s FROM t')), "s\n12\n")



def test_several_places(folder):
    """--data is a folder, a file or an archive, and may be repeated; what has one name is one table."""
    write(folder / "a" / "t.csv", "id,n\n1,10\n")
    write(folder / "b" / "t.csv", "id,n\n2,20\n")
    write(folder / "b" / "u.csv", "id\n7\n")
    write(folder / "one.tsv", "x\ty\n1\t2\n")
    both = ["--data", folder / "b", "-f", "csv"]
    equal(answers(*sql(folder / "a", "SELECT * FROM t ORDER BY id", *both)), "id,n\n1,10\n2,20\n")
    equal(answers(*sql(folder / "a", "SELECT u.id, t.n FROM u, t ORDER BY n", *both)), "id,n\n7,10\n7,20\n")
    equal(answers(*sql(folder / "a" / "t.csv", "SELECT n, y FROM t, one", "--data", folder / "one.tsv")), "n,y\n10,2\n")
    equal(answers(*sql(folder / "a" / "t.csv", "SELECT sum(n) AS s FROM t", "--data", folder / "b" / "t.csv")), "s\n30\n")
    # The same place twice is one, also in a query that names files.
    equal(answers(*sql(folder / "a", "SELECT n FROM 't.csv'", "--data", folder / "a")), "n\n10\n")
    write(folder / "s.sql", "CREATE TABLE w (n int) WITH (files = 't.csv');")
    equal(answers(*sql(folder / "a", "SELECT sum(n) AS s FROM w", *both, "--schema", folder / "s.sql")), "s\n30\n")
    fails(FAILED, "nowhere", "--data", args=sql(folder / "a", "SELECT 1 FROM t", "--data", folder / "nowhere"))
    fails(FAILED, "no file matches", "nor in the other places", args=sql(folder / "a", "SELECT * FROM 'x.csv'", *both))


def test_standard_input(folder):
    """A pipe is the table stdin, with whatever dialect and packing; so is a file that is redirected."""
    rows = "".join(f"{i};{i * 2}\n" for i in range(20000))
    text = ("id;n\n" + rows).encode()
    query = "SELECT count(*) AS c, sum(n) AS s FROM stdin"
    for data in (text, gzip.compress(text), text.decode().encode("utf-16")):
        equal(answers(*sql("-", query), stdin=data), "c,s\n20000,399980000\n")
    equal(answers(*sql("-", "SELECT count(*) AS c FROM stdin a JOIN stdin b USING (id)"), stdin=text), "c\n20000\n")
    equal(answers(*sql("-", "SELECT max(_line) AS n, min(_file) AS f FROM stdin"), stdin=text), "n,f\n20001,-\n")
    equal(answers(*sql(folder, "SELECT count(*) AS c FROM '-'"), stdin=text), "c\n20000\n")
    write(folder / "t.csv", "id,name\n1,x\n2,y\n")
    equal(answers(*sql("-", "SELECT name, n FROM stdin JOIN t USING (id) ORDER BY n", "--data", folder), stdin=text),
          "name,n\nx,2\ny,4\n")
    with open(write(folder / "in.csv", text), "rb") as file:
        done = subprocess.run([TAMIZ, *map(str, sql("-", query))], stdin=file, capture_output=True, check=False)
    equal((done.returncode, done.stdout), (0, b"c,s\n20000,399980000\n"), done.stderr)
    fails(DATA, "no header line", args=sql("-", query), stdin=b"")
    fails(USAGE, "not both", args=["sql", "-", "--data", "-"], stdin=b"SELECT 1 FROM stdin")
    equal(sorted(path.name for path in folder.iterdir()), ["in.csv", "t.csv"])
    environment = {**os.environ, "TMPDIR": str(folder)}
    equal(answers(*sql("-", query), stdin=text, env=environment), "c,s\n20000,399980000\n")
    equal(sorted(path.name for path in folder.iterdir()), ["in.csv", "t.csv"])
    environment["TMPDIR"] = str(folder / "nowhere")
    fails(FAILED, "nowhere", "TMPDIR", args=sql("-", query), stdin=text, env=environment)


def test_thousands_of_files(folder):
    """Only what a query names is looked at, and there may be any number of others."""
    for i in range(2000):
        write(folder / f"m{i}.csv", f"id,n\n{i},2\n{i},3\n")
    (folder / "whole").mkdir()
    for i in range(1000):
        write(folder / "whole" / f"{i}.csv", f"id\n{i}\n")
    write(folder / "broken.csv", b"\x00\x01")
    pipe = folder / "pipe.csv"
    os.mkfifo(pipe)  # whoever opened it would wait for ever
    for query, answer in (("SELECT sum(n) FROM m77", "5"), ("SELECT sum(a.n) FROM M78 a, m1999 b WHERE b.n = 2", "5"),
                          ("SELECT count(*) FROM whole", "1000")):
        equal(tamiz("sql", "--data", folder, "-c", query, "-f", "csv").out.splitlines()[1], answer, query)
    pipe.unlink()
    got = tamiz("sql", "--data", folder, "-c", "SELECT 1 FROM m20000")
    equal(got.status, 3)
    check('did you mean "m' in got.err, got.err)
    equal(tamiz("sql", "--data", folder, "-c", "SELECT count(*) FROM 'm1*.csv'", "-f", "csv").out, f"count\n{2 * 1111}\n")
    got = tamiz("explain", "--data", folder, "-c", "SELECT count(*) FROM m5")
    equal(got.status, 0, got.err)
    got = tamiz("sql", "--data", folder, "-c", "SELECT 1 FROM broken")
    equal(got.status, DATA, got.err)


def test_a_path_from_here(folder):
    """What is not below the data may lie where the user is, as what COPY has just written."""
    write(folder / "data" / "t.csv", "id\n1\n")
    write(folder / "data" / "both.csv", "place\ndata\n")
    write(folder / "both.csv", "place\nhere\n")
    ask = ("sql", "--data", "data/", "-f", "csv", "-q", "-c")
    done = tamiz(*ask, "COPY (SELECT id + 1 AS n FROM t) TO 'out.csv'; SELECT n FROM 'out.csv'; SELECT place FROM 'both.csv'; "
                 "SELECT count(*) FROM 'o*.csv'", cwd=folder)
    equal((done.status, done.out), (0, "n\n2\nplace\ndata\ncount\n1\n"))
    done = tamiz(*ask, "SELECT 1 FROM 'nothing.csv'", cwd=folder)
    check("no file matches data/nothing.csv;" in done.err, done.err)


main(globals())
