/* tamiz up: a cluster on this machine, with a RabbitMQ of its own unless the file names one. */
#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/watch_report.h"
#include "client/net.h"
#include "cluster/broker.h"
#include "cluster/cluster_folder.h"
#include "cluster/node_lock.h"
#include "cluster/roster.h"
#include "cluster/shutdown.h"
#include "net/http.h"
#include "node/process.h"
#include "role/role.h"
#include "watch/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT_DEFAULT   7070u
#define TURN_MS	       20u
#define STOP_MS	       (PROCESS_DRAIN_MS + 3000u)
#define READY_MS_MAX   60000u
#define HEALTH_MS      250u
#define BURY_MS_MAX    1000u
#define DURABLE_MS_MAX 10000u
#define FLAPPING_MS    1000u
#define WATCHERS       3u
/* In which one of them takes its place, after a start of them all. */
#define WATCHERS_MS	 5000u
#define ANSWER_BYTES_MAX (64u << 10)
#define BROKER_PAUSE_MS	 1000u
#define SERVER_TEXT_MAX	 4096
#define BROKER_URL_NAME	 "TAMIZ_BROKER_URL"

struct up_options {
	const char *file;
	const char *state;
	uint64_t reducers;
	uint64_t filters;
	uint64_t gateways;
	uint64_t port;
	bool detach;
	bool quiet;
};

#define REPLICAS_OPTION(option, text)                                                      \
	{                                                                                  \
		.name = #option, .argument = "N", .kind = OPTION_COUNT,                    \
		.offset = offsetof(struct up_options, option), .max = CONFIG_REPLICAS_MAX, \
		.help = text                                                               \
	}

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FILE(struct up_options, file,
		"a cluster file; without one it is made from the options below"),
	REPLICAS_OPTION(gateways, "gateways, which read rows (default: 2)"),
	REPLICAS_OPTION(reducers, "reducers, which group, join and sort (default: 2)"),
	REPLICAS_OPTION(filters, "filters, for dear functions (default: 0)"),
	{.name = "port",
		.letter = 'p',
		.argument = "PORT",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct up_options, port),
		.min = 1,
		.max = 65000,
		.help = "of the proxy; the other nodes have the next ones (default: 7070)"},
	OPTION_ROW_CLUSTER_FOLDER(struct up_options, state,
		"the cluster's folder (default: $XDG_STATE_HOME/tamiz/cluster\n"
		"or ~/.local/state/tamiz/cluster)"),
	{.name = "detach",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct up_options, detach),
		.help = "return when all is ready; tamiz down ends the cluster"},
	OPTION_ROW_QUIET(struct up_options, quiet, "say nothing on stderr but errors"),
};

