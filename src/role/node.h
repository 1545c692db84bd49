/*
 * What every role that follows the control log has: the ledger, a place in the log where it
 * started, and ways to append to it.
 *
 * A node is ready when it has read the log up to the entry that announced its own start: from then
 * on it knows all that had happened before, and not earlier. It consumes nothing before.
 */
#ifndef ROLE_NODE_H
#define ROLE_NODE_H

#include "flow/ledger.h"
#include "flow/message.h"
#include "role/role.h"

struct node;

struct node_ops {
	/* The ledger is up to date: look at all jobs, then consume. */
	void (*on_ready)(struct node *node);
	/* Not before on_ready. After a LEDGER_NODE_UP any job may have changed. */
	void (*on_change)(struct node *node, const struct ledger_change *change);
	void (*on_delivery)(struct node *node, const struct transport_delivery *delivery);
	void (*on_confirm)(struct node *node, uint64_t id);
};

struct node {
	struct role role; /* first */
	struct role_env env;
	const struct node_ops *ops;
	uint32_t id;
	uint64_t incarnation;
	uint64_t nonce;
	bool ready;
	struct ledger *ledger;
	uint64_t raw_ms;    /* the clock when it was last read ... */
	uint64_t now_ms;    /* ... and what node_now made of it */
	struct buf scratch; /* an event or a message on its way out */
};

/*
 * Reads or makes the identity on the disk, if there is one, follows the log and announces the start
 * as `id` (flow/event.h). The caller has set role.ops.
 */
MUST_CHECK int node_init(struct node *node, const struct role_env *env, uint32_t id,
	const struct node_ops *ops, struct error *err);
void node_release(struct node *node);

/*
 * A clock of the node's own that takes no long steps: while the process was stopped, or when the
 * machine's clock jumped, no time has passed in which anybody could have done anything.
 */
uint64_t node_now(struct node *node);
/* Nobody confirms it to the role: what counts is that the log brings it. */
void node_append(struct node *node, const struct flow_event *event);
/* Tells everyone that a job has failed. */
void node_fail_job(struct node *node, uint64_t job, const struct error *why);
/* The role cannot go on. */
void node_stop(struct node *node, const struct error *why);
void node_log(const struct node *node, const char *format, ...) PRINTF_LIKE(2, 3);

/* on_delivery of the role, for one that was held; context is the node. */
void node_redeliver(void *context, const struct transport_delivery *delivery);

static inline void node_ack(struct node *node, uint64_t tag)
{
	transport_ack(node->env.transport, tag);
}

/* What the cluster's shape leaves at 0. */
static inline uint32_t node_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

#define NODE_PREFETCH_DEFAULT	  256u
#define NODE_PACKET_BYTES_DEFAULT (64u << 10)
#define NODE_SYNC_BYTES_DEFAULT	  (4u << 20)
#define NODE_SYNC_MS_DEFAULT	  5u
#define NODE_CACHE_BYTES_DEFAULT  (64u << 20)

#endif
