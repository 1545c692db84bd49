// The page of `tamiz ui` in a real browser. Usage: ui.mjs ADDRESS FOLDER_FOR_PICTURES

import fs from "node:fs";
import path from "node:path";

import { barriers, check, equal, launch, open, run } from "./page.mjs";
import { payloads } from "./payloads.mjs";

const [address, pictures] = process.argv.slice(2);
const browser = await launch();
const CITIES = "SELECT city, count(*) AS shops, sum(sales) AS sales FROM shops GROUP BY city ORDER BY sales DESC NULLS LAST";

/** Opens a page, and looks at its end whether it did anything that it should not. */
async function visit(test, options, hash = "") {
	const { page, trouble } = await open(browser, address, options);
	if (hash) {
		await page.goto(`${new URL(address).origin}/${hash}`);
		await page.reload();
		await page.waitForSelector("html[data-ready]");
	}
	try {
		await test(page);
		equal(trouble, []);
	} finally {
		await page.context().close();
	}
}

async function ask(page, sql) {
	await page.fill("#sql", sql);
	await page.keyboard.press("Control+Enter");
}

const cells = (page) => page.$$eval("table.grid tbody tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

/** Rows that are fetched and shown, from this first one on. */
async function shown(page, first) {
	await page.waitForFunction((wanted) => {
		const row = document.querySelector("table.grid tbody tr");
		return row && [...row.cells].map((cell) => cell.textContent).join("|") === wanted;
	}, first.join("|"));
	return cells(page);
}

async function picture(page, name) {
	if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

await run({
	async asks_and_shows_rows() {
		await visit(async (page) => {
			equal(new URL(page.url()).search, "", "the key is not in the address");
			await ask(page, CITIES);
			const rows = await shown(page, ["1", "Lugo", "3", "90"]);
			equal(rows, [["1", "Lugo", "3", "90"], ["2", "Vigo", "2", "40"], ["3", "Avilés", "1", "NULL"]]);
			check((await page.textContent(".status")).startsWith("3 rows in"));
			await picture(page, "ui-table");
		});
	},

	async millions_of_rows_are_scrolled() {
		await visit(async (page) => {
			await ask(page, "SELECT n, n * 2 AS twice FROM generate_series(1, 2000000) AS g(n)");
			await shown(page, ["1", "1", "2"]);
			const box = page.locator(".scroll");
			await box.evaluate((element) => { element.scrollTop = element.scrollHeight; });
			await page.waitForFunction(() => [...document.querySelectorAll("table.grid tbody tr")].pop()?.textContent === "2,000,00020000004000000");
			const elements = await page.evaluate(() => document.querySelectorAll("table.grid tr").length);
			check(elements < 100, `${elements} rows are elements`);
			await box.focus();
			await page.keyboard.press("Home");
			await shown(page, ["1", "1", "2"]);
			await page.keyboard.press("PageDown");
			await page.waitForFunction(() => document.querySelector("table.grid tbody tr")?.cells[0].textContent !== "1");
			equal(await page.getAttribute("table.grid", "aria-rowcount"), "2000001");
		});
	},

	async sorts_searches_and_downloads() {
		await visit(async (page) => {
			await ask(page, CITIES);
			await shown(page, ["1", "Lugo", "3", "90"]);
			await page.getByRole("button", { name: "city" }).click();
			await shown(page, ["1", "Avilés", "1", "NULL"]);
			equal(await page.getAttribute("table.grid th:nth-child(2)", "aria-sort"), "ascending");
			await page.getByRole("button", { name: "city" }).click();
			await shown(page, ["1", "Vigo", "2", "40"]);
			check(page.url().includes("column=0&order=desc"), page.url());
			await page.fill("#search", "LU");
			await shown(page, ["1", "Lugo", "3", "90"]);
			equal((await cells(page)).length, 1);
			const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download CSV")]);
			equal(download.suggestedFilename(), "result.csv");
			equal(fs.readFileSync(await download.path(), "utf8"), "city,shops,sales\nLugo,3,90\n");
		});
	},

	async the_address_can_be_shared() {
		let shared;
		await visit(async (page) => {
			await ask(page, CITIES);
			await shown(page, ["1", "Lugo", "3", "90"]);
			await page.click("#tab-chart");
			await page.waitForSelector("svg.chart");
			await page.selectOption("#chart-y", { label: "shops" });
			await page.selectOption("#chart-kind", "histogram");
			await page.waitForSelector("svg.chart[aria-label='Histogram: shops']");
			shared = new URL(page.url()).hash;
		});
		await visit(async (page) => {
			await page.waitForSelector("svg.chart[aria-label='Histogram: shops']");
			equal(await page.inputValue("#sql"), CITIES);
		}, {}, shared);
	},

	async charts_fit() {
		await visit(async (page) => {
			const fits = async (sql, label, mark, count) => {
				await ask(page, sql);
				await page.waitForSelector("#tab-chart");
				await page.click("#tab-chart");
				await page.waitForSelector(`svg.chart[aria-label="${label}"]`);
				equal(await page.locator(`svg.chart ${mark}`).count(), count, sql);
			};
			await fits(CITIES, "Bars: sales, city", "rect.mark", 2);
			await picture(page, "ui-chart");
			await fits("SELECT date '2024-01-01' + n AS day, n * n AS square FROM generate_series(1, 50) AS g(n)", "Lines: square, day", "polyline.curve", 1);
			await fits("SELECT n % 10 AS digit FROM generate_series(1, 100) AS g(n)", "Histogram: digit", "rect.mark", 10);
			await ask(page, "SELECT 'no number'");
			await page.waitForSelector("text=There are no numbers to draw.");
		});
	},

	async the_plan_is_a_picture() {
		await visit(async (page) => {
			await ask(page, CITIES);
			await page.click("#tab-plan");
			await page.waitForSelector(".plan .piece");
			equal(await page.locator(".plan .piece").count(), 3);
			check((await page.textContent(".plan .piece >> nth=2")).includes("scan shops"));
			equal(await page.locator(".plan .flow").count(), 2);
			await picture(page, "ui-plan");
			// Of what is only written, too.
			await page.fill("#sql", "SELECT count(*) FROM shops");
			await page.click("text=Plan >> nth=0");
			await page.waitForSelector("text=partial group: count(*)");
		});
	},

	async wrong_sql_is_marked() {
		await visit(async (page) => {
			await ask(page, "SELECT city,\n  'ñ😀' || nonsense\nFROM shops");
			await page.waitForSelector(".failure >> text=column \"nonsense\" does not exist");
			equal(await page.$$eval(".editor .wrong", (marks) => marks.map((mark) => mark.textContent)), ["nonsense"]);
			equal(await page.getAttribute("#sql", "aria-invalid"), "true");
			await page.click("text=Go to line 2");
			equal(await page.$eval("#sql", (field) => field.value.slice(field.selectionStart)), "nonsense\nFROM shops");
			await picture(page, "ui-wrong");
			// The mark goes when something is written.
			await page.keyboard.type("x");
			equal(await page.locator(".editor .wrong").count(), 0);
			await ask(page, "SELECT 1 FROM");
			await page.waitForSelector(".failure >> text=syntax error");
		});
	},

	async words_are_completed() {
		await visit(async (page) => {
			await page.fill("#sql", "");
			await page.focus("#sql");
			await page.keyboard.type("SELECT s.sa");
			await page.keyboard.press("Home");
			await page.keyboard.press("End");
			await page.fill("#sql", "SELECT ci FROM shops s WHERE s.");
			await page.$eval("#sql", (field) => field.setSelectionRange(9, 9));
			await page.keyboard.press("Control+Space");
			await page.waitForSelector("#offers li >> text=city");
			await page.keyboard.press("Enter");
			equal(await page.inputValue("#sql"), "SELECT city FROM shops s WHERE s.");
			await page.$eval("#sql", (field) => field.setSelectionRange(field.value.length, field.value.length));
			await page.keyboard.press("Control+Space");
			await page.waitForSelector("#offers li");
			equal(await page.$$eval("#offers li", (items) => items.map((item) => item.firstChild.textContent)), ["city", "sales", "opened"]);
			await page.keyboard.press("ArrowDown");
			equal(await page.getAttribute("#sql", "aria-activedescendant"), "offer-1");
			await page.keyboard.press("Tab");
			await page.keyboard.type(" > 10");
			equal(await page.inputValue("#sql"), "SELECT city FROM shops s WHERE s.sales > 10");
			await page.fill("#sql", "SELECT * FROM ");
			await page.keyboard.press("Control+Space");
			await page.waitForSelector("#offers li >> text=shops");
			await page.keyboard.press("Escape");
			check(!(await page.isVisible("#offers")));
			// Not inside of a text.
			await page.fill("#sql", "SELECT '");
			await page.keyboard.type("ci");
			check(!(await page.isVisible("#offers")));
		});
	},

	async a_query_is_cancelled() {
		await visit(async (page) => {
			await ask(page, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r");
			await page.waitForSelector("button:text('Cancel'):not([disabled])");
			await page.click("button:text('Cancel')");
			await page.waitForSelector(".status >> text=Cancelled.");
			await ask(page, "SELECT 7 AS seven");
			await shown(page, ["1", "7"]);
		});
	},

	async earlier_queries_come_back() {
		await visit(async (page) => {
			await ask(page, "SELECT 1 AS one");
			await shown(page, ["1", "1"]);
			await ask(page, "SELECT 2 AS two");
			await shown(page, ["1", "2"]);
			await page.reload();
			await page.waitForSelector("html[data-ready]");
			await page.selectOption("select[aria-label='Earlier queries']", { label: "SELECT 1 AS one" });
			equal(await page.inputValue("#sql"), "SELECT 1 AS one");
		});
	},

	async works_by_keyboard_alone() {
		await visit(async (page) => {
			await page.keyboard.press("Tab");
			await page.keyboard.press("Enter");
			check(await page.$eval("#sql", (field) => field === document.activeElement), "the first link leads to the query");
			await page.keyboard.press("Control+A");
			await page.keyboard.type(CITIES);
			await page.keyboard.press("Escape");
			await page.focus("#sql");
			await page.keyboard.press("Control+Enter");
			await shown(page, ["1", "Lugo", "3", "90"]);
			for (let i = 0; i < 30 && !(await page.evaluate(() => document.activeElement.id === "tab-table")); i++) await page.keyboard.press("Tab");
			await page.keyboard.press("ArrowRight");
			await page.waitForSelector("svg.chart");
			await page.keyboard.press("ArrowRight");
			await page.waitForSelector(".plan .piece");
			equal(await page.getAttribute("#tab-plan", "aria-selected"), "true");
		});
	},

	async speaks_spanish() {
		await visit(async (page) => {
			equal(await page.getAttribute("html", "lang"), "es");
			await ask(page, CITIES);
			await page.waitForSelector(".status >> text=3 filas en");
			await page.click("text=Gráfico");
			await page.waitForSelector("svg.chart[aria-label='Barras: sales, city']");
			equal(await barriers(page), []);
			await picture(page, "ui-spanish");
			await page.selectOption("select[aria-label='Idioma']", "en");
			await page.waitForSelector(".status >> text=3 rows in");
			equal(await page.getAttribute("html", "lang"), "en");
		}, { locale: "es-ES" });
	},

	async no_barriers_at_any_size_and_light() {
		for (const width of [1280, 390])
			for (const colorScheme of ["light", "dark"])
				await visit(async (page) => {
					const look = async (what) => {
						equal(await barriers(page), [], `${what}, ${width} ${colorScheme}`);
						const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
						check(wide <= 0, `${what} is ${wide} pixels too wide for ${width}`);
						await picture(page, `ui-${what}-${width}-${colorScheme}`);
					};
					equal(await page.evaluate(() => document.documentElement.classList.contains("dark")), colorScheme === "dark");
					await ask(page, CITIES);
					await shown(page, ["1", "Lugo", "3", "90"]);
					await look("table");
					await page.click("#tab-chart");
					await page.waitForSelector("svg.chart");
					await look("chart");
					await page.click("#tab-plan");
					await page.waitForSelector(".plan .piece");
					await look("plan");
					await page.click("nav.tables summary");
					await page.click("details.help summary");
					await ask(page, "SELECT nonsense FROM shops");
					await page.waitForSelector(".editor .wrong");
					await look("wrong");
				}, { viewport: { width, height: 844 }, colorScheme });
	},

	async what_looks_like_a_script_is_shown_and_never_run() {
		equal(payloads.length, 100);
		await visit(async (page) => {
			await page.waitForSelector("nav.tables summary");
			await page.$$eval("nav.tables details", (all) => all.forEach((one) => { one.open = true; }));
			const names = await page.$$eval("nav.tables button", (all) => all.map((one) => one.textContent));
			for (const payload of payloads) check(names.includes(payload), `no column ${payload}`);
			await ask(page, "SELECT * FROM payloads");
			await page.waitForSelector("table.grid tbody td");
			await page.waitForFunction(() => document.querySelector("table.grid tbody td").textContent !== "\u2026");
			equal(await page.$$eval("table.grid thead button", (all) => all.map((one) => one.textContent)), payloads);
			equal((await cells(page))[0].slice(1), payloads);
			await page.click("#tab-plan");
			await page.waitForSelector(".plan .piece");
			await page.click("#tab-chart");
			await page.waitForSelector("text=There are no numbers to draw.");
			// As labels of a chart.
			await ask(page, `SELECT u, length(u) AS n FROM unnest(ARRAY[${payloads.slice(0, 60).map((one) => `'${one.replaceAll("'", "''")}'`).join(",")}]) AS x(u)`);
			await page.waitForSelector("svg.chart rect.mark");
			// In errors, in what is searched for, in what was asked, in the address.
			for (const payload of payloads.slice(0, 100)) {
				const name = `"${payload.replaceAll('"', '""')}"`;
				await ask(page, `SELECT ${name} FROM shops`);
				await page.waitForFunction((text) => document.querySelector(".failure").textContent.includes(text), payload.slice(0, 20));
			}
			await ask(page, "SELECT 1 AS one");
			await page.waitForSelector("#tab-table");
			await page.click("#tab-table");
			await page.fill("#search", payloads[2]);
			await page.waitForSelector(`.status >> text=Search:`);
			await page.reload();
			await page.waitForSelector("html[data-ready]");
			await page.waitForSelector(".status >> text=Search:");
			equal(await page.evaluate(() => document.querySelectorAll("#app script, #app iframe, #app img, #app [onerror], #app [onload]").length), 0);
		});
	},

	async other_sites_get_nothing() {
		const { page } = await open(browser, address);
		// From a page of nobody's: neither its requests nor a frame get an answer that it can read.
		await page.goto("about:blank");
		const own = new URL(address).origin;
		const got = await page.evaluate(async (where) => {
			const tried = [];
			for (const [path, options] of [["/api/session", {}], ["/api/questions", { method: "POST", body: "SELECT 1", mode: "no-cors" }]])
				tried.push(await fetch(where + path, { credentials: "include", ...options }).then((answer) => answer.type, () => "refused"));
			return tried;
		}, own);
		check(got.every((one) => one === "refused" || one === "opaque"), JSON.stringify(got));
		await page.context().close();
	},

	async it_is_small() {
		const { page } = await open(browser, address);
		const sizes = await page.evaluate(() => performance.getEntriesByType("resource").filter((one) => !one.name.includes("/api/")).map((one) => one.decodedBodySize));
		const paint = await page.evaluate(() => performance.getEntriesByType("paint").find((one) => one.name === "first-contentful-paint")?.startTime);
		const bytes = sizes.reduce((sum, one) => sum + one, 0);
		console.log(`# ${sizes.length} files, ${bytes} bytes, first paint after ${Math.round(paint)} ms`);
		check(sizes.length >= 10 && bytes < 250_000, `${bytes} bytes`);
		await page.context().close();
	},
});
await browser.close();
