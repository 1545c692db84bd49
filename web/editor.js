// A text field for SQL: the field itself has the text, the caret and the keys; its colours are those of a
// copy that lies behind it.

import { h, replace } from "./dom.js";
import { completions, tokens } from "./sql.js";
import { t } from "./text.js";

const SHOWN_MAX = 50;

export class Editor {
	/** `words()` gives {tables, functions}; `run()` is called by Ctrl+Enter. */
	constructor({ words, run }) {
		this.words = words;
		this.run = run;
		this.wrong = null;
		this.offers = null;
		this.chosen = 0;
		this.copy = h("pre", { "aria-hidden": "true" });
		this.field = h("textarea", {
			id: "sql", spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off", rows: "4",
			"aria-autocomplete": "list", "aria-controls": "offers", "aria-describedby": "failure",
			oninput: () => this.changed(true), onkeydown: (event) => this.key(event), onblur: () => this.close(),
			onclick: () => this.close(),
		});
		this.list = h("ul", { id: "offers", class: "offers", role: "listbox", hidden: true });
		this.said = h("div", { role: "status", class: "skip" });
		this.element = h("div", { class: "editor" }, this.copy, this.field);
		this.around = h("div", { class: "around" }, this.element, this.list, this.said);
		this.label();
		this.draw();
	}

	label() {
		this.field.setAttribute("aria-label", t("query"));
		this.list.setAttribute("aria-label", t("offers"));
	}

	get text() {
		return this.field.value;
	}

	set text(value) {
		this.field.value = value;
		this.changed(false);
	}

	/** Marks a place, {at, end}; null: none. */
	mark(wrong) {
		this.wrong = wrong;
		if (wrong) this.field.setAttribute("aria-invalid", "true");
		else this.field.removeAttribute("aria-invalid");
		this.draw();
	}

	goTo(at) {
		this.field.focus();
		this.field.setSelectionRange(at, at);
	}

	insert(text) {
		const { selectionStart: start, selectionEnd: end, value } = this.field;
		const space = start > 0 && !/[\s(.]$/.test(value.slice(0, start)) ? " " : "";
		this.field.setRangeText(space + text, start, end, "end");
		this.changed(false);
		this.field.focus();
	}

	changed(typed) {
		this.wrong = null;
		this.field.removeAttribute("aria-invalid");
		this.draw();
		if (typed) this.offer(false);
	}

	draw() {
		const pieces = [];
		for (const { kind, text, at } of tokens(this.text)) pieces.push(...this.pieces(kind, text, at));
		if (this.wrong && this.wrong.at >= this.text.length) pieces.push(h("span", { class: "wrong" }, " "));
		// A last line that is empty has no height otherwise.
		replace(this.copy, pieces, document.createTextNode("\n"));
	}

	/** A token, in three when a part of it is wrong. */
	pieces(kind, text, at) {
		const cuts = this.wrong ? [this.wrong.at - at, this.wrong.end - at] : [];
		const places = [0, ...cuts.filter((cut) => cut > 0 && cut < text.length), text.length];
		const found = [];
		for (let i = 0; i + 1 < places.length; i++) {
			const bad = this.wrong && at + places[i] >= this.wrong.at && at + places[i] < this.wrong.end;
			const name = `${kind}${bad ? " wrong" : ""}`;
			found.push(h("span", { class: name }, text.slice(places[i], places[i + 1])));
		}
		return found;
	}

	key(event) {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			this.close();
			this.run();
		} else if (event.key === " " && event.ctrlKey) {
			event.preventDefault();
			this.offer(true);
		} else if (this.offers) {
			this.keyInList(event);
		} else if (event.key === "Escape") {
			this.field.blur();
		}
	}

	keyInList(event) {
		const last = this.offers.items.length - 1;
		const moves = { ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1, PageDown: this.chosen + 8, PageUp: this.chosen - 8 };
		if (event.key in moves) this.choose(Math.max(0, Math.min(last, moves[event.key])));
		else if (event.key === "Enter" || event.key === "Tab") this.accept(this.chosen);
		else if (event.key === "Escape") this.close();
		else {
			if (event.key.startsWith("Arrow")) this.close();
			return;
		}
		event.preventDefault();
	}

	offer(asked) {
		const at = this.field.selectionStart;
		const { tables, functions } = this.words();
		const offers = completions(this.text, at, tables, functions);
		const word = this.text.slice(offers.from, at);
		offers.items = offers.items.filter((item) => item.text !== word).slice(0, SHOWN_MAX);
		const inside = tokens(this.text).find((one) => at > one.at && at <= one.at + one.text.length);
		const quiet = inside && ["literal", "comment", "number"].includes(inside.kind);
		if (!offers.items.length || (!asked && (quiet || (!word && this.text[at - 1] !== ".")))) {
			this.close();
			return;
		}
		this.offers = offers;
		replace(
			this.list,
			offers.items.map((item, index) =>
				h("li", { id: `offer-${index}`, role: "option", onmousedown: (event) => {
					event.preventDefault();
					this.accept(index);
				} }, item.text, h("span", { class: "kind" }, item.kind)),
			),
		);
		this.list.hidden = false;
		this.put(offers.from);
		this.choose(0);
		this.said.textContent = t("offered", offers.items.length);
	}

	/** The list below the word. */
	put(from) {
		const range = document.createRange();
		let left = from;
		for (const node of this.copy.childNodes) {
			const size = node.textContent.length;
			if (left <= size) {
				range.setStart(node.firstChild || node, left);
				break;
			}
			left -= size;
		}
		const place = range.getBoundingClientRect();
		const box = this.around.getBoundingClientRect();
		const width = Math.min(window.innerWidth * 0.9, 420);
		this.list.style.left = `${Math.max(0, Math.min(place.left - box.left, box.width - Math.min(width, box.width)))}px`;
		this.list.style.top = `${place.bottom - box.top + 2}px`;
	}

	choose(index) {
		this.chosen = index;
		for (const [i, item] of [...this.list.children].entries()) {
			item.setAttribute("aria-selected", String(i === index));
			if (i === index) item.scrollIntoView({ block: "nearest" });
		}
		this.field.setAttribute("aria-activedescendant", `offer-${index}`);
	}

	accept(index) {
		const { from, items } = this.offers;
		this.field.setRangeText(items[index].text, from, this.field.selectionStart, "end");
		this.close();
		this.changed(false);
	}

	close() {
		this.offers = null;
		this.list.hidden = true;
		this.field.removeAttribute("aria-activedescendant");
		this.said.textContent = "";
	}
}
