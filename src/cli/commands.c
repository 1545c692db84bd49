#include "cli/commands.h"

#include "cli/cli.h"

#include <assert.h>
#include <string.h>

const struct command commands[] = {
	{"run", &cmd_run_spec, cmd_run},
	{"sql", &cmd_sql_spec, cmd_sql},
	{"shell", &cmd_shell_spec, cmd_shell},
	{"ui", &cmd_ui_spec, cmd_ui},
	{"tables", &cmd_tables_spec, cmd_tables},
	{"describe", &cmd_describe_spec, cmd_describe},
	{"summarize", &cmd_summarize_spec, cmd_summarize},
	{"sniff", &cmd_sniff_spec, cmd_sniff},
	{"explain", &cmd_explain_spec, cmd_explain},
	{"gen", &cmd_gen_spec, cmd_gen},
	{"packs", &cmd_packs_spec, cmd_packs},
	{"submit", &cmd_submit_spec, cmd_submit},
	{"results", &cmd_results_spec, cmd_results},
	{"jobs", &cmd_jobs_spec, cmd_jobs},
	{"trace", &cmd_trace_spec, cmd_trace},
	{"top", &cmd_top_spec, cmd_top},
	{"cancel", &cmd_cancel_spec, cmd_cancel},
	{"status", &cmd_status_spec, cmd_status},
	{"console", &cmd_console_spec, cmd_console},
	{"up", &cmd_up_spec, cmd_up},
	{"down", &cmd_down_spec, cmd_down},
	{"drain", &cmd_drain_spec, cmd_drain},
	{"check", &cmd_check_spec, cmd_check},
	{"deploy", &cmd_deploy_spec, cmd_deploy},
	{"user", &cmd_user_spec, cmd_user},
	{"chaos", &cmd_chaos_spec, cmd_chaos},
	{"gateway", &cmd_gateway_spec, cmd_gateway},
	{"reducer", &cmd_reducer_spec, cmd_reducer},
	{"collector", &cmd_collector_spec, cmd_collector},
	{"filter", &cmd_filter_spec, cmd_filter},
	{"proxy", &cmd_proxy_spec, cmd_proxy},
	{"watcher", &cmd_watcher_spec, cmd_watcher},
	{"node", &cmd_node_spec, cmd_node},
	{"completion", &cmd_completion_spec, cmd_completion},
	{"man", &cmd_man_spec, cmd_man},
};

const size_t command_count = sizeof(commands) / sizeof(*commands);
static_assert(sizeof(commands) / sizeof(*commands) <= COMMANDS_MAX, "there is room for all names");

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}
