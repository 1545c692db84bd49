/*
 * Looks at the state of one node, running or not: its disk (role/state_check.h) and its record of work
 * (node/last_words.h).
 */
#ifndef NODE_NODE_CHECK_H
#define NODE_NODE_CHECK_H

#include "cluster/config.h"
#include "role/state_check.h"

struct node_check {
	/* Given: which node, and who hears of damage. */
	const struct config *config;
	enum node_kind kind;
	uint32_t index;
	bool repairs;
	state_finding_fn tell;
	void *context;
	/* Found. */
	bool is_running;
	struct state_counts counts;
};

/* Whether the node keeps anything, and this machine has it. */
bool node_check_has_state(const struct config *config, enum node_kind kind, uint32_t index);
/* With `repairs`, ERROR_IO when the node runs: nothing was changed. */
MUST_CHECK int node_check_run(struct node_check *check, struct error *err);

#endif
