// Runs the statements of a file, separated by lines of dashes, on a DuckDB of its own.
//
//   node duckdb.mjs STATEMENTS.sql        DuckDB comes from the folder $PEERS

import fs from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEERS}/`);
const { DuckDBInstance } = require("@duckdb/node-api");
const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();

for (const statement of fs.readFileSync(process.argv[2], "utf8").split(/^-{3,}$/m))
	if (statement.trim())
		await connection.run(statement);
connection.closeSync();
