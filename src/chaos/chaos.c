#include "chaos/chaos.h"

#include "base/clock.h"
#include "cluster/cluster_folder.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define TURN_MS	     5u
#define FAULT_MS_MIN 100u
#define CUT_MS_MAX   2000u
#define BOMB_WAIT_MS 2000u

/* --- what is wanted ------------------------------------------------------------------------------
 */

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

int chaos_init(struct chaos *chaos, const struct chaos_options *options, struct error *err)
{
	uint32_t kept = 0;

	*chaos = (struct chaos){.options = *options};
	rng_init(&chaos->rng, options->seed);
	chaos->faults.state = options->config->cluster.state;
	chaos->node_count = roster_list(options->config, chaos->nodes, ROSTER_NODES_MAX);
	if (check_list("kinds", options->kinds, fault_names, chaos, err) ||
		check_list("except", options->except, NULL, chaos, err))
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

int chaos_prepare_clients(struct chaos *chaos, struct clients_options options, struct error *err)
{
	options.told = chaos->options.told;
	options.context = chaos->options.context;
	return clients_init(&chaos->clients, &options, &chaos->rng, err);
}

/* --- what is done --------------------------------------------------------------------------------
 */

static void say(const struct chaos *chaos, const char *text)
{
	chaos->options.told(chaos->options.context, text);
}

static void hurt(struct chaos *chaos, uint64_t now_ms)
{
	enum fault_kind kind = chaos->kinds[rng_below(&chaos->rng, chaos->kind_count)];
	const struct roster_node *node = &chaos->nodes[rng_below(&chaos->rng, chaos->node_count)];
	uint64_t longest_ms = kind == FAULT_CUT && chaos->options.longest_ms > CUT_MS_MAX
				      ? CUT_MS_MAX
				      : chaos->options.longest_ms;
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

static void run_faults(struct chaos *chaos)
{
	uint64_t next_ms = clock_monotonic_ms() + chaos->options.every_ms;
	uint64_t end_ms = clock_monotonic_ms() + chaos->options.duration_ms;
	uint64_t now_ms = clock_monotonic_ms();

	for (; now_ms < end_ms && !chaos->options.interrupted(); now_ms = clock_monotonic_ms()) {
		clients_turn(&chaos->clients, true, now_ms);
		faults_turn(&chaos->faults, now_ms);
		if (now_ms >= next_ms) {
			hurt(chaos, now_ms);
			next_ms += chaos->options.every_ms / 2 +
				   rng_below(&chaos->rng, chaos->options.every_ms + 1);
		}
		clock_sleep_ms(TURN_MS);
	}
	faults_end_all(&chaos->faults);
}

/* Everything of ours but one watcher. */
static void drop_bomb(struct chaos *chaos)
{
	uint32_t watchers = (uint32_t)chaos->options.config->watcher.replicas;
	uint32_t survivor = (uint32_t)rng_below(&chaos->rng, watchers);
	pid_t owner = cluster_folder_owner(chaos->options.folder);
	char text[128];
	uint32_t killed = 0;

	/* `tamiz up` is one of us; the cluster does without it. */
	if (owner && kill(owner, SIGKILL) == 0)
		killed++;
	for (uint32_t i = 0; i < chaos->node_count; i++) {
		const struct roster_node *node = &chaos->nodes[i];

		if (node->kind == NODE_WATCHER && node->index == survivor)
			continue;
		killed += node_lock_signal(chaos->options.config->cluster.state, node->name,
				  SIGKILL) == NODE_LOCK_SENT;
	}
	chaos->bombs++;
	snprintf(text, sizeof(text), "bomb %lu: %u processes killed, watcher-%u lives; %u jobs run",
		(unsigned long)chaos->bombs, killed, survivor, clients_busy(&chaos->clients));
	say(chaos, text);
}

/* Until all who have a job have finished it. */
static void wait_for_jobs(struct chaos *chaos)
{
	while (clients_busy(&chaos->clients) > 0 && !chaos->options.interrupted()) {
		clients_turn(&chaos->clients, false, clock_monotonic_ms());
		clock_sleep_ms(TURN_MS);
	}
}

static void run_bombs(struct chaos *chaos)
{
	while (chaos->bombs < chaos->options.bombs && !chaos->options.interrupted()) {
		uint64_t at_ms = clock_monotonic_ms() + rng_below(&chaos->rng, BOMB_WAIT_MS);

		clients_turn(&chaos->clients, true, clock_monotonic_ms());
		while (clock_monotonic_ms() < at_ms && !chaos->options.interrupted())
			clock_sleep_ms(TURN_MS);
		clients_turn(&chaos->clients, true, clock_monotonic_ms());
		drop_bomb(chaos);
		wait_for_jobs(chaos);
	}
}

void chaos_run(struct chaos *chaos)
{
	if (chaos->options.bombs)
		run_bombs(chaos);
	else
		run_faults(chaos);
	if (!chaos->options.interrupted())
		say(chaos, "no more faults; waiting for the jobs under way");
	wait_for_jobs(chaos);
	clients_stop(&chaos->clients);
}
