// The page of a cluster: its nodes as they are connected, its jobs, and what has happened. Everything comes as
// one stream of events from the server, which asks the cluster once for all who look.

import * as api from "./api.js";
import { Ask } from "./ask.js";
import { h, replace, svg } from "./dom.js";
import { languageChooser, themeButton } from "./frame.js";
import * as picturesOfJob from "./job.js";
import { picture } from "./plan.js";
import * as text from "./text.js";

const { t } = text;
const PAGES = ["cluster", "jobs", "ask", "events"];
const EVENTS_MAX = 500;
const SAMPLES_MAX = 720;
const MOODS = { green: "good", done: "good", leads: "good", red: "bad", silent: "bad", gone: "bad", failed: "bad", lost: "bad" };
const IMPORTANT = new Set(["restart", "leader", "gateway"]);

const mood = (state) => MOODS[state] ?? "soon";
const stateName = (state) => (text.has(`s_${state}`) ? t(`s_${state}`) : state);
const state = (name, look) => h("span", { class: `state ${look ?? mood(name)}` }, stateName(name));
// One that died is not well again before it has caught up.
const moodOfNode = (node) => (node.state === "starting" && node.restarts > 0 ? "bad" : mood(node.state));

/** Rows that stay the same elements as long as their keys do, so that whoever has the focus keeps it. */
class List {
	constructor(heads, sort) {
		this.rows = new Map();
		this.body = h("tbody", {});
		this.head = h("tr", {}, heads.map(([word, key]) =>
			h("th", { scope: "col" }, key && sort ? h("button", { type: "button", onclick: () => sort(key) }, t(word)) : t(word))));
		this.element = h("div", { class: "sheet", tabindex: "0", role: "region" }, h("table", { class: "list" }, h("thead", {}, this.head), this.body));
	}

	/** [[key, cells]]; a cell is a text or an element. */
	show(rows) {
		const seen = new Map();
		for (const [key, cells] of rows) {
			const mark = JSON.stringify(cells.map((cell) => (cell instanceof Node ? cell.outerHTML : cell)));
			const known = this.rows.get(key);
			seen.set(key, known && known.mark === mark ? known
				: { mark, row: h("tr", {}, cells.map((cell, i) => h(i ? "td" : "th", i ? {} : { scope: "row" }, cell ?? ""))) });
		}
		this.rows = seen;
		const wanted = [...seen.values()].map((one) => one.row);
		if (wanted.length !== this.body.children.length || wanted.some((row, i) => row !== this.body.children[i])) replace(this.body, wanted);
	}
}

class Console {
	constructor() {
		this.now = null;
		this.events = [];
		this.samples = [];
		this.filters = { jobs: "", events: "", level: "all", node: "", job: "" };
		this.order = { key: "", up: true };
	}

	async start() {
		this.ask = new Ask({ prefix: "#ask?", jobAddress: (id) => `#job?id=${id}` });
		this.ask.build();
		this.build();
		window.addEventListener("hashchange", () => this.go());
		try {
			this.begin(await api.session());
		} catch (error) {
			if (error.status === 401) this.greet();
			else this.trouble.textContent = error.message;
		}
	}

	/** Whoever looks has to say who they are, unless the cluster asks nobody. */
	async greet() {
		const secret = h("input", { type: "password", id: "token", autocomplete: "current-password", required: true });
		const wrong = h("div", { class: "failure", role: "alert" });
		const form = h("form", { class: "login", onsubmit: (event) => { event.preventDefault(); this.login(secret.value, wrong); } },
			h("h2", {}, t("who")), h("p", {}, t("who_help")), h("label", {}, t("token"), secret),
			h("button", { type: "submit", class: "main" }, t("enter")), wrong);
		replace(this.main, form);
		document.documentElement.dataset.ready = "yes";
		try {
			await api.login("");
			this.begin(await api.session());
		} catch {
			secret.focus();
		}
	}

