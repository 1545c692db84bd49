#!/usr/bin/env python3
"""Small files as people leave them, one peculiarity each: what is read, and what is refused. Nothing is read wrong."""

import csv
import io

csv.field_size_limit(1 << 30)

from harness import DATA, check, equal, main, tamiz, write

SALES = "region,year,amount\nNorth,2020,10.5\nSouth,2020,11.25\nEast,2021,9.0\nWest,2021,8.75\nNorth,2022,12.5\nSouth,2022,13.0\n"


def cells(text, delimiter=","):
    return [line.split(delimiter) for line in text.strip("\n").split("\n")]


def unnamed(text, delimiter=","):
    rows = cells(text, delimiter)
    return [[f"column_{i + 1}" for i in range(len(rows[0]))], *rows]


def program(i):
    """A text of several lines, with tabs at their starts."""
    return f"def f(x, y):\n\tfor a, b in [1, 2.5, {i}]:\n\t\tif a:\n\t\t\treturn b\n\treturn {'1.5, ' * i}7"


def escaped(text):
    return text.replace(",", "\\,").replace("\n", "\\\n")


YEARS = ",".join(str(year) for year in range(1990, 2002))
FIGURES = ",,,," + ",".join(f"{i}.5" for i in range(9))
TOWNS = ["Angola", "Austria", "Benin", "Chile", "Cuba", "Egypt", "Ghana", "India", "Japan"]
POST = "Another great day, for all, I think, again!\nMany people, of {} towns, came\n#again, and more, to say"

