/*
 * Connections to gateways: sockets that never block, whole messages in and out.
 *
 * One thread uses it. net_connect starts a connection to the next of the servers; net_poll waits
 * and tells its handler what happened. A connection that is not up within
 * NET_CONNECT_MS_MAX, or breaks, or speaks no protocol of ours, is closed and the handler hears it.
 */
#ifndef CLIENT_NET_H
#define CLIENT_NET_H

#include "base/error.h"
#include "wire/port.h"

#include <stdbool.h>

#define NET_SERVERS_MAX	   32
#define NET_CONNECT_MS_MAX 5000u

struct net;

struct net_handler {
	void (*on_open)(void *context, uint64_t connection);
	/* One whole message, borrowed for the call. */
	void (*on_message)(void *context, uint64_t connection, const uint8_t *bytes, size_t size);
	/* `was_open`: on_open had been called for it. Not after net_port's drop. */
	void (*on_closed)(void *context, uint64_t connection, bool was_open);
	void *context;
};

/* `servers` is HOST:PORT[,HOST:PORT...], also [::1]:PORT. ERROR_USAGE when it is not. */
MUST_CHECK int net_new(struct net **out, const char *servers, struct error *err);
void net_free(struct net *net);
void net_set_handler(struct net *net, const struct net_handler *handler);

/* The next server in turn; on_open or on_closed follows from net_poll. */
uint64_t net_connect(struct net *net);
/* Waits until something happens, for `timeout_ms` at most, or until a signal comes. */
void net_poll(struct net *net, int timeout_ms);
/* To send messages and hang up. */
struct wire_port *net_port(struct net *net);

/* Why the last connection was closed or could not be made; "" when none was. */
const char *net_trouble(const struct net *net);

#endif
