/* tamiz up: a cluster on this machine, with a RabbitMQ of its own unless the file names one. */
#include "cli/cli.h"
#include "cli/cluster_folder.h"
#include "cli/interrupt.h"
#include "client/ask.h"
#include "cluster/broker.h"
#include "cluster/config.h"
#include "cluster/supervisor.h"
#include "role/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PORT_DEFAULT 7070u
#define TURN_NS	     (20 * 1000 * 1000)
#define STOP_MS	     (PROCESS_DRAIN_MS + 3000u)
#define READY_MS_MAX 60000u
#define HEALTH_MS    250u
#define STEADY_MS    300u
/* Ends in a row, before the cluster was ever ready, that are no accident. */
#define HOPELESS_AFTER	5u
#define BROKER_PAUSE_MS 1000u
#define SERVER_TEXT_MAX 4096
#define BROKER_URL_NAME "TAMIZ_BROKER_URL"

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
	{.name = "file",
		.argument = "FILE",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct up_options, file),
		.help = "a cluster file; without one it is made from the options below"},
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
		.help = "of the proxy; the gateways have the next ones (default: 7070)"},
	{.name = "state",
		.argument = "DIR",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct up_options, state),
		.help = "the cluster's folder (default: $XDG_STATE_HOME/tamiz/cluster\n"
			"or ~/.local/state/tamiz/cluster)"},
	{.name = "detach",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct up_options, detach),
		.help = "return when all is ready; tamiz down ends the cluster"},
	{.name = "quiet",
		.letter = 'q',
		.kind = OPTION_FLAG,
		.offset = offsetof(struct up_options, quiet),
		.help = "say nothing on stderr but errors"},
};

