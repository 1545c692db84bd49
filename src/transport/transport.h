/*
 * What a node asks of a message broker: durable queues with acknowledgements, and one log that
 * every node reads from its start.
 *
 * The promises, and nothing beyond them:
 *
 *   publish   The message will be in its queue at least once, and then on_confirm says so. A broken
 *             connection is mended and unconfirmed messages are sent again by the transport itself;
 *             only the death of the process loses them.
 *   deliver   A message of the consumed queue arrives at least once and is not forgotten before it
 *             was acknowledged. Messages may come in any order, twice, and again with another tag
 *             after a break of the connection; at most `prefetch` are open at a time.
 *   append    As publish, into the control log. Of a node that follows the log it is seen there,
 *             too: a confirm alone does not end the transport's care for it.
 *   log       on_log brings every entry of the log, from the first one on or from a mark, in one
 *             order that is the same for all nodes, each with its offset, which only grows. Each
 *             offset comes once in the life of the handle. A log that does not have any more what
 *             it had is another one, and on_log_lost says so.
 *
 * A queue belongs to one consumer at a time where it says `exclusive`: whoever gets it hears
 * on_placed, whoever lost it to another (its connection was thought dead), or waited for it for too
 * long, gets on_lost and must stop.
 *
 * A handle belongs to one thread. Handlers are called from that thread's event loop, never from
 * inside another call of the transport, and may call back into it.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_QUEUE_NAME_MAX 96
/* Packets are near 64 KB; a chunk on its way to a filter is the largest message. */
#define TRANSPORT_MESSAGE_MAX (80u << 20)

struct transport_delivery {
	uint64_t tag; /* for transport_ack; void after a break of the connection */
	const uint8_t *bytes;
	size_t size;
	uint32_t attempt; /* 0 the first time; how often it was delivered before, as far as known */
};

/* An entry of the log that was read once. */
struct transport_mark {
	uint64_t offset;
	uint64_t hash; /* hash_bytes of all of it */
};

struct transport_handler {
	/* The bytes are borrowed for the call. */
	void (*on_delivery)(void *context, const struct transport_delivery *delivery);
	/* The message or log entry published with `id` is durable. */
	void (*on_confirm)(void *context, uint64_t id);
	void (*on_log)(void *context, uint64_t offset, const uint8_t *bytes, size_t size);
	/*
	 * The entry at the mark, or the last one that on_log brought, is not in the log: somebody
	 * deleted it, or the broker lost the end of it. Nothing more comes. NULL: nobody asks.
	 */
	void (*on_log_lost)(void *context);
	/* What transport_replace_log asked for is there; on_log brings it. NULL: nobody asks. */
	void (*on_log_replaced)(void *context);
	/* Our exclusive queue is ours. Once; deliveries may be faster. NULL: nobody asks. */
	void (*on_placed)(void *context);
	/* Another process consumes our exclusive queue: we are not who we think we are. */
	void (*on_lost)(void *context);
	/*
	 * The delivery was tried too often (its `attempt` says how often) and now stands in the
	 * dead-letter queue. It comes here instead of to on_delivery, and is acknowledged like any
	 * other: once it is on record that its job failed. NULL: it is acknowledged and forgotten.
	 */
	void (*on_dead)(void *context, const struct transport_delivery *delivery);
	void *context;
};

struct transport;

struct transport_ops {
	int (*follow)(
		struct transport *transport, const struct transport_mark *after, struct error *err);
	int (*consume)(struct transport *transport, const char *queue, uint32_t prefetch,
		bool exclusive, struct error *err);
	int (*publish)(struct transport *transport, const char *queue, const void *bytes,
		size_t size, uint64_t id, struct error *err);
	int (*append)(struct transport *transport, const void *bytes, size_t size, uint64_t id,
		struct error *err);
	void (*replace_log)(struct transport *transport);
	void (*ack)(struct transport *transport, uint64_t tag);
	size_t (*backlog)(const struct transport *transport);
	void (*close)(struct transport *transport);
};

/* Every implementation embeds this as its first member. */
struct transport {
	const struct transport_ops *ops;
	struct transport_handler handler; /* set by its user before the first call */
};

/* What every implementation asks before it takes a message. ERROR_LIMIT. */
MUST_CHECK int transport_check_queue(const char *queue, struct error *err);
MUST_CHECK int transport_check_size(size_t size, struct error *err);

/* on_log from now on: from the log's first entry, or from the one behind the mark. */
MUST_CHECK static inline int transport_follow(
	struct transport *transport, const struct transport_mark *after, struct error *err)
{
	return transport->ops->follow(transport, after, err);
}

/* At most one queue a handle. ERROR_LIMIT for a name that is too long. */
MUST_CHECK static inline int transport_consume(struct transport *transport, const char *queue,
	uint32_t prefetch, bool exclusive, struct error *err)
{
	return transport->ops->consume(transport, queue, prefetch, exclusive, err);
}

/*
 * The bytes are copied. `id` is the caller's own: ids may repeat, each publish gets its confirm.
 * Fails with ERROR_LIMIT for a message above TRANSPORT_MESSAGE_MAX and for nothing else: trouble
 * with the broker is the transport's to mend.
 */
MUST_CHECK static inline int transport_publish(struct transport *transport, const char *queue,
	const void *bytes, size_t size, uint64_t id, struct error *err)
{
	return transport->ops->publish(transport, queue, bytes, size, id, err);
}

/* As transport_publish, to the control log. */
MUST_CHECK static inline int transport_append(
	struct transport *transport, const void *bytes, size_t size, uint64_t id, struct error *err)
{
	return transport->ops->append(transport, bytes, size, id, err);
}

/*
 * Puts an empty log in the place of the one that there is, for everyone: those who follow that one
 * hear on_log_lost. Then on_log_replaced, and on_log from the first entry on. Of a node that follows
 * the log.
 */
static inline void transport_replace_log(struct transport *transport)
{
	transport->ops->replace_log(transport);
}

/* A tag from before a break of the connection is ignored: its message comes again. */
static inline void transport_ack(struct transport *transport, uint64_t tag)
{
	transport->ops->ack(transport, tag);
}

/*
 * Bytes published or appended and not confirmed yet. Whoever takes work from others takes less of
 * it while this is large: so a slow broker slows clients down instead of filling memory.
 */
static inline size_t transport_backlog(const struct transport *transport)
{
	return transport->ops->backlog(transport);
}

/* Without waiting for confirms; what is unacknowledged goes back to its queue. */
static inline void transport_close(struct transport *transport)
{
	transport->ops->close(transport);
}

#endif
