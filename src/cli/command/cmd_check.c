/* tamiz check: what is damaged on the disks of nodes, and what that costs. */
#include "base/json_write.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/print/human.h"
#include "cluster/cluster_folder.h"
#include "cluster/roster.h"
#include "node/node_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX (64u << 20)

struct check_options {
	const char *file;
	const char *state;
	bool json;
	bool repair;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FILE(struct check_options, file, "the cluster file"),
	OPTION_ROW_CLUSTER_FOLDER(
		struct check_options, state, "instead of it, " FOR_UP_HELP " (the default)"),
	{.name = "repair",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct check_options, repair),
		.help = "drop what is damaged, so that everything else goes on; only\n"
			"of nodes that are stopped"},
	{.name = "json",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct check_options, json),
		.help = "print one JSON object, for programs"},
};

const struct command_spec cmd_check_spec = {
	.name = "tamiz check",
	.operands = "[NODE]...",
	.summary = "Looks for damage on the disks of nodes, and says what it costs.",
	.details = "Without names all nodes of the cluster that have a folder on this machine are "
		   "looked at,\n"
		   "whether they run or not. Nothing is changed without --repair. The exit status "
		   "is 0 when\n"
		   "nothing is damaged, or all of it was repaired, and 5 otherwise.",
	.operands_max = OPERANDS_MAX,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* What is written while nodes are looked at. */
struct report {
	bool is_json;
	struct buf out; /* all of it */
	struct json_writer json;
	struct buf findings; /* of one node, as text */
	struct state_counts total;
};

static void on_finding(void *context, const struct state_finding *finding)
{
	struct report *report = context;
	struct json_writer *json = &report->json;
	char id[24];

	if (!report->is_json) {
		buf_printf(&report->findings, "  %s%s\n    what: %s\n    cost: %s\n", finding->path,
			finding->is_repaired ? " (dropped)" : "", finding->what, finding->cost);
		return;
	}
	json_open(json, NULL, '{');
	json_put_text(json, "path", finding->path);
	snprintf(id, sizeof(id), "%016lx", (unsigned long)finding->job);
	if (finding->job)
		json_put_text(json, "job", id);
	else
		json_put_null(json, "job");
	json_put_text(json, "what", finding->what);
	json_put_text(json, "cost", finding->cost);
	json_put_bool(json, "repaired", finding->is_repaired);
	json_close(json, '}');
}

static void put_node_json(struct report *report, const struct node_check *check)
{
	struct json_writer *json = &report->json;

	json_close(json, ']');
	json_put_bool(json, "running", check->is_running);
	json_put_u64(json, "journals", check->counts.journals);
	json_put_u64(json, "records", check->counts.records);
	json_put_u64(json, "bytes", check->counts.bytes);
	json_put_u64(json, "open_jobs", check->counts.open_jobs);
	json_put_u64(json, "done_jobs", check->counts.done_jobs);
	json_close(json, '}');
}

static void put_node_text(struct report *report, const char *name, const struct node_check *check)
{
	const struct state_counts *counts = &check->counts;
	char records[HUMAN_TEXT_MAX], bytes[HUMAN_TEXT_MAX];

	buf_printf(&report->out, "%-13s  %s, %lu %s, %s records, %s: ", name,
		check->is_running ? "running" : "stopped", (unsigned long)counts->journals,
		counts->journals == 1 ? "journal" : "journals",
		human_count(counts->records, records), human_bytes(counts->bytes, bytes));
	if (counts->damaged == 0)
		buf_append_text(&report->out, "nothing is damaged\n");
	else
		buf_printf(&report->out, "%lu damaged\n", (unsigned long)counts->damaged);
	buf_append(&report->out, report->findings.data, report->findings.size);
	buf_clear(&report->findings);
}

static int check_node(const struct config *config, const struct roster_node *node, bool repair,
	struct report *report, struct error *err)
{
	struct node_check check = {
		.config = config,
		.kind = node->kind,
		.index = node->index,
		.repairs = repair,
		.tell = on_finding,
		.context = report,
	};

	if (report->is_json) {
		json_open(&report->json, NULL, '{');
		json_put_text(&report->json, "name", node->name);
		json_open(&report->json, "damage", '[');
	}
	if (node_check_run(&check, err))
		return error_prefix(err, "%s: ", node->name);
	report->total.damaged += check.counts.damaged;
	report->total.repaired += check.counts.repaired;
	if (report->is_json)
		put_node_json(report, &check);
	else
		put_node_text(report, node->name, &check);
	return 0;
}

/* Those that were named, or all that this machine has. */
static int check_nodes(const struct config *config, const struct check_options *options,
	const struct operands *operands, struct report *report, struct error *err)
{
	struct roster_node *nodes = memory_alloc(ROSTER_NODES_MAX * sizeof(*nodes));
	uint32_t count = 0, all = roster_list(config, nodes, ROSTER_NODES_MAX);
	int status = 0;

	for (uint32_t i = 0; i < all && operands->count == 0; i++)
		if (node_check_has_state(config, nodes[i].kind, nodes[i].index))
			nodes[count++] = nodes[i];
	for (; count < operands->count && !status; count++) {
		const char *name = operands->items[count];

		if (!roster_find(config, name, &nodes[count]))
			status = error_set(
				err, ERROR_USAGE, "%s has no node \"%s\"", config->path, name);
		else if (!node_check_has_state(config, nodes[count].kind, nodes[count].index))
			status = error_set(
				err, ERROR_USAGE, "%s keeps nothing on this machine", name);
	}
	for (uint32_t i = 0; i < count && !status; i++)
		status = check_node(config, &nodes[i], options->repair, report, err);
	if (!status && count == 0)
		status = error_set(err, ERROR_USAGE, "no node of %s keeps anything in %s",
			config->path, config->cluster.state);
	free(nodes);
	return status;
}

static void put_total(struct report *report)
{
	unsigned long damaged = (unsigned long)report->total.damaged;
	unsigned long left = damaged - (unsigned long)report->total.repaired;

	if (report->is_json) {
		json_close(&report->json, ']');
		json_put_u64(&report->json, "damaged", damaged);
		json_put_u64(&report->json, "repaired", report->total.repaired);
		json_close(&report->json, '}');
		buf_append_char(&report->out, '\n');
	} else if (left > 0) {
		buf_printf(&report->out,
			"%lu damaged: tamiz check --repair, on nodes that are stopped, drops "
			"them\n",
			left);
	} else if (damaged > 0) {
		buf_printf(&report->out, "%lu damaged and dropped\n", damaged);
	}
}

static int load_config(
	struct config *config, const struct check_options *options, struct error *err)
{
	char folder[PATH_MAX], file[PATH_MAX];

	if (options->file)
		return config_load_names(config, options->file, err);
	if (cluster_folder_path(options->state, folder, sizeof(folder), err))
		return -1;
	if (cluster_folder_read(folder, "file", file, sizeof(file), err))
		return error_set(err, ERROR_USAGE,
			"no cluster was started in %s: name its cluster file with --file", folder);
	return config_load_names(config, file, err);
}

static int run(const struct check_options *options, const struct operands *operands)
{
	struct report report = {.is_json = options->json};
	struct config config = {0};
	struct error err;
	int status;

	if (options->file && options->state) {
		error_set(&err, ERROR_USAGE, "--file and --state: one of them says it all");
		return cli_fail(&err);
	}
	buf_init(&report.out, TEXT_BYTES_MAX);
	buf_init(&report.findings, TEXT_BYTES_MAX);
	report.json.out = &report.out;
	if (options->json) {
		json_open(&report.json, NULL, '{');
		json_open(&report.json, "nodes", '[');
	}
	status = load_config(&config, options, &err);
	if (!status)
		status = check_nodes(&config, options, operands, &report, &err);
	config_release(&config);
	buf_release(&report.findings);
	if (status) {
		buf_release(&report.out);
		return cli_fail(&err);
	}
	put_total(&report);
	status = cli_print(&report.out);
	if (!status && report.total.damaged > report.total.repaired)
		status = error_exit_status(ERROR_DATA);
	return status;
}

int cmd_check(int argc, char *const *argv)
{
	struct check_options options = {0};
	struct operands operands;
	int status;

	if (!cli_parse(&cmd_check_spec, argc, argv, &options, &operands, &status))
		return status;
	return run(&options, &operands);
}
