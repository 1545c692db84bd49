/* tamiz status, tamiz jobs: what a gateway knows of its cluster. */
#include "cli/cli.h"
#include "cli/human.h"
#include "cli/json_read.h"
#include "cli/remote.h"
#include "client/ask.h"

#include <string.h>

#define TEXT_BYTES_MAX (64u << 20)
#define ERROR_COLUMNS  60

struct status_options {
	const char *server;
	bool json;
};

static const struct option_spec options_table[] = {
	REMOTE_OPTION_SERVER(struct status_options, server),
	{.name = "json",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct status_options, json),
		.help = "print what the gateway says as it is, for programs"},
};

const struct command_spec cmd_status_spec = {
	.name = "tamiz status",
	.operands = "",
	.summary = "Shows the nodes and jobs of a cluster.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

const struct command_spec cmd_jobs_spec = {
	.name = "tamiz jobs",
	.operands = "",
	.summary = "Lists the jobs of a cluster.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static const char *seconds_text(double ms, char text[HUMAN_TEXT_MAX])
{
	return human_seconds(ms / 1000, text);
}

/* What could upset a terminal becomes "?". */
static void append_plain(struct buf *out, const char *text, size_t size_max)
{
	for (size_t i = 0; text[i] && i < size_max; i++)
		buf_append_char(
			out, (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i]);
}

static void append_names(struct buf *out, const struct json_value *list)
{
	for (const struct json_value *item = list ? list->first : NULL; item; item = item->next) {
		const char *name = item->text ? item->text : json_text(item, "name");

		if (item != list->first)
			buf_append_char(out, ' ');
		append_plain(out, *name ? name : "sql", 40);
	}
}

static void append_job(struct buf *out, const struct json_value *job)
{
	const struct json_value *queries = json_get(job, "queries");
	char idle[HUMAN_TEXT_MAX];
	uint32_t count = 0;

	for (const struct json_value *q = queries ? queries->first : NULL; q; q = q->next)
		count++;
	buf_printf(out, "%s  %-9s  %2.0f of %-2u  %10s  ", json_text(job, "id"),
		json_text(job, "state"), json_number(job, "queries_done"), count,
		seconds_text(json_number(job, "idle_ms"), idle));
	append_names(out, queries);
	if (*json_text(job, "error")) {
		buf_append_text(out, "  ");
		append_plain(out, json_text(job, "error"), ERROR_COLUMNS);
	}
	buf_append_char(out, '\n');
}

static void append_jobs(struct buf *out, const struct json_value *status)
{
	const struct json_value *jobs = json_get(status, "jobs");

	if (!jobs || !jobs->first) {
		buf_append_text(out, "no jobs\n");
		return;
	}
	buf_append_text(out, "JOB               STATE      QUERIES         IDLE  WHAT\n");
	for (const struct json_value *job = jobs->first; job; job = job->next)
		append_job(out, job);
}

static void append_nodes(struct buf *out, const struct json_value *status)
{
	const struct json_value *nodes = json_get(status, "nodes");

	buf_append_text(out, "NODE           STARTS  UP SINCE\n");
	for (const struct json_value *node = nodes ? nodes->first : NULL; node; node = node->next) {
		char up[HUMAN_TEXT_MAX];

		buf_printf(out, "%-13s  %6.0f  %s\n", json_text(node, "name"),
			json_number(node, "starts"), seconds_text(json_number(node, "up_ms"), up));
	}
}

static void append_gateway(struct buf *out, const struct json_value *status)
{
	char bytes[HUMAN_TEXT_MAX], rate[HUMAN_TEXT_MAX], wait[HUMAN_TEXT_MAX], up[HUMAN_TEXT_MAX];

	buf_printf(out, "gateway %.0f of %.0f, %.0f reducers; up for %s\n",
		json_number(status, "gateway"), json_number(status, "gateways"),
		json_number(status, "reducers"), seconds_text(json_number(status, "up_ms"), up));
	buf_printf(out, "%.0f clients; %.0f chunks, %s taken, %s/s now; %s wait for the broker\n\n",
		json_number(status, "clients"), json_number(status, "chunks"),
		human_bytes((uint64_t)json_number(status, "bytes"), bytes),
		human_bytes((uint64_t)json_number(status, "bytes_per_s"), rate),
		human_bytes((uint64_t)json_number(status, "unconfirmed_bytes"), wait));
}

static int print_status(const struct wire_bytes *json, const struct status_options *options,
	bool jobs_only, struct arena *arena)
{
	struct json_value *status;
	struct error err;
	struct buf out;

	buf_init(&out, TEXT_BYTES_MAX);
	if (options->json) {
		buf_append(&out, json->data, json->size);
		return cli_print(&out);
	}
	if (json_read((const char *)json->data, json->size, arena, &status, &err))
		return cli_fail(&err);
	if (!jobs_only) {
		append_gateway(&out, status);
		append_nodes(&out, status);
		buf_append_char(&out, '\n');
	}
	append_jobs(&out, status);
	return cli_print(&out);
}

static int run(const struct command_spec *spec, bool jobs_only, int argc, char *const *argv)
{
	struct wire_message question = {.type = WIRE_STATUS}, answer;
	struct status_options options = {0};
	struct operands operands;
	const char *server;
	struct arena arena;
	struct error err;
	int status;

	switch (options_parse(spec, argc, argv, &options, &operands, &err)) {
	case OPTIONS_HELP: return cli_help(spec);
	case OPTIONS_ERROR: return cli_fail(&err);
	case OPTIONS_PARSED: break;
	}
	arena_init(&arena, 64u << 10);
	if (remote_server(options.server, spec->name, &server, &err) ||
		ask(server, &question, WIRE_STATUS_TEXT, REMOTE_ANSWER_MS_MAX, &arena, &answer,
			&err))
		status = cli_fail(&err);
	else
		status = print_status(&answer.status_text.json, &options, jobs_only, &arena);
	arena_release(&arena);
	return status;
}

int cmd_status(int argc, char *const *argv)
{
	return run(&cmd_status_spec, false, argc, argv);
}

int cmd_jobs(int argc, char *const *argv)
{
	return run(&cmd_jobs_spec, true, argc, argv);
}
