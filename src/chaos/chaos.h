/*
 * A while in which a cluster on this machine is hurt at random (chaos/faults.h) while clients submit
 * jobs and check the answers (chaos/clients.h). What it does follows from a seed; when it does it,
 * from the machine.
 */
#ifndef CHAOS_CHAOS_H
#define CHAOS_CHAOS_H

#include "base/rng.h"
#include "chaos/clients.h"
#include "chaos/faults.h"
#include "cluster/config.h"

struct chaos_options {
	const struct config *config;
	const char *folder;   /* of the cluster: cluster/cluster_folder.h */
	const char *kinds;    /* names of faults with commas; NULL: all of them */
	const char *except;   /* nodes or roles that are spared, with commas; NULL: none */
	uint64_t every_ms;    /* a fault each, on average */
	uint64_t duration_ms; /* of the faults; jobs under way are waited for */
	uint64_t longest_ms;  /* of a pause or a slow time */
	/* Kill everything but one watcher so many times, in place of all other faults; 0: do not. */
	uint64_t bombs;
	uint64_t seed;
	bool (*interrupted)(void);
	void (*told)(void *context, const char *line); /* what it does */
	void *context;
};

/* Everything is borrowed. The counts are for who reports. */
struct chaos {
	struct chaos_options options;
	struct rng rng;
	struct roster_node nodes[ROSTER_NODES_MAX]; /* those that are not spared */
	uint32_t node_count;
	enum fault_kind kinds[FAULT_KINDS];
	uint32_t kind_count;
	struct faults faults;
	struct clients clients;
	uint64_t counts[FAULT_KINDS];
	uint64_t missed; /* nobody was there to be hurt */
	uint64_t bombs;
};

/* ERROR_USAGE for a list with a word that it does not know, and when everything is spared. */
MUST_CHECK int chaos_init(
	struct chaos *chaos, const struct chaos_options *options, struct error *err);
/* Without it there are no clients. `told` and its context are those of the chaos. Waits. */
MUST_CHECK int chaos_prepare_clients(
	struct chaos *chaos, struct clients_options options, struct error *err);
/* The faults, then a wait for the jobs under way; when interrupted, these are killed. */
void chaos_run(struct chaos *chaos);

#endif
