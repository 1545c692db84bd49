/*
 * transport.h on RabbitMQ 3.10 or later, through librabbitmq.
 *
 * A handle has two threads with a connection each, one that publishes and takes confirms, one that
 * consumes, acknowledges and reads the control log: librabbitmq blocks while the broker holds a
 * publisher back, and heartbeats must be served all the same. The handle's owner sees none of that:
 * it waits for rabbit_event_fd beside its other descriptors and calls rabbit_dispatch, from which
 * the handlers are called.
 */
#ifndef TRANSPORT_RABBIT_H
#define TRANSPORT_RABBIT_H

#include "transport/transport.h"

struct rabbit_options {
	const char *url;       /* amqp://user:password@host:port/vhost, or amqps:// */
	const char *ca_file;   /* amqps: whom to trust; NULL: the system's */
	const char *cert_file; /* amqps: who we are; NULL: nobody in particular */
	const char *key_file;
	const char *queue_type;	 /* "classic" or "quorum"; durable either way */
	const char *prefix;	 /* put before the names of queues and of the log: one a cluster */
	const char *node;	 /* how the connection is called in the broker's listings */
	uint32_t heartbeat_s;	 /* 0: 10 */
	uint32_t rpc_timeout_ms; /* 0: 10000 */
};

/*
 * Does not wait for the broker: it may come later, and go and come back. ERROR_USAGE for a URL that
 * is none. The options are copied.
 */
MUST_CHECK int rabbit_open(
	struct transport **out, const struct rabbit_options *options, struct error *err);

/* Readable when rabbit_dispatch has something to say. */
int rabbit_event_fd(const struct transport *transport);
void rabbit_dispatch(struct transport *transport);

/* Both connections stand. For health checks; any thread. */
bool rabbit_is_connected(const struct transport *transport);

#endif
