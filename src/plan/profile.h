/*
 * What running a plan has taken, operator by operator, beside what was estimated of it.
 *
 * Times are those of threads, added up, with what they waited for each other, and exclusive: what an operator spends in
 * those behind it is theirs. Whoever runs the plan fills this in; sql/explain.c shows it.
 */
#ifndef PLAN_PROFILE_H
#define PLAN_PROFILE_H

#include "base/arena.h"
#include "plan/plan.h"

struct profile_entry {
	uint64_t rows;	    /* that came in */
	uint64_t batches;   /* in which they came */
	uint64_t ns;	    /* of all threads */
	uint64_t ns_max;    /* of the one that spent most */
	uint32_t threads;   /* that were in it */
	uint64_t bytes_max; /* of memory at a time; 0: it holds nothing */
};

struct profile_table {
	struct profile_entry reading; /* its rows: those that came out of the files */
	uint64_t files;
	uint64_t bytes;
	uint64_t rejects;
	bool in_memory; /* no file was read */
};

struct plan_profile {
	struct arena arena;
	uint32_t threads; /* that there were */
	/*
	 * By fragment: the entry of its first operator. The others follow, and behind them one for what leaves the
	 * fragment: exchange, build side, or result.
	 */
	uint32_t *first;
	struct profile_entry *entries;
	struct profile_table *tables; /* by table of the plan */
	uint64_t planning_ns;
	uint64_t elapsed_ns;
	uint64_t processor_ns;
	uint64_t bytes_max; /* of memory that all operators held at a time */
	uint64_t spilled_bytes;
};

#endif
