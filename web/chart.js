// A picture of the first rows: bars, lines or a histogram, whichever fits unless somebody chose.

import { h, svg } from "./dom.js";
import { count, t } from "./text.js";

export const ROWS_MAX = 2000;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [800, 380, 76, 14, 12, 62];
const BARS_MAX = 60;
const BINS_MAX = 40;

const numbers = (columns) => columns.map((column, index) => ({ ...column, index })).filter((one) => one.shape === "number");

/** {kind, x, y}: what was wished for as far as it can be drawn; null when nothing can. */
export function fit(columns, rows, wish) {
	const able = numbers(columns);
	if (!able.length) return null;
	const has = (index, list) => list.some((one) => one.index === index);
	const labels = columns.map((column, index) => ({ ...column, index }));
	const time = labels.find((one) => one.shape === "time");
	const text = labels.find((one) => one.shape === "text");
	const y = has(wish.y, able) ? wish.y : able[able.length - 1].index;
	let x = time ?? text ?? labels.find((one) => one.index !== y);
	x = has(wish.x, labels) ? wish.x : x ? x.index : y;
	let kind = "histogram";
	if (x !== y && columns[x].shape !== "text" && rows > 2) kind = "lines";
	else if (x !== y) kind = "bars";
	return { kind: ["bars", "lines", "histogram"].includes(wish.chart) ? wish.chart : kind, x, y };
}

function ticks(low, high) {
	const span = high - low || 1;
	let step = 10 ** Math.floor(Math.log10(span / 4));
	for (const factor of [5, 2]) if (span / (step * factor) >= 4) { step *= factor; break; }
	const found = [];
	for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step) found.push(Number(tick.toPrecision(12)));
	return found;
}

const short = (text) => (text.length > 16 ? `${text.slice(0, 15)}\u2026` : text);

class Frame {
	constructor(low, high) {
		[this.low, this.high] = low === high ? [Math.min(0, low), Math.max(high, low + 1)] : [low, high];
		this.parts = [];
		for (const tick of ticks(this.low, this.high)) {
			this.parts.push(
				svg("line", { class: "axis", x1: String(LEFT), x2: String(WIDTH - RIGHT), y1: String(this.y(tick)), y2: String(this.y(tick)) }),
				svg("text", { x: String(LEFT - 8), y: String(this.y(tick) + 4), "text-anchor": "end" }, count(tick)),
			);
		}
	}

	y(value) {
		return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - this.low) / (this.high - this.low));
	}

	label(x, text) {
		const y = HEIGHT - BOTTOM + 14;
		this.parts.push(svg("text", { x: String(x), y: String(y), "text-anchor": "end", transform: `rotate(-30 ${x} ${y})` }, short(text)));
	}

	bar(x, width, value, text) {
		const [from, to] = [this.y(Math.max(this.low, Math.min(this.high, 0))), this.y(value)];
		this.parts.push(
			svg("rect", { class: "mark", x: String(x), width: String(Math.max(1, width)), y: String(Math.min(from, to)), height: String(Math.max(1, Math.abs(from - to))) },
				svg("title", {}, text)),
		);
	}
}

function bars(points) {
	const shown = points.slice(0, BARS_MAX);
	const values = shown.map((point) => point.y);
	const frame = new Frame(Math.min(0, ...values), Math.max(0, ...values));
	const step = (WIDTH - LEFT - RIGHT) / shown.length;
	const every = Math.ceil(shown.length / 20);
	shown.forEach((point, index) => {
		frame.bar(LEFT + index * step + step * 0.1, step * 0.8, point.y, `${point.label}: ${count(point.y)}`);
		if (index % every === 0) frame.label(LEFT + (index + 0.6) * step, point.label);
	});
	return frame.parts;
}

function lines(points) {
	const sorted = [...points].sort((a, b) => a.x - b.x);
	const [low, high] = [sorted[0].x, sorted[sorted.length - 1].x];
	const frame = new Frame(Math.min(...points.map((point) => point.y)), Math.max(...points.map((point) => point.y)));
	const at = (x) => LEFT + ((WIDTH - LEFT - RIGHT) * (x - low)) / (high - low || 1);
	// Several values at one place are no line.
	if (sorted.some((point, index) => index > 0 && point.x === sorted[index - 1].x))
		for (const point of sorted)
			frame.parts.push(svg("circle", { class: "mark", cx: String(at(point.x)), cy: String(frame.y(point.y)), r: "3" },
				svg("title", {}, `${point.label}: ${count(point.y)}`)));
	else frame.parts.push(svg("polyline", { class: "curve", points: sorted.map((point) => `${at(point.x)},${frame.y(point.y)}`).join(" ") }));
	const every = Math.max(1, Math.ceil(sorted.length / 8));
	for (let i = 0; i < sorted.length; i += every) frame.label(at(sorted[i].x) + 4, sorted[i].label);
	return frame.parts;
}

function histogram(values) {
	const [low, high] = [Math.min(...values), Math.max(...values)];
	const bins = Math.max(1, Math.min(BINS_MAX, Math.ceil(Math.sqrt(values.length))));
	const width = (high - low) / bins || 1;
	const counts = new Array(bins).fill(0);
	for (const value of values) counts[Math.min(bins - 1, Math.floor((value - low) / width))]++;
	const frame = new Frame(0, Math.max(...counts));
	const step = (WIDTH - LEFT - RIGHT) / bins;
	const every = Math.ceil(bins / 10);
	counts.forEach((number, index) => {
		const from = Number((low + index * width).toPrecision(6));
		const to = Number((low + (index + 1) * width).toPrecision(6));
		frame.bar(LEFT + index * step + 1, step - 2, number, `${count(from)} \u2013 ${count(to)}: ${count(number)}`);
		if (index % every === 0) frame.label(LEFT + index * step + 8, count(from));
	});
	return frame.parts;
}

function points(columns, rows, { x, y }) {
	const kind = columns[x].shape;
	return rows.flatMap((row, index) => {
		if (row[y] === null || !Number.isFinite(Number(row[y]))) return [];
		let at = index;
		if (kind === "number") at = Number(row[x]);
		else if (kind === "time" && row[x] !== null) at = Date.parse(row[x].replace(" ", "T"));
		return [{ label: row[x] ?? t("null"), x: Number.isFinite(at) ? at : index, y: Number(row[y]) }];
	});
}

export function draw(columns, rows, choice) {
	const found = points(columns, rows, choice);
	if (!found.length) return h("p", {}, t("no_chart"));
	const names = `${t(choice.kind)}: ${columns[choice.y].name}` + (choice.kind === "histogram" ? "" : `, ${columns[choice.x].name}`);
	let parts;
	if (choice.kind === "bars") parts = bars(found);
	else if (choice.kind === "lines") parts = lines(found);
	else parts = histogram(found.map((point) => point.y));
	return svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": names }, parts);
}
