// A query and its rows as a table, a chart and a plan; files that are dropped become tables. What was asked and how it
// is looked at stands in the address, behind the # and a prefix.

import * as api from "./api.js";
import * as chart from "./chart.js";
import { h, replace } from "./dom.js";
import { Editor } from "./editor.js";
import { Grid } from "./grid.js";
import { picture } from "./plan.js";
import { place, quoted } from "./sql.js";
import * as text from "./text.js";
import { keep, kept } from "./theme.js";

const { t } = text;
const HISTORY_MAX = 50;
const SEARCH_MS = 300;
// As the client's chunks.
const PIECE_BYTES = 8 << 20;
const KEPT_IN_ADDRESS = ["job", "query", "tab", "chart", "x", "y", "column", "order", "search"];

export class Ask {
	/** `prefix` is what its addresses begin with; `jobAddress(id)` leads to a job of the cluster, if there is one. */
	constructor({ prefix, jobAddress }) {
		this.prefix = prefix;
		this.jobAddress = jobAddress;
		this.tables = [];
		this.files = [];
		this.functions = [];
		this.base = null; // the question, and what is shown of it
		this.view = null;
		this.wish = { tab: "table" };
		this.asked = 0;
		this.editor = new Editor({ words: () => this, run: () => this.run() });
		this.grid = new Grid({ sort: (column) => this.sort(column) });
	}

	/** Once it is built. */
	async start(session) {
		this.functions = session.functions;
		await this.reload();
		this.readAddress();
		window.addEventListener("hashchange", () => this.readAddress());
	}

	async reload() {
		try {
			({ tables: this.tables, files: this.files } = await api.tables());
		} catch (error) {
			this.fail(error);
		}
		this.listTables();
	}

	/* --- the frame ------------------------------------------------------------------------------ */

	build() {
		this.editor.label();
		this.tableList = h("ul", {});
		this.fileList = h("ul", {});
		this.chooser = h("input", { type: "file", id: "files", multiple: true, class: "skip", tabindex: "-1", "aria-label": t("add_files"), onchange: () => this.send(this.chooser.files) });
		this.runButton = h("button", { type: "button", class: "main", onclick: () => this.run() }, t("run"));
		this.cancelButton = h("button", { type: "button", disabled: true, onclick: () => this.cancel() }, t("cancel"));
		this.progress = h("progress", { "aria-label": t("running"), hidden: true });
		this.status = h("div", { class: "status", role: "status" });
		this.failure = h("div", { class: "failure", id: "failure", role: "alert" });
		this.results = h("section", { "aria-label": t("results"), hidden: true });
		this.older = h("select", { "aria-label": t("history"), onchange: () => this.pickOlder() });
		this.element = h("div", { class: "page" },
			h("nav", { class: "tables", "aria-label": t("tables") }, h("h2", {}, t("tables")), this.tableList,
				h("button", { type: "button", id: "add", onclick: () => this.chooser.click() }, t("add_files")), this.chooser,
				h("p", { class: "hint" }, t("drop_here")), this.fileList),
			h("main", {},
				this.editor.around,
				h("div", { class: "bar" }, this.runButton, this.cancelButton,
					h("button", { type: "button", onclick: () => this.explain() }, t("show_plan")), this.older, this.progress),
				this.failure, this.status, this.results, this.help()));
		this.element.addEventListener("dragover", (event) => {
			event.preventDefault();
			this.element.classList.add("over");
		});
		this.element.addEventListener("dragleave", () => this.element.classList.remove("over"));
		this.element.addEventListener("drop", (event) => {
			event.preventDefault();
			this.element.classList.remove("over");
			this.send(event.dataTransfer.files);
		});
		this.listOlder();
		this.listTables();
		return this.element;
	}

	focus() {
		this.editor.field.focus();
	}

	help() {
		const keys = [["Ctrl+Enter", "help_run"], ["Ctrl+Space", "help_complete"], ["Esc", "help_leave"], ["\u2191 \u2193 PgUp PgDn", "help_grid"]];
		return h("details", { class: "help" }, h("summary", {}, t("help")),
			h("ul", {}, keys.map(([key, word]) => h("li", {}, h("kbd", {}, key), ` ${t(word)}`))));
	}

	/** Everything is made anew, with what it shows. */
	rebuild() {
		const element = this.build();
		// The address may be another one already, which is read next.
		this.rebuilt = true;
		if (this.view) this.showResult();
		this.rebuilt = false;
		if (this.failed) this.fail(...this.failed);
		return element;
	}

