/*
 * How a node is, for watchers and people: a small HTTP server in a thread of its own, which
 * answers also while the event loop is busy or stuck, and says which.
 *
 *   GET /health   200 while the event loop turns and the broker, if there is one, is connected;
 *                 503 otherwise
 *   GET /ready    200 while that is so and the node is READY; 503 otherwise
 *   GET /status   what health_publish was given; 404 before
 *   GET /metrics  numbers of the process, as Prometheus wants them (base/metric_table.h)
 *   GET /trace?job=ID  what the process did for a job (base/trace.h)
 *   GET /         what there is, as text
 *
 * /health and /ready answer with one line of JSON, whatever the status is:
 *
 *   {"node":"reducer-0","state":"ready","healthy":true,"ready":true,"broker":true,"loop_ms":3,
 *    "pid":1234,"up_ms":5678}
 *
 *   state     "starting", "replaying", "ready", "ending"
 *   broker    null for a node that has none
 *   loop_ms   since the last turn of the event loop
 *
 * HEAD is answered as GET without the body; everything else is refused. Connections are kept.
 *
 * All calls but health_open and health_close may come from any thread.
 */
#ifndef CLUSTER_HEALTH_H
#define CLUSTER_HEALTH_H

#include "cluster/config.h"

/* An event loop that has not turned for so long is not healthy. */
#define HEALTH_LOOP_MS_MAX	2000u
#define HEALTH_STATUS_BYTES_MAX (1u << 20)
#define HEALTH_CONNECTIONS_MAX	32u
#define HEALTH_IDLE_S_MAX	5u

enum health_state {
	HEALTH_STARTING, /* from health_open on */
	HEALTH_REPLAYING,
	HEALTH_READY,
	HEALTH_ENDING,
};

struct health;

/*
 * Listens at `address` and answers from now on; the first beat is now. `node` is copied.
 * ERROR_IO when the address cannot be had. The thread has all signals blocked.
 */
MUST_CHECK int health_open(struct health **out, const char *node, const struct net_address *address,
	uint64_t loop_limit_ms, struct error *err);
/* Ends the thread and its connections. NULL is allowed, here and below, and does nothing. */
void health_close(struct health *health);

/* The event loop has turned: cheap enough for every turn. */
void health_beat(struct health *health);
void health_set_state(struct health *health, enum health_state state);
/* Whether the broker is connected. A node that never calls it has no broker. */
void health_set_broker(struct health *health, bool connected);
/* One JSON document for /status, in place of the one before; copied. Too long a one is ignored. */
void health_publish(struct health *health, const char *json, size_t size);

#endif
