// The movies queries on DuckDB. Variants:
//
//   queries     one connection, one query after the other, each over the CSV files
//   concurrent  the same, but every query on a connection of its own, all at once
//   table       the needed columns of the movies into a table first: four queries read them
//
// DuckDB has no reader for Python literals. A country is found by its name in quotes, which is what
// its users do; names are taken out of the lists by a regular expression.

import { data, load, out, queries, threads, unknownVariant, variant } from "../peer.mjs";

const { DuckDBInstance } = load("@duckdb/node-api");

const csv = (table, columns) => `read_csv('${data}/${table}.csv', header = true,
	auto_detect = false, delim = ',', quote = '"', escape = '"', ignore_errors = true,
	max_line_size = 4000000, columns = {${Object.entries(columns).map(([name, type]) => `'${name}': '${type}'`)}})`;

const text = Object.fromEntries(`adult belongs_to_collection budget genres homepage id imdb_id
	original_language original_title overview popularity poster_path production_companies
	production_countries release_date revenue runtime spoken_languages status tagline title video
	vote_average vote_count`.split(/\s+/).map(name => [name, "VARCHAR"]));
const wanted = "id, title, release_date, production_countries, genres, budget";
const ratings = csv("ratings", { userId: "BIGINT", movieId: "BIGINT", rating: "DOUBLE",
	timestamp: "BIGINT" });
const credits = csv("credits", { cast: "VARCHAR", crew: "VARCHAR", id: "BIGINT" });
let movies = csv("movies_metadata", { ...text, id: "BIGINT", budget: "BIGINT", release_date: "DATE" });

const names = (column, end) => `regexp_extract_all(${column}, '''name'': [''"](.*?)[''"]${end}', 1)`;
const made = country => `contains(production_countries, '''${country}''')`;
const argentine = () => `SELECT id, title FROM ${movies}
	WHERE ${made("Argentina")} AND release_date >= DATE '2000-01-01'`;

const sql = {
	q1: () => `SELECT DISTINCT title, to_json(${names("genres", "}")}) AS genres FROM ${movies}
		WHERE release_date >= DATE '2000-01-01' AND release_date < DATE '2010-01-01'
			AND ${made("Argentina")} AND ${made("Spain")}
		ORDER BY title, genres`,
	q2: () => `SELECT countries[1] AS country, sum(budget)::BIGINT AS invested
		FROM (SELECT ${names("production_countries", "}")} AS countries, budget FROM ${movies})
		WHERE len(countries) = 1 GROUP BY country ORDER BY invested DESC, country LIMIT 5`,
	q3: () => `WITH means AS MATERIALIZED (SELECT id, title, avg(rating) AS average_rating
			FROM ${ratings}
			JOIN (SELECT id, min(title) AS title FROM (${argentine()}) GROUP BY id)
				ON id = "movieId" GROUP BY id, title)
		(SELECT 'best' AS extreme, title, average_rating FROM means
			ORDER BY average_rating DESC, id LIMIT 1)
		UNION ALL
		(SELECT 'worst', title, average_rating FROM means ORDER BY average_rating, id LIMIT 1)`,
	q4: () => `SELECT actor, count(DISTINCT id) AS movies
		FROM (SELECT id, unnest(${names('"cast"', ", ''order''")}) AS actor FROM ${credits}
			WHERE id IN (SELECT id FROM (${argentine()})))
		GROUP BY actor ORDER BY movies DESC, actor LIMIT 10`,
};

const instance = await DuckDBInstance.create(":memory:", { threads });

async function answer(connection, query) {
	await connection.run(`COPY (${sql[query]()}) TO '${out}/${query}.csv' (HEADER)`);
}

const first = await instance.connect();
await first.run("SET preserve_insertion_order = false");
if (variant === "concurrent") {
	await Promise.all(queries.map(async query => answer(await instance.connect(), query)));
} else if (variant === "queries" || variant === "table") {
	if (variant === "table") {
		await first.run(`CREATE TEMP TABLE kept AS SELECT ${wanted} FROM ${movies}`);
		movies = "kept";
	}
	for (const query of queries)
		await answer(first, query);
} else {
	unknownVariant();
}
