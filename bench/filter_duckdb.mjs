// node bench/filter_duckdb.mjs FILE OUT SQL: a query over the readings of the pack h2o, from CSV to CSV.

import path from "node:path";
import { createRequire } from "node:module";

const [file, out, sql] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(process.env.PEERS ?? "build/peers"), "package.json"));
const { DuckDBInstance } = load("@duckdb/node-api");
const instance = await DuckDBInstance.create(":memory:", { threads: process.env.THREADS ?? "2" });
const connection = await instance.connect();

await connection.run(`CREATE VIEW readings AS SELECT * FROM read_csv('${file}', header = true, auto_detect = false,
	delim = ',', quote = '"', escape = '"', columns = {'id1': 'text', 'id2': 'text', 'id3': 'text', 'id4': 'bigint', 'id5': 'bigint',
	'id6': 'bigint', 'v1': 'bigint', 'v2': 'bigint', 'v3': 'decimal(9,6)'})`);
await connection.run(`COPY (${sql}) TO '${out}' (HEADER)`);
