/* tamiz chaos: hurts a cluster on this machine while jobs run, and says whether they came out
 * right. */
#include "base/clock.h"
#include "base/random.h"
#include "chaos/chaos.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/print/human.h"
#include "cluster/cluster_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_DEFAULT	"500ms"
#define FOR_DEFAULT	"1m"
#define PAUSE_DEFAULT	"5s"
#define PATIENCE	"5m"
#define SERVER_TEXT_MAX 4096
#define CLIENTS_USUAL	4u
#define SIZE_USUAL	"3M"

struct chaos_arguments {
	const char *state;
	const char *every;
	const char *duration;
	const char *longest;
	const char *patience;
	const char *kinds;
	const char *except;
	const char *size;
	uint64_t seed;
	uint64_t clients;
	uint64_t bombs;
	bool bomb;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FOLDER(struct chaos_arguments, state, FOR_UP_HELP),
	{.name = "for",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, duration),
		.help = "how long (default: " FOR_DEFAULT ")"},
	{.name = "every",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, every),
		.help = "time from one fault to the next, on average (default: " EVERY_DEFAULT ")"},
	{.name = "kinds",
		.argument = "LIST",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, kinds),
		.help = "kinds of faults: kill, pause, slow, cut (default: all of them)"},
	{.name = "except",
		.argument = "LIST",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, except),
		.help = "nodes or roles that are spared: reducer-0,watcher"},
	{.name = "longest",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, longest),
		.help = "length of a pause or of a slow spell (default: " PAUSE_DEFAULT ")"},
	{.name = "clients",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct chaos_arguments, clients),
		.max = CLIENTS_MAX,
		.help = "clients that submit jobs all the time (default: 4)"},
	{.name = "size",
		.argument = "SIZE",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, size),
		.help = "size of a job's data (default: " SIZE_USUAL ")"},
	{.name = "patience",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_arguments, patience),
		.help = "a job that takes longer has failed (default: " PATIENCE ")"},
	{.name = "seed",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct chaos_arguments, seed),
		.max = UINT64_MAX - 1,
		.help = "seed that decides what is hurt and when (default: a new one each time)"},
	{.name = "bomb",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct chaos_arguments, bomb),
		.help = "kill everything but one watcher, at once, while each\n"
			"client has a job, in place of all other faults"},
	{.name = "bombs",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct chaos_arguments, bombs),
		.min = 1,
		.max = 10000,
		.help = "so many, each when the jobs of the one before are done\n"
			"(default: 1)"},
};

