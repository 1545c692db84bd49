"""PostgreSQL beside tamiz, or in its place.

`run --against postgres` asks it instead of DuckDB. `run --engine postgres` asks it instead of tamiz, with all
features on: do both dialects of the productions mean the same? What differs then is a mistake in grammar.py or
a difference between PostgreSQL and DuckDB, and no bug of tamiz."""

import decimal
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import database
import tree
from engines import Answer

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")
END = "--end of answer--"
STAMP = re.compile(r"^(\d{4}-\d\d-\d\d)T([\d:.]+)(\+00:00)?$")


class Server:
    """A private PostgreSQL on a socket in a temporary folder, with every database a schema: the
    nasty ones, as COPY is stricter about the packs' files than tamiz."""

    def __init__(self, databases):
        self.folder = tempfile.mkdtemp(prefix="tamiz-differential-")
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
        self.call("initdb", "-D", f"{self.folder}/data", "-U", "tamiz", "-A", "trust", "-E", "UTF8",
                  "--locale=C", "--lc-ctype=C.UTF-8", "--no-sync")
        self.call("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o",
                  f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off",
                  "start")
        try:
            postgres = Postgres(self)
            for each in databases:
                postgres.load(each)
        except BaseException:
            self.close()
            raise

    def call(self, program, *args):
        subprocess.run([*self.user, str(BIN / program), *args], check=True, cwd="/",
                       stdout=subprocess.DEVNULL)

    def close(self):
        self.call("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


class Postgres:
    """A psql that answers one query after the other."""

    name = "postgres"
    dialect = tree.TAMIZ

    def __init__(self, server):
        self.process = subprocess.Popen(
            [str(BIN / "psql"), "-h", server.folder, "-U", "tamiz", "-d", "postgres", "-XqAt"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "PGCLIENTENCODING": "UTF8", "PGTZ": "UTC"})
        self.request("SET statement_timeout = '20s'")

    def request(self, sql):
        self.process.stdin.write(f"{sql};\n\\echo {END}\n".encode())
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.decode().strip() == END:
                return b"".join(lines).decode()
            lines.append(line)
        raise SystemExit(f"psql ended at: {sql}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def load(self, each):
        said = self.request(f"CREATE SCHEMA {each.name}; SET search_path = {each.name}")
        for table, body, options in database.TABLE.findall(each.schema.read_text()):
            said += self.request(f"CREATE TABLE {table} ({body})")
            files = dict(database.OPTION.findall(options))["files"].strip("'")
            for path in sorted(each.data.glob(files)):
                said += self.request(f"\\copy {table} FROM '{path}' (FORMAT csv, HEADER)\nSELECT")
        if said.strip():
            raise SystemExit(f"postgres: {said}")

    def ask(self, each, sql, unused_way=None, columns=1):
        names = ", ".join(f"c{n}" for n in range(columns))
        reply = self.request(f"SET search_path = {each.name}; SELECT coalesce(json_agg("
                             f"json_build_array({names})), '[]') FROM ({sql}) answer")
        if "ERROR:" in reply:
            return Answer(error=reply)
        rows = json.loads(reply, parse_float=decimal.Decimal)
        return Answer(rows=[[plain(value) for value in row] for row in rows])


def plain(value):
    match = STAMP.match(value) if isinstance(value, str) else None
    return f"{match[1]} {match[2]}" if match else value
