/*
 * What every node has before it does anything else: its place on this machine
 * (cluster/node_lock.h), so that there is one process of it, and the server that tells how it is
 * (cluster/health.h).
 */
#ifndef CLUSTER_PRESENCE_H
#define CLUSTER_PRESENCE_H

#include "cluster/config.h"
#include "cluster/health.h"

struct presence {
	int lock_fd;	       /* -1: none */
	struct health *health; /* NULL: none; a filter that the file does not have has none */
};

/* ERROR_IO when another process is this node, or has its address. Released also after an error. */
MUST_CHECK int presence_open(struct presence *presence, const struct config *config,
	enum node_kind kind, uint32_t index, struct error *err);
/* The place last: whoever comes next finds the address free. */
void presence_close(struct presence *presence);

#endif
