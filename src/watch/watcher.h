/*
 * A watcher: one of a few processes of which one leads (watch/election.h). The leader asks every
 * node and every other watcher how it is (watch/prober.h), judges (watch/node_verdict.h) and starts
 * again what died or is stuck (watch/driver.h), the private broker included; the others watch the
 * leader.
 *
 * Of three watchers or more, on several hosts, a leader that hears nobody at all is cut off itself:
 * it starts nobody until it hears somebody, and then looks anew before it judges.
 *
 * What a leader knows of restarts it tells the others (TALLY), so that the next one can still show
 * them. GET /status at a watcher's health address is
 *
 *   {"cluster":"tamiz","watcher":2,"leads":true,"leader":2,"term":7,"nodes":[
 *    {"name":"reducer-0","role":"reducer","state":"green","detail":"","since_ms":5020,"restarts":1,
 *     "restarted_ms":1700000000000,"reason":"nobody was there","flapping":false,
 *     "address":"127.0.0.1:7300"}, ...]}
 *
 * and the nodes are only there when it leads.
 */
#ifndef WATCH_WATCHER_H
#define WATCH_WATCHER_H

#include "cluster/config.h"

struct loop;
struct watcher;

/* On the caller's loop, which outlives it. *out is to be closed also after an error. */
MUST_CHECK int watcher_open(struct watcher **out, struct loop *loop, const struct config *config,
	uint32_t index, struct error *err);
/* The nodes go on. NULL is allowed. */
void watcher_close(struct watcher *watcher);

/* Runs until SIGTERM or SIGINT. Blocks these signals: to be called once. */
MUST_CHECK int watcher_run(const struct config *config, uint32_t index, struct error *err);

#endif
