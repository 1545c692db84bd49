/* tamiz up: a cluster on this machine, with a RabbitMQ of its own unless the file names one. */
#include "base/secret.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cluster/cluster_folder.h"
#include "node/process.h"
#include "watch/local_cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STOP_MS		  (PROCESS_DRAIN_MS + 3000u)
#define INTERRUPT_POLL_MS 50

struct up_options {
	const char *state;
	struct local_cluster_options cluster;
	bool detach;
	bool quiet;
};

#define REPLICAS_OPTION(option, text)                                                              \
	{                                                                                          \
		.name = #option, .argument = "N", .kind = OPTION_COUNT,                            \
		.offset = offsetof(struct up_options, cluster.option), .max = CONFIG_REPLICAS_MAX, \
		.help = text                                                                       \
	}

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FILE(struct up_options, cluster.file,
		"a cluster file; without one it is made from the options below"),
	REPLICAS_OPTION(gateways, "gateways, which read rows (default: 2)"),
	REPLICAS_OPTION(reducers, "reducers, which group, join and sort (default: 2)"),
	REPLICAS_OPTION(filters, "filters, for expensive functions (default: 0)"),
	{.name = "port",
		.letter = 'p',
		.argument = "PORT",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct up_options, cluster.port),
		.min = 1,
		.max = 65000,
		.help = "port of the proxy; the other nodes use the ports after it (default: "
			"7070)"},
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
	int lock;
	struct local_cluster cluster;
	int ready_fd; /* --detach: to be written to; -1: nobody waits */
	int log_fd;   /* --detach: stderr from then on */
};

static void say_nothing(const char *line)
{
	(void)line;
}

static void say(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static void tell_ready(struct up *up)
{
	if (!up->options->quiet) {
		fprintf(stderr,
			"ready. Now, for example:\n  tamiz submit coffee --data DIR --server %s\n",
			up->cluster.server);
		fprintf(stderr,
			up->options->detach ? "  tamiz down --state %s ends the cluster\n"
					    : "Ctrl-C ends the cluster in %s\n",
			up->folder);
	}
	if (up->ready_fd < 0)
		return;
	/* Nothing of the terminal is ours any more, and who started us may go. */
	dup2(up->log_fd, STDERR_FILENO);
	dup2(up->log_fd, STDOUT_FILENO);
	(void)!write(up->ready_fd, "r", 1);
	close(up->ready_fd);
	up->ready_fd = -1;
}

static int serve(struct up *up)
{
	struct error err;
	int status = 0;

	cluster_folder_sign(up->lock);
	if (local_cluster_start(&up->cluster, &err)) {
		status = cli_fail(&err);
	} else {
		tell_ready(up);
		local_cluster_supervise(&up->cluster);
		up->options->cluster.say("ending");
	}
	if (local_cluster_end(&up->cluster, &err))
		status = cli_fail(&err);
	return status;
}

/* --- in the background ---------------------------------------------------------------------------
 */

/*
 * The one who waits: until the other says that all is ready, or ends. A signal that came to us was
 * meant for the cluster: until the other has signed the lock, `down` knows nobody but us.
 */
static int wait_for_child(pid_t child, int fd)
{
	struct pollfd end = {.fd = fd, .events = POLLIN};
	bool is_told = false;
	char byte;

	while (poll(&end, 1, INTERRUPT_POLL_MS) <= 0) {
		if (interrupt_pending() && !is_told)
			is_told = kill(child, SIGTERM) == 0;
	}
	return read(fd, &byte, 1) == 1 ? 0 : 1;
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
		return wait_for_child(pid, ends[0]);
	}
	setsid();
	close(ends[0]);
	up->ready_fd = ends[1];
	return serve(up);
}

int cmd_up(int argc, char *const *argv)
{
	struct up_options options = {.cluster = {.reducers = UINT64_MAX,
					     .filters = UINT64_MAX,
					     .gateways = UINT64_MAX,
					     .port = UINT64_MAX,
					     .stop_ms = STOP_MS,
					     .interrupted = interrupt_pending}};
	struct up up = {.options = &options,
		.lock = -1,
		.cluster = {.options = &options.cluster},
		.ready_fd = -1,
		.log_fd = -1};
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_up_spec, argc, argv, &options, &operands, &status))
		return status;
	options.cluster.folder = up.folder;
	options.cluster.say = options.quiet ? say_nothing : say;
	secret_protect_process();
	interrupt_install();
	if (cluster_folder_path(options.state, up.folder, sizeof(up.folder), &err) ||
		cluster_folder_make(up.folder, &err) ||
		cluster_folder_lock(up.folder, &up.lock, &err))
		return cli_fail(&err);
	return options.detach ? detach(&up) : serve(&up);
}
