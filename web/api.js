// What the server is asked. Errors are Error, with the server's message.

let token = "";

async function ask(path, options) {
	let answer;
	try {
		answer = await fetch(path, options);
	} catch {
		throw new Error("offline");
	}
	const kind = answer.headers.get("Content-Type") || "";
	if (kind.startsWith("application/json")) {
		const value = await answer.json();
		if (!answer.ok) throw Object.assign(new Error(value.error || String(answer.status)), { status: answer.status });
		return value;
	}
	throw new Error(answer.ok ? "?" : await answer.text());
}

function post(path, body) {
	return ask(path, { method: "POST", body: body || "", headers: { "X-Tamiz-Token": token } });
}

export async function session() {
	const value = await ask("api/session");
	token = value.token;
	return value;
}

export const login = (secret) => post("api/login", secret);
export const tables = () => ask("api/tables");
export const sendPiece = (name, at, bytes) => post(`api/files?${new URLSearchParams({ name, at })}`, bytes);
export const removeFile = (name) => post(`api/files?${new URLSearchParams({ name, gone: 1 })}`);
export const jobResults = async (job, query) => (await post(`api/results?${new URLSearchParams({ job, query })}`)).id;
export const begin = async (sql) => (await post("api/questions", sql)).id;
export const state = (id) => ask(`api/questions/${id}?wait=1000`);
export const cancel = (id) => post(`api/questions/${id}/cancel`);
export const rows = async (id, first, count) =>
	(await ask(`api/questions/${id}/rows?first=${first}&count=${count}`)).rows;
export const plan = async (sql) => (await post("api/plan", sql)).plan;
export const planOf = async (id) => (await ask(`api/questions/${id}/plan`)).plan;
export const job = async (id) => (await ask(`api/job?id=${encodeURIComponent(id)}`)).job;
export const trace = (id) => ask(traceFile(id));
export const traceFile = (id) => `api/trace?job=${encodeURIComponent(id)}`;
export const cancelJob = (job) => post(`api/cancel?job=${encodeURIComponent(job)}`);
export const file = (id, format) => `api/questions/${id}/file?format=${format}`;

export async function view(id, { column, order, search }) {
	const wish = new URLSearchParams();
	if (column !== undefined) wish.set("column", column);
	if (order) wish.set("order", order);
	if (search) wish.set("search", search);
	return (await post(`api/questions/${id}/view?${wish}`)).id;
}
