/* tamiz gateway, reducer, collector, filter, proxy, watcher, node: the nodes of a cluster, a
 * process each. */
#include "base/json_read.h"
#include "base/log.h"
#include "base/secret.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/ui/console_process.h"
#include "cluster/health.h"
#include "cluster/node_lock.h"
#include "cluster/roster.h"
#include "net/http.h"
#include "node/process.h"
#include "node/proxy.h"
#include "watch/watcher.h"

#include <stdio.h>
#include <string.h>

#define FILTER_INDEX_MAX 65535u
#define REPLACE_MS_MAX	 20000u
#define CHECK_MS	 5000u
#define ANSWER_BYTES_MAX (16u << 10)

struct node_options {
	const char *file;
	uint64_t index;
	bool replace;
	bool check;
};

#define OPTION_FILE                                                    \
	OPTION_ROW_CLUSTER_FILE(struct node_options, file,             \
		"the cluster file (default: cluster.ini), which all\n" \
		"nodes share")

#define OPTION_REPLACE                                                         \
	{                                                                      \
		.name = "replace", .kind = OPTION_FLAG,                        \
		.offset = offsetof(struct node_options, replace),              \
		.help = "kill the process that is this node on this machine\n" \
			"first, if there is one"                               \
	}

static const struct option_spec options_table[] = {
	OPTION_FILE,
	OPTION_REPLACE,
	{.name = "index",
		.letter = 'i',
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct node_options, index),
		.max = FILTER_INDEX_MAX,
		.help = "which one of its kind, from 0 (the default)"},
};

static const struct option_spec collector_options_table[] = {OPTION_FILE, OPTION_REPLACE};

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

const struct command_spec cmd_watcher_spec = {
	.name = "tamiz watcher",
	.operands = "",
	.summary = "Runs a watcher: starts again whatever node dies or is stuck.",
	.details = "It runs in the foreground and writes its log to stderr. SIGTERM or Ctrl-C ends "
		   "it; the\n"
		   "nodes go on. Of several watchers one leads; the others start it again.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static const struct option_spec node_options_table[] = {
	OPTION_FILE,
	OPTION_REPLACE,
	{.name = "check",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct node_options, check),
		.help = "only ask the node that runs how it is; fails when its\n"
			"event loop does not turn"},
};

