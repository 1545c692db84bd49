// The coffee queries on ClickHouse's engine inside the process, chdb. Variants:
//
//   queries  one query after the other, each over the CSV files
//   table    the needed columns and years into tables in memory first, then the queries over those
//   merged   as table, but the items are summed while they are read: q2a and q2b share that

import fs from "node:fs";
import { data, load, out, queries, threads, unknownVariant, variant } from "../peer.mjs";

const { Session } = load("chdb");

const structures = {
	transactions: `transaction_id String, store_id Int64, payment_method_id Int64, voucher_id String,
		user_id Nullable(Float64), original_amount Decimal64(3), discount_applied Decimal64(3),
		final_amount Decimal64(3), created_at DateTime`,
	transaction_items: `transaction_id String, item_id Int64, quantity Int64,
		unit_price Decimal64(3), subtotal Decimal64(3), created_at DateTime`,
	stores: `store_id Int64, store_name String, street String, postal_code String, city String,
		state String, latitude Float64, longitude Float64`,
	menu_items: `item_id Int64, item_name String, category String, price Decimal64(3),
		is_seasonal String, available_from String, available_to String`,
	users: "user_id Int64, gender String, birthdate Date32, registered_at DateTime",
};
const settings = `SETTINGS max_threads = ${threads}, max_insert_threads = ${threads},
	session_timezone = 'UTC'`;

const csv = table => `file('${data}/${table}/*.csv', CSVWithNames, '${structures[table]}')`;
const years = "created_at >= '2024-01-01 00:00:00' AND created_at < '2026-01-01 00:00:00'";
const hours = `toHour(created_at) * 3600 + toMinute(created_at) * 60 + toSecond(created_at)
	BETWEEN 6 * 3600 AND 23 * 3600`;

let transactions = csv("transactions");
const sums = (items, columns) => `(SELECT toStartOfMonth(created_at) AS month, item_id, ${columns}
	FROM ${items} WHERE ${years} GROUP BY month, item_id)`;
let monthly = column => sums(csv("transaction_items"), `sum(${column}) AS ${column}`);

function best(column, name) {
	return `SELECT formatDateTime(month, '%Y-%m') AS year_month_created_at, item_name,
			${column} AS ${name}
		FROM (SELECT * FROM ${monthly(column)} ORDER BY month, ${column} DESC, item_id
			LIMIT 1 BY month) AS top
		JOIN ${csv("menu_items")} AS menu ON menu.item_id = top.item_id
		ORDER BY year_month_created_at`;
}

const sql = {
	q1: () => `SELECT transaction_id, final_amount FROM ${transactions}
		WHERE ${years} AND ${hours} AND final_amount >= 75 ORDER BY transaction_id`,
	q2a: () => best("quantity", "sellings_qty"),
	q2b: () => best("subtotal", "profit_sum"),
	q3: () => `SELECT year_half_created_at, store_name, tpv
		FROM (SELECT concat(toString(toYear(month)), if(toMonth(month) <= 6, '-H1', '-H2'))
				AS year_half_created_at, store_id, sum(amount) AS tpv
			FROM (SELECT toStartOfMonth(created_at) AS month, store_id,
					sum(final_amount) AS amount
				FROM ${transactions} WHERE ${years} AND ${hours} GROUP BY month, store_id)
			GROUP BY year_half_created_at, store_id) AS halves
		JOIN ${csv("stores")} AS stores ON stores.store_id = halves.store_id
		ORDER BY year_half_created_at, store_name`,
	// groupArraySorted: the three least rows of a store without sorting all of them.
	q4: () => `SELECT store_name, birthdate, purchases_qty
		FROM ${csv("users")} AS users
		JOIN (SELECT store_id, place.2 AS member, -place.1 AS purchases_qty
			FROM (SELECT store_id, arrayJoin(groupArraySorted(3)((-toInt64(purchases), member)))
					AS place
				FROM (SELECT store_id, assumeNotNull(toInt64(user_id)) AS member,
						count() AS purchases
					FROM ${transactions} WHERE user_id IS NOT NULL AND ${years}
					GROUP BY store_id, member)
				GROUP BY store_id)) AS top ON top.member = users.user_id
		JOIN ${csv("stores")} AS stores ON stores.store_id = top.store_id
		ORDER BY store_name, purchases_qty DESC, top.member`,
};

const session = new Session();

function materialise() {
	const both = "sum(quantity) AS quantity, sum(subtotal) AS subtotal";
	const items = variant === "merged" ? `SELECT * FROM ${sums(csv("transaction_items"), both)}`
		: `SELECT item_id, quantity, subtotal, created_at FROM ${csv("transaction_items")}
			WHERE ${years}`;

	session.query("CREATE DATABASE kept");
	session.query(`CREATE TABLE kept.transactions ENGINE = Memory AS SELECT transaction_id,
		store_id, user_id, final_amount, created_at FROM ${transactions} WHERE ${years}
		${settings}`);
	session.query(`CREATE TABLE kept.items ENGINE = Memory AS ${items} ${settings}`);
	transactions = "kept.transactions";
	monthly = variant === "merged" ? () => "kept.items"
		: column => sums("kept.items", `sum(${column}) AS ${column}`);
}

if (variant === "table" || variant === "merged")
	materialise();
else if (variant !== "queries")
	unknownVariant();
for (const query of queries) {
	const rows = session.query(`${sql[query]()} ${settings}`, "CSVWithNames");

	fs.writeFileSync(`${out}/${query}.csv`, rows);
}
session.cleanup();
