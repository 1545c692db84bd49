// The page of `tamiz console` in a real browser, over a real cluster. Usage: console.mjs ADDRESS FOLDER_FOR_PICTURES STAGE [WORD]...

import fs from "node:fs";
import path from "node:path";

import { barriers, check, equal, launch, open, run } from "./page.mjs";

const [address, pictures, stage, ...words] = process.argv.slice(2);
const browser = await launch();

/** A tab, which shows something already; nothing may have gone wrong in it when it is closed. */
async function visit(hash, test, options) {
	const { page, trouble } = await open(browser, address, options);
	if (hash) await go(page, hash);
	try {
		await test(page);
		equal(trouble, []);
	} finally {
		await page.context().close();
	}
}

const SHOWN = { cluster: "svg.cluster", jobs: "table.list", ask: "#sql", events: "#level" };

async function go(page, name) {
	await page.click(`nav.pages a[href^='#${name}']`);
	await page.waitForSelector(`nav.pages a[href^='#${name}'][aria-current]`);
	await page.waitForSelector(SHOWN[name]);
}

async function ask(page, sql) {
	await page.fill("#sql", sql);
	await page.keyboard.press("Control+Enter");
}

/** The rows that are seen, when the first one is this. */
async function rows(page, first) {
	await page.waitForFunction((wanted) => {
		const one = document.querySelector("table.grid tbody tr");
		return one && [...one.cells].map((cell) => cell.textContent).join("|") === wanted;
	}, first);
	return page.$$eval("table.grid tbody tr", (all) => all.map((one) => [...one.cells].map((cell) => cell.textContent).join("|")));
}

/** As when somebody drops a file there. */
async function drop(page, name, contents) {
	const files = await page.evaluateHandle(([called, text]) => {
		const transfer = new DataTransfer();
		transfer.items.add(new File([text], called));
		return transfer;
	}, [name, contents]);
	await page.dispatchEvent(".page", "drop", { dataTransfer: files });
}

/** What a tab must be at any width and in any light. */
async function inspect(page, name, { width, colorScheme }) {
	equal(await barriers(page), [], `${name}, ${width} ${colorScheme}`);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
	check(wide <= 0, `${name} is ${wide} pixels too wide for ${width}`);
	await picture(page, `console-${name}-${width}-${colorScheme}`);
}

async function everywhere(test) {
	for (const width of [1280, 390])
		for (const colorScheme of ["light", "dark"]) await test({ width, colorScheme }, { viewport: { width, height: 900 }, colorScheme });
}

/** A row of the list whose texts are these, from the first cell on; "*": any. */
async function row(page, ...wanted) {
	await page.waitForFunction((texts) => [...document.querySelectorAll("table.list tbody tr")].some((one) =>
		texts.every((text, i) => text === "*" || one.cells[i].textContent === text)), wanted);
}