const struct command_spec cmd_up_spec = {
	.name = "tamiz up",
	.operands = "",
	.summary = "Starts a cluster on this machine, over a RabbitMQ of its own.",
	.details =
		"Every node is a process with a log of its own; one that dies is started again.\n"
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
	struct supervisor *supervisor;
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

	if (!up->broker || now_ms < up->broker_due_ms || broker_pid(up->broker) != 0)
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

static int write_file(struct up *up, struct error *err)
{
	const struct up_options *options = up->options;
	uint64_t port = or_default(options->port, PORT_DEFAULT);
	struct buf text;
	int status;

	buf_init(&text, CONFIG_FILE_MAX);
	buf_printf(&text,
		"; Written by tamiz up, anew at every start.\n"
		"[cluster]\nstate = nodes\n"
		"[broker]\nurl = %s\n"
		"[gateway]\nreplicas = %lu\nlisten = 127.0.0.1:%lu\n"
		"[proxy]\nreplicas = 1\nlisten = 127.0.0.1:%lu\n"
		"[reducer]\nreplicas = %lu\n[filter]\nreplicas = %lu\n",
		broker_url(up->broker), (unsigned long)or_default(options->gateways, 2),
		(unsigned long)port + 1, (unsigned long)port,
		(unsigned long)or_default(options->reducers, 2),
		(unsigned long)or_default(options->filters, 0));
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
	return config_load(&up->config, up->file, err);
}

/* What clients connect to: the proxies, or without any the gateways. */
static void find_servers(struct up *up)
{
	const struct config_service *service =
		up->config.proxy.replicas ? &up->config.proxy : &up->config.gateway;
	size_t used = 0;

	for (uint32_t i = 0; i < service->replicas; i++) {
		struct config_address address = config_found_at(service, i);
		char text[CONFIG_ADDRESS_TEXT];
		int size;

		config_address_format(&address, text);
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

static void on_told(void *context, const char *name, const char *what)
{
	const struct up *up = context;

	say(up, "%s %s and is started again; its log is %s/log/%s.log", name, what, up->folder,
		name);
}

static void add_nodes(struct up *up, const char *role, uint64_t count, bool numbered)
{
	for (uint64_t i = 0; i < count; i++) {
		char name[64], index[24];
		const char *arguments[] = {role, "--file", up->file, NULL, NULL, NULL};

		snprintf(index, sizeof(index), "%lu", (unsigned long)i);
		snprintf(name, sizeof(name), numbered ? "%s-%s" : "%s", role, index);
		if (numbered) {
			arguments[3] = "--index";
			arguments[4] = index;
		}
		supervisor_add(up->supervisor, name, arguments);
	}
}

static void start_nodes(struct up *up)
{
	char log[PATH_MAX];

	snprintf(log, sizeof(log), "%.*s/log", PATH_MAX - 16, up->folder);
	up->supervisor = supervisor_new(log, on_told, up);
	add_nodes(up, "reducer", up->config.reducer_replicas, true);
	add_nodes(up, "collector", 1, false);
	add_nodes(up, "filter", up->config.filter_replicas, true);
	add_nodes(up, "gateway", up->config.gateway.replicas, true);
	add_nodes(up, "proxy", up->config.proxy.replicas, true);
	say(up, "starting %lu gateways, %lu reducers, a collector, %lu filters and %lu proxies",
		(unsigned long)up->config.gateway.replicas,
		(unsigned long)up->config.reducer_replicas,
		(unsigned long)up->config.filter_replicas,
		(unsigned long)up->config.proxy.replicas);
	say(up, "logs: %s/*.log", log);
}

static void turn(struct up *up)
{
	struct timespec pause = {0, TURN_NS};

	look_after_broker(up, net_now_ms());
	supervisor_turn(up->supervisor, net_now_ms());
	nanosleep(&pause, NULL);
}

static bool answers(const struct config_service *service, uint32_t index)
{
	struct config_address address = config_found_at(service, index);
	struct wire_message health = {.type = WIRE_HEALTH}, answer;
	char text[CONFIG_ADDRESS_TEXT];
	struct error ignored;
	struct arena arena;
	bool good;

	config_address_format(&address, text);
	arena_init(&arena, 4096);
	good = ask(text, &health, WIRE_HEALTH, HEALTH_MS, &arena, &answer, &ignored) == 0;
	arena_release(&arena);
	return good;
}

/* Until every gateway and proxy answers. */
static int wait_ready(struct up *up, struct error *err)
{
	uint64_t started_ms = net_now_ms();
	uint32_t gateway = 0, proxy = 0;

	/* Answers alone do not tell: somebody else may have the port. */
	while (gateway < up->config.gateway.replicas || proxy < up->config.proxy.replicas ||
		!supervisor_all_run(up->supervisor, STEADY_MS, net_now_ms())) {
		const char *name = supervisor_hopeless(up->supervisor, HOPELESS_AFTER);

		if (interrupt_pending())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (name)
			return error_set(err, ERROR_IO,
				"%s does not start; its log %s/log/%s.log says why", name,
				up->folder, name);
		if (net_now_ms() - started_ms > READY_MS_MAX)
			return error_set(err, ERROR_IO,
				"the cluster is not ready after %u s; see the logs in %s/log",
				READY_MS_MAX / 1000, up->folder);
		turn(up);
		if (gateway < up->config.gateway.replicas)
			gateway += answers(&up->config.gateway, gateway);
		else if (proxy < up->config.proxy.replicas)
			proxy += answers(&up->config.proxy, proxy);
	}
	return 0;
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
	if (start_broker(up, err) || settle_file(up, err))
		return -1;
	find_servers(up);
	if (cluster_folder_write(up->folder, "server", up->server, err))
		return -1;
	start_nodes(up);
	if (wait_ready(up, err))
		return -1;
	tell_ready(up);
	while (!interrupt_pending())
		turn(up);
	say(up, "ending");
	return 0;
}

static int serve(struct up *up)
{
	struct error err;
	int status = 0;

	cluster_folder_sign(up->lock);
	if (run(up, &err))
		status = cli_fail(&err);
	if (up->supervisor)
		supervisor_stop(up->supervisor, STOP_MS);
	supervisor_free(up->supervisor);
	if (up->broker)
		broker_stop(up->broker);
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

	switch (options_parse(&cmd_up_spec, argc, argv, &options, &operands, &err)) {
	case OPTIONS_HELP: return cli_help(&cmd_up_spec);
	case OPTIONS_ERROR: return cli_fail(&err);
	case OPTIONS_PARSED: break;
	}
	interrupt_install();
	if (cluster_folder_path(options.state, up.folder, sizeof(up.folder), &err) ||
		cluster_folder_make(up.folder, &err) ||
		cluster_folder_lock(up.folder, &up.lock, &err))
		return cli_fail(&err);
	return options.detach ? detach(&up) : serve(&up);
}