	async login(secret, wrong) {
		wrong.textContent = "";
		try {
			await api.login(secret);
			this.begin(await api.session());
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	begin(session) {
		this.session = session;
		this.name = session.name;
		this.build();
		this.ask.start(session);
		const live = new EventSource("api/live");
		live.onmessage = (event) => this.take(JSON.parse(event.data));
		live.onerror = () => {
			// It tries again by itself, and is told everything anew.
			this.events = [];
			this.samples = [];
			this.trouble.textContent = t("gone_console");
		};
	}

	take(news) {
		this.now = news;
		this.events.push(...news.events);
		this.events.splice(0, this.events.length - EVENTS_MAX);
		this.samples.push(...news.samples);
		this.samples.splice(0, this.samples.length - SAMPLES_MAX);
		this.draw();
		document.documentElement.dataset.ready = "yes";
	}

	get page() {
		const name = location.hash.slice(1).split("?")[0];
		return name === "job" || PAGES.includes(name) ? name : "cluster";
	}

	/** The address has changed; what asks reads its own. */
	go() {
		if (this.page !== this.made || this.made === "job") this.build();
	}

	/* --- the frame ------------------------------------------------------------------------------ */

	build() {
		document.documentElement.lang = text.current();
		// The address may be another's already when news come, and what it asks for not made yet.
		this.made = this.page;
		this.place = h("span", { class: "place" }, this.name ?? "");
		this.trouble = h("div", { class: "failure", role: "alert" });
		this.summary = h("div", { class: "status", role: "status" });
		this.main = h("div", {});
		const shown = this.made === "job" ? "jobs" : this.made;
		const frame = (inside) => (this.made === "ask" && this.session ? inside : h("main", { class: "console" }, inside));
		replace(document.getElementById("app"),
			h("header", {}, h("h1", {}, "tamiz"), this.place,
				h("nav", { class: "pages", "aria-label": t("pages") }, PAGES.map((name) => h("a", { href: this.address(name), "aria-current": name === shown && "page" }, t(name)))),
				themeButton(), languageChooser(() => this.build())),
			frame([this.trouble, this.summary, this.main]));
		if (!this.session) return;
		this[`build_${this.made}`]();
		this.draw();
	}

	/** That of a query goes on where it was. */
	address(name) {
		return name === "ask" ? this.ask.written ?? "#ask?" : `#${name}`;
	}

	build_ask() {
		this.summary.hidden = true;
		replace(this.main, this.ask.rebuild());
	}

	draw_ask() {}

	draw() {
		if (!this.now) return;
		const { trouble, watch } = this.now;
		const nodes = this.nodes();
		this.trouble.textContent = trouble ? t("lost_cluster", trouble) : "";
		const green = nodes.filter((node) => node.state === "green").length;
		const said = `${t("nodes_green", green, nodes.length)} \u00b7 ${watch ? t("leads", `watcher-${watch.watcher}`, watch.term) : t("nobody_leads")}`;
		if (this.summary.textContent !== said) this.summary.textContent = said;
		this[`draw_${this.made}`]();
	}

	/** As the watchers see them; without watchers, those that have told the gateway of themselves. */
	nodes() {
		const { watch, gateway, nodes } = this.now;
		const figures = new Map(nodes.map((node) => [node.name, node]));
		const seen = watch ? watch.nodes
			: (gateway?.nodes ?? []).map((node) => ({ name: node.name.replace(" ", "-"), role: node.name.split(" ")[0], state: "unknown", detail: "", restarts: 0 }));
		return seen.map((node) => ({ ...node, figures: figures.get(node.name) }));
	}

	/* --- the cluster ---------------------------------------------------------------------------- */

	build_cluster() {
		this.graph = h("div", { class: "graph", tabindex: "0", role: "region", "aria-label": t("graph") });
		this.times = h("div", { class: "times" });
		this.nodeList = new List([["node"], ["state"], ["detail"], ["cpu"], ["memory"], ["rate"], ["restarts"]]);
		this.nodeList.element.setAttribute("aria-label", t("cluster"));
		replace(this.main, this.graph, this.times, this.nodeList.element);
	}

	rateOf(node) {
		const { figures, role } = node;
		if (!figures) return 0;
		return { gateway: figures.in, filter: figures.got, reducer: figures.got, collector: figures.got }[role] ?? 0;
	}

	draw_cluster() {
		const nodes = this.nodes();
		replace(this.graph, this.picture(nodes));
		this.nodeList.show(nodes.map((node) => [node.name, [
			node.name, state(node.state, moodOfNode(node)), node.detail + (node.flapping ? " (flapping)" : ""),
			node.figures ? `${text.count(node.figures.cpu / 10)} %` : "", node.figures ? text.bytes(node.figures.memory) : "",
			node.figures ? `${text.bytes(this.rateOf(node))}/s` : "", text.count(node.restarts),
		]]));
		this.drawTimes();
	}

	/** In the order of the flow, from left to right; watchers below. */
	picture(nodes) {
		const columns = ["client", "proxy", "gateway", "filter", "broker", "reducer", "collector"]
			.map((role) => ({ role, nodes: role === "client" ? [{ name: t("clients"), role, state: "green" }] : nodes.filter((node) => node.role === role) }))
			.filter((column) => column.nodes.length || column.role === "broker");
		for (const column of columns) if (column.role === "broker" && !column.nodes.length) column.nodes = [{ name: "broker", role: "broker", state: "unknown" }];
		const watchers = nodes.filter((node) => node.role === "watcher");
		const [wide, tall, width, height] = [150, 64, 124, 44];
		const most = Math.max(...columns.map((column) => column.nodes.length));
		const size = { x: columns.length * wide, y: (most + (watchers.length ? 1 : 0)) * tall + 10 };
		const at = new Map();
		columns.forEach((column, x) => column.nodes.forEach((node, y) =>
			at.set(node, { x: (x + 0.5) * wide, y: (y + 0.5 + (most - column.nodes.length) / 2) * tall })));
		watchers.forEach((node, x) => at.set(node, { x: size.x / 2 + (x - (watchers.length - 1) / 2) * wide, y: (most + 0.5) * tall + 6 }));
		const lines = [];
		columns.slice(1).forEach((column, index) => {
			for (const from of columns[index].nodes)
				for (const to of column.nodes) {
					const rate = Math.max(this.rateOf(to), column.role === "broker" ? from.figures?.out ?? 0 : 0);
					const [a, b] = [at.get(from), at.get(to)];
					lines.push(svg("line", { x1: String(a.x), y1: String(a.y), x2: String(b.x), y2: String(b.y), "stroke-width": String(1 + Math.min(9, Math.log10(1 + rate) * 1.2)) }));
				}
		});
		const boxes = [...at].map(([node, { x, y }]) => svg("g", { class: node.role === "client" ? "" : moodOfNode(node) },
			svg("rect", { x: String(x - width / 2), y: String(y - height / 2), width: String(width), height: String(height), rx: "8" }),
			svg("text", { x: String(x), y: String(y - 2) }, node.name),
			node.role !== "client" && svg("text", { class: "small", x: String(x), y: String(y + 14) },
				stateName(node.state) + (this.rateOf(node) ? ` \u00b7 ${text.bytes(this.rateOf(node))}/s` : ""))));
		const said = nodes.map((node) => `${node.name} ${stateName(node.state)}`).join(", ");
		return svg("svg", { class: "cluster", viewBox: `0 0 ${size.x} ${size.y}`, role: "img", "aria-label": t("picture", said) }, lines, boxes);
	}

	drawTimes() {
		const kinds = [["csv_in", 1, (value) => `${text.bytes(value)}/s`], ["through", 2, (value) => `${text.bytes(value)}/s`],
			["processors", 3, (value) => text.count(value / 1000)], ["open_jobs", 4, text.count]];
		const last = this.samples[this.samples.length - 1];
		if (!last || (this.drawn === last && this.times.children.length)) return;
		this.drawn = last;
		replace(this.times, kinds.map(([word, index, shown]) => {
			const values = this.samples.map((sample) => sample[index]);
			const most = Math.max(1, ...values);
			const points = values.map((value, i) => `${(i / Math.max(1, values.length - 1)) * 300},${64 - (value / most) * 60}`).join(" ");
			const line = t("line", t(word), shown(values[values.length - 1]));
			return h("figure", {}, h("figcaption", {}, line),
				svg("svg", { viewBox: "0 0 300 68", preserveAspectRatio: "none", role: "img", "aria-label": line }, svg("polyline", { points })));
		}));
	}

	/* --- jobs ----------------------------------------------------------------------------------- */

	build_jobs() {
		const filter = h("input", { type: "search", id: "filter", value: this.filters.jobs, oninput: (event) => { this.filters.jobs = event.target.value; this.draw(); } });
		this.jobList = new List([["job", "id"], ["owner", "user"], ["state", "state"], ["progress", "progress"], ["queries", "queries"], ["tables", "tables"], ["idle", "idle"], ["error", "error"], ["cancel"]],
			(key) => {
				this.order = { key, up: this.order.key === key ? !this.order.up : true };
				this.draw();
			});
		this.jobList.element.setAttribute("aria-label", t("jobs"));
		this.noJobs = h("p", { hidden: true }, t("no_jobs"));
		this.cancelled = h("div", { class: "failure", role: "alert" });
		replace(this.main, h("div", { class: "bar" }, h("label", {}, t("filter"), filter)), this.cancelled, this.noJobs, this.jobList.element);
	}

	draw_jobs() {
		const jobs = (this.now.gateway?.jobs ?? []).map((job) => ({
			...job, progress: job.streams ? job.streams_closed / job.streams : 0,
			queries: (job.queries ?? []).join(" "), tables: (job.tables ?? []).map((table) => table.name).join(" "), idle: job.idle_ms, error: job.error ?? "",
		}));
		const words = this.filters.jobs.toLowerCase();
		const found = jobs.filter((job) => `${job.id} ${job.user ?? ""} ${stateName(job.state)} ${job.queries} ${job.tables} ${job.error}`.toLowerCase().includes(words));
		const { key, up } = this.order;
		if (key) found.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0) * (up ? 1 : -1));
		else found.reverse();
		this.noJobs.hidden = jobs.length > 0;
		this.jobList.show(found.map((job) => {
			return [job.id, [h("a", { href: `#job?id=${job.id}` }, job.id), job.user ?? "", state(job.state), this.progressOf(job),
				`${job.queries} (${job.queries_done ?? 0})`, job.tables, t("ago", text.count(Math.round(job.idle / 1000))), job.error,
				this.isOpen(job) ? h("button", { type: "button", "aria-label": t("cancel_job", job.id), "data-job": job.id }, t("cancel")) : ""]];
		}));
		this.jobList.body.onclick = (event) => {
			const id = event.target.closest("button")?.dataset.job;
			if (id) this.cancel(id);
		};
	}

