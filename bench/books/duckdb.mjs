// The books queries on DuckDB. Variants:
//
//   queries     one connection, one query after the other, each over the CSV files
//   concurrent  the same, but every query on a connection of its own, all at once
//   table       the needed columns of both files into tables first, then the queries over those
//
// DuckDB has no reader for Python literals: a category is found by its name in quotes, and authors
// are taken out of their list by a regular expression.

import { data, load, out, queries, threads, unknownVariant, variant } from "../peer.mjs";

const { DuckDBInstance } = load("@duckdb/node-api");

const csv = (table, columns) => `read_csv('${data}/${table}.csv', header = true,
	auto_detect = false, delim = ',', quote = '"', escape = '"', ignore_errors = true,
	max_line_size = 4000000, columns = {${columns.map(([name, type]) => `'${name}': '${type}'`)}})`;
const text = names => names.split(/\s+/).map(name => [name, "VARCHAR"]);

let books = csv("books_data", text(`Title description authors image previewLink publisher
	publishedDate infoLink categories ratingsCount`));
let reviews = csv("Books_rating", [...text(`Id Title Price User_id profileName review/helpfulness`),
	["review/score", "DOUBLE"], ...text("review/time review/summary review/text")]);

const year = "TRY_CAST(regexp_extract(\"publishedDate\", '^[0-9]{4}') AS INTEGER)";
const authors = `list_transform(regexp_extract_all(authors, '''[^'']*''|"[^"]*"'),
	x -> x[2:-2])`;
const reviewed = measure => `(SELECT Title, ${measure} FROM ${reviews}
	GROUP BY Title HAVING count(*) >= 500)`;

const sql = {
	q1: () => `SELECT Title AS title, to_json(${authors}) AS authors, publisher FROM ${books}
		WHERE contains(categories, '''Computers''') AND ${year} BETWEEN 2000 AND 2023
			AND Title ILIKE '%distributed%' ORDER BY title`,
	q2: () => `SELECT author FROM (SELECT unnest(${authors}) AS author, ${year} AS year
			FROM ${books})
		WHERE year IS NOT NULL GROUP BY author
		HAVING count(DISTINCT year // 10) >= 10 ORDER BY author`,
	q3: () => `SELECT Title AS title, to_json(${authors}) AS authors, reviews FROM ${books}
		JOIN ${reviewed("count(*) AS reviews")} USING (Title)
		WHERE ${year} BETWEEN 1990 AND 1999 ORDER BY title`,
	q4: () => `SELECT Title AS title, average_score FROM ${books}
		JOIN ${reviewed('avg("review/score") AS average_score')} USING (Title)
		WHERE ${year} BETWEEN 1990 AND 1999 ORDER BY average_score DESC, title LIMIT 10`,
};

const instance = await DuckDBInstance.create(":memory:", { threads });

async function answer(connection, query) {
	await connection.run(`COPY (${sql[query]()}) TO '${out}/${query}.csv' (HEADER)`);
}

async function materialise(connection) {
	await connection.run(`CREATE TEMP TABLE kept_books AS SELECT Title, authors, publisher,
		"publishedDate", categories FROM ${books}`);
	await connection.run(`CREATE TEMP TABLE kept_reviews AS SELECT Title, "review/score"
		FROM ${reviews}`);
	books = "kept_books";
	reviews = "kept_reviews";
}

const first = await instance.connect();
await first.run("SET preserve_insertion_order = false");
if (variant === "concurrent") {
	await Promise.all(queries.map(async query => answer(await instance.connect(), query)));
} else if (variant === "queries" || variant === "table") {
	if (variant === "table")
		await materialise(first);
	for (const query of queries)
		await answer(first, query);
} else {
	unknownVariant();
}
