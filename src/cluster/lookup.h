/*
 * Finds the address of a host without waiting for it: asked again and again until it is known.
 * Numeric addresses are known at once. Names are looked up by threads of the C library, and anew
 * after lookup_forget: a node may have moved.
 */
#ifndef CLUSTER_LOOKUP_H
#define CLUSTER_LOOKUP_H

#include "cluster/socket.h"

struct gaicb;

struct lookup {
	struct config_address address;
	struct socket_target target; /* once it is known */
	bool numeric;
	bool known;
	struct gaicb *request; /* under way; NULL: none is */
};

void lookup_init(struct lookup *lookup, const struct config_address *address);
/* One that cannot be called back is the system's until the process ends. */
void lookup_release(struct lookup *lookup);

/* True: `target` is there. False: not yet; ask again later. */
bool lookup_ask(struct lookup *lookup);
void lookup_forget(struct lookup *lookup);

#endif
