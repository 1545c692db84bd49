/* All nodes of a cluster file, with their names and how they are started. */
#ifndef CLUSTER_ROSTER_H
#define CLUSTER_ROSTER_H

#include "cluster/config.h"

#define ROSTER_NAME_MAX	 32
#define ROSTER_NODES_MAX (4 * CONFIG_REPLICAS_MAX + 1 + CONFIG_WATCHERS_MAX)

struct roster_node {
	enum node_kind kind;
	uint32_t index;
	char name[ROSTER_NAME_MAX]; /* "reducer-0", "collector" */
	const char *role;	    /* "reducer"; lives for ever */
	struct net_address health;  /* where others find it */
};

/*
 * Every node of the file, in an order in which they may be started: reducers, the collector,
 * filters, gateways, proxies, watchers. Returns how many there are; what is more than `capacity` is
 * left out, and ROSTER_NODES_MAX are always enough.
 */
uint32_t roster_list(const struct config *config, struct roster_node *nodes, uint32_t capacity);
/* False: the file has no such node. */
bool roster_find(const struct config *config, const char *name, struct roster_node *node);
bool roster_get(
	const struct config *config, enum node_kind kind, uint32_t index, struct roster_node *node);

/* "gateway-0", "collector": of any node, of the file or not. */
void roster_name(enum node_kind kind, uint32_t index, char name[ROSTER_NAME_MAX]);

/* The words of a command line; they end with NULL. */
struct roster_words {
	const char *items[6];
	char index[16];
};

/* What comes after the name of this program to run a node: reducer --file FILE --index 0. */
void roster_arguments(const struct roster_node *node, const char *file, struct roster_words *words);

#endif
