// The plan as a picture: a box for each fragment with its steps, the last one on top, and below it, on a
// rail for each exchange, the boxes that feed it. It is made of the text that EXPLAIN prints, whose lines
// are indented by two blanks a level.

import { h } from "./dom.js";

function tree(text) {
	const root = { line: "", depth: -1, below: [] };
	const path = [root];
	for (const written of text.split("\n").slice(1)) {
		if (!written.trim()) continue;
		const node = { line: written.trim(), depth: written.length - written.trimStart().length, below: [] };
		while (path[path.length - 1].depth >= node.depth) path.pop();
		path[path.length - 1].below.push(node);
		path.push(node);
	}
	return root;
}

function step(node) {
	const match = /^(.*?)(\s+\(about [^)]*\))?(; build:|; each round:)?$/.exec(node.line);
	return h("li", {}, match[1], match[2] && h("span", { class: "rows" }, match[2]), match[3]);
}

function flow(node) {
	const way = node.line.replace(/^-- exchange: (.*) --$/, "$1");
	return h("div", { class: "flow" }, h("div", { class: "way" }, way), node.below.map(draw));
}

function draw(node) {
	if (node.line.startsWith("-- exchange")) return flow(node);
	const steps = [];
	const feeds = [];
	for (const child of node.below) {
		if (child.line.startsWith("-- exchange")) feeds.push(flow(child));
		else {
			steps.push(step(child));
			feeds.push(...child.below.map(draw));
		}
	}
	return h("div", {}, h("div", { class: "piece" }, h("h3", {}, node.line.replace(/^\[|\]$/g, "")), h("ol", {}, steps)), feeds);
}

export function picture(text) {
	const [first, ...rest] = tree(text).below;
	return h("div", { class: "plan" }, h("p", {}, first ? first.line : ""), rest.map((node) => (node.line.startsWith("[") ? draw(node) : h("p", {}, node.line))));
}
