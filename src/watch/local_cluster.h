/*
 * A cluster on this machine: a private RabbitMQ unless the cluster file names one, the watchers,
 * which start everything else, and what looks after both of them until the end.
 *
 * Order of calls: start; supervise, when it succeeded; end, in any case. All of them wait, in the
 * process that holds the lock of the folder (cluster/cluster_folder.h).
 */
#ifndef WATCH_LOCAL_CLUSTER_H
#define WATCH_LOCAL_CLUSTER_H

#include "cluster/broker.h"
#include "cluster/config.h"
#include "cluster/roster.h"

#include <limits.h>

#define LOCAL_CLUSTER_SERVER_MAX 4096
#define LOCAL_CLUSTER_LINE_MAX	 (2 * PATH_MAX)

/* UINT64_MAX: not given. Everything is borrowed. */
struct local_cluster_options {
	const char *folder; /* the cluster's, which exists and is locked by us */
	const char *file;   /* the cluster file; NULL: it is written from what follows */
	uint64_t reducers;
	uint64_t filters;
	uint64_t gateways;
	uint64_t port;	  /* of the proxy; the other nodes have the next ones */
	uint64_t stop_ms; /* what nodes get to end by themselves */
	/* What happens, in a line for people. */
	void (*say)(const char *line);
	bool (*interrupted)(void);
};

/* The caller sets the options; the rest starts as zero. */
struct local_cluster {
	const struct local_cluster_options *options;
	char file[PATH_MAX];   /* the cluster file */
	struct broker *broker; /* NULL: it is not ours */
	uint64_t broker_due_ms;
	struct config config;
	struct roster_node nodes[ROSTER_NODES_MAX];
	uint32_t node_count;
	uint64_t started_ms;
	char server[LOCAL_CLUSTER_SERVER_MAX]; /* what clients connect to, once it has started */
};

/*
 * Starts everything and waits until every node is ready. ERROR_INTERRUPTED; ERROR_USAGE for a file
 * or options that cannot be; ERROR_IO with the log that says why a node does not start.
 */
MUST_CHECK int local_cluster_start(struct local_cluster *cluster, struct error *err);
/* Starts again what nobody else would, until it is interrupted. */
void local_cluster_supervise(struct local_cluster *cluster);
/* Ends all there is; ERROR_IO when a process does not go. */
MUST_CHECK int local_cluster_end(struct local_cluster *cluster, struct error *err);

#endif