# What stands in the file, and the table: names and rows.
TABLES = {
    "notes behind a blank line": (SALES + "\nNote: figures are provisional.\nSource: Ministry of Finance, 2023\n", cells(SALES)),
    "notes as wide as the table": (SALES + ',,\nNote: figures are provisional,,\n"Source: Ministry, of Finance",,\n', cells(SALES)),
    "an end that is said": (SALES + "*** End of report ***\n", cells(SALES)),
    "an end that is counted": (SALES + "(6 rows)\n", cells(SALES)),
    "a total": (SALES + "Total,,65.0\n", [*cells(SALES), ["Total", "", "65.0"]]),
    "hundreds of empty rows": (SALES + ",,\n" * 300, cells(SALES)),
    "hundreds of empty rows and a note": (SALES + ",,\n" * 300 + "Printed today,,\n", cells(SALES)),
    "a smaller table behind": (SALES + "\ncode,label\nN,North\nS,South\nE,East\n", cells(SALES)),
    "titles as wide as the table": ("Spending by region,,\nPublished 3 March 2023,,\n,,\n" + SALES, cells(SALES)),
    "titles with commas": ("Spending by region, in millions\nPublished 3 March 2023, revised, provisional\n\n" + SALES, cells(SALES)),
    "titles with keys": ("Title:,Spending\nDate:,03/03/2023\nUnit:,EUR million\n\n" + SALES, cells(SALES)),
    "sep=": ("sep=;\nid;name;v\n1;a;2\n2;b;3\n3;c;4\n", cells("id,name,v\n1,a,2\n2,b,3\n3,c,4")),
    "units below the names": ("time,temp,press\ns,K,Pa\n0.0,273.1,101325\n0.5,273.4,101320\n1.0,274.0,101311\n1.5,274.4,101300\n",
                              cells("time s,temp K,press Pa\n0.0,273.1,101325\n0.5,273.4,101320\n1.0,274.0,101311\n1.5,274.4,101300")),
    "years as names": ("country,2018,2019\nChile,1.2,1.3\nPeru,2.2,2.3\nCuba,0.9,0.8\n", None),
    "quotes here and there": ('id,name,note\n1,Ann,fine\n2,"Bob, Jr.",ok\n3,Cy,"said ""no"""\n4,Di,\n5,"Ed",x\n',
                              [["id", "name", "note"], ["1", "Ann", "fine"], ["2", "Bob, Jr.", "ok"], ["3", "Cy", 'said "no"'],
                               ["4", "Di", ""], ["5", "Ed", "x"]]),
    "line ends of three kinds": ("id,name,v\r1,a,2.5\r2,b,3.5\n3,c,4.5\r4,d,5.5\r\n5,e,6.5\r",
                                 cells("id,name,v\n1,a,2.5\n2,b,3.5\n3,c,4.5\n4,d,5.5\n5,e,6.5")),
    "a column of numbers": ("value\n1\n2\n3\n44\n", cells("value\n1\n2\n3\n44")),
    "a column of dates": ("2024-01-01\n2024-01-02\n2024-01-05\n", unnamed("2024-01-01\n2024-01-02\n2024-01-05")),
    "a column of sentences": ("remark\nThe bus was late, again.\nNobody came; we left.\nAll fine.\nTwo dogs, one cat: noise.\n",
                              cells("remark\tThe bus was late, again.\tNobody came; we left.\tAll fine.\tTwo dogs, one cat: noise."
                                    .replace("\t", "\n"), "\t")),
    "a column of words that come again": ("happy\nsad\nhappy\nangry\n", unnamed("happy\nsad\nhappy\nangry")),
    "names and nothing else": ("id;name;price", [["id", "name", "price"]]),
    "names over nothing": ("a,b,c,d\n,,,\n", cells("a,b,c,d\n,,,")),
    "nothing but text": ("name;address;remark\nAnna;Weg 1, Bern;none\nBerta;Gate 4, Oslo;calls, often\nClara;Via 2, Rome;late\n"
                         "Dora;Ring 9, Bonn;moved, twice\n",
                         cells("name;address;remark\nAnna;Weg 1, Bern;none\nBerta;Gate 4, Oslo;calls, often\nClara;Via 2, Rome;late\n"
                               "Dora;Ring 9, Bonn;moved, twice", ";")),
    "no names": ("Leeds,10,2.5\nYork,12,3.5\nHull,14,4.5\nBath,9,1.5\n", unnamed("Leeds,10,2.5\nYork,12,3.5\nHull,14,4.5\nBath,9,1.5")),
    "no names and a space in a text": ("123,TEST1,one space\n345,TEST1,trailing_space \n567,TEST1,no_space\n",
                                       unnamed("123,TEST1,one space\n345,TEST1,trailing_space \n567,TEST1,no_space")),
    "columns set with spaces": ("id  name      price\n1   pen        1.50\n2   ink       12.00\n3   desk      250.25\n4   lamp       40.10\n",
                                cells("id,name,price\n1,pen,1.50\n2,ink,12.00\n3,desk,250.25\n4,lamp,40.10")),
    "a delimiter behind the data": ("a,b,c\n1,2,3,\n4,5,6,\n7,8,9,\n", cells("a,b,c\n1,2,3\n4,5,6\n7,8,9")),
    "a delimiter behind the names": ("a,b,c,\n1,2,3\n4,5,6\n7,8,9\n", cells("a,b,c,column_4\n1,2,3,\n4,5,6,\n7,8,9,")),
    "an empty column": ("a,,c\n1,,3\n4,,6\n7,,9\n", cells("a,column_2,c\n1,,3\n4,,6\n7,,9")),
    "spaces and quotes": ('id, name, town\n1, "Ann, B", Bern\n2, "Bob", Oslo\n3, "Cy", Rome\n',
                          [["id", "name", "town"], ["1", "Ann, B", "Bern"], ["2", "Bob", "Oslo"], ["3", "Cy", "Rome"]]),
    "a quote that is not closed": ('id,name,height\n1,Ann,5\n2,"Bob,6\n3,Cy,7\n4,Di,8\n5,Ed,9\n',
                                   cells('id,name,height\n1,Ann,5\n2,"Bob,6\n3,Cy,7\n4,Di,8\n5,Ed,9')),
    "inches": ('id,size,price\n1,5" disk,3\n2,3.5" disk,4\n3,8" disk,5\n4,12" vinyl,6\n',
               cells('id,size,price\n1,5" disk,3\n2,3.5" disk,4\n3,8" disk,5\n4,12" vinyl,6')),
    "apostrophes in quotes": ("'id','text','n'\n'1','it''s late','4'\n'2','fine','5'\n'3','John''s, and Mary''s','6'\n'4','x','7'\n",
                              [["id", "text", "n"], ["1", "it's late", "4"], ["2", "fine", "5"], ["3", "John's, and Mary's", "6"],
                               ["4", "x", "7"]]),
    "apostrophes that are no quotes": ("id,text,n\n1,it's late,4\n2,John's,5\n3,'tis fine,6\n4,rock 'n' roll,7\n5,the dogs',8\n",
                                       cells("id,text,n\n1,it's late,4\n2,John's,5\n3,'tis fine,6\n4,rock 'n' roll,7\n5,the dogs',8")),
    "delimiters behind backslashes": ("id,text,n\n1,a\\, b,4\n2,c,5\n3,d\\, e,6\n4,f,7\n",
                                      [["id", "text", "n"], ["1", "a, b", "4"], ["2", "c", "5"], ["3", "d, e", "6"], ["4", "f", "7"]]),
    "backslashes that are none": ('id,path\n1,"C:\\data\\"\n2,"D:\\x\\"\n3,"E:\\y z\\"\n', cells("id,path\n1,C:\\data\\\n2,D:\\x\\\n3,E:\\y z\\")),
    "decimal commas": ("preis;menge\n1,50;3,2\n12,00;4,1\n1250,25;5,7\n40,10;6,6\n", cells("preis;menge\n1,50;3,2\n12,00;4,1\n1250,25;5,7\n40,10;6,6", ";")),
    "big-endian UTF-16": (b"\xfe\xff" + "id\tname\n1\tJosé\n2\tZoë\n".encode("utf-16-be"), cells("id,name\n1,José\n2,Zoë")),
    "lines of a log": ("2024-01-01 10:00:00|INFO|started: ok, all\n2024-01-01 10:00:05|WARN|slow, very\n2024-01-01 10:01:00|INFO|done: 5 of 6\n",
                       unnamed("2024-01-01 10:00:00|INFO|started: ok, all\n2024-01-01 10:00:05|WARN|slow, very\n2024-01-01 10:01:00|INFO|done: 5 of 6", "|")),
    "addresses of the web": ("id,url\n1,http://a.example/x?y=1&z=2\n2,https://b.example/\n3,http://c.example/d;e\n",
                             cells("id,url\n1,http://a.example/x?y=1&z=2\n2,https://b.example/\n3,http://c.example/d;e")),
    "comments between rows": ("id,v\n# first\n1,2\n2,3\n# later, with comma\n3,4\n", cells("id,v\n1,2\n2,3\n3,4")),
    "more comments than rows": ("# one\n# two\na;b\n# three\n1;3\n6;7\n# four\n", cells("a,b\n1,3\n6,7")),
    "a comment as wide as the table": ("-- by hand\nid,a,b,c,d\n1,x,y,5,z\n2,x,z,6,z\n-- now, more, or less, rows, come\n3,y,y,7,x\n4,x,x,8,y\nSource: us\n",
                                       cells("id,a,b,c,d\n1,x,y,5,z\n2,x,z,6,z\n3,y,y,7,x\n4,x,x,8,y")),
    "a table of Markdown": ("| id | name | price |\n|----|:----:|------:|\n| 1 | pen | 1.50 |\n| 2 | - | 2.50 |\n| 3 |  | 3.50 |\n| 4 | desk |  |\n",
                            cells("id,name,price\n1,pen,1.50\n2,-,2.50\n3,,3.50\n4,desk,")),
    "Markdown without numbers": ("Stock\n\n|a|b|\n|-|-|\n|x|y|\n|z|x|\n", cells("a,b\nx,y\nz,x")),
    "a table that is drawn": ("+----+-------+\n| id | name  |\n+====+=======+\n|  1 | pen   |\n+----+-------+\n|  2 | ink   |\n+----+-------+\n(2 rows)\n",
                              cells("id,name\n1,pen\n2,ink")),
    "a frame around rows alone": ("|1|Bern|2.5|\n|2|Oslo|3.5|\n|3||4.5|\n", unnamed("1,Bern,2.5\n2,Oslo,3.5\n3,,4.5")),
    "quotes that nobody doubled": ('id,name,n\n1,"Ann "the boss" Lee",4\n2,"a 12" disk",5\n3,"Bob ""B"" Ray",6\n6,"the "one"",9\n4,"High" St "9",7\n' + "".join(f'{i},"x, {i}",8\n' for i in range(7, 15)),
                                   [["id", "name", "n"], *([str(i), f"x, {i}", "8"] for i in range(7, 15)), ["1", 'Ann "the boss" Lee', "4"], ["2", 'a 12" disk', "5"],
                                    ["3", 'Bob "B" Ray', "6"], ["6", 'the "one"', "9"], ["4", 'High St "9"', "7"]]),
    "a space before one quote": ('"id","name","price"\n"1","Boa","5"\n"2","Cob","6"\n"3", "Dry, sweet, \'old\'","7"\n"4","Elm","8"\n',
                                 [["id", "name", "price"], ["1", "Boa", "5"], ["2", "Cob", "6"], ["3", "Dry, sweet, 'old'", "7"],
                                  ["4", "Elm", "8"]]),
    "words for nothing and for too much": ("a,b\nNaN,NaN\nINF,INF\n-inf,-Infinity\n1,2\n0,4\n", cells("a,b\nNaN,NaN\nINF,INF\n-inf,-Infinity\n1,2\n0,4")),
    "numbers as names": ("id,100022,100025,100047,100065\nid1,TRUE,TRUE,FALSE,TRUE\nid2,TRUE,TRUE,FALSE,TRUE\nid3,TRUE,TRUE,FALSE,TRUE\n",
                         cells("id,100022,100025,100047,100065\nid1,TRUE,TRUE,FALSE,TRUE\nid2,TRUE,TRUE,FALSE,TRUE\nid3,TRUE,TRUE,FALSE,TRUE")),
    "keys above a short table": ("Shop\tCorner\nFrom\t06/02/2024\nUntil\t06/29/2024\nday\tpaid\tid\titem\tn\tsum\n06/19/2024\t06/22/2024\t1435\tmonth\t1\t99.99\n"
                                 "06/14/2024\t06/14/2024\t1437\tyear\t2\t99.50\n",
                                 cells("day\tpaid\tid\titem\tn\tsum\n06/19/2024\t06/22/2024\t1435\tmonth\t1\t99.99\n"
                                       "06/14/2024\t06/14/2024\t1437\tyear\t2\t99.50", "\t")),
    "line ends behind backslashes": ("".join(f"{i}\tfor x in y:\\\n\\\tprint(x, {i}.5, 2.5)\\\n\\\tprint(3, 4, {'5, ' * i}6)\t{i * i}\n" for i in range(6)),
                                     [["column_1", "column_2", "column_3"],
                                      *([f"{i}", f"for x in y:\n\tprint(x, {i}.5, 2.5)\n\tprint(3, 4, {'5, ' * i}6)", f"{i * i}"] for i in range(6))]),
    "programs in cells": ("".join(f"{i},{escaped(program(i))},{i * i}\n" for i in range(6)),
                          [["column_1", "column_2", "column_3"], *([f"{i}", program(i), f"{i * i}"] for i in range(6))]),
    "line ends of three kinds, most of two": ("id,name,v\r\n1,a,2.5\r2,b,3.5\n3,c,4.5\n4,d,5.5\r5,e,6.5\r\n6,f,7.5\n",
                                              cells("id,name,v\n1,a,2.5\n2,b,3.5\n3,c,4.5\n4,d,5.5\n5,e,6.5\n6,f,7.5")),
    "a mark that is no comment": ("tag,n\n#a,1\n#b,2\n#c,3\n", cells("tag,n\n#a,1\n#b,2\n#c,3")),
    "blank lines between rows": ("a,b\n\n1,2\n\n3,4\n\n5,6\n", cells("a,b\n1,2\n3,4\n5,6")),
    "pounds": ('date,supplier,amount\n01/02/2013,ACME LTD,"£1,234.00"\n14/02/2013,"SMITH, JONES & CO",£99.50\n28/02/2013,BT,£12.00\n',
               [["date", "supplier", "amount"], ["01/02/2013", "ACME LTD", "£1,234.00"], ["14/02/2013", "SMITH, JONES & CO", "£99.50"],
                ["28/02/2013", "BT", "£12.00"]]),
    "names of rows": ('"mpg" "cyl"\n"Mazda RX4" 21.0 6\n"Datsun 710" 22.8 4\n"Valiant" 18.1 6\n',
                      [["column_1", "mpg", "cyl"], ["Mazda RX4", "21.0", "6"], ["Datsun 710", "22.8", "4"], ["Valiant", "18.1", "6"]]),
    "years in steps": (",1990,1995,2000\nChile,1.5,1.7,1.8\nPeru,2.5,2.2,2.8\nCuba,0.5,0.7,0.9\nOman,3.5,3.7,3.8\n",
                       cells("column_1,1990,1995,2000\nChile,1.5,1.7,1.8\nPeru,2.5,2.2,2.8\nCuba,0.5,0.7,0.9\nOman,3.5,3.7,3.8")),
    "years with blanks": ("unit,geo\\time\t2019 \t2018 \t2017 \nPC,AT\t8.1 \t9.7 b\t: \nPC,BE\t7.0 \t: \t6.5 \nPC,BG\t5.5 b\t4.1 \t3.0 \n",
                          cells("unit,geo\\time\t2019\t2018\t2017\nPC,AT\t8.1 \t9.7 b\t: \nPC,BE\t7.0 \t: \t6.5 \nPC,BG\t5.5 b\t4.1 \t3.0 ", "\t")),
    "years over names": (",2019,,2020,\nRegion,Men,Women,Men,Women\nNorth,1200,1300,1210,1305\nSouth,400,420,405,431\nEast,77,75,80,78\n",
                         cells("Region,2019 Men,2019 Women,2020 Men,2020 Women\nNorth,1200,1300,1210,1305\nSouth,400,420,405,431\nEast,77,75,80,78")),
    "years in data": ("2001,2003,2009\n2005,2002,2011\n2004,2008,2010\n2006,2012,2015\n", unnamed("2001,2003,2009\n2005,2002,2011\n2004,2008,2010\n2006,2012,2015")),
    "addresses of people": ("email\n" + "".join(f"user{i}@example.org\n" for i in range(20)),
                            [["email"], *([f"user{i}@example.org"] for i in range(20))]),
    "a sign that separates": ("id§town§n\n1§Bern, BE§5\n2§Oslo§6\n3§Rome§7\n", cells("id§town§n\n1§Bern, BE§5\n2§Oslo§6\n3§Rome§7", "§")),
    "rows that are very long": ("id,text,n\n" + "".join(f'{i},"{"lorem ipsum, dolor " * 8000}",{i}\n' for i in range(3)),
                                [["id", "text", "n"], *([str(i), "lorem ipsum, dolor " * 8000, str(i)] for i in range(3))]),
    "padded cells between tabs": ("series_id         \tyear\tperiod\t       value\tnotes\n"
                                  + "".join(f"CUUR0000SA{i % 7}       \t2019\tM{i:02d}\t      {i}2.5{i}\t\n" for i in range(1, 13)),
                                  [["series_id", "year", "period", "value", "notes"],
                                   *([f"CUUR0000SA{i % 7}       ", "2019", f"M{i:02d}", f"      {i}2.5{i}", ""] for i in range(1, 13))]),
    "headings of parts": ("name,x,y\nPart A,,\nA 1,5,7\nA 2,6,8\nA 3,5,9\nA 4,4,9\nPart B,,\nB 1,5,7\nB 2,6,8\nB 3,1,8\nB 4,9,7\n",
                          cells("name,x,y\nPart A,,\nA 1,5,7\nA 2,6,8\nA 3,5,9\nA 4,4,9\nPart B,,\nB 1,5,7\nB 2,6,8\nB 3,1,8\nB 4,9,7")),
    "rows that end early": ("id,a,b,c\n1,x\n2,y,z\n3\n4,x,y,z\n5,q\n", cells("id,a,b,c\n1,x,,\n2,y,z,\n3,,,\n4,x,y,z\n5,q,,")),
    "rows that begin with nothing but dates": ("date,North,South,East,West\n" + "".join(f"2020-01-{d:02d},,,,\n" for d in range(1, 20))
                                               + "".join(f"2020-02-{d:02d},{d},{d * 2},,\n" for d in range(1, 9))
                                               + "".join(f"2020-03-{d:02d},{d},{d * 2},{d * 3},{d * 5}\n" for d in range(1, 29)),
                                               cells("date,North,South,East,West\n" + "".join(f"2020-01-{d:02d},,,,\n" for d in range(1, 20))
                                                     + "".join(f"2020-02-{d:02d},{d},{d * 2},,\n" for d in range(1, 9))
                                                     + "".join(f"2020-03-{d:02d},{d},{d * 2},{d * 3},{d * 5}\n" for d in range(1, 29)))),
    "countries without figures": (f"aid received,{YEARS}\nAbkhazia{',' * 12}\nAlbania{FIGURES}\nAlgeria{FIGURES}\nAruba{',' * 12}\nAustria{FIGURES}\n"
                                  f"Belize{FIGURES}\nBenin{FIGURES}\nBhutan{',' * 12}\nChad{FIGURES}\nZambia{',' * 12}\nWales{',' * 12}\n",
                                  cells(f"aid received,{YEARS}\nAbkhazia{',' * 12}\nAlbania{FIGURES}\nAlgeria{FIGURES}\nAruba{',' * 12}\nAustria{FIGURES}\n"
                                        f"Belize{FIGURES}\nBenin{FIGURES}\nBhutan{',' * 12}\nChad{FIGURES}\nZambia{',' * 12}\nWales{',' * 12}")),
    "the only year": ("forest (tons),2005\n" + "".join(f"{name} {i},{i}7{i}.{i}\n" for i in range(5) for name in TOWNS),
                      cells("forest (tons),2005\n" + "".join(f"{name} {i},{i}7{i}.{i}\n" for i in range(5) for name in TOWNS))),
    "a first row that is unlike the others": ("id,parent,kind,value\nroot,,root,\n" + "".join(f"n{i},n{i // 2},leaf,v{i}\n" for i in range(60)),
                                              cells("id,parent,kind,value\nroot,,root,\n" + "".join(f"n{i},n{i // 2},leaf,v{i}\n" for i in range(60)))),
    "long codes below a first row without": ("id,parent,kind,value\nroot,,root,\n" + "".join(f"{i:08d}-b72a-4218,{i // 2:08d}-b72a-4218,leaf,v{i}\n" for i in range(60)),
                                             cells("id,parent,kind,value\nroot,,root,\n" + "".join(f"{i:08d}-b72a-4218,{i // 2:08d}-b72a-4218,leaf,v{i}\n" for i in range(60)))),
    "names as long as the numbers below": (" ITERATION    THETA(1,1)   THETA(2,1)   THETA(3,1)\n" + "".join(f"  -2500{i}   -2.5000{i}E+00 -3.5000{i}E-01  1.5000{i}E+00\n" for i in range(3)),
                                           cells("ITERATION,THETA(1;1),THETA(2;1),THETA(3;1)\n".replace(";", "|")
                                                 + "".join(f"-2500{i},-2.5000{i}E+00,-3.5000{i}E-01,1.5000{i}E+00\n" for i in range(3)))),
    "a first row of a few numbers": ("rownames,date,index,change,lag1,lag2,lag3,lag4\n1,1947.01,15.21,,,,,\n2,1947.02,15.8,46.5,,,,\n"
                                     + "".join(f"{i},1947.{i:02d},15.{i},4{i}.5,1.{i},2.{i},3.{i},4.{i}\n" for i in range(3, 60)),
                                     cells("rownames,date,index,change,lag1,lag2,lag3,lag4\n1,1947.01,15.21,,,,,\n2,1947.02,15.8,46.5,,,,\n"
                                           + "".join(f"{i},1947.{i:02d},15.{i},4{i}.5,1.{i},2.{i},3.{i},4.{i}\n" for i in range(3, 60)))),
    "names over codes": ("name,full,half\n" + "".join(f"{name},#{i}69BBD,#{i}69BBD80\n" for i, name in enumerate(TOWNS, 1)),
                         cells("name,full,half\n" + "".join(f"{name},#{i}69BBD,#{i}69BBD80\n" for i, name in enumerate(TOWNS, 1)))),
    "texts of many lines with commas": ("id,at,text\n" + "".join(f'{i},{i % 12 + 1}/16/2016 19:22,"{POST.format(i)}"\n' for i in range(60)),
                                        [["id", "at", "text"], *([str(i), f"{i % 12 + 1}/16/2016 19:22", POST.format(i)] for i in range(60))]),
    "last rows with nothing but numbers": ("size\tfast\tslow\tother\n" + "".join(f"{i}00\t0.{i}\t1.{i}\t2.{i}\n" for i in range(1, 9)) + "900\t\t\t\n1000\t\t\t\n",
                                           cells("size\tfast\tslow\tother\n" + "".join(f"{i}00\t0.{i}\t1.{i}\t2.{i}\n" for i in range(1, 9)) + "900\t\t\t\n1000\t\t\t", "\t")),
    "a last row that is cut off": ("id,n,m\n" + "".join(f"{i},{i * 3},{i * 7}\n" for i in range(50)) + "50",
                                   [*cells("id,n,m\n" + "".join(f"{i},{i * 3},{i * 7}\n" for i in range(50))), ["50", "", ""]]),
}
TABLES["names as long as the numbers below"][1][0][1:] = [f"THETA({i},1)" for i in (1, 2, 3)]
TABLES["years as names"] = (TABLES["years as names"][0], cells(TABLES["years as names"][0]))

