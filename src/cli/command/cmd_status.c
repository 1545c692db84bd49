/* tamiz status, tamiz jobs: what a gateway and the watchers know of their cluster. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/print/human.h"
#include "cli/print/watch_report.h"
#include "cli/request/remote.h"
#include "client/ask.h"
#include "cluster/roster.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX (64u << 20)
#define ERROR_COLUMNS  60

struct status_options {
	struct remote remote;
	const char *file;
	bool json;
};

#define OPTION_JSON                                                \
	{                                                          \
		.name = "json", .kind = OPTION_FLAG,               \
		.offset = offsetof(struct status_options, json),   \
		.help = "print the JSON as it comes, for programs" \
	}

static const struct option_spec status_options_table[] = {
	REMOTE_OPTIONS(struct status_options, remote),
	OPTION_ROW_CLUSTER_FILE(struct status_options, file,
		"the cluster file: asks its watchers, also when no gateway\n"
		"answers"),
	OPTION_JSON,
};

static const struct option_spec jobs_options_table[] = {
	REMOTE_OPTIONS(struct status_options, remote),
	OPTION_JSON,
};

const struct command_spec cmd_status_spec = {
	.name = "tamiz status",
	.operands = "",
	.summary = "Shows the nodes and jobs of a cluster.",
	.details = "The gateway tells of jobs, and where the watchers are; they tell of nodes.",
	.options = status_options_table,
	.option_count = sizeof(status_options_table) / sizeof(*status_options_table),
};

const struct command_spec cmd_jobs_spec = {
	.name = "tamiz jobs",
	.operands = "",
	.summary = "Lists the jobs of a cluster.",
	.options = jobs_options_table,
	.option_count = sizeof(jobs_options_table) / sizeof(*jobs_options_table),
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

/* The gateway's object with one member more: "watch", what the leading watcher says, or null. */
static void append_json(
	struct buf *out, const struct wire_bytes *gateway, const struct watch_report *report)
{
	const char *text = (const char *)gateway->data;
	size_t size = gateway->size;
	struct json_writer json = {out, true};

	while (size > 0 && text[size - 1] != '}')
		size--;
	if (size < 2)
		return;
	buf_append(out, text, size - 1);
	if (report->root)
		json_put_raw(&json, "watch", report->text.data, report->text.size);
	else
		json_put_null(&json, "watch");
	buf_append_text(out, "}\n");
}

static void append_all(
	struct buf *out, const struct json_value *status, const struct watch_report *report)
{
	append_gateway(out, status);
	if (report->root)
		watch_report_print(report, out);
	else
		append_nodes(out, status);
	buf_append_char(out, '\n');
}

static int print_status(const struct wire_bytes *json, const struct status_options *options,
	bool jobs_only, struct arena *arena)
{
	struct net_address watchers[CONFIG_WATCHERS_MAX];
	struct watch_report report = {0};
	struct json_value *status;
	struct error err;
	struct buf out;
	int result;

	if (json_read((const char *)json->data, json->size, arena, &status, &err))
		return cli_fail(&err);
	buf_init(&out, TEXT_BYTES_MAX);
	if (!jobs_only)
		watch_report_ask(&report, watchers, watch_report_find(status, watchers), arena);
	if (options->json && jobs_only)
		buf_append(&out, json->data, json->size);
	else if (options->json)
		append_json(&out, json, &report);
	else if (!jobs_only)
		append_all(&out, status, &report);
	if (!options->json)
		append_jobs(&out, status);
	result = cli_print(&out);
	watch_report_release(&report);
	return result;
}

/* With --file: the watchers, whether or not there is a gateway. */
static int print_watchers(const struct status_options *options, struct arena *arena)
{
	struct net_address watchers[CONFIG_WATCHERS_MAX];
	struct watch_report report;
	struct config config;
	struct error err;
	struct buf out;
	int result;

	if (config_load(&config, options->file, &err)) {
		config_release(&config);
		return cli_fail(&err);
	}
	for (uint32_t i = 0; i < config.watcher.replicas; i++)
		watchers[i] = config_found_at(&config.health[NODE_WATCHER], i);
	watch_report_ask(&report, watchers, (uint32_t)config.watcher.replicas, arena);
	buf_init(&out, TEXT_BYTES_MAX);
	if (options->json)
		buf_append(&out, report.text.data, report.text.size);
	else
		watch_report_print(&report, &out);
	result = cli_print(&out);
	if (!report.root)
		result = EXIT_FAILURE;
	watch_report_release(&report);
	config_release(&config);
	return result;
}

static int run(const struct command_spec *spec, bool jobs_only, int argc, char *const *argv)
{
	struct wire_message question = {.type = WIRE_STATUS}, answer;
	struct status_options options = {0};
	struct operands operands;
	struct arena arena;
	struct error err;
	int status;

	if (!cli_parse(spec, argc, argv, &options, &operands, &status))
		return status;
	arena_init(&arena, 64u << 10);
	if (options.file)
		status = print_watchers(&options, &arena);
	else if (remote_settle(&options.remote, spec->name, &err) ||
		 ask(options.remote.server, options.remote.token, &question, WIRE_STATUS_TEXT,
			 REMOTE_ANSWER_MS_MAX, &arena, &answer, &err))
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
