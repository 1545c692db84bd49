/*
 * Looks at all that a node has on its disk, with every checksum and every promise that the parts make
 * to each other, and says what is damaged and what that costs. Nothing is changed, unless it is told
 * to repair.
 *
 *   log-*          the copy of the control log: it also tells which jobs are open, and which are done
 *   job-*          journals of open jobs, and their marks: reducers and the collector
 *   result-*       results: the collector's own, the gateways' copies
 *   identity       of the disk
 *   generation     of the log, as far as the node knows
 *
 * Repairing means to drop what is damaged, in such a way that the next start of the node sees the
 * loss: the job fails, the copy is fetched again. What is not damaged stays as it is.
 */
#ifndef ROLE_STATE_CHECK_H
#define ROLE_STATE_CHECK_H

#include "journal/journal.h"

/* Something is damaged. The texts are borrowed. */
struct state_finding {
	const char *path; /* in the node's folder */
	uint64_t job;	  /* 0: it belongs to no job */
	const char *what;
	const char *cost;
	bool is_repaired;
};

typedef void (*state_finding_fn)(void *context, const struct state_finding *finding);

struct state_counts {
	uint64_t journals;
	uint64_t records;
	uint64_t bytes;
	uint64_t open_jobs; /* as far as the copy of the log goes */
	uint64_t done_jobs; /* likewise */
	uint64_t damaged;
	uint64_t repaired;
};

struct state_check {
	struct disk *disk;
	bool keeps_results; /* the collector: what is damaged there nobody else must have */
	bool is_running; /* its process may change the disk meanwhile: what looks bad is read again */
	bool repairs;	 /* the disk is ours */
	state_finding_fn tell;
	void *context;
	struct state_counts counts; /* zero before the run */
};

/* An error is one of the disk as a whole: it cannot be listed, or a repair fails. */
MUST_CHECK int state_check_run(struct state_check *check, struct error *err);
/* For what is beside the disk: counts the finding and tells it. */
void state_check_tell(struct state_check *check, const struct state_finding *finding);

#endif