	listTables() {
		replace(this.fileList, this.files.map((name) =>
			h("li", {}, h("span", { class: "file" }, name),
				h("button", { type: "button", class: "plain", "aria-label": t("remove_file", name), onclick: () => this.remove(name) }, "\u00d7"))));
		if (!this.tables.length) {
			replace(this.tableList, h("li", {}, t("no_tables")));
			return;
		}
		replace(this.tableList, this.tables.map((table) =>
			h("li", {}, h("details", { open: this.tables.length === 1 },
				h("summary", {}, table.name, h("span", { class: "type" }, text.bytes(table.bytes))),
				h("button", { type: "button", class: "plain", onclick: () => this.editor.insert(quoted(table.name)) }, t("insert", table.name)),
				table.problem && h("p", { class: "failure" }, `${t("problem")}: ${table.problem}`),
				h("ul", {}, table.columns.map((column) =>
					h("li", {}, h("button", { type: "button", class: "plain", onclick: () => this.editor.insert(quoted(column.name)) }, column.name),
						h("span", { class: "type" }, column.type))))))));
	}

	/* --- files that are dropped ----------------------------------------------------------------- */

	/** One after the other, each in pieces. */
	async send(files) {
		const list = [...files];
		this.clear();
		this.progress.hidden = false;
		try {
			for (const file of list) await this.sendOne(file);
			this.status.textContent = "";
		} catch (error) {
			this.status.textContent = "";
			this.fail(error);
		}
		this.progress.hidden = true;
		this.chooser.value = "";
		await this.reload();
		const last = list.length && this.tables.find((table) => list[0].name.toLowerCase().startsWith(table.name.toLowerCase()));
		if (last && !this.editor.text.trim()) this.editor.text = `SELECT * FROM ${quoted(last.name)} LIMIT 100`;
	}

	async sendOne(file) {
		let at = 0;
		do {
			const piece = file.slice(at, at + PIECE_BYTES);
			this.status.textContent = `${file.name}: ${t("of_bytes_sent", text.bytes(at), text.bytes(file.size))}`;
			this.progress.max = Math.max(1, file.size);
			this.progress.value = at;
			await api.sendPiece(file.name, at, piece);
			at += piece.size;
		} while (at < file.size);
	}

	async remove(name) {
		try {
			await api.removeFile(name);
		} catch (error) {
			this.fail(error);
		}
		await this.reload();
	}

	/* --- the address ---------------------------------------------------------------------------- */

	readAddress() {
		if (location.hash ? !location.hash.startsWith(this.prefix) : this.prefix !== "#") return;
		const address = new URLSearchParams(location.hash.slice(this.prefix.length));
		if (this.written === location.hash) return;
		const number = (name) => (/^\d+$/.test(address.get(name) ?? "") ? Number(address.get(name)) : undefined);
		this.wish = {
			tab: address.get("tab") ?? "table", chart: address.get("chart"), x: number("x"), y: number("y"),
			column: number("column"), order: address.get("order") === "desc" ? "desc" : "asc", search: address.get("search") ?? "",
			job: address.get("job"), query: number("query"),
		};
		if (address.get("job")) {
			this.run(true);
		} else if (address.get("sql") !== null) {
			this.editor.text = address.get("sql");
			this.run(true);
		} else if (!this.editor.text && this.tables.length) {
			this.editor.text = `SELECT * FROM ${quoted(this.tables[0].name)} LIMIT 100`;
		}
	}

	writeAddress() {
		if (this.rebuilt) return;
		const address = new URLSearchParams(this.wish.job ? {} : { sql: this.sql });
		for (const name of KEPT_IN_ADDRESS) {
			const value = this.wish[name];
			if (value !== undefined && value !== null && value !== "" && (name !== "order" || this.wish.column !== undefined)) address.set(name, value);
		}
		this.written = this.prefix + address;
		history.replaceState(null, "", this.written);
	}

	/* --- asking --------------------------------------------------------------------------------- */

	fail(error, sql) {
		this.failed = [error, sql];
		const message = error.message === "offline" ? t("offline") : error.message;
		const wrong = sql === undefined ? null : place(sql, message);
		this.editor.mark(wrong);
		replace(this.failure, message, wrong && " ",
			wrong && h("button", { type: "button", onclick: () => this.editor.goTo(wrong.at) }, t("go", wrong.line, wrong.column)));
	}

	clear() {
		this.failed = null;
		this.editor.mark(null);
		replace(this.failure);
		this.status.textContent = "";
	}

	/** The state when it is over; null when something else was asked meanwhile. */
	async follow(id, turn) {
		for (;;) {
			const state = await api.state(id);
			if (turn !== this.asked) return null;
			if (state.state !== "running") return state;
			this.showProgress(state);
		}
	}

