/*
 * Finds the address of a host without waiting for it: asked again and again until it is known.
 * Numeric addresses are known at once. Names are looked up by threads of the C library, and anew
 * after resolver_forget: a node may have moved.
 */
#ifndef NET_RESOLVER_H
#define NET_RESOLVER_H

#include "net/socket.h"

struct gaicb;

struct resolver {
	struct net_address address;
	struct socket_target target; /* once it is known */
	bool numeric;
	bool known;
	struct gaicb *request; /* under way; NULL: none is */
};

void resolver_init(struct resolver *resolver, const struct net_address *address);
/* One that cannot be called back is the system's until the process ends. */
void resolver_release(struct resolver *resolver);

/* True: `target` is there. False: not yet; ask again later. */
bool resolver_ask(struct resolver *resolver);
void resolver_forget(struct resolver *resolver);

#endif