async function picture(page, name) {
	if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

const stages = {
	/** All nodes are there, on every page, in every light and width. WORD: their names. */
	async looks() {
		await everywhere((how, options) => visit("cluster", async (page) => {
			for (const name of words) await row(page, name, "green");
			await page.waitForSelector(`text=${words.length} of ${words.length} nodes are green`);
			const said = await page.getAttribute("svg.cluster", "aria-label");
			for (const name of words) check(said.includes(`${name} green`), said);
			await page.waitForSelector(".times polyline", { state: "attached" });
			for (const name of ["cluster", "jobs", "ask", "events"]) {
				await go(page, name);
				await inspect(page, name, how);
			}
		}, options));
		await visit("cluster", async (page) => {
			equal(await page.getAttribute("html", "lang"), "es");
			await row(page, words[0], "verde");
		}, { locale: "es-ES" });
	},

	/** A node dies, in two tabs. WORD: its name, and the file that says which process it is. */
	async sees_a_death() {
		const [name, place] = words;
		const who = () => Number(fs.readFileSync(place, "utf8").split(" ")[0]);
		const pid = who();
		await visit("cluster", (first) => visit("events", async (second) => {
			await row(first, name, "green", "*", "*", "*", "*", "0");
			process.kill(pid, "SIGKILL");
			// The next one stands still until it was seen.
			while (!who() || who() === pid) await new Promise((resolve) => setTimeout(resolve, 1));
			const next = who();
			process.kill(next, "SIGSTOP");
			await first.waitForSelector("svg.cluster g.bad", { state: "attached" });
			await first.waitForFunction((wanted) => [...document.querySelectorAll("table.list tbody tr")].some((one) =>
				one.cells[0].textContent === wanted && one.querySelector(".state.bad")), name);
			await picture(first, "console-red");
			process.kill(next, "SIGCONT");
			await row(second, "*", `${name} is started again`, "nobody was there");
			await row(first, name, "green", "*", "*", "*", "*", "1");
			await second.selectOption("#level", "important");
			await row(second, "*", `${name} is started again`);
			await second.fill("#of-node", name);
			await row(second, "*", `${name} is started again`);
			await second.fill("#of-node", "gateway-9");
			await second.waitForFunction(() => !document.querySelector("table.list tbody tr"));
			await second.fill("#of-node", "");
			await second.fill("#filter", "nothing is called so");
			await second.waitForFunction(() => !document.querySelector("table.list tbody tr"));
			await picture(first, "console-restarted");
		}));
	},

	/** A file is dropped, and asked about. WORD: the table that the console has already. */
	async asks() {
		await visit("ask", async (page) => {
			await page.waitForSelector(`nav.tables summary >> text=${words[0]}`);
			await drop(page, "shops.csv", "city,sales\nLugo,10\nLugo,9\nVigo,300\n");
			await page.waitForSelector("nav.tables summary >> text=shops");
			// In two pieces and a bit.
			await drop(page, "long.csv", `n\n${"1234567\n".repeat(2_200_000)}`);
			await page.waitForSelector("nav.tables summary >> text=long");
			await ask(page, "SELECT count(*), sum(n) FROM long");
			equal(await rows(page, "1|2200000|2716047400000"), ["1|2200000|2716047400000"]);
			await page.click("button[aria-label='Remove long.csv']");
			await page.waitForFunction(() => !document.querySelector("nav.tables").textContent.includes("long"));
			// What is shown as it was written is sorted as the numbers that it means.
			await ask(page, "SELECT sales, city FROM shops");
			equal(await rows(page, "1|10|Lugo"), ["1|10|Lugo", "2|9|Lugo", "3|300|Vigo"]);
			await page.click("table.grid button >> text=sales");
			equal(await rows(page, "1|9|Lugo"), ["1|9|Lugo", "2|10|Lugo", "3|300|Vigo"]);
			await ask(page, "SELECT city, sum(sales) AS sales FROM shops GROUP BY city");
			await rows(page, "1|Lugo|19");
			const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download CSV")]);
			equal(fs.readFileSync(await download.path(), "utf8"), "city,sales\nLugo,19\nVigo,300\n");
			await page.click("#tab-chart");
			await page.waitForSelector("svg.chart[aria-label='Bars: sales, city']");
			await page.click("#tab-plan");
			await page.waitForSelector(".plan .piece");
			// Its job, and from there its results, at an address for others.
			await page.click(".status a");
			await page.waitForSelector("dl.facts >> text=done");
			await page.waitForSelector("svg.lanes rect");
			equal(await page.$$eval("table.list tbody tr", (all) => all.map((one) => [...one.cells].slice(0, 3).map((cell) => cell.textContent).join("|"))), ["sql||Results", "shops|3|0"]);
			equal(await page.locator("meter").count(), 2);
			check((await page.textContent(".plan")).match(/ms for \d+ packets/), "fragments have their times");
			const [trace] = await Promise.all([page.waitForEvent("download"), page.click("text=The trace as a file")]);
			const kinds = new Set(JSON.parse(fs.readFileSync(await trace.path(), "utf8")).traceEvents.map((event) => event.cat));
			for (const kind of ["chunk", "map", "packet", "fold", "emission", "result"]) check(kinds.has(kind), kind);
			await page.click("table.list a");
			await rows(page, "1|Lugo|19");
			await page.click("#tab-chart");
			await page.waitForSelector("svg.chart");
			const shared = new URL(page.url()).hash;
			check(/^#ask\?job=[0-9a-f]{16}&query=0&tab=chart/.test(shared), shared);
			await ask(page, "SELECT city,\n nonsense FROM shops");
			await page.waitForSelector('.failure >> text=column "nonsense" does not exist');
			equal(await page.$$eval(".editor .wrong", (marks) => marks.map((mark) => mark.textContent)), ["nonsense"]);
			await ask(page, "SELECT * FROM '/etc/passwd'");
			await page.waitForSelector(".failure >> text=reads no other files");
		});
		await everywhere((how, options) => visit("ask", async (page) => {
			await ask(page, "SELECT city, sum(sales) AS sales FROM shops GROUP BY city");
			await rows(page, "1|Lugo|19");
			await inspect(page, "ask-rows", how);
			await page.click("#tab-chart");
			await page.waitForSelector("svg.chart");
			await inspect(page, "ask-chart", how);
			await page.click(".status a");
			await page.waitForSelector("svg.lanes rect");
			await inspect(page, "job", how);
		}, options));
	},

	/** The page of a pack's job. WORD: it, and how many queries it has. */
	async draws() {
		const [job, queries] = words;
		await visit("jobs", async (page) => {
			await page.click(`text=${job}`);
			await page.waitForSelector("svg.lanes rect");
			await page.waitForSelector(".plan h4");
			equal(await page.locator(".plan h4").count(), Number(queries));
			equal(await page.locator("table.list >> nth=0 >> a").count(), Number(queries));
			if (pictures) await page.screenshot({ path: path.join(pictures, "console-pack.png"), clip: { x: 0, y: 0, width: 1280, height: 1080 }, fullPage: true });
			await go(page, "cluster");
			await picture(page, "console-cluster");
		});
	},

	/** A query that waits shows how far it is, and is cancelled. WORD: a table. */
	async waits() {
		await visit("ask", async (page) => {
			await ask(page, `SELECT n, count(*) FROM ${words[0]} GROUP BY n`);
			await page.waitForSelector(".status >> text=/steps|sent/");
			const job = (await page.textContent(".status a")).split(" ")[1];
			check(await page.isVisible("progress"));
			await page.click("button:text('Cancel')");
			await page.waitForSelector(".status >> text=Cancelled.");
			await go(page, "jobs");
			await page.waitForFunction((id) => !document.querySelector("table.list").textContent.includes(id), job);
		});
	},

	/** Who has no token sees nothing. WORD: a user's token, another's, the first one's job. */
	async asks_who() {
		const [eva, ian, job] = words;
		const enter = async (page, token) => {
			await page.fill("#token", token);
			await page.click("button:text('Enter')");
		};
		await visit(null, async (page) => {
			equal(await page.evaluate(() => fetch("api/tables").then((answer) => answer.status)), 401);
			equal(await barriers(page), []);
			await picture(page, "console-login");
			await enter(page, "nonsense");
			await page.waitForSelector(".login .failure >> text=token");
			await enter(page, eva);
			await page.waitForSelector("svg.cluster");
			await go(page, "jobs");
			await row(page, job, "eva", "done");
		});
		await visit(null, async (page) => {
			await enter(page, ian);
			await page.waitForSelector("svg.cluster");
			await go(page, "jobs");
			await page.waitForSelector("text=There are no jobs.");
			await go(page, "ask");
			await page.waitForSelector("nav.tables summary >> text=open");
			await ask(page, "SELECT sum(n) FROM open");
			await rows(page, "1|6");
			await page.goto(`${address}#job?id=${job}`);
			await page.waitForSelector("text=There is no such job");
		});
	},

	/** A job that waits, and is cancelled here. WORD: it. */
	async cancels() {
		await visit("jobs", (page) => visit("events", async (events) => {
			const [job] = words;
			await page.waitForFunction((id) => [...document.querySelectorAll("table.list tbody tr")].some((one) =>
				one.cells[0].textContent === id && /receiving|working/.test(one.cells[2].textContent)), job);
			await page.waitForSelector("table.list progress");
			await page.fill("#filter", job.slice(3, 12));
			await picture(page, "console-job");
			await page.click(`button[aria-label='Cancel job ${job}']`);
			await page.waitForFunction(() => !document.querySelector("table.list tbody tr"));
			await row(events, "*", `Job ${job} is gone`);
			equal(await page.textContent(".failure >> nth=1"), "");
		}));
	},

	/** Jobs with scripts in names of tables and in errors. WORD: the payload, and the jobs, by which one failed. */
	async shows_scripts() {
		const [payload, done, failed] = words;
		await visit("jobs", async (page) => {
			await row(page, done, "*", "done", "*", "*", payload);
			await page.waitForFunction(([id, text]) => [...document.querySelectorAll("table.list tbody tr")].some((one) =>
				one.cells[0].textContent === id && one.cells[2].textContent === "failed" && one.cells[7].textContent.includes(text)), [failed, payload]);
			await page.click("table.list thead button >> text=State");
			await row(page, done, "*", "done");
			await page.click(`text=${failed}`);
			await page.waitForSelector("svg.lanes, .plan");
			check((await page.textContent("#app")).includes(payload), "the error is there");
			await go(page, "jobs");
			equal(await page.evaluate(() => document.querySelectorAll("#app img, #app script, #app [onerror]").length), 0);
			await go(page, "events");
		});
	},
};

await run({ [stage]: stages[stage] });
await browser.close();
