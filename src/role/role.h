/*
 * What all roles are: event handlers over interfaces for transport, disk, clock and chance, so that
 * the same code runs on RabbitMQ and in the simulator. A role never waits and never asks for the
 * time of day; whoever drives it calls on_tick about every ROLE_TICK_MS and hands it what arrives.
 *
 * A role that cannot go on sets `stopped` and fills `reason`; from then on it ignores everything,
 * and its driver frees it. Whatever it held is on its disk or comes again from the broker.
 */
#ifndef ROLE_ROLE_H
#define ROLE_ROLE_H

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "cluster/queues.h"
#include "journal/disk.h"
#include "role/work.h"
#include "role/work_record.h"
#include "transport/transport.h"
#include "wire/port.h"

#define ROLE_TICK_MS 5
/* One job gets so much of the memory for folds: one in four. */
#define JOB_MEMORY_SHARE 4u

/* Which jobs' chunks go to the work queue, for filters, rather than being mapped by a gateway. */
enum role_filters {
	ROLE_FILTERS_NEVER,
	ROLE_FILTERS_AUTO, /* those of plans with an expensive map fragment (plan_has_expensive_map) */
	ROLE_FILTERS_ALWAYS,
};

struct config_place;
struct users;

/* The shape of the cluster; the same on every node. */
struct role_cluster {
	uint32_t reducers; /* of a new job; a job keeps the number it was opened with */
	uint32_t gateways;
	enum role_filters filters; /* of a new job; a job keeps it, too */
	uint64_t job_ttl_ms;	   /* without any event a job is expired after this time */
	uint64_t receive_ttl_ms;   /* the same while its data is not complete; 0: no shorter */
	uint32_t packet_bytes;	   /* near which a reducer's packets are cut; 0: 64 KB */
	uint32_t sync_bytes;	   /* a reducer syncs when so much is unsynced; 0: 4 MB ... */
	uint32_t sync_ms;	   /* ... or after this time; 0: 5 */
	uint32_t prefetch;	   /* deliveries that may be unacknowledged; 0: 256 */
	uint32_t cache_bytes; /* packets held in memory that also stand in a journal; 0: 64 MB */
	uint32_t jobs_max;    /* open at a time; 0: any number */
	uint32_t client_jobs_max; /* of one client's; 0: any number */
	uint64_t log_copy_bytes; /* of a node's copy of the log, before it is made short; 0: 4 MB */
	const struct config_place *watchers; /* where they tell their health; for `status` */
	uint32_t watcher_count;
	uint64_t disk_max;	   /* bytes that a node may keep of jobs; 0: any number */
	uint64_t reducer_memory;   /* what the folds of all jobs may hold on each; 0: any amount */
	uint64_t collector_memory; /* likewise */
	uint32_t
		head_packets; /* of a result, that every gateway gets unasked; 0: FLOW_HEAD_PACKETS */
	uint64_t temp_max; /* bytes that have no room there, on this node's disk; 0: any number */
	const struct users *users; /* who may come, each with jobs of its own; NULL: see token */
	const char *token;	   /* that clients must have; NULL or "": none; borrowed */
};

struct role_env {
	struct transport *transport; /* the role sets its handler */
	struct disk *disk;	     /* NULL for roles that keep nothing */
	struct rng *rng;
	struct work_runner *runner;	 /* of what takes long; NULL: it is done at once */
	struct work_record *record;	 /* of what is under way; NULL: nobody keeps it */
	uint64_t (*now_ms)(void *clock); /* since some moment; never goes back */
	void *clock;
	/* One line: EVENT key=value ...; NULL: nobody listens. */
	void (*log)(void *log_context, enum log_event event, const char *line);
	void *log_context;
	struct role_cluster cluster;
};

struct role;

struct role_ops {
	void (*on_tick)(struct role *role);
	/*
	 * Client connections, for roles that have any: a number per connection, chosen by the
	 * driver, and one whole message of wire/message.h at a time. `client` is the same number for
	 * all connections that come from one address; 0: the driver cannot tell.
	 */
	void (*on_client_open)(struct role *role, uint64_t connection, uint64_t client);
	void (*on_client)(
		struct role *role, uint64_t connection, const uint8_t *bytes, size_t size);
	void (*on_client_closed)(struct role *role, uint64_t connection);
	void (*free)(struct role *role);
};

/* Every role embeds this as its first member. */
struct role {
	const struct role_ops *ops;
	bool ready;   /* it has caught up with what had happened before it started */
	bool blocked; /* by its disk: it should get no more output of its work for now */
	bool stopped;
	struct error reason;
};

/*
 * All of them take env as it is, set the transport's handler, follow the log and consume their
 * queue. A disk that cannot be read is an error here. `port` is borrowed.
 */
MUST_CHECK int reducer_new(
	struct role **out, const struct role_env *env, uint32_t index, struct error *err);
MUST_CHECK int collector_new(struct role **out, const struct role_env *env, struct error *err);
MUST_CHECK int filter_new(struct role **out, const struct role_env *env, struct error *err);
MUST_CHECK int gateway_new(struct role **out, const struct role_env *env, uint32_t index,
	struct wire_port *port, struct error *err);

#endif