	showProgress(state) {
		const { stage, done, total } = state;
		let said = t("running");
		if (total && stage === "working") said += `: ${t("of_steps", text.count(done), text.count(total))}`;
		else if (total) said += `: ${t(state.job ? "of_bytes_sent" : "of_bytes", text.bytes(done), text.bytes(total))}`;
		replace(this.status, said, state.job && " \u00b7 ", this.jobLink(state));
		this.progress.max = Math.max(1, total);
		this.progress.value = done;
	}

	jobLink(state) {
		return state.job && this.jobAddress && h("a", { href: this.jobAddress(state.job) }, t("job_of", state.job));
	}

	/** Whatever `begin` starts; false when it has no rows. */
	async work(begin, sql) {
		const turn = ++this.asked;
		this.clear();
		this.status.textContent = t("running");
		this.cancelButton.disabled = this.progress.hidden = false;
		this.progress.removeAttribute("value");
		try {
			this.runs = await begin();
			const state = await this.follow(this.runs, turn);
			if (!state) return false;
			if (state.state === "done") {
				this.view = state;
				return true;
			}
			this.status.textContent = state.state === "cancelled" ? t("cancelled") : "";
			if (state.state === "failed") this.fail(new Error(state.error), sql);
		} catch (error) {
			this.status.textContent = "";
			this.fail(error, sql);
		} finally {
			if (turn === this.asked) {
				this.cancelButton.disabled = this.progress.hidden = true;
				this.runs = null;
			}
		}
		return false;
	}

	async run(asInAddress) {
		const sql = this.editor.text;
		if (!asInAddress) this.wish = { tab: this.wish.tab === "plan" ? "table" : this.wish.tab };
		const { job, query } = this.wish;
		if (!job && !sql.trim()) return;
		this.sql = sql;
		this.planText = null;
		this.view = this.base = null;
		this.results.hidden = true;
		this.writeAddress();
		if (!job) this.remember(sql);
		if (!(await this.work(() => (job ? api.jobResults(job, query ?? 0) : api.begin(sql)), job ? undefined : sql))) return;
		this.base = this.view;
		if (this.wish.column !== undefined || this.wish.search) await this.look();
		else this.showResult();
	}

	async cancel() {
		if (!this.runs) return;
		try {
			await api.cancel(this.runs);
		} catch (error) {
			this.fail(error);
		}
	}

	/** The rows, sorted and searched. */
	async look() {
		const { column, order, search } = this.wish;
		this.writeAddress();
		if (column === undefined && !search) this.view = this.base;
		else if (!(await this.work(() => api.view(this.base.id, { column, order, search })))) return;
		this.showResult();
	}

	sort(column) {
		const again = this.wish.column === column;
		if (again && this.wish.order === "desc") this.wish.column = undefined;
		else this.wish.column = column;
		this.wish.order = again && this.wish.order !== "desc" ? "desc" : "asc";
		this.look().then(() => {
			const button = this.grid.head.querySelectorAll("button")[column];
			if (button) button.focus();
		});
	}

	/* --- what was asked before ------------------------------------------------------------------ */

	get history() {
		try {
			const list = JSON.parse(kept("tamiz-history") ?? "[]");
			return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
		} catch {
			return [];
		}
	}

	remember(sql) {
		keep("tamiz-history", JSON.stringify([sql, ...this.history.filter((one) => one !== sql)].slice(0, HISTORY_MAX)));
		this.listOlder();
	}

	listOlder() {
		replace(this.older, h("option", { value: "" }, t("history")),
			this.history.map((sql, index) => h("option", { value: String(index) }, sql.replace(/\s+/g, " ").slice(0, 80))));
	}

	pickOlder() {
		const sql = this.history[Number(this.older.value)];
		if (this.older.value !== "" && sql !== undefined) this.editor.text = sql;
		this.older.value = "";
		this.editor.field.focus();
	}

	/* --- results -------------------------------------------------------------------------------- */

	describe() {
		const { base, view } = this;
		const parts = [t("in_ms", text.rows(view.rows), text.count(view.ms))];
		if (base.truncated) parts.push(t("truncated", text.rows(base.rows)));
		if (base.rows_rejected) parts.push(t("rejected", text.count(base.rows_rejected), text.count(base.rows_read)));
		if (this.wish.search) parts.push(t("same", this.wish.search));
		replace(this.status, parts.join(" \u00b7 "), base.job && " \u00b7 ", this.jobLink(base));
	}

