/* tamiz gateway, reducer, collector, filter, proxy: the nodes of a cluster, a process each. */
#include "cli/cli.h"
#include "cluster/config.h"
#include "role/process.h"
#include "role/proxy.h"

#define FILTER_INDEX_MAX 65535u

struct node_options {
	const char *file;
	uint64_t index;
};

#define OPTION_FILE                                                            \
	{                                                                      \
		.name = "file", .argument = "FILE", .kind = OPTION_TEXT,       \
		.offset = offsetof(struct node_options, file),                 \
		.help = "the cluster file (default: cluster.ini), which all\n" \
			"nodes share"                                          \
	}

static const struct option_spec options_table[] = {
	OPTION_FILE,
	{.name = "index",
		.letter = 'i',
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct node_options, index),
		.max = FILTER_INDEX_MAX,
		.help = "which one of its kind, from 0 (the default)"},
};

static const struct option_spec collector_options_table[] = {OPTION_FILE};

#define DETAILS                                                                                  \
	"It runs in the foreground and writes its log to stderr. SIGTERM or Ctrl-C ends it "     \
	"after\n"                                                                                \
	"the work in hand; killed by anything else it goes on where it was when it is started\n" \
	"again."

const struct command_spec cmd_gateway_spec = {
	.name = "tamiz gateway",
	.operands = "",
	.summary = "Runs a gateway: takes the files of clients, gives them results.",
	.details = DETAILS,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

const struct command_spec cmd_reducer_spec = {
	.name = "tamiz reducer",
	.operands = "",
	.summary = "Runs a reducer: one part of the groups, joins and sorts of all jobs.",
	.details = DETAILS,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

const struct command_spec cmd_collector_spec = {
	.name = "tamiz collector",
	.operands = "",
	.summary = "Runs the collector: the last step of every query.",
	.details = DETAILS,
	.options = collector_options_table,
	.option_count = sizeof(collector_options_table) / sizeof(*collector_options_table),
};

const struct command_spec cmd_filter_spec = {
	.name = "tamiz filter",
	.operands = "",
	.summary = "Runs a filter: works on rows in place of gateways.",
	.details = DETAILS,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

const struct command_spec cmd_proxy_spec = {
	.name = "tamiz proxy",
	.operands = "",
	.summary = "Runs a proxy: spreads clients over the gateways that are healthy.",
	.details = "It runs in the foreground, writes its log to stderr and keeps nothing: SIGTERM "
		   "or\n"
		   "Ctrl-C ends it at once, and clients connect again.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int check_index(
	const struct config *config, uint64_t replicas, uint64_t index, struct error *err)
{
	if (index < replicas)
		return 0;
	return error_set(err, ERROR_USAGE,
		"--index %lu: %s has replicas = %lu for this role, numbered from 0",
		(unsigned long)index, config->path, (unsigned long)replicas);
}

static int run_role(
	const struct config *config, enum process_kind kind, uint64_t index, struct error *err)
{
	uint64_t replicas = kind == PROCESS_GATEWAY   ? config->gateway.replicas
			    : kind == PROCESS_REDUCER ? config->reducer_replicas
						      : UINT64_MAX;

	if (check_index(config, replicas, index, err))
		return -1;
	return process_run(config, kind, (uint32_t)index, err);
}

static int run_proxy(
	const struct config *config, enum process_kind kind, uint64_t index, struct error *err)
{
	(void)kind;
	if (check_index(config, config->proxy.replicas, index, err))
		return -1;
	return proxy_run(config, (uint32_t)index, err);
}

typedef int (*run_fn)(
	const struct config *config, enum process_kind kind, uint64_t index, struct error *err);

static int run_node(const struct command_spec *spec, run_fn run, enum process_kind kind, int argc,
	char *const *argv)
{
	struct node_options options = {.file = "cluster.ini"};
	struct operands operands;
	struct config config;
	struct error err;
	int status = 0;

	switch (options_parse(spec, argc, argv, &options, &operands, &err)) {
	case OPTIONS_HELP: return cli_help(spec);
	case OPTIONS_ERROR: return cli_fail(&err);
	case OPTIONS_PARSED: break;
	}
	if (config_load(&config, options.file, &err) || run(&config, kind, options.index, &err))
		status = cli_fail(&err);
	config_release(&config);
	return status;
}

int cmd_gateway(int argc, char *const *argv)
{
	return run_node(&cmd_gateway_spec, run_role, PROCESS_GATEWAY, argc, argv);
}

int cmd_reducer(int argc, char *const *argv)
{
	return run_node(&cmd_reducer_spec, run_role, PROCESS_REDUCER, argc, argv);
}

int cmd_collector(int argc, char *const *argv)
{
	return run_node(&cmd_collector_spec, run_role, PROCESS_COLLECTOR, argc, argv);
}

int cmd_filter(int argc, char *const *argv)
{
	return run_node(&cmd_filter_spec, run_role, PROCESS_FILTER, argc, argv);
}

int cmd_proxy(int argc, char *const *argv)
{
	return run_node(&cmd_proxy_spec, run_proxy, PROCESS_GATEWAY, argc, argv);
}
