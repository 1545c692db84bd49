/*
 * What every role that follows the control log has: the ledger, a place in the log where it
 * started, and ways to append to it.
 *
 * A message that was tried too often fails its job: whoever gets it dies of it, and nobody else can
 * do its work. It is acknowledged when the log says so.
 *
 * A node with a queue of its own announces its start when that queue is its own: a second process
 * for the same node, with another disk, would fail the jobs of the first one by its mere word.
 *
 * A node is ready when it has read the log up to the entry that announced its own start: from then
 * on it knows all that had happened before, and not earlier. What is delivered before is held. It
 * reads from its own copy as far as that goes (role/log_copy.h), and then from the broker.
 */
#ifndef ROLE_NODE_H
#define ROLE_NODE_H

#include "base/log.h"
#include "flow/ledger.h"
#include "flow/message.h"
#include "role/generation.h"
#include "role/held.h"
#include "role/log_copy.h"
#include "role/role.h"

struct node;

struct node_ops {
	/* The ledger is up to date: look at all jobs. Then deliveries come. */
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
	bool announced;	       /* the log has brought our start */
	uint64_t announced_ms; /* when it was last told; 0: not yet */
	bool keeps_log;	       /* it is ours to begin: the collector's */
	bool replacing;	       /* the log: until what we begin it with comes from there */
	bool doubted;	       /* we have said so */
	uint64_t begun_id;     /* of the generation that we began last */
	struct generation generation;
	struct ledger *ledger;
	struct log_copy *copy; /* of the log; NULL without a disk */
	uint64_t raw_ms;       /* the clock when it was last read ... */
	uint64_t now_ms;       /* ... and what node_now made of it */
	uint64_t checked_ms;   /* the disk, last */
	uint64_t ready_ms;     /* when it was ready */
	struct buf scratch;    /* an event or a message on its way out */
	struct held held; /* deliveries whose job is unknown, or whose disk is full: for later */
	struct held dead; /* tried too often; until the log says that their jobs are over */
};

/*
 * Reads or makes the identity on the disk, if there is one, follows the log, consumes `queue` and
 * announces the start as `id` (flow/event.h). FLOW_NODE_ANONYMOUS shares its queue with others. The
 * caller has set role.ops.
 */
MUST_CHECK int node_init(struct node *node, const struct role_env *env, uint32_t id,
	const char *queue, const struct node_ops *ops, struct error *err);
void node_release(struct node *node);

/*
 * Whether the disk's identity can be read: ERROR_DATA when it was not written to its end, or is
 * damaged. Changes nothing.
 */
#define NODE_IDENTITY_PATH "identity"
/* Of all that a node keeps on its disk. Another one is refused when the node starts. */
#define NODE_STATE_FORMAT 1u
MUST_CHECK int node_identity_verify(struct disk *disk, struct error *err);

/*
 * A clock of the node's own that takes no long steps: while the process was stopped, or when the
 * machine's clock jumped, no time has passed in which anybody could have done anything.
 */
uint64_t node_now(struct node *node);
/*
 * With every tick: brings the copy of the log to the disk, and looks now and then whether that is
 * still ours, and stops the role if not. Whoever took it may be waiting for our queue, and we may
 * have nothing to write.
 */
void node_on_tick(struct node *node);
/* Nobody confirms it to the role: what counts is that the log brings it. */
void node_append(struct node *node, const struct flow_event *event);
/* Tells everyone that a job has failed. */
void node_fail_job(struct node *node, uint64_t job, const struct error *why);
/*
 * Whether a job has ended this node so often that it is not tried any more. Everyone was told so when
 * the node was ready.
 */
bool node_condemns(const struct node *node, uint64_t job, struct error *why);
/* What people call a node: "reducer 1". */
#define NODE_TITLE_MAX 32
const char *node_title(uint32_t id, char title[NODE_TITLE_MAX]);
/* The role cannot go on. */
void node_stop(struct node *node, const struct error *why);
void node_log(const struct node *node, enum log_event event, const struct log_field *fields);

/*
 * Whether a message is of an earlier generation of the log, whose jobs are over: it is acknowledged
 * and forgotten. Results of a job that was done may be older than the log.
 */
bool node_is_stale(const struct node *node, const struct flow_message *message);

/* Its role cannot handle it yet: it comes again with the next entry about its job. */
static inline void node_hold(
	struct node *node, uint64_t job, const struct transport_delivery *delivery)
{
	held_add(&node->held, job, delivery);
}

/* Everything that is held comes again now. */
void node_retry_held(struct node *node);

/* The queue of node `number` of a job: a reducer's, or the collector's. */
void node_queue_name(const struct job *job, uint32_t number, char *name, size_t size);

static inline void node_ack(struct node *node, uint64_t tag)
{
	transport_ack(node->env.transport, tag);
}

/* What the cluster's shape leaves at 0. */
static inline uint32_t node_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

#define NODE_PREFETCH_DEFAULT	     256u
#define NODE_PREFETCH_SHARED_DEFAULT 4u
#define NODE_PACKET_BYTES_DEFAULT    (64u << 10)
#define NODE_SYNC_BYTES_DEFAULT	     (4u << 20)
#define NODE_SYNC_MS_DEFAULT	     5u
#define NODE_CACHE_BYTES_DEFAULT     (64u << 20)

#endif
