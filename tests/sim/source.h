/*
 * What a simulated client sends, from its job, and the rows that it gets, as texts to be compared
 * with the right ones. Nothing of how it is connected.
 */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include "client/session.h"
#include "sim/job.h"

struct sim_source {
	struct session_source session;
	struct sim_job *job;
	struct rng *rng;
	struct arena arena;
	struct buf *results; /* a text a query */
};

/* Both are borrowed. */
void sim_source_init(struct sim_source *source, struct sim_job *job, struct rng *rng);
void sim_source_release(struct sim_source *source);
/* Rows come anew. */
void sim_source_clear(struct sim_source *source);

/* Whether the rows are the right ones, and rows are right at all; `problem` says why not. */
bool sim_source_check(const struct sim_source *source, char *problem, size_t size);

#endif
