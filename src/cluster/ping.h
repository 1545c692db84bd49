/*
 * Answers pings from the event loop, for who watches with tools of their own: over UDP a datagram that begins with "ping" is
 * sent back with "pong" instead, and never longer than it was; over TCP who connects reads "pong NODE" and a line's end,
 * without sending anything. A loop that stands still answers neither.
 */
#ifndef CLUSTER_PING_H
#define CLUSTER_PING_H

#include "cluster/config.h"
#include "net/listener.h"

struct ping {
	struct loop *loop; /* NULL: it is not open */
	const char *node;
	struct loop_source datagrams;
	struct listener listener;
};

/*
 * At the port of the node's health and [cluster] ping above it; without that, or for a node that the file does not have,
 * nothing is opened. `node`, its name, is borrowed. ERROR_IO when the address cannot be had; to be closed also then.
 */
MUST_CHECK int ping_open(struct ping *ping, struct loop *loop, const struct config *config,
	enum node_kind kind, uint32_t index, const char *node, struct error *err);
/* Before the loop is freed. One that was never opened, all zero, is no error. */
void ping_close(struct ping *ping);

#endif