	/* --- a job ---------------------------------------------------------------------------------- */

	build_job() {
		this.id = new URLSearchParams(location.hash.split("?")[1]).get("id") ?? "";
		this.saidOfJob = null;
		this.facts = h("dl", { class: "facts" });
		this.cancelled = h("div", { class: "failure", role: "alert" });
		this.queryList = new List([["query_name"], ["title"], ["results"]]);
		this.queryList.element.setAttribute("aria-label", t("queries"));
		this.tableListOfJob = new List([["table_name"], ["rows_read"], ["rejects"], ["size"], ["map_time"]]);
		this.tableListOfJob.element.setAttribute("aria-label", t("tables"));
		this.pictures = h("div", {});
		replace(this.main, h("h2", {}, t("job_of", this.id)), this.cancelled, this.facts, h("h3", {}, t("queries")), this.queryList.element,
			h("h3", {}, t("tables")), this.tableListOfJob.element, this.pictures);
	}

	/** The rest is asked for when it begins, and when something has changed. */
	draw_job() {
		const seen = (this.now.gateway?.jobs ?? []).find((one) => one.id === this.id);
		const said = JSON.stringify({ ...seen, idle_ms: 0 });
		if (said === this.saidOfJob) return;
		this.saidOfJob = said;
		this.queryList.show((seen?.queries ?? []).map((name, index) => [String(index), [name || "sql", this.detail?.id === this.id ? this.detail.titles?.[index] : "",
			seen.state === "done" ? h("a", { href: `#ask?job=${seen.id}&query=${index}` }, t("results")) : ""]]));
		if (!seen) {
			replace(this.facts, h("dt", {}, t("state")), h("dd", {}, t("no_job")));
			return;
		}
		const facts = [["state", state(seen.state)], ["owner", seen.user], ["progress", this.progressOf(seen)], ["error", seen.error]];
		replace(this.facts, facts.filter(([, value]) => value).flatMap(([word, value]) => [h("dt", {}, t(word)), h("dd", {}, value)]),
			this.isOpen(seen) && [h("dt", {}, ""), h("dd", {}, h("button", { type: "button", onclick: () => this.cancel(seen.id) }, t("cancel")))]);
		this.lookClosely(seen);
	}

