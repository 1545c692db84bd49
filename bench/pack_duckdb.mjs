// The queries of a pack on DuckDB, as the pack has them: its folder is ../packs/NAME. Variants:
//
//   queries     one connection, one query after the other, each over the CSV files
//   concurrent  the same, but every query on a connection of its own, all at once
//   table       all files into tables first, then the queries over those
//
// MEMORY_LIMIT, if set, is how much memory it may use, and TEMP_FOLDER where it puts what does not fit.

import fs from "node:fs";

import { data, load, out, queries, threads, unknownVariant, variant } from "./peer.mjs";

const { DuckDBInstance } = load("@duckdb/node-api");
const limits = process.env.MEMORY_LIMIT
	? { memory_limit: process.env.MEMORY_LIMIT, temp_directory: process.env.TEMP_FOLDER } : {};
const instance = await DuckDBInstance.create(":memory:", { threads, ...limits });

// Tables, or views of the files, with the columns of the pack's schema.
async function define(connection, pack) {
	const schema = fs.readFileSync(new URL("schema.sql", pack), "utf8");

	for (const [, name, columns] of schema.matchAll(/CREATE TABLE (\w+) \(([^]*?)\n\) WITH/g)) {
		const types = columns.trim().split(/,\n/).map(column => {
			const [, field, type] = column.trim().match(/^(\w+)\s+(.*)$/);

			return `'${field}': '${type}'`;
		});

		await connection.run(`CREATE ${variant === "table" ? "TABLE" : "VIEW"} ${name} AS
			SELECT * FROM read_csv('${data}/${name}.csv', header = true, auto_detect = false,
				delim = ',', quote = '"', escape = '"', columns = {${types}})`);
	}
}

async function answer(connection, pack, query) {
	const text = fs.readFileSync(new URL(`queries/${query}.sql`, pack), "utf8");

	await connection.run(
		`COPY (${text.trim().replace(/;$/, "")}) TO '${out}/${query}.csv' (HEADER)`);
}

export async function answerPack(name) {
	const pack = new URL(`../packs/${name}/`, import.meta.url);

	if (!["queries", "concurrent", "table"].includes(variant))
		unknownVariant();
	const first = await instance.connect();
	await first.run("SET preserve_insertion_order = false");
	await define(first, pack);
	if (variant === "concurrent")
		await Promise.all(queries.map(async query => answer(await instance.connect(), pack, query)));
	else
		for (const query of queries)
			await answer(first, pack, query);
}
