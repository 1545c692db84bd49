// The books queries on ClickHouse's engine inside the process, chdb. Variants:
//
//   queries  one query after the other, each over the CSV files
//   table    the needed columns of both files into tables in memory first

import fs from "node:fs";
import { data, load, out, queries, threads, unknownVariant, variant } from "../peer.mjs";

const { Session } = load("chdb");

const structures = {
	books_data: `Title String, description String, authors Nullable(String), image String,
		previewLink String, publisher Nullable(String), publishedDate String, infoLink String,
		categories String, ratingsCount String`,
	Books_rating: `Id String, Title String, Price String, User_id String, profileName String,
		\`review/helpfulness\` String, \`review/score\` Float64, \`review/time\` String,
		\`review/summary\` String, \`review/text\` String`,
};
const settings = `SETTINGS max_threads = ${threads}, input_format_allow_errors_num = 1000,
	input_format_csv_allow_variable_number_of_columns = 1,
	format_csv_null_representation = ''`;
const csv = table => `file('${data}/${table}.csv', CSVWithNames, '${structures[table]}')`;

let books = csv("books_data"), reviews = csv("Books_rating");
const year = "toInt32OrZero(extract(publishedDate, '^[0-9]{4}'))";
const names = `arrayMap(x -> substring(x, 2, length(x) - 2),
	extractAll(assumeNotNull(authors), '\\'[^\\']*\\'|"[^"]*"'))`;
const shown = `if(isNull(authors), NULL, toJSONString(${names}))`;
const reviewed = measure => `(SELECT Title, ${measure} FROM ${reviews} GROUP BY Title
	HAVING count() >= 500)`;
const nineties = () => `(SELECT Title, authors FROM ${books} WHERE ${year} BETWEEN 1990 AND 1999)`;

const sql = {
	q1: () => `SELECT Title AS title, ${shown} AS authors, publisher
		FROM (SELECT Title, authors, publisher FROM ${books}
			WHERE position(categories, '\\'Computers\\'') > 0 AND ${year} BETWEEN 2000 AND 2023
				AND Title ILIKE '%distributed%') ORDER BY title`,
	q2: () => `SELECT author FROM (SELECT arrayJoin(${names}) AS author, ${year} AS year
			FROM ${books} WHERE authors IS NOT NULL AND year > 0)
		GROUP BY author HAVING uniqExact(intDiv(year, 10)) >= 10 ORDER BY author`,
	q3: () => `SELECT made.Title AS title, ${shown.replaceAll("authors", "made.authors")} AS authors,
			reviews
		FROM ${nineties()} AS made JOIN ${reviewed("count() AS reviews")} AS reviewed
			ON made.Title = reviewed.Title ORDER BY title`,
	q4: () => `SELECT made.Title AS title, average_score
		FROM ${nineties()} AS made
		JOIN ${reviewed("avg(`review/score`) AS average_score")} AS reviewed
			ON made.Title = reviewed.Title ORDER BY average_score DESC, title LIMIT 10`,
};

const session = new Session();

if (variant === "table") {
	session.query("CREATE DATABASE kept");
	session.query(`CREATE TABLE kept.books ENGINE = Memory AS SELECT Title, authors, publisher,
		publishedDate, categories FROM ${books} ${settings}`);
	session.query(`CREATE TABLE kept.reviews ENGINE = Memory AS SELECT Title, \`review/score\`
		FROM ${reviews} ${settings}`);
	books = "kept.books";
	reviews = "kept.reviews";
} else if (variant !== "queries") {
	unknownVariant();
}
for (const query of queries)
	fs.writeFileSync(`${out}/${query}.csv`,
		session.query(`${sql[query]()} ${settings}`, "CSVWithNames"));
session.cleanup();
