/* tamiz deploy: files that run a cluster on a platform. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "deploy/deploy.h"

#include <stdio.h>
#include <string.h>

struct deploy_command {
	const char *file;
	struct deploy_options options;
	bool quiet;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FILE(
		struct deploy_command, file, "the cluster file (default: cluster.ini)"),
	{.name = "out",
		.letter = 'o',
		.argument = "DIR",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct deploy_command, options.folder),
		.help = "where the files go (default: a folder called as the platform)"},
	{.name = "image",
		.argument = "NAME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct deploy_command, options.image),
		.help = "the image of tamiz (default: tamiz:" TAMIZ_VERSION ")"},
	{.name = "broker-image",
		.argument = "NAME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct deploy_command, options.broker_image),
		.help = "the image of RabbitMQ (default: rabbitmq:3.13)"},
	{.name = "port",
		.letter = 'p',
		.argument = "PORT",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct deploy_command, options.port),
		.min = 1,
		.max = 65000,
		.help = "local: the proxy's; the other nodes use those after it\n(default: 7070)"},
	OPTION_ROW_QUIET(struct deploy_command, quiet, "say nothing on stderr but errors"),
};

const struct command_spec cmd_deploy_spec = {
	.name = "tamiz deploy",
	.operands = "compose|systemd|k8s|local",
	.summary = "Writes files that run the nodes of a cluster file on a platform.",
	.details = "Addresses, folders, the broker and who starts nodes again become the "
		   "platform's; all\n"
		   "else stays as the cluster file says. Secrets get a file of their own, for its "
		   "owner\n"
		   "alone, and stay when the files are written again.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int find_kind(const char *word, enum deploy_kind *kind, struct error *err)
{
	const char *nearest;

	for (int i = 0; i < DEPLOY_KINDS; i++)
		if (strcmp(word, deploy_words[i]) == 0) {
			*kind = (enum deploy_kind)i;
			return 0;
		}
	nearest = suggest_nearest(word, deploy_words);
	return error_set(err, ERROR_USAGE,
		"no platform \"%s\": there are compose, systemd, k8s and local%s%s%s", word,
		nearest ? ": did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

int cmd_deploy(int argc, char *const *argv)
{
	struct deploy_command command = {.file = "cluster.ini",
		.options = {.image = "tamiz:" TAMIZ_VERSION,
			.broker_image = "rabbitmq:3.13",
			.port = 7070}};
	struct config config = {0};
	struct operands operands;
	enum deploy_kind kind = DEPLOY_COMPOSE;
	struct error err;
	int status;

	if (!cli_parse(&cmd_deploy_spec, argc, argv, &command, &operands, &status))
		return status;
	status = find_kind(operands.items[0], &kind, &err);
	if (!status && !command.options.folder)
		command.options.folder = deploy_words[kind];
	if (!status)
		status = config_load_names(&config, command.file, &err);
	if (!status)
		status = deploy_write(kind, &config, &command.options, &err);
	config_release(&config);
	if (status)
		return cli_fail(&err);
	if (!command.quiet)
		fprintf(stderr, "written below %s\n", command.options.folder);
	return 0;
}
