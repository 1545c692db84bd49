// DuckDB behind a pipe: a line of JSON in, {"schema", "sql"}; a line of JSON out, {"rows"} or
// {"error"}. $PEERS is the folder whose node_modules has DuckDB.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.PEERS}/`);
const { DuckDBInstance } = require("@duckdb/node-api");

const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
const connection = await instance.connect();
let current = "main";

async function answer({ schema, sql }) {
	if (schema !== current) {
		await connection.run(`SET schema = '${schema}'`);
		current = schema;
	}
	return { rows: (await connection.runAndReadAll(sql)).getRowsJson() };
}

for await (const line of createInterface({ input: process.stdin })) {
	let reply;

	try {
		reply = await answer(JSON.parse(line));
	} catch (error) {
		reply = { error: error.message };
	}
	process.stdout.write(JSON.stringify(reply) + "\n");
}
