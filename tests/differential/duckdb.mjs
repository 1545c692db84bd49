// DuckDB behind a pipe: a line of JSON in, {"schema", "sql"}; a line of JSON out, {"rows"} or
// {"error"}. A query that takes too long is interrupted.
//
// $PEERS is the folder whose node_modules has DuckDB.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.PEERS}/`);
const { DuckDBInstance } = require("@duckdb/node-api");

const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
const connection = await instance.connect();
await connection.run("SET order_by_non_integer_literal = true");
// DuckDB 1.5 pushes what it knows of a join's keys below the LIMIT of a subquery: other rows pass it.
await connection.run("SET disabled_optimizers = 'join_filter_pushdown'");
const secondsMax = 10;
let current = "main";

async function answer({ schema, sql }) {
	if (schema !== current) {
		await connection.run(`SET schema = '${schema}'`);
		current = schema;
	}
	const late = setTimeout(() => connection.interrupt(), secondsMax * 1000);

	try {
		return { rows: (await connection.runAndReadAll(sql)).getRowsJson() };
	} finally {
		clearTimeout(late);
	}
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
