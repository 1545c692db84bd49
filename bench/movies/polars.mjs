// The movies queries on Polars, with the streaming engine. Variants:
//
//   queries  one query after the other, each a lazy scan of the CSV files
//   table    the needed columns of the movies into a frame first: four queries read them
//
// Dates stay text, which sorts as they do. The Node package has no extract_all: lists are split at
// their keys, and the names taken from the pieces.

process.env.POLARS_MAX_THREADS = process.env.THREADS ?? "2";

const { data, load, out, queries, unknownVariant, variant } = await import("../peer.mjs");
const pl = load("nodejs-polars");
const { col, lit } = pl;

const text = Object.fromEntries(`adult belongs_to_collection budget genres homepage id imdb_id
	original_language original_title overview popularity poster_path production_companies
	production_countries release_date revenue runtime spoken_languages status tagline title video
	vote_average vote_count`.split(/\s+/).map(name => [name, pl.String]));
const scan = (table, schema) => pl.scanCSV(`${data}/${table}.csv`,
	{ schema, ignoreErrors: true, truncateRaggedLines: true });
const collect = frame => frame.collectSync({ engine: "streaming" });

const wanted = ["id", "title", "release_date", "production_countries", "genres", "budget"];
let movies = () => scan("movies_metadata", { ...text, id: pl.Int64, budget: pl.Int64 })
	.select(...wanted.map(name => col(name)));
const ratings = () => scan("ratings", { userId: pl.Int64, movieId: pl.Int64, rating: pl.Float64,
	timestamp: pl.Int64 });
const credits = () => scan("credits", { cast: pl.String, crew: pl.String, id: pl.Int64 });

const made = country => col("production_countries").str.contains(`'${country}'`, true);
const argentine = () => movies()
	.filter(made("Argentina").and(col("release_date").gtEq(lit("2000-01-01"))));
const namesOf = list => [...list.matchAll(/'name': ['"](.*?)['"]}/g)].map(match => match[1]);

const frames = {
	q1: () => {
		const found = collect(movies()
			.filter(col("release_date").gtEq(lit("2000-01-01"))
				.and(col("release_date").lt(lit("2010-01-01")))
				.and(made("Argentina")).and(made("Spain")))
			.select(col("title"), col("genres"))).toRecords();
		const rows = new Map(found.map(({ title, genres }) => {
			const row = { title, genres: JSON.stringify(namesOf(genres)) };

			return [JSON.stringify(row), row];
		}));

		return pl.DataFrame([...rows.values()]);
	},
	q2: () => collect(movies()
		.select(col("budget"), col("production_countries").str.split("'name': ").alias("parts"))
		.filter(col("parts").lst.lengths().eq(lit(2)))
		.select(col("budget"), col("parts").lst.get(1).str.extract("^['\"](.*?)['\"]}", 1)
			.alias("country"))
		.groupBy("country").agg(col("budget").sum().alias("invested"))
		.sort([col("invested"), col("country")], [true, false]).head(5)
		.select(col("country"), col("invested"))),
	q3: () => {
		const titles = argentine().groupBy("id").agg(col("title").min());
		const means = collect(ratings()
			.join(titles, { leftOn: "movieId", rightOn: "id", how: "inner" })
			.groupBy(["movieId", "title"]).agg(col("rating").mean().alias("average_rating")));
		const place = (name, descending) => means
			.sort([col("average_rating"), col("movieId")], [descending, false]).head(1)
			.select(lit(name).alias("extreme"), col("title"), col("average_rating"));

		return pl.concat([place("best", true), place("worst", false)]);
	},
	q4: () => collect(credits().select(col("cast"), col("id"))
		.join(argentine().select(col("id")).unique(), { on: "id", how: "inner" })
		.select(col("id"), col("cast").str.split("'name': ").alias("parts"))
		.explode("parts")
		.select(col("id"), col("parts").str.extract("^['\"](.*?)['\"], 'order'", 1).alias("actor"))
		.filter(col("actor").isNotNull())
		.groupBy("actor").agg(col("id").nUnique().alias("movies"))
		.sort([col("movies"), col("actor")], [true, false]).head(10)
		.select(col("actor"), col("movies"))),
};

if (variant === "table") {
	const kept = collect(movies());

	movies = () => kept.lazy();
} else if (variant !== "queries") {
	unknownVariant();
}
for (const query of queries)
	frames[query]().writeCSV(`${out}/${query}.csv`);
