#!/usr/bin/env python3
"""The cases that readers of CSV get wrong, one by one: what stands in the file, and what must come out."""

import json

from harness import equal, main, tamiz

CASES = {
    "plain": ("a,b,c\n1,2,3\n", [{"a": 1, "b": 2, "c": 3}]),
    "plain with CRLF": ("a,b,c\r\n1,2,3\r\n", [{"a": 1, "b": 2, "c": 3}]),
    "no line end at the end": ("a,b,c\n1,2,3", [{"a": 1, "b": 2, "c": 3}]),
    "a comma in quotes": ('first,last,street,zip\nRosa,Luna,"12, Calle Mayor",01234\n',
                          [{"first": "Rosa", "last": "Luna", "street": "12, Calle Mayor", "zip": "01234"}]),
    "empty fields": ('a,b,c\n1,"",""\n2,3,4\n', [{"a": 1, "b": None, "c": None}, {"a": 2, "b": 3, "c": 4}]),
    "empty fields with CRLF": ('a,b,c\r\n1,"",""\r\n2,3,4\r\n', [{"a": 1, "b": None, "c": None}, {"a": 2, "b": 3, "c": 4}]),
    "empty text": ('a,b\n1,""\n2,x\n', [{"a": 1, "b": ""}, {"a": 2, "b": "x"}]),
    "quotes in quotes": ('a,b\n1,"ha ""ha"" ha"\n3,4\n', [{"a": 1, "b": 'ha "ha" ha'}, {"a": 3, "b": "4"}]),
    "JSON in a field": ('key,val\n1,"{""type"": ""Point"", ""coordinates"": [102.0, 0.5]}"\n',
                        [{"key": 1, "val": '{"type": "Point", "coordinates": [102.0, 0.5]}'}]),
    "a line end in quotes": ('a,b,c\n1,2,3\n"Once upon \na time",5,6\n7,8,9\n',
                             [{"a": "1", "b": 2, "c": 3}, {"a": "7", "b": 8, "c": 9}, {"a": "Once upon \na time", "b": 5, "c": 6}]),
    "CRLF in quotes": ('a,b,c\r\n1,2,3\r\n"Once upon \r\na time",5,6\r\n7,8,9\r\n',
                       [{"a": "1", "b": 2, "c": 3}, {"a": "7", "b": 8, "c": 9},
                        {"a": "Once upon \r\na time", "b": 5, "c": 6}]),
    "quotes and line ends": ('a,b\n1,"ha \n""ha"" \nha"\n3,4\n', [{"a": 1, "b": 'ha \n"ha" \nha'}, {"a": 3, "b": "4"}]),
    "letters beyond ASCII": ("a,b,c\n1,2,3\n4,5,ʤ\n", [{"a": 1, "b": 2, "c": "3"}, {"a": 4, "b": 5, "c": "ʤ"}]),
    "places on earth": ('lat,lon,place\n48.85,"2.35","Paris, ""la"" ville"\n-33.45,-70.66,Santiago\n',
                        [{"lat": -33.45, "lon": -70.66, "place": "Santiago"},
                         {"lat": 48.85, "lon": 2.35, "place": 'Paris, "la" ville'}]),
}


def test_cases(folder):
    for name, (text, wanted) in CASES.items():
        (folder / "t.csv").write_bytes(text.encode())
        got = tamiz("sql", "--data", folder, "-c", "SELECT * FROM t ORDER BY 1", "-f", "json", "-q")
        equal(got.status, 0, name + got.err)
        equal(json.loads(got.out), wanted, name)


main(globals())
