/*
 * The proxy: one address for clients, whose connections it spreads over the gateways that are
 * healthy, the one with the fewest first.
 *
 * It keeps a connection of its own to every gateway and asks HEALTH there once a second. A gateway
 * is left when that connection breaks, which a process that dies does at once, or when no answer
 * comes in time: then the connections of its clients are closed, so that they connect again, to
 * another one. A gateway that answers with an ERROR (it is starting, or full) gets no new ones.
 *
 * A gateway on the same machine is given the connection itself (net/fd_passing.h): its bytes do
 * not pass the proxy. To others bytes go from socket to socket through pipes, with splice(2), and
 * are never seen here. What a slow reader does not take is not read from the other side.
 */
#ifndef NODE_PROXY_H
#define NODE_PROXY_H

#include "cluster/config.h"

struct loop;
struct proxy;

/* On the caller's loop, which outlives it. *out is to be closed also after an error. */
MUST_CHECK int proxy_open(struct proxy **out, struct loop *loop, const struct config *config,
	uint32_t index, struct error *err);
/* Ends all connections. NULL is allowed. */
void proxy_close(struct proxy *proxy);

/* Runs until SIGTERM or SIGINT. As process_run. */
MUST_CHECK int proxy_run(const struct config *config, uint32_t index, struct error *err);

#endif