# What is refused, with words of the message.
REFUSED = {
    "two tables": (SALES + "\nregion,year,persons\nNorth,2020,100\nSouth,2020,120\nEast,2021,90\n",
                   ["another table may begin at line 9: region,year,persons", "--skip 8", "--footer"]),
    "two tables with titles": ("Sums\n\n" + SALES + "\nHeads\n\nregion,year,persons\nNorth,2020,100\nSouth,2020,120\n",
                               ["another table may begin at line 13", "--skip 12"]),
    "colons": ("root:x:0:0:root:/root:/bin/bash\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\nsys:x:3:3:sys:/dev:/usr/sbin/nologin\n",
               ["can be read in two ways", "--delimiter"]),
    "fractions": ("x\n1,5\n2,5\n3,5\n", ["can be read in two ways", "--delimiter"]),
    "one name and a mark in all values": ("url\n" + "".join(f"https://a.example/{i}?x=1;y=2\n" for i in range(9)),
                                         ["can be read in two ways", "--delimiter"]),
    "Shift JIS": ("都道府県,人口\n東京都,13960\n大阪府,8840\n北海道,5250\n".encode("shift_jis"), ["neither UTF-8 nor Windows-1252", "--encoding"]),
    "texts over numbers that stand again": ("a,b,c\n1,b,c\n2,b,c\n3,b,c\n", ["may be names or data: a,b,c", "--header"]),
    "numbers as names over numbers": ('"n",0.001,0.005,0.01\n' + "".join(f"{i},0.00{i},0.00{i}5,0.0{i}\n" for i in range(1, 9)),
                                      ["may be names or data", "--header"]),
    "one row": ("1,StreetA\n", ["may be names or data", "--header"]),
    "a title and no names": ("some text\n\ntitle\n\n\nJohn,Doe,120,1.5\nJack,Roe,20,2.5\nJoan,Poe,7,3.5\n", ["may be names or data"]),
    "nothing": ("", ["no header line"]),
    "nothing but line ends": ("\n\n\n", ["no header line"]),
    "UTF-16 without a mark": ("id,name\n1,a\n".encode("utf-16-le"), ["--encoding utf-16le"]),
}


