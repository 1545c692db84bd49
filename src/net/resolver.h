/*
 * Finds the addresses of a host without waiting for them: asked again and again until they are
 * known. Numeric addresses are known at once. Names are looked up by threads of the C library, and
 * anew after resolver_forget: a node may have moved.
 */
#ifndef NET_RESOLVER_H
#define NET_RESOLVER_H

#include "base/error.h"
#include "net/address.h"

#include <sys/socket.h>

/* Of one host; more are left out. */
#define RESOLVER_TARGETS_MAX 4

struct gaicb;

/* Where one can connect to, or listen. */
struct net_target {
	struct sockaddr_storage address;
	socklen_t size;
};

struct resolver {
	struct net_address address;
	struct net_target targets[RESOLVER_TARGETS_MAX]; /* the best first */
	uint32_t target_count;				 /* 0: they are not known */
	bool numeric;
	struct gaicb *request; /* under way; NULL: none is */
	int status;	       /* of getaddrinfo, the last one that failed */
};

enum resolver_answer {
	RESOLVER_KNOWN,
	RESOLVER_BUSY,	 /* ask again soon */
	RESOLVER_FAILED, /* resolver_trouble says why; asking again looks again */
};

void resolver_init(struct resolver *resolver, const struct net_address *address);
/* One that cannot be called back is the system's until the process ends. */
void resolver_release(struct resolver *resolver);

enum resolver_answer resolver_ask(struct resolver *resolver);
void resolver_forget(struct resolver *resolver);
const char *resolver_trouble(const struct resolver *resolver);

/* Where to listen for an address; waits for it. Their number, or -1: ERROR_IO, no such host. */
MUST_CHECK int resolver_find_own(const struct net_address *address,
	struct net_target targets[RESOLVER_TARGETS_MAX], struct error *err);

#endif
