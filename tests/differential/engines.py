"""The two engines, and what they answer: rows, or an error."""

import decimal
import json
import os
import subprocess

import tree

SECONDS_MAX = 30
FIRST_WAY = ["--threads", "1"]
# Other threads, other chunks; and so little memory that whatever can be on a disk is there.
OTHER_WAYS = [["--threads", "4", "--chunk-size", "64"], ["--threads", "2", "--chunk-size", "1K", "--memory", "1K"]]

# Exit statuses of tamiz that a query may cause; any other is a bug.
QUERY_IS_WRONG = (3, 4)


class Answer:
    """`rows` are lists of values; None when there is an `error`. `broken`: not an honest error."""

    def __init__(self, rows=None, error=None, broken=False):
        self.rows = rows
        self.error = error
        self.broken = broken


class EngineEnded(Exception):
    pass


class Tamiz:
    def __init__(self, binary):
        self.binary = str(binary)

    def run(self, database, sql, way):
        """(status, stdout, stderr); the status is negative after a signal."""
        command = [self.binary, "sql", "--schema", str(database.schema), "--data",
                   str(database.data), "--format", "json", "--quiet", "--strict", *way, "-c", sql]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS_MAX,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return -1, b"", f"no answer in {SECONDS_MAX} s"
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()

    def ask(self, database, sql, other_way=None, unused_columns=None):
        """The answer, given twice: another number of threads and other chunks change nothing."""
        status, out, errors = self.run(database, sql, FIRST_WAY)
        if other_way is not None:
            other = self.run(database, sql, other_way)
            if (other[0], other[1]) != (status, out):
                return Answer(error=f"with {' '.join(other_way)}: status {other[0]}, {other[2]}\n"
                              + other[1].decode("utf-8", "replace"), broken=True)
        if status:
            broken = status not in QUERY_IS_WRONG
            return Answer(error=f"status {status}: {errors}" if broken else errors, broken=broken)
        return Answer(rows=json.loads(out, parse_float=decimal.Decimal,
                                      object_pairs_hook=lambda pairs: [v for _, v in pairs]))


class DuckDB:
    """One process with all databases in memory, each a schema. It is started again after a crash:
    that one of DuckDB must not end a run."""

    name = "duckdb"
    dialect = tree.DUCKDB

    def __init__(self, driver, peers, databases):
        self.command = ["node", str(driver)]
        self.environment = {**os.environ, "PEERS": str(peers)}
        self.databases = databases
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, env=self.environment,
                                        stdout=subprocess.PIPE)
        for database in self.databases:
            for statement in database.load:
                answer = self.request("main", statement)
                if "error" in answer:
                    raise SystemExit(f"duckdb: {database.name}: {answer['error']}\n{statement}")

    def request(self, schema, sql):
        line = json.dumps({"schema": schema, "sql": sql}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise EngineEnded(f"DuckDB ended with status {self.process.wait()}")
        return json.loads(reply)

    def ask(self, database, sql, unused_way=None, unused_columns=None):
        try:
            reply = self.request(database.name, sql)
        except EngineEnded as error:
            self.start()
            return Answer(error=str(error), broken=True)
        return Answer(error=reply["error"]) if "error" in reply else Answer(rows=reply["rows"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()
