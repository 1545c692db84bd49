/* tamiz drain: takes one node of this machine out of its cluster, and lets it in again. */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cluster/health.h"
#include "cluster/node_lock.h"
#include "cluster/roster.h"
#include "net/http.h"
#include "node/process.h"
#include "watch/driver.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define POLL_MS		 20u
#define ASK_MS		 1000u
#define ANSWER_BYTES_MAX (16u << 10)
#define UNIT_MAX	 256
/* After what it has in hand: its farewell to clients, and the end of the process. */
#define END_MS (PROCESS_DRAIN_MS + 25000u)

struct drain_options {
	const char *file;
	bool undo;
	bool quiet;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FILE(struct drain_options, file,
		"the cluster file (default: cluster.ini); of tamiz up it\n"
		"is cluster.ini in the cluster's folder"),
	{.name = "undo",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct drain_options, undo),
		.help = "let it in again, and wait until it is ready"},
	OPTION_ROW_QUIET(struct drain_options, quiet, "say nothing on stderr but errors"),
};

const struct command_spec cmd_drain_spec = {
	.name = "tamiz drain",
	.operands = "NODE",
	.summary = "Ends a node of this machine after the work in hand, and keeps it out.",
	.details = "Watchers do not start it again before --undo; all other nodes go on. Without a "
		   "gateway or\n"
		   "a filter the others do its work; for a reducer or the collector jobs wait.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static bool is_driver(const struct config *config, const char *driver)
{
	return strcmp(config->watcher.driver, driver) == 0;
}

/* systemctl VERB UNIT. */
static int tell_systemd(const struct config *config, const struct roster_node *node,
	const char *verb, struct error *err)
{
	char unit[UNIT_MAX];
	char *words[] = {"systemctl", (char *)verb, unit, NULL};
	int status, number;
	pid_t pid;

	if (!driver_fill(config->watcher.unit, node, "", unit, sizeof(unit)))
		return error_set(err, ERROR_USAGE, "[watcher] unit is too long");
	number = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (number)
		return error_set(err, ERROR_IO, "systemctl: %s", strerror(number));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(err, ERROR_IO, "systemctl: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return error_set(err, ERROR_IO, "systemctl %s %s failed", verb, unit);
	return 0;
}

static int tell_process(
	const struct config *config, const struct roster_node *node, struct error *err)
{
	const char *state = config->cluster.state;
	uint64_t started_ms = clock_monotonic_ms();
	struct node_lock_holder holder;
	pid_t told = 0;

	/* One signal for each: a second one would end it without its farewell. */
	while (node_lock_is_taken(state, node->name)) {
		if (node_lock_look(state, node->name, &holder) && holder.pid != told) {
			told = holder.pid;
			if (node_lock_signal(state, node->name, SIGTERM) == NODE_LOCK_REFUSED)
				return error_set(
					err, ERROR_IO, "%s is another user's process", node->name);
		}
		if (interrupt_pending())
			return error_set(
				err, ERROR_INTERRUPTED, "interrupted: %s is ending", node->name);
		if (clock_monotonic_ms() - started_ms > END_MS)
			return error_set(err, ERROR_IO, "%s does not end, process %ld", node->name,
				(long)told);
		clock_sleep_ms(POLL_MS);
	}
	return 0;
}

static int drain(const struct config *config, const struct roster_node *node, struct error *err)
{
	bool by_systemd = is_driver(config, "systemd");

	if (!by_systemd && !is_driver(config, "local"))
		return error_set(err, ERROR_USAGE,
			"[watcher] driver = %s: the platform starts the nodes of %s, and is asked "
			"to stop %s, too",
			config->watcher.driver, config->path, node->name);
	/* Before it ends, or a watcher would be quicker than we are. */
	if (node_lock_keep_out(config->cluster.state, node->name, err))
		return -1;
	if (by_systemd && tell_systemd(config, node, "stop", err))
		return -1;
	return tell_process(config, node, err);
}

static bool is_ready(const struct roster_node *node)
{
	struct error none;
	struct buf answer;
	int http = 0, status;

	buf_init(&answer, ANSWER_BYTES_MAX);
	status = http_get(&node->health, "/ready", ASK_MS, &answer, &http, &none);
	buf_release(&answer);
	return status == 0 && http == 200;
}

static int let_in(const struct config *config, const struct roster_node *node, struct error *err)
{
	uint64_t started_ms = clock_monotonic_ms();

	if (!node_lock_let_in(config->cluster.state, node->name))
		return error_set(err, ERROR_USAGE, "%s is not drained", node->name);
	if (is_driver(config, "systemd") && tell_systemd(config, node, "start", err))
		return -1;
	while (!is_ready(node)) {
		if (interrupt_pending())
			return error_set(
				err, ERROR_INTERRUPTED, "interrupted: %s may start", node->name);
		if (clock_monotonic_ms() - started_ms >
			config->watcher.start_patience_ms + config->watcher.replay_patience_ms)
			return error_set(err, ERROR_IO,
				"%s does not get ready: is there a watcher?", node->name);
		clock_sleep_ms(POLL_MS);
	}
	return 0;
}

static void tell(const struct roster_node *node, bool undo)
{
	if (undo)
		fprintf(stderr, "%s is ready\n", node->name);
	else
		fprintf(stderr, "%s has ended and stays out: tamiz drain %s --undo%s\n", node->name,
			node->name,
			node->kind == NODE_REDUCER || node->kind == NODE_COLLECTOR
				? "; jobs wait for it"
				: "");
}

int cmd_drain(int argc, char *const *argv)
{
	struct drain_options options = {.file = "cluster.ini"};
	struct roster_node node;
	struct operands operands;
	struct config config;
	struct error err;
	int status;

	if (!cli_parse(&cmd_drain_spec, argc, argv, &options, &operands, &status))
		return status;
	interrupt_install();
	status = config_load_names(&config, options.file, &err);
	if (!status && !roster_find(&config, operands.items[0], &node))
		status = error_set(
			&err, ERROR_USAGE, "%s has no node \"%s\"", config.path, operands.items[0]);
	if (!status)
		status = options.undo ? let_in(&config, &node, &err) : drain(&config, &node, &err);
	if (!status && !options.quiet)
		tell(&node, options.undo);
	config_release(&config);
	return status ? cli_fail(&err) : 0;
}
