/*
 * transport.h on RabbitMQ 3.10 or later, through librabbitmq.
 *
 * A handle has two threads with a connection each, one that publishes and takes confirms, one that
 * consumes, acknowledges and reads the control log: librabbitmq blocks while the broker holds a
 * publisher back, and heartbeats must be served all the same. The handle's owner sees none of that:
 * it waits for rabbit_event_fd beside its other descriptors and calls rabbit_dispatch, from which
 * the handlers are called.
 *
 * What it keeps at the broker, all of it durable and made when it is first used:
 *
 *   <prefix><queue>   a classic or quorum queue, published to by its name over the default exchange
 *   <prefix>log       the control log, a stream; or <prefix>log.2, .3, ...: the last one that exists
 *   <prefix>dead      deliveries that were tried too often; nobody reads it but people
 *   <prefix><queue>.holder
 *                     of the connection that consumes an exclusive queue, and gone with it: quorum
 *                     queues know no exclusive consumers
 *
 * A queue that exists with other arguments (another type, say) is used as it is.
 *
 * How often a message was delivered before is counted by quorum queues themselves. Classic ones
 * tell only that it was: then attempts are counted in the memory of this handle, so that a message
 * that kills its process again and again is found in quorum queues alone.
 */
#ifndef TRANSPORT_RABBIT_H
#define TRANSPORT_RABBIT_H

#include "base/log.h"
#include "transport/transport.h"

#define RABBIT_ATTEMPTS_MAX_DEFAULT 20

struct rabbit_options {
	/*
	 * amqp://user:password@host:port/vhost, or amqps://; several with commas between them are
	 * the nodes of one cluster of brokers: when one does not answer the next is tried.
	 */
	const char *url;
	const char *ca_file;   /* amqps: whom to trust; NULL: the system's */
	const char *cert_file; /* amqps: who we are; NULL: nobody in particular */
	const char *key_file;
	const char *queue_type; /* "classic" or "quorum"; NULL: classic */
	const char *prefix;	/* put before the names of queues and of the log: one a cluster */
	const char
		*secret;  /* by which messages are sealed (transport/seal.h); NULL: they are not */
	const char *node; /* how the connection is called in the broker's listings */
	uint32_t heartbeat_s;	 /* 0: 10 */
	uint32_t rpc_timeout_ms; /* 0: 10000 */
	uint32_t attempts_max;	 /* deliveries tried as often before are dead; 0: 20 */
	uint64_t log_bytes_max;	 /* the control log forgets its start beyond this; 0: 8 GB */
	uint32_t log_days_max;	 /* ... or after this time; 0: 30 */
	/*
	 * A log that the broker says it has and cannot open, for longer than it may take to start,
	 * is lost: RabbitMQ gives its name back to nobody. Then this handle makes another one, under
	 * the next name. Of all nodes of a cluster one does.
	 */
	bool opens_log;
	bool is_alone; /* the broker is no cluster: what it does not have now, it will never have */
	/* One line: EVENT key=value ...; called from rabbit_dispatch; NULL: nobody listens. */
	void (*log)(void *log_context, enum log_event event, const char *line);
	void *log_context;
};

/*
 * Does not wait for the broker: it may come later, and go and come back. ERROR_USAGE for a URL that
 * is none, or an unknown type of queue. The options are copied.
 */
MUST_CHECK int rabbit_open(
	struct transport **out, const struct rabbit_options *options, struct error *err);

/* Readable when rabbit_dispatch has something to say. */
int rabbit_event_fd(const struct transport *transport);
/* Never waits. A handler may close the handle. */
void rabbit_dispatch(struct transport *transport);

/* Both connections stand. For health checks; any thread. */
bool rabbit_is_connected(const struct transport *transport);

/* For tests: as if the network broke both connections, and stayed away for `away_ms`. */
void rabbit_break_connections(struct transport *transport, uint32_t away_ms);

#endif
