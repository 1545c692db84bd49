// The movies queries on ClickHouse's engine inside the process, chdb. Variants:
//
//   queries  one query after the other, each over the CSV files
//   table    the needed columns of the movies into a table in memory first: four queries read them

import fs from "node:fs";
import { data, load, out, queries, threads, unknownVariant, variant } from "../peer.mjs";

const { Session } = load("chdb");

const names = `adult belongs_to_collection budget genres homepage id imdb_id original_language
	original_title overview popularity poster_path production_companies production_countries
	release_date revenue runtime spoken_languages status tagline title video vote_average
	vote_count`.split(/\s+/);
const types = { budget: "Int64", id: "Int64" };
const structures = {
	movies_metadata: names.map(name => `${name} ${types[name] ?? "String"}`).join(", "),
	ratings: "userId Int64, movieId Int64, rating Float64, timestamp Int64",
	credits: "cast String, crew String, id Int64",
};
const settings = `SETTINGS max_threads = ${threads}, input_format_allow_errors_num = 1000,
	input_format_csv_allow_variable_number_of_columns = 1,
	format_csv_null_representation = ''`;
const csv = table => `file('${data}/${table}.csv', CSVWithNames, '${structures[table]}')`;

let movies = csv("movies_metadata");
const made = country => `position(production_countries, '\\'${country}\\'') > 0`;
const argentine = () => `SELECT id, title FROM ${movies}
	WHERE ${made("Argentina")} AND release_date >= '2000-01-01'`;
const list = (column, end) => `extractAll(${column}, '\\'name\\': [\\'"](.*?)[\\'"]${end}')`;

const sql = {
	q1: () => `SELECT DISTINCT title, toJSONString(${list("genres", "}")}) AS genres
		FROM ${movies} WHERE release_date >= '2000-01-01' AND release_date < '2010-01-01'
			AND ${made("Argentina")} AND ${made("Spain")} ORDER BY title, genres`,
	q2: () => `SELECT countries[1] AS country, sum(budget) AS invested
		FROM (SELECT ${list("production_countries", "}")} AS countries, budget FROM ${movies})
		WHERE length(countries) = 1 GROUP BY country ORDER BY invested DESC, country LIMIT 5`,
	q3: () => `SELECT extreme, best_or_worst.2 AS title, best_or_worst.1 AS average_rating
		FROM (SELECT argMax((mean, title), (mean, -id)) AS best,
				argMin((mean, title), (mean, id)) AS worst
			FROM (SELECT id, any(title) AS title, avg(rating) AS mean
				FROM ${csv("ratings")} AS ratings
				JOIN (SELECT id, min(title) AS title FROM (${argentine()}) GROUP BY id) AS made
					ON made.id = ratings.movieId
				GROUP BY id))
		ARRAY JOIN ['best', 'worst'] AS extreme, [best, worst] AS best_or_worst`,
	q4: () => `SELECT actor, uniqExact(id) AS movies
		FROM (SELECT id, arrayJoin(${list("cast", ", \\'order\\'")}) AS actor
			FROM ${csv("credits")} WHERE id IN (SELECT id FROM (${argentine()})))
		GROUP BY actor ORDER BY movies DESC, actor LIMIT 10`,
};

const session = new Session();

if (variant === "table") {
	session.query("CREATE DATABASE kept");
	session.query(`CREATE TABLE kept.movies ENGINE = Memory AS SELECT id, title, release_date,
		production_countries, genres, budget FROM ${movies} ${settings}`);
	movies = "kept.movies";
} else if (variant !== "queries") {
	unknownVariant();
}
for (const query of queries)
	fs.writeFileSync(`${out}/${query}.csv`,
		session.query(`${sql[query]()} ${settings}`, "CSVWithNames"));
session.cleanup();
