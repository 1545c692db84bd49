/*
 * Asks nodes how they are: GET /health (cluster/health.h) on one connection per node, which is
 * kept.
 *
 * A process that dies breaks its connection, and a new one is refused: that is told at once. While
 * nobody is there, attempts become rarer, up to one per second; prober_hurry starts them afresh. A
 * question that stays unanswered is asked on a new connection after a while.
 */
#ifndef WATCH_PROBER_H
#define WATCH_PROBER_H

#include "cluster/config.h"
#include "net/loop.h"
#include "watch/node_verdict.h"

struct prober;

struct prober_handler {
	void (*on_answer)(void *context, uint32_t target, const struct node_verdict_answer *answer);
	/* Nobody listens there. Nothing is told of a host that does not answer at all. */
	void (*on_nobody)(void *context, uint32_t target);
	/* Somebody listens there, and has not answered in time. */
	void (*on_silence)(void *context, uint32_t target);
	void *context;
};

/* `check_ms`: between two questions; `patience_ms`: with one. */
struct prober *prober_new(struct loop *loop, const struct net_address *targets, uint32_t count,
	uint64_t check_ms, uint64_t patience_ms, const struct prober_handler *handler);
void prober_free(struct prober *prober);

/* Hangs up. */
void prober_stop(struct prober *prober);
/* This one is about to come up. */
void prober_hurry(struct prober *prober, uint32_t index);

#endif