	showResult() {
		this.results.hidden = false;
		const tabs = this.wish.job ? ["table", "chart"] : ["table", "chart", "plan"];
		if (!tabs.includes(this.wish.tab)) this.wish.tab = "table";
		this.panel = h("div", { class: "panel", role: "tabpanel", id: "panel", "aria-labelledby": `tab-${this.wish.tab}` });
		this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": t("results"), onkeydown: (event) => this.tabKey(event, tabs) },
			tabs.map((name) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel",
				"aria-selected": String(name === this.wish.tab), tabindex: name === this.wish.tab ? "0" : "-1",
				onclick: () => this.open(name) }, t(name))));
		replace(this.results, this.base.notes.length && h("ul", { class: "notes" }, this.base.notes.map((note) => h("li", {}, note))), this.tabs, this.panel);
		this.describe();
		this.fillPanel();
		this.writeAddress();
	}

	tabKey(event, names) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step) return;
		event.preventDefault();
		this.open(names[(names.indexOf(this.wish.tab) + step + names.length) % names.length]);
	}

	open(name) {
		this.wish.tab = name;
		this.showResult();
		document.getElementById(`tab-${name}`).focus();
	}

	fillPanel() {
		if (this.wish.tab === "table") this.fillTable();
		else if (this.wish.tab === "chart") this.fillChart();
		else this.fillPlan();
	}

	fillTable() {
		const search = h("input", { type: "search", id: "search", value: this.wish.search ?? "", maxlength: "300" });
		search.addEventListener("input", () => {
			clearTimeout(this.searching);
			this.searching = setTimeout(() => this.searchFor(search.value), SEARCH_MS);
		});
		replace(this.panel,
			h("div", { class: "bar" }, h("label", {}, t("search"), search), h("span", { class: "grow" }),
				h("a", { href: api.file(this.view.id, "csv"), download: "result.csv" }, t("csv")),
				h("a", { href: api.file(this.view.id, "json"), download: "result.json" }, t("json"))),
			this.grid.element);
		this.grid.show(this.view, this.wish.column === undefined ? null : this.wish);
	}

	async searchFor(words) {
		this.wish.search = words;
		await this.look();
		const search = document.getElementById("search");
		if (search) {
			search.focus();
			search.setSelectionRange(words.length, words.length);
		}
	}

	async fillChart() {
		const { panel, view } = this;
		const rows = [];
		try {
			while (rows.length < Math.min(view.rows, chart.ROWS_MAX)) {
				const more = await api.rows(view.id, rows.length, 1000);
				if (!more.length) break;
				rows.push(...more);
			}
		} catch (error) {
			this.fail(error);
			return;
		}
		if (panel !== this.panel) return;
		const choice = chart.fit(view.columns, rows.length, this.wish);
		if (!choice) {
			replace(panel, h("p", {}, t("no_chart")));
			return;
		}
		replace(panel, this.chartBar(choice), view.rows > rows.length && h("p", { class: "status" }, t("first_rows", text.count(rows.length))),
			chart.draw(view.columns, rows, choice));
	}

	chartBar(choice) {
		const { columns } = this.view;
		const pick = (name, word, options) =>
			h("label", {}, t(word), h("select", { id: `chart-${name}`, onchange: (event) => this.redraw(name, event.target.value) },
				options.map(([value, shown]) => h("option", { value: String(value), selected: String(choice[name]) === String(value) }, shown))));
		const all = columns.map((column, index) => [index, column.name]);
		return h("div", { class: "bar" },
			pick("kind", "kind", ["bars", "lines", "histogram"].map((kind) => [kind, t(kind)])),
			choice.kind !== "histogram" && pick("x", "across", all),
			pick("y", "up", all.filter(([index]) => columns[index].shape === "number")));
	}

	redraw(name, value) {
		if (name === "kind") this.wish.chart = value;
		else this.wish[name] = Number(value);
		this.writeAddress();
		this.fillChart().then(() => document.getElementById(`chart-${name}`)?.focus());
	}

	async fillPlan() {
		const { panel } = this;
		try {
			this.planText ??= (await api.planOf(this.base.id)) || (await api.plan(this.sql));
		} catch (error) {
			this.fail(error, this.sql);
			return;
		}
		if (panel === this.panel) replace(panel, picture(this.planText));
	}

	/** The plan of what is written, without running it. */
	async explain() {
		const sql = this.editor.text;
		this.clear();
		try {
			const plan = await api.plan(sql);
			this.results.hidden = false;
			replace(this.results, h("h2", {}, t("plan")), picture(plan));
		} catch (error) {
			this.fail(error, sql);
		}
	}
}
