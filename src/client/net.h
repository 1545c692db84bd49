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
#include "net/tls.h"
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

/* Before the address of a server that speaks TLS. */
#define NET_TLS_SCHEME "tls://"

/*
 * Whom connections of this process over TLS trust, and who they are; before the first net_new, and the names of the files
 * are borrowed for good. Without it: the system's authorities, and nobody.
 */
void net_use_tls_files(const struct tls_files *files);

/*
 * `servers` is HOST:PORT[,HOST:PORT...], also [::1]:PORT, each with or without tls:// before it. ERROR_USAGE when it is
 * not; ERROR_IO when files of TLS cannot be used.
 */
MUST_CHECK int net_new(struct net **out, const char *servers, struct error *err);
void net_free(struct net *net);
void net_set_handler(struct net *net, const struct net_handler *handler);

/* The next server in turn; on_open or on_closed follows from net_poll. */
uint64_t net_connect(struct net *net);
/* Waits until something happens, for `timeout_ms` at most, or until a signal comes. */
void net_poll(struct net *net, int timeout_ms);
/* To send messages and hang up. */
struct wire_port *net_port(struct net *net);

/* All servers have been tried, and it is for certificates that there is no connection: trying on is of no use. */
bool net_is_refused(const struct net *net);
/* Why the last connection was closed or could not be made; "" when none was. */
const char *net_trouble(const struct net *net);

#endif
