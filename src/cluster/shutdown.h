/* Ends the processes of a cluster on this machine, found by their places (cluster/node_lock.h). */
#ifndef CLUSTER_SHUTDOWN_H
#define CLUSTER_SHUTDOWN_H

#include "cluster/config.h"

/* Whether any process of the cluster lives here. */
bool shutdown_is_needed(const struct config *config);

/*
 * SIGTERM to the watchers, until none is there to start anything again; then to all nodes; SIGKILL
 * to those that are still there after `patience_ms`. Returns when none is; ERROR_IO with the name
 * of one that cannot be ended. Nobody can start any more, until node_lock_permit.
 */
MUST_CHECK int shutdown_run(const struct config *config, uint64_t patience_ms, struct error *err);

#endif
