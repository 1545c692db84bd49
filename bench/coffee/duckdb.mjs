// The coffee queries on DuckDB. Variants:
//
//   queries     one connection, one query after the other, each over the CSV files
//   concurrent  the same, but every query on a connection of its own, all at once
//   table       the needed columns and years into two tables first, then the queries over those
//   merged      as table, but the items are summed while they are read: q2a and q2b share that

import { data, load, out, queries, threads, unknownVariant, variant } from "../peer.mjs";

const { DuckDBInstance } = load("@duckdb/node-api");

const money = "DECIMAL(12,3)";
const columns = {
	transactions: {
		transaction_id: "VARCHAR", store_id: "BIGINT", payment_method_id: "BIGINT",
		voucher_id: "VARCHAR", user_id: "DOUBLE", original_amount: money,
		discount_applied: money, final_amount: money, created_at: "TIMESTAMP",
	},
	transaction_items: {
		transaction_id: "VARCHAR", item_id: "BIGINT", quantity: "BIGINT", unit_price: money,
		subtotal: money, created_at: "TIMESTAMP",
	},
	stores: {
		store_id: "BIGINT", store_name: "VARCHAR", street: "VARCHAR", postal_code: "VARCHAR",
		city: "VARCHAR", state: "VARCHAR", latitude: "DOUBLE", longitude: "DOUBLE",
	},
	menu_items: {
		item_id: "BIGINT", item_name: "VARCHAR", category: "VARCHAR", price: money,
		is_seasonal: "VARCHAR", available_from: "VARCHAR", available_to: "VARCHAR",
	},
	users: { user_id: "BIGINT", gender: "VARCHAR", birthdate: "DATE", registered_at: "TIMESTAMP" },
};

// Not strict where the files are read once: it was a little faster there, and not elsewhere.
const readOnce = variant === "table" || variant === "merged";

function csv(table) {
	const types = Object.entries(columns[table]).map(([name, type]) => `'${name}': '${type}'`);

	return `read_csv('${data}/${table}/*.csv', header = true, auto_detect = false, delim = ',',
		quote = '"', escape = '"', strict_mode = ${!readOnce}, columns = {${types}})`;
}

const years = "created_at >= TIMESTAMP '2024-01-01' AND created_at < TIMESTAMP '2026-01-01'";
const hours = "created_at::TIME BETWEEN TIME '06:00:00' AND TIME '23:00:00'";

let transactions = csv("transactions");
const sums = items => `(SELECT date_trunc('month', created_at) AS month, item_id,
	sum(quantity) AS sellings_qty, sum(subtotal) AS profit_sum
	FROM ${items} WHERE ${years} GROUP BY ALL)`;
let monthly = sums(csv("transaction_items"));

function best(sum) {
	return `SELECT strftime(month, '%Y-%m') AS year_month_created_at, item_name, ${sum}
		FROM (SELECT month, item_id, ${sum} FROM ${monthly} QUALIFY
			row_number() OVER (PARTITION BY month ORDER BY ${sum} DESC, item_id) = 1)
		JOIN ${csv("menu_items")} USING (item_id)
		ORDER BY year_month_created_at`;
}

const sql = {
	q1: () => `SELECT transaction_id, final_amount FROM ${transactions}
		WHERE ${years} AND ${hours} AND final_amount >= 75 ORDER BY transaction_id`,
	q2a: () => best("sellings_qty"),
	q2b: () => best("profit_sum"),
	q3: () => `SELECT year || '-H' || half AS year_half_created_at, store_name, tpv
		FROM (SELECT year(created_at) AS year, CASE WHEN month(created_at) <= 6 THEN 1 ELSE 2 END
				AS half, store_id, sum(final_amount) AS tpv
			FROM ${transactions} WHERE ${years} AND ${hours} GROUP BY ALL)
		JOIN ${csv("stores")} USING (store_id)
		ORDER BY year_half_created_at, store_name`,
	// min(struct, 3): the three least rows of a store; a window over all of them takes as long.
	q4: () => `SELECT store_name, birthdate, -place.minus_qty AS purchases_qty
		FROM (SELECT store_id, unnest(min(struct_pack(minus_qty := -purchases_qty,
				user_id := user_id), 3)) AS place
			FROM (SELECT store_id, user_id::BIGINT AS user_id, count(*) AS purchases_qty
				FROM ${transactions} WHERE user_id IS NOT NULL AND ${years} GROUP BY 1, 2)
			GROUP BY store_id)
		JOIN ${csv("stores")} USING (store_id)
		JOIN ${csv("users")} u ON u.user_id = place.user_id
		ORDER BY store_name, purchases_qty DESC, place.user_id`,
};

const instance = await DuckDBInstance.create(":memory:", { threads });

async function answer(connection, query) {
	await connection.run(`COPY (${sql[query]()}) TO '${out}/${query}.csv' (HEADER)`);
}

async function materialise(connection) {
	const items = variant === "merged" ? `SELECT * FROM ${monthly}`
		: `SELECT item_id, quantity, subtotal, created_at FROM ${csv("transaction_items")}
			WHERE ${years}`;

	await connection.run(`CREATE TEMP TABLE kept AS SELECT transaction_id, store_id, user_id,
		final_amount, created_at FROM ${transactions} WHERE ${years}`);
	await connection.run(`CREATE TEMP TABLE items AS ${items}`);
	transactions = "kept";
	monthly = variant === "merged" ? "items" : sums("items");
}

const first = await instance.connect();
await first.run("SET preserve_insertion_order = false");
if (variant === "concurrent") {
	await Promise.all(queries.map(async query => answer(await instance.connect(), query)));
} else if (variant === "queries" || readOnce) {
	if (readOnce)
		await materialise(first);
	for (const query of queries)
		await answer(first, query);
} else {
	unknownVariant();
}
