/*
 * Takes connections, a bounded number of them per turn of the loop.
 *
 * When the process has no descriptors left, the kernel keeps the next connection, and its listener
 * stays readable: a loop that asked for it would turn without end. So the listener rests for
 * LISTENER_REST_MS after an error, and says so in the log, once per second at most.
 */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include "net/address.h"
#include "net/loop.h"

#define LISTENER_REST_MS 100u

/* A connection that is tuned and does not block; it is the callee's, which may close the listener. */
typedef void (*listener_fn)(void *context, int fd);

/* The caller sets the first four, listener_open the rest. LISTENER_CLOSED is one that is not open. */
struct listener {
	listener_fn fn;
	void *context;
	const char *component; /* for the log; borrowed */
	uint32_t accepts_a_turn;
	struct loop *loop;
	struct loop_source source; /* fd -1: it is closed */
	struct loop_timer rest;
	uint64_t told_ms; /* when the log last had a line; 0: never */
};

#define LISTENER_CLOSED ((struct listener){.source.fd = -1})

/* ERROR_IO when the address cannot be had. */
MUST_CHECK int listener_open(struct listener *listener, struct loop *loop,
	const struct net_address *address, struct error *err);
/* The same for a socket that listens already: it is the listener's from now on, error or not. */
MUST_CHECK int listener_adopt(
	struct listener *listener, struct loop *loop, int fd, struct error *err);
/* One that is closed is not an error. */
void listener_close(struct listener *listener);

#endif