const struct command_spec cmd_node_spec = {
	.name = "tamiz node",
	.operands = "NAME",
	.summary = "Runs a node by its name: tamiz node reducer-0.",
	.details = "The same as the command of its role with --index, for units and containers "
		   "that are\n"
		   "named after nodes.",
	.operands_min = 1,
	.operands_max = 1,
	.options = node_options_table,
	.option_count = sizeof(node_options_table) / sizeof(*node_options_table),
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

static int replace(
	const struct config *config, enum node_kind kind, uint64_t index, struct error *err)
{
	char name[ROSTER_NAME_MAX];

	roster_name(kind, (uint32_t)index, name);
	return node_lock_evict(config->cluster.state, name, REPLACE_MS_MAX, err);
}

static int run_role(
	const struct config *config, enum node_kind kind, uint64_t index, struct error *err)
{
	/* More filters than the file has may come and go. */
	if (kind != NODE_FILTER && check_index(config, config_replicas(config, kind), index, err))
		return -1;
	if (kind == NODE_WATCHER)
		return watcher_run(config, (uint32_t)index, err);
	if (kind == NODE_PROXY)
		return proxy_run(config, (uint32_t)index, err);
	if (kind == NODE_GATEWAY && config->console.listen.port &&
		console_process_start(config->path, (uint32_t)index, err))
		return -1;
	return process_run(config, kind, (uint32_t)index, err);
}

static void open_log(const struct config *config, const struct roster_node *node)
{
	static char name[ROSTER_NAME_MAX];

	roster_name(node->kind, node->index, name);
	log_use_json(strcmp(config->cluster.log, "json") == 0);
	log_keep_file(name);
	/* Where there is no journal, lines go to stderr. */
	if (strcmp(config->cluster.log, "journal") == 0)
		(void)log_use_journal(LOG_JOURNAL_SOCKET);
}

/* By a person, or a platform, and not by a watcher of a cluster that was ended since, or of a node that was drained. */
static void let_in(const struct config *config, const struct roster_node *node)
{
	char name[ROSTER_NAME_MAX];

	roster_name(node->kind, node->index, name);
	node_lock_permit(config->cluster.state);
	(void)node_lock_let_in(config->cluster.state, name);
}

static int load_and_run(const struct node_options *options, enum node_kind kind, const char *name,
	struct error *err)
{
	struct roster_node node = {.kind = kind, .index = (uint32_t)options->index};
	struct config config;
	int status;

	secret_protect_process();
	status = config_load(&config, options->file, err);
	if (!status && name && !roster_find(&config, name, &node))
		status = error_set(err, ERROR_USAGE, "%s has no node \"%s\"", config.path, name);
	if (!status)
		open_log(&config, &node);
	if (!status && options->replace)
		status = replace(&config, node.kind, node.index, err);
	else if (!status)
		let_in(&config, &node);
	if (!status)
		status = run_role(&config, node.kind, node.index, err);
	config_release(&config);
	return status;
}

/*
 * For platforms that end what is not alive. Without the broker a node is not healthy, and alive: a restart would not
 * bring the broker back.
 */
static int check(const struct node_options *options, const char *name, struct error *err)
{
	struct roster_node node;
	struct config config;
	struct buf answer;
	struct arena arena;
	int http, status = 0;

	buf_init(&answer, ANSWER_BYTES_MAX);
	arena_init(&arena, ANSWER_BYTES_MAX);
	status = config_load_names(&config, options->file, err);
	if (!status && !roster_find(&config, name, &node))
		status = error_set(err, ERROR_USAGE, "%s has no node \"%s\"", config.path, name);
	if (!status)
		status = http_get(&node.health, "/health", CHECK_MS, &answer, &http, err);
	if (!status) {
		struct json_value *root;

		printf("%s\n", answer.data);
		if (json_read(answer.data, answer.size, &arena, &root, err) ||
			json_number(root, "loop_ms") > HEALTH_LOOP_MS_MAX)
			status = error_set(
				err, ERROR_IO, "the event loop of %s does not turn", name);
	}
	arena_release(&arena);
	buf_release(&answer);
	config_release(&config);
	return status;
}

/* `named`: its operand says which one it is. */
static int run_node(const struct command_spec *spec, enum node_kind kind, bool named, int argc,
	char *const *argv)
{
	struct node_options options = {.file = "cluster.ini"};
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(spec, argc, argv, &options, &operands, &status))
		return status;
	if (options.check) {
		status = check(&options, operands.items[0], &err);
		return status ? cli_fail(&err) : 0;
	}
	if (load_and_run(&options, kind, named ? operands.items[0] : NULL, &err))
		return cli_fail(&err);
	return 0;
}

int cmd_gateway(int argc, char *const *argv)
{
	return run_node(&cmd_gateway_spec, NODE_GATEWAY, false, argc, argv);
}

int cmd_reducer(int argc, char *const *argv)
{
	return run_node(&cmd_reducer_spec, NODE_REDUCER, false, argc, argv);
}

int cmd_collector(int argc, char *const *argv)
{
	return run_node(&cmd_collector_spec, NODE_COLLECTOR, false, argc, argv);
}

int cmd_filter(int argc, char *const *argv)
{
	return run_node(&cmd_filter_spec, NODE_FILTER, false, argc, argv);
}

int cmd_proxy(int argc, char *const *argv)
{
	return run_node(&cmd_proxy_spec, NODE_PROXY, false, argc, argv);
}

int cmd_watcher(int argc, char *const *argv)
{
	return run_node(&cmd_watcher_spec, NODE_WATCHER, false, argc, argv);
}

int cmd_node(int argc, char *const *argv)
{
	return run_node(&cmd_node_spec, NODE_GATEWAY, true, argc, argv);
}
