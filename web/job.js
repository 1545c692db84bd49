// What the nodes did for a job, as pictures: who did what when, how even the shares are, what each fragment took. It is
// made of the job's trace, which is in the format of Chrome.

import { h, svg } from "./dom.js";
import * as text from "./text.js";

const { t } = text;
const KINDS = ["chunk", "map", "packet", "fold", "emission", "result"];
const [WIDE, LEFT, LANE] = [1000, 130, 26];

const sum = (events, what) => events.reduce((total, event) => total + what(event), 0);

/** [{node, events}], of nodes that did something. */
function lanes(trace) {
	const names = new Map(trace.traceEvents.filter((event) => event.ph === "M").map((event) => [event.pid, event.args.name]));
	const events = trace.traceEvents.filter((event) => event.ph !== "M");
	return [...names].map(([pid, node]) => ({ node, events: events.filter((event) => event.pid === pid) })).filter((lane) => lane.events.length);
}

/** One mark for all of a kind that would lie on each other. */
function marks(events, y, at) {
	const found = [];
	for (const kind of KINDS) {
		const height = kind === "packet" || kind === "emission" ? 5 : 10;
		const top = y + (kind === "packet" ? 0 : kind === "emission" ? LANE - 9 : 6);
		let last = null;
		for (const event of events.filter((one) => one.cat === kind).sort((a, b) => a.ts - b.ts)) {
			const [from, to] = [at(event.ts), at(event.ts + (event.dur ?? 0))];
			if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
			else found.push((last = { kind, from, to, top, height }));
		}
	}
	return found.map(({ kind, from, to, top, height }) =>
		svg("rect", { class: `k-${kind}`, x: String(from), y: String(top), width: String(Math.max(1, to - from)), height: String(height) }));
}

export function timeline(trace) {
	const all = lanes(trace);
	const events = all.flatMap((lane) => lane.events);
	if (!events.length) return h("p", {}, t("no_trace"));
	const begin = Math.min(...events.map((event) => event.ts));
	const end = Math.max(...events.map((event) => event.ts + (event.dur ?? 0)), begin + 1);
	const at = (us) => LEFT + ((us - begin) / (end - begin)) * (WIDE - LEFT - 4);
	const tall = all.length * LANE + 22;
	const said = t("took", text.count((end - begin) / 1e6));
	return h("div", {},
		h("p", { class: "legend" }, KINDS.map((kind) => h("span", { class: `k-${kind}` }, t(`k_${kind}`)))),
		h("div", { class: "sheet", tabindex: "0", role: "region", "aria-label": t("timeline") },
			svg("svg", { class: "lanes", viewBox: `0 0 ${WIDE} ${tall}`, role: "img", "aria-label": `${t("timeline")}: ${said}` },
				all.map((lane, index) => [
					svg("line", { x1: "0", x2: String(WIDE), y1: String((index + 1) * LANE), y2: String((index + 1) * LANE) }),
					svg("text", { x: "6", y: String(index * LANE + 17) }, lane.node), ...marks(lane.events, index * LANE, at)]).flat(),
				svg("text", { x: String(LEFT), y: String(tall - 6) }, "0 s"),
				svg("text", { x: String(WIDE - 6), y: String(tall - 6), "text-anchor": "end" }, said))));
}

/** Of the bytes that reducers got: [node, share]. */
export function shares(trace) {
	const reducers = lanes(trace).filter((lane) => lane.node.startsWith("reducer"))
		.map((lane) => [lane.node, sum(lane.events.filter((event) => event.cat === "packet"), (event) => event.args.bytes)]);
	const all = sum(reducers, ([, bytes]) => bytes);
	return all ? reducers.map(([node, bytes]) => [node, bytes / all, bytes]) : [];
}

/** What each fragment took, in words: for the picture of the plan. */
export function fragments(trace) {
	const found = new Map();
	for (const { args, dur, cat } of lanes(trace).flatMap((lane) => lane.events)) {
		if (cat !== "fold" && cat !== "emission") continue;
		const one = found.get(args.part) ?? { us: 0, packets: 0, bytes: 0, sent: 0 };
		if (cat === "fold") {
			one.us += dur ?? 0;
			one.packets += args.number;
			one.bytes += args.bytes;
		} else {
			one.sent += args.bytes;
		}
		found.set(args.part, one);
	}
	return new Map([...found].map(([part, { us, packets, bytes, sent }]) =>
		[part, t("fragment_took", text.count(us / 1000), text.count(packets), text.bytes(bytes), text.bytes(sent))]));
}

/** Rows of each table, and those that could not be read: [table, {rows, rejects, bytes, ms}]. */
export function tables(trace) {
	const found = new Map();
	for (const { args, dur, cat } of lanes(trace).flatMap((lane) => lane.events)) {
		if (cat !== "chunk" && cat !== "map") continue;
		const one = found.get(args.part) ?? { rows: 0, rejects: 0, bytes: 0, ms: 0 };
		if (cat === "map") one.ms += (dur ?? 0) / 1000;
		else for (const name of ["rows", "rejects", "bytes"]) one[name] += args[name];
		found.set(args.part, one);
	}
	return found;
}
