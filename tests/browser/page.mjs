// What the scripts here share: a browser, a page that may ask nobody but its own server, and tests that are told
// as TAP lines.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.BROWSER_PACKAGES, "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// Only what hangs takes so long, on whatever machine.
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 300_000);

export function check(condition, message) {
	if (!condition) throw new Error(message || "not so");
}

export function equal(got, expected, message = "") {
	const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
	check(a === b, `got ${a}, expected ${b} ${message}`);
}

export async function launch() {
	// It sees nothing but our own page; a sandbox needs what containers do not have, and so does much shared memory.
	return chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A page of its own, which has no cookies yet; `trouble` collects what it should not do. */
export async function open(browser, address, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-US", acceptDownloads: true, ...options });
	const page = await context.newPage();
	const own = new URL(address).origin;
	const trouble = [];
	page.setDefaultTimeout(PATIENCE_MS);
	page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
	page.on("dialog", (dialog) => {
		trouble.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("console", (message) => {
		// Answers that say what is wrong with a query are part of the conversation.
		if (message.type() === "error" && !/status of (401|409|422|429)/.test(message.text())) trouble.push(`console: ${message.text()}`);
	});
	page.on("request", (request) => {
		if (new URL(request.url()).origin !== own) trouble.push(`asks ${request.url()}`);
	});
	await page.exposeFunction("hacked", () => trouble.push("hacked"));
	await page.goto(address);
	await page.waitForSelector("html[data-ready]");
	return { page, trouble };
}

/** What axe finds, in words. */
export async function barriers(page) {
	await page.evaluate(axe);
	const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
	return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join("; ")}`);
}

export async function run(tests) {
	for (const [name, test] of Object.entries(tests)) {
		try {
			await test();
			console.log(`ok ${name}`);
		} catch (error) {
			for (const line of String(error.stack).split("\n").slice(0, 12)) console.log(`# ${line}`);
			console.log(`not ok ${name}`);
			process.exitCode = 1;
		}
	}
}
