#include "cli/request/trace.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/trace.h"
#include "client/ask.h"
#include "client/job_key.h"
#include "net/http.h"
#include "watch/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NODE_MS_MAX	  5000u
#define ARENA_BLOCK_BYTES (64u << 10)

/* What is asked, and what was heard so far; in the arena. */
struct collection {
	const struct remote *remote;
	char job[JOB_KEY_ID_DIGITS + 1];
	struct arena arena;
	struct watch_report report;
	struct json_writer *json;
	struct buf *notes;
	uint32_t node_count;
};

/* The secret, if it was given too, is nobody's business here. */
static int take_job(struct collection *c, const char *job, struct error *err)
{
	struct wire_secret secret;
	uint64_t id;

	if (job_key_parse(job, &id, &secret, err))
		return -1;
	snprintf(c->job, sizeof(c->job), "%016" PRIx64, id);
	return 0;
}

static bool is_there(const struct json_value *status, const char *id)
{
	const struct json_value *jobs = json_get(status, "jobs");

	for (const struct json_value *job = jobs ? jobs->first : NULL; job; job = job->next)
		if (strcmp(json_text(job, "id"), id) == 0)
			return true;
	return false;
}

static int find_nodes(struct collection *c, struct error *err)
{
	struct wire_message question = {.type = WIRE_STATUS}, answer;
	struct net_address watchers[CONFIG_WATCHERS_MAX];
	struct json_value *status;
	uint32_t count;

	if (ask(c->remote->server, c->remote->token, &question, WIRE_STATUS_TEXT,
		    REMOTE_ANSWER_MS_MAX, &c->arena, &answer, err) ||
		json_read((const char *)answer.status_text.json.data, answer.status_text.json.size,
			&c->arena, &status, err))
		return -1;
	if (!is_there(status, c->job))
		return error_set(err, ERROR_USAGE,
			"the cluster knows no job %s: tamiz jobs lists the jobs", c->job);
	count = watch_report_find(status, watchers);
	watch_report_ask(&c->report, watchers, count, &c->arena);
	return c->report.root ? 0
			      : error_set(err, ERROR_IO, "no watcher says where the nodes are%s%s",
					c->report.problem[0] ? ": " : "", c->report.problem);
}

/* --- Chrome's format -----------------------------------------------------------------------------
 */

static void put_node(const struct collection *c, const char *name)
{
	struct json_writer *json = c->json;

	json_open(json, NULL, '{');
	json_put_text(json, "name", "process_name");
	json_put_text(json, "ph", "M");
	json_put_u64(json, "pid", c->node_count);
	json_put_u64(json, "tid", 0);
	json_open(json, "args", '{');
	json_put_text(json, "name", name);
	json_close(json, '}');
	json_close(json, '}');
}

/* "fold of fragment 2": the name that it has in `tamiz explain`. */
static void name_event(const struct json_value *event, char *name, size_t size)
{
	const char *kind = json_text(event, "kind");
	unsigned part = (unsigned)json_number(event, "part");
	unsigned number = (unsigned)json_number(event, "number");
	bool of_table = json_number(event, "instance") == TRACE_OF_TABLE;

	if (strcmp(kind, "chunk") == 0 || strcmp(kind, "map") == 0)
		snprintf(name, size, "%s %u of table %u", kind, number, part);
	else if (strcmp(kind, "fold") == 0)
		snprintf(name, size, "fold of fragment %u", part);
	else if (strcmp(kind, "result") == 0)
		snprintf(name, size, "result %u of query %u", number, part);
	else
		snprintf(name, size, "%s %u of %s %u", kind, number,
			of_table ? "table" : "fragment", part);
}

static void put_event(const struct collection *c, const struct json_value *event)
{
	static const char *const figures[] = {"part", "number", "rows", "rejects", "bytes"};
	struct json_writer *json = c->json;
	uint64_t start = (uint64_t)json_number(event, "start");
	uint64_t end = (uint64_t)json_number(event, "end");
	char name[100];

	name_event(event, name, sizeof(name));
	json_open(json, NULL, '{');
	json_put_text(json, "name", name);
	json_put_text(json, "cat", json_text(event, "kind"));
	json_put_text(json, "ph", end > start ? "X" : "i");
	json_put_u64(json, "pid", c->node_count);
	json_put_u64(json, "tid", (uint64_t)json_number(event, "thread"));
	json_put_u64(json, "ts", start);
	if (end > start)
		json_put_u64(json, "dur", end - start);
	else
		json_put_text(json, "s", "t");
	json_open(json, "args", '{');
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		json_put_u64(json, figures[i], (uint64_t)json_number(event, figures[i]));
	json_close(json, '}');
	json_close(json, '}');
}

static int ask_node(const struct collection *c, const struct json_value *node, struct buf *text,
	struct json_value **root, struct arena *arena)
{
	const char *address_text = json_text(node, "address");
	struct net_address address;
	struct error ignored;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/trace?job=%s", c->job);
	return !net_address_parse(address_text, strlen(address_text), &address) ||
	       http_get(&address, path, NODE_MS_MAX, text, &status, &ignored) || status != 200 ||
	       json_read(text->data, text->size, arena, root, &ignored);
}

static void add_node(struct collection *c, const struct json_value *node)
{
	const char *name = json_text(node, "name");
	const struct json_value *events;
	struct json_value *root;
	struct arena arena;
	struct buf text;

	c->node_count++;
	arena_init(&arena, ARENA_BLOCK_BYTES);
	buf_init(&text, TRACE_BYTES_MAX);
	if (ask_node(c, node, &text, &root, &arena)) {
		buf_printf(c->notes, "%s does not answer\n", name);
	} else {
		events = json_get(root, "events");
		put_node(c, name);
		for (const struct json_value *e = events ? events->first : NULL; e; e = e->next)
			put_event(c, e);
		if (json_number(root, "missing"))
			buf_printf(c->notes, "%s has done more since than it remembers\n", name);
	}
	buf_release(&text);
	arena_release(&arena);
}

static void write_file(struct collection *c, struct buf *out)
{
	struct json_writer json = {out, false};
	const struct json_value *nodes = json_get(c->report.root, "nodes");

	c->json = &json;
	json_open(&json, NULL, '{');
	json_put_text(&json, "displayTimeUnit", "ms");
	json_open(&json, "traceEvents", '[');
	for (const struct json_value *node = nodes ? nodes->first : NULL; node; node = node->next)
		/* RabbitMQ answers for itself. */
		if (strcmp(json_text(node, "role"), "broker") != 0)
			add_node(c, node);
	json_close(&json, ']');
	json_open(&json, "otherData", '{');
	json_put_text(&json, "job", c->job);
	json_close(&json, '}');
	json_close(&json, '}');
	buf_append_char(out, '\n');
}

int trace_collect(const struct remote *remote, const char *job, struct buf *out, struct buf *notes,
	struct error *err)
{
	struct collection c = {.remote = remote, .notes = notes};
	int status = take_job(&c, job, err);

	if (status)
		return -1;
	arena_init(&c.arena, ARENA_BLOCK_BYTES);
	status = find_nodes(&c, err);
	if (!status) {
		write_file(&c, out);
		if (buf_overflowed(out))
			status = error_set(err, ERROR_LIMIT, "the trace is too long");
	}
	watch_report_release(&c.report);
	arena_release(&c.arena);
	return status;
}
