/* tamiz down: ends a cluster that `tamiz up` started on this machine. */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cluster/broker.h"
#include "cluster/cluster_folder.h"
#include "cluster/shutdown.h"
#include "node/process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS		 50u
#define POLLS_PER_S	 20
#define DOWN_SECONDS_MAX 60
#define DRAIN_EXTRA_MS	 3000u

struct down_options {
	const char *state;
	bool quiet;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FOLDER(struct down_options, state, FOR_UP_HELP),
	OPTION_ROW_QUIET(struct down_options, quiet, "say nothing on stderr"),
};

const struct command_spec cmd_down_spec = {
	.name = "tamiz down",
	.operands = "",
	.summary = "Ends the cluster that tamiz up started on this machine.",
	.details = "Jobs that are not done go on when the cluster is started again.",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* Its `up` has died: we end what it left. */
static int end_orphans(const char *folder, struct error *err)
{
	char file[PATH_MAX], broker_folder[PATH_MAX];
	struct broker *broker = NULL;
	struct config config;
	struct error none;
	int status = 0;

	snprintf(broker_folder, sizeof(broker_folder), "%.*s/broker", PATH_MAX - 16, folder);
	if (broker_attach(&broker, broker_folder, &none) == 0)
		setenv("TAMIZ_BROKER_URL", broker_url(broker), 1);
	if (cluster_folder_read(folder, "file", file, sizeof(file), &none))
		return error_set(err, ERROR_USAGE, "no cluster runs in %s", folder);
	if (config_load(&config, file, err))
		status = -1;
	else if (!broker && !shutdown_is_needed(&config))
		status = error_set(err, ERROR_USAGE, "no cluster runs in %s", folder);
	else
		status = shutdown_run(&config, PROCESS_DRAIN_MS + DRAIN_EXTRA_MS, err);
	config_release(&config);
	if (broker)
		broker_stop(broker);
	return status;
}

static int take_down(const char *folder, struct error *err)
{
	pid_t owner = cluster_folder_owner(folder);

	if (owner == 0)
		return end_orphans(folder, err);
	if (kill(owner, SIGTERM))
		return error_set(err, ERROR_IO, "the process %ld cannot be ended: %s", (long)owner,
			strerror(errno));
	/* A detached `up` tells the process that follows it, which then signs the lock. */
	for (int i = 0; i < DOWN_SECONDS_MAX * POLLS_PER_S; i++) {
		if (cluster_folder_owner(folder) == 0)
			return 0;
		if (interrupt_pending())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		clock_sleep_ms(POLL_MS);
	}
	return error_set(
		err, ERROR_IO, "the process %ld does not end; see %s/log", (long)owner, folder);
}

int cmd_down(int argc, char *const *argv)
{
	struct down_options options = {0};
	struct operands operands;
	char folder[PATH_MAX];
	struct error err;
	int status;

	if (!cli_parse(&cmd_down_spec, argc, argv, &options, &operands, &status))
		return status;
	interrupt_install();
	if (cluster_folder_path(options.state, folder, sizeof(folder), &err) ||
		take_down(folder, &err))
		return cli_fail(&err);
	if (!options.quiet)
		fprintf(stderr, "the cluster in %s has ended\n", folder);
	return 0;
}
