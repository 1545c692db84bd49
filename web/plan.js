// The plan as a picture: a box for each fragment with its steps, the last one on top, and below it, on a
// rail for each exchange, the boxes that feed it. It is made of the text that EXPLAIN prints, whose lines
// are indented by two blanks a level.

import { h } from "./dom.js";
import { count, t } from "./text.js";

function tree(text) {
	const root = { line: "", depth: -1, below: [] };
	const path = [root];
	for (const written of text.replace(/^query\n/, "").split("\n")) {
		if (!written.trim()) continue;
		const node = { line: written.trim(), depth: written.length - written.trimStart().length, below: [] };
		while (path[path.length - 1].depth >= node.depth) path.pop();
		path[path.length - 1].below.push(node);
		path.push(node);
	}
	return root;
}

const MEASURED = /\s+\(actual rows=(\d+)(?: of (\d+))? time=([\d.]+) ms([^)]*)\)/;

/** What is known of a step or of what flows: rows and time when it was run, otherwise what was guessed. */
function known(line) {
	const measured = MEASURED.exec(line);
	if (!measured) {
		const guessed = /\s+\(about [^)]*\)/.exec(line);
		return { text: guessed ? line.replace(guessed[0], "") : line, said: guessed?.[0] };
	}
	const [all, rows, of, ms, more] = measured;
	const from = of && of !== rows ? ` / ${count(Number(of))}` : "";
	return { text: line.replace(all, ""), said: ` ${t("rows", count(Number(rows)) + from)} \u00b7 ${count(Number(ms))} ms`, more: more.trim() };
}

const figures = ({ said, more }) => said && h("span", { class: "rows", title: more || undefined }, said);

function step(node) {
	const match = /^(.*?)(; build:|; each round:)?$/.exec(node.line);
	const it = known(match[1]);
	return h("li", {}, it.text, figures(it), match[2]);
}

function flow(node, notes) {
	const it = known(node.line);
	const way = it.text.replace(/^-- exchange: (.*) --$/, "$1");
	return h("div", { class: "flow" }, h("div", { class: "way" }, way, figures(it)), node.below.map((one) => draw(one, notes)));
}

function draw(node, notes) {
	if (node.line.startsWith("-- exchange")) return flow(node, notes);
	const steps = [];
	const feeds = [];
	for (const child of node.below) {
		if (child.line.startsWith("-- exchange")) feeds.push(flow(child, notes));
		else {
			steps.push(step(child));
			feeds.push(...child.below.map((one) => draw(one, notes)));
		}
	}
	const name = node.line.replace(/^\[|\]$/g, "");
	const said = notes?.get(Number(/\d+/.exec(name)?.[0]));
	return h("div", {}, h("div", { class: "piece" }, h("h3", {}, name), said && h("p", { class: "rows" }, said), h("ol", {}, steps)), feeds);
}

/** Headings with what is below them. */
function section(node, notes) {
	if (node.line.startsWith("[")) return draw(node, notes);
	if (!node.below.length) return h("p", {}, node.line);
	return h("section", {}, h("h4", {}, node.line), node.below.map((one) => section(one, notes)));
}

/** `notes`: what is known of fragments besides, by their numbers. */
export function picture(text, notes) {
	return h("div", { class: "plan" }, tree(text).below.map((node) => section(node, notes)));
}