const struct command_spec cmd_chaos_spec = {
	.name = "tamiz chaos",
	.operands = "[PACK]...",
	.summary = "Hurts a cluster that tamiz up started, and checks that jobs come out right.",
	.details =
		"Kills nodes, stops them for a while, slows them down and cuts their connections,\n"
		"at random, while clients submit packs (coffee, movies and books unless some are\n"
		"given) on generated data. Prints what it does, and at the end how many jobs gave\n"
		"the bytes of the embedded engine. RabbitMQ itself is spared. Ends with status 0\n"
		"when all of them did.",
	.operands_max = CLIENTS_PACKS_MAX,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

/* Everything of one run. */
struct chaos_command {
	const struct chaos_arguments *given;
	char folder[PATH_MAX];
	char server[SERVER_TEXT_MAX];
	char data[PATH_MAX]; /* where the clients have their files */
	struct config config;
	struct chaos chaos;
	uint64_t started_ms;
};

static void on_told(void *context, const char *line)
{
	const struct chaos_command *command = context;
	uint64_t ms = clock_monotonic_ms() - command->started_ms;

	printf("%4lu.%03lu  %s\n", (unsigned long)(ms / 1000), (unsigned long)(ms % 1000), line);
	fflush(stdout);
}

static int parse_time(const char *option, const char *text, uint64_t *ms, struct error *err)
{
	if (config_time_parse(text, ms) && *ms > 0)
		return 0;
	return error_set(
		err, ERROR_USAGE, "--%s %s: a time is a number with ms, s, m or h", option, text);
}

static int open_cluster(struct chaos_command *command, struct error *err)
{
	char file[PATH_MAX];

	if (cluster_folder_path(
		    command->given->state, command->folder, sizeof(command->folder), err))
		return -1;
	if (cluster_folder_read(command->folder, "file", file, sizeof(file), err))
		return error_set(err, ERROR_USAGE,
			"no cluster was started in %s: tamiz up starts one", command->folder);
	return config_load(&command->config, file, err);
}

static int open_chaos(struct chaos_command *command, struct error *err)
{
	const struct chaos_arguments *given = command->given;
	struct chaos_options options = {
		.config = &command->config,
		.folder = command->folder,
		.kinds = given->kinds,
		.except = given->except,
		.bombs = given->bomb ? given->bombs : 0,
		.seed = given->seed,
		.interrupted = interrupt_pending,
		.told = on_told,
		.context = command,
	};

	if (parse_time("every", given->every, &options.every_ms, err) ||
		parse_time("for", given->duration, &options.duration_ms, err) ||
		parse_time("longest", given->longest, &options.longest_ms, err))
		return -1;
	return chaos_init(&command->chaos, &options, err);
}

static int open_clients(
	struct chaos_command *command, const struct operands *operands, struct error *err)
{
	static const char *const usual[] = {"coffee", "movies", "books"};
	struct clients_options options = {
		.folder = command->data,
		.server = command->server,
		.count = (uint32_t)command->given->clients,
		.size = command->given->size,
	};

	if (parse_time("patience", command->given->patience, &options.job_ms_max, err) ||
		cluster_folder_read(
			command->folder, "server", command->server, sizeof(command->server), err))
		return -1;
	snprintf(
		command->data, sizeof(command->data), "%.*s/chaos", PATH_MAX - 16, command->folder);
	options.pack_count = operands->count ? operands->count : 3;
	for (uint32_t i = 0; i < options.pack_count; i++)
		options.packs[i] = operands->count ? operands->items[i] : usual[i];
	return chaos_prepare_clients(&command->chaos, options, err);
}

static int report(const struct chaos_command *command)
{
	const struct chaos *chaos = &command->chaos;
	const struct clients *clients = &chaos->clients;
	char text[HUMAN_TEXT_MAX], worst[HUMAN_TEXT_MAX];
	uint64_t mean_ms = clients->right ? clients->job_ms / clients->right : 0;

	printf("\nfaults:");
	if (command->given->bomb)
		printf(" %lu bombs", (unsigned long)chaos->bombs);
	for (uint32_t i = 0; i < FAULT_KINDS && !command->given->bomb; i++)
		printf("%s %lu %s", i ? "," : "", (unsigned long)chaos->counts[i], fault_names[i]);
	printf("; %lu times nobody was there\n", (unsigned long)chaos->missed);
	printf("jobs:   %lu started, %lu right, %lu wrong, %lu failed",
		(unsigned long)clients->started, (unsigned long)clients->right,
		(unsigned long)clients->wrong, (unsigned long)clients->failed);
	printf("; a right one took %s on average and %s at most\n",
		human_seconds((double)mean_ms / 1000, text),
		human_seconds((double)clients->job_ms_worst / 1000, worst));
	return clients->wrong + clients->failed > 0 || clients->right < clients->started;
}

static int run(struct chaos_command *command, const struct operands *operands, struct error *err)
{
	if (open_cluster(command, err) || open_chaos(command, err))
		return cli_fail(err);
	command->started_ms = clock_monotonic_ms();
	printf("seed %lu, cluster in %s\n", (unsigned long)command->given->seed, command->folder);
	fflush(stdout);
	if (command->given->clients && open_clients(command, operands, err))
		return cli_fail(err);
	command->started_ms = clock_monotonic_ms();
	chaos_run(&command->chaos);
	return report(command);
}

int cmd_chaos(int argc, char *const *argv)
{
	struct chaos_arguments options = {
		.every = EVERY_DEFAULT,
		.duration = FOR_DEFAULT,
		.longest = PAUSE_DEFAULT,
		.patience = PATIENCE,
		.size = SIZE_USUAL,
		.seed = UINT64_MAX,
		.clients = CLIENTS_USUAL,
		.bombs = 1,
	};
	static struct chaos_command command;
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_chaos_spec, argc, argv, &options, &operands, &status))
		return status;
	if (options.seed == UINT64_MAX && random_bytes(&options.seed, sizeof(options.seed)) == 0)
		options.seed >>= 32;
	interrupt_install();
	command.given = &options;
	status = run(&command, &operands, &err);
	config_release(&command.config);
	return status;
}
