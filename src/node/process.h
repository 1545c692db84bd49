/*
 * A role as a process: its disk, its connection to the broker, its clients if it has any, and the
 * event loop that drives it.
 *
 * It ends when the role stops itself, which is an error, or after SIGTERM or SIGINT: then it takes
 * no new work, finishes what is in hand (what was absorbed is synced and acknowledged, what was
 * published is confirmed, as far as the broker does so within PROCESS_DRAIN_MS), tells clients to
 * connect elsewhere, and leaves.
 */
#ifndef NODE_PROCESS_H
#define NODE_PROCESS_H

#include "cluster/config.h"
#include "role/role.h"

#define PROCESS_DRAIN_MS 5000u

/*
 * A gateway, a reducer, the collector or a filter. Runs until the end; 0 when it was asked to end.
 * Blocks SIGTERM and SIGINT: to be called once, by a process without other threads.
 */
MUST_CHECK int process_run(
	const struct config *config, enum node_kind kind, uint32_t index, struct error *err);

#endif
