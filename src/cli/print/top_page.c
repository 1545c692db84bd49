#include "cli/print/top_page.h"

#include "cli/print/human.h"
#include "cluster/roster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX 1024u
#define BOLD	       "\x1b[1m"
#define REVERSE	       "\x1b[7m"
#define RED	       "\x1b[31m"
#define YELLOW	       "\x1b[33m"
#define PLAIN	       "\x1b[0m"

static const char *const node_orders[TOP_NODE_ORDERS] = {"flow", "cpu", "memory", "rate"};
static const char *const job_orders[TOP_JOB_ORDERS] = {"newest", "state", "progress"};

/* A line, cut to the width; what could upset a terminal becomes "?". */
static void put_line(const struct top_page *page, const char *mark, struct buf *out,
	const char *format, ...) PRINTF_LIKE(4, 5);

static void put_line(
	const struct top_page *page, const char *mark, struct buf *out, const char *format, ...)
{
	char line[LINE_BYTES_MAX];
	bool marked = page->marks && *mark;
	uint32_t columns = 0;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (marked)
		buf_append_text(out, mark);
	for (const char *c = line; *c; c++) {
		/* Further bytes of a character take no column. */
		columns += ((unsigned char)*c & 0xc0) != 0x80;
		if (columns > page->columns)
			break;
		buf_append_char(out, (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
	}
	if (marked)
		buf_append_text(out, PLAIN);
	buf_append_char(out, '\n');
}

/* --- nodes ---------------------------------------------------------------------------------------
 */

struct node_row {
	const struct json_value *seen; /* by the watchers */
	const struct json_value *told; /* by itself; NULL: nothing */
	uint32_t place;
};

struct node_rows {
	uint32_t count;
	enum top_node_order order;
	struct node_row rows[ROSTER_NODES_MAX];
};

static double rate_of(const struct node_row *row)
{
	const char *role = json_text(row->seen, "role");

	return json_number(row->told, strcmp(role, "gateway") == 0 ? "in" : "got");
}

static double weight_of(const struct node_row *row, enum top_node_order order)
{
	switch (order) {
	case TOP_NODES_BY_CPU: return json_number(row->told, "cpu");
	case TOP_NODES_BY_MEMORY: return json_number(row->told, "memory");
	case TOP_NODES_BY_RATE: return rate_of(row);
	case TOP_NODES_BY_FLOW: break;
	}
	return 0;
}

static void sort_nodes(struct node_rows *nodes)
{
	for (uint32_t i = 1; i < nodes->count; i++) {
		struct node_row row = nodes->rows[i];
		double weight = weight_of(&row, nodes->order);
		uint32_t at = i;

		for (; at > 0 && weight_of(&nodes->rows[at - 1], nodes->order) < weight; at--)
			nodes->rows[at] = nodes->rows[at - 1];
		nodes->rows[at] = row;
	}
}

static const struct json_value *find_named(const struct json_value *list, const char *name)
{
	for (const struct json_value *one = list ? list->first : NULL; one; one = one->next)
		if (strcmp(json_text(one, "name"), name) == 0)
			return one;
	return NULL;
}

static void gather_nodes(struct node_rows *nodes, const struct json_value *news)
{
	static const char *const flow[] = {
		"proxy", "gateway", "filter", "reducer", "collector", "watcher"};
	const struct json_value *seen = json_get(json_get(news, "watch"), "nodes");

	for (size_t role = 0; role < sizeof(flow) / sizeof(*flow); role++)
		for (const struct json_value *node = seen ? seen->first : NULL; node;
			node = node->next) {
			if (strcmp(json_text(node, "role"), flow[role]) != 0 ||
				nodes->count == ROSTER_NODES_MAX)
				continue;
			nodes->rows[nodes->count++] = (struct node_row){.seen = node,
				.told = find_named(
					json_get(news, "nodes"), json_text(node, "name"))};
		}
}

static const char *mark_of(const char *state)
{
	if (strcmp(state, "green") == 0)
		return "";
	return strcmp(state, "starting") == 0 || strcmp(state, "unknown") == 0 ? YELLOW : RED;
}

static void put_node(const struct top_page *page, const struct node_row *row, struct buf *out)
{
	const char *state = json_text(row->seen, "state");
	char memory[HUMAN_TEXT_MAX] = "", rate[HUMAN_TEXT_MAX] = "", cpu[16] = "";

	if (row->told) {
		human_bytes((uint64_t)json_number(row->told, "memory"), memory);
		human_bytes((uint64_t)rate_of(row), rate);
		snprintf(cpu, sizeof(cpu), "%.1f %%", json_number(row->told, "cpu") / 10);
	}
	put_line(page, mark_of(state), out, "%-14s %-9s %8s %10s %10s%s %8.0f %9.0f  %s",
		json_text(row->seen, "name"), state, cpu, memory, rate, row->told ? "/s" : "  ",
		json_number(row->told, "waiting"), json_number(row->seen, "restarts"),
		json_text(row->seen, "detail"));
}

static uint32_t put_nodes(
	const struct top_page *page, const struct json_value *news, uint32_t room, struct buf *out)
{
	struct node_rows nodes = {.order = page->node_order};
	uint32_t shown;

	gather_nodes(&nodes, news);
	sort_nodes(&nodes);
	put_line(page, BOLD, out, "%-14s %-9s %8s %10s %12s %8s %9s  %s", "NODE", "STATE", "CPU",
		"MEMORY", "RATE", "WAITING", "RESTARTS", "");
	shown = nodes.count < room ? nodes.count : room;
	for (uint32_t i = 0; i < shown; i++)
		put_node(page, &nodes.rows[i], out);
	return shown + 1;
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

struct job_rows {
	uint32_t count;
	const struct json_value *rows[TOP_JOBS_MAX];
};

static double progress_of(const struct json_value *job)
{
	double streams = json_number(job, "streams");

	return streams > 0 ? json_number(job, "streams_closed") / streams : 0;
}

static bool is_before(
	const struct json_value *a, const struct json_value *b, enum top_job_order order)
{
	if (order == TOP_JOBS_BY_STATE)
		return strcmp(json_text(a, "state"), json_text(b, "state")) > 0;
	return order == TOP_JOBS_BY_PROGRESS && progress_of(a) < progress_of(b);
}

/* The newest stands last in what a gateway tells. */
static void gather_jobs(
	struct job_rows *jobs, const struct json_value *news, enum top_job_order order)
{
	const struct json_value *list = json_get(json_get(news, "gateway"), "jobs");

	for (const struct json_value *job = list ? list->first : NULL; job; job = job->next) {
		uint32_t at;

		if (jobs->count == TOP_JOBS_MAX)
			memmove(jobs->rows, jobs->rows + 1,
				--jobs->count * sizeof(struct json_value *));
		at = jobs->count++;
		jobs->rows[at] = job;
	}
	for (uint32_t i = 0; i < jobs->count / 2; i++) {
		const struct json_value *other = jobs->rows[i];

		jobs->rows[i] = jobs->rows[jobs->count - 1 - i];
		jobs->rows[jobs->count - 1 - i] = other;
	}
	for (uint32_t i = 1; i < jobs->count; i++) {
		const struct json_value *job = jobs->rows[i];
		uint32_t at = i;

		for (; at > 0 && is_before(job, jobs->rows[at - 1], order); at--)
			jobs->rows[at] = jobs->rows[at - 1];
		jobs->rows[at] = job;
	}
}

/* Where the chosen job is now, after the move; 0 when it is gone. */
static uint32_t choose(struct top_page *page, const struct job_rows *jobs)
{
	int64_t at = 0;

	for (uint32_t i = 0; i < jobs->count; i++)
		if (strcmp(json_text(jobs->rows[i], "id"), page->chosen) == 0)
			at = i;
	at += page->move;
	page->move = 0;
	if (at >= jobs->count)
		at = (int64_t)jobs->count - 1;
	if (at < 0)
		at = 0;
	snprintf(page->chosen, sizeof(page->chosen), "%s",
		jobs->count ? json_text(jobs->rows[at], "id") : "");
	return (uint32_t)at;
}

static void put_job(
	const struct top_page *page, const struct json_value *job, bool chosen, struct buf *out)
{
	const struct json_value *queries = json_get(job, "queries");
	char idle[HUMAN_TEXT_MAX], names[200] = "";
	uint32_t count = 0;

	for (const struct json_value *q = queries ? queries->first : NULL; q; q = q->next, count++)
		if (strlen(names) + 50 < sizeof(names))
			snprintf(names + strlen(names), 50, "%s%.40s", count ? " " : "",
				*q->text ? q->text : "sql");
	put_line(page, chosen ? REVERSE : "", out,
		"%c %-17s %-9s %4.0f %% %3.0f of %-3u %9s  %s  %s", chosen ? '>' : ' ',
		json_text(job, "id"), json_text(job, "state"), 100 * progress_of(job),
		json_number(job, "queries_done"), count,
		human_seconds(json_number(job, "idle_ms") / 1000, idle), names,
		json_text(job, "error"));
}

static void put_jobs(
	struct top_page *page, const struct json_value *news, uint32_t room, struct buf *out)
{
	struct job_rows *jobs = calloc(1, sizeof(*jobs));
	uint32_t chosen, first;

	if (!jobs)
		abort();
	gather_jobs(jobs, news, page->job_order);
	chosen = choose(page, jobs);
	first = chosen >= room ? chosen - room + 1 : 0;
	put_line(page, BOLD, out, "  %-17s %-9s %6s %-10s %9s  %s", "JOB", "STATE", "DONE",
		"QUERIES", "IDLE", "WHAT");
	for (uint32_t i = first; i < jobs->count && i < first + room; i++)
		put_job(page, jobs->rows[i], page->marks && i == chosen, out);
	if (!jobs->count)
		put_line(page, "", out, "  no jobs");
	free(jobs);
}

/* --- the page ------------------------------------------------------------------------------------
 */

static void put_summary(const struct top_page *page, const struct json_value *news, struct buf *out)
{
	const struct json_value *watch = json_get(news, "watch"), *nodes = json_get(watch, "nodes");
	const char *trouble = json_text(news, "trouble");
	uint32_t count = 0, green = 0;

	for (const struct json_value *node = nodes ? nodes->first : NULL; node; node = node->next) {
		count++;
		green += strcmp(json_text(node, "state"), "green") == 0;
	}
	put_line(page, BOLD, out, "tamiz top  %s", page->server);
	if (*trouble)
		put_line(page, RED, out, "no gateway answers: %s", trouble);
	else if (!watch || watch->kind != JSON_OBJECT)
		put_line(page, RED, out, "no watcher leads");
	else
		put_line(page, green < count ? RED : "", out,
			"%u of %u nodes are green, watcher-%.0f leads", green, count,
			json_number(watch, "watcher"));
}

void top_page_print(struct top_page *page, const struct json_value *news, struct buf *out)
{
	/* Two lines on top, two blank ones, two heads and the last one. */
	uint32_t room = page->rows > 9 ? page->rows - 7 : 2, taken;

	put_summary(page, news, out);
	buf_append_char(out, '\n');
	taken = put_nodes(page, news, 2 * room / 3 > 0 ? 2 * room / 3 : 1, out) - 1;
	buf_append_char(out, '\n');
	put_jobs(page, news, room > taken ? room - taken : 1, out);
	if (page->message)
		put_line(page, REVERSE, out, "%s", page->message);
	else if (page->marks)
		put_line(page, REVERSE, out,
			"up/down: job   x: cancel it   n: nodes by %s   j: jobs by %s   q: quit",
			node_orders[page->node_order], job_orders[page->job_order]);
}
