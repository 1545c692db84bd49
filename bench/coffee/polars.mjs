// The coffee queries on Polars, with the streaming engine. Variants:
//
//   queries  one query after the other, each a lazy scan of the CSV files
//   table    the needed columns of both large tables into frames first, then the queries on those
//   merged   the transactions into a frame, and the items summed once for q2a and q2b together: a
//            program written for these five questions, shown but not counted
//
// Timestamps stay text, which sorts as they do: read as datetimes they took ten times the CPU time.
// Money is float64, rounded at the end; its decimals cost the same. The Node package has no
// collect_all, so sharing a scan is done by hand.

process.env.POLARS_MAX_THREADS = process.env.THREADS ?? "2";

const { data, load, out, queries, unknownVariant, variant } = await import("../peer.mjs");
const pl = load("nodejs-polars");
const { col, lit } = pl;

const money = pl.Float64;
const schemas = {
	transactions: {
		transaction_id: pl.String, store_id: pl.Int64, payment_method_id: pl.Int64,
		voucher_id: pl.String, user_id: pl.Float64, original_amount: money,
		discount_applied: money, final_amount: money, created_at: pl.String,
	},
	transaction_items: {
		transaction_id: pl.String, item_id: pl.Int64, quantity: pl.Int64, unit_price: money,
		subtotal: money, created_at: pl.String,
	},
	stores: {
		store_id: pl.Int64, store_name: pl.String, street: pl.String, postal_code: pl.String,
		city: pl.String, state: pl.String, latitude: pl.Float64, longitude: pl.Float64,
	},
	menu_items: {
		item_id: pl.Int64, item_name: pl.String, category: pl.String, price: money,
		is_seasonal: pl.String, available_from: pl.String, available_to: pl.String,
	},
	users: { user_id: pl.Int64, gender: pl.String, birthdate: pl.String, registered_at: pl.String },
};

const scan = table => pl.scanCSV(`${data}/${table}/*.csv`, { schema: schemas[table] });
const collect = frame => frame.collectSync({ engine: "streaming" });
const from = (text, start, size) => col(text).str.slice(start, size);
const names = (table, ...wanted) => scan(table).select(...wanted.map(name => col(name)));

const years = col("created_at").gtEq(lit("2024-01-01"))
	.and(col("created_at").lt(lit("2026-01-01")));
const hours = from("created_at", 11, 8).gtEq(lit("06:00:00"))
	.and(from("created_at", 11, 8).ltEq(lit("23:00:00")));

let transactions = () => scan("transactions").filter(years);
let items = () => scan("transaction_items").filter(years);
let monthly = (...sums) => items()
	.select(from("created_at", 0, 7).alias("month"), col("item_id"), ...sums.map(s => col(s)))
	.groupBy(["month", "item_id"]).agg(...sums.map(s => col(s).sum()));

function best(sum, name) {
	return monthly(sum)
		.sort([col("month"), col(sum), col("item_id")], [false, true, false])
		.groupBy("month", true).head(1)
		.join(names("menu_items", "item_id", "item_name"), { on: "item_id", how: "inner" })
		.sort("month")
		.select(col("month").alias("year_month_created_at"), col("item_name"),
			sum === "subtotal" ? col(sum).round(3).alias(name) : col(sum).alias(name));
}

const frames = {
	q1: () => transactions().filter(hours.and(col("final_amount").gtEq(75)))
		.select(col("transaction_id"), col("final_amount")).sort("transaction_id"),
	q2a: () => best("quantity", "sellings_qty"),
	q2b: () => best("subtotal", "profit_sum"),
	q3: () => transactions().filter(hours)
		.select(from("created_at", 0, 7).alias("month"), col("store_id"), col("final_amount"))
		.groupBy(["month", "store_id"]).agg(col("final_amount").sum())
		.withColumns(pl.concatString([from("month", 0, 4), pl.when(from("month", 5, 2)
			.ltEq(lit("06"))).then(lit("H1")).otherwise(lit("H2"))], "-")
			.alias("year_half_created_at"))
		.groupBy(["year_half_created_at", "store_id"])
		.agg(col("final_amount").sum().round(3).alias("tpv"))
		.join(names("stores", "store_id", "store_name"), { on: "store_id", how: "inner" })
		.select(col("year_half_created_at"), col("store_name"), col("tpv"))
		.sort(["year_half_created_at", "store_name"]),
	// The third greatest count of a store cuts most groups away before anything is sorted.
	q4: () => {
		const purchases = collect(transactions().filter(col("user_id").isNotNull())
			.select(col("store_id"), col("user_id").cast(pl.Int64))
			.groupBy(["store_id", "user_id"]).agg(pl.len().alias("purchases_qty"))).lazy();
		const cut = purchases.groupBy("store_id")
			.agg(col("purchases_qty").sort({ descending: true }).head(3).min().alias("cut"));
		const order = [col("purchases_qty"), col("user_id")];

		return purchases.join(cut, { on: "store_id", how: "inner" })
			.filter(col("purchases_qty").gtEq(col("cut")))
			.sort([col("store_id"), ...order], [false, true, false])
			.groupBy("store_id", true).head(3)
			.join(names("users", "user_id", "birthdate"), { on: "user_id", how: "inner" })
			.join(names("stores", "store_id", "store_name"), { on: "store_id", how: "inner" })
			.sort([col("store_name"), ...order], [false, true, false])
			.select(col("store_name"), col("birthdate"), col("purchases_qty"));
	},
};

if (variant === "table" || variant === "merged") {
	const kept = collect(transactions().select(col("transaction_id"), col("store_id"),
		col("user_id"), col("final_amount"), col("created_at")));

	transactions = () => kept.lazy();
	if (variant === "merged") {
		const sums = collect(monthly("quantity", "subtotal"));

		monthly = () => sums.lazy();
	} else {
		const lines = collect(items().select(col("item_id"), col("quantity"),
			col("subtotal"), col("created_at")));

		items = () => lines.lazy();
	}
} else if (variant !== "queries") {
	unknownVariant();
}
for (const query of queries)
	collect(frames[query]()).writeCSV(`${out}/${query}.csv`);
