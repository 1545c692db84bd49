// SQL as the editor sees it: words of several kinds, and what may stand at a place.

const KEYWORDS = new Set(
	`all and any as asc between by case cast cross cube current desc distinct else end except exists explain
	false filter first following for from full group grouping having ilike in inner intersect interval is join last
	lateral left like limit natural not null nulls offset on or order outer over partition preceding range recursive right
	rollup row rows select sets similar table then true unbounded union unnest using values when where window with within`
		.trim().split(/\s+/),
);

const TOKEN =
	/(--[^\n]*|\/\*[^]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$)|\$\$[^]*?(?:\$\$|$))|("(?:[^"]|"")*(?:"|$))|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|([^])/g;

/** [{kind, text, at}]: comment, literal, name, number, word, plain. */
export function tokens(text) {
	const found = [];
	for (const match of text.matchAll(TOKEN)) {
		const [all, comment, literal, quoted, number, word] = match;
		let kind = "plain";
		if (comment) kind = "comment";
		else if (literal) kind = "literal";
		else if (quoted) kind = "name";
		else if (number) kind = "number";
		else if (word) kind = KEYWORDS.has(word.toLowerCase()) ? "word" : "name";
		const last = found[found.length - 1];
		if (kind === "plain" && last && last.kind === "plain") last.text += all;
		else found.push({ kind, text: all, at: match.index });
	}
	return found;
}

/** "line 2, column 5: ..." of an error: where that is in the text; null when it does not say. */
export function place(text, message) {
	const match = /^line (\d+), column (\d+): /.exec(message);
	if (!match) return null;
	const [line, column] = [Number(match[1]), Number(match[2])];
	const lines = text.split("\n");
	if (line > lines.length) return null;
	let at = 0;
	for (let i = 0; i < line - 1; i++) at += lines[i].length + 1;
	// Columns count characters, and JavaScript counts those beyond the first 65536 twice.
	at += [...lines[line - 1]].slice(0, column - 1).join("").length;
	const token = tokens(text).find((one) => at >= one.at && at < one.at + one.text.length);
	const end = token && token.kind !== "plain" ? token.at + token.text.length : at + 1;
	return { line, column, at: Math.min(at, text.length), end: Math.max(end, at + 1) };
}

/** A name as SQL reads it. */
export function quoted(name) {
	return /^[a-z_][a-z0-9_]*$/.test(name) && !KEYWORDS.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function aliases(text, tables) {
	const known = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
	const found = new Map(known);
	const parts = tokens(text).filter((one) => one.kind !== "comment" && one.text.trim());
	for (let i = 0; i < parts.length; i++) {
		const table = known.get(parts[i].text.replaceAll('"', "").toLowerCase());
		let next = parts[i + 1];
		if (next && next.kind === "word" && next.text.toLowerCase() === "as") next = parts[i + 2];
		if (table && next && next.kind === "name") found.set(next.text.toLowerCase(), table);
	}
	return found;
}

/** What may stand at `at`: {from, items: [{text, kind}]}; `from` is where the word begins. */
export function completions(text, at, tables, functions) {
	const before = text.slice(0, at);
	const word = /[\w$"\u0080-\uffff]*$/.exec(before)[0];
	const from = at - word.length;
	const owner = /([\w$\u0080-\uffff]+|"[^"]+")\.$/.exec(before.slice(0, from));
	const wanted = word.replaceAll('"', "").toLowerCase();
	const items = [];
	const add = (name, kind, written) => {
		if (name.toLowerCase().startsWith(wanted) && items.length < 200) items.push({ text: written ?? quoted(name), kind });
	};
	const names = aliases(text, tables);
	if (owner) {
		const table = names.get(owner[1].replaceAll('"', "").toLowerCase());
		for (const column of table ? table.columns : []) add(column.name, column.type);
		return { from, items };
	}
	const tail = tokens(before.slice(0, from)).filter((one) => one.kind !== "comment" && one.text.trim()).pop();
	const behind = tail ? tail.text.trim().toLowerCase() : "";
	if (["from", "join", "table"].includes(behind)) {
		for (const table of tables) add(table.name, "table");
		return { from, items };
	}
	if (!wanted) return { from, items };
	const lower = text.toLowerCase();
	const used = tables.filter((table) => lower.includes(table.name.toLowerCase()));
	const seen = new Set();
	for (const table of used.length ? used : tables)
		for (const column of table.columns)
			if (!seen.has(column.name)) {
				seen.add(column.name);
				add(column.name, column.type);
			}
	for (const table of tables) add(table.name, "table");
	const upper = /[A-Z]/.test(word);
	for (const keyword of KEYWORDS) add(keyword, "SQL", upper ? keyword.toUpperCase() : keyword);
	for (const name of functions) add(name, "f()", `${name}(`);
	return { from, items };
}
