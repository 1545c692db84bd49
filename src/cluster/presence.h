/*
 * What every node has before it does anything else: its place on this machine
 * (cluster/node_lock.h), so that there is one process of it, and the server that tells how it is
 * (cluster/health.h), and the service manager, if one wants to hear of it (cluster/notify.h).
 */
#ifndef CLUSTER_PRESENCE_H
#define CLUSTER_PRESENCE_H

#include "cluster/config.h"
#include "cluster/health.h"
#include "cluster/notify.h"
#include "cluster/roster.h"

struct presence {
	int lock_fd;	   /* -1: none */
	const char *state; /* borrowed from the configuration */
	char name[ROSTER_NAME_MAX];
	uint64_t kept_ms; /* when it was last looked whether the place is there */
	struct notify notify;
	struct health *health; /* NULL: none; a filter that the file does not have has none */
};

/* ERROR_IO when another process is this node, or has its address. Released also after an error. */
MUST_CHECK int presence_open(struct presence *presence, const struct config *config,
	enum node_kind kind, uint32_t index, struct error *err);
/*
 * Now and then, with the time of a clock that does not go back: takes the place again should somebody have
 * deleted it. ERROR_IO when it is another's by then, or the cluster was ended: the process must end.
 */
MUST_CHECK int presence_keep(struct presence *presence, uint64_t now_ms, struct error *err);
/* The event loop has turned, at a time of that clock. */
void presence_beat(struct presence *presence, uint64_t now_ms);
/* The place last: whoever comes next finds the address free. */
void presence_close(struct presence *presence);

#endif
