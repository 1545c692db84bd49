#include "cluster/shutdown.h"

#include "base/clock.h"
#include "cluster/node_lock.h"
#include "cluster/roster.h"

#include <signal.h>

#define POLL_MS	    10u
#define WATCHER_MS  2000u
#define KILL_MS_MAX 20000u

struct shutdown {
	const struct config *config;
	struct roster_node nodes[ROSTER_NODES_MAX];
	uint32_t count;
	pid_t told[ROSTER_NODES_MAX];
};

static bool lives(const struct shutdown *ending, uint32_t i)
{
	return node_lock_is_taken(ending->config->cluster.state, ending->nodes[i].name);
}

bool shutdown_is_needed(const struct config *config)
{
	struct shutdown ending = {.config = config};

	ending.count = roster_list(config, ending.nodes, ROSTER_NODES_MAX);
	for (uint32_t i = 0; i < ending.count; i++)
		if (lives(&ending, i))
			return true;
	return false;
}

/* A second signal would end it without its farewell: everyone gets one. */
static void tell(struct shutdown *ending, uint32_t i)
{
	const char *state = ending->config->cluster.state;
	struct node_lock_holder holder;

	if (!node_lock_look(state, ending->nodes[i].name, &holder) || holder.pid == ending->told[i])
		return;
	if (node_lock_signal(state, ending->nodes[i].name, SIGTERM) == NODE_LOCK_SENT)
		ending->told[i] = holder.pid;
}

/* Until none is left: one may just have been started again by another. */
static int end_all(struct shutdown *ending, bool watchers, uint64_t patience_ms, struct error *err)
{
	const char *state = ending->config->cluster.state;
	uint64_t started_ms = clock_monotonic_ms();
	uint32_t left;

	do {
		bool patient = clock_monotonic_ms() - started_ms < patience_ms;

		left = 0;
		for (uint32_t i = 0; i < ending->count; i++) {
			const struct roster_node *node = &ending->nodes[i];

			if ((node->kind == NODE_WATCHER) != watchers || !lives(ending, i))
				continue;
			left++;
			if (patient)
				tell(ending, i);
			else if (node_lock_evict(state, node->name, KILL_MS_MAX, err))
				return -1;
		}
		if (left > 0)
			clock_sleep_ms(POLL_MS);
	} while (left > 0);
	return 0;
}

int shutdown_run(const struct config *config, uint64_t patience_ms, struct error *err)
{
	struct shutdown ending = {.config = config};

	ending.count = roster_list(config, ending.nodes, ROSTER_NODES_MAX);
	/* A watcher may have started somebody who has not got to its place yet. */
	if (node_lock_forbid(config->cluster.state, err))
		return -1;
	/* Nobody is there; or places were deleted, and those who had them find out meanwhile. */
	if (!shutdown_is_needed(config))
		clock_sleep_ms(2 * NODE_LOCK_KEEP_MS);
	if (end_all(&ending, true, WATCHER_MS, err))
		return -1;
	return end_all(&ending, false, patience_ms, err);
}
