/* tamiz chaos: hurts a cluster on this machine while jobs run, and says whether they came out
 * right. */
#include "base/clock.h"
#include "base/random.h"
#include "chaos/clients.h"
#include "chaos/faults.h"
#include "cli/cli.h"
#include "cli/cluster_folder.h"
#include "cli/common_options.h"
#include "cli/human.h"
#include "cli/interrupt.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS	      5u
#define EVERY_DEFAULT "500ms"
#define FOR_DEFAULT   "1m"
#define PAUSE_DEFAULT "5s"
#define PATIENCE      "5m"
#define CLIENTS_USUAL 4u
#define SIZE_USUAL    "3M"
#define FAULT_MS_MIN  100u
#define CUT_MS_MAX    2000u
#define BOMB_WAIT_MS  2000u
#define EXCEPT_MAX    64

struct chaos_options {
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
	OPTION_ROW_CLUSTER_FOLDER(struct chaos_options, state, FOR_UP_HELP),
	{.name = "for",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, duration),
		.help = "how long (default: " FOR_DEFAULT ")"},
	{.name = "every",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, every),
		.help = "a fault each, on average (default: " EVERY_DEFAULT ")"},
	{.name = "kinds",
		.argument = "LIST",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, kinds),
		.help = "of kill, pause, slow, cut (default: all of them)"},
	{.name = "except",
		.argument = "LIST",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, except),
		.help = "nodes or roles that are spared: reducer-0,watcher"},
	{.name = "longest",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, longest),
		.help = "of a pause or a slow time (default: " PAUSE_DEFAULT ")"},
	{.name = "clients",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct chaos_options, clients),
		.max = CLIENTS_MAX,
		.help = "that submit jobs all the time (default: 4)"},
	{.name = "size",
		.argument = "SIZE",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, size),
		.help = "of the data of a job (default: " SIZE_USUAL ")"},
	{.name = "patience",
		.argument = "TIME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct chaos_options, patience),
		.help = "a job that takes longer has failed (default: " PATIENCE ")"},
	{.name = "seed",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct chaos_options, seed),
		.max = UINT64_MAX - 1,
		.help = "of what is hurt, and when (default: another each time)"},
	{.name = "bomb",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct chaos_options, bomb),
		.help = "kill everything but one watcher, at once, while each\n"
			"client has a job, in place of all other faults"},
	{.name = "bombs",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct chaos_options, bombs),
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

struct chaos {
	const struct chaos_options *options;
	char folder[PATH_MAX];
	struct config config;
	struct rng rng;
	struct roster_node nodes[ROSTER_NODES_MAX]; /* those that are not spared */
	uint32_t node_count;
	enum fault_kind kinds[FAULT_KINDS];
	uint32_t kind_count;
	uint64_t every_ms;
	uint64_t duration_ms;
	uint64_t longest_ms;
	uint64_t started_ms;
	struct faults faults;
	struct clients clients;
	uint64_t counts[FAULT_KINDS];
	uint64_t missed; /* nobody was there to be hurt */
	uint64_t bombs;
};

static void say(const struct chaos *chaos, const char *text)
{
	uint64_t ms = clock_monotonic_ms() - chaos->started_ms;

	printf("%4lu.%03lu  %s\n", (unsigned long)(ms / 1000), (unsigned long)(ms % 1000), text);
	fflush(stdout);
}

static void on_told(void *context, const char *line)
{
	say(context, line);
}

/* --- what is wanted ------------------------------------------------------------------------------
 */

static int parse_time(const char *option, const char *text, uint64_t *ms, struct error *err)
{
	if (config_time_parse(text, ms) && *ms > 0)
		return 0;
	return error_set(
		err, ERROR_USAGE, "--%s %s: a time is a number with ms, s, m or h", option, text);
}

