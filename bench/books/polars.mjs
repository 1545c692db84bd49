// The books queries on Polars, with the streaming engine. Variants:
//
//   queries  one query after the other, each a lazy scan of the CSV files
//   table    the needed columns of both files into frames first, then the queries on those
//
// The Node package has no extract_all: the few lists that are shown are read in JavaScript, and the
// authors of all books by splitting their lists at commas.

process.env.POLARS_MAX_THREADS = process.env.THREADS ?? "2";

const { data, load, out, queries, unknownVariant, variant } = await import("../peer.mjs");
const pl = load("nodejs-polars");
const { col, lit } = pl;

const text = names => Object.fromEntries(names.split(/\s+/).map(name => [name, pl.String]));
const scan = (table, schema) => pl.scanCSV(`${data}/${table}.csv`,
	{ schema, ignoreErrors: true, truncateRaggedLines: true });
const collect = frame => frame.collectSync({ engine: "streaming" });
const columns = names => names.map(name => col(name));

let books = () => scan("books_data", text(`Title description authors image previewLink publisher
		publishedDate infoLink categories ratingsCount`))
	.select(...columns(["Title", "authors", "publisher", "publishedDate", "categories"]));
let reviews = () => scan("Books_rating", { ...text(`Id Title Price User_id profileName
		review/helpfulness`), "review/score": pl.Float64,
		...text("review/time review/summary review/text") })
	.select(...columns(["Title", "review/score"]));

const year = col("publishedDate").str.extract("^([0-9]{4})", 1).cast(pl.Int64);
const between = (from, to) => year.gtEq(from).and(year.ltEq(to));
const list = value => value === null ? null
	: JSON.stringify([...value.matchAll(/'([^']*)'|"([^"]*)"/g)].map(m => m[1] ?? m[2]));
const shown = frame => pl.DataFrame(frame.toRecords()
	.map(({ authors, ...rest }) => ({ ...rest, authors: list(authors) })));
const reviewed = measure => reviews().groupBy("Title")
	.agg(measure, pl.len().alias("count")).filter(col("count").gtEq(500));
const nineties = () => books().filter(between(1990, 1999))
	.select(col("Title"), col("authors"));

const frames = {
	q1: () => shown(collect(books()
		.filter(col("Title").str.contains("(?i)distributed").and(between(2000, 2023))
			.and(col("categories").str.contains("'Computers'", true)))
		.select(col("Title").alias("title"), col("authors"), col("publisher")).sort("title")))
		.select("title", "authors", "publisher"),
	q2: () => collect(books().filter(year.isNotNull().and(col("authors").isNotNull()))
		.select(year.sub(year.modulo(10)).alias("decade"),
			col("authors").str.replaceAll("^\\[|\\]$", "").str.split(", ").alias("author"))
		.explode("author")
		.select(col("decade"), col("author").str.replaceAll("^['\"]|['\"]$", ""))
		.groupBy("author").agg(col("decade").nUnique())
		.filter(col("decade").gtEq(10)).select(col("author")).sort("author")),
	q3: () => shown(collect(nineties()
		.join(reviewed(pl.len().alias("reviews")), { on: "Title", how: "inner" })
		.select(col("Title").alias("title"), col("authors"), col("reviews")).sort("title")))
		.select("title", "authors", "reviews"),
	q4: () => collect(nineties()
		.join(reviewed(col("review/score").mean().alias("average_score")),
			{ on: "Title", how: "inner" })
		.select(col("Title").alias("title"), col("average_score"))
		.sort([col("average_score"), col("title")], [true, false]).head(10)),
};

if (variant === "table") {
	const keptBooks = collect(books()), keptReviews = collect(reviews());

	books = () => keptBooks.lazy();
	reviews = () => keptReviews.lazy();
} else if (variant !== "queries") {
	unknownVariant();
}
for (const query of queries)
	frames[query]().writeCSV(`${out}/${query}.csv`);