const struct command_spec cmd_up_spec = {
	.name = "tamiz up",
	.operands = "",
	.summary = "Starts a cluster on this machine, over a RabbitMQ of its own.",
	.details =
		"Every node is a process with a log of its own; watchers start one that dies or "
		"is\n"
		"stuck again.\n"
		"A cluster file whose broker is ${TAMIZ_BROKER_URL}, with that variable not set,\n"
		"gets a private RabbitMQ, too. Ctrl-C ends everything; jobs go on with the next\n"
		"start in the same folder.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

struct up {
	const struct up_options *options;
	char folder[PATH_MAX];
	char file[PATH_MAX]; /* the cluster file */
	int lock;
	struct broker *broker; /* NULL: it is not ours */
	uint64_t broker_due_ms;
	struct config config;
	struct roster_node nodes[ROSTER_NODES_MAX];
	uint32_t node_count;
	uint64_t started_ms;
	char server[SERVER_TEXT_MAX];
	int ready_fd; /* --detach: to be written to; -1: nobody waits */
	int log_fd;   /* --detach: stderr from then on */
};

static void say(const struct up *up, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(const struct up *up, const char *format, ...)
{
	va_list args;

	if (up->options->quiet)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* --- the broker ----------------------------------------------------------------------------------
 */

/* Whether the user's file leaves the broker to us. */
static bool wants_broker(const struct up_options *options)
{
	char line[512];
	bool named = false;
	FILE *file;

	if (!options->file)
		return true;
	if (getenv(BROKER_URL_NAME))
		return false;
	file = fopen(options->file, "re");
	while (file && fgets(line, sizeof(line), file))
		named = named || strstr(line, "${" BROKER_URL_NAME "}");
	if (file)
		fclose(file);
	return named;
}

static int start_broker(struct up *up, struct error *err)
{
	char folder[PATH_MAX];

	if (!wants_broker(up->options))
		return 0;
	snprintf(folder, sizeof(folder), "%.*s/broker", PATH_MAX - 16, up->folder);
	/* Of an `up` that was killed it may still run. */
	if (broker_attach(&up->broker, folder, err)) {
		if (!broker_is_installed())
			return error_set(err, ERROR_USAGE,
				"there is no RabbitMQ on this machine to start: install "
				"rabbitmq-server, or give a --file whose [broker] url names one");
		say(up, "starting a private RabbitMQ in %s", folder);
		if (broker_start(&up->broker, folder, NULL, err))
			return -1;
	}
	if (broker_wait_ready(up->broker, 0, err))
		return -1;
	if (setenv(BROKER_URL_NAME, broker_url(up->broker), 1))
		return error_set(err, ERROR_IO, "%s", strerror(errno));
	return 0;
}

static void look_after_broker(struct up *up, uint64_t now_ms)
{
	struct error err;

	/* With its folder in the cluster file, it is the watchers who do. */
	if (!up->broker || up->config.broker.folder[0] || now_ms < up->broker_due_ms ||
		broker_pid(up->broker) != 0)
		return;
	up->broker_due_ms = now_ms + BROKER_PAUSE_MS;
	say(up, "RabbitMQ has ended and is started again");
	if (broker_restart(up->broker, &err))
		say(up, "%s", err.message);
}

/* --- the cluster file ----------------------------------------------------------------------------
 */

static uint64_t or_default(uint64_t given, uint64_t usual)
{
	return given == UINT64_MAX ? usual : given;
}

/* A section with addresses on the next ports; `listen` for those that have more than a health. */
static void append_nodes(
	struct buf *text, enum node_kind kind, uint64_t replicas, uint64_t listen, uint64_t *port)
{
	buf_printf(text, "[%s]\n", config_kind_word(kind));
	if (kind != NODE_COLLECTOR)
		buf_printf(text, "replicas = %lu\n", (unsigned long)replicas);
	if (listen)
		buf_printf(text, "listen = 127.0.0.1:%lu\n", (unsigned long)listen);
	buf_printf(text, "health = 127.0.0.1:%lu\n", (unsigned long)*port);
	*port += replicas;
}

/* Ports in a row: the proxy's, the gateways', the watchers', then those of everyone's health. */
static int write_file(struct up *up, struct error *err)
{
	const struct up_options *options = up->options;
	uint64_t gateways = or_default(options->gateways, 2);
	uint64_t proxy = or_default(options->port, PORT_DEFAULT);
	uint64_t watcher = proxy + 1 + gateways;
	uint64_t port = watcher + WATCHERS;
	struct buf text;
	int status;

	buf_init(&text, CONFIG_FILE_MAX);
	buf_printf(&text,
		"; Written by tamiz up, anew at every start.\n"
		"[cluster]\nstate = nodes\nlogs = log\n"
		"[broker]\nurl = %s\nfolder = broker\n",
		broker_url(up->broker));
	append_nodes(&text, NODE_PROXY, 1, proxy, &port);
	append_nodes(&text, NODE_GATEWAY, gateways, proxy + 1, &port);
	append_nodes(&text, NODE_REDUCER, or_default(options->reducers, 2), 0, &port);
	append_nodes(&text, NODE_COLLECTOR, 1, 0, &port);
	append_nodes(&text, NODE_FILTER, or_default(options->filters, 0), 0, &port);
	append_nodes(&text, NODE_WATCHER, WATCHERS, watcher, &port);
	buf_append_char(&text, '\0');
	status = cluster_folder_write(up->folder, "cluster.ini", text.data, err);
	buf_release(&text);
	return status;
}

static int settle_file(struct up *up, struct error *err)
{
	const struct up_options *options = up->options;

	if (options->file) {
		if (options->gateways != UINT64_MAX || options->reducers != UINT64_MAX ||
			options->filters != UINT64_MAX || options->port != UINT64_MAX)
			return error_set(err, ERROR_USAGE,
				"the cluster file says how many nodes there are and where: give "
				"--file, or the other options");
		if (!realpath(options->file, up->file))
			return error_set(err, ERROR_IO, "%s: %s", options->file, strerror(errno));
	} else {
		if (write_file(up, err))
			return -1;
		snprintf(up->file, sizeof(up->file), "%.*s/cluster.ini", PATH_MAX - 16, up->folder);
	}
	if (config_load(&up->config, up->file, err))
		return -1;
	if (strcmp(up->config.watcher.driver, "local") != 0)
		return error_set(err, ERROR_USAGE,
			"%s: [watcher] driver = %s: tamiz up starts the nodes of a file with "
			"driver = local",
			up->file, up->config.watcher.driver);
	up->node_count = roster_list(&up->config, up->nodes, ROSTER_NODES_MAX);
	return cluster_folder_write(up->folder, "file", up->file, err);
}

/* What an `up` that was killed has left running. Its jobs go on with us. */
static int end_leftovers(struct up *up, struct error *err)
{
	struct config config;
	struct error unreadable;
	char file[PATH_MAX];
	int status = 0;

	if (cluster_folder_read(up->folder, "file", file, sizeof(file), &unreadable))
		return 0;
	if (config_load(&config, file, &unreadable) == 0 && shutdown_is_needed(&config)) {
		say(up, "ending the nodes that an earlier tamiz up has left");
		status = shutdown_run(&config, STOP_MS, err);
	}
	config_release(&config);
	return status;
}

/* What clients connect to: the proxies, or without any the gateways. */
static void find_servers(struct up *up)
{
	const struct config_service *service =
		up->config.proxy.replicas ? &up->config.proxy : &up->config.gateway;
	size_t used = 0;

	for (uint32_t i = 0; i < service->replicas; i++) {
		struct net_address address = config_found_at(&service->place, i);
		char text[NET_ADDRESS_TEXT];
		int size;

		net_address_format(&address, text);
		size = snprintf(
			up->server + used, sizeof(up->server) - used, "%s%s", i ? "," : "", text);
		if (size < 0 || used + (size_t)size >= sizeof(up->server)) {
			up->server[used] = '\0';
			return;
		}
		used += (size_t)size;
	}
}

/* --- the nodes -----------------------------------------------------------------------------------
 */

/* All of them, or those that are not there. */
static int start_watchers(struct up *up, struct error *err)
{
	for (uint32_t i = 0; i < up->node_count; i++)
		if (up->nodes[i].kind == NODE_WATCHER &&
			!node_lock_is_taken(up->config.cluster.state, up->nodes[i].name) &&
			driver_spawn(&up->config, &up->nodes[i], up->config.cluster.logs, err))
			return -1;
	up->started_ms = clock_monotonic_ms();
	return 0;
}

static int start_nodes(struct up *up, struct error *err)
{
	node_lock_permit(up->config.cluster.state);
	/* What watchers start outlives them; what ends is then ours to bury. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	say(up, "starting %lu gateways, %lu reducers, a collector, %lu filters and %lu proxies",
		(unsigned long)up->config.gateway.replicas,
		(unsigned long)up->config.reducer_replicas,
		(unsigned long)up->config.filter_replicas,
		(unsigned long)up->config.proxy.replicas);
	say(up, "under %lu watchers; logs: %s/*.log", (unsigned long)up->config.watcher.replicas,
		up->config.cluster.logs);
	return start_watchers(up, err);
}

static bool any_watcher_lives(const struct up *up)
{
	for (uint32_t i = 0; i < up->node_count; i++)
		if (up->nodes[i].kind == NODE_WATCHER &&
			node_lock_is_taken(up->config.cluster.state, up->nodes[i].name))
			return true;
	return false;
}

static void turn(struct up *up)
{
	struct error err;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	look_after_broker(up, clock_monotonic_ms());
	if (clock_monotonic_ms() - up->started_ms > WATCHERS_MS && !any_watcher_lives(up)) {
		say(up, "no watcher is left: they are started again");
		if (start_watchers(up, &err))
			say(up, "%s", err.message);
	}
	clock_sleep_ms(TURN_MS);
}

static bool is_ready(const struct roster_node *node)
{
	struct error ignored;
	int status = 0;
	struct buf body;

	buf_init(&body, ANSWER_BYTES_MAX);
	if (http_get(&node->health, "/ready", HEALTH_MS, &body, &status, &ignored))
		status = 0;
	buf_release(&body);
	return status == 200;
}

/* A node that keeps ending, as the leading watcher has it; false: there is none. */
static bool find_flapping(const struct up *up, char name[ROSTER_NAME_MAX])
{
	struct net_address watchers[CONFIG_WATCHERS_MAX];
	const struct json_value *nodes, *node;
	struct watch_report report;
	struct arena arena;

	name[0] = '\0';
	arena_init(&arena, ANSWER_BYTES_MAX);
	for (uint32_t i = 0; i < up->config.watcher.replicas; i++)
		watchers[i] = config_found_at(&up->config.health[NODE_WATCHER], i);
	watch_report_ask(&report, watchers, (uint32_t)up->config.watcher.replicas, &arena);
	nodes = json_get(report.root, "nodes");
	for (node = nodes ? nodes->first : NULL; node; node = node->next)
		if (json_number(node, "flapping"))
			snprintf(name, ROSTER_NAME_MAX, "%s", json_text(node, "name"));
	watch_report_release(&report);
	arena_release(&arena);
	return name[0] != '\0';
}

/* Until every node is ready. */
static int wait_ready(struct up *up, struct error *err)
{
	uint64_t started_ms = clock_monotonic_ms(), looked_ms = started_ms;
	char name[ROSTER_NAME_MAX];
	uint32_t next = 0;

	while (next < up->node_count) {
		if (interrupt_pending())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (clock_monotonic_ms() - started_ms > READY_MS_MAX)
			return error_set(err, ERROR_IO,
				"%s is not ready after %u s; its log is %s/%s.log",
				up->nodes[next].name, READY_MS_MAX / 1000, up->config.cluster.logs,
				up->nodes[next].name);
		if (clock_monotonic_ms() - looked_ms > FLAPPING_MS) {
			looked_ms = clock_monotonic_ms();
			if (!any_watcher_lives(up))
				return error_set(err, ERROR_IO,
					"no watcher starts; the logs %s/watcher-*.log say why",
					up->config.cluster.logs);
			if (find_flapping(up, name))
				return error_set(err, ERROR_IO,
					"%s does not start; its log %s/%s.log says why", name,
					up->config.cluster.logs, name);
		}
		turn(up);
		/* Answers alone do not tell: somebody else may have the port. */
		while (next < up->node_count &&
			node_lock_is_taken(up->config.cluster.state, up->nodes[next].name) &&
			is_ready(&up->nodes[next]))
			next++;
	}
	return 0;
}

static char *queue_name(const struct up *up, const char *format, uint32_t index)
{
	char name[TRANSPORT_QUEUE_NAME_MAX], *whole;

	snprintf(name, sizeof(name), format, index);
	if (asprintf(&whole, "%s%s", up->config.cluster.prefix, name) < 0)
		abort();
	return whole;
}

/*
 * Until a kill of our broker would be survived without the loss of a job. It is survived in any
 * case: a broker whose files we do not understand is not waited for for ever.
 */
static void wait_durable(struct up *up)
{
	uint32_t reducers = (uint32_t)up->config.reducer_replicas;
	uint32_t gateways = (uint32_t)up->config.gateway.replicas;
	uint32_t count = reducers + gateways + 1;
	uint64_t started_ms = clock_monotonic_ms();
	char **queues = memory_alloc(count * sizeof(*queues));

	for (uint32_t i = 0; i < reducers; i++)
		queues[i] = queue_name(up, ROLE_QUEUE_REDUCER, i);
	for (uint32_t i = 0; i < gateways; i++)
		queues[reducers + i] = queue_name(up, ROLE_QUEUE_GATEWAY, i);
	queues[count - 1] = queue_name(up, ROLE_QUEUE_COLLECTOR "%.0u", 0);
	while (up->broker && !interrupt_pending() &&
		clock_monotonic_ms() - started_ms < DURABLE_MS_MAX &&
		!broker_has_written(up->broker, (const char *const *)queues, count))
		turn(up);
	for (uint32_t i = 0; i < count; i++)
		free(queues[i]);
	free(queues);
}

static void tell_ready(struct up *up)
{
	say(up, "ready. Now, for example:\n  tamiz submit coffee --data DIR --server %s",
		up->server);
	say(up,
		up->options->detach ? "  tamiz down --state %s ends the cluster"
				    : "Ctrl-C ends the cluster in %s",
		up->folder);
	if (up->ready_fd < 0)
		return;
	/* Nothing of the terminal is ours any more, and who started us may go. */
	dup2(up->log_fd, STDERR_FILENO);
	dup2(up->log_fd, STDOUT_FILENO);
	(void)!write(up->ready_fd, "r", 1);
	close(up->ready_fd);
	up->ready_fd = -1;
}

static int run(struct up *up, struct error *err)
{
	if (start_broker(up, err) || end_leftovers(up, err) || settle_file(up, err))
		return -1;
	find_servers(up);
	if (cluster_folder_write(up->folder, "server", up->server, err))
		return -1;
	if (start_nodes(up, err) || wait_ready(up, err))
		return -1;
	wait_durable(up);
	tell_ready(up);
	while (!interrupt_pending())
		turn(up);
	say(up, "ending");
	return 0;
}

/* Those that ended with us; nobody else is there to bury them at once. */
static void bury(void)
{
	uint64_t started_ms = clock_monotonic_ms();
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 &&
		clock_monotonic_ms() - started_ms < BURY_MS_MAX)
		if (pid == 0)
			clock_sleep_ms(TURN_MS);
}

static int serve(struct up *up)
{
	struct error err;
	int status = 0;

	cluster_folder_sign(up->lock);
	if (run(up, &err))
		status = cli_fail(&err);
	if (up->node_count && shutdown_run(&up->config, STOP_MS, &err))
		status = cli_fail(&err);
	if (up->broker)
		broker_stop(up->broker);
	bury();
	config_release(&up->config);
	return status;
}

/* --- in the background ---------------------------------------------------------------------------
 */

/* The one who waits: until the other says that all is ready, or ends. */
static int wait_for_child(int fd)
{
	ssize_t got;
	char byte;

	do {
		got = read(fd, &byte, 1);
	} while (got < 0 && errno == EINTR && !interrupt_pending());
	return got == 1 ? 0 : 1;
}

static int detach(struct up *up)
{
	char log[PATH_MAX];
	struct error err;
	int ends[2];
	pid_t pid;

	snprintf(log, sizeof(log), "%.*s/log/up.log", PATH_MAX - 16, up->folder);
	up->log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (up->log_fd < 0 || pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
		error_set(&err, ERROR_IO, "%s: %s", log, strerror(errno));
		return cli_fail(&err);
	}
	if (pid > 0) {
		close(ends[1]);
		return wait_for_child(ends[0]);
	}
	setsid();
	close(ends[0]);
	up->ready_fd = ends[1];
	return serve(up);
}

int cmd_up(int argc, char *const *argv)
{
	struct up_options options = {.reducers = UINT64_MAX,
		.filters = UINT64_MAX,
		.gateways = UINT64_MAX,
		.port = UINT64_MAX};
	struct up up = {.options = &options, .lock = -1, .ready_fd = -1, .log_fd = -1};
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_up_spec, argc, argv, &options, &operands, &status))
		return status;
	interrupt_install();
	if (cluster_folder_path(options.state, up.folder, sizeof(up.folder), &err) ||
		cluster_folder_make(up.folder, &err) ||
		cluster_folder_lock(up.folder, &up.lock, &err))
		return cli_fail(&err);
	return options.detach ? detach(&up) : serve(&up);
}