/* Whether `word` stands in a list with commas. */
static bool is_listed(const char *list, const char *word)
{
	size_t size = strlen(word);

	while (list && *list) {
		size_t length = strcspn(list, ",");

		if (length == size && strncmp(list, word, size) == 0)
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

static int check_list(const char *option, const char *list, const char *const *known,
	const struct chaos *chaos, struct error *err)
{
	char word[64];

	while (list && *list) {
		size_t length = strcspn(list, ",");
		bool good = false;

		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		for (const char *const *name = known; name && *name; name++)
			good = good || strcmp(*name, word) == 0;
		for (uint32_t i = 0; !known && i < chaos->node_count; i++)
			good = good || strcmp(chaos->nodes[i].name, word) == 0 ||
			       strcmp(chaos->nodes[i].role, word) == 0;
		if (!good)
			return error_set(err, ERROR_USAGE, "--%s %s: %s", option, word,
				known ? "a kind is one of kill, pause, slow, cut"
				      : "the cluster has no such node or role");
		list += length + (list[length] == ',');
	}
	return 0;
}

static int settle(struct chaos *chaos, struct error *err)
{
	const struct chaos_options *options = chaos->options;
	uint32_t kept = 0;

	if (parse_time("every", options->every, &chaos->every_ms, err) ||
		parse_time("for", options->duration, &chaos->duration_ms, err) ||
		parse_time("longest", options->longest, &chaos->longest_ms, err) ||
		check_list("kinds", options->kinds, fault_names, chaos, err))
		return -1;
	chaos->node_count = roster_list(&chaos->config, chaos->nodes, ROSTER_NODES_MAX);
	if (check_list("except", options->except, NULL, chaos, err))
		return -1;
	for (uint32_t i = 0; i < chaos->node_count; i++)
		if (!is_listed(options->except, chaos->nodes[i].name) &&
			!is_listed(options->except, chaos->nodes[i].role))
			chaos->nodes[kept++] = chaos->nodes[i];
	chaos->node_count = kept;
	for (uint32_t i = 0; i < FAULT_KINDS; i++)
		if (!options->kinds || is_listed(options->kinds, fault_names[i]))
			chaos->kinds[chaos->kind_count++] = (enum fault_kind)i;
	if (chaos->node_count == 0 || chaos->kind_count == 0)
		return error_set(err, ERROR_USAGE, "everything is spared: there is nothing to do");
	return 0;
}

static int open_cluster(struct chaos *chaos, struct error *err)
{
	char file[PATH_MAX];

	if (cluster_folder_path(chaos->options->state, chaos->folder, sizeof(chaos->folder), err))
		return -1;
	if (cluster_folder_read(chaos->folder, "file", file, sizeof(file), err))
		return error_set(err, ERROR_USAGE,
			"no cluster was started in %s: tamiz up starts one", chaos->folder);
	return config_load(&chaos->config, file, err);
}

static int open_clients(struct chaos *chaos, const struct operands *operands, struct error *err)
{
	static const char *const usual[] = {"coffee", "movies", "books"};
	static char server[4096], folder[PATH_MAX];
	struct clients_options options = {
		.folder = folder,
		.server = server,
		.count = (uint32_t)chaos->options->clients,
		.size = chaos->options->size,
		.told = on_told,
		.context = chaos,
	};

	if (parse_time("patience", chaos->options->patience, &options.job_ms_max, err) ||
		cluster_folder_read(chaos->folder, "server", server, sizeof(server), err))
		return -1;
	snprintf(folder, sizeof(folder), "%.*s/chaos", PATH_MAX - 16, chaos->folder);
	options.pack_count = operands->count ? operands->count : 3;
	for (uint32_t i = 0; i < options.pack_count; i++)
		options.packs[i] = operands->count ? operands->items[i] : usual[i];
	return clients_init(&chaos->clients, &options, &chaos->rng, err);
}

/* --- what is done --------------------------------------------------------------------------------
 */

static void hurt(struct chaos *chaos, uint64_t now_ms)
{
	enum fault_kind kind = chaos->kinds[rng_below(&chaos->rng, chaos->kind_count)];
	const struct roster_node *node = &chaos->nodes[rng_below(&chaos->rng, chaos->node_count)];
	uint64_t longest_ms = kind == FAULT_CUT && chaos->longest_ms > CUT_MS_MAX
				      ? CUT_MS_MAX
				      : chaos->longest_ms;
	uint64_t length_ms = FAULT_MS_MIN + rng_below(&chaos->rng, longest_ms);
	char text[160];
	pid_t pid = 0;

	switch (faults_begin(&chaos->faults, kind, node->name, length_ms, now_ms, &pid)) {
	case FAULT_NOBODY: chaos->missed++; return;
	case FAULT_NOT_ALLOWED:
		snprintf(text, sizeof(text), "%-5s %s: not allowed", fault_names[kind], node->name);
		say(chaos, text);
		chaos->missed++;
		return;
	case FAULT_BEGUN: break;
	}
	chaos->counts[kind]++;
	if (kind == FAULT_KILL)
		snprintf(text, sizeof(text), "%-5s %s (process %ld)", fault_names[kind], node->name,
			(long)pid);
	else
		snprintf(text, sizeof(text), "%-5s %s (process %ld) for %lu ms", fault_names[kind],
			node->name, (long)pid, (unsigned long)length_ms);
	say(chaos, text);
}

static void rest(void)
{

	clock_sleep_ms(TURN_MS);
}

static void run_faults(struct chaos *chaos)
{
	uint64_t next_ms = clock_monotonic_ms() + chaos->every_ms;
	uint64_t end_ms = clock_monotonic_ms() + chaos->duration_ms;
	uint64_t now_ms = clock_monotonic_ms();

	for (; now_ms < end_ms && !interrupt_pending(); now_ms = clock_monotonic_ms()) {
		clients_turn(&chaos->clients, true, now_ms);
		faults_turn(&chaos->faults, now_ms);
		if (now_ms >= next_ms) {
			hurt(chaos, now_ms);
			next_ms +=
				chaos->every_ms / 2 + rng_below(&chaos->rng, chaos->every_ms + 1);
		}
		rest();
	}
	faults_end_all(&chaos->faults);
}

/* Everything of ours but one watcher. */
static void drop_bomb(struct chaos *chaos)
{
	uint32_t watchers = (uint32_t)chaos->config.watcher.replicas;
	uint32_t survivor = (uint32_t)rng_below(&chaos->rng, watchers);
	pid_t owner = cluster_folder_owner(chaos->folder);
	char text[128];
	uint32_t killed = 0;

	/* `tamiz up` is one of us; the cluster does without it. */
	if (owner && kill(owner, SIGKILL) == 0)
		killed++;
	for (uint32_t i = 0; i < chaos->node_count; i++) {
		const struct roster_node *node = &chaos->nodes[i];

		if (node->kind == NODE_WATCHER && node->index == survivor)
			continue;
		killed += node_lock_signal(chaos->config.cluster.state, node->name, SIGKILL) ==
			  NODE_LOCK_SENT;
	}
	chaos->bombs++;
	snprintf(text, sizeof(text), "bomb %lu: %u processes killed, watcher-%u lives; %u jobs run",
		(unsigned long)chaos->bombs, killed, survivor, clients_busy(&chaos->clients));
	say(chaos, text);
}

/* Until all who have a job have finished it. */
static void wait_for_jobs(struct chaos *chaos)
{
	while (clients_busy(&chaos->clients) > 0 && !interrupt_pending()) {
		clients_turn(&chaos->clients, false, clock_monotonic_ms());
		rest();
	}
}

static void run_bombs(struct chaos *chaos)
{
	while (chaos->bombs < chaos->options->bombs && !interrupt_pending()) {
		uint64_t at_ms = clock_monotonic_ms() + rng_below(&chaos->rng, BOMB_WAIT_MS);

		clients_turn(&chaos->clients, true, clock_monotonic_ms());
		while (clock_monotonic_ms() < at_ms && !interrupt_pending())
			rest();
		clients_turn(&chaos->clients, true, clock_monotonic_ms());
		drop_bomb(chaos);
		wait_for_jobs(chaos);
	}
}

static int report(const struct chaos *chaos)
{
	const struct clients *clients = &chaos->clients;
	char text[HUMAN_TEXT_MAX], worst[HUMAN_TEXT_MAX];
	uint64_t mean_ms = clients->right ? clients->job_ms / clients->right : 0;

	printf("\nfaults:");
	if (chaos->options->bomb)
		printf(" %lu bombs", (unsigned long)chaos->bombs);
	for (uint32_t i = 0; i < FAULT_KINDS && !chaos->options->bomb; i++)
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

static int run(struct chaos *chaos, const struct operands *operands, struct error *err)
{
	int status;

	if (open_cluster(chaos, err) || settle(chaos, err))
		return cli_fail(err);
	chaos->faults.state = chaos->config.cluster.state;
	chaos->started_ms = clock_monotonic_ms();
	printf("seed %lu, cluster in %s\n", (unsigned long)chaos->options->seed, chaos->folder);
	fflush(stdout);
	if (chaos->options->clients && open_clients(chaos, operands, err))
		return cli_fail(err);
	chaos->started_ms = clock_monotonic_ms();
	if (chaos->options->bomb)
		run_bombs(chaos);
	else
		run_faults(chaos);
	if (!interrupt_pending())
		say(chaos, "no more faults; waiting for the jobs under way");
	wait_for_jobs(chaos);
	clients_stop(&chaos->clients);
	status = report(chaos);
	return status;
}

int cmd_chaos(int argc, char *const *argv)
{
	struct chaos_options options = {
		.every = EVERY_DEFAULT,
		.duration = FOR_DEFAULT,
		.longest = PAUSE_DEFAULT,
		.patience = PATIENCE,
		.size = SIZE_USUAL,
		.seed = UINT64_MAX,
		.clients = CLIENTS_USUAL,
		.bombs = 1,
	};
	static struct chaos chaos;
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_chaos_spec, argc, argv, &options, &operands, &status))
		return status;
	if (options.seed == UINT64_MAX && random_bytes(&options.seed, sizeof(options.seed)) == 0)
		options.seed >>= 32;
	interrupt_install();
	chaos.options = &options;
	rng_init(&chaos.rng, options.seed);
	status = run(&chaos, &operands, &err);
	config_release(&chaos.config);
	return status;
}
