// The page of `tamiz console` in a real browser, over a real cluster. Usage: console.mjs ADDRESS FOLDER_FOR_PICTURES STAGE [WORD]...

import path from "node:path";

import { barriers, check, equal, launch, open, run } from "./page.mjs";

const [address, pictures, stage, ...words] = process.argv.slice(2);
const browser = await launch();

/** A tab, which shows something already; nothing may have gone wrong in it when it is closed. */
async function visit(hash, test, options) {
	const { page, trouble } = await open(browser, address, options);
	await go(page, hash);
	try {
		await test(page);
		equal(trouble, []);
	} finally {
		await page.context().close();
	}
}

async function go(page, name) {
	await page.click(`nav.pages a[href='#${name}']`);
	await page.waitForSelector(`nav.pages a[href='#${name}'][aria-current]`);
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
		for (const width of [1280, 390])
			for (const colorScheme of ["light", "dark"])
				await visit("cluster", async (page) => {
					for (const name of words) await row(page, name, "green");
					await page.waitForSelector(`text=${words.length} of ${words.length} nodes are green`);
					const said = await page.getAttribute("svg.cluster", "aria-label");
					for (const name of words) check(said.includes(`${name} green`), said);
					await page.waitForSelector(".times polyline", { state: "attached" });
					for (const name of ["cluster", "jobs", "events"]) {
						await go(page, name);
						equal(await barriers(page), [], `${name}, ${width} ${colorScheme}`);
						const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
						check(wide <= 0, `${name} is ${wide} pixels too wide for ${width}`);
						await picture(page, `console-${name}-${width}-${colorScheme}`);
					}
				}, { viewport: { width, height: 900 }, colorScheme });
		await visit("cluster", async (page) => {
			equal(await page.getAttribute("html", "lang"), "es");
			await row(page, words[0], "verde");
		}, { locale: "es-ES" });
	},

	/** A node dies, in two tabs. WORD: its name, its process. */
	async sees_a_death() {
		const [name, pid] = words;
		await visit("cluster", (first) => visit("events", async (second) => {
			await row(first, name, "green", "*", "*", "*", "*", "0");
			process.kill(Number(pid), "SIGKILL");
			await row(second, "*", `${name} is started again`, "nobody was there");
			await row(first, name, "green", "*", "*", "*", "*", "1");
			await second.selectOption("#level", "important");
			await row(second, "*", `${name} is started again`);
			await second.fill("#filter", "nothing is called so");
			await second.waitForFunction(() => !document.querySelector("table.list tbody tr"));
			await picture(first, "console-restarted");
		}));
	},

	/** A job that waits, and is cancelled here. WORD: it. */
	async cancels() {
		await visit("jobs", (page) => visit("events", async (events) => {
			const [job] = words;
			await page.waitForFunction((id) => [...document.querySelectorAll("table.list tbody tr")].some((one) =>
				one.cells[0].textContent === id && /receiving|working/.test(one.cells[1].textContent)), job);
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
			await row(page, done, "done", "*", "*", payload);
			await page.waitForFunction(([id, text]) => [...document.querySelectorAll("table.list tbody tr")].some((one) =>
				one.cells[0].textContent === id && one.cells[1].textContent === "failed" && one.cells[6].textContent.includes(text)), [failed, payload]);
			await page.click("table.list thead button >> text=State");
			await row(page, done, "done");
			equal(await page.evaluate(() => document.querySelectorAll("#app img, #app script, #app [onerror]").length), 0);
			await go(page, "events");
		});
	},
};

await run({ [stage]: stages[stage] });
await browser.close();