	progressOf(job) {
		return job.streams ? h("progress", { max: String(job.streams), value: String(job.streams_closed), "aria-label": `${t("progress")} ${job.id}` }) : "";
	}

	async lookClosely(seen) {
		const { pictures, saidOfJob } = this;
		let trace;
		try {
			[this.detail, trace] = await Promise.all([api.job(seen.id), api.trace(seen.id)]);
		} catch (error) {
			this.cancelled.textContent = error.message;
			return;
		}
		// Something else is shown by now, or something newer.
		if (pictures !== this.pictures || saidOfJob !== this.saidOfJob || !this.detail) return;
		this.drawClosely(seen, trace);
	}

	drawClosely(seen, trace) {
		const known = picturesOfJob.tables(trace);
		this.tableListOfJob.show((seen.tables ?? []).map(({ name }, index) => {
			const { rows = 0, rejects = 0, bytes = 0, ms = 0 } = known.get(index) ?? {};
			return [String(index), [name, text.count(rows), text.count(rejects), text.bytes(bytes), `${text.count(Math.round(ms))} ms`]];
		}));
		this.queryList.show((seen.queries ?? []).map((name, index) => [String(index), [name || "sql", this.detail.titles?.[index] ?? "",
			seen.state === "done" ? h("a", { href: `#ask?job=${seen.id}&query=${index}` }, t("results")) : ""]]));
		const shares = picturesOfJob.shares(trace);
		replace(this.pictures,
			h("h3", {}, t("timeline")), picturesOfJob.timeline(trace),
			h("p", {}, h("a", { href: api.traceFile(seen.id), download: `${seen.id}.trace.json` }, t("trace_file"))),
			shares.length > 0 && [h("h3", {}, t("shares")), h("dl", { class: "facts" }, shares.flatMap(([node, share, bytes]) =>
				[h("dt", {}, node), h("dd", {}, h("meter", { min: "0", max: "1", value: String(share), "aria-label": node }), ` ${text.count(Math.round(share * 1000) / 10)} % \u00b7 ${text.bytes(bytes)}`)]))],
			this.detail.plan && [h("h3", {}, t("plan")), picture(this.detail.plan, picturesOfJob.fragments(trace))]);
	}

