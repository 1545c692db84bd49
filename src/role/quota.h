/*
 * How much a node may keep on its disk: disk_max of the cluster file. The files are measured now
 * and then, and what is written between two measurements is added.
 *
 * It is a limit on jobs, not on the node: a job that would pass it fails, and its files are
 * removed.
 */
#ifndef ROLE_QUOTA_H
#define ROLE_QUOTA_H

#include "role/node.h"

/* For so long an announcement counts at most; it is repeated sooner. */
#define QUOTA_FULL_MS 30000u

struct quota {
	struct node *node;
	uint64_t bytes_max; /* 0: no limit */
	uint64_t bytes;
	uint64_t measured_ms; /* 0: never */
	uint64_t looked_ms;   /* at the room that is left */
	uint64_t told_ms;     /* everyone, that there is little; 0: there is enough */
};

/* The node is borrowed; it need not be ready yet. */
void quota_init(struct quota *quota, struct node *node, const struct role_cluster *cluster);
/* `size` bytes are to be written. ERROR_LIMIT, which says whose disk is full, when they may not. */
MUST_CHECK int quota_take(struct quota *quota, size_t size, struct error *err);
/*
 * Now and then: tells everyone when there is little room left, so that no new job is taken, and when
 * there is enough again. `refused`: the disk does not take what is to be written.
 */
void quota_on_tick(struct quota *quota, bool refused);
/* Whether any node of the cluster has little room left; `err` says which. */
bool quota_is_short(struct node *node, struct error *err);

#endif
