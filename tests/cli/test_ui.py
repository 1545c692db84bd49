#!/usr/bin/env python3
"""The server of `tamiz ui`: who is answered, and that what it says of rows is what `tamiz sql` says."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import urllib.parse

from harness import PATIENCE_SECONDS, TAMIZ, USAGE, answers, check, equal, fails, main, wait_for, write


class Ui:
    def __init__(self, *words, cwd=None):
        self.process = subprocess.Popen(
            [TAMIZ, "ui", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
        )
        self.address = self.process.stdout.readline().decode().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?key=([0-9a-f]{32})", self.address)
        check(match, self.address or self.process.stderr.read().decode())
        self.port, self.key = int(match.group(1)), match.group(2)
        self.cookie = f"tamiz-{self.port}={self.key}"
        self.token = self.get("/api/session")[1]["token"]

    def ask(self, method, path, body=None, cookie=True, token=True, headers=None):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        sent = dict(headers or {})
        if cookie:
            sent["Cookie"] = self.cookie
        if token and method == "POST":
            sent["X-Tamiz-Token"] = self.token
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, *words, **options):
        status, headers, body = self.ask(*words, **options)
        equal(headers["Content-Type"], "application/json", body)
        return status, json.loads(body)

    def get(self, path):
        return self.json("GET", path)

    def begin(self, sql):
        status, answer = self.json("POST", "/api/questions", sql.encode())
        equal(status, 201, answer)
        return answer["id"]

    def follow(self, number):
        return wait_for(
            f"the end of question {number}",
            lambda: (state := self.get(f"/api/questions/{number}?wait=500")[1])["state"] != "running" and state,
        )

    def run(self, sql):
        return self.follow(self.begin(sql))

    def view(self, number, **wish):
        status, answer = self.json("POST", f"/api/questions/{number}/view?{urllib.parse.urlencode(wish)}")
        equal(status, 201, answer)
        return self.follow(answer["id"])

    def rows(self, state):
        """All of them, by pages."""
        found = []
        while len(found) < state["rows"]:
            status, page = self.get(f"/api/questions/{state['id']}/rows?first={len(found)}&count=700")
            equal((status, page["first"]), (200, len(found)))
            check(page["rows"])
            found += page["rows"]
        equal(self.get(f"/api/questions/{state['id']}/rows?first={len(found) + 5}")[1]["rows"], [])
        return found

    def file(self, state, form):
        status, headers, body = self.ask("GET", f"/api/questions/{state['id']}/file?format={form}")
        equal(status, 200)
        equal(headers["Content-Disposition"], f'attachment; filename="result.{form}"')
        return body.decode()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
        equal((self.process.returncode, errors), (0, b""))


@contextlib.contextmanager
def ui(folder, *words):
    served = Ui(folder, *words)
    try:
        yield served
    except BaseException:
        served.process.kill()
        served.process.communicate()
        raise
    served.end()


def numbers(folder, count=5000):
    lines = "".join(f"{i},{(i * 7919) % 1000},{'odd' if i % 2 else 'even'} {i}\n" for i in range(count))
    write(folder / "t.csv", "id,v,name\n" + lines)
    return folder


def test_only_who_has_the_key_is_answered(folder):
    with ui(numbers(folder)) as served:
        for path in ("/", "/app.js", "/api/session", "/api/tables", "/?key=", f"/?key={served.key[:-1]}", f"/api/session?key={served.key}"):
            status, _, body = served.ask("GET", path, cookie=False)
            equal(status, 403, path)
            check(b"has printed" in body)
        for cookie in (f"tamiz-{served.port}={'0' * 32}", f"tamiz-{served.port}=", f"tamiz-1={served.key}"):
            equal(served.ask("GET", "/api/session", cookie=False, headers={"Cookie": cookie})[0], 403)
        status, headers, _ = served.ask("GET", f"/?key={served.key}", cookie=False)
        equal((status, headers["Location"]), (303, "/"))
        equal(headers["Set-Cookie"], f"{served.cookie}; HttpOnly; SameSite=Strict; Path=/")
        status, headers, body = served.ask("GET", "/")
        equal((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        check(b"<title>tamiz</title>" in body)


def test_every_answer_is_strict(folder):
    with ui(numbers(folder)) as served:
        state = served.run("SELECT 1")
        paths = ["/", "/app.js", "/none", "/api/session", "/api/none", f"/api/questions/{state['id']}/file", "/api/questions/99"]
        for path in paths:
            for cookie in (True, False):
                _, headers, _ = served.ask("GET", path, cookie=cookie)
                policy = headers["Content-Security-Policy"]
                check(policy.startswith("default-src 'none'; script-src 'self';"), policy)
                check("unsafe" not in policy and "require-trusted-types-for 'script'" in policy, policy)
                check("frame-ancestors 'none'" in policy, policy)
                equal((headers["X-Content-Type-Options"], headers["Referrer-Policy"]), ("nosniff", "no-referrer"))


def test_other_names_of_this_machine_are_refused(folder):
    """A page of somebody else, whose name was made to stand for this machine."""
    with ui(numbers(folder)) as served:
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.1:{served.port + 1}", ""):
            status, answer = served.json("GET", "/api/session", headers={"Host": host})
            equal((status, answer), (421, {"error": "this server has another name"}))
        for host in (f"localhost:{served.port}", f"127.0.0.1:{served.port}"):
            equal(served.ask("GET", "/api/session", headers={"Host": host})[0], 200)


def test_only_the_page_starts_anything(folder):
    with ui(numbers(folder)) as served:
        done = served.run("SELECT * FROM t")
        changes = ["/api/questions", "/api/plan", f"/api/questions/{done['id']}/cancel", f"/api/questions/{done['id']}/view"]
        for path in changes:
            equal(served.ask("POST", path, b"SELECT 1", token=False)[0], 403, path)
            for headers in ({"X-Tamiz-Token": "0" * 32}, {"X-Tamiz-Token": served.token, "Sec-Fetch-Site": "cross-site"}):
                equal(served.ask("POST", path, b"SELECT 1", token=False, headers=headers)[0], 403, path)
            equal(served.ask("GET", path)[0], 405, path)
        equal(served.ask("DELETE", "/api/questions")[0], 405)
        # Nothing was started.
        equal(served.get(f"/api/questions/{done['id'] + 1}")[0], 404)
        equal(served.ask("POST", "/api/questions", b"x" * (2 << 20))[0], 413)
        equal(served.json("POST", "/api/questions", b"SELECT 1\0")[0], 422)


def test_rows_are_those_of_tamiz_sql(folder):
    sql = "SELECT id, v, name, NULLIF(v, 0) AS n, v / 3.0 AS third, array[id, v] AS both FROM t"
    numbers(folder)
    with ui(folder) as served:
        state = served.run(sql)
        equal((state["state"], state["rows"], state["truncated"], state["notes"]), ("done", 5000, False, []))
        equal([column["name"] for column in state["columns"]], ["id", "v", "name", "n", "third", "both"])
        equal([column["shape"] for column in state["columns"]], ["number", "number", "text", "number", "number", "text"])
        equal((state["rows_read"], state["rows_rejected"]), (5000, 0))
        equal(served.file(state, "csv"), answers("sql", "-c", sql, "--format", "csv", "--data", folder))
        equal(served.file(state, "json"), answers("sql", "-c", sql, "--format", "json", "--data", folder))
        rows = served.rows(state)
        equal(rows[0], ["0", "0", "even 0", None, "0.00000000000000000000", "[0,0]"])
        equal([row[0] for row in rows], [str(i) for i in range(5000)])


def test_an_empty_result(folder):
    sql = "SELECT id FROM t WHERE id < 0"
    with ui(numbers(folder)) as served:
        state = served.run(sql)
        equal((state["state"], state["rows"], served.rows(state)), ("done", 0, []))
        equal(served.file(state, "csv"), "id\n")
        equal(json.loads(served.file(state, "json")), [])


def test_views_sort_and_search(folder):
    numbers(folder)
    with ui(folder) as served:
        state = served.run("SELECT id AS a, v AS a, name AS \"select \"\"x\"\"\" FROM t")
        up = served.view(state["id"], column=1)
        equal([column["name"] for column in up["columns"]], ["a", "a", 'select "x"'])
        values = [int(row[1]) for row in served.rows(up)]
        check(values == sorted(values) and values[:6] == [0, 0, 0, 0, 0, 1])
        down = [int(row[1]) for row in served.rows(served.view(state["id"], column=1, order="desc"))]
        equal(down, values[::-1])
        found = served.rows(served.view(state["id"], search="ODD 49"))
        equal([row[2] for row in found], [f"odd {i}" for i in range(5000) if i % 2 and str(i).startswith("49")])
        equal(served.view(state["id"], search="it's; DROP '' -- \\ \"")["rows"], 0)
        both = served.rows(served.view(up["id"], search="even 12", column=0, order="desc"))
        equal([int(row[0]) for row in both], sorted([i for i in range(0, 5000, 2) if str(i).startswith("12")], reverse=True))
        # Another column than there is: as if none was named.
        equal(served.view(state["id"], column=7)["rows"], 5000)


def test_errors_have_their_place(folder):
    numbers(folder)
    with ui(folder) as served:
        for sql, message in (
            ("SELECT id,\n  nothing FROM t", 'line 2, column 3: column "nothing" does not exist'),
            ("SELECT 1 FROM", "syntax error"),
            ("", "there is no query"),
            ("SELECT 1; SELECT 2", "line 1"),
            ("SELECT 1 / (v - v) FROM t", "division by zero"),
        ):
            state = served.run(sql)
            equal(state["state"], "failed")
            check(message in state["error"], state["error"])
            equal(served.get(f"/api/questions/{state['id']}/rows")[0], 409)
        status, answer = served.json("POST", "/api/plan", b"SELECT id,\n  nothing FROM t")
        equal((status, answer), (422, {"error": 'line 2, column 3: column "nothing" does not exist'}))


def test_nothing_is_written(folder):
    """Neither files nor a session."""
    target = folder / "out.csv"
    with ui(numbers(folder)) as served:
        for sql in (f"COPY (SELECT 1) TO '{target}'", "CREATE VIEW x AS SELECT 1", "CREATE TEMP TABLE x AS SELECT 1",
                    "SET time_zone = 'UTC'", "DROP VIEW x"):  # fmt: skip
            state = served.run(sql)
            equal(state["state"], "failed", sql)
            check("tamiz shell" in state["error"], state["error"])
    check(not target.exists())


def test_tables_and_the_plan(folder):
    numbers(folder)
    write(folder / "broken.csv", "a,a\n1,2\n")
    sql = "SELECT v, count(*) FROM t GROUP BY v"
    with ui(folder) as served:
        tables = {table["name"]: table for table in served.get("/api/tables")[1]["tables"]}
        equal(sorted(tables), ["broken", "t"])
        equal([(column["name"], column["type"]) for column in tables["t"]["columns"]], [("id", "bigint"), ("v", "bigint"), ("name", "text")])
        equal(tables["t"]["bytes"], (folder / "t.csv").stat().st_size)
        plan = served.json("POST", "/api/plan", sql.encode())[1]["plan"]
        equal(plan, answers("explain", "-c", sql, "--data", folder))
        functions = served.get("/api/session")[1]["functions"]
        check({"upper", "count", "row_number", "date_trunc"} <= set(functions) and len(functions) == len(set(functions)))


def test_guesses_that_were_wrong_are_told(folder):
    lines = "".join(f"{i}\n" for i in range(200000)) + "x\n"
    write(folder / "t.csv", "v\n" + lines)
    with ui(folder) as served:
        state = served.run("SELECT max(v) FROM t")
        equal((state["state"], served.rows(state)), ("done", [["x"]]))
        check(any("column v of t is text" in note for note in state["notes"]), state["notes"])


def test_rejects_are_told(folder):
    write(folder / "t.csv", "a,b\n" + "1,2\n" * 100 + "3\n")
    with ui(folder, "--ragged", "reject") as served:
        state = served.run("SELECT count(*) FROM t")
        equal((state["state"], state["rows_read"], state["rows_rejected"]), ("done", 101, 1))
        check(any("t.csv:102" in note for note in state["notes"]), state["notes"])


ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"


def test_cancel(folder):
    with ui(numbers(folder)) as served:
        number = served.begin(ENDLESS)
        equal(served.get(f"/api/questions/{number}")[1]["state"], "running")
        # Others are answered meanwhile.
        equal(served.rows(served.run("SELECT 7")), [["7"]])
        equal(served.json("POST", f"/api/questions/{number}/cancel")[0], 200)
        equal(served.follow(number)["state"], "cancelled")


def test_the_end_cancels_what_runs(folder):
    with ui(numbers(folder)) as served:
        served.begin(ENDLESS)


def test_not_too_many_at_once(folder):
    with ui(numbers(folder)) as served:
        running = [served.begin(ENDLESS) for _ in range(8)]
        status, answer = served.json("POST", "/api/questions", b"SELECT 1")
        equal((status, answer), (429, {"error": "8 queries are running: wait for one, or cancel it"}))
        served.json("POST", f"/api/questions/{running[0]}/cancel")
        served.follow(running[0])
        equal(served.run("SELECT 1")["state"], "done")


def test_old_results_make_room(folder):
    with ui(numbers(folder)) as served:
        first = served.run("SELECT * FROM t")
        for i in range(40):
            served.run(f"SELECT {i}")
        status, answer = served.get(f"/api/questions/{first['id']}/rows")
        equal((status, answer), (404, {"error": "this result is gone: ask again"}))


def test_a_result_may_be_too_large(folder):
    """What there was room for is there, and said to be a part."""
    numbers(folder, 100000)
    with ui(folder, "--memory", "16M") as served:
        state = served.run("SELECT id, md5(name) || md5(id::text) AS text FROM t")
        equal((state["state"], state["truncated"]), ("done", True), state)
        check(1000 < state["rows"] < 100000, state)
        rows = served.get(f"/api/questions/{state['id']}/rows?first={state['rows'] - 1}")[1]["rows"]
        equal(rows[0][0], str(state["rows"] - 1))
        # There is room again for another.
        equal(served.run("SELECT count(*) FROM t")["truncated"], False)


def test_where_it_listens(folder):
    numbers(folder)
    fails(USAGE, "--listen", "HOST:PORT", args=["ui", folder, "--listen", "nowhere at all"])
    with ui(folder) as first:
        fails(1, "cannot listen on", str(first.port), args=["ui", folder, "--listen", f"127.0.0.1:{first.port}"])
        # Without being told where, the second takes another port.
        with ui(folder) as second:
            check(first.port != second.port and first.key != second.key)


if __name__ == "__main__":
    main(globals())