	isOpen(job) {
		return job.state === "receiving" || job.state === "working";
	}

	async cancel(id) {
		this.cancelled.textContent = "";
		try {
			await api.cancelJob(id);
		} catch (error) {
			this.cancelled.textContent = error.message;
		}
	}

	/* --- events --------------------------------------------------------------------------------- */

	build_events() {
		const filter = h("input", { type: "search", id: "filter", value: this.filters.events, oninput: (event) => { this.filters.events = event.target.value; this.draw(); } });
		const level = h("select", { id: "level", onchange: (event) => { this.filters.level = event.target.value; this.draw(); } },
			["all", "important"].map((name) => h("option", { value: name, selected: name === this.filters.level }, t(name))));
		this.eventList = new List([["when"], ["what"], ["detail"]]);
		this.eventList.element.setAttribute("aria-label", t("events"));
		this.noEvents = h("p", { hidden: true }, t("no_events"));
		const whose = (name, word) => h("label", {}, t(word), h("input", { type: "search", id: `of-${name}`, size: "12", value: this.filters[name], oninput: (event) => { this.filters[name] = event.target.value.trim(); this.draw(); } }));
		replace(this.main, h("div", { class: "bar" }, h("label", {}, t("filter"), filter), whose("node", "node"), whose("job", "job"), h("label", {}, t("level"), level)), this.noEvents, this.eventList.element);
	}

	say(event) {
		if (event.kind === "gateway") return t(`ev_${event.what}`);
		return t(`ev_${event.kind}`, event.of, stateName(event.what));
	}

	draw_events() {
		const words = this.filters.events.toLowerCase();
		const rows = this.events.map((event, index) => ({ ...event, index, said: this.say(event) }))
			.filter((event) => `${event.said} ${event.why}`.toLowerCase().includes(words))
			.filter((event) => !this.filters.node || (event.kind !== "job" && event.of.startsWith(this.filters.node)))
			.filter((event) => !this.filters.job || (event.kind === "job" && event.of.startsWith(this.filters.job)))
			.filter((event) => this.filters.level === "all" || IMPORTANT.has(event.kind) || mood(event.what) === "bad");
		this.noEvents.hidden = this.events.length > 0;
		this.eventList.show(rows.reverse().map((event) => [`${event.at} ${event.index}`, [new Date(event.at).toLocaleTimeString(text.current()), event.said, event.why]]));
	}
}

new Console().start();