def read(folder, data, *options):
    write(folder / "t.csv", data)
    return tamiz("sql", "--data", folder, "-c", "SELECT * FROM t", "-f", "csv", *options)


def test_tables(folder):
    for name, (data, wanted) in TABLES.items():
        got = read(folder, data)
        equal(got.status, 0, f"{name}: {got.err}")
        table = list(csv.reader(io.StringIO(got.out, newline="")))
        equal((table[0], sorted(table[1:])), (wanted[0], sorted(wanted[1:])), name)


def test_refused(folder):
    for name, (data, words) in REFUSED.items():
        got = read(folder, data)
        equal((got.status, got.out), (DATA, ""), f"{name}: {got.err}")
        check(all(word in got.err for word in words), f"{name}: {got.err}")


def test_too_many_columns(folder):
    """Nobody takes such a table for one of a single column instead."""
    got = read(folder, ",".join(f"c{i}" for i in range(1100)) + "\n" + (",".join(str(i) for i in range(1100)) + "\n") * 3)
    equal((got.status, got.out), (1, ""), got.err)
    check("t.csv: more than 1024 columns" in got.err, got.err)


def test_a_stray_quote(folder):
    """Quotes that do not fit make no columns for all rows, nor lose any."""
    rows = [f'{i},"pen, number {i}","it writes, and well",{i * 3}.50,"https://shop.example/{i}",\n' for i in range(40)]
    rows[20] = '20,"pen, number 20","it writes, and well",60.50,"https://shop.example/20","\n'
    got = read(folder, "id,name,text,price,url,note\n" + "".join(rows))
    equal((got.status, got.out), (DATA, ""), got.err)
    check("t.csv:22: a quote opens a field here that ends in another line" in got.err, got.err)
    schema = write(folder / "s.sql", "CREATE TABLE t (id int, name text) WITH (files = 't.csv')")
    got = tamiz("sql", "--data", folder, "--schema", schema, "-c", "SELECT count(*) FROM t", "-f", "csv")
    equal((got.status, got.out), (0, "count\n38\n"), got.err)


def test_either_table(folder):
    """What the message about two tables says, done."""
    data, _ = REFUSED["two tables"]
    equal(read(folder, data, "--skip", "8").out, "region,year,persons\nNorth,2020,100\nSouth,2020,120\nEast,2021,90\n")
    first = read(folder, data, "--footer", "4")
    equal((first.status, sorted(first.out.splitlines())), (0, sorted(SALES.splitlines())), first.err)
    both = read(folder, data, "--footer", "0")
    equal((both.status, len(both.out.splitlines())), (0, 11), both.err)


main(globals())
