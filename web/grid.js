// Rows of a result, of which only those that are seen are elements and only those near them are fetched.
// The table sticks to the top of a box that is as tall as all rows would be, as far as browsers can have
// such boxes: beyond that a step of the bar is more than a row.

import * as api from "./api.js";
import { h, replace } from "./dom.js";
import { count, t } from "./text.js";

const ROW = 28;
const TALL_MAX = 8_000_000;
const PAGE = 200;

export class Grid {
	/** `sort(column)` is called by the head of a column. */
	constructor({ sort }) {
		this.sort = sort;
		this.body = h("tbody", {});
		this.head = h("thead", {});
		this.table = h("table", { class: "grid" }, this.head, this.body);
		this.tall = h("div", { class: "tall" }, this.table);
		this.element = h("div", { class: "scroll", tabindex: "0", role: "region", onscroll: () => this.draw() }, this.tall);
		new ResizeObserver(() => this.draw()).observe(this.element);
	}

	/** A result that is done; `order` is {column, order}. */
	show(result, order) {
		this.result = result;
		this.pages = new Map();
		this.element.setAttribute("aria-label", t("result_of"));
		this.table.setAttribute("aria-rowcount", String(result.rows + 1));
		replace(this.head, this.heads(order));
		const height = Math.min(TALL_MAX, (result.rows + 1) * ROW) + ROW;
		this.tall.style.height = `${Math.max(height, 3 * ROW)}px`;
		this.element.scrollTop = 0;
		this.draw();
	}

	heads(order) {
		const arrows = { asc: " \u25b2", desc: " \u25bc" };
		return h("tr", { "aria-rowindex": "1" },
			h("th", { scope: "col" }, "#"),
			this.result.columns.map((column, index) => {
				const sorted = order && order.column === index ? order.order : null;
				return h("th", { scope: "col", "aria-sort": sorted && (sorted === "asc" ? "ascending" : "descending"), title: column.type },
					h("button", { type: "button", onclick: () => this.sort(index) }, column.name + (arrows[sorted] || "")));
			}));
	}

	get shown() {
		return Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
	}

	first() {
		const { scrollTop, scrollHeight, clientHeight } = this.element;
		const most = Math.max(0, this.result.rows - this.shown);
		if (!most) return 0;
		if ((this.result.rows + 1) * ROW <= TALL_MAX) return Math.min(most, Math.round(scrollTop / ROW));
		return Math.round((scrollTop / Math.max(1, scrollHeight - clientHeight)) * most);
	}

	draw() {
		if (!this.result || !this.element.isConnected) return;
		const first = this.first();
		const last = Math.min(this.result.rows, first + this.shown);
		const rows = [];
		for (let number = first; number < last; number++) rows.push(this.row(number));
		replace(this.body, rows);
	}

	row(number) {
		const values = this.value(number);
		return h("tr", { "aria-rowindex": String(number + 2) },
			h("th", { scope: "row" }, count(number + 1)),
			this.result.columns.map((column, index) => {
				const value = values ? values[index] : "\u2026";
				if (value === null) return h("td", { class: "null" }, t("null"));
				return h("td", { class: column.shape === "number" ? "num" : "" }, value);
			}));
	}

	/** The row's values; undefined while they are fetched. */
	value(number) {
		const page = Math.floor(number / PAGE);
		const known = this.pages.get(page);
		if (Array.isArray(known)) return known[number % PAGE];
		if (!known) this.fetch(page);
		return undefined;
	}

	fetch(page) {
		const { pages, result } = this;
		pages.set(page, true);
		api.rows(result.id, page * PAGE, PAGE).then(
			(rows) => {
				pages.set(page, rows);
				if (pages === this.pages) this.draw();
			},
			() => pages.delete(page),
		);
	}
}
