/*
 * Packets that never come. A stream is closed in the log when the broker has confirmed all its
 * packets: from then on they stand in our queue, or nobody has them any more. A queue keeps its order,
 * so a node that misses some sends itself a probe: when it arrives, all that was there before it has
 * arrived, too. What is missing still, after several of them, is lost with the broker's data, and its
 * job fails instead of waiting for ever.
 *
 * Chunks for filters take one more way. Their probe goes through the work queue; the filter that gets it
 * passes it on. What was before it in that queue is in the hands of a filter then, or was. One that takes
 * longer for a chunk than DEADMAN_BUSY_MS says so, again and again; so some time must pass without a word, too.
 *
 * No clock decides alone: while the broker is away, or a process stands still, no probe arrives.
 */
#ifndef ROLE_DEADMAN_H
#define ROLE_DEADMAN_H

#include "role/node.h"

#define DEADMAN_BUSY_MS 20000u

struct fold_job;
struct fold_node;

struct deadman {
	uint64_t nonce;	      /* our probes have it */
	uint64_t looked_ms;   /* at all jobs, last */
	uint32_t sent;	      /* the number of the last probe; 0: none so far */
	uint64_t sent_ms;     /* when that was */
	bool is_waiting;      /* for the last probe */
	bool through_filters; /* it takes that way */
};

/* Of a job on the node. Zeroed when the job opens. */
struct deadman_job {
	uint64_t quiet_ms;   /* since when nothing new has come; 0: look from now on */
	uint32_t passed;     /* probes since then, from the queue itself ... */
	uint32_t passed_far; /* ... and through the filters */
	uint64_t
		quiet_far_ms; /* when the first of them came, or later a word from a filter at work */
};

void deadman_init(struct deadman *deadman, uint64_t nonce);
/* With every tick of a node that is ready. */
void deadman_on_tick(struct fold_node *folds);
/* A packet of the job has come that was not there before. */
static inline void deadman_on_packet(struct deadman_job *job)
{
	*job = (struct deadman_job){0};
}
/* A probe has come, perhaps one of ours. */
void deadman_on_probe(struct fold_node *folds, const struct flow_message *probe);
/* A filter is at work on the job, which may be one that the node does not know: NULL. */
void deadman_on_busy(struct fold_node *folds, struct job *job);
/* For filters: sends a probe on to whoever it is from. */
MUST_CHECK int deadman_pass_on(
	struct node *node, const struct flow_message *probe, struct error *err);
/* For filters: tells all who may wait for the job's chunks that one is in hand. */
MUST_CHECK int deadman_say_busy(struct node *node, const struct job *job, struct error *err);

#endif
